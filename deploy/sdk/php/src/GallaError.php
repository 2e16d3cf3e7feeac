<?php

declare(strict_types=1);

namespace Galla;

/**
 * The base of all errors of this package; none of them quotes what was sent.
 *
 * The message says what happened and what to do. $httpStatus is 0 where no reply came;
 * $statusCode is the reply's statusCode; $requestId names the request in the logs of the
 * central; $idempotencyKey is the identity of the operation ('' for calls that are none).
 */
class GallaError extends \RuntimeException
{
    private Internal\Hidden $reply;

    public function __construct(
        string $message,
        public readonly int $httpStatus = 0,
        public readonly string $statusCode = '',
        public readonly string $requestId = '',
        public readonly string $idempotencyKey = '',
        #[\SensitiveParameter] string $reply = '',
    ) {
        parent::__construct($message);
        $this->reply = new Internal\Hidden($reply);
    }

    /** The JSON text of the reply; '' where none came. */
    public function reply(): string
    {
        return $this->reply->reveal();
    }
}
