#!/usr/bin/env python3
"""A request through Galla's gateway, in Python.

    GALLA_GATEWAY=http://127.0.0.1:7100 GALLA_CLIENT_ID=… GALLA_KEY=… \\
        python3 galla.py call POST /aeps/balance < body.json
    python3 galla.py vectors gateway.json

The route is the direct one; /process is added here. The body is a JSON object,
from the last argument or (better, since arguments can be read by every user of
a machine) from standard input; none means {}. The key is 64 hex or 44 base64
characters, and comes from the environment only. GALLA_REQUEST_ID repeats an
earlier request: same id, same body.

Python's own library has HMAC and no AES: that is the package 'cryptography'
(apt-get install python3-cryptography, or pip install cryptography).

Copy the functions from parse_key to open_reply into your program. They need
Python 3.8 or newer.
"""

import base64
import binascii
import hashlib
import hmac
import http.client
import json
import os
import re
import sys
import time
import uuid
from urllib.parse import urlsplit

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
except ImportError:
    sys.exit("the package 'cryptography' is missing: apt-get install python3-cryptography, or pip install cryptography")

IV_BYTES = 12
TAG_BYTES = 16
MAX_AGE_MS = 300_000  # of a message, against this machine's clock
MAX_REPLY_BYTES = 4 << 20
TIMEOUT_S = 60  # the gateway answers "pending" long before


class Refused(Exception):
    """What came is not genuine, or what was given cannot be used."""


def from_base64(text, name):
    """Decodes base64 as the gateway does: padded, standard alphabet, one way to write it."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raw = None
    if raw is None or base64.b64encode(raw).decode() != text:
        raise Refused(f"{name} is not padded base64 of the standard alphabet")
    return raw


def to_base64(raw):
    return base64.b64encode(raw).decode("ascii")


def parse_key(text):
    """Reads a vendor's key: 64 hex or 44 base64 characters, 32 bytes."""
    if re.fullmatch(r"[0-9a-fA-F]{64}", text):
        return bytes.fromhex(text)
    if len(text) == 44:
        key = from_base64(text, "the key")
        if len(key) == 32:
            return key
    raise Refused("a key is 32 bytes: 64 hex or 44 base64 characters")  # never print the key itself


def checksum(key, lines):
    """The HMAC over lines joined by \\n, in lower-case hex."""
    checksum_key = hmac.new(key, b"galla/gateway/checksum/v1", hashlib.sha256).digest()
    return hmac.new(checksum_key, "\n".join(lines).encode("utf-8"), hashlib.sha256).hexdigest()


def request_lines(method, path, m):
    return ["galla-v1", method, path, m["client_id"], m["timestamp"], m["request_id"], m["iv"], m["tag"], m["payload"]]


def reply_lines(status, m):
    return ["galla-v1-response", str(status), m["request_id"], m["timestamp"], m["iv"], m["tag"], m["payload"]]


def encrypt(key, iv, text):
    """AES-256-GCM. AESGCM appends the tag: it travels in its own header, so cut it off."""
    sealed = AESGCM(key).encrypt(iv, text.encode("utf-8"), None)
    return {"iv": to_base64(iv), "tag": to_base64(sealed[-TAG_BYTES:]), "payload": to_base64(sealed[:-TAG_BYTES])}


def decrypt(key, m):
    iv, tag = from_base64(m["iv"], "X-IV"), from_base64(m["tag"], "X-Tag")
    if len(iv) != IV_BYTES or len(tag) != TAG_BYTES:
        raise Refused("X-IV must have 12 bytes and X-Tag 16")
    try:
        return AESGCM(key).decrypt(iv, from_base64(m["payload"], "payload") + tag, None).decode("utf-8")
    except (InvalidTag, UnicodeDecodeError):
        raise Refused("the payload does not decrypt") from None


