<?php
// A request through Galla's gateway, in PHP, only with ext-openssl.
//
//   GALLA_GATEWAY=http://127.0.0.1:7100 GALLA_CLIENT_ID=… GALLA_KEY=… \
//     php galla.php call POST /aeps/balance < body.json
//   php galla.php vectors gateway.json
//
// The route is the direct one; /process is added here. The body is a JSON
// object, from the last argument or (better, since arguments can be read by
// every user of a machine) from standard input; none means {}. The key is 64
// hex or 44 base64 characters, and comes from the environment only.
// GALLA_REQUEST_ID repeats an earlier request: same id, same body.
//
// Copy the functions from parse_key to open_reply into your program. They need
// PHP 8.1 or newer.

declare(strict_types=1);

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MAX_AGE_MS = 300_000; // of a message, against this machine's clock
const MAX_REPLY_BYTES = 4 << 20;
const TIMEOUT_S = 60; // the gateway answers "pending" long before

/** Decodes base64 as the gateway does: padded, standard alphabet, one way to write it. */
function from_base64(string $text, string $name): string
{
    $bytes = base64_decode($text, true); // skips white space even when strict, so compare
    if ($bytes === false || base64_encode($bytes) !== $text) {
        throw new RuntimeException("$name is not padded base64 of the standard alphabet");
    }
    return $bytes;
}

