<?php

declare(strict_types=1);

namespace Galla;

/** Sends one HTTP request, once, follows no redirect, and repeats nothing. Tests may bring their own. */
interface Transport
{
    /**
     * @param array<string, string> $headers
     * @throws Internal\NotSent there was no connection
     * @throws Internal\NoReply the connection failed before a whole reply had come
     */
    public function send(string $method, string $url, #[\SensitiveParameter] array $headers, #[\SensitiveParameter] ?string $body): HttpReply;
}
