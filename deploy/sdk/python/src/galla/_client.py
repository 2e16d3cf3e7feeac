"""What both clients do alike: prepare a call, send it under one key, and read the reply."""

import ipaddress
import re
import uuid
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, Type, TypeVar, Union
from urllib.parse import quote, urlsplit

from . import _json, result as outcome
from ._http import HttpReply, NoReply, NotSent, Transport
from ._retry import Attempt, Decision, Happened, backoff, decide
from ._route import Caller, Route
from .errors import (AuthenticationError, ConflictError, FieldError, GallaError, NotFoundError, NotSentError,
                     OutcomeUnknownError, RateLimitError, RefusedError, ValidationError)
from .result import Result
from .routes import ROUTES
from .version import VERSION

T = TypeVar("T")
Client = TypeVar("Client", bound="BaseClient")

REPEAT_SAFELY = "Whether it ran is unknown: repeat it with the same key, which is safe, and pay nothing out before"
USER_AGENT = f"galla-sdk-python/{VERSION}"


def new_key() -> str:
    """A new identity of an operation, for idempotency_key. Store it before the call."""
    return str(uuid.uuid4())


@dataclass(frozen=True)
class Prepared:
    """A call that can be sent again: the same text under the same key."""

    route: Route
    target: str  # path, with ?query where there is one
    key: str  # empty where the route takes none
    fields: Dict[str, Any] = field(repr=False)
    text: Optional[str] = field(repr=False)  # the body; None: there is none


@dataclass(frozen=True)
class Answer:
    """A reply that was read. members is None where it is no JSON object."""

    status: int
    headers: Mapping[str, str]
    text: str = field(repr=False)
    members: Optional[Dict[str, Any]] = field(repr=False)
    why: str = ""  # what is wrong with it

    def member(self, name: str) -> str:
        """A member that is a string, or ''."""
        value = (self.members or {}).get(name)
        return value if isinstance(value, str) else ""


