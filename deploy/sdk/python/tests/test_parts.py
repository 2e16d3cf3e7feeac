"""Envelope, retry rule, callbacks and JSON by themselves."""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import unittest
from decimal import Decimal

import galla
from galla import _json, envelope
from galla._retry import Attempt, Decision, Happened, backoff, decide

VECTORS = pathlib.Path(os.environ.get("GALLA_VECTORS", pathlib.Path(__file__).parents[5] / "shared/vectors/gateway.json"))


class Envelope(unittest.TestCase):
    @unittest.skipUnless(VECTORS.exists(), "the gateway's vectors are not beside the repository (../shared/vectors/gateway.json); GALLA_VECTORS names them")
    def test_vectors(self):
        vectors = json.loads(VECTORS.read_text(encoding="utf-8"))["vectors"]
        self.assertTrue(vectors)
        for v in vectors:
            with self.subTest(v["name"]):
                key = envelope.parse_key(v["key_hex"])
                self.assertEqual(key, envelope.parse_key(v["key_base64"]))
                m = {part: v.get(part) for part in ("client_id", "request_id", "timestamp", "iv", "tag", "payload", "checksum")}
                iv = base64.b64decode(v["iv"])
                if v["direction"] == "request":
                    self.assertEqual(envelope.seal_request(key, v["method"], v["path"], v["client_id"], v["request_id"], v["plaintext"], v["timestamp"], iv), m)
                else:
                    self.assertEqual(envelope.open_reply(key, v["http_status"], m), v["plaintext"])
                    with self.assertRaisesRegex(envelope.EnvelopeError, "checksum"):
                        envelope.open_reply(key, v["http_status"] + 1, m)

    def test_documented_message(self):
        # deploy/docs/design/gateway.md, section 3.1.
        key = envelope.parse_key("04a25cf951ba7137808a3feb103c0de6b12d409d54bbb804e966069d226a33d4")
        m = envelope.seal_request(key, "GET", "/process/aeps/banks", "vk_test_alpha", "46e28008-211a-4e34-b072-b586da5032fd", "{}", "1767225600001", base64.b64decode("cKZpGGI4TL7rMcBs"))
        self.assertEqual((m["payload"], m["tag"], m["checksum"]), ("Lb4=", "QmsuZhjFtBpEOacw5nHKCQ==", "7562cf4d458c09293e93a72cbd75724b92a887c37dacd2d7e326331d3d7b66f0"))

    def test_one_way_to_write_base64(self):
        for text in ("AAA", "AB==", "AA==\n", "-_8=", "A A="):
            with self.assertRaises(envelope.EnvelopeError):
                envelope.from_base64(text, "x")


class Rule(unittest.TestCase):
    def check(self, wanted, attempt, identity=True, repeatable=True, last=False):
        self.assertIs(decide(attempt, identity=identity, repeatable=repeatable, last=last, max_retry_after=30), wanted)

    def test_table(self):
        lost, closed = Attempt(Happened.NO_REPLY), Attempt(Happened.NOT_SENT)
        self.check(Decision.REPEAT, closed, False, False)
        self.check(Decision.NOT_SENT, closed, last=True)
        self.check(Decision.REPEAT, lost)
        self.check(Decision.UNKNOWN, lost, last=True)
        self.check(Decision.UNKNOWN, lost, False, False)
        self.check(Decision.UNKNOWN, Attempt(Happened.NOT_GENUINE, 200))
        reply = lambda status, code="", reference="", after=None, own=True: Attempt(Happened.REPLY, status, code, reference, after, own)
        self.check(Decision.REPEAT, reply(429), False, False)
        self.check(Decision.RATE_LIMITED, reply(429, after=31))
        self.check(Decision.RATE_LIMITED, reply(429), last=True)
        self.check(Decision.UNKNOWN, reply(429, own=False), last=True)
        self.check(Decision.NOT_SENT, reply(502, "10"))
        self.check(Decision.REPEAT, reply(502, "10", "AEPS-NR-1"))
        self.check(Decision.PENDING, reply(502, "10", "AEPS-NR-1"), last=True)
        self.check(Decision.REPEAT, reply(502, "10"), False)
        self.check(Decision.NOT_SENT, reply(502, "10"), False, last=True)
        self.check(Decision.NOT_SENT, reply(502, "10"), False, False)
        self.check(Decision.REPEAT, reply(502, own=False))
        self.check(Decision.UNKNOWN, reply(500, "500"), False, False)
        self.check(Decision.REPEAT, reply(503, "07"), False, False)
        self.check(Decision.UNKNOWN, reply(504), last=True)
        for status in (400, 401, 403, 404, 409, 413, 422):
            self.check(Decision.REFUSED, reply(status, "02"))
        self.check(Decision.RESULT, reply(200, "51"))
        self.check(Decision.UNKNOWN, reply(302))

    def test_backoff(self):
        self.assertEqual([backoff(n, 1.0) for n in (0, 1, 4, 9)], [0.25, 0.5, 4.0, 4.0])
        self.assertEqual(backoff(0, 0.0), 0.125)


