<?php

// A request through Galla's gateway.
//
//   GALLA_GATEWAY=http://127.0.0.1:7100 GALLA_CLIENT_ID=… GALLA_KEY=… \
//     php call.php call POST /aeps/balance < body.json
//   php call.php vectors gateway.json
//
// The route is the direct one; /process is added. The body is a JSON object, from the last
// argument or (better, since arguments can be read by every user of a machine) from standard
// input; none means {}. The key is 64 hex or 44 base64 characters, and comes from the
// environment only. GALLA_REQUEST_ID repeats an earlier request: same id, same body.

declare(strict_types=1);

use Galla\Envelope;
use Galla\EnvelopeError;
use Galla\GallaError;
use Galla\GatewayClient;

require is_file(__DIR__ . '/../vendor/autoload.php') ? __DIR__ . '/../vendor/autoload.php' : __DIR__ . '/../autoload.php';

/** Checks the package with messages that another program made. */
function check_vectors(string $file): void
{
    $vectors = json_decode((string) file_get_contents($file), true, 16, JSON_THROW_ON_ERROR)['vectors'];
    foreach ($vectors as $v) {
        $expect = function (bool $ok, string $what) use ($v): void {
            if (!$ok) {
                throw new RuntimeException("vector \"{$v['name']}\": $what");
            }
        };
        $key = Envelope::parseKey($v['key_hex']);
        $expect($key === Envelope::parseKey($v['key_base64']), 'the two spellings of the key differ');
        $iv = Envelope::fromBase64($v['iv'], 'iv');
        $m = [];
        foreach (['client_id', 'request_id', 'timestamp', 'iv', 'tag', 'payload', 'checksum'] as $part) {
            $m[$part] = $v[$part] ?? '';
        }
        if ($v['direction'] === 'request') {
            $sealed = Envelope::sealRequest($key, $v['method'], $v['path'], $v['client_id'], $v['request_id'], $v['plaintext'], $v['timestamp'], $iv);
            foreach ($m as $part => $value) {
                $expect($sealed[$part] === $value, "$part differs");
            }
            $expect(Envelope::decrypt($key, $m) === $v['plaintext'], 'opens to another text');
            continue;
        }
        try {
            $expect(Envelope::openReply($key, $v['http_status'], $m) === $v['plaintext'], 'opens to another text');
        } catch (EnvelopeError $e) {
            $expect(false, $e->getMessage());
        }
        $again = Envelope::encrypt($key, $iv, $v['plaintext']);
        $expect($again['payload'] === $v['payload'] && $again['tag'] === $v['tag'], 'is sealed differently');
        $refused = false;
        try {
            Envelope::openReply($key, $v['http_status'] + 1, $m);
        } catch (EnvelopeError) {
            $refused = true;
        }
        $expect($refused, 'opens with another status');
    }
    if (!$vectors) {
        throw new RuntimeException("$file has no vectors");
    }
    echo count($vectors), " vectors: all right\n";
}

/** Sends one request and prints the opened reply, a refusal too. */
function call(string $method, string $route, #[SensitiveParameter] string $json): void
{
    $key = getenv('GALLA_REQUEST_ID') ?: GatewayClient::newKey();
    $client = new GatewayClient((string) getenv('GALLA_GATEWAY'), (string) getenv('GALLA_CLIENT_ID'), (string) getenv('GALLA_KEY'), insecure: true);
    try {
        $result = $client->call($method, $route, $json, $key);
    } catch (GallaError $e) {
        if ($e->reply() === '') {
            throw new RuntimeException("{$e->getMessage()}\nA repeat is safe with the same id and body: GALLA_REQUEST_ID=$key");
        }
        $result = $e;
    }
    echo "HTTP {$result->httpStatus}\n{$result->reply()}\n";
}

function main(array $args): void
{
    if (count($args) === 2 && $args[0] === 'vectors') {
        check_vectors($args[1]);
        return;
    }
    if (count($args) < 3 || count($args) > 4 || $args[0] !== 'call' || !getenv('GALLA_GATEWAY') || !getenv('GALLA_CLIENT_ID') || !getenv('GALLA_KEY')) {
        throw new RuntimeException('usage: call.php vectors FILE, or: call.php call METHOD ROUTE [JSON], with GALLA_GATEWAY, GALLA_CLIENT_ID and GALLA_KEY set');
    }
    call($args[1], $args[2], trim($args[3] ?? (stream_isatty(STDIN) ? '' : (string) stream_get_contents(STDIN))) ?: '{}');
}

try {
    main(array_slice($argv, 1));
} catch (Exception $e) {
    fwrite(STDERR, $e->getMessage() . "\n");
    exit(1);
}
