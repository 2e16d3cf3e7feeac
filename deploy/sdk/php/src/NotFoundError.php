<?php

declare(strict_types=1);

namespace Galla;

/** HTTP 404: no such merchant, route or record of the caller's own. */
final class NotFoundError extends RefusedError
{
}
