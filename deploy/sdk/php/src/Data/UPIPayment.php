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
final class UPIPayment
{
    public function __construct(
        /** UPI's transaction id, unique for ever. */
        public readonly ?string $id,
        /** The network's reference (UTR). */
        public readonly ?string $RRN,
        /** Of the dynamic code that was paid; absent: none. */
        public readonly ?string $order_id,
        /** Rupees, two decimals. */
        public readonly ?string $amount,
        /** The UPI address that was paid. */
        public readonly ?string $vpa,
        /** Masked by the network. */
        public readonly ?string $payerName,
        /** Masked by the network. */
        public readonly ?string $payerVPA,
        public readonly ?string $match,
        public readonly ?string $status,
        /** When the payer paid. */
        public readonly ?string $paidAt,
        /** When the central recorded it. */
        public readonly ?string $recordedAt,
        /** UPI's transaction id of the return. */
        public readonly ?string $refundId,
        public readonly ?string $refundRRN,
        /** When the bank returned it to its payer. */
        public readonly ?string $returnedAt,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::text($m, 'RRN'),
            Read::text($m, 'order_id'),
            Read::text($m, 'amount'),
            Read::text($m, 'vpa'),
            Read::text($m, 'payerName'),
            Read::text($m, 'payerVPA'),
            Read::text($m, 'match'),
            Read::text($m, 'status'),
            Read::text($m, 'paidAt'),
            Read::text($m, 'recordedAt'),
            Read::text($m, 'refundId'),
            Read::text($m, 'refundRRN'),
            Read::text($m, 'returnedAt'),
        );
    }
}
