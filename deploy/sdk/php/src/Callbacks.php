<?php

declare(strict_types=1);

namespace Galla;

use Galla\Data\FinishedOperation;
use Galla\Internal\Json;

/** Verification of callbacks (Standard Webhooks). */
final class Callbacks
{
    private const PREFIX = 'whsec_';

    /**
     * Checks a callback and reads it.
     *
     * @param string $body what came, byte for byte (php://input): not JSON that was read and written again
     * @param array<string, string> $headers by name in any case, such as getallheaders() gives
     * @param string|list<string> $secrets the whsec_ secret, or both while it is being changed
     * @param int $tolerance how many seconds the callback's time may be off
     * @param int|null $now Unix time, for tests
     * @throws CallbackError where it is not genuine
     */
    public static function verify(string $body, array $headers, #[\SensitiveParameter] string|array $secrets, int $tolerance = 300, ?int $now = null): CallbackEvent
    {
        $keys = array_map(self::parseSecret(...), (array) $secrets);
        if ($keys === []) {
            throw new \InvalidArgumentException('secrets: at least one is needed');
        }
        $headers = array_change_key_case($headers);
        [$id, $timestamp, $signatures] = array_map(static fn (string $name): string => self::header($headers, "webhook-$name"), ['id', 'timestamp', 'signature']);
        if (!preg_match('/\A[0-9]{1,12}\z/', $timestamp)) {
            throw new CallbackError('bad-timestamp', 'webhook-timestamp is not a number of seconds');
        }
        $good = false;
        foreach ($keys as $key) {
            $wanted = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
            foreach (explode(' ', $signatures) as $given) {
                $good = hash_equals($wanted, $given) || $good;
            }
        }
        if (!$good) {
            throw new CallbackError('bad-signature', 'no signature was made with a secret of this endpoint');
        }
        if (abs(($now ?? time()) - (int) $timestamp) > $tolerance) {
            throw new CallbackError('too-old', "webhook-timestamp is more than $tolerance seconds off: look at this machine's clock, or somebody plays an old callback again");
        }
        $event = Json::read($body);
        if (!is_string($event['type'] ?? null) || !is_string($event['timestamp'] ?? null) || !is_array($event['data'] ?? null)) {
            throw new CallbackError('bad-body', 'the body is no event: one JSON object with type, timestamp and data');
        }
        return new CallbackEvent($id, $event['type'], $event['timestamp'], FinishedOperation::from($event['data']));
    }

    /** @param array<string, mixed> $headers */
    private static function header(array $headers, string $name): string
    {
        $value = $headers[$name] ?? null;
        if (!is_string($value) || $value === '') {
            throw new CallbackError('missing-header', "$name is missing, or stands there twice");
        }
        return $value;
    }

    private static function parseSecret(#[\SensitiveParameter] string $text): string
    {
        $coded = substr($text, strlen(self::PREFIX));
        $key = base64_decode($coded, true);
        if (!str_starts_with($text, self::PREFIX) || $key === false || base64_encode($key) !== $coded || strlen($key) < 24 || strlen($key) > 64) {
            throw new \InvalidArgumentException("a callback's secret is whsec_ and the base64 of 24 to 64 bytes"); // never print the secret itself
        }
        return $key;
    }
}
