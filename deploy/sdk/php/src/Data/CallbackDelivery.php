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
final class CallbackDelivery
{
    public function __construct(
        public readonly ?string $operationId,
        public readonly ?string $merchantId,
        /** Whose endpoint gets it. */
        public readonly ?string $receiver,
        public readonly ?string $event,
        public readonly ?string $state,
        /** The end of the operation. */
        public readonly ?string $createdAt,
        public readonly ?int $attempts,
        /** The last attempt; absent: none. */
        public readonly ?string $triedAt,
        /** The receiver's status at the last attempt; absent: no answer. */
        public readonly ?int $http,
        /** The result of the last attempt, for people. */
        public readonly ?string $detail,
        /** The next attempt; absent: there is none. */
        public readonly ?string $nextAt,
        /** When it was delivered or given up. */
        public readonly ?string $endedAt,
        /** @var list<CallbackAttempt>|null Only of one callback: its attempts, oldest first. */
        public readonly ?array $log,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'operationId'),
            Read::text($m, 'merchantId'),
            Read::text($m, 'receiver'),
            Read::text($m, 'event'),
            Read::text($m, 'state'),
            Read::text($m, 'createdAt'),
            Read::integer($m, 'attempts'),
            Read::text($m, 'triedAt'),
            Read::integer($m, 'http'),
            Read::text($m, 'detail'),
            Read::text($m, 'nextAt'),
            Read::text($m, 'endedAt'),
            Read::objects($m, 'log', CallbackAttempt::class),
        );
    }
}
