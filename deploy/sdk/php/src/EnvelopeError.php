<?php

declare(strict_types=1);

namespace Galla;

/** What came is not genuine, or what was given cannot be used. */
final class EnvelopeError extends \InvalidArgumentException
{
}
