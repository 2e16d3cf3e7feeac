<?php

declare(strict_types=1);

namespace Galla\Internal;

use Galla\RouteTable;

/**
 * One route of the interface, as the OpenAPI document describes it.
 *
 * @internal
 */
final class Route
{
    /**
     * @param list<string> $inPath
     * @param list<string> $inQuery
     * @param list<string> $inBody
     * @param class-string|null $data
     */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        public readonly string $kind = '',
        public readonly bool $identity = false,
        public readonly bool $gateway = false,
        public readonly bool $open = false,
        public readonly bool $bare = false,
        public readonly bool $aeps = false,
        public readonly bool $transfer = false,
        public readonly array $inPath = [],
        public readonly array $inQuery = [],
        public readonly array $inBody = [],
        public readonly ?string $data = null,
        public readonly bool $list = false,
    ) {
    }

    /** The route of a path, which may have a query; null where the interface has none. */
    public static function find(string $method, string $path): ?self
    {
        $parts = explode('/', explode('?', $path, 2)[0]);
        foreach (RouteTable::ROUTES as $row) {
            $names = explode('/', $row['path']);
            if ($row['method'] !== $method || count($names) !== count($parts)) {
                continue;
            }
            foreach ($names as $i => $name) {
                if ($name !== $parts[$i] && !(str_starts_with($name, '{') && $parts[$i] !== '')) {
                    continue 2;
                }
            }
            return new self(...$row);
        }
        return null;
    }

    /** Whether a request that may have arrived can be sent again. */
    public function repeatable(): bool
    {
        return $this->identity || $this->method === 'GET' || in_array($this->kind, ['enquiry', 'reference'], true);
    }

    /** How a pending operation is asked after: 'aeps', 'transfer', or '' for a repeat. */
    public function requery(): string
    {
        if ($this->identity && in_array('clientRefId', $this->inBody, true)) {
            return 'aeps';
        }
        return $this->path === '/dmt/txn/v1/transaction/instant' ? 'transfer' : '';
    }

    /** Whether a vendor names a merchant. */
    public function takesMerchant(): bool
    {
        return in_array('merchantId', [...$this->inBody, ...$this->inQuery], true);
    }

    /**
     * The path with its fields, escaped.
     *
     * @param array<string, mixed> $fields
     */
    public function fill(array $fields): string
    {
        $path = $this->path;
        foreach ($this->inPath as $name) {
            $value = $fields[$name] ?? null;
            if (!is_string($value) || in_array($value, ['', '.', '..'], true)) {
                throw new \InvalidArgumentException("$name must be a string that is not empty: it is a part of the path");
            }
            $path = str_replace('{' . $name . '}', rawurlencode($value), $path);
        }
        return $path;
    }

    public function __toString(): string
    {
        return "{$this->method} {$this->path}";
    }
}
