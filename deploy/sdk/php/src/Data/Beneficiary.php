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
final class Beneficiary
{
    /** @param array<string, mixed> $more members that this class does not know */
    public function __construct(
        public readonly ?int $beneficiaryid,
        public readonly ?string $beneficiaryname,
        public readonly ?int $beneficiarymobilenumber,
        public readonly ?string $beneficiaryemailid,
        public readonly ?string $bank,
        public readonly ?string $state,
        public readonly ?string $city,
        public readonly ?string $branch,
        public readonly ?string $address,
        public readonly ?string $ifscode,
        /** Leading zeros are lost in it: see accountnumberText. */
        public readonly ?int $accountnumber,
        /** The account number with its leading zeros. */
        public readonly ?string $accountnumberText,
        /** 1 usable, 0 awaiting verification, 2 blocked. */
        public readonly ?int $beneficiarystatus,
        public readonly ?int $impsstatus,
        public readonly array $more,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::integer($m, 'beneficiaryid'),
            Read::text($m, 'beneficiaryname'),
            Read::integer($m, 'beneficiarymobilenumber'),
            Read::text($m, 'beneficiaryemailid'),
            Read::text($m, 'bank'),
            Read::text($m, 'state'),
            Read::text($m, 'city'),
            Read::text($m, 'branch'),
            Read::text($m, 'address'),
            Read::text($m, 'ifscode'),
            Read::integer($m, 'accountnumber'),
            Read::text($m, 'accountnumberText'),
            Read::integer($m, 'beneficiarystatus'),
            Read::integer($m, 'impsstatus'),
            array_diff_key($m, ['beneficiaryid' => 1, 'beneficiaryname' => 1, 'beneficiarymobilenumber' => 1, 'beneficiaryemailid' => 1, 'bank' => 1, 'state' => 1, 'city' => 1, 'branch' => 1, 'address' => 1, 'ifscode' => 1, 'accountnumber' => 1, 'accountnumberText' => 1, 'beneficiarystatus' => 1, 'impsstatus' => 1]),
        );
    }
}
