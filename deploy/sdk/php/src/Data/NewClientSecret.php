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
final class NewClientSecret
{
    public function __construct(
        public readonly ?string $id,
        public readonly ?string $client_id,
        public readonly ?string $client_secret,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::text($m, 'client_id'),
            Read::text($m, 'client_secret'),
        );
    }
}
