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
final class EarningsReport
{
    public function __construct(
        public readonly ?string $from,
        public readonly ?string $to,
        /** @var list<string>|null */
        public readonly ?array $groupBy,
        /** @var list<Earning>|null */
        public readonly ?array $earnings,
        public readonly ?EarningTotals $totals,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'from'),
            Read::text($m, 'to'),
            Read::texts($m, 'groupBy'),
            Read::objects($m, 'earnings', Earning::class),
            Read::object($m, 'totals', EarningTotals::class),
        );
    }
}
