<?php

declare(strict_types=1);

namespace Galla\Internal;

use Galla\HttpReply;

/**
 * A reply that was read. $members is null where it is no JSON object; $why says what is
 * wrong with it.
 *
 * @internal
 */
final class Answer
{
    /**
     * @param array<string, string> $headers
     * @param array<string, mixed>|null $members
     */
    public function __construct(public readonly int $status, public readonly array $headers, public readonly string $text, public readonly ?array $members, public readonly string $why = '')
    {
    }

    /** Reads a plain reply. A list as CSV has no envelope: it is the reply's text. */
    public static function read(HttpReply $reply): self
    {
        if ($reply->status === 200 && strtolower(trim(explode(';', $reply->headers['content-type'] ?? '')[0])) === 'text/csv') {
            return new self($reply->status, $reply->headers, $reply->body, ['statusCode' => '00']);
        }
        $members = Json::read($reply->body);
        return $members === null
            ? new self($reply->status, $reply->headers, '', null, "HTTP {$reply->status} that is no JSON object: something else answered")
            : new self($reply->status, $reply->headers, $reply->body, $members);
    }

    /** A member that is a string, or ''. */
    public function member(string $name): string
    {
        $value = $this->members[$name] ?? null;
        return is_string($value) ? $value : '';
    }

    public function judge(): Attempt
    {
        if ($this->why !== '' && !in_array($this->status, [401, 429], true) && $this->status < 500) {
            return new Attempt(Happened::NotGenuine, $this->status);
        }
        $after = $this->headers['retry-after'] ?? '';
        return new Attempt(Happened::Reply, $this->status, $this->member('statusCode'), $this->member('reference'),
            preg_match('/\A[0-9]{1,6}\z/', $after) ? (int) $after : null, $this->members !== null);
    }

    /** What it says, for messages. */
    public function words(): string
    {
        return $this->why !== '' ? $this->why : rtrim("HTTP {$this->status}, {$this->member('statusCode')} {$this->member('message')}");
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['status' => $this->status, 'why' => $this->why];
    }
}
