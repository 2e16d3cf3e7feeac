<?php

declare(strict_types=1);

namespace Galla\Internal;

/**
 * A text that no dump, export, trace or serialisation shows: it is inside of a closure.
 *
 * @internal
 */
final class Hidden
{
    private readonly \Closure $text;

    public function __construct(#[\SensitiveParameter] string $text)
    {
        $this->text = static fn (): string => $text;
    }

    public function reveal(): string
    {
        return ($this->text)();
    }

    /** @return array<string, string> */
    public function __debugInfo(): array
    {
        return ['text' => '***'];
    }
}
