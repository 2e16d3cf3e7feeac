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
final class VendorKey
{
    public function __construct(
        public readonly ?string $id,
        /** The last characters of the API key. */
        public readonly ?string $hint,
        /** Messages under it are accepted. */
        public readonly ?bool $live,
        public readonly ?string $createdAt,
        /** When it was last used; absent: never. It may be some seconds late. */
        public readonly ?string $usedAt,
        /** When it ends, or ended; absent: no end is planned. */
        public readonly ?string $endsAt,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::text($m, 'hint'),
            Read::boolean($m, 'live'),
            Read::text($m, 'createdAt'),
            Read::text($m, 'usedAt'),
            Read::text($m, 'endsAt'),
        );
    }
}
