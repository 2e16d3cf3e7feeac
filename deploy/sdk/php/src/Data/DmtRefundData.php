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
final class DmtRefundData
{
    public function __construct(
        public readonly ?string $refundId,
        /** Rupees. */
        public readonly ?string $amount,
        /** The bank's reference; absent while it is missing. */
        public readonly ?string $rrn,
        /** Names the transfer from the first moment on; for refunds. */
        public readonly ?string $transactionId,
        public readonly ?string $status,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'refundId'),
            Read::rupees($m, 'amount'),
            Read::text($m, 'rrn'),
            Read::text($m, 'transactionId'),
            Read::text($m, 'status'),
        );
    }
}