class Callbacks(unittest.TestCase):
    SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
    OTHER = "whsec_" + base64.b64encode(bytes(32)).decode()
    BODY = '{"type":"operation.finished","timestamp":"2026-11-21T10:30:00.123Z","data":{"amount":"500.00","txnStatus":"SUCCESS","x":"आ"}}'.encode()
    NOW = 1_795_253_400

    def headers(self, secret=SECRET, body=BODY, at=NOW, **changes):
        mac = hmac.new(base64.b64decode(secret[6:]), f"evt_1.{at}.".encode() + body, hashlib.sha256).digest()
        return {"Webhook-Id": "evt_1", "webhook-timestamp": str(at), "webhook-signature": "v1," + base64.b64encode(mac).decode(), **changes}

    def refused(self, reason, headers, body=BODY, secrets=SECRET):
        with self.assertRaises(galla.CallbackError) as refused:
            galla.verify_callback(body, headers, secrets, now=self.NOW)
        self.assertEqual(refused.exception.reason, reason)
        self.assertNotIn(self.SECRET[6:], str(refused.exception))

    def test_good(self):
        for body in (self.BODY, self.BODY.decode()):
            event = galla.verify_callback(body, self.headers(), self.SECRET, now=self.NOW)
            self.assertEqual((event.webhook_id, event.type, event.data["txnStatus"]), ("evt_1", "operation.finished", "SUCCESS"))
        galla.verify_callback(self.BODY, self.headers(), [self.OTHER, self.SECRET], now=self.NOW)
        two = self.headers()
        two["webhook-signature"] = self.headers(self.OTHER)["webhook-signature"] + " " + two["webhook-signature"]
        galla.verify_callback(self.BODY, two, self.SECRET, now=self.NOW + 300)

    def test_refused(self):
        self.refused("bad-signature", self.headers(), self.BODY.replace(b"500", b"900"))
        self.refused("bad-signature", self.headers(self.OTHER))
        self.refused("bad-signature", self.headers(**{"Webhook-Id": "evt_2"}))
        self.refused("bad-signature", self.headers(**{"webhook-timestamp": str(self.NOW + 1)}))
        self.refused("too-old", self.headers(at=self.NOW - 301))
        self.refused("too-old", self.headers(at=self.NOW + 301))
        self.refused("bad-timestamp", self.headers(**{"webhook-timestamp": "now"}))
        for name in ("Webhook-Id", "webhook-timestamp", "webhook-signature"):
            headers = self.headers()
            del headers[name]
            self.refused("missing-header", headers)
        for body in (b"[]", b"{}", b"\xff", b'{"type":1,"timestamp":"","data":{}}', b"[" * 5000):
            self.refused("bad-body", self.headers(body=body), body)

    def test_bad_secrets(self):
        for secret in ("", "whsec_", "whsec_AAAA", self.SECRET[6:], self.SECRET[:-1]):
            with self.assertRaisesRegex(ValueError, "24 to 64 bytes"):
                galla.verify_callback(self.BODY, self.headers(), secret)


class Json(unittest.TestCase):
    def test_exact(self):
        self.assertEqual(_json.encode({"a": Decimal("1E+2"), "b": None, "c": [True, 1, 'x"\n']}), '{"a":100,"c":[true,1,"x\\"\\n"]}')
        for bad in (1.5, Decimal("NaN"), b"x", object()):
            with self.assertRaises(TypeError):
                _json.encode({"amount": bad})
        for bad in ("{", '{"a":1,"a":2}', "NaN", '{"a":Infinity}'):
            with self.assertRaises(ValueError):
                _json.decode(bad)
        self.assertEqual(_json.decode('{"a":500.10,"b":5}'), {"a": Decimal("500.10"), "b": 5})


if __name__ == "__main__":
    unittest.main()
