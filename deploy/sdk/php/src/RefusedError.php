<?php

declare(strict_types=1);

namespace Galla;

/** HTTP 403, 404, 405, 413, 422: the request is well formed and not allowed. Nothing ran. */
class RefusedError extends GallaError
{
}
