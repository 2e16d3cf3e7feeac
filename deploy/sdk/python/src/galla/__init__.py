"""Galla: agent banking, money transfer and partner administration.

DirectClient calls with an access token, GatewayClient in sealed messages. Both have a
method for every route that they can call. Amounts are rupees: int, or decimal.Decimal
with at most two decimals; a float is refused.
"""

from ._client import new_key
from .callbacks import CallbackEvent, verify_callback
from .direct import DirectClient
from .errors import (AuthenticationError, CallbackError, ConflictError, DeclinedError, FieldError, GallaError, NotFoundError,
                     NotSentError, OutcomeUnknownError, PendingError, RateLimitError, RefusedError, ValidationError)
from .gateway import GatewayClient
from .result import DECLINED, PENDING, REVERSED, SUCCESS, Result
from .version import VERSION as __version__

__all__ = [
    "AuthenticationError", "CallbackError", "CallbackEvent", "ConflictError", "DECLINED", "DeclinedError", "DirectClient", "FieldError",
    "GallaError", "GatewayClient", "NotFoundError", "NotSentError", "OutcomeUnknownError", "PENDING", "PendingError", "REVERSED",
    "RateLimitError", "RefusedError", "Result", "SUCCESS", "ValidationError", "__version__", "new_key", "verify_callback",
]