class BaseClient(Caller):
    """The common part of DirectClient and GatewayClient. It is safe for use by several threads."""

    def __init__(self, base_url: str, client_id: str, merchant_id: Optional[str], timeout: float, attempts: int, max_retry_after: float,
                 insecure: bool, clock: Callable[[], float], sleep: Callable[[float], None], rand: Callable[[], float]) -> None:
        if not client_id:
            raise ValueError("client_id must not be empty")
        if attempts < 1:
            raise ValueError("attempts must be 1 or more; 1 never repeats a call")
        _check_scheme(base_url, insecure)
        self._transport = Transport(base_url, timeout)
        self._base_url = base_url
        self._client_id = client_id
        self._merchant_id = merchant_id
        self._attempts = attempts
        self._max_retry_after = max_retry_after
        self._clock = clock
        self._sleep = sleep
        self._rand = rand

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._base_url!r}, client_id={self._client_id!r})"

    def __enter__(self: Client) -> Client:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def close(self) -> None:
        """Closes idle connections. The client can be used again."""
        self._transport.close()

    def call(self, method: str, path: str, body: Union[None, str, Mapping[str, Any]] = None, *,
             idempotency_key: Optional[str] = None) -> Result[Any]:
        """Calls a route by its path, with ?query where there is one. The routes' own methods are typed.

        body is a mapping, or the text of a JSON object, which is sent as it is.
        """
        route = find_route(method, path) or Route(method, path.partition("?")[0])
        fields: Dict[str, Any] = {}
        text = body if isinstance(body, str) else None
        if isinstance(body, Mapping):
            fields = self._with_merchant(route, dict(body))
            text = _json.encode(fields)
        return self._perform(self._prepare_text(route, path, text, self._key(route, idempotency_key), fields))

    def wait(self, result: Result[T], *, timeout: float = 120.0) -> Result[T]:
        """Asks after a pending result until it is final, or returns it still pending after timeout seconds.

        It asks by a requery where there is one, and repeats the request under its key
        otherwise. What is final is returned as it is.
        """
        deadline = self._clock() + timeout
        pause = 1.0
        call = result._prepared
        while result.pending and call is not None:
            left = deadline - self._clock()
            if left <= 0:
                break
            self._sleep(min(pause, left))
            pause = min(pause * 2, 10.0)
            try:
                result = self._ask(result, call)
            except (RateLimitError, OutcomeUnknownError):
                continue
            except NotSentError as error:
                if error.http_status and not call.route.requery:
                    raise  # the operation's own end: nothing was sent
        return result

    def _call(self, route: Route, fields: Dict[str, Any], idempotency_key: Optional[str]) -> Result[Any]:
        fields = self._with_merchant(route, {name: value for name, value in fields.items() if value is not None})
        return self._perform(self._prepare(route, fields, self._key(route, idempotency_key)))

    def _with_merchant(self, route: Route, fields: Dict[str, Any]) -> Dict[str, Any]:
        if self._merchant_id is not None and route.takes_merchant:
            fields.setdefault("merchantId", self._merchant_id)
        return fields

    def _key(self, route: Route, given: Optional[str]) -> str:
        if given is not None:
            self._check_key(given)
            return given
        return new_key() if route.identity else ""

    def _check_key(self, key: str) -> None:
        raise NotImplementedError

    def _prepare(self, route: Route, fields: Dict[str, Any], key: str) -> Prepared:
        raise NotImplementedError

    def _prepare_text(self, route: Route, target: str, text: Optional[str], key: str, fields: Dict[str, Any]) -> Prepared:
        raise NotImplementedError

    def _attempt(self, call: Prepared) -> Answer:
        """Sends once. Raises NotSent or NoReply, or a GallaError where there is no token."""
        raise NotImplementedError

    def _perform(self, call: Prepared, send: Optional[Callable[[Prepared], Answer]] = None) -> Result[Any]:
        may_have_run = False
        for number in range(self._attempts):
            answer: Optional[Answer] = None
            try:
                answer = (send or self._attempt)(call)
                attempt = _judge(answer)
                why = answer.why
            except NotSent as error:
                attempt, why = Attempt(Happened.NOT_SENT), str(error)
            except NoReply as error:
                attempt, why = Attempt(Happened.NO_REPLY), str(error)
            except GallaError as error:
                raise (_unknown(call, f"{error.message}; an earlier attempt had no reply", answer) if may_have_run else error) from None
            last = number + 1 == self._attempts
            decision = decide(attempt, identity=call.route.identity, repeatable=call.route.repeatable, last=last, max_retry_after=self._max_retry_after)
            if decision is not Decision.REPEAT:
                return self._finish(call, decision, attempt, answer, why, may_have_run)
            may_have_run = may_have_run or call.route.identity and (attempt.happened is Happened.NO_REPLY or attempt.status >= 500 or not attempt.own)
            self._sleep(min(attempt.retry_after, self._max_retry_after) if attempt.retry_after is not None else backoff(number, self._rand()))
        raise AssertionError("the last attempt is never repeated")

    def _finish(self, call: Prepared, decision: Decision, attempt: Attempt, answer: Optional[Answer], why: str, may_have_run: bool) -> Result[Any]:
        if answer is not None and decision in (Decision.RESULT, Decision.PENDING):
            return _result(call, answer, pending=decision is Decision.PENDING)
        # A refusal of a repeat says nothing of an earlier attempt, unless it is the stored reply.
        stored = answer is not None and answer.headers.get("idempotent-replayed") == "true"
        doubtful = attempt.status not in (400, 409, 502) and not stored
        if decision is Decision.UNKNOWN or may_have_run and doubtful:
            raise _unknown(call, why or _words(answer), answer)
        about = _about(call, answer)
        if answer is None:
            raise NotSentError(f"{call.route}: {why}. Nothing was sent: try again with the same key", **about)
        if decision is Decision.NOT_SENT:
            raise NotSentError(f"{call.route}: {_words(answer)}. No money moved: try again with a new key", **about)
        if decision is Decision.RATE_LIMITED:
            limited = RateLimitError(f"{call.route}: {_words(answer)}. Nothing was done: try again later with the same key", **about)
            limited.retry_after = attempt.retry_after or 0.0
            raise limited
        raise _refusal(call, answer, about)

    def _ask(self, result: Result[T], call: Prepared) -> Result[T]:
        """Asks once after a pending operation. The answer has the operation's own key."""
        merchant = {"merchantId": call.fields["merchantId"]} if "merchantId" in call.fields else {}
        if call.route.requery == "transfer":
            answer = self._call(_REQUERY_TRANSFER, {"refId": call.fields.get("refId"), **merchant}, None)
        elif call.route.requery == "aeps" and ("clientRefId" in call.fields or result.reference):
            name = {"clientRefId": call.fields["clientRefId"]} if "clientRefId" in call.fields else {"reference": result.reference}
            answer = self._call(_REQUERY_AEPS, {**name, **merchant}, None)
        else:
            return self._perform(call)
        answer.idempotency_key = result.idempotency_key
        answer.reference = answer.reference or result.reference
        answer._prepared = call
        return answer


