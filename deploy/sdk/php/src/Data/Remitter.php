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
final class Remitter
{
    /** @param array<string, mixed> $more members that this class does not know */
    public function __construct(
        public readonly ?string $senderId,
        public readonly ?bool $status,
        public readonly ?bool $remitter,
        public readonly ?int $TransactionDone,
        /** Rupees that can be sent now. */
        public readonly ?string $AviableLimit,
        /** The day's ceiling in rupees. */
        public readonly ?string $AviabledayLimit,
        /** The month's ceiling in rupees. */
        public readonly ?string $monthLimit,
        /** Rupees that are left of the month's ceiling. */
        public readonly ?string $AviableMonthLimit,
        /** @var list<Beneficiary>|null */
        public readonly ?array $beneficiarydetail,
        public readonly array $more,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'senderId'),
            Read::boolean($m, 'status'),
            Read::boolean($m, 'remitter'),
            Read::integer($m, 'TransactionDone'),
            Read::rupees($m, 'AviableLimit'),
            Read::rupees($m, 'AviabledayLimit'),
            Read::rupees($m, 'monthLimit'),
            Read::rupees($m, 'AviableMonthLimit'),
            Read::objects($m, 'beneficiarydetail', Beneficiary::class),
            array_diff_key($m, ['senderId' => 1, 'status' => 1, 'remitter' => 1, 'TransactionDone' => 1, 'AviableLimit' => 1, 'AviabledayLimit' => 1, 'monthLimit' => 1, 'AviableMonthLimit' => 1, 'beneficiarydetail' => 1]),
        );
    }
}
