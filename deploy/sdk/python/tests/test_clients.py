"""The clients against a fake central."""

import json
import threading
import unittest
from decimal import Decimal

import galla
from fake import CUT, DROP, KEY, TOKEN, Fake

AADHAAR = "999941057058"
FIELDS = {"AadharNo": AADHAAR, "TxnAmount": Decimal("500.50"), "Latitude": "18.5", "Longitude": "73.8", "CustomerName": "आशा देवी", "PidData": "<PidData>finger</PidData>"}
DATA = {"ResponseCode": "00", "ResponseStatus": "SUCCESS", "STAN": "000042", "Balance": "24500.00", "RetailerReferenceNumber": "GL261121ABCDEFGHJK",
        "ReferenceNo": "632509000042", "AuthCode": "A1B2C3", "AadharNo": "XXXXXXXX7058", "txnStatus": "SUCCESS"}
SUCCESS = (200, {"statusCode": "00", "message": "Transaction successful", "data": DATA})
DECLINED = (200, {"statusCode": "00", "message": "Transaction failed", "data": {**DATA, "ResponseCode": "51", "txnStatus": "FAILED"}})
REVERSED = (200, {"statusCode": "00", "message": "Transaction reversed", "data": {**DATA, "ResponseCode": "22", "txnStatus": "REVERSED"}})
PENDING = (200, {"statusCode": "00", "message": "Transaction pending", "txnStatus": "PENDING", "reference": "AEPS-NR-1795253400123"})
BANKS = (200, {"statusCode": "00", "message": "Bank list", "data": [{"iin": "990326", "bankName": "Sandbox"}]})
TRANSFER = {"senderId": "7b0c5f52-1f1c-4f6e-8b57-5f2f1d6c1a01", "BeneficiaryId": 1001, "amount": 25, "refId": "order-1", "otp": "482913",
            "receiver_account_no": "001234567811", "receiverIfscCode": "SBIN0001234", "account_holder_name": "Sunita"}


def refusal(status, code, message="no", **more):
    return status, {"statusCode": code, "message": message, **more}


class Case(unittest.TestCase):
    def setUp(self):
        self.sleeps, self.now = [], 1_795_253_400.0

    def sleep(self, seconds):
        self.sleeps.append(seconds)
        self.now += seconds

    def direct(self, *replies, **options):
        self.fake = Fake()
        self.addCleanup(self.fake.close)
        self.fake.queue(*replies)
        client = galla.DirectClient(self.fake.url, "shop", "top-secret", clock=lambda: self.now, sleep=self.sleep, rand=lambda: 1.0, **options)
        self.addCleanup(client.close)
        return client

    def gateway(self, *replies, spoil=None, **options):
        self.fake = Fake(gateway=True, spoil=spoil)
        self.addCleanup(self.fake.close)
        self.fake.queue(*replies)
        client = galla.GatewayClient(self.fake.url, "vk_test", KEY, sleep=self.sleep, **options)
        self.addCleanup(client.close)
        return client

    def keys(self):
        return [r.headers.get("idempotency-key") or r.headers.get("x-request-id") for r in self.fake.requests]


