# Written by deploy/sdk/generate from the OpenAPI document; do not edit.
"""The objects of replies, with their names on the wire. All may have further members."""

from __future__ import annotations

from decimal import Decimal
from typing import List, TypedDict, Union

Number = Union[int, Decimal]
"""A number with decimals. Amounts are rupees, with at most two."""


class AepsInitializeReply(TypedDict):
    """An object of replies."""

    merchantId: str
    service: str


class _AepsRequeryData(TypedDict):
    # 00: approved. Anything else: not.
    ResponseCode: str
    # The bank's words.
    ResponseStatus: str
    # System trace number.
    STAN: str


class AepsRequeryData(_AepsRequeryData, total=False):
    """An object of replies."""

    # Rupees after the withdrawal, two decimals; where the bank gave it.
    Balance: str
    # Our name for the transaction.
    RetailerReferenceNumber: str
    # The bank's retrieval reference number; of every success.
    ReferenceNo: str
    # The issuer's approval code; of every success.
    AuthCode: str
    # Masked: only the last four digits.
    AadharNo: str
    txnStatus: str
    # One string; one line for each transaction and no other line, separated by newlines. Banks send as many as
    # they like: do not read it by position.
    Ministatement: str


class _Agent(TypedDict):
    agentId: str


class Agent(_Agent, total=False):
    """An object of replies."""

    name: str
    mobile: str
    shopName: str
    status: str


class AgentAuthentication(TypedDict):
    """An object of replies."""

    # 00: authenticated. Anything else: not.
    ResponseCode: str
    # The bank's words.
    ResponseStatus: str
    # System trace number.
    STAN: str


class _AgentSession(TypedDict):
    authenticated: bool
    # The terminal at the bank network.
    tid: str


class AgentSession(_AgentSession, total=False):
    """An object of replies."""

    # Absent where no session is active.
    authenticatedAt: str
    # 24 hours later. Absent where no session is active.
    expiresAt: str


class _Balance(TypedDict):
    # 00: approved. Anything else: not.
    ResponseCode: str
    # The bank's words.
    ResponseStatus: str
    # System trace number.
    STAN: str
    # Our name for the transaction.
    RetailerReferenceNumber: str
    # Masked: only the last four digits.
    AadharNo: str
    txnStatus: str


class Balance(_Balance, total=False):
    """An object of replies."""

    # Rupees, two decimals.
    Balance: str


class Bank(TypedDict):
    """An object of replies."""

    iin: str
    bankName: str


class _Beneficiary(TypedDict):
    beneficiaryid: int
    beneficiaryname: str
    beneficiarymobilenumber: int
    beneficiaryemailid: str
    bank: str
    state: str
    city: str
    branch: str
    address: str
    ifscode: str
    # Leading zeros are lost in it: see accountnumberText.
    accountnumber: int
    # 1 usable, 0 awaiting verification, 2 blocked.
    beneficiarystatus: int
    impsstatus: int


class Beneficiary(_Beneficiary, total=False):
    """An object of replies."""

    # The account number with its leading zeros.
    accountnumberText: str


class Callback(TypedDict):
    """Present if configured."""

    url: str
    events: List[str]


class _CallbackAttempt(TypedDict):
    number: int
    at: str
    result: str


class CallbackAttempt(_CallbackAttempt, total=False):
    """An object of replies."""

    http: int
    detail: str


class _CallbackDelivery(TypedDict):
    operationId: str
    merchantId: str
    # Whose endpoint gets it.
    receiver: str
    event: str
    state: str
    # The end of the operation.
    createdAt: str
    attempts: int


class CallbackDelivery(_CallbackDelivery, total=False):
    """An object of replies."""

    # The last attempt; absent: none.
    triedAt: str
    # The receiver's status at the last attempt; absent: no answer.
    http: int
    # The result of the last attempt, for people.
    detail: str
    # The next attempt; absent: there is none.
    nextAt: str
    # When it was delivered or given up.
    endedAt: str
    # Only of one callback: its attempts, oldest first.
    log: List[CallbackAttempt]


class _CallbackEndpoint(TypedDict):
    # Empty: there is none.
    url: str
    events: List[str]
    # The live ones, oldest first.
    secrets: List[Secret]


