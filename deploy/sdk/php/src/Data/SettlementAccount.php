<?php

// Written by deploy/sdk/generate from the OpenAPI document; do not edit.

declare(strict_types=1);

namespace Galla\Data;

use Galla\Internal\Read;

/**
 * Present if configured.
 *
 * What a reply has not is null.
 */
final class SettlementAccount
{
    public function __construct(
        /** The last four digits are shown. */
        public readonly ?string $accountNumber,
        public readonly ?string $ifsc,
        public readonly ?string $bankName,
        public readonly ?string $holder,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'accountNumber'),
            Read::text($m, 'ifsc'),
            Read::text($m, 'bankName'),
            Read::text($m, 'holder'),
        );
    }
}