def find_route(method: str, path: str) -> Optional[Route]:
    """The route of a path, or None where the interface has none."""
    parts = path.partition("?")[0].split("/")
    for route in ROUTES:
        names = route.path.split("/")
        if route.method == method and len(names) == len(parts) and all(n == p or n.startswith("{") and p for n, p in zip(names, parts)):
            return route
    return None


_REQUERY_AEPS = find_route("POST", "/aeps/requery") or Route("POST", "/aeps/requery")
_REQUERY_TRANSFER = find_route("POST", "/dmt/txn/v1/transaction/requery") or Route("POST", "/dmt/txn/v1/transaction/requery")


def fill_path(route: Route, fields: Mapping[str, Any]) -> str:
    """The path with its fields, escaped."""
    path = route.path
    for name in route.in_path:
        value = fields.get(name)
        if not isinstance(value, str) or value in ("", ".", ".."):
            raise ValueError(f"{name} must be a string that is not empty: it is a part of the path")
        path = path.replace("{" + name + "}", quote(value, safe=""))
    return path


def read_answer(reply: HttpReply) -> Answer:
    """Reads a plain reply. A list as CSV has no envelope: it is the reply's text."""
    try:
        text = reply.body.decode("utf-8")
        if reply.status == 200 and reply.headers.get("content-type", "").partition(";")[0].strip().lower() == "text/csv":
            return Answer(reply.status, reply.headers, text, {"statusCode": "00"})
        members = _json.decode(text)
    except (ValueError, RecursionError):
        text, members = "", None
    if not isinstance(members, dict):
        return Answer(reply.status, reply.headers, text, None, f"HTTP {reply.status} that is no JSON object: something else answered")
    return Answer(reply.status, reply.headers, text, members)


def _check_scheme(base_url: str, insecure: bool) -> None:
    url = urlsplit(base_url)
    if url.scheme != "http" or insecure:
        return
    host = url.hostname or ""
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    if not local:
        raise ValueError("base_url must be https, except for this machine; insecure=True allows http in a network that you trust")


def _judge(answer: Answer) -> Attempt:
    if answer.why and answer.status not in (401, 429) and answer.status < 500:
        return Attempt(Happened.NOT_GENUINE, answer.status)
    after = answer.headers.get("retry-after", "")
    return Attempt(Happened.REPLY, answer.status, answer.member("statusCode"), answer.member("reference"),
                   float(after) if re.fullmatch(r"[0-9]{1,6}", after) else None, answer.members is not None)


def _words(answer: Optional[Answer]) -> str:
    if answer is None:
        return "no reply"
    return answer.why or f"HTTP {answer.status}, {answer.member('statusCode')} {answer.member('message')}".rstrip()


