<?php

declare(strict_types=1);

namespace Galla;

/** HTTP 429: too many calls. Nothing was done; $retryAfter is how many seconds to wait. */
final class RateLimitError extends GallaError
{
    public function __construct(string $message, int $httpStatus, string $statusCode, string $requestId, string $idempotencyKey, #[\SensitiveParameter] string $reply, public readonly int $retryAfter)
    {
        parent::__construct($message, $httpStatus, $statusCode, $requestId, $idempotencyKey, $reply);
    }
}
