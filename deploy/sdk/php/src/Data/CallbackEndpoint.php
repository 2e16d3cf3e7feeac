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
final class CallbackEndpoint
{
    public function __construct(
        /** Empty: there is none. */
        public readonly ?string $url,
        /** @var list<string>|null */
        public readonly ?array $events,
        /** When the receiver answered 410 Gone; absent: it is enabled. */
        public readonly ?string $disabledAt,
        /** @var list<Secret>|null The live ones, oldest first. */
        public readonly ?array $secrets,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'url'),
            Read::texts($m, 'events'),
            Read::text($m, 'disabledAt'),
            Read::objects($m, 'secrets', Secret::class),
        );
    }
}
