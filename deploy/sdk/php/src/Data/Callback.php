<?php

// Written by deploy/sdk/generate from the OpenAPI document; do not edit.

declare(strict_types=1);

namespace Galla\Data;

use Galla\Internal\Read;

/**
 * Present if configured.
 *
 * What a reply has not is null.
 */
final class Callback
{
    public function __construct(
        public readonly ?string $url,
        /** @var list<string>|null */
        public readonly ?array $events,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'url'),
            Read::texts($m, 'events'),
        );
    }
}
