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
final class Charges
{
    /** @param array<string, mixed> $more members that this class does not know */
    public function __construct(
        /** Rupees that the customer pays for the transfer, GST included. */
        public readonly ?string $charge,
        /** Amount and charge. Rupees, two decimals. */
        public readonly ?string $totalAmount,
        /** The tax in the charge. Rupees, two decimals. */
        public readonly ?string $gst,
        /** Rupees, two decimals. */
        public readonly ?string $commission,
        public readonly array $more,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::rupees($m, 'charge'),
            Read::rupees($m, 'totalAmount'),
            Read::rupees($m, 'gst'),
            Read::rupees($m, 'commission'),
            array_diff_key($m, ['charge' => 1, 'totalAmount' => 1, 'gst' => 1, 'commission' => 1]),
        );
    }
}
