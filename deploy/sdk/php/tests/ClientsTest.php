<?php

// The clients against a fake central.

declare(strict_types=1);

use Galla\AuthenticationError;
use Galla\ConflictError;
use Galla\Decimal;
use Galla\DeclinedError;
use Galla\DirectClient;
use Galla\GatewayClient;
use Galla\NotFoundError;
use Galla\NotSentError;
use Galla\OutcomeUnknownError;
use Galla\PendingError;
use Galla\RateLimitError;
use Galla\RefusedError;
use Galla\Result;
use Galla\TokenStore;
use Galla\ValidationError;

final class World
{
    public const AADHAAR = '999941057058';
    public const DATA = ['ResponseCode' => '00', 'ResponseStatus' => 'SUCCESS', 'STAN' => '000042', 'Balance' => '24500.00', 'RetailerReferenceNumber' => 'GL261121ABCDEFGHJK', 'AadharNo' => 'XXXXXXXX7058', 'txnStatus' => 'SUCCESS'];
    public const SUCCESS = [200, ['statusCode' => '00', 'message' => 'Transaction successful', 'data' => self::DATA]];
    public const PENDING = [200, ['statusCode' => '00', 'message' => 'Transaction pending', 'txnStatus' => 'PENDING', 'reference' => 'AEPS-NR-1795253400123']];
    public const BANKS = [200, ['statusCode' => '00', 'message' => 'Bank list', 'data' => [['iin' => '990326', 'bankName' => 'Sandbox']]]];
    public const TRANSFER = ['senderId' => '7b0c5f52-1f1c-4f6e-8b57-5f2f1d6c1a01', 'BeneficiaryId' => 1001, 'amount' => 25, 'refId' => 'order-1', 'otp' => '482913',
        'receiver_account_no' => '001234567811', 'receiverIfscCode' => 'SBIN0001234', 'account_holder_name' => 'Sunita'];

    public array $sleeps = [];
    public float $now = 1_795_253_400.0;
    public Fake $fake;

    /** @return array<string, mixed> */
    private function options(array $replies, bool $gateway): array
    {
        $this->fake = new Fake($replies, $gateway, fn (): float => $this->now);
        return ['transport' => $this->fake, 'clock' => fn (): float => $this->now, 'random' => static fn (): float => 1.0, 'sleep' => function (float $seconds): void {
            $this->sleeps[] = $seconds;
            $this->now += $seconds;
        }];
    }

    public function direct(array $replies, mixed ...$options): DirectClient
    {
        return new DirectClient('http://127.0.0.1:1', 'shop', 'top-secret', ...$options, ...$this->options($replies, false));
    }

    public function gateway(array $replies, mixed ...$options): GatewayClient
    {
        return new GatewayClient('http://127.0.0.1:1', 'vk_test', Fake::KEY, ...$options, ...$this->options($replies, true));
    }

    public static function withdraw(DirectClient|GatewayClient $client, int|string $amount = '500.50', mixed ...$more): Result
    {
        return $client->aepsWithdrawal(...['AadharNo' => self::AADHAAR, 'TxnAmount' => $amount, 'Latitude' => '18.5', 'Longitude' => '73.8', 'CustomerName' => 'आशा/देवी', 'PidData' => '<PidData>finger</PidData>'], ...$more);
    }

    public static function refusal(int $status, string $code, array $more = []): array
    {
        return [$status, ['statusCode' => $code, 'message' => 'no'] + $more];
    }

    public static function data(array $changes, string $message = 'm'): array
    {
        return [200, ['statusCode' => '00', 'message' => $message, 'data' => $changes + self::DATA]];
    }
}

