<?php

// Written by deploy/sdk/generate from the OpenAPI document; do not edit.

declare(strict_types=1);

namespace Galla\Data;

use Galla\Internal\Read;

/**
 * An object of replies.
 *
 * What a reply has not is null.
 */
final class Secret
{
    public function __construct(
        public readonly ?string $id,
        /** Absent: not recorded. */
        public readonly ?string $createdAt,
        /** When it ends; absent: no end is planned. */
        public readonly ?string $endsAt,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::text($m, 'createdAt'),
            Read::text($m, 'endsAt'),
        );
    }
}
