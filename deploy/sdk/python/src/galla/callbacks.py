"""Verification of callbacks (Standard Webhooks)."""

import base64
import binascii
import hashlib
import hmac
import re
import time
from dataclasses import dataclass
from typing import Any, Iterable, List, Optional, Protocol, Sequence, Tuple, Union, cast

from . import _json
from .errors import CallbackError
from .types import FinishedOperation

_PREFIX = "whsec_"


class Headers(Protocol):
    """Headers by their names in any case: a dict, or what http.server and web frameworks give."""

    def items(self) -> Iterable[Tuple[str, Any]]:
        """Names and values."""


@dataclass(frozen=True)
class CallbackEvent:
    """A verified callback. A repeated one has the same webhook_id: handle it once."""

    webhook_id: str
    type: str
    timestamp: str
    data: FinishedOperation


def verify_callback(body: Union[bytes, str], headers: Headers, secrets: Union[str, Sequence[str]], *,
                    tolerance: float = 300.0, now: Optional[float] = None) -> CallbackEvent:
    """Checks a callback and reads it; raises CallbackError where it is not genuine.

    body is what came, byte for byte: not JSON that was read and written again. secrets is
    the whsec_ secret, or both while it is being changed. tolerance is how many seconds the
    callback's time may be off; now is Unix time, for tests.
    """
    keys = [_parse_secret(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("secrets: at least one is needed")
    raw = body.encode("utf-8") if isinstance(body, str) else body
    webhook_id, timestamp, signatures = (_header(headers, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise _refuse("bad-timestamp", "webhook-timestamp is not a number of seconds")
    good = False
    for key in keys:
        mac = hmac.new(key, f"{webhook_id}.{timestamp}.".encode("utf-8") + raw, hashlib.sha256).digest()
        wanted = b"v1," + base64.b64encode(mac)
        for given in signatures.split(" "):
            good = hmac.compare_digest(wanted, given.encode("utf-8")) or good
    if not good:
        raise _refuse("bad-signature", "no signature was made with a secret of this endpoint")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise _refuse("too-old", f"webhook-timestamp is more than {tolerance:g} seconds off: look at this machine's clock, or somebody plays an old callback again")
    return _read(webhook_id, raw)


def _read(webhook_id: str, raw: bytes) -> CallbackEvent:
    try:
        event = _json.decode(raw.decode("utf-8"))
        kind, at, data = event["type"], event["timestamp"], event["data"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _refuse("bad-body", "the body is no event: one JSON object with type, timestamp and data") from None
    if not (isinstance(kind, str) and isinstance(at, str) and isinstance(data, dict)):
        raise _refuse("bad-body", "type and timestamp must be strings, and data an object")
    return CallbackEvent(webhook_id, kind, at, cast(FinishedOperation, data))


def _header(headers: Headers, name: str) -> str:
    found: List[str] = [value for key, value in headers.items() if key.lower() == name]
    if len(found) != 1 or not found[0]:
        raise _refuse("missing-header", f"{name} is missing, or stands there twice")
    return found[0]


def _parse_secret(text: str) -> bytes:
    try:
        key = base64.b64decode(text[len(_PREFIX):], validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not text.startswith(_PREFIX) or not 24 <= len(key) <= 64:
        raise ValueError("a callback's secret is whsec_ and the base64 of 24 to 64 bytes")  # never print the secret itself
    return key


def _refuse(reason: str, message: str) -> CallbackError:
    error = CallbackError(f"callback refused: {message}")
    error.reason = reason
    return error
