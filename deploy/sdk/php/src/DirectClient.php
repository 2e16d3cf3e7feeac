<?php

declare(strict_types=1);

namespace Galla;

use Galla\Internal\Answer;
use Galla\Internal\Hidden;
use Galla\Internal\Json;
use Galla\Internal\Prepared;
use Galla\Internal\Route;

/**
 * Calls routes directly, with OAuth client credentials: for merchants, vendors and aggregators.
 *
 * The token is fetched with the first call and renewed in time.
 */
final class DirectClient extends DirectRoutes
{
    private readonly Hidden $basic;
    private ?Hidden $token = null;
    private float $renewAt = 0;

    /**
     * @param string $baseUrl https://… without a path
     * @param string|null $merchantId for vendors: goes into every request that takes a merchant and has none
     * @param float $timeout of one attempt, in seconds
     * @param int $attempts how often a call is sent at most; 1 never repeats
     * @param int $maxRetryAfter the longest pause that a reply can ask for, in seconds
     * @param bool $insecure allows http to other machines
     * @param TokenStore|null $tokens keeps the token between requests of a web server
     * @param \Closure(): float|null $clock Unix time, for tests; so are $sleep (seconds) and $random (0 to 1)
     */
    public function __construct(
        string $baseUrl,
        string $clientId,
        #[\SensitiveParameter] string $clientSecret,
        ?string $merchantId = null,
        float $timeout = 45.0,
        int $attempts = 4,
        int $maxRetryAfter = 30,
        bool $insecure = false,
        private readonly ?TokenStore $tokens = null,
        ?Transport $transport = null,
        ?\Closure $clock = null,
        ?\Closure $sleep = null,
        ?\Closure $random = null,
    ) {
        parent::__construct($baseUrl, $clientId, $merchantId, $timeout, $attempts, $maxRetryAfter, $insecure, $transport, $clock, $sleep, $random, false);
        if ($clientSecret === '') {
            throw new \InvalidArgumentException('clientSecret must not be empty');
        }
        $this->basic = new Hidden('Basic ' . base64_encode(urlencode($clientId) . ':' . urlencode($clientSecret)));
    }

    protected function checkKey(string $key): void
    {
        if (!preg_match('/\A[!-~]{1,128}\z/', $key)) {
            throw new \InvalidArgumentException('idempotencyKey must be 1 to 128 visible ASCII characters');
        }
    }

    protected function needsBody(Route $route): bool
    {
        return $route->method === 'POST' || $route->method === 'PUT';
    }

    protected function prepare(Route $route, #[\SensitiveParameter] array $fields, string $key): Prepared
    {
        $query = http_build_query(array_intersect_key($fields, array_flip($route->inQuery)), '', '&', PHP_QUERY_RFC3986);
        $body = array_intersect_key($fields, array_flip($route->inBody));
        $text = $body !== [] || $this->needsBody($route) ? Json::object($body) : null;
        return new Prepared($route, $route->fill($fields) . ($query === '' ? '' : "?$query"), $key, $fields, $text);
    }

    protected function attempt(Prepared $call): Answer
    {
        if ($call->route->open) {
            return $this->send($call, null);
        }
        $token = $this->freshToken();
        $answer = $this->send($call, $token);
        if ($answer->status === 401) {
            $this->forget($token);
            $answer = $this->send($call, $this->freshToken());
        }
        return $answer;
    }

    private function send(Prepared $call, ?Hidden $token): Answer
    {
        $headers = ['Content-Type' => 'application/json', 'User-Agent' => 'galla-sdk-php/' . RouteTable::VERSION];
        if ($token !== null) {
            $headers['Authorization'] = 'Bearer ' . $token->reveal();
        }
        if ($call->key !== '') {
            $headers['Idempotency-Key'] = $call->key;
        }
        $text = $call->text();
        return Answer::read($this->transport->send($call->route->method, $this->baseUrl . $call->target, $headers, $text === '' ? null : $text));
    }

    private function forget(Hidden $token): void
    {
        if ($this->token?->reveal() === $token->reveal()) {
            $this->token = null;
        }
        if (($this->tokens?->load()['token'] ?? null) === $token->reveal()) {
            $this->tokens?->save('', 0);
        }
    }

    private function freshToken(): Hidden
    {
        $now = ($this->clock)();
        if ($this->token === null && ($kept = $this->tokens?->load()) !== null && $kept['token'] !== '') {
            [$this->token, $this->renewAt] = [new Hidden($kept['token']), (float) $kept['renewAt']];
        }
        if ($this->token !== null && $now < $this->renewAt) {
            return $this->token;
        }
        $members = $this->askToken();
        [$token, $life] = [$members['access_token'] ?? null, $members['expires_in'] ?? null];
        if (!is_string($token) || !preg_match('/\A[!-~]+\z/', $token) || !is_int($life)) {
            throw new NotSentError('POST /oauth/token: the reply has no access_token. Nothing else was sent');
        }
        $this->renewAt = $now + $life - min(60, $life / 2);
        $this->tokens?->save($token, (int) $this->renewAt);
        return $this->token = new Hidden($token);
    }

    /**
     * Asks for a token by the rule of all calls.
     *
     * @return array<mixed>
     */
    private function askToken(): array
    {
        $route = new Route('POST', '/oauth/token', kind: 'enquiry', open: true, bare: true);
        try {
            $result = $this->perform(new Prepared($route, $route->path, '', [], 'grant_type=client_credentials'), fn (Prepared $call): Answer => Answer::read(
                $this->transport->send('POST', $this->baseUrl . $call->target, [
                    'Content-Type' => 'application/x-www-form-urlencoded', 'Authorization' => $this->basic->reveal(), 'User-Agent' => 'galla-sdk-php/' . RouteTable::VERSION,
                ], $call->text())
            ));
        } catch (NotSentError | OutcomeUnknownError $e) {
            throw new NotSentError("no access token: {$e->getMessage()}. The call itself was not sent", $e->httpStatus);
        }
        return (array) $result->data;
    }
}
