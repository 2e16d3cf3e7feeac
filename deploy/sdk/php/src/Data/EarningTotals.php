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
final class EarningTotals
{
    public function __construct(
        public readonly ?int $count,
        public readonly ?int $reversed,
        /** Rupees, two decimals. */
        public readonly ?string $volume,
        /** Rupees, two decimals. */
        public readonly ?string $charge,
        /** Rupees, two decimals. */
        public readonly ?string $gst,
        /** Rupees, two decimals. */
        public readonly ?string $providerCost,
        /** Rupees, two decimals. */
        public readonly ?string $commission,
        /** Rupees, two decimals. */
        public readonly ?string $tds,
        /** Rupees, two decimals. */
        public readonly ?string $net,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::integer($m, 'count'),
            Read::integer($m, 'reversed'),
            Read::rupees($m, 'volume'),
            Read::rupees($m, 'charge'),
            Read::rupees($m, 'gst'),
            Read::rupees($m, 'providerCost'),
            Read::rupees($m, 'commission'),
            Read::rupees($m, 'tds'),
            Read::rupees($m, 'net'),
        );
    }
}
