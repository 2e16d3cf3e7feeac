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
final class CallbackAttempt
{
    public function __construct(
        public readonly ?int $number,
        public readonly ?string $at,
        public readonly ?int $http,
        public readonly ?string $detail,
        public readonly ?string $result,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::integer($m, 'number'),
            Read::text($m, 'at'),
            Read::integer($m, 'http'),
            Read::text($m, 'detail'),
            Read::text($m, 'result'),
        );
    }
}
