"""What the client has to know of a route."""

from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from .result import Result


@dataclass(frozen=True)
class Route:
    """One route of the interface, as the OpenAPI document describes it."""

    method: str
    path: str
    kind: str = ""  # money, record, enquiry or reference
    identity: bool = False  # takes a key
    gateway: bool = False  # the gateway mirrors it
    open: bool = False  # needs no token
    bare: bool = False  # replies without the envelope
    aeps: bool = False  # txnStatus or ResponseCode in data tells the outcome
    transfer: bool = False  # status in data tells the outcome
    in_path: Tuple[str, ...] = ()
    in_query: Tuple[str, ...] = ()
    in_body: Tuple[str, ...] = ()

    @property
    def repeatable(self) -> bool:
        """Whether a request that may have arrived can be sent again."""
        return self.identity or self.method == "GET" or self.kind in ("enquiry", "reference")

    @property
    def requery(self) -> str:
        """How a pending operation is asked after: 'aeps', 'transfer', or '' for a repeat."""
        if self.identity and "clientRefId" in self.in_body:
            return "aeps"
        return "transfer" if self.path == "/dmt/txn/v1/transaction/instant" else ""

    @property
    def takes_merchant(self) -> bool:
        """Whether a vendor names a merchant."""
        return "merchantId" in self.in_body or "merchantId" in self.in_query

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Caller:
    """What the methods of the routes need of a client."""

    def _call(self, route: Route, fields: Dict[str, Any], idempotency_key: Optional[str]) -> Result[Any]:
        raise NotImplementedError
