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
final class TransferState
{
    public function __construct(
        public readonly ?string $status,
        /** The bank's reference, where it gave one. */
        public readonly ?string $rrn,
        public readonly ?string $transactionId,
        /** Rupees. */
        public readonly ?string $amount,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'status'),
            Read::text($m, 'rrn'),
            Read::text($m, 'transactionId'),
            Read::rupees($m, 'amount'),
        );
    }
}
