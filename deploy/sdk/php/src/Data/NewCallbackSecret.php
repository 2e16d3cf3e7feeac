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
final class NewCallbackSecret
{
    public function __construct(
        public readonly ?string $id,
        /** As Standard Webhooks writes it: whsec_ and base64. */
        public readonly ?string $secret,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::text($m, 'secret'),
        );
    }
}
