"""The result of a call that was answered."""

from typing import TYPE_CHECKING, Any, Dict, Generic, Optional, TypeVar

from .errors import DeclinedError, PendingError

if TYPE_CHECKING:
    from ._client import Prepared

T = TypeVar("T")

SUCCESS = "success"
DECLINED = "declined"
REVERSED = "reversed"
PENDING = "pending"


class Result(Generic[T]):
    """What the central answered.

    state is success, declined, reversed or pending: look at it (or at ok), never at
    status_code alone, which is '00' of a pending reply, too. response_code is the bank's
    code; it is empty where a requery told a decline, since that has no code. data is typed
    by the route and may be None. extra has the members of the reply beside statusCode,
    message and data. reply is the JSON text as it came. repr shows neither data nor reply.
    """

    __slots__ = ("state", "status_code", "message", "response_code", "data", "extra", "reference",
                 "idempotency_key", "replayed", "http_status", "request_id", "reply", "_prepared")

    def __init__(self, *, state: str, status_code: str, message: str, response_code: str, data: Optional[T],
                 extra: Dict[str, Any], reference: str, idempotency_key: str, replayed: bool, http_status: int,
                 request_id: str, reply: str, prepared: "Optional[Prepared]" = None) -> None:
        self.state = state
        self.status_code = status_code
        self.message = message
        self.response_code = response_code
        self.data = data
        self.extra = extra
        self.reference = reference
        self.idempotency_key = idempotency_key
        self.replayed = replayed
        self.http_status = http_status
        self.request_id = request_id
        self.reply = reply
        self._prepared = prepared

    @property
    def ok(self) -> bool:
        """Whether the operation succeeded. Pending is not ok, and no failure either."""
        return self.state == SUCCESS

    @property
    def pending(self) -> bool:
        """Whether the bank has not answered yet: pay nothing out, and call wait."""
        return self.state == PENDING

    def or_raise(self) -> "Result[T]":
        """Returns itself after a success, and raises DeclinedError or PendingError otherwise."""
        if self.ok:
            return self
        about = {"http_status": self.http_status, "status_code": self.status_code, "request_id": self.request_id,
                 "idempotency_key": self.idempotency_key, "reply": self.reply}
        if self.pending:
            pending = PendingError(f"{self.message}: pay nothing out, and wait for the end", **about)  # type: ignore[arg-type]
            pending.reference = self.reference
            raise pending
        declined = DeclinedError(f"{self.state}: {self.response_code} {self.message}", **about)  # type: ignore[arg-type]
        declined.response_code = self.response_code
        raise declined

    def __repr__(self) -> str:
        return (f"Result(state={self.state!r}, status_code={self.status_code!r}, message={self.message!r}, "
                f"response_code={self.response_code!r}, reference={self.reference!r}, idempotency_key={self.idempotency_key!r})")

    def __reduce__(self) -> Any:
        # The request body may hold a capture, which must not be stored.
        raise TypeError("a Result cannot be pickled: store its idempotency_key and reference")
