<?php

declare(strict_types=1);

namespace Galla;

/** HTTP 401: token, client secret, API key, key or clock are wrong. This request did nothing. */
final class AuthenticationError extends GallaError
{
}
