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
final class QRCode
{
    public function __construct(
        public readonly ?string $type,
        /** An NPCI UPI link. */
        public readonly ?string $upiLink,
        /** A QR code of the link, as a PNG. */
        public readonly ?string $image,
        public readonly ?string $order_id,
        /** Rupees; 0 in a static code. */
        public readonly ?string $amount,
        /** The UPI address that is paid. */
        public readonly ?string $vpa,
        public readonly ?string $payeeName,
    ) {
    }

    /** @param array<string, mixed> $m */
    public static function from(#[\SensitiveParameter] array $m): self
    {
        return new self(
            Read::text($m, 'type'),
            Read::text($m, 'upiLink'),
            Read::text($m, 'image'),
            Read::text($m, 'order_id'),
            Read::rupees($m, 'amount'),
            Read::text($m, 'vpa'),
            Read::text($m, 'payeeName'),
        );
    }
}