/** Reads a vendor's key: 64 hex or 44 base64 characters, 32 bytes. */
function parse_key(#[SensitiveParameter] string $text): string
{
    if (preg_match('/\A[0-9a-fA-F]{64}\z/', $text)) {
        return hex2bin($text);
    }
    if (strlen($text) === 44) {
        $key = from_base64($text, 'the key');
        if (strlen($key) === 32) {
            return $key;
        }
    }
    throw new RuntimeException('a key is 32 bytes: 64 hex or 44 base64 characters'); // never print the key itself
}

/** The HMAC over lines joined by \n, in lower-case hex. */
function checksum(#[SensitiveParameter] string $key, array $lines): string
{
    $checksumKey = hash_hmac('sha256', 'galla/gateway/checksum/v1', $key, true);
    return hash_hmac('sha256', implode("\n", $lines), $checksumKey);
}

function request_lines(string $method, string $path, array $m): array
{
    return ['galla-v1', $method, $path, $m['client_id'], $m['timestamp'], $m['request_id'], $m['iv'], $m['tag'], $m['payload']];
}

function reply_lines(int $status, array $m): array
{
    return ['galla-v1-response', (string) $status, $m['request_id'], $m['timestamp'], $m['iv'], $m['tag'], $m['payload']];
}

/** AES-256-GCM. The tag travels in its own header: it is not part of the payload. */
function encrypt(#[SensitiveParameter] string $key, string $iv, #[SensitiveParameter] string $plain): array
{
    $sealed = openssl_encrypt($plain, CIPHER, $key, OPENSSL_RAW_DATA, $iv, $tag, '', TAG_BYTES);
    if ($sealed === false) {
        throw new RuntimeException('openssl could not encrypt');
    }
    return ['iv' => base64_encode($iv), 'tag' => base64_encode($tag), 'payload' => base64_encode($sealed)];
}

function decrypt(#[SensitiveParameter] string $key, array $m): string
{
    $iv = from_base64($m['iv'], 'X-IV');
    $tag = from_base64($m['tag'], 'X-Tag');
    // openssl takes tags of 4 bytes; a short tag is a weak one.
    if (strlen($iv) !== IV_BYTES || strlen($tag) !== TAG_BYTES) {
        throw new RuntimeException('X-IV must have 12 bytes and X-Tag 16');
    }
    $plain = openssl_decrypt(from_base64($m['payload'], 'payload'), CIPHER, $key, OPENSSL_RAW_DATA, $iv, $tag);
    if ($plain === false) {
        throw new RuntimeException('the payload does not decrypt');
    }
    return $plain;
}

/**
 * Seals one request. $json is the text of a JSON object: it is sealed as it is,
 * so write it once and keep it for a retry. The IV must be new for every
 * message, and so must the timestamp; the request id stays for a retry.
 */
function seal_request(#[SensitiveParameter] string $key, string $method, string $path, string $clientId, string $requestId, #[SensitiveParameter] string $json, ?string $timestamp = null, ?string $iv = null): array
{
    $m = ['client_id' => $clientId, 'request_id' => $requestId, 'timestamp' => $timestamp ?? (string) (int) (microtime(true) * 1000)];
    $m += encrypt($key, $iv ?? random_bytes(IV_BYTES), $json);
    $m['checksum'] = checksum($key, request_lines($method, $path, $m));
    return $m;
}

/** Opens one reply, or throws where it is not genuine. Nothing is decrypted before the checksum is right. */
function open_reply(#[SensitiveParameter] string $key, int $status, array $m): string
{
    if (!hash_equals(checksum($key, reply_lines($status, $m)), $m['checksum'])) {
        throw new RuntimeException('the checksum is wrong');
    }
    return decrypt($key, $m);
}

/** Sends one message. Gives the status, the headers by lower-case name, and the body. */
function send(string $base, string $method, string $path, array $m): array
{
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => [
            'Content-Type: application/json', 'Connection: close',
            'X-Client-Id: ' . $m['client_id'], 'X-Timestamp: ' . $m['timestamp'], 'X-Request-Id: ' . $m['request_id'],
            'X-IV: ' . $m['iv'], 'X-Tag: ' . $m['tag'], 'X-Checksum: ' . $m['checksum'],
        ],
        'content' => json_encode(['payload' => $m['payload']], JSON_UNESCAPED_SLASHES),
        'timeout' => TIMEOUT_S,
        'ignore_errors' => true, // refusals have sealed bodies, too
        'follow_location' => 0, // the checksum covers one path
        'protocol_version' => 1.1,
    ]]);
    $line = @fopen(rtrim($base, '/') . $path, 'rb', false, $context);
    if ($line === false) {
        throw new RuntimeException('no reply from the gateway');
    }
    $body = stream_get_contents($line, MAX_REPLY_BYTES + 1);
    $meta = stream_get_meta_data($line);
    fclose($line);
    if ($body === false || $meta['timed_out'] || strlen($body) > MAX_REPLY_BYTES) {
        throw new RuntimeException('the reply did not come whole');
    }
    $status = 0;
    $headers = [];
    foreach ($meta['wrapper_data'] as $text) {
        if (preg_match('#\AHTTP/\S+ (\d{3})#', $text, $found)) {
            [$status, $headers] = [(int) $found[1], []]; // an interim reply (100) is forgotten
        } elseif (str_contains($text, ':')) {
            [$name, $value] = explode(':', $text, 2);
            $headers[strtolower($name)] = trim($value);
        }
    }
    return [$status, $headers, $body];
}

/** Seals, sends and opens. Gives the HTTP status and the reply's JSON text. */
function call(string $base, string $clientId, #[SensitiveParameter] string $key, string $method, string $route, #[SensitiveParameter] string $json, string $requestId): array
{
    $path = '/process' . $route;
    [$status, $headers, $body] = send($base, $method, $path, seal_request($key, $method, $path, $clientId, $requestId, $json));
    if (!isset($headers['x-checksum'])) {
        throw new RuntimeException($status === 401
            ? 'not authenticated: look at the client id, the key, the clock, and what the checksum covers'
            : "HTTP $status without the gateway's headers: something else answered");
    }
    $payload = json_decode($body, true)['payload'] ?? null;
    if (!is_string($payload)) {
        throw new RuntimeException('the reply has no payload');
    }
    $m = ['payload' => $payload, 'checksum' => $headers['x-checksum']];
    foreach (['request_id' => 'x-request-id', 'timestamp' => 'x-timestamp', 'iv' => 'x-iv', 'tag' => 'x-tag'] as $part => $name) {
        $m[$part] = $headers[$name] ?? '';
    }
    $opened = open_reply($key, $status, $m);
    if ($m['request_id'] !== $requestId) {
        throw new RuntimeException('the reply belongs to another call');
    }
    if (abs(microtime(true) * 1000 - (float) $m['timestamp']) > MAX_AGE_MS) {
        throw new RuntimeException("the reply's time is not now");
    }
    return [$status, $opened];
}

/** A random UUID (version 4). */
function new_uuid(): string
{
    $b = random_bytes(16);
    $b[6] = chr(ord($b[6]) & 0x0f | 0x40);
    $b[8] = chr(ord($b[8]) & 0x3f | 0x80);
    return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($b), 4));
}

/** Checks this program with messages that another one made. */
function check_vectors(string $file): void
{
    $vectors = json_decode((string) file_get_contents($file), true, 16, JSON_THROW_ON_ERROR)['vectors'];
    foreach ($vectors as $v) {
        $expect = function (bool $ok, string $what) use ($v): void {
            if (!$ok) {
                throw new RuntimeException("vector \"{$v['name']}\": $what");
            }
        };
        $key = parse_key($v['key_hex']);
        $expect($key === parse_key($v['key_base64']), 'the two spellings of the key differ');
        $iv = from_base64($v['iv'], 'iv');
        $m = [];
        foreach (['client_id', 'request_id', 'timestamp', 'iv', 'tag', 'payload', 'checksum'] as $part) {
            $m[$part] = $v[$part] ?? '';
        }
        if ($v['direction'] === 'request') {
            $sealed = seal_request($key, $v['method'], $v['path'], $v['client_id'], $v['request_id'], $v['plaintext'], $v['timestamp'], $iv);
            foreach ($m as $part => $value) {
                $expect($sealed[$part] === $value, "$part differs");
            }
            $expect(decrypt($key, $m) === $v['plaintext'], 'opens to another text');
            continue;
        }
        $expect(open_reply($key, $v['http_status'], $m) === $v['plaintext'], 'opens to another text');
        $again = encrypt($key, $iv, $v['plaintext']);
        $expect($again['payload'] === $v['payload'] && $again['tag'] === $v['tag'], 'is sealed differently');
        $refused = false;
        try {
            open_reply($key, $v['http_status'] + 1, $m);
        } catch (RuntimeException) {
            $refused = true;
        }
        $expect($refused, 'opens with another status');
    }
    if (!$vectors) {
        throw new RuntimeException("$file has no vectors");
    }
    echo count($vectors), " vectors: all right\n";
}

function main(array $args): void
{
    if (!extension_loaded('openssl')) {
        throw new RuntimeException('the extension openssl is missing: enable it in php.ini');
    }
    if (count($args) === 2 && $args[0] === 'vectors') {
        check_vectors($args[1]);
        return;
    }
    [$base, $clientId, $key] = [getenv('GALLA_GATEWAY'), getenv('GALLA_CLIENT_ID'), getenv('GALLA_KEY')];
    if (count($args) < 3 || count($args) > 4 || $args[0] !== 'call' || !$base || !$clientId || !$key) {
        throw new RuntimeException('usage: galla.php vectors FILE, or: galla.php call METHOD ROUTE [JSON], with GALLA_GATEWAY, GALLA_CLIENT_ID and GALLA_KEY set');
    }
    $json = trim($args[3] ?? (stream_isatty(STDIN) ? '' : (string) stream_get_contents(STDIN))) ?: '{}';
    $requestId = getenv('GALLA_REQUEST_ID') ?: new_uuid();
    try {
        [$status, $text] = call($base, $clientId, parse_key($key), $args[1], $args[2], $json, $requestId);
    } catch (RuntimeException $e) {
        throw new RuntimeException($e->getMessage() . "\nA repeat is safe with the same id and body: GALLA_REQUEST_ID=$requestId");
    }
    echo "HTTP $status\n$text\n";
}

try {
    main(array_slice($argv, 1));
} catch (Exception $e) {
    fwrite(STDERR, $e->getMessage() . "\n");
    exit(1);
}
