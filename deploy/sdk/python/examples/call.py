#!/usr/bin/env python3
"""A request through Galla's gateway.

    GALLA_GATEWAY=http://127.0.0.1:7100 GALLA_CLIENT_ID=… GALLA_KEY=… \\
        python3 call.py call POST /aeps/balance < body.json
    python3 call.py vectors gateway.json

The route is the direct one; /process is added. The body is a JSON object, from the last
argument or (better, since arguments can be read by every user of a machine) from standard
input; none means {}. The key is 64 hex or 44 base64 characters, and comes from the
environment only. GALLA_REQUEST_ID repeats an earlier request: same id, same body.
"""

import json
import os
import sys

import galla
from galla import envelope


def check_vectors(file):
    """Checks the package with messages that another program made."""
    with open(file, encoding="utf-8") as f:
        vectors = json.load(f)["vectors"]
    for v in vectors:
        def expect(ok, what):
            if not ok:
                raise ValueError(f"vector \"{v['name']}\": {what}")

        key = envelope.parse_key(v["key_hex"])
        expect(key == envelope.parse_key(v["key_base64"]), "the two spellings of the key differ")
        m = {part: v.get(part) for part in ("client_id", "request_id", "timestamp", "iv", "tag", "payload", "checksum")}
        iv = envelope.from_base64(v["iv"], "iv")
        if v["direction"] == "request":
            sealed = envelope.seal_request(key, v["method"], v["path"], v["client_id"], v["request_id"], v["plaintext"], v["timestamp"], iv)
            for part in m:
                expect(sealed[part] == m[part], f"{part} differs")
            expect(envelope.decrypt(key, m) == v["plaintext"], "opens to another text")
            continue
        try:
            expect(envelope.open_reply(key, v["http_status"], m) == v["plaintext"], "opens to another text")
        except envelope.EnvelopeError as error:
            expect(False, error)
        again = envelope.encrypt(key, iv, v["plaintext"])
        expect(again["payload"] == v["payload"] and again["tag"] == v["tag"], "is sealed differently")
        try:
            envelope.open_reply(key, v["http_status"] + 1, m)
        except envelope.EnvelopeError:
            continue
        expect(False, "opens with another status")
    if not vectors:
        raise ValueError(f"{file} has no vectors")
    print(f"{len(vectors)} vectors: all right")


def call(env, method, route, text):
    """Sends one request and prints the opened reply, a refusal too."""
    key = env.get("GALLA_REQUEST_ID") or galla.new_key()
    try:
        with galla.GatewayClient(env["GALLA_GATEWAY"], env["GALLA_CLIENT_ID"], env["GALLA_KEY"], insecure=True) as client:
            result = client.call(method, route, text, idempotency_key=key)
    except galla.GallaError as error:
        if not error.reply:
            raise ValueError(f"{error}\nA repeat is safe with the same id and body: GALLA_REQUEST_ID={key}") from None
        result = error
    sys.stdout.buffer.write(f"HTTP {result.http_status}\n{result.reply}\n".encode("utf-8"))


def main(args):
    if len(args) == 2 and args[0] == "vectors":
        return check_vectors(args[1])
    env = os.environ
    if len(args) not in (3, 4) or args[0] != "call" or not all(env.get(n) for n in ("GALLA_GATEWAY", "GALLA_CLIENT_ID", "GALLA_KEY")):
        raise ValueError("usage: call.py vectors FILE, or: call.py call METHOD ROUTE [JSON], with GALLA_GATEWAY, GALLA_CLIENT_ID and GALLA_KEY set")
    given = args[3] if len(args) == 4 else "" if sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8")
    return call(env, args[1], args[2], given.strip() or "{}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (ValueError, OSError) as error:
        sys.exit(str(error))