class CallbackEndpoint(_CallbackEndpoint, total=False):
    """An object of replies."""

    # When the receiver answered 410 Gone; absent: it is enabled.
    disabledAt: str


class _Charges(TypedDict):
    # Rupees that the customer pays for the transfer, GST included.
    charge: Number
    # Amount and charge.
    totalAmount: Number


class Charges(_Charges, total=False):
    """An object of replies."""

    # The tax in the charge.
    gst: Number
    commission: Number


class _Customer(TypedDict):
    referenceid: str
    name: str
    mobile_no: str
    kyc_verified: bool


class Customer(_Customer, total=False):
    """An object of replies."""

    email_id: str
    city: str
    state: str
    # Only the last four digits.
    aadhaar_masked: str


class DmtBeneficiaryAddData(TypedDict):
    """An object of replies."""

    beneficiaryid: int


class DmtLoginData(TypedDict):
    """An object of replies."""

    sessionId: str
    expiresAt: str


class _DmtRefundData(TypedDict):
    # Rupees.
    amount: Number


class DmtRefundData(_DmtRefundData, total=False):
    """An object of replies."""

    refundId: str
    # The bank's reference; absent while it is missing.
    rrn: str
    # Names the transfer from the first moment on; for refunds.
    transactionId: str
    status: str


class DmtRemitterRegisterData(TypedDict):
    """An object of replies."""

    senderid: str
    # Rupees.
    registrationFeeCharged: Number


class DmtTransactionBalanceData(TypedDict):
    """An object of replies."""

    # Rupees.
    balance: Number


class _Earning(TypedDict):
    # Operations that earned, less those that were reversed.
    count: int
    reversed: int
    # Amounts of the operations, in rupees as all that follow.
    volume: Number
    # What customers paid for them, GST included.
    charge: Number
    gst: Number
    providerCost: Number
    commission: Number
    # Tax deducted at source of the commission.
    tds: Number
    # Commission less tds.
    net: Number


class Earning(_Earning, total=False):
    """An object of replies."""

    # Where grouped by day.
    day: str
    # Where grouped by merchant.
    merchantId: str
    # Where grouped by type.
    paymentMethod: str
    # Where grouped by type.
    provider: str
    # Where grouped by type.
    txnType: str


class EarningTotals(TypedDict):
    """An object of replies."""

    count: int
    reversed: int
    volume: Number
    charge: Number
    gst: Number
    providerCost: Number
    commission: Number
    tds: Number
    net: Number


_EarningsReport = TypedDict("_EarningsReport", {
    "from": "str",
    "to": "str",
    "groupBy": "List[str]",
    "earnings": "List[Earning]",
    "totals": "EarningTotals",
})


class EarningsReport(_EarningsReport):
    """An object of replies."""


class EnrolledTerminal(TypedDict):
    """An object of replies."""

    terminalId: str
    merchantId: str
    # The terminal at the bank network.
    tid: str
    merchantName: str
    # The merchant at the bank network.
    mid: str
    # The websocket that the terminal connects to.
    uplink: str
    # What its tokens must name.
    audience: str


class _Enrolment(TypedDict):
    # Every later step of the onboarding needs it.
    referenceid: str


class Enrolment(_Enrolment, total=False):
    """An object of replies."""

    # The network's word on how far it is.
    status: str


class EnrolmentCode(TypedDict):
    """An object of replies."""

    code: str
    # 15 minutes after it was made.
    expiresAt: str


class _FinishedOperation(TypedDict):
    # The operation, as GET /operations/{id} takes it.
    id: str
    # The merchant of the operation.
    merchantId: str
    # The request that created it, such as POST /aeps/withdrawal.
    route: str
    # Our reference, GL…
    reference: str
    # The reference of the pending reply, AEPS-NR-… or DMT-NR-…
    pendingReference: str
    # Rupees, as a text with two decimals.
    amount: str
    # SUCCESS, FAILED or REVERSED.
    txnStatus: str
    # The bank's code; 00 if and only if it succeeded.
    ResponseCode: str
    # When the operation ended, ISO 8601 in UTC.
    finishedAt: str


