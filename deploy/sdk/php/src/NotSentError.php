<?php

declare(strict_types=1);

namespace Galla;

/**
 * Nothing reached the bank, and no money moved.
 *
 * After HTTP 502 the key is used up: try again with a new one. Where no connection could
 * be made ($httpStatus is 0), the same key is as good.
 */
final class NotSentError extends GallaError
{
}
