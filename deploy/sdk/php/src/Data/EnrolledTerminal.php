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
final class EnrolledTerminal
{
    public function __construct(
        public readonly ?string $terminalId,
        public readonly ?string $merchantId,
        /** The terminal at the bank network. */
        public readonly ?string $tid,
        public readonly ?string $merchantName,
        /** The merchant at the bank network. */
        public readonly ?string $mid,
        /** The websocket that the terminal connects to. */
        public readonly ?string $uplink,
        /** What its tokens must name. */
        public readonly ?string $audience,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'terminalId'),
            Read::text($m, 'merchantId'),
            Read::text($m, 'tid'),
            Read::text($m, 'merchantName'),
            Read::text($m, 'mid'),
            Read::text($m, 'uplink'),
            Read::text($m, 'audience'),
        );
    }
}
