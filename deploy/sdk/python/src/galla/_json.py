"""JSON with exact numbers: rupees are int or Decimal, and never float."""

import json
from decimal import Decimal
from typing import Any, Dict, List, Tuple


def encode(value: Any, name: str = "the body") -> str:
    """Writes JSON. Members that are None are left out. Its errors never quote a value."""
    if isinstance(value, dict):
        members = (f"{json.dumps(key)}:{encode(member, key)}" for key, member in value.items() if member is not None)
        return "{" + ",".join(members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(encode(item, name) for item in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal) and value.is_finite():
        return format(value, "f")
    raise TypeError(f"{name} is a {type(value).__name__}: use str, bool, int, or decimal.Decimal for rupees")


def decode(text: str) -> Any:
    """Reads JSON. Numbers with a fraction become Decimal; a name that stands twice is refused."""
    return json.loads(text, parse_float=Decimal, parse_constant=_refuse, object_pairs_hook=_object)


def _object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice")
    return members


def _refuse(_: str) -> Any:
    raise ValueError("not a number of JSON")
