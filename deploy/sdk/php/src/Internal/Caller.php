<?php

declare(strict_types=1);

namespace Galla\Internal;

use Galla\AuthenticationError;
use Galla\ConflictError;
use Galla\FieldError;
use Galla\GallaError;
use Galla\NotFoundError;
use Galla\NotSentError;
use Galla\OutcomeUnknownError;
use Galla\RateLimitError;
use Galla\RefusedError;
use Galla\Result;
use Galla\RouteTable;
use Galla\State;
use Galla\Transport;
use Galla\ValidationError;

/**
 * What both clients do alike: prepare a call, send it under one key, and read the reply.
 *
 * @internal
 */
abstract class Caller
{
    private const REPEAT_SAFELY = 'Whether it ran is unknown: repeat it with the same key, which is safe, and pay nothing out before';

    protected readonly Transport $transport;
    protected readonly string $baseUrl;
    protected readonly \Closure $clock;
    private readonly \Closure $sleep;
    private readonly \Closure $random;

    protected function __construct(
        string $baseUrl,
        protected readonly string $clientId,
        private readonly ?string $merchantId,
        float $timeout,
        private readonly int $attempts,
        private readonly int $maxRetryAfter,
        bool $insecure,
        ?Transport $transport,
        ?\Closure $clock,
        ?\Closure $sleep,
        ?\Closure $random,
        bool $freshConnections,
    ) {
        if ($clientId === '') {
            throw new \InvalidArgumentException('clientId must not be empty');
        }
        if ($attempts < 1) {
            throw new \InvalidArgumentException('attempts must be 1 or more; 1 never repeats a call');
        }
        $this->baseUrl = self::checkUrl($baseUrl, $insecure);
        $this->transport = $transport ?? new Http($timeout, $freshConnections);
        $this->clock = $clock ?? static fn (): float => microtime(true);
        $this->sleep = $sleep ?? static function (float $seconds): void {
            usleep((int) ($seconds * 1_000_000));
        };
        $this->random = $random ?? static fn (): float => mt_rand() / mt_getrandmax();
    }

