#!/usr/bin/env python3
"""A partner's day against the sandbox: withdraw, transfer and refund, directly and through
the gateway, and a callback for each operation that was pending.

    make run                                  in another terminal
    galla-central callback set --sandbox c0000000-0000-4000-8000-000000000001 http://127.0.0.1:7400/galla
    GALLA_CALLBACK_SECRET=whsec_… python3 examples/story.py
"""

import http.server
import os
import queue
import random
import sys
import threading
from decimal import Decimal
from typing import Any, Dict, Tuple, Union

import galla
from sandbox import capture, otp, place_finger

Client = Union[galla.DirectClient, galla.GatewayClient]
SECRET = os.environ.get("GALLA_CALLBACK_SECRET", "")
CUSTOMER = {"aadhaar": "999971658847", "name": "Kumar Agarwal", "bank": "607094"}
SENDER = {"aadhaar": "999990501894", "name": "Anisha Jay Kapoor"}


def check(ok: bool, what: object) -> None:
    if not ok:
        raise RuntimeError(f"not as expected: {what}")


def digits(n: int) -> str:
    return "".join(random.choice("0123456789") for _ in range(n))


def withdrawal(rupees: str) -> Dict[str, Any]:
    """The fields of a withdrawal, with a new capture."""
    return {"AadharNo": CUSTOMER["aadhaar"], "TxnAmount": Decimal(rupees), "Latitude": "18.5204", "Longitude": "73.8567",
            "CustomerName": CUSTOMER["name"], "BankName": CUSTOMER["bank"], "PidData": capture()}


def withdraw(door: str, client: Client) -> str:
    """Withdrawals; gives the reference of the one that was pending at first."""
    place_finger(CUSTOMER["aadhaar"])
    paid = client.aeps_withdrawal(**withdrawal("100.00"))
    check(paid.ok, paid)
    print(f"{door}: withdraw 100.00: {paid.state}")

    declined = client.aeps_withdrawal(**withdrawal("100.51"))
    check(declined.state == galla.DECLINED and declined.response_code == "51", declined)
    print(f"{door}: withdraw 100.51: {declined.state}, {declined.response_code}")

    key = galla.new_key()  # stored by a real program, before it calls
    result = client.aeps_withdrawal(**withdrawal("100.94"), idempotency_key=key)
    check(result.pending, result)
    print(f"{door}: withdraw 100.94: {result.state}")
    result = client.wait(result, timeout=60)
    check(result.ok, result)
    print(f"{door}: withdraw 100.94: {result.state}")

    try:
        client.aeps_withdrawal(**withdrawal("1.005"))
        check(False, "three decimals were taken")
    except galla.ValidationError as error:
        check("TxnAmount" in [one.field for one in error.fields], error)
        print(f"{door}: withdraw 1.005: ValidationError of TxnAmount")
    assert result.data is not None
    return result.data["RetailerReferenceNumber"]


def onboard(client: galla.DirectClient, mobile: str) -> str:
    """Onboards a customer, once for each: then she is a remitter. Gives her id."""
    begun = client.dmt_customer_onboarding(name=SENDER["name"], mobile_no=mobile, city="Pune", state="Maharashtra").or_raise().data
    assert begun is not None
    reference = begun["referenceid"]
    asked = client.dmt_customer_request_otp(referenceid=reference).or_raise().data
    assert asked is not None
    client.dmt_customer_validate_otp(referenceid=reference, otpreqid=asked["otpreqid"], otp=otp(mobile)).or_raise()
    client.dmt_customer_verify_uid(referenceid=reference, aadhaarno=SENDER["aadhaar"]).or_raise()
    place_finger(SENDER["aadhaar"])
    client.dmt_customer_updatebiodetail(referenceid=reference, aadhaarno=SENDER["aadhaar"], PidData=capture(ekyc=True)).or_raise()
    client.dmt_customer_submit(referenceid=reference).or_raise()
    remitter = client.dmt_remitter_register(sender_mobilenumber=mobile).or_raise().data
    assert remitter is not None
    print("direct: a new remitter")
    return remitter["senderid"]


def transfer(door: str, client: Client, sender_id: str, mobile: str) -> None:
    account, ifsc, amount = f"0012345{digits(4)}1", "HDFC0000123", Decimal("25.00")
    client.dmt_beneficiary_account_verification(senderId=sender_id, receiver_account_no=account, receiverIfscCode=ifsc).or_raise()
    beneficiary = client.dmt_beneficiary_add(senderId=sender_id, receivername="Sunita Choudhury", receiver_account_no=account, receiverIfscCode=ifsc).or_raise().data
    assert beneficiary is not None
    client.dmt_transaction_otp(senderId=sender_id, amount=amount, receiver_account_no=account, receiverIfscCode=ifsc).or_raise()
    ref_id = galla.new_key()  # the transfer's identity, stored before it is sent
    sent = client.dmt_transaction_instant(
        senderId=sender_id, BeneficiaryId=beneficiary["beneficiaryid"], amount=amount, refId=ref_id, otp=otp(mobile),
        receiver_account_no=account, receiverIfscCode=ifsc, account_holder_name="Sunita Choudhury").or_raise()
    print(f"{door}: transfer 25.00: {sent.state}")

    assert sent.data is not None
    transaction = sent.data["transactionId"]
    client.dmt_transaction_refund_otp(refereanceId=transaction).or_raise()
    back = client.dmt_refund(transactionId=transaction, refId=ref_id, otp=otp(mobile)).or_raise()
    check(back.data is not None and back.data["amount"] == 25, back)
    print(f"{door}: refund 25.00: {back.state}")


class Receiver(http.server.BaseHTTPRequestHandler):
    """The callbacks' address. It hands on verified events, as reference and outcome."""

    events: "queue.Queue[Tuple[str, str]]" = queue.Queue()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = galla.verify_callback(body, self.headers, SECRET)
        except galla.CallbackError as error:
            print(error, file=sys.stderr)
            self.send_error(401)
            return
        try:
            galla.verify_callback(body.replace(b"SUCCESS", b"FAILED"), self.headers, SECRET)
            self.events.put(("", "a changed callback was taken"))
        except galla.CallbackError:
            self.events.put((event.data["reference"], event.data["txnStatus"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def main() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("GALLA_CALLBACK_PORT", "7400"))), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base_url = os.environ.get("GALLA_CENTRAL", "http://127.0.0.1:7100")
    # The sandbox's parties are public, and work nowhere else.
    direct = galla.DirectClient(base_url, "merchant-lakshmi", "sandbox-merchant-1")
    gateway = galla.GatewayClient(base_url, "vk_sandbox_sahyadri", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                                  merchant_id="c0000000-0000-4000-8000-000000000001")
    mobile = "98" + digits(8)
    sender_id = onboard(direct, mobile)
    waiting: Dict[str, str] = {}
    doors: Dict[str, Client] = {"direct": direct, "gateway": gateway}
    for door, client in doors.items():
        waiting[door] = withdraw(door, client)
        transfer(door, client, sender_id, mobile)
    events: Dict[str, str] = {}
    for door, reference in waiting.items():
        while reference not in events:
            events.update([Receiver.events.get(timeout=60)])
            check("" not in events, events.get(""))
        print(f"{door}: callback: {events[reference]}")
    print("story: all right")


if __name__ == "__main__":
    main()
