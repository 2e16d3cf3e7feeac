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
final class Vendor
{
    public function __construct(
        public readonly ?string $id,
        public readonly ?string $legal_name,
        public readonly ?bool $status,
        /** Absent where none is assigned. */
        public readonly ?string $aggregatorId,
        /**
         * @var list<VendorMerchant>|null The first 50 that are not pending; GET /vendor/merchants pages through
         * all of them.
         */
        public readonly ?array $merchants,
        /** How many there are. */
        public readonly ?int $merchantCount,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'id'),
            Read::text($m, 'legal_name'),
            Read::boolean($m, 'status'),
            Read::text($m, 'aggregatorId'),
            Read::objects($m, 'merchants', VendorMerchant::class),
            Read::integer($m, 'merchantCount'),
        );
    }
}
