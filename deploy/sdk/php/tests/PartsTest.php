<?php

// Envelope, retry rule, callbacks, and HTTP by themselves.

declare(strict_types=1);

use Galla\CallbackError;
use Galla\Callbacks;
use Galla\Envelope;
use Galla\EnvelopeError;
use Galla\Internal\Attempt;
use Galla\Internal\Decision;
use Galla\Internal\Happened;
use Galla\Internal\Http;
use Galla\Internal\NoReply;
use Galla\Internal\NotSent;
use Galla\Internal\Retry;

$now = 1_795_253_400;
$secret = 'whsec_' . base64_encode(implode('', array_map(chr(...), range(0, 31))));
$other = 'whsec_' . base64_encode(str_repeat("\0", 32));
$body = '{"type":"operation.finished","timestamp":"2026-11-21T10:30:00.123Z","data":{"amount":"500.00","txnStatus":"SUCCESS"}}';
$headers = static function (string $secret, string $body, int $at): array {
    $mac = hash_hmac('sha256', "evt_1.$at.$body", base64_decode(substr($secret, 6)), true);
    return ['Webhook-Id' => 'evt_1', 'Webhook-Timestamp' => (string) $at, 'webhook-signature' => 'v1,' . base64_encode($mac)];
};

return [
    'vectors' => function (): ?string {
        $file = getenv('GALLA_VECTORS') ?: dirname(__DIR__, 5) . '/shared/vectors/gateway.json';
        if (!is_file($file)) {
            return "the gateway's vectors are not beside the repository (../shared/vectors/gateway.json); GALLA_VECTORS names them";
        }
        $vectors = json_decode((string) file_get_contents($file), true)['vectors'];
        same(true, $vectors !== []);
        foreach ($vectors as $v) {
            $key = Envelope::parseKey($v['key_hex']);
            same($key, Envelope::parseKey($v['key_base64']));
            $m = array_intersect_key($v, array_flip(['client_id', 'request_id', 'timestamp', 'iv', 'tag', 'payload', 'checksum']));
            if ($v['direction'] === 'request') {
                $sealed = Envelope::sealRequest($key, $v['method'], $v['path'], $v['client_id'], $v['request_id'], $v['plaintext'], $v['timestamp'], base64_decode($v['iv']));
                ksort($sealed);
                ksort($m);
                same($m, $sealed, $v['name']);
                continue;
            }
            same($v['plaintext'], Envelope::openReply($key, $v['http_status'], $m), $v['name']);
            throws(EnvelopeError::class, fn () => Envelope::openReply($key, $v['http_status'] + 1, $m), 'checksum');
        }
        return null;
    },
    'documented message' => function (): void {
        // deploy/docs/design/gateway.md, section 3.1.
        $key = Envelope::parseKey('04a25cf951ba7137808a3feb103c0de6b12d409d54bbb804e966069d226a33d4');
        $m = Envelope::sealRequest($key, 'GET', '/process/aeps/banks', 'vk_test_alpha', '46e28008-211a-4e34-b072-b586da5032fd', '{}', '1767225600001', base64_decode('cKZpGGI4TL7rMcBs'));
        same(['Lb4=', 'QmsuZhjFtBpEOacw5nHKCQ==', '7562cf4d458c09293e93a72cbd75724b92a887c37dacd2d7e326331d3d7b66f0'], [$m['payload'], $m['tag'], $m['checksum']]);
        foreach (['AAA', 'AB==', "AA==\n", '-_8=', 'A A='] as $text) {
            throws(EnvelopeError::class, fn () => Envelope::fromBase64($text, 'x'));
        }
    },
    'retry rule' => function (): void {
        $check = static function (Decision $want, Attempt $attempt, bool $identity = true, bool $repeatable = true, bool $last = false): void {
            same($want->name, Retry::decide($attempt, $identity, $repeatable, $last, 30)->name);
        };
        $reply = static fn (int $status, string $code = '', string $reference = '', ?int $after = null, bool $own = true): Attempt => new Attempt(Happened::Reply, $status, $code, $reference, $after, $own);
        $check(Decision::Repeat, new Attempt(Happened::NotSent), false, false);
        $check(Decision::NotSent, new Attempt(Happened::NotSent), last: true);
        $check(Decision::Repeat, new Attempt(Happened::NoReply));
        $check(Decision::Unknown, new Attempt(Happened::NoReply), last: true);
        $check(Decision::Unknown, new Attempt(Happened::NoReply), false, false);
        $check(Decision::Unknown, new Attempt(Happened::NotGenuine, 200));
        $check(Decision::Repeat, $reply(429), false, false);
        $check(Decision::RateLimited, $reply(429, after: 31));
        $check(Decision::RateLimited, $reply(429), last: true);
        $check(Decision::Unknown, $reply(429, own: false), last: true);
        $check(Decision::NotSent, $reply(502, '10'));
        $check(Decision::Repeat, $reply(502, '10', 'AEPS-NR-1'));
        $check(Decision::Pending, $reply(502, '10', 'AEPS-NR-1'), last: true);
        $check(Decision::Repeat, $reply(502, '10'), false);
        $check(Decision::NotSent, $reply(502, '10'), false, last: true);
        $check(Decision::NotSent, $reply(502, '10'), false, false);
        $check(Decision::Repeat, $reply(502, own: false));
        $check(Decision::Unknown, $reply(500, '500'), false, false);
        $check(Decision::Repeat, $reply(503, '07'), false, false);
        $check(Decision::Unknown, $reply(504), last: true);
        foreach ([400, 401, 403, 404, 409, 413, 422] as $status) {
            $check(Decision::Refused, $reply($status, '02'));
        }
        $check(Decision::Result, $reply(200, '51'));
        $check(Decision::Unknown, $reply(302));
        same([0.25, 0.5, 4.0, 0.125], [Retry::backoff(0, 1.0), Retry::backoff(1, 1.0), Retry::backoff(9, 1.0), Retry::backoff(0, 0.0)]);
    },
    'good callbacks' => function () use ($now, $secret, $other, $body, $headers): void {
        $event = Callbacks::verify($body, $headers($secret, $body, $now), $secret, now: $now);
        same(['evt_1', 'operation.finished', 'SUCCESS', null], [$event->webhookId, $event->type, $event->data->txnStatus, $event->data->RRN]);
        Callbacks::verify($body, $headers($secret, $body, $now), [$other, $secret], now: $now + 300);
        $two = $headers($secret, $body, $now);
        $two['webhook-signature'] = 'v1,AAAA ' . $two['webhook-signature'];
        Callbacks::verify($body, $two, $secret, now: $now);
    },
    'refused callbacks' => function () use ($now, $secret, $other, $body, $headers): void {
        $refused = static function (string $reason, array $given, ?string $text = null) use ($now, $secret, $body): void {
            $error = throws(CallbackError::class, fn () => Callbacks::verify($text ?? $body, $given, $secret, now: $now));
            same([$reason, false], [$error->reason, str_contains($error->getMessage(), substr($secret, 6))]);
        };
        $good = $headers($secret, $body, $now);
        $refused('bad-signature', $good, str_replace('500', '900', $body));
        $refused('bad-signature', $headers($other, $body, $now));
        $refused('bad-signature', ['Webhook-Id' => 'evt_2'] + $good);
        $refused('bad-signature', ['Webhook-Timestamp' => (string) ($now + 1)] + $good);
        $refused('too-old', $headers($secret, $body, $now - 301));
        $refused('too-old', $headers($secret, $body, $now + 301));
        $refused('bad-timestamp', ['Webhook-Timestamp' => 'now'] + $good);
        foreach (array_keys($good) as $name) {
            $refused('missing-header', array_diff_key($good, [$name => 1]));
        }
        foreach (['[]', '{}', "\xff", '{"type":1,"timestamp":"","data":{}}', str_repeat('[', 5000)] as $text) {
            $refused('bad-body', $headers($secret, $text, $now), $text);
        }
        foreach (['', 'whsec_', 'whsec_AAAA', substr($secret, 6), substr($secret, 0, -1)] as $bad) {
            throws(InvalidArgumentException::class, fn () => Callbacks::verify($body, $good, $bad), '24 to 64 bytes');
        }
    },
    'HTTP' => function (): void {
        $server = proc_open([PHP_BINARY, __DIR__ . '/server.php'], [1 => ['pipe', 'w']], $pipes);
        $base = trim((string) fgets($pipes[1]));
        try {
            $http = new Http(5, false);
            $reply = $http->send('DELETE', "$base/a%2Fb/../c?x=%20", ['X-A' => 'b'], '{"k":1}');
            same([200, 'yes'], [$reply->status, $reply->headers['x-there']]);
            same(true, str_starts_with($reply->body, "DELETE /a%2Fb/../c?x=%20 HTTP/1.1\r\n") && str_contains($reply->body, "\r\nX-A: b\r\n") && str_ends_with($reply->body, "\r\n\r\n{\"k\":1}"), $reply->body);
            same(302, $http->send('GET', "$base/redirect", [], null)->status);
            throws(NoReply::class, fn () => $http->send('POST', "$base/drop", [], '{}'));
            throws(NoReply::class, fn () => $http->send('GET', "$base/cut", [], null));
            throws(NoReply::class, fn () => $http->send('GET', "$base/long", [], null));
            throws(NoReply::class, fn () => (new Http(0.2, true))->send('GET', "$base/hang", [], null), 'imeout');
        } finally {
            proc_terminate($server);
            proc_close($server);
        }
        throws(NotSent::class, fn () => (new Http(5, true))->send('GET', $base, [], null));
        throws(NotSent::class, fn () => (new Http(5, true))->send('GET', 'https://nowhere.invalid', [], null));
    },
];
