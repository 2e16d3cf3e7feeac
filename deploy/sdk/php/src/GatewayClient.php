<?php

declare(strict_types=1);

namespace Galla;

use Galla\Internal\Answer;
use Galla\Internal\Hidden;
use Galla\Internal\Json;
use Galla\Internal\Prepared;
use Galla\Internal\Route;

/**
 * Calls routes through the gateway, in sealed messages: for vendors.
 */
final class GatewayClient extends GatewayRoutes
{
    private const MAX_AGE_SECONDS = 300;
    private const NOT_AUTHENTICATED = 'not authenticated: look at the client id, the key, the clock, and what the checksum covers';

    private readonly Hidden $secret;

    /**
     * @param string $baseUrl the gateway's address without a path
     * @param string $clientId the API key
     * @param string $key its encryption key: 64 hex or 44 base64 characters
     * @param string|null $merchantId goes into every request that takes a merchant and has none
     * @param float $timeout of one attempt, in seconds
     * @param int $attempts how often a call is sent at most; 1 never repeats
     * @param int $maxRetryAfter the longest pause that a reply can ask for, in seconds
     * @param bool $insecure allows http to other machines
     * @param \Closure(): float|null $clock Unix time, for tests; so are $sleep (seconds) and $random (0 to 1)
     */
    public function __construct(
        string $baseUrl,
        string $clientId,
        #[\SensitiveParameter] string $key,
        ?string $merchantId = null,
        float $timeout = 45.0,
        int $attempts = 4,
        int $maxRetryAfter = 30,
        bool $insecure = false,
        ?Transport $transport = null,
        ?\Closure $clock = null,
        ?\Closure $sleep = null,
        ?\Closure $random = null,
    ) {
        // A kept connection that is dead makes curl repeat a message, which the gateway refuses as a replay.
        parent::__construct($baseUrl, $clientId, $merchantId, $timeout, $attempts, $maxRetryAfter, $insecure, $transport, $clock, $sleep, $random, true);
        if (!preg_match('/\A[!-~]{1,128}\z/', $clientId)) {
            throw new \InvalidArgumentException('clientId must be the API key: 1 to 128 visible ASCII characters');
        }
        $this->secret = new Hidden(Envelope::parseKey($key));
    }

    protected function checkKey(string $key): void
    {
        if (!preg_match('/\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\z/', $key)) {
            throw new \InvalidArgumentException('idempotencyKey must be a UUID in lower case: the gateway takes no other');
        }
    }

    protected function key(Route $route, ?string $given): string
    {
        return parent::key($route, $given) ?: self::newKey(); // every message has one
    }

    protected function needsBody(Route $route): bool
    {
        return true;
    }

    protected function prepare(Route $route, #[\SensitiveParameter] array $fields, string $key): Prepared
    {
        return new Prepared($route, $route->fill($fields), $key, $fields, Json::object(array_diff_key($fields, array_flip($route->inPath))));
    }

    protected function attempt(Prepared $call): Answer
    {
        $path = '/process' . $call->target;
        $now = (string) (int) (($this->clock)() * 1000);
        $m = Envelope::sealRequest($this->secret->reveal(), $call->route->method, $path, $this->clientId, $call->key, $call->text(), $now);
        return $this->open($call, $this->transport->send($call->route->method, $this->baseUrl . $path, [
            'Content-Type' => 'application/json', 'User-Agent' => 'galla-sdk-php/' . RouteTable::VERSION,
            'X-Client-Id' => $m['client_id'], 'X-Timestamp' => $m['timestamp'], 'X-Request-Id' => $m['request_id'],
            'X-IV' => $m['iv'], 'X-Tag' => $m['tag'], 'X-Checksum' => $m['checksum'],
        ], Json::object(['payload' => $m['payload']])));
    }

    private function open(Prepared $call, HttpReply $reply): Answer
    {
        $h = $reply->headers;
        if (!isset($h['x-checksum'])) {
            return new Answer($reply->status, $h, '', null, $reply->status === 401 ? self::NOT_AUTHENTICATED : "HTTP {$reply->status} without the gateway's headers: something else answered");
        }
        $payload = Json::read($reply->body)['payload'] ?? null;
        try {
            if (!is_string($payload)) {
                throw new EnvelopeError('the reply has no payload');
            }
            $m = ['payload' => $payload, 'checksum' => $h['x-checksum'], 'request_id' => $h['x-request-id'] ?? '', 'timestamp' => $h['x-timestamp'] ?? '', 'iv' => $h['x-iv'] ?? '', 'tag' => $h['x-tag'] ?? ''];
            $opened = Envelope::openReply($this->secret->reveal(), $reply->status, $m);
            if ($m['request_id'] !== $call->key) {
                throw new EnvelopeError('the reply belongs to another call');
            }
            if (!preg_match('/\A[0-9]{1,15}\z/', $m['timestamp']) || abs(($this->clock)() - (int) $m['timestamp'] / 1000) > self::MAX_AGE_SECONDS) {
                throw new EnvelopeError("the reply's time is not now: look at this machine's clock");
            }
        } catch (EnvelopeError $e) {
            return new Answer($reply->status, $h, '', null, $e->getMessage());
        }
        return Answer::read(new HttpReply($reply->status, $h, $opened));
    }
}
