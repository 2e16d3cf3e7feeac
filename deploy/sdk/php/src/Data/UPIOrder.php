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
final class UPIOrder
{
    public function __construct(
        public readonly ?string $order_id,
        public readonly ?string $status,
        /** Rupees, two decimals, of the newest code. */
        public readonly ?string $amount,
        /** Until when a payment counts as one of this order without a person. */
        public readonly ?string $expiresAt,
        /** Rupees, two decimals: what was received and not returned. */
        public readonly ?string $received,
        /** @var list<UPIPayment>|null Newest first, at most 100. */
        public readonly ?array $payments,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'order_id'),
            Read::text($m, 'status'),
            Read::text($m, 'amount'),
            Read::text($m, 'expiresAt'),
            Read::text($m, 'received'),
            Read::objects($m, 'payments', UPIPayment::class),
        );
    }
}