class Outcomes(Case):
    def test_states(self):
        for reply, state, code in ((SUCCESS, "success", "00"), (DECLINED, "declined", "51"), (REVERSED, "reversed", "22"), (PENDING, "pending", "00")):
            client = self.direct(reply)
            result = client.aeps_withdrawal(**FIELDS)
            self.assertEqual((result.state, result.ok, result.response_code), (state, state == "success", code))
            self.assertEqual(len(self.fake.requests), 1, f"{state} was repeated")
        self.assertEqual(result.reference, "AEPS-NR-1795253400123")
        with self.assertRaises(galla.PendingError) as pending:
            result.or_raise()
        self.assertEqual(pending.exception.reference, result.reference)

    def test_decline_raises_on_demand(self):
        with self.assertRaises(galla.DeclinedError) as declined:
            self.direct(DECLINED).aeps_withdrawal(**FIELDS).or_raise()
        self.assertEqual(declined.exception.response_code, "51")
        result = self.direct(SUCCESS).aeps_withdrawal(**FIELDS)
        self.assertIs(result.or_raise(), result)

    def test_money_without_word_is_pending(self):
        self.assertTrue(self.direct((200, {"statusCode": "00", "message": "Transaction pending"})).aeps_withdrawal(**FIELDS).pending)

    def test_contradicting_code_is_no_success(self):
        self.assertEqual(self.direct((200, {"statusCode": "00", "message": "?", "data": {**DATA, "ResponseCode": "51"}})).aeps_withdrawal(**FIELDS).state, "declined")

    def test_transfer(self):
        for status, code, state in (("SUCCESS", "00", "success"), ("FAILED", "55", "declined"), ("REVERSED", "22", "reversed"), ("PENDING", "00", "pending")):
            result = self.direct((200, {"statusCode": code, "message": "m", "data": {"transactionId": "GL1", "amount": 25, "status": status}})).dmt_transaction_instant(**TRANSFER)
            self.assertEqual((result.state, result.response_code), (state, code))

    def test_requery_of_a_transfer(self):
        for status, code, state in (("SUCCESS", "00", "success"), ("REFUNDED", "00", "success"), ("FAILED", "", "declined"), ("REVERSED", "", "reversed"), ("PENDING", "00", "pending")):
            result = self.direct((200, {"statusCode": "00", "message": "m", "data": {"status": status}})).dmt_transaction_requery(refId="order-1")
            self.assertEqual((result.state, result.response_code), (state, code))

    def test_not_found_by_the_bank_is_a_result(self):
        result = self.direct(refusal(200, "01", "no such customer")).dmt_customer_get_detail(mobile_number="9000000001")
        self.assertEqual((result.state, result.data), ("declined", None))

    def test_initialize_has_no_envelope(self):
        result = self.direct((200, {"merchantId": "m", "service": "AEPS"})).aeps_initialize()
        self.assertEqual((result.state, result.data["service"]), ("success", "AEPS"))

    def test_csv(self):
        result = self.direct((200, b"id,amount\r\n1,500.00\r\n", {"Content-Type": "text/csv; charset=utf-8"})).call("GET", "/vendor/operations?format=csv")
        self.assertEqual((result.state, result.status_code, result.data, result.reply), ("success", "00", None, "id,amount\r\n1,500.00\r\n"))

    def test_extra(self):
        result = self.direct((200, {"statusCode": "00", "message": "m", "data": [], "sandbox": True})).limits()
        self.assertIs(result.extra["sandbox"], True)


class Requests(Case):
    def test_body_and_amounts(self):
        self.direct(SUCCESS).aeps_withdrawal(**FIELDS)
        request = self.fake.requests[0]
        self.assertIn(b'"TxnAmount":500.50', request.body)
        self.assertEqual(request.json()["CustomerName"], "आशा देवी")
        self.assertNotIn("BankName", request.json())
        self.assertEqual((request.method, request.path, request.headers["authorization"]), ("POST", "/aeps/withdrawal", "Bearer token-1"))

    def test_float_is_refused(self):
        with self.assertRaisesRegex(TypeError, "TxnAmount is a float"):
            self.direct().aeps_withdrawal(**{**FIELDS, "TxnAmount": 500.5})
        self.assertEqual(self.fake.requests, [])

    def test_numbers_of_replies_are_exact(self):
        result = self.direct((200, {"statusCode": "00", "message": "Charges", "data": {"charge": 12, "totalAmount": 1212, "gst": 1.83, "commission": 0}})).dmt_transaction_charges(senderId=TRANSFER["senderId"], amount=1200)
        self.assertEqual(result.data["gst"], Decimal("1.83"))

    def test_places(self):
        client = self.direct(SUCCESS, SUCCESS, SUCCESS, SUCCESS)
        client.vendor_commission_earnings(vendorId="a/b", from_="2026-11-01", groupBy="day,type")
        client.terminals_delete(id="t1", merchantId="m")
        client.aeps_requery(clientRefId="r")
        client.aeps_banks()
        self.assertEqual([(r.method, r.path) for r in self.fake.requests], [
            ("GET", "/vendor-commission/a%2Fb/earnings?from=2026-11-01&groupBy=day%2Ctype"), ("DELETE", "/terminals/t1"), ("POST", "/aeps/requery"), ("GET", "/aeps/banks")])
        self.assertEqual([r.body for r in self.fake.requests], [b"", b'{"merchantId":"m"}', b'{"clientRefId":"r"}', b""])
        with self.assertRaisesRegex(ValueError, "id must be"):
            client.operations_get(id="")

    def test_merchant_of_the_client(self):
        client = self.direct(SUCCESS, SUCCESS, BANKS, merchant_id="mine")
        client.aeps_requery(clientRefId="r")
        client.aeps_requery(clientRefId="r", merchantId="other")
        client.aeps_banks()
        self.assertEqual([json.loads(r.body or "{}").get("merchantId") for r in self.fake.requests], ["mine", "other", None])

    def test_only_https_to_others(self):
        for url in ("http://api.example.in", "http://10.0.0.1:7100"):
            with self.assertRaisesRegex(ValueError, "https"):
                galla.DirectClient(url, "a", "b")
            galla.DirectClient(url, "a", "b", insecure=True)
        for url in ("https://api.example.in/v1", "ftp://x", "api.example.in", "https://user:pw@x"):
            with self.assertRaisesRegex(ValueError, "base_url"):
                galla.DirectClient(url, "a", "b", insecure=True)

    def test_path_and_generic_call(self):
        client = self.direct(SUCCESS, BANKS)
        result = client.call("POST", "/aeps/withdrawal", {"AadharNo": AADHAAR}, idempotency_key="mine")
        client.call("GET", "/aeps/banks")
        self.assertEqual((result.state, self.keys()), ("success", ["mine", None]))


