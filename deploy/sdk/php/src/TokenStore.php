<?php

declare(strict_types=1);

namespace Galla;

/**
 * Keeps an access token between the requests of a web server, where every request starts
 * anew. A token opens everything for some minutes: keep it in memory (APCu, Redis), readable
 * by your program alone.
 */
interface TokenStore
{
    /** The kept token, or null. @return array{token: string, renewAt: int}|null */
    public function load(): ?array;

    /** Keeps a token until the Unix time at which it is to be renewed; '' forgets it. */
    public function save(#[\SensitiveParameter] string $token, int $renewAt): void;
}
