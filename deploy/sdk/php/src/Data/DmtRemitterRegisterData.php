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
final class DmtRemitterRegisterData
{
    /** @param array<string, mixed> $more members that this class does not know */
    public function __construct(
        public readonly ?string $senderid,
        /** Rupees. */
        public readonly ?string $registrationFeeCharged,
        public readonly array $more,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'senderid'),
            Read::rupees($m, 'registrationFeeCharged'),
            array_diff_key($m, ['senderid' => 1, 'registrationFeeCharged' => 1]),
        );
    }
}
