"""The direct entrance: JSON, with an access token."""

import base64
import random
import re
import threading
import time
from typing import Any, Callable, Dict, Optional
from urllib.parse import quote, quote_plus

from . import _json
from ._client import USER_AGENT, Answer, BaseClient, Prepared, fill_path, parts, read_answer
from ._route import Route
from .errors import GallaError, NotSentError, OutcomeUnknownError
from .routes import DirectRoutes

_TOKEN = Route("POST", "/oauth/token", kind="enquiry", open=True, bare=True)


class DirectClient(DirectRoutes, BaseClient):
    """Calls routes directly, with OAuth client credentials: for merchants, vendors and aggregators.

    base_url is https://… without a path. The token is fetched with the first call and
    renewed in time. merchant_id is for vendors: it goes into every request that takes a
    merchant. timeout is of one attempt, in seconds; attempts is how often a call is sent at
    most (1 never repeats); max_retry_after is the longest pause that a reply can ask for.
    insecure allows http to other machines. clock, sleep and rand are for tests.
    """

    def __init__(self, base_url: str, client_id: str, client_secret: str, *, merchant_id: Optional[str] = None, timeout: float = 45.0,
                 attempts: int = 4, max_retry_after: float = 30.0, insecure: bool = False, clock: Callable[[], float] = time.time,
                 sleep: Callable[[float], None] = time.sleep, rand: Callable[[], float] = random.random) -> None:
        super().__init__(base_url, client_id, merchant_id, timeout, attempts, max_retry_after, insecure, clock, sleep, rand)
        if not client_secret:
            raise ValueError("client_secret must not be empty")
        pair = f"{quote_plus(client_id)}:{quote_plus(client_secret)}"
        self._basic = "Basic " + base64.b64encode(pair.encode("utf-8")).decode("ascii")
        self._lock = threading.Lock()  # one request for a token at a time
        self._token = ""
        self._renew_at = 0.0

    def _check_key(self, key: str) -> None:
        if not re.fullmatch(r"[!-~]{1,128}", key):
            raise ValueError("idempotency_key must be 1 to 128 visible ASCII characters")

    def _prepare(self, route: Route, fields: Dict[str, Any], key: str) -> Prepared:
        query, body = parts(route, fields)
        target = fill_path(route, fields)
        if query:
            target += "?" + "&".join(f"{name}={quote(str(value), safe='')}" for name, value in query.items())
        text = _json.encode(body) if body or route.method in ("POST", "PUT") else None
        return Prepared(route, target, key, fields, text)

    def _prepare_text(self, route: Route, target: str, text: Optional[str], key: str, fields: Dict[str, Any]) -> Prepared:
        return Prepared(route, target, key, fields, "{}" if text is None and route.method in ("POST", "PUT") else text)

    def _attempt(self, call: Prepared) -> Answer:
        if call.route.open:
            return self._send(call, "")
        token = self._fresh_token()
        answer = self._send(call, f"Bearer {token}")
        if answer.status == 401:
            self._forget(token)
            answer = self._send(call, f"Bearer {self._fresh_token()}")
        return answer

    def _send(self, call: Prepared, authorization: str) -> Answer:
        headers = {"Content-Type": "application/json", "User-Agent": USER_AGENT}
        if authorization:
            headers["Authorization"] = authorization
        if call.key:
            headers["Idempotency-Key"] = call.key
        body = None if call.text is None else call.text.encode("utf-8")
        return read_answer(self._transport.send(call.route.method, call.target, headers, body))

    def _forget(self, token: str) -> None:
        with self._lock:
            if self._token == token:
                self._token = ""

    def _fresh_token(self) -> str:
        with self._lock:
            if self._token and self._clock() < self._renew_at:
                return self._token
            asked_at = self._clock()
            members = self._ask_token()
            token, life = members.get("access_token"), members.get("expires_in")
            if not isinstance(token, str) or not re.fullmatch(r"[!-~]+", token) or not isinstance(life, int):
                raise NotSentError("POST /oauth/token: the reply has no access_token. Nothing else was sent")
            self._token = token
            self._renew_at = asked_at + life - min(60.0, life / 2)
            return token

    def _ask_token(self) -> Dict[str, Any]:
        """Asks for a token by the rule of all calls."""
        try:
            return dict(self._perform(Prepared(_TOKEN, _TOKEN.path, "", {}, "grant_type=client_credentials"), self._attempt_token).data or {})
        except (NotSentError, OutcomeUnknownError) as error:
            raise NotSentError(f"no access token: {error.message}. The call itself was not sent", http_status=error.http_status) from None
        except GallaError as error:
            error.reply = ""
            raise

    def _attempt_token(self, call: Prepared) -> Answer:
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Authorization": self._basic, "User-Agent": USER_AGENT}
        return read_answer(self._transport.send("POST", call.target, headers, (call.text or "").encode("ascii")))
