<?php

declare(strict_types=1);

namespace Galla\Internal;

/**
 * A call that can be sent again: the same text under the same key.
 *
 * @internal
 */
final class Prepared
{
    private readonly \Closure $fields;
    private readonly Hidden $text;

    /**
     * $target is the path, with ?query where there is one. $key is empty where the route
     * takes none. $text is the body; null: there is none.
     *
     * @param array<string, mixed> $fields
     */
    public function __construct(public readonly Route $route, public readonly string $target, public readonly string $key, #[\SensitiveParameter] array $fields, #[\SensitiveParameter] ?string $text)
    {
        $this->fields = static fn (): array => $fields;
        $this->text = new Hidden($text ?? '');
    }

    /** A field as the caller gave it; null: it gave none. */
    public function field(string $name): mixed
    {
        return ($this->fields)()[$name] ?? null;
    }

    /** The body; '' where there is none. */
    public function text(): string
    {
        return $this->text->reveal();
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['route' => (string) $this->route, 'key' => $this->key];
    }
}
