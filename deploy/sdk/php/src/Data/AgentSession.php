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
final class AgentSession
{
    public function __construct(
        public readonly ?bool $authenticated,
        /** The terminal at the bank network. */
        public readonly ?string $tid,
        /** Absent where no session is active. */
        public readonly ?string $authenticatedAt,
        /** 24 hours later. Absent where no session is active. */
        public readonly ?string $expiresAt,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::boolean($m, 'authenticated'),
            Read::text($m, 'tid'),
            Read::text($m, 'authenticatedAt'),
            Read::text($m, 'expiresAt'),
        );
    }
}
