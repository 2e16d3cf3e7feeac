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
final class Pagination
{
    public function __construct(
        public readonly ?int $page,
        public readonly ?int $limit,
        public readonly ?int $total,
        public readonly ?int $totalPages,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::integer($m, 'page'),
            Read::integer($m, 'limit'),
            Read::integer($m, 'total'),
            Read::integer($m, 'totalPages'),
        );
    }
}
