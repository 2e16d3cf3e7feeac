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
final class FinishedOperation
{
    public function __construct(
        /** The operation, as GET /operations/{id} takes it. */
        public readonly ?string $id,
        /** The merchant of the operation. */
        public readonly ?string $merchantId,
        /** The request that created it, such as POST /aeps/withdrawal. */
        public readonly ?string $route,
        /** Our reference, GL… */
        public readonly ?string $reference,
        /** The reference of the pending reply, AEPS-NR-… or DMT-NR-… */
        public readonly ?string $pendingReference,
        /** Your own reference in the body: clientRefId or refId. */
        public readonly ?string $callerReference,
        /** The Idempotency-Key of the request, if it had one and was the receiver's own. */
        public readonly ?string $idempotencyKey,
        /** Rupees, as a text with two decimals. */
        public readonly ?string $amount,
        /** SUCCESS, FAILED or REVERSED. */
        public readonly ?string $txnStatus,
        /** The bank's code; 00 if and only if it succeeded. */
        public readonly ?string $ResponseCode,
        /** The bank's retrieval reference number. */
        public readonly ?string $RRN,
        /** When the operation ended, ISO 8601 in UTC. */
        public readonly ?string $finishedAt,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::text($m, 'merchantId'),
            Read::text($m, 'route'),
            Read::text($m, 'reference'),
            Read::text($m, 'pendingReference'),
            Read::text($m, 'callerReference'),
            Read::text($m, 'idempotencyKey'),
            Read::text($m, 'amount'),
            Read::text($m, 'txnStatus'),
            Read::text($m, 'ResponseCode'),
            Read::text($m, 'RRN'),
            Read::text($m, 'finishedAt'),
        );
    }
}
