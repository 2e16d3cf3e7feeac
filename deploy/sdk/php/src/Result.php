<?php

declare(strict_types=1);

namespace Galla;

/**
 * What the central answered.
 *
 * Look at $state (or ok()), never at $statusCode alone, which is '00' of a pending reply,
 * too. $responseCode is the bank's code; it is empty where a requery told a decline, since
 * that has no code. $data is typed by the route and may be null. $extra has the members of
 * the reply beside statusCode, message and data. var_dump shows neither data nor reply.
 *
 * @template-covariant T
 */
final class Result
{
    /**
     * @param T $data
     * @param array<string, mixed> $extra
     * @internal
     */
    public function __construct(
        public readonly State $state,
        public readonly string $statusCode,
        public readonly string $message,
        public readonly string $responseCode,
        public readonly object|array|null $data,
        public readonly array $extra,
        public readonly string $reference,
        public readonly string $idempotencyKey,
        public readonly bool $replayed,
        public readonly int $httpStatus,
        public readonly string $requestId,
        private readonly Internal\Hidden $reply,
        private readonly Internal\Prepared $prepared,
    ) {
    }

    /** Whether the operation succeeded. Pending is not ok, and no failure either. */
    public function ok(): bool
    {
        return $this->state === State::Success;
    }

    /** Whether the bank has not answered yet: pay nothing out, and call wait. */
    public function isPending(): bool
    {
        return $this->state === State::Pending;
    }

    /** The JSON text of the reply as it came. */
    public function reply(): string
    {
        return $this->reply->reveal();
    }

    /**
     * Returns itself after a success.
     *
     * @return self<T>
     * @throws DeclinedError|PendingError
     */
    public function orThrow(): self
    {
        $about = [$this->httpStatus, $this->statusCode, $this->requestId, $this->idempotencyKey, $this->reply()];
        return match ($this->state) {
            State::Success => $this,
            State::Pending => throw new PendingError("{$this->message}: pay nothing out, and wait for the end", ...[...$about, $this->reference]),
            default => throw new DeclinedError("{$this->state->value}: {$this->responseCode} {$this->message}", ...[...$about, $this->responseCode]),
        };
    }

    /** @internal */
    public function prepared(): Internal\Prepared
    {
        return $this->prepared;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['state' => $this->state->value, 'statusCode' => $this->statusCode, 'message' => $this->message, 'responseCode' => $this->responseCode,
            'reference' => $this->reference, 'idempotencyKey' => $this->idempotencyKey];
    }
}