class FinishedOperation(_FinishedOperation, total=False):
    """An object of replies."""

    # Your own reference in the body: clientRefId or refId.
    callerReference: str
    # The Idempotency-Key of the request, if it had one and was the receiver's own.
    idempotencyKey: str
    # The bank's retrieval reference number.
    RRN: str


_Limit = TypedDict("_Limit", {
    # The kinds of transactions that it bounds, each by itself.
    "kinds": "List[str]",
    "scope": "str",
    # Rupees; 0: no bound. So are max, step and sum.
    "min": "Number",
    "max": "Number",
    # The amount must be a multiple of it.
    "step": "Number",
    # How many in the scope's time; 0: no bound.
    "count": "int",
    # How much in the scope's time.
    "sum": "Number",
    # The first day in force; empty: always.
    "from": "str",
    # The first day no longer in force; empty: none.
    "until": "str",
})


class Limit(_Limit):
    """An object of replies."""


class _Merchant(TypedDict):
    id: str
    # The merchant at the bank network.
    mid: str
    appid: str
    legal_name: str
    mstatus: str
    status: bool
    riskflag: int
    createdAt: str


class Merchant(_Merchant, total=False):
    """An object of replies."""

    settlementAccount: SettlementAccount
    callback: Callback


_MerchantLimit = TypedDict("_MerchantLimit", {
    # The kinds of transactions that it bounds, each by itself.
    "kinds": "List[str]",
    "scope": "str",
    # Rupees; 0: no bound. So are max, step and sum.
    "min": "Number",
    "max": "Number",
    # The amount must be a multiple of it.
    "step": "Number",
    # How many in the scope's time; 0: no bound.
    "count": "int",
    # How much in the scope's time.
    "sum": "Number",
    # The first day in force; empty: always.
    "from": "str",
    # The first day no longer in force; empty: none.
    "until": "str",
})


class MerchantLimit(_MerchantLimit):
    """An object of replies."""


class _MiniStatement(TypedDict):
    # 00: approved. Anything else: not.
    ResponseCode: str
    # The bank's words.
    ResponseStatus: str
    # System trace number.
    STAN: str
    # Masked: only the last four digits.
    AadharNo: str
    txnStatus: str


class MiniStatement(_MiniStatement, total=False):
    """An object of replies."""

    # One string; one line for each transaction and no other line, separated by newlines. Banks send as many as
    # they like: do not read it by position.
    Ministatement: str


class NewCallbackSecret(TypedDict):
    """An object of replies."""

    id: str
    # As Standard Webhooks writes it: whsec_ and base64.
    secret: str


class NewClientSecret(TypedDict):
    """An object of replies."""

    id: str
    client_id: str
    client_secret: str


class NewVendorKey(TypedDict):
    """An object of replies."""

    id: str
    # What X-Client-Id takes.
    apiKey: str
    # The 32 bytes of the AES key, in base64.
    key: str


class OTPRequest(TypedDict):
    """An object of replies."""

    # Names the OTP, for validate_otp.
    otpreqid: str


class OnboardingDmtBcAgentInitializeData(TypedDict):
    """An object of replies."""

    agentId: str
    status: str


class OnboardingDmtBcAgentRegistorData(TypedDict):
    """An object of replies."""

    agentId: str
    status: str


class OnboardingDmtBcRegistorData(TypedDict):
    """An object of replies."""

    bcId: str
    status: str


class _Operation(TypedDict):
    id: str
    # Method and path of the request.
    route: str
    status: str
    reference: str
    stan: str
    # Rupees, two decimals.
    amount: str
    createdAt: str


class Operation(_Operation, total=False):
    """An object of replies."""

    pendingReference: str
    responseCode: str
    rrn: str
    sentAt: str
    finishedAt: str


class Pagination(TypedDict):
    """An object of replies."""

    page: int
    limit: int
    total: int
    totalPages: int


class Progress(TypedDict):
    """The bank network's own object, as it came."""

    # The network's word on how far it is.
    status: str


class _Purchase(TypedDict):
    # 00: approved. Anything else: not.
    ResponseCode: str
    # The bank's words.
    ResponseStatus: str
    # System trace number.
    STAN: str
    # Our name for the transaction.
    RetailerReferenceNumber: str
    # Masked: only the last four digits.
    AadharNo: str
    txnStatus: str