return [
    'states' => function (): void {
        foreach ([
            ['success', '00', World::SUCCESS], ['declined', '51', World::data(['ResponseCode' => '51', 'txnStatus' => 'FAILED'])],
            ['reversed', '22', World::data(['ResponseCode' => '22', 'txnStatus' => 'REVERSED'])], ['pending', '00', World::PENDING],
            ['declined', '51', World::data(['ResponseCode' => '51'])], ['pending', '00', [200, ['statusCode' => '00', 'message' => 'Transaction pending']]],
        ] as [$state, $code, $reply]) {
            $w = new World();
            $result = World::withdraw($w->direct([$reply]));
            same([$state, $code, $state === 'success', 1], [$result->state->value, $result->responseCode, $result->ok(), count($w->fake->requests)]);
        }
        $result = World::withdraw((new World())->direct([World::PENDING]));
        same('AEPS-NR-1795253400123', throws(PendingError::class, $result->orThrow(...), 'pay nothing out')->reference);
        $declined = World::withdraw((new World())->direct([World::data(['ResponseCode' => '51', 'txnStatus' => 'FAILED'])]));
        same('51', throws(DeclinedError::class, $declined->orThrow(...))->responseCode);
        $result = World::withdraw((new World())->direct([World::SUCCESS]));
        same($result, $result->orThrow());
        same(['24500.00', null], [$result->data->Balance, $result->data->AuthCode]);
    },
    'transfer states' => function (): void {
        foreach ([['SUCCESS', '00', 'success'], ['FAILED', '55', 'declined'], ['REVERSED', '22', 'reversed'], ['PENDING', '00', 'pending']] as [$status, $code, $state]) {
            $result = (new World())->direct([[200, ['statusCode' => $code, 'message' => 'm', 'data' => ['transactionId' => 'GL1', 'amount' => 25, 'status' => $status]]]])->dmtTransactionInstant(...World::TRANSFER);
            same([$state, $code, '25.00'], [$result->state->value, $result->responseCode, $result->data->amount]);
        }
        foreach ([['SUCCESS', '00', 'success'], ['REFUNDED', '00', 'success'], ['FAILED', '', 'declined'], ['REVERSED', '', 'reversed'], ['PENDING', '00', 'pending']] as [$status, $code, $state]) {
            $result = (new World())->direct([[200, ['statusCode' => '00', 'message' => 'm', 'data' => ['status' => $status]]]])->dmtTransactionRequery(refId: 'order-1');
            same([$state, $code], [$result->state->value, $result->responseCode]);
        }
    },
    'other replies' => function (): void {
        $none = (new World())->direct([World::refusal(200, '01')])->dmtCustomerGetDetail(mobile_number: '9000000001');
        same(['declined', null], [$none->state->value, $none->data]);
        same('AEPS', (new World())->direct([[200, ['merchantId' => 'm', 'service' => 'AEPS']]])->aepsInitialize()->data->service);
        same(true, (new World())->direct([[200, ['statusCode' => '00', 'message' => 'm', 'data' => [], 'sandbox' => true]]])->limits()->extra['sandbox']);
        $charges = (new World())->direct([[200, '{"statusCode":"00","message":"m","data":{"charge":12,"totalAmount":1212.1,"gst":1.83,"commission":0}}']])->dmtTransactionCharges(senderId: 'x', amount: 1200)->data;
        same(['12.00', '1212.10', '1.83', '0.00'], [$charges->charge, $charges->totalAmount, $charges->gst, $charges->commission]);
        $csv = (new World())->direct([[200, "id,amount\r\n", ['content-type' => 'text/csv; charset=utf-8']]])->call('GET', '/vendor/operations?format=csv');
        same(['success', '00', null, "id,amount\r\n"], [$csv->state->value, $csv->statusCode, $csv->data, $csv->reply()]);
        same('990326', (new World())->direct([World::BANKS])->aepsBanks()->data[0]->iin);
        $open = (new World())->direct([[200, ['statusCode' => '00', 'message' => 'm', 'data' => ['status' => 'X', 'new' => 1]]]])->aepsStatusCheck()->data;
        same(['X', ['new' => 1]], [$open->status, $open->more]);
    },
    'body and amounts' => function (): void {
        $w = new World();
        World::withdraw($w->direct([World::SUCCESS]));
        $request = $w->fake->requests[0];
        same(true, str_contains($request['body'], '"TxnAmount":500.50') && str_contains($request['body'], 'आशा/देवी') && !str_contains($request['body'], 'BankName'));
        same(['POST', '/aeps/withdrawal', 'Bearer token-1'], [$request['method'], $request['path'], $request['headers']['authorization']]);
        foreach (['5,0', '', ' 5', '1e3', '0x1', '05'] as $bad) {
            throws(InvalidArgumentException::class, fn () => World::withdraw($w->direct([]), $bad), 'TxnAmount');
        }
        throws(TypeError::class, fn () => $w->direct([])->dmtTransactionCharges(senderId: 'x', amount: 1.5));
        throws(InvalidArgumentException::class, fn () => $w->direct([])->call('POST', '/aeps/balance', ['TxnAmount' => 1.5]), 'TxnAmount is a float');
        same([], $w->fake->requests);
    },
    'places' => function (): void {
        $w = new World();
        $client = $w->direct(array_fill(0, 4, World::SUCCESS));
        $client->vendorCommissionEarnings(vendorId: 'a/b', from: '2026-11-01', groupBy: 'day,type');
        $client->terminalsDelete(id: 't1', merchantId: 'm');
        $client->aepsRequery(clientRefId: 'r');
        $client->aepsBanks();
        same([['GET', '/vendor-commission/a%2Fb/earnings?from=2026-11-01&groupBy=day%2Ctype', null], ['DELETE', '/terminals/t1', '{"merchantId":"m"}'], ['POST', '/aeps/requery', '{"clientRefId":"r"}'], ['GET', '/aeps/banks', null]],
            array_map(fn ($r) => [$r['method'], $r['path'], $r['body']], $w->fake->requests));
        throws(InvalidArgumentException::class, fn () => $client->operationsGet(id: ''), 'id must be');
    },
    'merchant of the client' => function (): void {
        $w = new World();
        $client = $w->direct([World::SUCCESS, World::SUCCESS, World::SUCCESS, World::BANKS], merchantId: 'mine');
        $client->aepsRequery(clientRefId: 'r');
        $client->aepsRequery(clientRefId: 'r', merchantId: 'other');
        $client->call('POST', '/aeps/requery', ['clientRefId' => 'r', 'x' => new Decimal('1.50')]);
        $client->aepsBanks();
        same(['{"clientRefId":"r","merchantId":"mine"}', '{"clientRefId":"r","merchantId":"other"}', '{"clientRefId":"r","x":1.50,"merchantId":"mine"}', null], array_column($w->fake->requests, 'body'));
    },
    'addresses' => function (): void {
        foreach (['http://api.example.in', 'http://10.0.0.1:7100', 'http://127.0.0.1.example.in'] as $url) {
            throws(InvalidArgumentException::class, fn () => new DirectClient($url, 'a', 'b'), 'https');
            new DirectClient($url, 'a', 'b', insecure: true);
        }
        foreach (['https://api.example.in/v1', 'ftp://x', 'api.example.in', 'https://user:pw@x', 'https://x?y'] as $url) {
            throws(InvalidArgumentException::class, fn () => new DirectClient($url, 'a', 'b', insecure: true), 'baseUrl');
        }
    },
    'tokens' => function (): void {
        $w = new World();
        $client = $w->direct([World::BANKS, World::BANKS, World::BANKS]);
        $client->aepsBanks();
        $w->now += 839;
        $client->aepsBanks();
        same(1, count($w->fake->tokens));
        $w->now += 2;
        $client->aepsBanks();
        same(['Bearer token-1', 'Bearer token-1', 'Bearer token-2'], array_map(fn ($r) => $r['headers']['authorization'], $w->fake->requests));
        same(['grant_type=client_credentials', 'Basic c2hvcDp0b3Atc2VjcmV0'], [$w->fake->tokens[0]['body'], $w->fake->tokens[0]['headers']['authorization']]);
        $client = $w->direct([World::refusal(401, '03'), World::SUCCESS]);
        same(true, World::withdraw($client)->ok());
        same([2, 1], [count($w->fake->tokens), count(array_unique($w->fake->keys()))]);
        throws(AuthenticationError::class, fn () => World::withdraw($w->direct([World::refusal(401, '03'), World::refusal(401, '03')])));
        same(2, count($w->fake->requests));
        $client = $w->direct([]);
        $w->fake->tokenReplies = [[401, ['statusCode' => '03', 'message' => 'Not authenticated', 'error' => 'invalid_client'], []]];
        throws(AuthenticationError::class, $client->aepsBanks(...));
        same([], $w->fake->requests);
        $w->direct([[201, ['statusCode' => '00', 'message' => 'm', 'data' => []]]])->terminalsEnrol(code: 'ABCD', publicKey: 'k', name: 'n');
        same([[], false], [$w->fake->tokens, isset($w->fake->requests[0]['headers']['authorization'])]);
    },
    'token store' => function (): void {
        $store = new class () implements TokenStore {
            public array $kept = ['token' => '', 'renewAt' => 0];

            public function load(): ?array
            {
                return $this->kept;
            }

            public function save(string $token, int $renewAt): void
            {
                $this->kept = ['token' => $token, 'renewAt' => $renewAt];
            }
        };
        $w = new World();
        $w->direct([World::BANKS], tokens: $store)->aepsBanks();
        same(['token' => 'token-1', 'renewAt' => 1_795_254_240], $store->kept);
        $w->direct([World::BANKS], tokens: $store)->aepsBanks();
        same([], $w->fake->tokens);
        $w->direct([World::refusal(401, '03'), World::BANKS], tokens: $store)->aepsBanks();
        same(1, count($w->fake->tokens));
    },
    'retries' => function (): void {
        $w = new World();
        $result = World::withdraw($w->direct([Fake::DROP, Fake::DROP, World::SUCCESS]));
        same([array_fill(0, 3, $result->idempotencyKey), 1, [0.25, 0.5]], [$w->fake->keys(), count(array_unique(array_column($w->fake->requests, 'body'))), $w->sleeps]);
        World::withdraw($w->direct([Fake::DROP, World::SUCCESS]), idempotencyKey: 'order-1');
        same(['order-1', 'order-1'], $w->fake->keys());
        foreach (['', 'ä', 'a b', str_repeat('x', 129)] as $key) {
            throws(InvalidArgumentException::class, fn () => World::withdraw($w->direct([]), idempotencyKey: $key), 'idempotencyKey');
        }
        $unknown = throws(OutcomeUnknownError::class, fn () => World::withdraw($w->direct(array_fill(0, 9, Fake::DROP))), 'same key');
        same([4, $w->fake->keys()[0]], [count($w->fake->requests), $unknown->idempotencyKey]);
        foreach ([Fake::DROP, World::refusal(500, '500')] as $reply) {
            throws(OutcomeUnknownError::class, fn () => $w->direct([$reply, World::SUCCESS])->terminalsCreate(name: 't'));
            same([null], $w->fake->keys());
        }
        throws(NotSentError::class, fn () => $w->direct(array_fill(0, 4, Fake::CLOSED))->terminalsCreate(name: 't'), 'same key');
        same(true, $w->direct([Fake::DROP, World::BANKS])->aepsBanks()->ok());
    },
    'rates' => function (): void {
        $w = new World();
        same(true, World::withdraw($w->direct([[429, ['statusCode' => '07', 'message' => 'm'], ['retry-after' => '7']], World::SUCCESS]))->ok());
        same([7.0], $w->sleeps);
        $limited = throws(RateLimitError::class, fn () => World::withdraw($w->direct([[429, ['statusCode' => '07', 'message' => 'm'], ['retry-after' => '31']], World::SUCCESS])));
        same([31, 1], [$limited->retryAfter, count($w->fake->requests)]);
    },
    'a refusal after a lost reply tells nothing of the first' => function (): void {
        foreach ([World::refusal(429, '07'), World::refusal(403, '01'), World::refusal(404, '04'), World::refusal(422, '05'), Fake::CLOSED] as $reply) {
            throws(OutcomeUnknownError::class, fn () => World::withdraw((new World())->direct([Fake::DROP, $reply], attempts: 2)));
        }
        throws(NotSentError::class, fn () => World::withdraw((new World())->direct([Fake::DROP, World::refusal(502, '10')], attempts: 2)));
        throws(RefusedError::class, fn () => World::withdraw((new World())->direct([Fake::DROP, [...World::refusal(422, '05'), ['idempotent-replayed' => 'true']]], attempts: 2)));
        $plain = [429, ['statusCode' => '07', 'message' => 'm'], ['plain' => '1', 'retry-after' => '1']];
        same(true, World::withdraw((new World())->gateway([$plain, World::SUCCESS]))->ok());
        throws(OutcomeUnknownError::class, fn () => World::withdraw((new World())->gateway([$plain, $plain], attempts: 2)));
    },
    'bank unreachable, server errors' => function (): void {
        $w = new World();
        throws(NotSentError::class, fn () => World::withdraw($w->direct([World::refusal(502, '10'), World::SUCCESS])), 'new key');
        same(1, count($w->fake->requests));
        $open = World::refusal(502, '10', ['reference' => 'AEPS-NR-1']);
        same(true, $w->direct([$open, [200, ['statusCode' => '00', 'message' => 'm', 'data' => ['status' => 'X']]]])->aepsSubmit()->ok());
        $result = $w->direct(array_fill(0, 4, $open))->aepsSubmit();
        same(['pending', 'AEPS-NR-1'], [$result->state->value, $result->reference]);
        same(true, $w->direct([World::refusal(502, '10'), World::refusal(200, '00')])->dmtRemitterDetails(sender_mobilenumber: '9000000001')->ok());
        same(true, World::withdraw($w->direct([World::refusal(500, '500'), [503, '<html>busy</html>'], [502, ''], World::SUCCESS]))->ok());
        same(1, count(array_unique($w->fake->keys())));
        throws(OutcomeUnknownError::class, fn () => World::withdraw($w->direct([[200, '<html>portal</html>'], World::SUCCESS])), 'something else answered');
        same(1, count($w->fake->requests));
    },
    'refusals' => function (): void {
        $errors = [['field' => 'TxnAmount', 'rule' => 'decimals', 'message' => 'must have at most two decimals']];
        $invalid = throws(ValidationError::class, fn () => World::withdraw((new World())->direct([World::refusal(400, '02', ['data' => ['errors' => $errors]])])), 'TxnAmount must have');
        same([1, 'TxnAmount', 'decimals', '02', 'request-1'], [count($invalid->fields), $invalid->fields[0]->field, $invalid->fields[0]->rule, $invalid->statusCode, $invalid->requestId]);
        foreach ([403 => RefusedError::class, 404 => NotFoundError::class, 409 => ConflictError::class, 422 => RefusedError::class] as $status => $class) {
            $w = new World();
            throws($class, fn () => World::withdraw($w->direct([World::refusal($status, '05'), World::SUCCESS])));
            same(1, count($w->fake->requests));
        }
    },
    'wait for AEPS' => function (): void {
        $w = new World();
        $client = $w->direct([World::PENDING, World::PENDING, Fake::DROP, World::SUCCESS], attempts: 1);
        $first = World::withdraw($client, merchantId: 'm');
        $result = $client->wait($first);
        same(Galla\Data\Withdrawal::class, $result->data::class);
        same(['success', $first->idempotencyKey, [1.0, 2.0, 4.0]], [$result->state->value, $result->idempotencyKey, $w->sleeps]);
        same(['/aeps/requery', '{"reference":"AEPS-NR-1795253400123","merchantId":"m"}'], [$w->fake->requests[1]['path'], $w->fake->requests[1]['body']]);
        $client = $w->direct([World::PENDING, World::data(['ResponseCode' => '51', 'txnStatus' => 'FAILED'])]);
        same('51', $client->wait(World::withdraw($client, clientRefId: 'mine'))->responseCode);
        same('{"clientRefId":"mine"}', $w->fake->requests[1]['body']);
        $w = new World();
        $client = $w->direct(array_fill(0, 9, World::PENDING));
        same([true, 10.0], [$client->wait(World::withdraw($client), 10)->isPending(), array_sum($w->sleeps)]);
        same($result, $client->wait($result));
    },
    'wait for transfer, refund, step' => function (): void {
        $pending = [200, ['statusCode' => '00', 'message' => 'Transaction pending', 'data' => ['transactionId' => 'GL1', 'amount' => 25, 'status' => 'PENDING'], 'reference' => 'DMT-NR-1']];
        foreach (['SUCCESS' => 'success', 'REFUNDED' => 'success', 'FAILED' => 'declined', 'REVERSED' => 'reversed'] as $status => $state) {
            $w = new World();
            $client = $w->direct([$pending, $pending, [200, ['statusCode' => '00', 'message' => 'm', 'data' => ['status' => $status, 'amount' => 25]]]]);
            $result = $client->wait($client->dmtTransactionInstant(...World::TRANSFER));
            same([$state, $state === 'success' ? '00' : '', '{"refId":"order-1"}'], [$result->state->value, $result->responseCode, $w->fake->requests[2]['body']]);
        }
        $client = $w->direct([$pending, [200, ['statusCode' => '00', 'message' => 'm', 'data' => ['refundId' => 'GL2', 'amount' => 25]]]]);
        $result = $client->wait($client->dmtRefund(transactionId: 'GL1', refId: 'order-1', otp: '123456'));
        same(['GL2', 1, 1], [$result->data->refundId, count(array_unique($w->fake->keys())), count(array_unique(array_column($w->fake->requests, 'body')))]);
        $client = $w->direct([World::refusal(502, '10', ['reference' => 'AEPS-NR-1']), World::refusal(502, '10')], attempts: 1);
        throws(NotSentError::class, fn () => $client->wait($client->aepsSubmit()));
    },
    'gateway seals anew' => function (): void {
        $w = new World();
        $result = World::withdraw($w->gateway([Fake::DROP, [429, ['statusCode' => '07', 'message' => 'm'], ['retry-after' => '2']], World::SUCCESS], merchantId: 'mine'));
        $texts = array_unique(array_map($w->fake->open(...), [0, 1, 2]));
        same(['success', 1, 1, 3], [$result->state->value, count($texts), count(array_unique($w->fake->keys())), count(array_unique(array_map(fn ($r) => $r['headers']['x-iv'], $w->fake->requests)))]);
        same(['mine', '/process/aeps/withdrawal', $result->idempotencyKey], [json_decode($texts[0], true)['merchantId'], $w->fake->requests[0]['path'], $w->fake->keys()[0]]);
        $client = $w->gateway([World::SUCCESS, World::SUCCESS]);
        $client->dmtCustomerStatusCheck(referenceid: 'r');
        $client->vendorCommissionEarnings(vendorId: 'v', from: '2026-11-01');
        same(['{"referenceid":"r"}', '{"from":"2026-11-01"}'], [$w->fake->open(0), $w->fake->open(1)]);
        same([false, true], [method_exists(GatewayClient::class, 'upiGenerateQr'), method_exists(DirectClient::class, 'upiGenerateQr')]);
        foreach (['order-1', 'BD97163B-32D4-49F5-85E5-F63C15CE68B0'] as $key) {
            throws(InvalidArgumentException::class, fn () => World::withdraw($w->gateway([]), idempotencyKey: $key), 'UUID');
        }
    },
    'gateway refuses what is not genuine' => function (): void {
        throws(NotFoundError::class, fn () => World::withdraw((new World())->gateway([World::refusal(404, '01')])));
        throws(AuthenticationError::class, fn () => (new World())->gateway([[401, ['statusCode' => '03'], ['plain' => '1']]])->aepsBanks(), 'look at the client id, the key, the clock');
        throws(OutcomeUnknownError::class, fn () => World::withdraw((new World())->gateway([Fake::DROP, [401, ['statusCode' => '03'], ['plain' => '1']]])));
        throws(OutcomeUnknownError::class, fn () => World::withdraw((new World())->gateway([[200, ['statusCode' => '00'], ['plain' => '1']]])), 'something else answered');
        foreach ([
            'checksum is wrong' => ['checksum' => str_repeat('0', 64)], 'another call' => ['request_id' => 'bd97163b-32d4-49f5-85e5-f63c15ce68b0'],
            'not now' => ['timestamp' => '1700000000000'], 'does not decrypt' => ['tag' => 'AAAAAAAAAAAAAAAAAAAAAA=='], '12 bytes' => ['iv' => 'AAAA'],
        ] as $words => $change) {
            $w = new World();
            $client = $w->gateway([World::SUCCESS, World::SUCCESS]);
            $w->fake->spoil = fn (array $m): array => $change + $m;
            throws(OutcomeUnknownError::class, fn () => World::withdraw($client), $words);
            same(1, count($w->fake->requests));
        }
        foreach (['', substr(Fake::KEY, 1), Fake::KEY . '0'] as $key) {
            throws(InvalidArgumentException::class, fn () => new GatewayClient('https://g.example.in', 'a', $key), '64 hex or 44 base64');
        }
    },
    'secrecy' => function (): void {
        $w = new World();
        $client = $w->direct([World::PENDING, World::refusal(409, '09')]);
        $result = World::withdraw($client);
        $conflict = throws(ConflictError::class, fn () => $client->dmtTransactionInstant(...World::TRANSFER));
        $gateway = new GatewayClient('https://g.example.in', 'a', Fake::KEY);
        $shown = '';
        foreach ([$client, $result, $gateway, $result->prepared()] as $one) {
            ob_start();
            var_dump($one);
            $shown .= ob_get_clean() . print_r($one, true) . json_encode($one);
            throws(Exception::class, fn () => serialize($one), 'not allowed');
        }
        $shown .= $conflict . var_export($result, true);
        foreach (['top-secret', 'dG9wLXNlY3JldA', 'token-1', World::AADHAAR, 'finger', Fake::KEY, '482913'] as $secret) {
            same(false, str_contains($shown, $secret), "shows $secret");
        }
        same([true, true], [str_contains($shown, 'shop'), str_contains($shown, $result->reference)]);
    },
];
