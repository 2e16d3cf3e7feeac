<?php

declare(strict_types=1);

namespace Galla;

/** One wrong field: its name, a word for programs, and words for people. */
final class FieldError
{
    public function __construct(public readonly string $field, public readonly string $rule, public readonly string $message)
    {
    }
}
