<?php

declare(strict_types=1);

namespace Galla\Internal;

/** There was no connection, so nothing was sent. */
final class NotSent extends \Exception
{
}