def seal_request(key, method, path, client_id, request_id, text, timestamp=None, iv=None):
    """Seals one request.

    text is a JSON object: it is sealed as it is, so write it once and keep it
    for a retry. The IV must be new for every message, and so must the
    timestamp; the request id stays for a retry.
    """
    m = {"client_id": client_id, "request_id": request_id, "timestamp": timestamp or str(time.time_ns() // 1_000_000)}
    m.update(encrypt(key, iv or os.urandom(IV_BYTES), text))
    m["checksum"] = checksum(key, request_lines(method, path, m))
    return m


def open_reply(key, status, m):
    """Opens one reply. Nothing is decrypted before the checksum is right."""
    wanted = checksum(key, reply_lines(status, m))
    if not hmac.compare_digest(wanted.encode(), m["checksum"].encode()):
        raise Refused("the checksum is wrong")
    return decrypt(key, m)


def send(base, method, path, m):
    """Sends one message. http.client sends the path as it is given, and never repeats by itself."""
    url = urlsplit(base)
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    line = kind(url.hostname, url.port, timeout=TIMEOUT_S)
    try:
        line.request(method, path, json.dumps({"payload": m["payload"]}), {
            "Content-Type": "application/json",
            "X-Client-Id": m["client_id"], "X-Timestamp": m["timestamp"], "X-Request-Id": m["request_id"],
            "X-IV": m["iv"], "X-Tag": m["tag"], "X-Checksum": m["checksum"],
        })
        reply = line.getresponse()
        body = reply.read(MAX_REPLY_BYTES + 1)
        if len(body) > MAX_REPLY_BYTES:
            raise Refused("the reply is too long")
        return reply.status, reply.headers, body
    finally:
        line.close()


def call(base, client_id, key, method, route, text, request_id):
    """Seals, sends and opens. Gives the HTTP status and the reply's JSON text."""
    path = "/process" + route
    status, headers, body = send(base, method, path, seal_request(key, method, path, client_id, request_id, text))
    if status == 401 and "X-Checksum" not in headers:
        raise Refused("not authenticated: look at the client id, the key, the clock, and what the checksum covers")
    if "X-Checksum" not in headers:
        raise Refused(f"HTTP {status} without the gateway's headers: something else answered")
    m = {name: headers.get(header, "") for name, header in (
        ("request_id", "X-Request-Id"), ("timestamp", "X-Timestamp"), ("iv", "X-IV"), ("tag", "X-Tag"), ("checksum", "X-Checksum"))}
    try:
        m["payload"] = json.loads(body)["payload"]
    except (ValueError, TypeError, KeyError):
        raise Refused("the reply has no payload") from None
    opened = open_reply(key, status, m)
    if m["request_id"] != request_id:
        raise Refused("the reply belongs to another call")
    if abs(time.time() * 1000 - int(m["timestamp"])) > MAX_AGE_MS:
        raise Refused("the reply's time is not now")
    return status, opened


def check_vectors(file):
    """Checks this program with messages that another one made."""
    with open(file, encoding="utf-8") as f:
        vectors = json.load(f)["vectors"]
    for v in vectors:
        def expect(ok, what):
            if not ok:
                raise Refused(f"vector \"{v['name']}\": {what}")

        key = parse_key(v["key_hex"])
        expect(key == parse_key(v["key_base64"]), "the two spellings of the key differ")
        m = {part: v.get(part) for part in ("client_id", "request_id", "timestamp", "iv", "tag", "payload", "checksum")}
        iv = from_base64(v["iv"], "iv")
        if v["direction"] == "request":
            sealed = seal_request(key, v["method"], v["path"], v["client_id"], v["request_id"], v["plaintext"], v["timestamp"], iv)
            for part in m:
                expect(sealed[part] == m[part], f"{part} differs")
            expect(decrypt(key, m) == v["plaintext"], "opens to another text")
            continue
        expect(open_reply(key, v["http_status"], m) == v["plaintext"], "opens to another text")
        again = encrypt(key, iv, v["plaintext"])
        expect(again["payload"] == v["payload"] and again["tag"] == v["tag"], "is sealed differently")
        try:
            open_reply(key, v["http_status"] + 1, m)
        except Refused:
            continue
        expect(False, "opens with another status")
    if not vectors:
        raise Refused(f"{file} has no vectors")
    print(f"{len(vectors)} vectors: all right")


def main(args):
    if len(args) == 2 and args[0] == "vectors":
        return check_vectors(args[1])
    env = os.environ
    if len(args) not in (3, 4) or args[0] != "call" or not all(env.get(n) for n in ("GALLA_GATEWAY", "GALLA_CLIENT_ID", "GALLA_KEY")):
        raise Refused("usage: galla.py vectors FILE, or: galla.py call METHOD ROUTE [JSON], with GALLA_GATEWAY, GALLA_CLIENT_ID and GALLA_KEY set")
    given = args[3] if len(args) == 4 else "" if sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8")
    request_id = env.get("GALLA_REQUEST_ID") or str(uuid.uuid4())
    try:
        status, text = call(env["GALLA_GATEWAY"], env["GALLA_CLIENT_ID"], parse_key(env["GALLA_KEY"]), args[1], args[2], given.strip() or "{}", request_id)
    except (Refused, OSError, http.client.HTTPException) as error:
        raise Refused(f"{error}\nA repeat is safe with the same id and body: GALLA_REQUEST_ID={request_id}") from None
    sys.stdout.buffer.write(f"HTTP {status}\n{text}\n".encode("utf-8"))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Refused as refusal:
        sys.exit(str(refusal))