class Purchase(_Purchase, total=False):
    """An object of replies."""

    # The bank's retrieval reference number; of every success.
    ReferenceNo: str
    # The issuer's approval code; of every success.
    AuthCode: str


class QRCode(TypedDict):
    """An object of replies."""

    type: str
    # An NPCI UPI link.
    upiLink: str
    # A QR code of the link, as a PNG.
    image: str
    order_id: str
    # Rupees; 0 in a static code.
    amount: Number
    # The UPI address that is paid.
    vpa: str
    payeeName: str


class RecentTransaction(TypedDict):
    """An object of replies."""

    id: str
    # CASH_WITHDRAWAL, BALANCE_ENQUIRY, MINI_STATEMENT, PURCHASE, AGENT_AUTHENTICATION, TRANSFER or REFUND.
    type: str
    # Rupees.
    amount: Number
    status: str
    # Our name for it: RetailerReferenceNumber, transactionId, refundId.
    reference: str
    createdAt: str


class RefundReceipt(TypedDict):
    """An object of replies."""

    refundId: str
    # Rupees.
    amount: Number


class _Remitter(TypedDict):
    senderId: str
    status: bool
    remitter: bool
    TransactionDone: int
    # Rupees that can be sent now.
    AviableLimit: Number
    # The day's ceiling in rupees.
    AviabledayLimit: Number
    beneficiarydetail: List[Beneficiary]


class Remitter(_Remitter, total=False):
    """An object of replies."""

    # The month's ceiling in rupees.
    monthLimit: Number
    # Rupees that are left of the month's ceiling.
    AviableMonthLimit: Number


class _Secret(TypedDict):
    id: str


class Secret(_Secret, total=False):
    """An object of replies."""

    # Absent: not recorded.
    createdAt: str
    # When it ends; absent: no end is planned.
    endsAt: str


class SettlementAccount(TypedDict):
    """Present if configured."""

    # The last four digits are shown.
    accountNumber: str
    ifsc: str
    bankName: str
    holder: str


class _Slab(TypedDict):
    id: str
    vendorId: str
    aggregatorId: str
    paymentMethod: str
    provider: str
    txnType: str
    commissionRate: Number
    rateType: str
    isDefault: bool


class Slab(_Slab, total=False):
    """An object of replies."""

    # Rupees; absent: the band is open below.
    minAmount: Number
    # Rupees; absent: the band is open above.
    maxAmount: Number


class _Terminal(TypedDict):
    id: str
    name: str
    # The terminal at the bank network.
    tid: str
    createdAt: str
    revoked: bool


class Terminal(_Terminal, total=False):
    """An object of replies."""

    # When it last said hello; absent: never.
    seenAt: str


class _Transfer(TypedDict):
    # Rupees.
    amount: Number
    status: str


class Transfer(_Transfer, total=False):
    """An object of replies."""

    # The bank's reference; absent while it is missing.
    rrn: str
    # Names the transfer from the first moment on; for refunds.
    transactionId: str


class _TransferState(TypedDict):
    status: str
    transactionId: str
    # Rupees.
    amount: Number


class TransferState(_TransferState, total=False):
    """An object of replies."""

    # The bank's reference, where it gave one.
    rrn: str


class _UPIOrder(TypedDict):
    order_id: str
    status: str
    # Rupees, two decimals: what was received and not returned.
    received: str
    # Newest first, at most 100.
    payments: List[UPIPayment]


class UPIOrder(_UPIOrder, total=False):
    """An object of replies."""

    # Rupees, two decimals, of the newest code.
    amount: str
    # Until when a payment counts as one of this order without a person.
    expiresAt: str


class _UPIPayment(TypedDict):
    # UPI's transaction id, unique for ever.
    id: str
    # The network's reference (UTR).
    RRN: str
    # Rupees, two decimals.
    amount: str
    # The UPI address that was paid.
    vpa: str
    match: str
    status: str
    # When the payer paid.
    paidAt: str
    # When the central recorded it.
    recordedAt: str


