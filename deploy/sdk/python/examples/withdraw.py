import galla
from sandbox import capture, place_finger  # of a shop: the reader's RD service

client = galla.DirectClient(
    "http://127.0.0.1:7100",  # the sandbox of `make run`, whose parties are public
    "merchant-lakshmi", "sandbox-merchant-1",
)

place_finger("999941057058")
key = galla.new_key()  # store it before the call
result = client.aeps_withdrawal(
    AadharNo="999941057058", TxnAmount=500, Latitude="18.5204", Longitude="73.8567",
    CustomerName="Shivshankar Choudhury", PidData=capture(), idempotency_key=key,
)
if result.pending:
    result = client.wait(result)  # no cash yet
print(result.state)  # success, declined, reversed, or pending after two minutes
if result.ok and result.data:
    print(f"give 500.00; {result.data['RetailerReferenceNumber']}")