class Tokens(Case):
    def test_one_token_for_many_calls_and_renewal(self):
        client = self.direct(BANKS, BANKS, BANKS)
        client.aeps_banks()
        self.now += 839
        client.aeps_banks()
        self.assertEqual(len(self.fake.tokens), 1)
        self.now += 2
        client.aeps_banks()
        self.assertEqual([r.headers["authorization"] for r in self.fake.requests], ["Bearer token-1", "Bearer token-1", "Bearer token-2"])
        token = self.fake.tokens[0]
        self.assertEqual((token.body, token.headers["authorization"]), (b"grant_type=client_credentials", "Basic c2hvcDp0b3Atc2VjcmV0"))

    def test_short_life_is_halved(self):
        client = self.direct(BANKS, BANKS)
        self.fake.token_replies.append((200, {**TOKEN, "expires_in": 40}, {}))
        client.aeps_banks()
        self.now += 21
        client.aeps_banks()
        self.assertEqual(len(self.fake.tokens), 2)

    def test_one_new_token_after_401(self):
        client = self.direct(refusal(401, "03"), SUCCESS)
        self.assertTrue(client.aeps_withdrawal(**FIELDS).ok)
        self.assertEqual((len(self.fake.tokens), len(set(self.keys()))), (2, 1))
        with self.assertRaises(galla.AuthenticationError):
            self.direct(refusal(401, "03"), refusal(401, "03")).aeps_withdrawal(**FIELDS)
        self.assertEqual(len(self.fake.requests), 2)

    def test_wrong_secret(self):
        client = self.direct()
        self.fake.token_replies.append((401, {"statusCode": "03", "message": "Not authenticated", "error": "invalid_client"}, {}))
        with self.assertRaises(galla.AuthenticationError):
            client.aeps_banks()
        self.assertEqual(self.fake.requests, [])

    def test_threads_share_one_request(self):
        client = self.direct(*[BANKS] * 8)
        threads = [threading.Thread(target=client.aeps_banks) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(self.fake.tokens), len(self.fake.requests)), (1, 8))

    def test_open_route_needs_none(self):
        client = self.direct((201, {"statusCode": "00", "message": "m", "data": {}}))
        client.terminals_enrol(code="ABCD", publicKey="k", name="n")
        self.assertEqual(self.fake.tokens, [])
        self.assertNotIn("authorization", self.fake.requests[0].headers)


