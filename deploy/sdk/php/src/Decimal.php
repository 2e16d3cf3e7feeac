<?php

declare(strict_types=1);

namespace Galla;

/**
 * A number of a request, written as it is: rupees with at most two decimals, such as
 * '500.50'. The methods of the routes take int or string and make it by themselves; it is
 * needed in the body of Client::call only. A float is no exact amount.
 */
final class Decimal implements \Stringable
{
    public function __construct(private readonly string $text)
    {
        if (!preg_match('/\A-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?\z/', $text)) {
            throw new \InvalidArgumentException('a number is written with digits and a decimal point, such as 500.50');
        }
    }

    /** @internal */
    public static function of(int|string|null $value, string $name): ?self
    {
        try {
            return $value === null ? null : new self((string) $value);
        } catch (\InvalidArgumentException $e) {
            throw new \InvalidArgumentException("$name: {$e->getMessage()}");
        }
    }

    public function __toString(): string
    {
        return $this->text;
    }
}
