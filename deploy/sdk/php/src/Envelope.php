<?php

declare(strict_types=1);

namespace Galla;

use SensitiveParameter;

/**
 * The gateway's sealed message, version 1: AES-256-GCM, and a checksum over the rest.
 *
 * GatewayClient does all of this by itself. The functions are here for programs that
 * bring an HTTP client of their own, and for tests against the vectors. A message is an
 * array with client_id (of a request), request_id, timestamp, iv, tag, payload, checksum.
 */
final class Envelope
{
    private const CIPHER = 'aes-256-gcm';
    private const IV_BYTES = 12;
    private const TAG_BYTES = 16;

    /** Decodes base64 as the gateway does: padded, standard alphabet, one way to write it. */
    public static function fromBase64(#[SensitiveParameter] string $text, string $name): string
    {
        $bytes = base64_decode($text, true); // skips white space even when strict, so compare
        if ($bytes === false || base64_encode($bytes) !== $text) {
            throw new EnvelopeError("$name is not padded base64 of the standard alphabet");
        }
        return $bytes;
    }

    /** Reads a vendor's key: 64 hex or 44 base64 characters, 32 bytes. */
    public static function parseKey(#[SensitiveParameter] string $text): string
    {
        if (preg_match('/\A[0-9a-fA-F]{64}\z/', $text)) {
            return (string) hex2bin($text);
        }
        if (strlen($text) === 44) {
            $key = self::fromBase64($text, 'the key');
            if (strlen($key) === 32) {
                return $key;
            }
        }
        throw new EnvelopeError('a key is 32 bytes: 64 hex or 44 base64 characters'); // never print the key itself
    }

    /**
     * The HMAC over lines joined by \n, in lower-case hex.
     *
     * @param list<string> $lines
     */
    public static function checksum(#[SensitiveParameter] string $key, array $lines): string
    {
        $checksumKey = hash_hmac('sha256', 'galla/gateway/checksum/v1', $key, true);
        return hash_hmac('sha256', implode("\n", $lines), $checksumKey);
    }

    /**
     * What the checksum of a request covers.
     *
     * @param array<string, string> $m
     * @return list<string>
     */
    public static function requestLines(string $method, string $path, array $m): array
    {
        return ['galla-v1', $method, $path, $m['client_id'], $m['timestamp'], $m['request_id'], $m['iv'], $m['tag'], $m['payload']];
    }

    /**
     * What the checksum of a reply covers.
     *
     * @param array<string, string> $m
     * @return list<string>
     */
    public static function replyLines(int $status, array $m): array
    {
        return ['galla-v1-response', (string) $status, $m['request_id'], $m['timestamp'], $m['iv'], $m['tag'], $m['payload']];
    }

    /**
     * AES-256-GCM. The tag travels in its own header: it is not part of the payload.
     *
     * @return array<string, string>
     */
    public static function encrypt(#[SensitiveParameter] string $key, string $iv, #[SensitiveParameter] string $plain): array
    {
        $sealed = openssl_encrypt($plain, self::CIPHER, $key, OPENSSL_RAW_DATA, $iv, $tag, '', self::TAG_BYTES);
        if ($sealed === false) {
            throw new EnvelopeError('openssl could not encrypt');
        }
        return ['iv' => base64_encode($iv), 'tag' => base64_encode($tag), 'payload' => base64_encode($sealed)];
    }

    /**
     * Opens a payload.
     *
     * @param array<string, string> $m
     */
    public static function decrypt(#[SensitiveParameter] string $key, array $m): string
    {
        $iv = self::fromBase64($m['iv'], 'X-IV');
        $tag = self::fromBase64($m['tag'], 'X-Tag');
        // openssl takes tags of 4 bytes; a short tag is a weak one.
        if (strlen($iv) !== self::IV_BYTES || strlen($tag) !== self::TAG_BYTES) {
            throw new EnvelopeError('X-IV must have 12 bytes and X-Tag 16');
        }
        $plain = openssl_decrypt(self::fromBase64($m['payload'], 'payload'), self::CIPHER, $key, OPENSSL_RAW_DATA, $iv, $tag);
        if ($plain === false) {
            throw new EnvelopeError('the payload does not decrypt');
        }
        return $plain;
    }

    /**
     * Seals one request. $json is the text of a JSON object: it is sealed as it is,
     * so write it once and keep it for a retry. The IV must be new for every
     * message, and so must the timestamp; the request id stays for a retry.
     *
     * @return array<string, string>
     */
    public static function sealRequest(#[SensitiveParameter] string $key, string $method, string $path, string $clientId, string $requestId, #[SensitiveParameter] string $json, ?string $timestamp = null, ?string $iv = null): array
    {
        $m = ['client_id' => $clientId, 'request_id' => $requestId, 'timestamp' => $timestamp ?? (string) (int) (microtime(true) * 1000)];
        $m += self::encrypt($key, $iv ?? random_bytes(self::IV_BYTES), $json);
        $m['checksum'] = self::checksum($key, self::requestLines($method, $path, $m));
        return $m;
    }

    /**
     * Opens one reply, or throws where it is not genuine. Nothing is decrypted before the checksum is right.
     *
     * @param array<string, string> $m
     */
    public static function openReply(#[SensitiveParameter] string $key, int $status, array $m): string
    {
        if (!hash_equals(self::checksum($key, self::replyLines($status, $m)), $m['checksum'])) {
            throw new EnvelopeError('the checksum is wrong');
        }
        return self::decrypt($key, $m);
    }
}