class UPIPayment(_UPIPayment, total=False):
    """An object of replies."""

    # Of the dynamic code that was paid; absent: none.
    order_id: str
    # Masked by the network.
    payerName: str
    # Masked by the network.
    payerVPA: str
    # UPI's transaction id of the return.
    refundId: str
    refundRRN: str
    # When the bank returned it to its payer.
    returnedAt: str


class _Vendor(TypedDict):
    id: str
    legal_name: str
    status: bool
    # The first 50 that are not pending; GET /vendor/merchants pages through all of them.
    merchants: List[VendorMerchant]
    # How many there are.
    merchantCount: int


class Vendor(_Vendor, total=False):
    """An object of replies."""

    # Absent where none is assigned.
    aggregatorId: str


class _VendorClient(TypedDict):
    # client_id.
    id: str
    # False: suspended; it gets no tokens.
    active: bool
    # The live ones, the newest first.
    secrets: List[Secret]


class VendorClient(_VendorClient, total=False):
    """An object of replies."""

    # Absent: not recorded.
    createdAt: str


class _VendorKey(TypedDict):
    id: str
    # The last characters of the API key.
    hint: str
    # Messages under it are accepted.
    live: bool
    createdAt: str


class VendorKey(_VendorKey, total=False):
    """An object of replies."""

    # When it was last used; absent: never. It may be some seconds late.
    usedAt: str
    # When it ends, or ended; absent: no end is planned.
    endsAt: str


class _VendorMerchant(TypedDict):
    id: str
    # The merchant at the bank network.
    mid: str
    appid: str
    legal_name: str
    mstatus: str
    status: bool
    riskflag: int
    createdAt: str
    # The newest, at most ten.
    transactions: List[RecentTransaction]


class VendorMerchant(_VendorMerchant, total=False):
    """An object of replies."""

    settlementAccount: SettlementAccount
    callback: Callback


class _VendorOperation(TypedDict):
    id: str
    # Method and path of the request; NETWORK upi.received or NETWORK upi.returned where the bank network
    # reported it.
    route: str
    status: str
    reference: str
    # Empty of a payment by UPI.
    stan: str
    # Rupees, two decimals.
    amount: str
    createdAt: str
    merchantId: str
    # CASH_WITHDRAWAL, BALANCE_ENQUIRY, MINI_STATEMENT, PURCHASE, AGENT_AUTHENTICATION, TRANSFER, REFUND,
    # UPI_PAYMENT (received by UPI) or UPI_REFUND (returned to the payer).
    type: str


class VendorOperation(_VendorOperation, total=False):
    """An object of replies."""

    pendingReference: str
    responseCode: str
    rrn: str
    sentAt: str
    finishedAt: str
    # Masked; of AEPS transactions.
    AadharNo: str


class _Verification(TypedDict):
    # 1 verified, 0 failed; -1 and 91 ambiguous: ask again after 30 seconds.
    status: int


class Verification(_Verification, total=False):
    """An object of replies."""

    # Where the bank knows it.
    account_holder_name: str


class _Withdrawal(TypedDict):
    # 00: approved. Anything else: not.
    ResponseCode: str
    # The bank's words.
    ResponseStatus: str
    # System trace number.
    STAN: str
    # Our name for the transaction.
    RetailerReferenceNumber: str
    # Masked: only the last four digits.
    AadharNo: str
    txnStatus: str


class Withdrawal(_Withdrawal, total=False):
    """An object of replies."""

    # Rupees after the withdrawal, two decimals; where the bank gave it.
    Balance: str
    # The bank's retrieval reference number; of every success.
    ReferenceNo: str
    # The issuer's approval code; of every success.
    AuthCode: str


class Extra(TypedDict, total=False):
    """What some replies have beside statusCode, message and data."""

    # An OTP was sent.
    otp_status: bool
    # Names the OTP, for validate_otp.
    otp_reqid: str
    # What after takes to get the next page.
    next: str
    pagination: Pagination
    # Only of a sandbox, where the paise of an amount play scenarios.
    sandbox: bool
    # What a merchant may receive in a day or a month; absent: as much as comes.
    merchantLimits: List[MerchantLimit]
