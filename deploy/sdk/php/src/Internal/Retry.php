<?php

declare(strict_types=1);

namespace Galla\Internal;

/**
 * The rule that says whether a request is sent again.
 *
 * @internal
 */
final class Retry
{
    /**
     * $identity: the route takes a key, so a repeat gets the first one's reply. $repeatable:
     * it does, or it changes nothing. $last: no attempt is left. A request that may have run
     * is repeated only where that is safe, and only under the same key.
     */
    public static function decide(Attempt $attempt, bool $identity, bool $repeatable, bool $last, int $maxRetryAfter): Decision
    {
        if ($attempt->happened !== Happened::Reply) {
            return match ($attempt->happened) {
                Happened::NotSent => $last ? Decision::NotSent : Decision::Repeat,
                Happened::NoReply => $repeatable && !$last ? Decision::Repeat : Decision::Unknown,
                default => Decision::Unknown,
            };
        }
        $status = $attempt->status;
        return match (true) {
            $status === 429 && !$last && ($attempt->retryAfter ?? 0) <= $maxRetryAfter => Decision::Repeat,
            $status === 429 => $attempt->own ? Decision::RateLimited : Decision::Unknown,
            $status === 502 && $attempt->own && $attempt->statusCode === '10' => self::bankUnreachable($attempt, $identity, $repeatable, $last),
            $status >= 500 => ($repeatable || $status === 503) && !$last ? Decision::Repeat : Decision::Unknown,
            $status >= 400 => Decision::Refused,
            default => $attempt->own && $status >= 200 && $status < 300 ? Decision::Result : Decision::Unknown,
        };
    }

    private static function bankUnreachable(Attempt $attempt, bool $identity, bool $repeatable, bool $last): Decision
    {
        if ($identity) {
            // Without a reference the operation is final, and its key is used up.
            return $attempt->reference === '' ? Decision::NotSent : ($last ? Decision::Pending : Decision::Repeat);
        }
        return $repeatable && !$last ? Decision::Repeat : Decision::NotSent;
    }

    /** The pause after the attempt with this number (from 0), in seconds; $random is from 0 to 1. */
    public static function backoff(int $attempt, float $random): float
    {
        return min(0.25 * 2 ** $attempt, 4.0) * (0.5 + $random / 2);
    }
}
