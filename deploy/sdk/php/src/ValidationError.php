<?php

declare(strict_types=1);

namespace Galla;

/** HTTP 400: fields are missing or malformed. Nothing ran, and the key is not used up. */
final class ValidationError extends GallaError
{
    /** @param list<FieldError> $fields */
    public function __construct(string $message, int $httpStatus, string $statusCode, string $requestId, string $idempotencyKey, #[\SensitiveParameter] string $reply, public readonly array $fields)
    {
        parent::__construct($message, $httpStatus, $statusCode, $requestId, $idempotencyKey, $reply);
    }
}
