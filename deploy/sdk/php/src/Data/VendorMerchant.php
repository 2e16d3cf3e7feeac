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
final class VendorMerchant
{
    public function __construct(
        public readonly ?string $id,
        /** The merchant at the bank network. */
        public readonly ?string $mid,
        public readonly ?string $appid,
        public readonly ?string $legal_name,
        public readonly ?string $mstatus,
        public readonly ?bool $status,
        public readonly ?int $riskflag,
        public readonly ?string $createdAt,
        public readonly ?SettlementAccount $settlementAccount,
        public readonly ?Callback $callback,
        /** @var list<RecentTransaction>|null The newest, at most ten. */
        public readonly ?array $transactions,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::text($m, 'mid'),
            Read::text($m, 'appid'),
            Read::text($m, 'legal_name'),
            Read::text($m, 'mstatus'),
            Read::boolean($m, 'status'),
            Read::integer($m, 'riskflag'),
            Read::text($m, 'createdAt'),
            Read::object($m, 'settlementAccount', SettlementAccount::class),
            Read::object($m, 'callback', Callback::class),
            Read::objects($m, 'transactions', RecentTransaction::class),
        );
    }
}
