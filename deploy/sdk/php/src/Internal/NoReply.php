<?php

declare(strict_types=1);

namespace Galla\Internal;

/** The connection failed before a whole reply had come. Whether the request arrived is unknown. */
final class NoReply extends \Exception
{
}
