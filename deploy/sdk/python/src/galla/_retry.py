"""The rule that says whether a request is sent again."""

from dataclasses import dataclass
from enum import Enum
from typing import Optional


class Happened(Enum):
    """How one attempt ended."""

    NOT_SENT = "there was no connection"
    NO_REPLY = "the connection failed after sending began"
    NOT_GENUINE = "a reply came that is not the central's"
    REPLY = "a reply came"


class Decision(Enum):
    """What follows."""

    REPEAT = "send it again, with the same key"
    RESULT = "the reply is the result"
    PENDING = "the reply says that the operation is pending"
    REFUSED = "the reply is a refusal (4xx)"
    RATE_LIMITED = "too many calls"
    NOT_SENT = "nothing was sent to the bank"
    UNKNOWN = "whether it ran is unknown"


@dataclass(frozen=True)
class Attempt:
    """One attempt. status is 0 where no reply came; own is whether the reply is JSON of the central."""

    happened: Happened
    status: int = 0
    status_code: str = ""
    reference: str = ""
    retry_after: Optional[float] = None
    own: bool = True


def decide(attempt: Attempt, *, identity: bool, repeatable: bool, last: bool, max_retry_after: float) -> Decision:
    """Decides.

    identity: the route takes a key, so a repeat gets the first one's reply. repeatable: it
    does, or it changes nothing. last: no attempt is left. A request that may have run is
    repeated only where that is safe, and only under the same key.
    """
    again = Decision.REPEAT
    if attempt.happened is Happened.NOT_SENT:
        return Decision.NOT_SENT if last else again
    if attempt.happened is Happened.NOT_GENUINE:
        return Decision.UNKNOWN
    if attempt.happened is Happened.NO_REPLY:
        return again if repeatable and not last else Decision.UNKNOWN
    if attempt.status == 429:
        if not last and (attempt.retry_after or 0) <= max_retry_after:
            return again
        return Decision.RATE_LIMITED if attempt.own else Decision.UNKNOWN
    if attempt.status == 502 and attempt.own and attempt.status_code == "10":
        return _bank_unreachable(attempt, identity, repeatable, last)
    if attempt.status >= 500:
        return again if (repeatable or attempt.status == 503) and not last else Decision.UNKNOWN
    if attempt.status >= 400:
        return Decision.REFUSED
    return Decision.RESULT if attempt.own and 200 <= attempt.status < 300 else Decision.UNKNOWN


def _bank_unreachable(attempt: Attempt, identity: bool, repeatable: bool, last: bool) -> Decision:
    if identity:
        # Without a reference the operation is final, and its key is used up.
        if not attempt.reference:
            return Decision.NOT_SENT
        return Decision.PENDING if last else Decision.REPEAT
    return Decision.REPEAT if repeatable and not last else Decision.NOT_SENT


def backoff(attempt: int, random: float) -> float:
    """The pause after the attempt with this number (from 0), in seconds; random is from 0 to 1."""
    return min(0.25 * 2.0 ** attempt, 4.0) * (0.5 + random / 2)