class Retries(Case):
    def test_broken_connection_is_repeated_under_the_same_key(self):
        result = self.direct(DROP, DROP, SUCCESS).aeps_withdrawal(**FIELDS)
        self.assertEqual((self.keys(), result.idempotency_key), ([result.idempotency_key] * 3, self.keys()[0]))
        self.assertEqual(len({r.body for r in self.fake.requests}), 1)
        self.assertEqual(self.sleeps, [0.25, 0.5])
        self.assertTrue(self.direct(CUT, SUCCESS).aeps_withdrawal(**FIELDS).ok)

    def test_given_key(self):
        self.direct(DROP, SUCCESS).aeps_withdrawal(**FIELDS, idempotency_key="order-1")
        self.assertEqual(self.keys(), ["order-1", "order-1"])
        for key in ("", "ä", "a b", "x" * 129):
            with self.assertRaisesRegex(ValueError, "idempotency_key"):
                self.direct().aeps_withdrawal(**FIELDS, idempotency_key=key)

    def test_unknown_at_the_end(self):
        with self.assertRaises(galla.OutcomeUnknownError) as unknown:
            self.direct(*[DROP] * 9).aeps_withdrawal(**FIELDS)
        self.assertEqual((len(self.fake.requests), unknown.exception.idempotency_key), (4, self.keys()[0]))
        self.assertIn("same key", str(unknown.exception))

    def test_no_repeat_of_what_has_no_key(self):
        for reply in (DROP, refusal(500, "500")):
            with self.assertRaises(galla.OutcomeUnknownError):
                self.direct(reply, SUCCESS).terminals_create(name="t")
            self.assertEqual((len(self.fake.requests), self.keys()), (1, [None]))
        self.assertTrue(self.direct(DROP, BANKS).aeps_banks().ok)

    def test_nothing_listens(self):
        client = self.direct()
        self.fake.close()
        with self.assertRaisesRegex(galla.NotSentError, "same key"):
            client.terminals_enrol(code="ABCD", publicKey="k", name="n")
        self.assertEqual(len(self.sleeps), 3)

    def test_rate(self):
        client = self.direct((429, {"statusCode": "07", "message": "m"}, {"Retry-After": "7"}), SUCCESS)
        self.assertTrue(client.aeps_withdrawal(**FIELDS).ok)
        self.assertEqual(self.sleeps, [7.0])
        with self.assertRaises(galla.RateLimitError) as limited:
            self.direct((429, {"statusCode": "07", "message": "m"}, {"Retry-After": "31"}), SUCCESS).aeps_withdrawal(**FIELDS)
        self.assertEqual((limited.exception.retry_after, len(self.fake.requests)), (31.0, 1))

    def test_refusal_after_a_lost_reply_tells_nothing_of_the_first(self):
        for reply in (refusal(429, "07"), refusal(403, "01"), refusal(404, "04"), refusal(422, "05")):
            with self.assertRaises(galla.OutcomeUnknownError):
                self.direct(DROP, reply, attempts=2).aeps_withdrawal(**FIELDS)
        with self.assertRaises(galla.NotSentError):
            self.direct(DROP, refusal(502, "10"), attempts=2).aeps_withdrawal(**FIELDS)
        with self.assertRaises(galla.RefusedError):
            self.direct(DROP, (*refusal(422, "05"), {"Idempotent-Replayed": "true"}), attempts=2).aeps_withdrawal(**FIELDS)

    def test_bank_unreachable(self):
        with self.assertRaisesRegex(galla.NotSentError, "new key"):
            self.direct(refusal(502, "10"), SUCCESS).aeps_withdrawal(**FIELDS)
        self.assertEqual(len(self.fake.requests), 1)
        open_step = refusal(502, "10", reference="AEPS-NR-1")
        self.assertTrue(self.direct(open_step, SUCCESS).aeps_submit().ok)
        result = self.direct(*[open_step] * 4).aeps_submit()
        self.assertEqual((result.state, result.reference), ("pending", "AEPS-NR-1"))
        self.assertTrue(self.direct(refusal(502, "10"), SUCCESS).dmt_remitter_details(sender_mobilenumber="9000000001").ok)

    def test_server_errors(self):
        html = (503, b"<html>busy</html>")
        self.assertTrue(self.direct(refusal(500, "500"), html, (502, b""), SUCCESS).aeps_withdrawal(**FIELDS).ok)
        self.assertEqual(len(set(self.keys())), 1)
        with self.assertRaises(galla.OutcomeUnknownError):
            self.direct((200, b"<html>portal</html>"), SUCCESS).aeps_withdrawal(**FIELDS)
        self.assertEqual(len(self.fake.requests), 1)

    def test_refusals(self):
        errors = [{"field": "TxnAmount", "rule": "decimals", "message": "must have at most two decimals"}]
        with self.assertRaises(galla.ValidationError) as invalid:
            self.direct(refusal(400, "02", "Invalid request", data={"errors": errors})).aeps_withdrawal(**FIELDS)
        self.assertEqual(invalid.exception.fields, (galla.FieldError("TxnAmount", "decimals", "must have at most two decimals"),))
        self.assertEqual((invalid.exception.status_code, invalid.exception.request_id), ("02", "request-1"))
        for status, kind in ((403, galla.RefusedError), (404, galla.NotFoundError), (409, galla.ConflictError), (422, galla.RefusedError)):
            with self.assertRaises(kind):
                self.direct(refusal(status, "05"), SUCCESS).aeps_withdrawal(**FIELDS)
            self.assertEqual(len(self.fake.requests), 1)


