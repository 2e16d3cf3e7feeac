<?php

declare(strict_types=1);

namespace Galla\Internal;

use Galla\Decimal;

/**
 * JSON with exact numbers: rupees are int or Decimal, and never float.
 *
 * @internal
 */
final class Json
{
    private const MAX_DEPTH = 64;

    /**
     * Writes an object. Members that are null are left out. Errors never quote a value.
     *
     * @param array<string, mixed> $members
     */
    public static function object(#[\SensitiveParameter] array $members): string
    {
        $parts = [];
        foreach ($members as $name => $value) {
            if ($value !== null) {
                $parts[] = self::text((string) $name) . ':' . self::value($value, (string) $name);
            }
        }
        return '{' . implode(',', $parts) . '}';
    }

    private static function value(#[\SensitiveParameter] mixed $value, string $name): string
    {
        return match (true) {
            is_string($value) => self::text($value, $name),
            is_int($value), $value instanceof Decimal => (string) $value,
            is_bool($value) => $value ? 'true' : 'false',
            is_array($value) && array_is_list($value) => '[' . implode(',', array_map(static fn ($one) => self::value($one, $name), $value)) . ']',
            is_array($value) => self::object($value),
            default => throw new \InvalidArgumentException("$name is a " . get_debug_type($value) . ': use string, bool, int, or Decimal for rupees'),
        };
    }

    private static function text(#[\SensitiveParameter] string $text, string $name = 'a name'): string
    {
        $json = json_encode($text, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        return $json === false ? throw new \InvalidArgumentException("$name is not UTF-8") : $json;
    }

    /**
     * Reads an object, or gives null.
     *
     * @return array<string, mixed>|null
     */
    public static function read(#[\SensitiveParameter] string $text): ?array
    {
        $members = json_decode($text, true, self::MAX_DEPTH);
        return is_array($members) && str_starts_with(ltrim($text), '{') ? $members : null;
    }
}
