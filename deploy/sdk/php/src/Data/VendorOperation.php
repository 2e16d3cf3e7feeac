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
final class VendorOperation
{
    public function __construct(
        public readonly ?string $id,
        /**
         * Method and path of the request; NETWORK upi.received or NETWORK upi.returned where the bank network
         * reported it.
         */
        public readonly ?string $route,
        public readonly ?string $status,
        public readonly ?string $reference,
        public readonly ?string $pendingReference,
        /** Empty of a payment by UPI. */
        public readonly ?string $stan,
        /** Rupees, two decimals. */
        public readonly ?string $amount,
        public readonly ?string $responseCode,
        public readonly ?string $rrn,
        public readonly ?string $createdAt,
        public readonly ?string $sentAt,
        public readonly ?string $finishedAt,
        public readonly ?string $merchantId,
        /**
         * CASH_WITHDRAWAL, BALANCE_ENQUIRY, MINI_STATEMENT, PURCHASE, AGENT_AUTHENTICATION, TRANSFER, REFUND,
         * UPI_PAYMENT (received by UPI) or UPI_REFUND (returned to the payer).
         */
        public readonly ?string $type,
        /** Masked; of AEPS transactions. */
        public readonly ?string $AadharNo,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::text($m, 'route'),
            Read::text($m, 'status'),
            Read::text($m, 'reference'),
            Read::text($m, 'pendingReference'),
            Read::text($m, 'stan'),
            Read::text($m, 'amount'),
            Read::text($m, 'responseCode'),
            Read::text($m, 'rrn'),
            Read::text($m, 'createdAt'),
            Read::text($m, 'sentAt'),
            Read::text($m, 'finishedAt'),
            Read::text($m, 'merchantId'),
            Read::text($m, 'type'),
            Read::text($m, 'AadharNo'),
        );
    }
}
