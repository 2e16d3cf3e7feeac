<?php

declare(strict_types=1);

namespace Galla;

use Galla\Data\FinishedOperation;

/** A verified callback. A repeated one has the same $webhookId: handle it once. */
final class CallbackEvent
{
    public function __construct(public readonly string $webhookId, public readonly string $type, public readonly string $timestamp, public readonly FinishedOperation $data)
    {
    }
}
