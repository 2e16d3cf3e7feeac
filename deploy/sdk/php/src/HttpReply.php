<?php

declare(strict_types=1);

namespace Galla;

/** A reply as it came. Names of headers are in lower case. */
final class HttpReply
{
    /** @param array<string, string> $headers */
    public function __construct(public readonly int $status, public readonly array $headers, #[\SensitiveParameter] public readonly string $body)
    {
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['status' => $this->status];
    }
}
