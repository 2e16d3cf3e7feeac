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
final class RecentTransaction
{
    public function __construct(
        public readonly ?string $id,
        /** CASH_WITHDRAWAL, BALANCE_ENQUIRY, MINI_STATEMENT, PURCHASE, AGENT_AUTHENTICATION, TRANSFER or REFUND. */
        public readonly ?string $type,
        /** Rupees. */
        public readonly ?string $amount,
        public readonly ?string $status,
        /** Our name for it: RetailerReferenceNumber, transactionId, refundId. */
        public readonly ?string $reference,
        public readonly ?string $createdAt,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::text($m, 'type'),
            Read::rupees($m, 'amount'),
            Read::text($m, 'status'),
            Read::text($m, 'reference'),
            Read::text($m, 'createdAt'),
        );
    }
}
