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
final class VendorClient
{
    public function __construct(
        /** client_id. */
        public readonly ?string $id,
        /** False: suspended; it gets no tokens. */
        public readonly ?bool $active,
        /** Absent: not recorded. */
        public readonly ?string $createdAt,
        /** @var list<Secret>|null The live ones, the newest first. */
        public readonly ?array $secrets,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::boolean($m, 'active'),
            Read::text($m, 'createdAt'),
            Read::objects($m, 'secrets', Secret::class),
        );
    }
}
