<?php

declare(strict_types=1);

use Galla\Envelope;
use Galla\HttpReply;
use Galla\Internal\NoReply;
use Galla\Internal\NotSent;
use Galla\Transport;

/** A fake central: it answers with what a test has queued, and remembers what came. */
final class Fake implements Transport
{
    public const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
    public const DROP = 'drop'; // the connection breaks after the request
    public const CLOSED = 'closed'; // there is no connection

    /** @var list<array{method: string, path: string, headers: array<string, string>, body: ?string}> */
    public array $requests = [];
    public array $tokens = [];
    public array $tokenReplies = [];
    /** @var callable(array<string, string>): array<string, string>|null changes a sealed reply before its checksum is made */
    public $spoil = null;

    /** @param list<mixed> $replies */
    public function __construct(public array $replies, private readonly bool $gateway, private readonly Closure $clock)
    {
    }

    public function send(string $method, string $url, array $headers, ?string $body): HttpReply
    {
        $request = ['method' => $method, 'path' => preg_replace('#\Ahttps?://[^/]+#', '', $url), 'headers' => array_change_key_case($headers), 'body' => $body];
        if ($request['path'] === '/oauth/token') {
            $this->tokens[] = $request;
            return $this->reply(...(array_shift($this->tokenReplies) ?? [200, ['access_token' => 'token-' . count($this->tokens), 'token_type' => 'Bearer', 'expires_in' => 900], []]));
        }
        $reply = array_shift($this->replies) ?? [500, ['statusCode' => '500', 'message' => 'nothing is queued']];
        if ($reply === self::CLOSED) {
            throw new NotSent('no connection (Could not connect to server)');
        }
        $this->requests[] = $request;
        if ($reply === self::DROP) {
            throw new NoReply('no reply (Empty reply)');
        }
        [$status, $text, $more] = $reply + [2 => []];
        return $this->gateway && !isset($more['plain']) ? $this->seal($request, $status, $text, $more) : $this->reply($status, $text, $more);
    }

    private function reply(int $status, array|string $text, array $headers): HttpReply
    {
        return new HttpReply($status, $headers + ['x-request-id' => 'request-1'], is_string($text) ? $text : json_encode($text));
    }

    private function seal(array $request, int $status, array $text, array $headers): HttpReply
    {
        $key = Envelope::parseKey(self::KEY);
        $m = ['request_id' => $request['headers']['x-request-id'], 'timestamp' => (string) (int) (($this->clock)() * 1000)] + Envelope::encrypt($key, random_bytes(12), json_encode($text));
        $m = $this->spoil !== null ? ($this->spoil)($m) : $m;
        $m += ['checksum' => Envelope::checksum($key, Envelope::replyLines($status, $m))];
        return new HttpReply($status, $headers + ['x-request-id' => $m['request_id'], 'x-timestamp' => $m['timestamp'], 'x-iv' => $m['iv'], 'x-tag' => $m['tag'], 'x-checksum' => $m['checksum']],
            json_encode(['payload' => $m['payload']]));
    }

    /** The opened JSON of a sealed request; its checksum must be right. */
    public function open(int $n): string
    {
        $r = $this->requests[$n];
        $h = $r['headers'];
        $key = Envelope::parseKey(self::KEY);
        $m = ['client_id' => $h['x-client-id'], 'timestamp' => $h['x-timestamp'], 'request_id' => $h['x-request-id'], 'iv' => $h['x-iv'], 'tag' => $h['x-tag'], 'payload' => json_decode($r['body'], true)['payload']];
        same($h['x-checksum'], Envelope::checksum($key, Envelope::requestLines($r['method'], $r['path'], $m)));
        return Envelope::decrypt($key, $m);
    }

    /** @return list<?string> */
    public function keys(): array
    {
        return array_map(static fn (array $r): ?string => $r['headers']['idempotency-key'] ?? $r['headers']['x-request-id'] ?? null, $this->requests);
    }
}
