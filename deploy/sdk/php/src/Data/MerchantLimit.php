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
final class MerchantLimit
{
    public function __construct(
        /** @var list<string>|null The kinds of transactions that it bounds, each by itself. */
        public readonly ?array $kinds,
        public readonly ?string $scope,
        /** Rupees; 0: no bound. So are max, step and sum. */
        public readonly ?string $min,
        /** Rupees, two decimals. */
        public readonly ?string $max,
        /** The amount must be a multiple of it. Rupees, two decimals. */
        public readonly ?string $step,
        /** How many in the scope's time; 0: no bound. */
        public readonly ?int $count,
        /** How much in the scope's time. Rupees, two decimals. */
        public readonly ?string $sum,
        /** The first day in force; empty: always. */
        public readonly ?string $from,
        /** The first day no longer in force; empty: none. */
        public readonly ?string $until,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::texts($m, 'kinds'),
            Read::text($m, 'scope'),
            Read::rupees($m, 'min'),
            Read::rupees($m, 'max'),
            Read::rupees($m, 'step'),
            Read::integer($m, 'count'),
            Read::rupees($m, 'sum'),
            Read::text($m, 'from'),
            Read::text($m, 'until'),
        );
    }
}
