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
final class RefundReceipt
{
    public function __construct(
        public readonly ?string $refundId,
        /** Rupees. */
        public readonly ?string $amount,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'refundId'),
            Read::rupees($m, 'amount'),
        );
    }
}
