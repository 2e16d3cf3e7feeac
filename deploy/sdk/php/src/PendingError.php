<?php

declare(strict_types=1);

namespace Galla;

/** The bank has not answered; only Result::orThrow throws it. Pay nothing out, and wait. */
final class PendingError extends GallaError
{
    public function __construct(string $message, int $httpStatus, string $statusCode, string $requestId, string $idempotencyKey, #[\SensitiveParameter] string $reply, public readonly string $reference)
    {
        parent::__construct($message, $httpStatus, $statusCode, $requestId, $idempotencyKey, $reply);
    }
}