class Waiting(Case):
    def test_aeps_by_reference(self):
        client = self.direct(PENDING, PENDING, DROP, SUCCESS, attempts=1)
        first = client.aeps_withdrawal(**FIELDS, merchantId="m")
        result = client.wait(first)
        self.assertEqual((result.state, result.idempotency_key, self.sleeps), ("success", first.idempotency_key, [1.0, 2.0, 4.0]))
        self.assertEqual([r.path for r in self.fake.requests[1:]], ["/aeps/requery"] * 3)
        self.assertEqual(self.fake.requests[1].json(), {"reference": "AEPS-NR-1795253400123", "merchantId": "m"})
        self.assertEqual(first.state, "pending")

    def test_aeps_by_own_reference(self):
        client = self.direct(PENDING, DECLINED)
        self.assertEqual(client.wait(client.aeps_withdrawal(**FIELDS, clientRefId="mine")).response_code, "51")
        self.assertEqual(self.fake.requests[1].json(), {"clientRefId": "mine"})

    def test_deadline_leaves_it_pending(self):
        client = self.direct(*[PENDING] * 9)
        self.assertTrue(client.wait(client.aeps_withdrawal(**FIELDS), timeout=10).pending)
        self.assertEqual(sum(self.sleeps), 10)

    def test_transfer_by_requery(self):
        pending = (200, {"statusCode": "00", "message": "Transaction pending", "data": {"transactionId": "GL1", "amount": 25, "status": "PENDING"}, "reference": "DMT-NR-1"})
        for status, state in (("SUCCESS", "success"), ("REFUNDED", "success"), ("FAILED", "declined"), ("REVERSED", "reversed")):
            client = self.direct(pending, pending, (200, {"statusCode": "00", "message": "m", "data": {"status": status, "amount": 25}}))
            result = client.wait(client.dmt_transaction_instant(**TRANSFER))
            self.assertEqual((result.state, result.response_code == "00", self.fake.requests[2].json()), (state, state == "success", {"refId": "order-1"}))

    def test_refund_by_the_same_request(self):
        pending = (200, {"statusCode": "00", "message": "Transaction pending", "data": {"transactionId": "GL1", "amount": 25, "status": "PENDING"}})
        client = self.direct(pending, (200, {"statusCode": "00", "message": "m", "data": {"refundId": "GL2", "amount": 25}}))
        result = client.wait(client.dmt_refund(transactionId="GL1", refId="order-1", otp="123456"))
        self.assertEqual((result.data["refundId"], len(set(self.keys())), len({r.body for r in self.fake.requests})), ("GL2", 1, 1))

    def test_a_step_that_was_never_sent(self):
        client = self.direct(refusal(502, "10", reference="AEPS-NR-1"), refusal(502, "10"), attempts=1)
        with self.assertRaises(galla.NotSentError):
            client.wait(client.aeps_submit())

    def test_final_is_returned(self):
        client = self.direct(SUCCESS)
        result = client.aeps_withdrawal(**FIELDS)
        self.assertIs(client.wait(result), result)


