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
final class Slab
{
    public function __construct(
        public readonly ?string $id,
        public readonly ?string $vendorId,
        public readonly ?string $aggregatorId,
        public readonly ?string $paymentMethod,
        public readonly ?string $provider,
        public readonly ?string $txnType,
        /** Rupees; absent: the band is open below. */
        public readonly ?string $minAmount,
        /** Rupees; absent: the band is open above. */
        public readonly ?string $maxAmount,
        public readonly ?string $commissionRate,
        public readonly ?string $rateType,
        public readonly ?bool $isDefault,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::text($m, 'vendorId'),
            Read::text($m, 'aggregatorId'),
            Read::text($m, 'paymentMethod'),
            Read::text($m, 'provider'),
            Read::text($m, 'txnType'),
            Read::rupees($m, 'minAmount'),
            Read::rupees($m, 'maxAmount'),
            Read::number($m, 'commissionRate'),
            Read::text($m, 'rateType'),
            Read::boolean($m, 'isDefault'),
        );
    }
}
