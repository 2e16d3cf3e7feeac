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
final class Customer
{
    /** @param array<string, mixed> $more members that this class does not know */
    public function __construct(
        public readonly ?string $referenceid,
        public readonly ?string $name,
        public readonly ?string $mobile_no,
        public readonly ?string $email_id,
        public readonly ?string $city,
        public readonly ?string $state,
        public readonly ?bool $kyc_verified,
        /** Only the last four digits. */
        public readonly ?string $aadhaar_masked,
        public readonly array $more,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'referenceid'),
            Read::text($m, 'name'),
            Read::text($m, 'mobile_no'),
            Read::text($m, 'email_id'),
            Read::text($m, 'city'),
            Read::text($m, 'state'),
            Read::boolean($m, 'kyc_verified'),
            Read::text($m, 'aadhaar_masked'),
            array_diff_key($m, ['referenceid' => 1, 'name' => 1, 'mobile_no' => 1, 'email_id' => 1, 'city' => 1, 'state' => 1, 'kyc_verified' => 1, 'aadhaar_masked' => 1]),
        );
    }
}
