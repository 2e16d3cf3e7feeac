"""The gateway's sealed message, version 1: AES-256-GCM, and a checksum over the rest.

GatewayClient does all of this by itself. The functions are here for programs that
bring an HTTP client of their own, and for tests against the vectors.
"""

import base64
import binascii
import hashlib
import hmac
import os
import re
import time
from typing import Dict, List, Optional

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

IV_BYTES = 12
TAG_BYTES = 16

Message = Dict[str, str]
"""The parts of a message: client_id (of a request), request_id, timestamp, iv, tag, payload, checksum."""


class EnvelopeError(ValueError):
    """What came is not genuine, or what was given cannot be used."""


def from_base64(text: str, name: str) -> bytes:
    """Decodes base64 as the gateway does: padded, standard alphabet, one way to write it."""
    try:
        raw: Optional[bytes] = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raw = None
    if raw is None or base64.b64encode(raw).decode("ascii") != text:
        raise EnvelopeError(f"{name} is not padded base64 of the standard alphabet")
    return raw


def to_base64(raw: bytes) -> str:
    """Encodes as the gateway reads it."""
    return base64.b64encode(raw).decode("ascii")


def parse_key(text: str) -> bytes:
    """Reads a vendor's key: 64 hex or 44 base64 characters, 32 bytes."""
    if re.fullmatch(r"[0-9a-fA-F]{64}", text):
        return bytes.fromhex(text)
    if len(text) == 44:
        key = from_base64(text, "the key")
        if len(key) == 32:
            return key
    raise EnvelopeError("a key is 32 bytes: 64 hex or 44 base64 characters")  # never print the key itself


def checksum(key: bytes, lines: List[str]) -> str:
    """The HMAC over lines joined by \\n, in lower-case hex."""
    checksum_key = hmac.new(key, b"galla/gateway/checksum/v1", hashlib.sha256).digest()
    return hmac.new(checksum_key, "\n".join(lines).encode("utf-8"), hashlib.sha256).hexdigest()


def request_lines(method: str, path: str, m: Message) -> List[str]:
    """What the checksum of a request covers."""
    return ["galla-v1", method, path, m["client_id"], m["timestamp"], m["request_id"], m["iv"], m["tag"], m["payload"]]


def reply_lines(status: int, m: Message) -> List[str]:
    """What the checksum of a reply covers."""
    return ["galla-v1-response", str(status), m["request_id"], m["timestamp"], m["iv"], m["tag"], m["payload"]]


def encrypt(key: bytes, iv: bytes, text: str) -> Message:
    """AES-256-GCM. AESGCM appends the tag: it travels in its own header, so cut it off."""
    sealed = AESGCM(key).encrypt(iv, text.encode("utf-8"), None)
    return {"iv": to_base64(iv), "tag": to_base64(sealed[-TAG_BYTES:]), "payload": to_base64(sealed[:-TAG_BYTES])}


def decrypt(key: bytes, m: Message) -> str:
    """Opens a payload, or raises EnvelopeError."""
    iv, tag = from_base64(m["iv"], "X-IV"), from_base64(m["tag"], "X-Tag")
    if len(iv) != IV_BYTES or len(tag) != TAG_BYTES:
        raise EnvelopeError("X-IV must have 12 bytes and X-Tag 16")
    try:
        return AESGCM(key).decrypt(iv, from_base64(m["payload"], "payload") + tag, None).decode("utf-8")
    except (InvalidTag, UnicodeDecodeError):
        raise EnvelopeError("the payload does not decrypt") from None


def seal_request(key: bytes, method: str, path: str, client_id: str, request_id: str, text: str,
                 timestamp: Optional[str] = None, iv: Optional[bytes] = None) -> Message:
    """Seals one request.

    text is a JSON object: it is sealed as it is, so write it once and keep it
    for a retry. The IV must be new for every message, and so must the
    timestamp; the request id stays for a retry.
    """
    m = {"client_id": client_id, "request_id": request_id, "timestamp": timestamp or str(time.time_ns() // 1_000_000)}
    m.update(encrypt(key, iv or os.urandom(IV_BYTES), text))
    m["checksum"] = checksum(key, request_lines(method, path, m))
    return m


def open_reply(key: bytes, status: int, m: Message) -> str:
    """Opens one reply. Nothing is decrypted before the checksum is right."""
    wanted = checksum(key, reply_lines(status, m))
    if not hmac.compare_digest(wanted.encode(), m["checksum"].encode()):
        raise EnvelopeError("the checksum is wrong")
    return decrypt(key, m)
