<?php

declare(strict_types=1);

namespace Galla\Internal;

/**
 * How one attempt ended.
 *
 * @internal
 */
enum Happened
{
    case NotSent; // there was no connection
    case NoReply; // the connection failed after sending began
    case NotGenuine; // a reply came that is not the central's
    case Reply;
}
