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
final class AgentAuthentication
{
    public function __construct(
        /** 00: authenticated. Anything else: not. */
        public readonly ?string $ResponseCode,
        /** The bank's words. */
        public readonly ?string $ResponseStatus,
        /** System trace number. */
        public readonly ?string $STAN,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'ResponseCode'),
            Read::text($m, 'ResponseStatus'),
            Read::text($m, 'STAN'),
        );
    }
}
