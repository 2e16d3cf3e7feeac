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
final class Earning
{
    public function __construct(
        /** Where grouped by day. */
        public readonly ?string $day,
        /** Where grouped by merchant. */
        public readonly ?string $merchantId,
        /** Where grouped by type. */
        public readonly ?string $paymentMethod,
        /** Where grouped by type. */
        public readonly ?string $provider,
        /** Where grouped by type. */
        public readonly ?string $txnType,
        /** Operations that earned, less those that were reversed. */
        public readonly ?int $count,
        public readonly ?int $reversed,
        /** Amounts of the operations, in rupees as all that follow. */
        public readonly ?string $volume,
        /** What customers paid for them, GST included. Rupees, two decimals. */
        public readonly ?string $charge,
        /** Rupees, two decimals. */
        public readonly ?string $gst,
        /** Rupees, two decimals. */
        public readonly ?string $providerCost,
        /** Rupees, two decimals. */
        public readonly ?string $commission,
        /** Tax deducted at source of the commission. Rupees, two decimals. */
        public readonly ?string $tds,
        /** Commission less tds. Rupees, two decimals. */
        public readonly ?string $net,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'day'),
            Read::text($m, 'merchantId'),
            Read::text($m, 'paymentMethod'),
            Read::text($m, 'provider'),
            Read::text($m, 'txnType'),
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