def _about(call: Prepared, answer: Optional[Answer]) -> Dict[str, Any]:
    about: Dict[str, Any] = {"idempotency_key": call.key}
    if answer is not None:
        about.update(http_status=answer.status, status_code=answer.member("statusCode"),
                     request_id=answer.headers.get("x-request-id", ""), reply=answer.text)
    return about


def _unknown(call: Prepared, why: str, answer: Optional[Answer]) -> OutcomeUnknownError:
    return OutcomeUnknownError(f"{call.route}: {why}. {REPEAT_SAFELY}" if call.key else f"{call.route}: {why}. Whether it ran is unknown", **_about(call, answer))


def _refusal(call: Prepared, answer: Answer, about: Dict[str, Any]) -> GallaError:
    what = f"{call.route}: {_words(answer)}"
    if answer.status == 400:
        data = (answer.members or {}).get("data")
        listed = data.get("errors") if isinstance(data, dict) else None
        fields = tuple(FieldError(*(str(one.get(name, "")) for name in ("field", "rule", "message")))
                       for one in (listed if isinstance(listed, list) else []) if isinstance(one, dict))
        invalid = ValidationError("; ".join([what] + [f"{one.field} {one.message}" for one in fields]), **about)
        invalid.fields = fields
        return invalid
    kinds: Dict[int, Type[GallaError]] = {401: AuthenticationError, 404: NotFoundError, 409: ConflictError}
    return kinds.get(answer.status, RefusedError)(what, **about)


def _result(call: Prepared, answer: Answer, pending: bool) -> Result[Any]:
    members = dict(answer.members or {})
    data: Any = members if call.route.bare else members.get("data")
    extra = {} if call.route.bare else {name: value for name, value in members.items() if name not in ("statusCode", "message", "data")}
    code = answer.member("statusCode")
    bank = data.get("ResponseCode") if call.route.aeps and isinstance(data, dict) else None
    response_code = bank if isinstance(bank, str) else code
    state = outcome.PENDING if pending else _state(call.route, answer, data)
    if state in (outcome.DECLINED, outcome.REVERSED) and response_code == "00":
        response_code = ""  # the requery of a transfer has no code of the bank
    return Result(
        state=state, status_code=code, message=answer.member("message"), response_code=response_code, data=data, extra=extra, reference=answer.member("reference"),
        idempotency_key=call.key, replayed=answer.headers.get("idempotent-replayed") == "true", http_status=answer.status,
        request_id=answer.headers.get("x-request-id", ""), reply=answer.text, prepared=call)


def _state(route: Route, answer: Answer, data: Any) -> str:
    if route.bare:
        return outcome.SUCCESS
    if answer.member("txnStatus") == "PENDING":
        return outcome.PENDING
    known: Dict[str, Any] = data if isinstance(data, dict) else {}
    accepted = answer.member("statusCode") == "00"
    if route.aeps and known:
        if known.get("txnStatus") == "REVERSED":
            return outcome.REVERSED
        return outcome.SUCCESS if known.get("ResponseCode") == "00" and known.get("txnStatus", "SUCCESS") == "SUCCESS" else outcome.DECLINED
    if (route.transfer or route.kind == "money") and "status" in known:
        return _transfer_state(str(known["status"]))
    if route.kind == "money" and accepted and not known:
        return outcome.PENDING  # 00 alone does not say that money moved
    return outcome.SUCCESS if accepted else outcome.DECLINED


def _transfer_state(status: str) -> str:
    states = {"SUCCESS": outcome.SUCCESS, "REFUNDED": outcome.SUCCESS, "PENDING": outcome.PENDING, "REVERSED": outcome.REVERSED}
    return states.get(status, outcome.DECLINED)


def parts(route: Route, fields: Mapping[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """The fields of the query and those of the body."""
    return {n: fields[n] for n in route.in_query if n in fields}, {n: fields[n] for n in route.in_body if n in fields}
