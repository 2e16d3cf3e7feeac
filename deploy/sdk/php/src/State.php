<?php

declare(strict_types=1);

namespace Galla;

/** What became of an operation. Pending is neither success nor failure: pay nothing out. */
enum State: string
{
    case Success = 'success';
    case Declined = 'declined';
    case Reversed = 'reversed';
    case Pending = 'pending';
}
