<?php

declare(strict_types=1);

namespace Galla\Internal;

/**
 * Members of replies by their types. What is absent or of another type is null: an archived
 * reply has lost most of its fields.
 *
 * @internal
 */
final class Read
{
    /** @param array<string, mixed> $m */
    public static function text(array $m, string $name): ?string
    {
        return is_string($m[$name] ?? null) ? $m[$name] : null;
    }

    /** @param array<string, mixed> $m */
    public static function integer(array $m, string $name): ?int
    {
        return is_int($m[$name] ?? null) ? $m[$name] : null;
    }

    /** @param array<string, mixed> $m */
    public static function boolean(array $m, string $name): ?bool
    {
        return is_bool($m[$name] ?? null) ? $m[$name] : null;
    }

    /** Rupees with two decimals. @param array<string, mixed> $m */
    public static function rupees(array $m, string $name): ?string
    {
        $value = $m[$name] ?? null;
        return is_int($value) ? "$value.00" : (is_float($value) ? number_format($value, 2, '.', '') : null);
    }

    /** A number with at most six decimals. @param array<string, mixed> $m */
    public static function number(array $m, string $name): ?string
    {
        $value = $m[$name] ?? null;
        return is_int($value) ? (string) $value : (is_float($value) ? rtrim(rtrim(number_format($value, 6, '.', ''), '0'), '.') : null);
    }

    /**
     * @template T of object
     * @param array<string, mixed> $m
     * @param class-string<T> $class
     * @return T|null
     */
    public static function object(array $m, string $name, string $class): ?object
    {
        return is_array($m[$name] ?? null) ? $class::from($m[$name]) : null;
    }

    /**
     * @template T of object
     * @param array<string, mixed> $m
     * @param class-string<T> $class
     * @return list<T>|null
     */
    public static function objects(array $m, string $name, string $class): ?array
    {
        return is_array($m[$name] ?? null) ? self::all($m[$name], $class) : null;
    }

    /**
     * @template T of object
     * @param array<mixed> $list
     * @param class-string<T> $class
     * @return list<T>
     */
    public static function all(array $list, string $class): array
    {
        return array_map(static fn (array $one): object => $class::from($one), array_values(array_filter($list, 'is_array')));
    }

    /**
     * @param array<string, mixed> $m
     * @return list<string>|null
     */
    public static function texts(array $m, string $name): ?array
    {
        return is_array($m[$name] ?? null) ? array_values(array_filter($m[$name], 'is_string')) : null;
    }
}