    private static function checkUrl(string $baseUrl, bool $insecure): string
    {
        $url = parse_url($baseUrl);
        $scheme = is_array($url) ? $url['scheme'] ?? '' : '';
        if (!is_array($url) || !in_array($scheme, ['http', 'https'], true) || ($url['host'] ?? '') === '' || trim($url['path'] ?? '', '/') !== '' || isset($url['query']) || isset($url['fragment']) || isset($url['user'])) {
            throw new \InvalidArgumentException('baseUrl must be scheme and host without a path, such as https://api.example.in');
        }
        $local = $url['host'] === 'localhost' || $url['host'] === '[::1]' || preg_match('/\A127(\.[0-9]{1,3}){3}\z/', $url['host']);
        if ($scheme === 'http' && !$insecure && !$local) {
            throw new \InvalidArgumentException('baseUrl must be https, except for this machine; insecure: true allows http in a network that you trust');
        }
        return rtrim($baseUrl, '/');
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl, 'clientId' => $this->clientId];
    }

    /** A new identity of an operation, for idempotencyKey: a random UUID. Store it before the call. */
    public static function newKey(): string
    {
        $b = random_bytes(16);
        $b[6] = chr(ord($b[6]) & 0x0f | 0x40);
        $b[8] = chr(ord($b[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($b), 4));
    }

    /**
     * Calls a route by its path, with ?query where there is one. The routes' own methods are typed.
     *
     * @param array<string, mixed>|string|null $body fields, or the text of a JSON object, which is sent as it is
     * @return Result<object|array<mixed>|null>
     * @throws GallaError
     */
    public function call(string $method, string $path, #[\SensitiveParameter] array|string|null $body = null, ?string $idempotencyKey = null): Result
    {
        $route = Route::find($method, $path) ?? new Route($method, explode('?', $path, 2)[0]);
        $fields = is_array($body) ? $this->withMerchant($route, $body) : [];
        $text = is_array($body) ? Json::object($fields) : $body;
        return $this->perform(new Prepared($route, $path, $this->key($route, $idempotencyKey), $fields, $text ?? ($this->needsBody($route) ? '{}' : null)));
    }

    /**
     * Asks after a pending result until it is final, or returns it still pending after $timeout seconds.
     *
     * It asks by a requery where there is one, and repeats the request under its key
     * otherwise. What is final is returned as it is.
     *
     * @template T
     * @param Result<T> $result
     * @return Result<T>
     * @throws GallaError
     */
    public function wait(Result $result, float $timeout = 120.0): Result
    {
        $deadline = ($this->clock)() + $timeout;
        for ($pause = 1.0; $result->isPending(); $pause = min($pause * 2, 10.0)) {
            $left = $deadline - ($this->clock)();
            if ($left <= 0) {
                break;
            }
            ($this->sleep)(min($pause, $left));
            try {
                $result = $this->ask($result, $result->prepared());
            } catch (RateLimitError | OutcomeUnknownError) {
                continue;
            } catch (NotSentError $e) {
                if ($e->httpStatus !== 0 && $result->prepared()->route->requery() === '') {
                    throw $e; // the operation's own end: nothing was sent
                }
            }
        }
        return $result;
    }

    /**
     * @param array<string, mixed> $fields
     * @return Result<mixed>
     */
    protected function invoke(string $name, #[\SensitiveParameter] array $fields, ?string $idempotencyKey = null): Result
    {
        return $this->invokeRoute(new Route(...RouteTable::ROUTES[$name]), $fields, $idempotencyKey);
    }

    /**
     * @param array<string, mixed> $fields
     * @return Result<mixed>
     */
    private function invokeRoute(Route $route, #[\SensitiveParameter] array $fields, ?string $idempotencyKey): Result
    {
        $fields = $this->withMerchant($route, array_filter($fields, static fn ($value): bool => $value !== null));
        return $this->perform($this->prepare($route, $fields, $this->key($route, $idempotencyKey)));
    }

    /**
     * @param array<string, mixed> $fields
     * @return array<string, mixed>
     */
    private function withMerchant(Route $route, #[\SensitiveParameter] array $fields): array
    {
        return $this->merchantId !== null && $route->takesMerchant() ? $fields + ['merchantId' => $this->merchantId] : $fields;
    }

    protected function key(Route $route, ?string $given): string
    {
        if ($given !== null) {
            $this->checkKey($given);
            return $given;
        }
        return $route->identity ? self::newKey() : '';
    }

    /** Refuses a key that the entrance does not take. */
    abstract protected function checkKey(string $key): void;

    /** Whether a request of the route has a body even without fields. */
    abstract protected function needsBody(Route $route): bool;

    /** @param array<string, mixed> $fields */
    abstract protected function prepare(Route $route, #[\SensitiveParameter] array $fields, string $key): Prepared;

    /** Sends once. Throws NotSent or NoReply, or a GallaError where there is no token. */
    abstract protected function attempt(Prepared $call): Answer;

    /**
     * @param \Closure(Prepared): Answer|null $send
     * @return Result<mixed>
     */
    protected function perform(Prepared $call, ?\Closure $send = null): Result
    {
        $send ??= $this->attempt(...);
        $mayHaveRun = false;
        for ($number = 0;; $number++) {
            $answer = null;
            try {
                $answer = $send($call);
                [$attempt, $why] = [$answer->judge(), $answer->why];
            } catch (NotSent $e) {
                [$attempt, $why] = [new Attempt(Happened::NotSent), $e->getMessage()];
            } catch (NoReply $e) {
                [$attempt, $why] = [new Attempt(Happened::NoReply), $e->getMessage()];
            } catch (GallaError $e) {
                throw $mayHaveRun ? self::unknown($call, "{$e->getMessage()}; an earlier attempt had no reply", null) : $e;
            }
            $decision = Retry::decide($attempt, $call->route->identity, $call->route->repeatable(), $number + 1 >= $this->attempts, $this->maxRetryAfter);
            if ($decision !== Decision::Repeat) {
                return self::finish($call, $decision, $attempt, $answer, $why, $mayHaveRun);
            }
            $mayHaveRun = $mayHaveRun || $call->route->identity && ($attempt->happened === Happened::NoReply || $attempt->status >= 500 || !$attempt->own);
            ($this->sleep)($attempt->retryAfter !== null ? (float) min($attempt->retryAfter, $this->maxRetryAfter) : Retry::backoff($number, ($this->random)()));
        }
    }

    /** @return Result<mixed> */
    private static function finish(Prepared $call, Decision $decision, Attempt $attempt, ?Answer $answer, string $why, bool $mayHaveRun): Result
    {
        if ($answer !== null && ($decision === Decision::Result || $decision === Decision::Pending)) {
            return Reader::result($call, $answer, $decision === Decision::Pending);
        }
        // A refusal of a repeat says nothing of an earlier attempt, unless it is the stored reply.
        $doubtful = !in_array($attempt->status, [400, 409, 502], true) && ($answer->headers['idempotent-replayed'] ?? '') !== 'true';
        if ($decision === Decision::Unknown || $mayHaveRun && $doubtful) {
            throw self::unknown($call, $why !== '' ? $why : ($answer?->words() ?? 'no reply'), $answer);
        }
        if ($answer === null) {
            throw new NotSentError("{$call->route}: $why. Nothing was sent: try again with the same key", idempotencyKey: $call->key);
        }
        $what = "{$call->route}: {$answer->words()}";
        $about = self::about($call, $answer);
        if ($decision === Decision::NotSent) {
            throw new NotSentError("$what. No money moved: try again with a new key", ...$about);
        }
        if ($decision === Decision::RateLimited) {
            throw new RateLimitError("$what. Nothing was done: try again later with the same key", ...$about, ...['retryAfter' => $attempt->retryAfter ?? 0]);
        }
        throw self::refusal($what, $answer, $about);
    }

    /** @return array<string, mixed> */
    private static function about(Prepared $call, ?Answer $answer): array
    {
        return ['httpStatus' => $answer->status ?? 0, 'statusCode' => $answer?->member('statusCode') ?? '', 'requestId' => $answer->headers['x-request-id'] ?? '',
            'idempotencyKey' => $call->key, 'reply' => $answer->text ?? ''];
    }

    private static function unknown(Prepared $call, string $why, ?Answer $answer): OutcomeUnknownError
    {
        return new OutcomeUnknownError("{$call->route}: $why. " . ($call->key !== '' ? self::REPEAT_SAFELY : 'Whether it ran is unknown'), ...self::about($call, $answer));
    }

    /** @param array<string, mixed> $about */
    private static function refusal(string $what, Answer $answer, array $about): GallaError
    {
        if ($answer->status === 400) {
            $fields = [];
            foreach ((array) ($answer->members['data']['errors'] ?? []) as $one) {
                $text = static fn (string $name): string => is_array($one) && is_string($one[$name] ?? null) ? $one[$name] : '';
                $fields[] = new FieldError($text('field'), $text('rule'), $text('message'));
                $what .= "; {$text('field')} {$text('message')}";
            }
            return new ValidationError($what, ...$about, ...['fields' => $fields]);
        }
        return match ($answer->status) {
            401 => new AuthenticationError($what, ...$about),
            404 => new NotFoundError($what, ...$about),
            409 => new ConflictError($what, ...$about),
            default => new RefusedError($what, ...$about),
        };
    }

    /**
     * Asks once after a pending operation. The result has the operation's own key.
     *
     * @param Result<mixed> $pending
     * @return Result<mixed>
     */
    private function ask(Result $pending, Prepared $call): Result
    {
        $merchant = ['merchantId' => $call->field('merchantId')];
        if ($call->route->requery() === 'transfer') {
            return $this->requery('dmtTransactionRequery', ['refId' => $call->field('refId')] + $merchant, $pending, $call);
        }
        if ($call->route->requery() === 'aeps' && ($call->field('clientRefId') !== null || $pending->reference !== '')) {
            $name = $call->field('clientRefId') !== null ? ['clientRefId' => $call->field('clientRefId')] : ['reference' => $pending->reference];
            return $this->requery('aepsRequery', $name + $merchant, $pending, $call);
        }
        return $this->perform($call);
    }
    /**
     * Asks by a requery, and reads its data as that of the operation.
     *
     * @param array<string, mixed> $fields
     * @param Result<mixed> $pending
     * @return Result<mixed>
     */
    private function requery(string $name, #[\SensitiveParameter] array $fields, Result $pending, Prepared $call): Result
    {
        $route = new Route(...['data' => $call->route->data] + RouteTable::ROUTES[$name]);
        return Reader::ofOperation($this->invokeRoute($route, $fields, null), $pending, $call);
    }
}
