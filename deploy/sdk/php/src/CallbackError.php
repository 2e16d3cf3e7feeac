<?php

declare(strict_types=1);

namespace Galla;

/**
 * A callback is not genuine, or cannot be read.
 *
 * $reason is missing-header, bad-timestamp, too-old, bad-signature or bad-body.
 */
final class CallbackError extends GallaError
{
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct("callback refused: $message");
    }
}
