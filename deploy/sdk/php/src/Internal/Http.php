<?php

declare(strict_types=1);

namespace Galla\Internal;

use Galla\HttpReply;
use Galla\Transport;

/**
 * HTTP by curl.
 *
 * @internal
 */
final class Http implements Transport
{
    private const MAX_REPLY_BYTES = 4 << 20;
    private const MAX_CSV_BYTES = 64 << 20;
    /** Errors of curl before anything was sent: no name, no connection, no TLS. */
    private const BEFORE_SENDING = [CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_PEER_CERTIFICATE];

    private readonly \CurlHandle $curl;

    /** $fresh: a connection for each request, since curl repeats a request by itself when a kept one is dead. */
    public function __construct(private readonly float $timeout, private readonly bool $fresh)
    {
        $this->curl = curl_init();
    }

    public function send(string $method, string $url, #[\SensitiveParameter] array $headers, #[\SensitiveParameter] ?string $body): HttpReply
    {
        $text = '';
        $found = [];
        $lines = ['Expect:', 'Accept:']; // curl's own, left out
        foreach ($headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        curl_reset($this->curl);
        curl_setopt_array($this->curl, [
            CURLOPT_URL => $url, CURLOPT_CUSTOMREQUEST => $method, CURLOPT_HTTPHEADER => $lines, CURLOPT_PATH_AS_IS => true,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS, CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_TIMEOUT_MS => (int) ($this->timeout * 1000), CURLOPT_CONNECTTIMEOUT_MS => (int) (min($this->timeout, 10.0) * 1000),
            CURLOPT_FRESH_CONNECT => $this->fresh, CURLOPT_FORBID_REUSE => $this->fresh, CURLOPT_NOSIGNAL => true,
            CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use (&$found): int {
                if (str_starts_with($line, 'HTTP/')) {
                    $found = []; // an interim reply (100) is forgotten
                } elseif (str_contains($line, ':')) {
                    [$name, $value] = explode(':', $line, 2);
                    $found[strtolower(trim($name))] = trim($value);
                }
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function ($curl, string $part) use (&$text, &$found): int {
                $text .= $part;
                $limit = str_starts_with($found['content-type'] ?? '', 'text/csv') ? self::MAX_CSV_BYTES : self::MAX_REPLY_BYTES;
                return strlen($text) > $limit ? 0 : strlen($part);
            },
        ]);
        if ($body !== null) {
            curl_setopt($this->curl, CURLOPT_POSTFIELDS, $body);
        }
        curl_exec($this->curl);
        $this->check();
        return new HttpReply((int) curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE), $found, $text);
    }

    private function check(): void
    {
        $error = curl_errno($this->curl);
        if ($error === CURLE_OK) {
            return;
        }
        $why = curl_strerror($error) ?? "error $error of curl"; // curl_error can hold bytes of the reply
        // A time-out before the connection stands, too.
        if (in_array($error, self::BEFORE_SENDING, true) || $error === CURLE_OPERATION_TIMEDOUT && curl_getinfo($this->curl, CURLINFO_PRETRANSFER_TIME) == 0) {
            throw new NotSent("no connection ($why)");
        }
        throw new NoReply("no reply ($why)");
    }
}
