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
final class NewVendorKey
{
    public function __construct(
        public readonly ?string $id,
        /** What X-Client-Id takes. */
        public readonly ?string $apiKey,
        /** The 32 bytes of the AES key, in base64. */
        public readonly ?string $key,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::text($m, 'apiKey'),
            Read::text($m, 'key'),
        );
    }
}
