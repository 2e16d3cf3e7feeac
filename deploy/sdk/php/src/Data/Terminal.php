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
final class Terminal
{
    public function __construct(
        public readonly ?string $id,
        public readonly ?string $name,
        /** The terminal at the bank network. */
        public readonly ?string $tid,
        public readonly ?string $createdAt,
        /** When it last said hello; absent: never. */
        public readonly ?string $seenAt,
        public readonly ?bool $revoked,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::text($m, 'name'),
            Read::text($m, 'tid'),
            Read::text($m, 'createdAt'),
            Read::text($m, 'seenAt'),
            Read::boolean($m, 'revoked'),
        );
    }
}
