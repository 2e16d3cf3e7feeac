<?php

declare(strict_types=1);

namespace Galla;

/** It is unknown whether the operation ran. Repeat it with the same key, which is safe. Pay nothing out. */
final class OutcomeUnknownError extends GallaError
{
}
