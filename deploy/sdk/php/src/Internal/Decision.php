<?php

declare(strict_types=1);

namespace Galla\Internal;

/**
 * What follows an attempt.
 *
 * @internal
 */
enum Decision
{
    case Repeat; // send it again, with the same key
    case Result; // the reply is the result
    case Pending; // the reply says that the operation is pending
    case Refused; // the reply is a refusal (4xx)
    case RateLimited;
    case NotSent; // nothing was sent to the bank
    case Unknown; // whether it ran is unknown
}
