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
final class AepsRequeryData
{
    public function __construct(
        /** 00: approved. Anything else: not. */
        public readonly ?string $ResponseCode,
        /** The bank's words. */
        public readonly ?string $ResponseStatus,
        /** System trace number. */
        public readonly ?string $STAN,
        /** Rupees after the withdrawal, two decimals; where the bank gave it. */
        public readonly ?string $Balance,
        /** Our name for the transaction. */
        public readonly ?string $RetailerReferenceNumber,
        /** The bank's retrieval reference number; of every success. */
        public readonly ?string $ReferenceNo,
        /** The issuer's approval code; of every success. */
        public readonly ?string $AuthCode,
        /** Masked: only the last four digits. */
        public readonly ?string $AadharNo,
        public readonly ?string $txnStatus,
        /**
         * One string; one line for each transaction and no other line, separated by newlines. Banks send as many
         * as they like: do not read it by position.
         */
        public readonly ?string $Ministatement,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'ResponseCode'),
            Read::text($m, 'ResponseStatus'),
            Read::text($m, 'STAN'),
            Read::text($m, 'Balance'),
            Read::text($m, 'RetailerReferenceNumber'),
            Read::text($m, 'ReferenceNo'),
            Read::text($m, 'AuthCode'),
            Read::text($m, 'AadharNo'),
            Read::text($m, 'txnStatus'),
            Read::text($m, 'Ministatement'),
        );
    }
}
