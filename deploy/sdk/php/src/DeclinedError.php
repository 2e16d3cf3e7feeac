<?php

declare(strict_types=1);

namespace Galla;

/** The bank declined or reversed the operation; only Result::orThrow throws it. */
final class DeclinedError extends GallaError
{
    public function __construct(string $message, int $httpStatus, string $statusCode, string $requestId, string $idempotencyKey, #[\SensitiveParameter] string $reply, public readonly string $responseCode)
    {
        parent::__construct($message, $httpStatus, $statusCode, $requestId, $idempotencyKey, $reply);
    }
}
