"""HTTP, by Python's own http.client: it sends a path as it is given, follows nothing and repeats nothing."""

import http.client
import threading
import time
from dataclasses import dataclass
from typing import Dict, List, Mapping, Optional, Tuple
from urllib.parse import urlsplit

MAX_REPLY_BYTES = 4 << 20
MAX_CSV_BYTES = 64 << 20
MAX_IDLE_SECONDS = 15  # a kept connection may be closed by the other side later


class NotSent(Exception):
    """There was no connection, so nothing was sent."""


class NoReply(Exception):
    """The connection failed before a whole reply had come. Whether the request arrived is unknown."""


@dataclass(frozen=True)
class HttpReply:
    """A reply as it came. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Sends to one address, and keeps idle connections."""

    def __init__(self, base_url: str, timeout: float) -> None:
        url = urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname or url.path.strip("/") or url.query or url.username:
            raise ValueError("base_url must be scheme and host without a path, such as https://api.example.in")
        self._secure = url.scheme == "https"
        self._host, self._port = url.hostname, url.port
        self._timeout = timeout
        self._lock = threading.Lock()
        self._idle: List[Tuple[http.client.HTTPConnection, float]] = []  # with the time of their last use

    def send(self, method: str, path: str, headers: Dict[str, str], body: Optional[bytes]) -> HttpReply:
        """Sends one request, once."""
        connection = self._connection()
        try:
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            limit = MAX_CSV_BYTES if reply.getheader("Content-Type", "").startswith("text/csv") else MAX_REPLY_BYTES
            text = reply.read(limit + 1)
            if reply.length and len(text) <= limit:
                raise http.client.IncompleteRead(b"")  # a short read is none of its errors
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            # http.client's texts can hold bytes of the reply, so only the kind is told.
            raise NoReply(f"no reply ({type(error).__name__})") from None
        except BaseException:
            connection.close()
            raise
        if len(text) > limit:
            connection.close()
            raise NoReply(f"the reply has more than {limit} bytes")
        if reply.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append((connection, time.monotonic()))
        return HttpReply(reply.status, {name.lower(): value for name, value in reply.getheaders()}, text)

    def _connection(self) -> http.client.HTTPConnection:
        oldest = time.monotonic() - MAX_IDLE_SECONDS
        with self._lock:
            while self._idle:
                kept, used = self._idle.pop()
                if used > oldest:
                    return kept
                kept.close()
        connection = (http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout) if self._secure
                      else http.client.HTTPConnection(self._host, self._port, timeout=self._timeout))
        try:
            connection.connect()
        except OSError as error:
            raise NotSent(f"no connection ({error.strerror or type(error).__name__})") from None
        return connection

    def close(self) -> None:
        """Closes idle connections; the next request opens another."""
        with self._lock:
            while self._idle:
                self._idle.pop()[0].close()
