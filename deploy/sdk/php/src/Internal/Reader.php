<?php

declare(strict_types=1);

namespace Galla\Internal;

use Galla\Result;
use Galla\State;

/**
 * Makes results of replies.
 *
 * @internal
 */
final class Reader
{
    /** @return Result<mixed> */
    public static function result(Prepared $call, Answer $answer, bool $pending): Result
    {
        $route = $call->route;
        $members = $answer->members ?? [];
        $raw = $route->bare ? $members : (is_array($members['data'] ?? null) ? $members['data'] : null);
        $code = $answer->member('statusCode');
        $bank = $route->aeps && $raw !== null ? Read::text($raw, 'ResponseCode') : null;
        $state = $pending ? State::Pending : self::state($route, $answer, $raw ?? []);
        $failed = $state === State::Declined || $state === State::Reversed;
        return new Result(
            state: $state,
            statusCode: $code,
            message: $answer->member('message'),
            responseCode: $failed && ($bank ?? $code) === '00' ? '' : $bank ?? $code, // the requery of a transfer has no code of the bank
            data: self::data($route, $raw),
            extra: $route->bare ? [] : array_diff_key($members, ['statusCode' => 1, 'message' => 1, 'data' => 1]),
            reference: $answer->member('reference'),
            idempotencyKey: $call->key,
            replayed: ($answer->headers['idempotent-replayed'] ?? '') === 'true',
            httpStatus: $answer->status,
            requestId: $answer->headers['x-request-id'] ?? '',
            reply: new Hidden($answer->text),
            prepared: $call,
        );
    }

    /**
     * The answer of a requery as a result of the operation that it was asked after.
     *
     * @param Result<mixed> $answer
     * @param Result<mixed> $pending
     * @return Result<mixed>
     */
    public static function ofOperation(Result $answer, Result $pending, Prepared $call): Result
    {
        return new Result($answer->state, $answer->statusCode, $answer->message, $answer->responseCode, $answer->data, $answer->extra,
            $answer->reference !== '' ? $answer->reference : $pending->reference, $pending->idempotencyKey, $answer->replayed, $answer->httpStatus,
            $answer->requestId, new Hidden($answer->reply()), $call);
    }

    /**
     * @param array<mixed>|null $raw
     * @return object|array<mixed>|null
     */
    private static function data(Route $route, #[\SensitiveParameter] ?array $raw): object|array|null
    {
        if ($raw === null || $route->data === null) {
            return $raw;
        }
        return $route->list ? Read::all($raw, $route->data) : $route->data::from($raw);
    }

    /** @param array<mixed> $data */
    private static function state(Route $route, Answer $answer, #[\SensitiveParameter] array $data): State
    {
        if ($route->bare) {
            return State::Success;
        }
        if ($answer->member('txnStatus') === 'PENDING') {
            return State::Pending;
        }
        $accepted = $answer->member('statusCode') === '00';
        if ($route->aeps && $data !== []) {
            return match (true) {
                ($data['txnStatus'] ?? '') === 'REVERSED' => State::Reversed,
                ($data['ResponseCode'] ?? '') === '00' && ($data['txnStatus'] ?? 'SUCCESS') === 'SUCCESS' => State::Success,
                default => State::Declined,
            };
        }
        if (($route->transfer || $route->kind === 'money') && isset($data['status'])) {
            return self::transferState((string) $data['status']);
        }
        if ($route->kind === 'money' && $accepted && $data === []) {
            return State::Pending; // 00 alone does not say that money moved
        }
        return $accepted ? State::Success : State::Declined;
    }

    private static function transferState(string $status): State
    {
        return match ($status) {
            'SUCCESS', 'REFUNDED' => State::Success,
            'PENDING' => State::Pending,
            'REVERSED' => State::Reversed,
            default => State::Declined,
        };
    }
}
