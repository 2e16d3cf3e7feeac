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
final class Verification
{
    /** @param array<string, mixed> $more members that this class does not know */
    public function __construct(
        /** 1 verified, 0 failed; -1 and 91 ambiguous: ask again after 30 seconds. */
        public readonly ?int $status,
        /** Where the bank knows it. */
        public readonly ?string $account_holder_name,
        public readonly array $more,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::integer($m, 'status'),
            Read::text($m, 'account_holder_name'),
            array_diff_key($m, ['status' => 1, 'account_holder_name' => 1]),
        );
    }
}
