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
final class OTPRequest
{
    /** @param array<string, mixed> $more members that this class does not know */
    public function __construct(
        /** Names the OTP, for validate_otp. */
        public readonly ?string $otpreqid,
        public readonly array $more,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'otpreqid'),
            array_diff_key($m, ['otpreqid' => 1]),
        );
    }
}
