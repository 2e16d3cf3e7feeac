"""What can go wrong. Every error is a GallaError; none of them quotes what was sent."""

from dataclasses import dataclass
from typing import Tuple


class GallaError(Exception):
    """The base of all errors of this package.

    message says what happened and what to do. http_status is 0 where no reply came;
    status_code is the reply's statusCode; request_id names the request in the logs of the
    central; idempotency_key is the identity of the operation ('' for calls that are none);
    reply is the JSON text of the reply.
    """

    def __init__(self, message: str, *, http_status: int = 0, status_code: str = "", request_id: str = "",
                 idempotency_key: str = "", reply: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.http_status = http_status
        self.status_code = status_code
        self.request_id = request_id
        self.idempotency_key = idempotency_key
        self.reply = reply


@dataclass(frozen=True)
class FieldError:
    """One wrong field: its name, a word for programs, and words for people."""

    field: str
    rule: str
    message: str


class ValidationError(GallaError):
    """HTTP 400: fields are missing or malformed. Nothing ran, and the key is not used up."""

    fields: Tuple[FieldError, ...] = ()


class AuthenticationError(GallaError):
    """HTTP 401: token, client secret, API key, key or clock are wrong. This request did nothing."""


class RefusedError(GallaError):
    """HTTP 403, 404, 405, 413, 422: the request is well formed and not allowed. Nothing ran."""


class NotFoundError(RefusedError):
    """HTTP 404: no such merchant, route or record of the caller's own."""


class ConflictError(GallaError):
    """HTTP 409: the key or reference names another operation. This request did not run."""


class RateLimitError(GallaError):
    """HTTP 429: too many calls. Nothing was done; retry_after is how many seconds to wait."""

    retry_after: float = 0.0


class NotSentError(GallaError):
    """Nothing reached the bank, and no money moved.

    After HTTP 502 the key is used up: try again with a new one. Where no connection could
    be made (http_status is 0), the same key is as good.
    """


class OutcomeUnknownError(GallaError):
    """It is unknown whether the operation ran. Repeat it with the same key, which is safe. Pay nothing out."""


class DeclinedError(GallaError):
    """The bank declined or reversed the operation; only Result.or_raise raises it."""

    response_code: str = ""


class PendingError(GallaError):
    """The bank has not answered; only Result.or_raise raises it. Pay nothing out, and wait."""

    reference: str = ""


class CallbackError(GallaError):
    """A callback is not genuine, or cannot be read.

    reason is missing-header, bad-timestamp, too-old, bad-signature or bad-body.
    """

    reason: str = ""
