<?php

declare(strict_types=1);

namespace Galla;

/** HTTP 409: the key or reference names another operation. This request did not run. */
final class ConflictError extends GallaError
{
}
