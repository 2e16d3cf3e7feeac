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
final class DmtTransactionBalanceData
{
    /** @param array<string, mixed> $more members that this class does not know */
    public function __construct(
        /** Rupees. */
        public readonly ?string $balance,
        public readonly array $more,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::rupees($m, 'balance'),
            array_diff_key($m, ['balance' => 1]),
        );
    }
}
