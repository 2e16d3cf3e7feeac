"""The gateway: sealed messages of vendors."""

import random
import re
import time
from typing import Any, Callable, Dict, Optional

from . import _json, envelope
from ._client import USER_AGENT, Answer, BaseClient, Prepared, fill_path, new_key, read_answer
from ._http import HttpReply
from ._route import Route
from .routes import GatewayRoutes

_MAX_AGE_SECONDS = 300.0
_NOT_AUTHENTICATED = "not authenticated: look at the client id, the key, the clock, and what the checksum covers"


class GatewayClient(GatewayRoutes, BaseClient):
    """Calls routes through the gateway, in sealed messages: for vendors.

    base_url is the gateway's address without a path. client_id is the API key, and key its
    encryption key: 64 hex or 44 base64 characters. merchant_id goes into every request that
    takes a merchant and has none. The other options are those of DirectClient.
    """

    def __init__(self, base_url: str, client_id: str, key: str, *, merchant_id: Optional[str] = None, timeout: float = 45.0,
                 attempts: int = 4, max_retry_after: float = 30.0, insecure: bool = False, clock: Callable[[], float] = time.time,
                 sleep: Callable[[float], None] = time.sleep, rand: Callable[[], float] = random.random) -> None:
        super().__init__(base_url, client_id, merchant_id, timeout, attempts, max_retry_after, insecure, clock, sleep, rand)
        if not re.fullmatch(r"[!-~]{1,128}", client_id):
            raise ValueError("client_id must be the API key: 1 to 128 visible ASCII characters")
        self._secret = envelope.parse_key(key)

    def _check_key(self, key: str) -> None:
        if not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", key):
            raise ValueError("idempotency_key must be a UUID in lower case: the gateway takes no other")

    def _key(self, route: Route, given: Optional[str]) -> str:
        return super()._key(route, given) or new_key()  # every message has one

    def _prepare(self, route: Route, fields: Dict[str, Any], key: str) -> Prepared:
        body = {name: value for name, value in fields.items() if name not in route.in_path}
        return Prepared(route, fill_path(route, fields), key, fields, _json.encode(body))

    def _prepare_text(self, route: Route, target: str, text: Optional[str], key: str, fields: Dict[str, Any]) -> Prepared:
        return Prepared(route, target, key, fields, "{}" if text is None else text)

    def _attempt(self, call: Prepared) -> Answer:
        path = "/process" + call.target
        now = str(int(self._clock() * 1000))
        m = envelope.seal_request(self._secret, call.route.method, path, self._client_id, call.key, call.text or "{}", now)
        reply = self._transport.send(call.route.method, path, {
            "Content-Type": "application/json", "User-Agent": USER_AGENT,
            "X-Client-Id": m["client_id"], "X-Timestamp": m["timestamp"], "X-Request-Id": m["request_id"],
            "X-IV": m["iv"], "X-Tag": m["tag"], "X-Checksum": m["checksum"],
        }, _json.encode({"payload": m["payload"]}).encode("ascii"))
        return self._open(call, reply)

    def _open(self, call: Prepared, reply: HttpReply) -> Answer:
        plain = read_answer(reply)
        if "x-checksum" not in reply.headers:
            why = _NOT_AUTHENTICATED if reply.status == 401 else f"HTTP {reply.status} without the gateway's headers: something else answered"
            return Answer(reply.status, reply.headers, "", None, why)
        m = {part: reply.headers.get(name, "") for part, name in (
            ("request_id", "x-request-id"), ("timestamp", "x-timestamp"), ("iv", "x-iv"), ("tag", "x-tag"), ("checksum", "x-checksum"))}
        payload = (plain.members or {}).get("payload")
        try:
            if not isinstance(payload, str):
                raise envelope.EnvelopeError("the reply has no payload")
            opened = envelope.open_reply(self._secret, reply.status, {**m, "payload": payload})
            if m["request_id"] != call.key:
                raise envelope.EnvelopeError("the reply belongs to another call")
            if not re.fullmatch(r"[0-9]{1,15}", m["timestamp"]) or abs(self._clock() - int(m["timestamp"]) / 1000) > _MAX_AGE_SECONDS:
                raise envelope.EnvelopeError("the reply's time is not now: look at this machine's clock")
        except envelope.EnvelopeError as error:
            return Answer(reply.status, reply.headers, "", None, str(error))
        return read_answer(HttpReply(reply.status, reply.headers, opened.encode("utf-8")))
