<?php

declare(strict_types=1);

namespace Galla\Internal;

/**
 * One attempt. $status is 0 where no reply came; $own is whether the reply is JSON of the
 * central; $retryAfter is in seconds.
 *
 * @internal
 */
final class Attempt
{
    public function __construct(
        public readonly Happened $happened,
        public readonly int $status = 0,
        public readonly string $statusCode = '',
        public readonly string $reference = '',
        public readonly ?int $retryAfter = null,
        public readonly bool $own = true,
    ) {
    }
}