class Gateway(Case):
    def test_seals_anew_for_each_attempt(self):
        client = self.gateway(DROP, (429, {"statusCode": "07", "message": "m"}, {"Retry-After": "2"}), SUCCESS, merchant_id="mine")
        result = client.aeps_withdrawal(**FIELDS)
        texts = {self.fake.open(n) for n in range(3)}
        self.assertEqual((result.state, len(texts), len(set(self.keys())), len({r.headers["x-iv"] for r in self.fake.requests})), ("success", 1, 1, 3))
        self.assertEqual(json.loads(texts.pop())["merchantId"], "mine")
        self.assertEqual((self.fake.requests[0].path, self.keys()[0]), ("/process/aeps/withdrawal", result.idempotency_key))

    def test_get_has_its_fields_inside(self):
        client = self.gateway(SUCCESS, SUCCESS)
        client.dmt_customer_status_check(referenceid="r")
        client.vendor_commission_earnings(vendorId="v", from_="2026-11-01")
        self.assertEqual([(r.path, json.loads(self.fake.open(n))) for n, r in enumerate(self.fake.requests)], [
            ("/process/dmt/customer/statusCheck", {"referenceid": "r"}), ("/process/vendor-commission/v/earnings", {"from": "2026-11-01"})])

    def test_only_its_own_routes(self):
        self.assertFalse(hasattr(galla.GatewayClient, "upi_generate_qr"))
        self.assertTrue(hasattr(galla.DirectClient, "upi_generate_qr"))

    def test_unsealed_rate_proves_nothing(self):
        plain = (429, {"statusCode": "07", "message": "m"}, {"plain": "1", "Retry-After": "1"})
        self.assertTrue(self.gateway(plain, SUCCESS).aeps_withdrawal(**FIELDS).ok)
        with self.assertRaises(galla.OutcomeUnknownError):
            self.gateway(plain, plain, attempts=2).aeps_withdrawal(**FIELDS)

    def test_keys_are_uuids(self):
        for key in ("order-1", "BD97163B-32D4-49F5-85E5-F63C15CE68B0"):
            with self.assertRaisesRegex(ValueError, "UUID"):
                self.gateway().aeps_withdrawal(**FIELDS, idempotency_key=key)

    def test_sealed_refusal(self):
        with self.assertRaises(galla.NotFoundError):
            self.gateway(refusal(404, "01", "Merchant not found")).aeps_withdrawal(**FIELDS)

    def test_not_authenticated(self):
        with self.assertRaisesRegex(galla.AuthenticationError, "look at the client id, the key, the clock"):
            self.gateway((401, {"statusCode": "03", "message": "Not authenticated"}, {"plain": "1"}), SUCCESS).aeps_banks()
        with self.assertRaises(galla.OutcomeUnknownError):
            self.gateway(DROP, (401, {"statusCode": "03"}, {"plain": "1"})).aeps_withdrawal(**FIELDS)

    def test_what_is_not_genuine_is_believed_nothing(self):
        spoils = {
            "checksum is wrong": lambda m: m.update(checksum="0" * 64),
            "another call": lambda m: m.update(request_id="bd97163b-32d4-49f5-85e5-f63c15ce68b0"),
            "not now": lambda m: m.update(timestamp="1700000000000"),
            "does not decrypt": lambda m: m.update(tag="AAAAAAAAAAAAAAAAAAAAAA=="),
            "12 bytes": lambda m: m.update(iv="AAAA"),
        }
        for words, spoil in spoils.items():
            with self.assertRaisesRegex(galla.OutcomeUnknownError, words):
                self.gateway(SUCCESS, SUCCESS, spoil=spoil).aeps_withdrawal(**FIELDS)
            self.assertEqual(len(self.fake.requests), 1)
        with self.assertRaisesRegex(galla.OutcomeUnknownError, "something else answered"):
            self.gateway((200, {"statusCode": "00"}, {"plain": "1"})).aeps_withdrawal(**FIELDS)

    def test_bad_keys(self):
        for key in ("", KEY[1:], KEY + "0", "=" * 44):
            with self.assertRaisesRegex(ValueError, "64 hex or 44 base64|padded base64"):
                galla.GatewayClient("https://g.example.in", "a", key)


class Secrecy(Case):
    def test_nothing_secret_is_shown(self):
        hidden = ("top-secret", "token-1", AADHAAR, "finger", KEY, "482913")
        client = self.direct(PENDING, refusal(409, "09"))
        result = client.aeps_withdrawal(**FIELDS)
        with self.assertRaises(galla.ConflictError) as conflict:
            client.dmt_transaction_instant(**TRANSFER)
        shown = [f(x) for f in (repr, str) for x in (client, result, conflict.exception, result._prepared, galla.GatewayClient("https://g.example.in", "a", KEY))]
        for secret in hidden:
            self.assertNotIn(secret, "".join(shown))
        self.assertIn("shop", repr(client))
        self.assertIn(result.reference, repr(result))
        import pickle
        with self.assertRaisesRegex(TypeError, "store its idempotency_key"):
            pickle.dumps(result)


if __name__ == "__main__":
    unittest.main()
