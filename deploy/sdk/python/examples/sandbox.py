"""What a shop has and a program does not: a finger on the reader, and a telephone that gets
one-time passwords. Here both are the sandbox's."""

import base64
import hashlib
import json
import os
import urllib.error
import urllib.request

READER = os.environ.get("GALLA_READER", "http://127.0.0.1:11100")
BANK = os.environ.get("GALLA_BANK", "http://127.0.0.1:7300")
# What a capture for an e-KYC step has besides: UIDAI's wadh of it.
WADH = base64.b64encode(hashlib.sha256(b"2.5FYNNN").digest()).decode("ascii")


def _text(method: str, url: str, body: str = "") -> str:
    request = urllib.request.Request(url, body.encode("utf-8") or None, {"Accept": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return str(reply.read().decode("utf-8"))
    except urllib.error.URLError:
        raise RuntimeError(f"the sandbox does not answer at {url}: does make run run?") from None


def place_finger(aadhaar: str) -> None:
    """Lays the finger of one of the sandbox's people on the reader."""
    _text("POST", f"{READER}/sim/finger", json.dumps({"aadhaar": aadhaar, "finger": "RIGHT_INDEX", "quality": 80}))


def capture(ekyc: bool = False) -> str:
    """One capture, as a registered device's service gives it. It serves one transaction."""
    wadh = f'wadh="{WADH}" ' if ekyc else ""
    return _text("CAPTURE", f"{READER}/rd/capture", '<PidOptions ver="1.0"><Opts fCount="1" fType="2" iCount="0" pCount="0" format="0" '
                 f'pidVer="2.0" timeout="10000" {wadh}posh="UNKNOWN" env="P"/></PidOptions>')


def otp(mobile: str) -> str:
    """The newest one-time password of a mobile number."""
    return next(str(text["otp"]) for text in json.loads(_text("GET", f"{BANK}/inbox/{mobile}")) if text.get("otp"))
