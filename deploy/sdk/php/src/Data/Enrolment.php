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
final class Enrolment
{
    /** @param array<string, mixed> $more members that this class does not know */
    public function __construct(
        /** Every later step of the onboarding needs it. */
        public readonly ?string $referenceid,
        /** The network's word on how far it is. */
        public readonly ?string $status,
        public readonly array $more,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'referenceid'),
            Read::text($m, 'status'),
            array_diff_key($m, ['referenceid' => 1, 'status' => 1]),
        );
    }
}
