# Written by deploy/sdk/generate from the OpenAPI document; do not edit.
"""The routes: what the clients know of each, and a method for each."""

from typing import List, Literal, Optional, Tuple

from . import types
from ._route import Caller, Route
from .result import Result

_AEPS_INITIALIZE = Route("POST", "/aeps/initialize", "record", identity=True, gateway=True, bare=True, in_body=("merchantId",))
_AEPS_ONBOARDING = Route("POST", "/aeps/onboarding", "enquiry", identity=True, gateway=True, in_body=("merchantId",))
_AEPS_REQUEST_OTP = Route("POST", "/aeps/request_otp", "enquiry", gateway=True, in_body=("merchantId",))
_AEPS_VALIDATE_OTP = Route("POST", "/aeps/validate_otp", "enquiry", identity=True, gateway=True, in_body=("otp", "otpreqid", "merchantId",))
_AEPS_VERIFY_PAN = Route("POST", "/aeps/verify_pan", "record", identity=True, gateway=True, in_body=("pan", "name", "dob", "merchantId",))
_AEPS_UPDATE_UID = Route("POST", "/aeps/update_UID", "record", identity=True, gateway=True, in_body=("aadhaarno", "merchantId",))
_AEPS_UPDATEBIODETAIL = Route("POST", "/aeps/updatebiodetail", "enquiry", identity=True, gateway=True, in_body=("PidData", "aadhaarno", "merchantId",))
_AEPS_SUBMIT = Route("POST", "/aeps/submit", "record", identity=True, gateway=True, in_body=("merchantId",))
_AEPS_STATUS_CHECK = Route("GET", "/aeps/statusCheck", "enquiry", gateway=True, in_query=("merchantId",))
_AEPS_GET_AGENT_DETAIL = Route("POST", "/aeps/GetAgentDetail", "enquiry", gateway=True, in_body=("agentId", "merchantId",))
_AEPS_WITHDRAWAL = Route("POST", "/aeps/withdrawal", "money", identity=True, gateway=True, aeps=True, in_body=("AadharNo", "TxnAmount", "Latitude", "Longitude", "CustomerName", "PidData", "BankName", "clientRefId", "merchantId",))
_AEPS_BALANCE = Route("POST", "/aeps/balance", "enquiry", identity=True, gateway=True, aeps=True, in_body=("AadharNo", "TxnAmount", "Latitude", "Longitude", "CustomerName", "PidData", "BankName", "clientRefId", "merchantId",))
_AEPS_MINSTATEMENT = Route("POST", "/aeps/minstatement", "enquiry", identity=True, gateway=True, aeps=True, in_body=("AadharNo", "TxnAmount", "Latitude", "Longitude", "CustomerName", "PidData", "BankName", "clientRefId", "merchantId",))
_AEPS_REQ_AUTH = Route("POST", "/aeps/reqAuth", "enquiry", identity=True, gateway=True, aeps=True, in_body=("AadharNo", "TxnAmount", "Latitude", "Longitude", "CustomerName", "PidData", "BankName", "clientRefId", "merchantId",))
_AEPS_PURCHASE = Route("POST", "/aeps/purchase", "money", identity=True, gateway=True, aeps=True, in_body=("AadharNo", "TxnAmount", "Latitude", "Longitude", "CustomerName", "PidData", "BankName", "clientRefId", "merchantId",))
_AEPS_REQUERY = Route("POST", "/aeps/requery", "enquiry", gateway=True, aeps=True, in_body=("clientRefId", "reference", "RetailerReferenceNumber", "merchantId",))
_AEPS_AUTH_STATUS = Route("GET", "/aeps/authStatus", "reference", gateway=True, in_query=("merchantId",))
_AEPS_BANKS = Route("GET", "/aeps/banks", "reference", gateway=True)
_DMT_CUSTOMER_GET_DETAIL = Route("POST", "/dmt/customer/GetDetail", "enquiry", gateway=True, in_body=("mobile_number", "merchantId",))
_DMT_CUSTOMER_ONBOARDING = Route("POST", "/dmt/customer/onboarding", "record", identity=True, gateway=True, in_body=("name", "mobile_no", "city", "state", "email_id", "merchantId",))
_DMT_CUSTOMER_REQUEST_OTP = Route("POST", "/dmt/customer/request_otp", "enquiry", gateway=True, in_body=("referenceid", "merchantId",))
_DMT_CUSTOMER_VALIDATE_OTP = Route("POST", "/dmt/customer/validate_otp", "enquiry", identity=True, gateway=True, in_body=("otp", "otpreqid", "referenceid", "merchantId",))
_DMT_CUSTOMER_VERIFY_UID = Route("POST", "/dmt/customer/verify_UID", "record", identity=True, gateway=True, in_body=("aadhaarno", "referenceid", "merchantId",))
_DMT_CUSTOMER_UPDATEBIODETAIL = Route("POST", "/dmt/customer/updatebiodetail", "enquiry", identity=True, gateway=True, in_body=("PidData", "aadhaarno", "referenceid", "merchantId",))
_DMT_CUSTOMER_SUBMIT = Route("POST", "/dmt/customer/submit", "record", identity=True, gateway=True, in_body=("referenceid", "merchantId",))
_DMT_CUSTOMER_STATUS_CHECK = Route("GET", "/dmt/customer/statusCheck", "enquiry", gateway=True, in_query=("referenceid", "merchantId",))
_DMT_REMITTER_REGISTER = Route("POST", "/dmt/txn/v1/remitter/register", "record", identity=True, gateway=True, in_body=("sender_mobilenumber", "senderId", "merchantId",))
_DMT_REMITTER_DETAILS = Route("POST", "/dmt/txn/v1/remitter/details", "enquiry", gateway=True, in_body=("sender_mobilenumber", "merchantId",))
_DMT_BENEFICIARY_ACCOUNT_VERIFICATION = Route("POST", "/dmt/txn/v1/beneficiary/accountVerification", "enquiry", identity=True, gateway=True, in_body=("receiver_account_no", "receiverIfscCode", "senderId", "sender_mobilenumber", "receivername", "receivermobilenumber", "receiveremailid", "merchantId",))
_DMT_BENEFICIARY_ADD = Route("POST", "/dmt/txn/v1/beneficiary/add", "record", identity=True, gateway=True, in_body=("senderId", "receivername", "receiverIfscCode", "receiver_account_no", "receivermobilenumber", "receiveremailid", "address", "city", "state", "branch_contact", "merchantId",))
_DMT_BENEFICIARY_GET = Route("POST", "/dmt/txn/v1/beneficiary/get", "enquiry", gateway=True, in_body=("senderId", "receiver_account_no", "receiverIfscCode", "merchantId",))
_DMT_BENEFICIARY_DELETE = Route("POST", "/dmt/txn/v1/beneficiary/delete", "record", identity=True, gateway=True, in_body=("senderId", "receiver_account_no", "receiverIfscCode", "merchantId",))
_DMT_TRANSACTION_OTP = Route("POST", "/dmt/txn/v1/transaction/otp", "enquiry", gateway=True, in_body=("senderId", "amount", "receiver_account_no", "receiverIfscCode", "merchantId",))
_DMT_TRANSACTION_INSTANT = Route("POST", "/dmt/txn/v1/transaction/instant", "money", identity=True, gateway=True, transfer=True, in_body=("senderId", "BeneficiaryId", "amount", "refId", "otp", "receiver_account_no", "receiverIfscCode", "account_holder_name", "receiverMobilenumber", "remarks", "merchantId",))
_DMT_TRANSACTION_CHARGES = Route("POST", "/dmt/txn/v1/transaction/charges", "enquiry", gateway=True, in_body=("senderId", "amount", "merchantId",))
_DMT_TRANSACTION_REQUERY = Route("POST", "/dmt/txn/v1/transaction/requery", "enquiry", gateway=True, transfer=True, in_body=("refId", "merchantId",))
_DMT_TRANSACTION_REFUND_OTP = Route("POST", "/dmt/txn/v1/transaction/refundOTP", "enquiry", gateway=True, in_body=("refereanceId", "merchantId",))
_DMT_REFUND = Route("POST", "/dmt/txn/v1/refund", "money", identity=True, gateway=True, transfer=True, in_body=("transactionId", "refId", "otp", "merchantId",))
_DMT_TRANSACTION_BALANCE = Route("POST", "/dmt/txn/v1/transaction/balance", "enquiry")
_DMT_LOGIN = Route("POST", "/dmt/txn/v1/login", "enquiry", gateway=True, in_body=("merchantId",))
_ONBOARDING_DMT_BC_REGISTOR = Route("POST", "/onboarding/dmt/bc/registor", "record", identity=True, in_body=("name", "mobile_no", "email_id", "pan", "address", "city", "state", "pincode",))
_ONBOARDING_DMT_BC_AGENT_REGISTOR = Route("POST", "/onboarding/dmt/bc/agent/registor", "record", identity=True, in_body=("bcId", "name", "mobile_no", "email_id", "pan", "address", "city", "state", "pincode", "aadhaarno", "shopName",))
_ONBOARDING_DMT_BC_AGENT_INITIALIZE = Route("POST", "/onboarding/dmt/bc/agent/initialize", "record", identity=True, in_body=("agentId",))
_ONBOARDING_DMT_BC_STATUS = Route("POST", "/onboarding/dmt/bc/status", "enquiry", in_body=("bcId", "agentId",))
_UPI_GENERATE_QR = Route("POST", "/upi/txn/v1/GenerateQR", "enquiry", in_body=("order_id", "amount", "merchantId",))
_UPI_STATUS = Route("POST", "/upi/txn/v1/status", "enquiry", in_body=("order_id", "merchantId",))
_UPI_PAYMENTS = Route("GET", "/upi/txn/v1/payments", "enquiry", in_query=("limit", "after", "from", "to", "merchantId",))
_VENDOR_MERCHANTS = Route("GET", "/vendor/merchants", "enquiry", gateway=True, in_query=("page", "limit",))
_VENDOR_ME = Route("GET", "/vendor/me", "enquiry", gateway=True)
_VENDOR_COMMISSION_LIST = Route("GET", "/vendor-commission/{vendorId}/commission", "enquiry", gateway=True, in_path=("vendorId",))
_VENDOR_COMMISSION_CREATE = Route("POST", "/vendor-commission/{vendorId}/commission", "record", gateway=True, in_path=("vendorId",), in_body=("paymentMethod", "provider", "txnType", "minAmount", "maxAmount", "commissionRate", "rateType", "isDefault",))
_VENDOR_COMMISSION_UPDATE = Route("PUT", "/vendor-commission/{vendorId}/commission/{slabId}", "record", gateway=True, in_path=("vendorId", "slabId",), in_body=("paymentMethod", "provider", "txnType", "minAmount", "maxAmount", "commissionRate", "rateType", "isDefault",))
_VENDOR_COMMISSION_DELETE = Route("DELETE", "/vendor-commission/{vendorId}/commission/{slabId}", "record", gateway=True, in_path=("vendorId", "slabId",))
_VENDOR_COMMISSION_EARNINGS = Route("GET", "/vendor-commission/{vendorId}/earnings", "enquiry", gateway=True, in_path=("vendorId",), in_query=("from", "to", "groupBy",))
_VENDOR_KEYS_LIST = Route("GET", "/vendor/keys", "enquiry", gateway=True)
_VENDOR_KEYS_CREATE = Route("POST", "/vendor/keys", "record")
_VENDOR_KEYS_END = Route("POST", "/vendor/keys/{keyId}/end", "record", in_path=("keyId",), in_body=("at",))
_VENDOR_CLIENTS = Route("GET", "/vendor/clients", "enquiry", gateway=True)
_VENDOR_CLIENTS_SECRETS = Route("POST", "/vendor/clients/{clientId}/secrets", "record", in_path=("clientId",), in_body=("formerEndsAt",))
_VENDOR_CLIENTS_SECRETS_END = Route("POST", "/vendor/clients/{clientId}/secrets/{secretId}/end", "record", in_path=("clientId", "secretId",), in_body=("at",))
_VENDOR_CALLBACK_GET = Route("GET", "/vendor/callback", "enquiry", gateway=True)
_VENDOR_CALLBACK_UPDATE = Route("PUT", "/vendor/callback", "record", gateway=True, in_body=("url",))
_VENDOR_CALLBACK_DELETE = Route("DELETE", "/vendor/callback", "record", gateway=True)
_VENDOR_CALLBACK_SECRETS = Route("POST", "/vendor/callback/secrets", "record", gateway=True, in_body=("formerEndsAt",))
_VENDOR_CALLBACK_SECRETS_END = Route("POST", "/vendor/callback/secrets/{secretId}/end", "record", gateway=True, in_path=("secretId",), in_body=("at",))
_VENDOR_MERCHANTS_CALLBACK_GET = Route("GET", "/vendor/merchants/{merchantId}/callback", "enquiry", gateway=True, in_path=("merchantId",))
_VENDOR_MERCHANTS_CALLBACK_UPDATE = Route("PUT", "/vendor/merchants/{merchantId}/callback", "record", gateway=True, in_path=("merchantId",), in_body=("url",))
_VENDOR_MERCHANTS_CALLBACK_DELETE = Route("DELETE", "/vendor/merchants/{merchantId}/callback", "record", gateway=True, in_path=("merchantId",))
_VENDOR_MERCHANTS_CALLBACK_SECRETS = Route("POST", "/vendor/merchants/{merchantId}/callback/secrets", "record", gateway=True, in_path=("merchantId",), in_body=("formerEndsAt",))
_VENDOR_MERCHANTS_CALLBACK_SECRETS_END = Route("POST", "/vendor/merchants/{merchantId}/callback/secrets/{secretId}/end", "record", gateway=True, in_path=("merchantId", "secretId",), in_body=("at",))
_VENDOR_CALLBACKS_LIST = Route("GET", "/vendor/callbacks", "enquiry", gateway=True, in_query=("limit", "merchant", "after", "status", "from", "to",))
_VENDOR_CALLBACKS_GET = Route("GET", "/vendor/callbacks/{operationId}", "enquiry", gateway=True, in_path=("operationId",))
_VENDOR_CALLBACKS_RESEND = Route("POST", "/vendor/callbacks/{operationId}/resend", "record", gateway=True, in_path=("operationId",))
_VENDOR_OPERATIONS = Route("GET", "/vendor/operations", "enquiry", gateway=True, in_query=("limit", "merchant", "after", "status", "type", "from", "to", "format",))
_LIMITS = Route("GET", "/limits", "reference", gateway=True)
_TERMINALS_CREATE = Route("POST", "/terminals", "record", in_body=("name", "merchantId",))
_TERMINALS_LIST = Route("GET", "/terminals", "enquiry", in_query=("merchantId",))
_TERMINALS_DELETE = Route("DELETE", "/terminals/{id}", "record", in_path=("id",), in_body=("merchantId",))
_TERMINALS_ENROL = Route("POST", "/terminals/enrol", "record", open=True, in_body=("code", "publicKey", "name",))
_OPERATIONS_GET = Route("GET", "/operations/{id}", "enquiry", in_path=("id",))

ROUTES: Tuple[Route, ...] = (
    _AEPS_INITIALIZE,
    _AEPS_ONBOARDING,
    _AEPS_REQUEST_OTP,
    _AEPS_VALIDATE_OTP,
    _AEPS_VERIFY_PAN,
    _AEPS_UPDATE_UID,
    _AEPS_UPDATEBIODETAIL,
    _AEPS_SUBMIT,
    _AEPS_STATUS_CHECK,
    _AEPS_GET_AGENT_DETAIL,
    _AEPS_WITHDRAWAL,
    _AEPS_BALANCE,
    _AEPS_MINSTATEMENT,
    _AEPS_REQ_AUTH,
    _AEPS_PURCHASE,
    _AEPS_REQUERY,
    _AEPS_AUTH_STATUS,
    _AEPS_BANKS,
    _DMT_CUSTOMER_GET_DETAIL,
    _DMT_CUSTOMER_ONBOARDING,
    _DMT_CUSTOMER_REQUEST_OTP,
    _DMT_CUSTOMER_VALIDATE_OTP,
    _DMT_CUSTOMER_VERIFY_UID,
    _DMT_CUSTOMER_UPDATEBIODETAIL,
    _DMT_CUSTOMER_SUBMIT,
    _DMT_CUSTOMER_STATUS_CHECK,
    _DMT_REMITTER_REGISTER,
    _DMT_REMITTER_DETAILS,
    _DMT_BENEFICIARY_ACCOUNT_VERIFICATION,
    _DMT_BENEFICIARY_ADD,
    _DMT_BENEFICIARY_GET,
    _DMT_BENEFICIARY_DELETE,
    _DMT_TRANSACTION_OTP,
    _DMT_TRANSACTION_INSTANT,
    _DMT_TRANSACTION_CHARGES,
    _DMT_TRANSACTION_REQUERY,
    _DMT_TRANSACTION_REFUND_OTP,
    _DMT_REFUND,
    _DMT_TRANSACTION_BALANCE,
    _DMT_LOGIN,
    _ONBOARDING_DMT_BC_REGISTOR,
    _ONBOARDING_DMT_BC_AGENT_REGISTOR,
    _ONBOARDING_DMT_BC_AGENT_INITIALIZE,
    _ONBOARDING_DMT_BC_STATUS,
    _UPI_GENERATE_QR,
    _UPI_STATUS,
    _UPI_PAYMENTS,
    _VENDOR_MERCHANTS,
    _VENDOR_ME,
    _VENDOR_COMMISSION_LIST,
    _VENDOR_COMMISSION_CREATE,
    _VENDOR_COMMISSION_UPDATE,
    _VENDOR_COMMISSION_DELETE,
    _VENDOR_COMMISSION_EARNINGS,
    _VENDOR_KEYS_LIST,
    _VENDOR_KEYS_CREATE,
    _VENDOR_KEYS_END,
    _VENDOR_CLIENTS,
    _VENDOR_CLIENTS_SECRETS,
    _VENDOR_CLIENTS_SECRETS_END,
    _VENDOR_CALLBACK_GET,
    _VENDOR_CALLBACK_UPDATE,
    _VENDOR_CALLBACK_DELETE,
    _VENDOR_CALLBACK_SECRETS,
    _VENDOR_CALLBACK_SECRETS_END,
    _VENDOR_MERCHANTS_CALLBACK_GET,
    _VENDOR_MERCHANTS_CALLBACK_UPDATE,
    _VENDOR_MERCHANTS_CALLBACK_DELETE,
    _VENDOR_MERCHANTS_CALLBACK_SECRETS,
    _VENDOR_MERCHANTS_CALLBACK_SECRETS_END,
    _VENDOR_CALLBACKS_LIST,
    _VENDOR_CALLBACKS_GET,
    _VENDOR_CALLBACKS_RESEND,
    _VENDOR_OPERATIONS,
    _LIMITS,
    _TERMINALS_CREATE,
    _TERMINALS_LIST,
    _TERMINALS_DELETE,
    _TERMINALS_ENROL,
    _OPERATIONS_GET,
)


class GatewayRoutes(Caller):
    """The routes that the gateway mirrors."""

    def aeps_initialize(self, *, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.AepsInitializeReply]:
        """Create the AEPS service-KYC record.

        POST /aeps/initialize; for merchant, vendor.

        Creates the record where there is none. The success has no envelope; errors have it.

        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_INITIALIZE, {"merchantId": merchantId}, idempotency_key)

    def aeps_onboarding(self, *, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.OTPRequest]:
        """Begin the onboarding, and send the first OTP.

        POST /aeps/onboarding; for merchant, vendor.

        Needs the merchant's information. The OTP goes to the merchant's mobile number.

        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_ONBOARDING, {"merchantId": merchantId}, idempotency_key)

    def aeps_request_otp(self, *, merchantId: Optional[str] = None) -> Result[types.OTPRequest]:
        """Send the onboarding OTP again.

        POST /aeps/request_otp; for merchant, vendor.

        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_REQUEST_OTP, {"merchantId": merchantId}, None)

    def aeps_validate_otp(self, *, otp: str, otpreqid: str, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.Progress]:
        """Check the onboarding OTP.

        POST /aeps/validate_otp; for merchant, vendor.

        otp: The one-time password from the text message. Must be the digits of a one-time password.
        otpreqid: Which OTP is meant, as the request for it answered. Must have 1 to 64 letters, digits, dots,
        hyphens and underscores.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_VALIDATE_OTP, {"otp": otp, "otpreqid": otpreqid, "merchantId": merchantId}, idempotency_key)

    def aeps_verify_pan(self, *, pan: str, name: str, dob: str, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.Progress]:
        """Verify the agent's PAN.

        POST /aeps/verify_pan; for merchant, vendor.

        pan: Permanent account number. Must be a PAN: five capital letters, four digits, one capital letter.
        name: The name.
        dob: Date of birth, not in the future.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_VERIFY_PAN, {"pan": pan, "name": name, "dob": dob, "merchantId": merchantId}, idempotency_key)

    def aeps_update_uid(self, *, aadhaarno: str, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.Progress]:
        """Give the agent's Aadhaar number.

        POST /aeps/update_UID; for merchant, vendor.

        aadhaarno: The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
        Aadhaar number; must pass the Verhoeff check.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_UPDATE_UID, {"aadhaarno": aadhaarno, "merchantId": merchantId}, idempotency_key)

    def aeps_updatebiodetail(self, *, PidData: str, aadhaarno: str, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.Progress]:
        """Give the agent's biometric.

        POST /aeps/updatebiodetail; for merchant, vendor.

        The finger must be that of the Aadhaar number.

        PidData: The capture as the registered-device service gave it, unchanged. It is used once and never
        stored. PidData XML of a registered device, with errCode 0.
        aadhaarno: The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
        Aadhaar number; must pass the Verhoeff check.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_UPDATEBIODETAIL, {"PidData": PidData, "aadhaarno": aadhaarno, "merchantId": merchantId}, idempotency_key)

    def aeps_submit(self, *, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.Progress]:
        """Finish the onboarding.

        POST /aeps/submit; for merchant, vendor.

        The merchant's own appid is the reference. Where the network approves, the merchant may transact from
        then on.

        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_SUBMIT, {"merchantId": merchantId}, idempotency_key)

    def aeps_status_check(self, *, merchantId: Optional[str] = None) -> Result[types.Progress]:
        """How far the onboarding is.

        GET /aeps/statusCheck; for merchant, vendor.

        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_STATUS_CHECK, {"merchantId": merchantId}, None)

    def aeps_get_agent_detail(self, *, agentId: Optional[str] = None, merchantId: Optional[str] = None) -> Result[types.Agent]:
        """Who an agent is.

        POST /aeps/GetAgentDetail; for merchant, vendor.

        The caller's own agent if none is named. Another party's agent is 04, like an unknown one.

        agentId: The agent's mid; absent or empty: the caller's own. Must have 1 to 64 letters, digits, dots,
        hyphens and underscores.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_GET_AGENT_DETAIL, {"agentId": agentId, "merchantId": merchantId}, None)

    def aeps_withdrawal(self, *, AadharNo: str, TxnAmount: types.Number, Latitude: str, Longitude: str, CustomerName: str, PidData: str, BankName: Optional[str] = None, clientRefId: Optional[str] = None, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.Withdrawal]:
        """Cash withdrawal.

        POST /aeps/withdrawal; for merchant, vendor.

        AadharNo: The customer's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
        Aadhaar number; must pass the Verhoeff check.
        TxnAmount: The amount. Rupees, at most two decimals.
        Latitude: Where the device is. Decimal degrees from -90 to 90.
        Longitude: Where the device is. Decimal degrees from -180 to 180.
        CustomerName: The customer's name.
        PidData: The capture as the registered-device service gave it, unchanged. It is used once and never
        stored. PidData XML of a registered device, with errCode 0.
        BankName: The IIN of the customer's bank. An iin of aeps/banks; default 990326.
        clientRefId: The operation's identity: a repeat with the same body gets the stored reply. The caller's
        own reference.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_WITHDRAWAL, {"AadharNo": AadharNo, "TxnAmount": TxnAmount, "Latitude": Latitude, "Longitude": Longitude, "CustomerName": CustomerName, "PidData": PidData, "BankName": BankName, "clientRefId": clientRefId, "merchantId": merchantId}, idempotency_key)

    def aeps_balance(self, *, AadharNo: str, TxnAmount: types.Number, Latitude: str, Longitude: str, CustomerName: str, PidData: str, BankName: Optional[str] = None, clientRefId: Optional[str] = None, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.Balance]:
        """Balance enquiry.

        POST /aeps/balance; for merchant, vendor.

        AadharNo: The customer's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
        Aadhaar number; must pass the Verhoeff check.
        TxnAmount: The amount. Must be 0 on this route.
        Latitude: Where the device is. Decimal degrees from -90 to 90.
        Longitude: Where the device is. Decimal degrees from -180 to 180.
        CustomerName: The customer's name.
        PidData: The capture as the registered-device service gave it, unchanged. It is used once and never
        stored. PidData XML of a registered device, with errCode 0.
        BankName: The IIN of the customer's bank. An iin of aeps/banks; default 990326.
        clientRefId: The operation's identity: a repeat with the same body gets the stored reply. The caller's
        own reference.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_BALANCE, {"AadharNo": AadharNo, "TxnAmount": TxnAmount, "Latitude": Latitude, "Longitude": Longitude, "CustomerName": CustomerName, "PidData": PidData, "BankName": BankName, "clientRefId": clientRefId, "merchantId": merchantId}, idempotency_key)

    def aeps_minstatement(self, *, AadharNo: str, TxnAmount: types.Number, Latitude: str, Longitude: str, CustomerName: str, PidData: str, BankName: Optional[str] = None, clientRefId: Optional[str] = None, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.MiniStatement]:
        """Mini statement.

        POST /aeps/minstatement; for merchant, vendor.

        AadharNo: The customer's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
        Aadhaar number; must pass the Verhoeff check.
        TxnAmount: The amount. Must be 0 on this route.
        Latitude: Where the device is. Decimal degrees from -90 to 90.
        Longitude: Where the device is. Decimal degrees from -180 to 180.
        CustomerName: The customer's name.
        PidData: The capture as the registered-device service gave it, unchanged. It is used once and never
        stored. PidData XML of a registered device, with errCode 0.
        BankName: The IIN of the customer's bank. An iin of aeps/banks; default 990326.
        clientRefId: The operation's identity: a repeat with the same body gets the stored reply. The caller's
        own reference.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_MINSTATEMENT, {"AadharNo": AadharNo, "TxnAmount": TxnAmount, "Latitude": Latitude, "Longitude": Longitude, "CustomerName": CustomerName, "PidData": PidData, "BankName": BankName, "clientRefId": clientRefId, "merchantId": merchantId}, idempotency_key)

    def aeps_req_auth(self, *, AadharNo: str, TxnAmount: types.Number, Latitude: str, Longitude: str, CustomerName: str, PidData: str, BankName: Optional[str] = None, clientRefId: Optional[str] = None, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.AgentAuthentication]:
        """The agent's daily authentication.

        POST /aeps/reqAuth; for merchant, vendor.

        With the agent's own Aadhaar number and finger. A success opens the terminal's session for 24 hours.

        AadharNo: The agent's own, 12 digits: whoever stands at the terminal gives a finger, and no customer
        does. The example is one of UIDAI's public demo numbers, nobody's. Aadhaar number; must pass the
        Verhoeff check.
        TxnAmount: The amount. Must be 0 on this route.
        Latitude: Where the device is. Decimal degrees from -90 to 90.
        Longitude: Where the device is. Decimal degrees from -180 to 180.
        CustomerName: The agent's name.
        PidData: The capture as the registered-device service gave it, unchanged. It is used once and never
        stored. PidData XML of a registered device, with errCode 0.
        BankName: The IIN of the agent's bank. An iin of aeps/banks; default 990326.
        clientRefId: The operation's identity: a repeat with the same body gets the stored reply. The caller's
        own reference.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_REQ_AUTH, {"AadharNo": AadharNo, "TxnAmount": TxnAmount, "Latitude": Latitude, "Longitude": Longitude, "CustomerName": CustomerName, "PidData": PidData, "BankName": BankName, "clientRefId": clientRefId, "merchantId": merchantId}, idempotency_key)

    def aeps_purchase(self, *, AadharNo: str, TxnAmount: types.Number, Latitude: str, Longitude: str, CustomerName: str, PidData: str, BankName: Optional[str] = None, clientRefId: Optional[str] = None, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.Purchase]:
        """Purchase (Aadhaar Pay).

        POST /aeps/purchase; for merchant, vendor.

        A debit at the point of sale.

        AadharNo: The customer's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
        Aadhaar number; must pass the Verhoeff check.
        TxnAmount: The amount. Rupees, at most two decimals.
        Latitude: Where the device is. Decimal degrees from -90 to 90.
        Longitude: Where the device is. Decimal degrees from -180 to 180.
        CustomerName: The customer's name.
        PidData: The capture as the registered-device service gave it, unchanged. It is used once and never
        stored. PidData XML of a registered device, with errCode 0.
        BankName: The IIN of the customer's bank. An iin of aeps/banks; default 990326.
        clientRefId: The operation's identity: a repeat with the same body gets the stored reply. The caller's
        own reference.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_PURCHASE, {"AadharNo": AadharNo, "TxnAmount": TxnAmount, "Latitude": Latitude, "Longitude": Longitude, "CustomerName": CustomerName, "PidData": PidData, "BankName": BankName, "clientRefId": clientRefId, "merchantId": merchantId}, idempotency_key)

    def aeps_requery(self, *, clientRefId: Optional[str] = None, reference: Optional[str] = None, RetailerReferenceNumber: Optional[str] = None, merchantId: Optional[str] = None) -> Result[types.AepsRequeryData]:
        """How an AEPS transaction stands.

        POST /aeps/requery; for merchant, vendor.

        The same reply as the transaction's, as it stands now. Exactly one of the three fields names it. The
        bank is not asked: the central does that by itself while an answer is missing.

        clientRefId: The operation's identity: a repeat with the same body gets the stored reply. The caller's
        own reference.
        reference: The reference of a pending reply. The caller's own reference.
        RetailerReferenceNumber: As a reply named the transaction. The caller's own reference.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_REQUERY, {"clientRefId": clientRefId, "reference": reference, "RetailerReferenceNumber": RetailerReferenceNumber, "merchantId": merchantId}, None)

    def aeps_auth_status(self, *, merchantId: Optional[str] = None) -> Result[types.AgentSession]:
        """The agent's session.

        GET /aeps/authStatus; for merchant, vendor.

        Reads the session and never asks the bank.

        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_AEPS_AUTH_STATUS, {"merchantId": merchantId}, None)

    def aeps_banks(self) -> Result[List[types.Bank]]:
        """The banks that customers can have.

        GET /aeps/banks; for merchant, vendor.
        """
        return self._call(_AEPS_BANKS, {}, None)

    def dmt_customer_get_detail(self, *, mobile_number: str, merchantId: Optional[str] = None) -> Result[types.Customer]:
        """Find an onboarded customer.

        POST /dmt/customer/GetDetail; for merchant, vendor.

        Distinct customers looked up in an hour are limited (remitter/details has the rule): 07 with
        Retry-After.

        mobile_number: The customer's mobile number. Must be a ten-digit mobile number that begins with 6, 7,
        8 or 9.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_CUSTOMER_GET_DETAIL, {"mobile_number": mobile_number, "merchantId": merchantId}, None)

    def dmt_customer_onboarding(self, *, name: str, mobile_no: str, city: str, state: str, email_id: Optional[str] = None, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.Enrolment]:
        """Begin a customer's onboarding.

        POST /dmt/customer/onboarding; for merchant, vendor.

        name: The customer's name.
        mobile_no: The mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9.
        city: City.
        state: State.
        email_id: E-mail address. Must be an e-mail address.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_CUSTOMER_ONBOARDING, {"name": name, "mobile_no": mobile_no, "city": city, "state": state, "email_id": email_id, "merchantId": merchantId}, idempotency_key)

    def dmt_customer_request_otp(self, *, referenceid: str, merchantId: Optional[str] = None) -> Result[types.OTPRequest]:
        """Send the customer an OTP.

        POST /dmt/customer/request_otp; for merchant, vendor.

        referenceid: The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters,
        digits, dots, hyphens and underscores.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_CUSTOMER_REQUEST_OTP, {"referenceid": referenceid, "merchantId": merchantId}, None)

    def dmt_customer_validate_otp(self, *, otp: str, otpreqid: str, referenceid: str, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[None]:
        """Check the customer's OTP.

        POST /dmt/customer/validate_otp; for merchant, vendor.

        otp: The one-time password from the text message. Must be the digits of a one-time password.
        otpreqid: Which OTP is meant, as the request for it answered. Must have 1 to 64 letters, digits, dots,
        hyphens and underscores.
        referenceid: The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters,
        digits, dots, hyphens and underscores.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_CUSTOMER_VALIDATE_OTP, {"otp": otp, "otpreqid": otpreqid, "referenceid": referenceid, "merchantId": merchantId}, idempotency_key)

    def dmt_customer_verify_uid(self, *, aadhaarno: str, referenceid: str, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[None]:
        """Give the customer's Aadhaar number.

        POST /dmt/customer/verify_UID; for merchant, vendor.

        aadhaarno: The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
        Aadhaar number; must pass the Verhoeff check.
        referenceid: The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters,
        digits, dots, hyphens and underscores.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_CUSTOMER_VERIFY_UID, {"aadhaarno": aadhaarno, "referenceid": referenceid, "merchantId": merchantId}, idempotency_key)

    def dmt_customer_updatebiodetail(self, *, PidData: str, aadhaarno: str, referenceid: str, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[None]:
        """Give the customer's biometric.

        POST /dmt/customer/updatebiodetail; for merchant, vendor.

        The finger must be that of the Aadhaar number.

        PidData: The capture as the registered-device service gave it, unchanged. It is used once and never
        stored. PidData XML of a registered device, with errCode 0.
        aadhaarno: The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
        Aadhaar number; must pass the Verhoeff check.
        referenceid: The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters,
        digits, dots, hyphens and underscores.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_CUSTOMER_UPDATEBIODETAIL, {"PidData": PidData, "aadhaarno": aadhaarno, "referenceid": referenceid, "merchantId": merchantId}, idempotency_key)

    def dmt_customer_submit(self, *, referenceid: str, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.Enrolment]:
        """Finish the customer's onboarding.

        POST /dmt/customer/submit; for merchant, vendor.

        referenceid: The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters,
        digits, dots, hyphens and underscores.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_CUSTOMER_SUBMIT, {"referenceid": referenceid, "merchantId": merchantId}, idempotency_key)

    def dmt_customer_status_check(self, *, referenceid: str, merchantId: Optional[str] = None) -> Result[types.Enrolment]:
        """How far a customer's onboarding is.

        GET /dmt/customer/statusCheck; for merchant, vendor.

        referenceid: The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters,
        digits, dots, hyphens and underscores.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_CUSTOMER_STATUS_CHECK, {"referenceid": referenceid, "merchantId": merchantId}, None)

    def dmt_remitter_register(self, *, sender_mobilenumber: Optional[str] = None, senderId: Optional[str] = None, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.DmtRemitterRegisterData]:
        """Register an onboarded customer as a remitter.

        POST /dmt/txn/v1/remitter/register; for merchant, vendor.

        sender_mobilenumber or senderId names the customer; a field mobilenumber is not read. Name, address
        and date of birth come from the onboarding.

        sender_mobilenumber: The remitter's mobile number. Must be a ten-digit mobile number that begins with
        6, 7, 8 or 9.
        senderId: The customer's referenceid, or the remitter's id. It wins where both fields are sent.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_REMITTER_REGISTER, {"sender_mobilenumber": sender_mobilenumber, "senderId": senderId, "merchantId": merchantId}, idempotency_key)

    def dmt_remitter_details(self, *, sender_mobilenumber: str, merchantId: Optional[str] = None) -> Result[types.Remitter]:
        """A remitter with limits and beneficiaries.

        POST /dmt/txn/v1/remitter/details; for merchant, vendor.

        How many distinct customers a merchant may look up in an hour who have not given it an OTP or a finger
        is limited, over GetDetail, customer/onboarding, remitter/details and remitter/register together: 60
        unless agreed otherwise, 1,000 in the sandbox. Over it the answer is 07 with Retry-After.

        sender_mobilenumber: The remitter's mobile number. Must be a ten-digit mobile number that begins with
        6, 7, 8 or 9.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_REMITTER_DETAILS, {"sender_mobilenumber": sender_mobilenumber, "merchantId": merchantId}, None)

    def dmt_beneficiary_account_verification(self, *, receiver_account_no: str, receiverIfscCode: str, senderId: Optional[str] = None, sender_mobilenumber: Optional[str] = None, receivername: Optional[str] = None, receivermobilenumber: Optional[str] = None, receiveremailid: Optional[str] = None, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.Verification]:
        """Verify a receiver's account.

        POST /dmt/txn/v1/beneficiary/accountVerification; for merchant, vendor.

        Each call is a verification of its own. After status -1 or 91 ask again after 30 seconds.

        receiver_account_no: The receiver's account number; leading zeros count. Must be an account number of
        6 to 18 digits.
        receiverIfscCode: The receiver's branch. Must be an IFSC: four capital letters, a zero, six capital
        letters or digits.
        senderId: The remitter, as register and details answer it.
        sender_mobilenumber: The remitter's mobile number. Must be a ten-digit mobile number that begins with
        6, 7, 8 or 9.
        receivername: The receiver's name.
        receivermobilenumber: The receiver's mobile number. Must be a ten-digit mobile number that begins with
        6, 7, 8 or 9.
        receiveremailid: The receiver's e-mail address. Must be an e-mail address.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_BENEFICIARY_ACCOUNT_VERIFICATION, {"receiver_account_no": receiver_account_no, "receiverIfscCode": receiverIfscCode, "senderId": senderId, "sender_mobilenumber": sender_mobilenumber, "receivername": receivername, "receivermobilenumber": receivermobilenumber, "receiveremailid": receiveremailid, "merchantId": merchantId}, idempotency_key)

    def dmt_beneficiary_add(self, *, senderId: str, receivername: str, receiverIfscCode: str, receiver_account_no: str, receivermobilenumber: Optional[str] = None, receiveremailid: Optional[str] = None, address: Optional[str] = None, city: Optional[str] = None, state: Optional[str] = None, branch_contact: Optional[str] = None, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.DmtBeneficiaryAddData]:
        """Add a beneficiary.

        POST /dmt/txn/v1/beneficiary/add; for merchant, vendor.

        senderId: The remitter, as register and details answer it.
        receivername: The receiver's name.
        receiverIfscCode: The receiver's branch. Must be an IFSC: four capital letters, a zero, six capital
        letters or digits.
        receiver_account_no: The receiver's account number; leading zeros count. Must be an account number of
        6 to 18 digits.
        receivermobilenumber: The receiver's mobile number. Must be a ten-digit mobile number that begins with
        6, 7, 8 or 9.
        receiveremailid: The receiver's e-mail address. Must be an e-mail address.
        address: The receiver's address.
        city: The receiver's city.
        state: The receiver's state.
        branch_contact: The branch.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_BENEFICIARY_ADD, {"senderId": senderId, "receivername": receivername, "receiverIfscCode": receiverIfscCode, "receiver_account_no": receiver_account_no, "receivermobilenumber": receivermobilenumber, "receiveremailid": receiveremailid, "address": address, "city": city, "state": state, "branch_contact": branch_contact, "merchantId": merchantId}, idempotency_key)

    def dmt_beneficiary_get(self, *, senderId: str, receiver_account_no: str, receiverIfscCode: str, merchantId: Optional[str] = None) -> Result[types.Beneficiary]:
        """A beneficiary's record.

        POST /dmt/txn/v1/beneficiary/get; for merchant, vendor.

        senderId: The remitter, as register and details answer it.
        receiver_account_no: The receiver's account number; leading zeros count. Must be an account number of
        6 to 18 digits.
        receiverIfscCode: The receiver's branch. Must be an IFSC: four capital letters, a zero, six capital
        letters or digits.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_BENEFICIARY_GET, {"senderId": senderId, "receiver_account_no": receiver_account_no, "receiverIfscCode": receiverIfscCode, "merchantId": merchantId}, None)

    def dmt_beneficiary_delete(self, *, senderId: str, receiver_account_no: str, receiverIfscCode: str, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[None]:
        """Delete a beneficiary.

        POST /dmt/txn/v1/beneficiary/delete; for merchant, vendor.

        Beneficiaries belong to the bank's customer. A merchant deletes after the customer has passed
        validate_otp or updatebiodetail of the onboarding, or a transfer, at this merchant; before, it is 05.

        senderId: The remitter, as register and details answer it.
        receiver_account_no: The receiver's account number; leading zeros count. Must be an account number of
        6 to 18 digits.
        receiverIfscCode: The receiver's branch. Must be an IFSC: four capital letters, a zero, six capital
        letters or digits.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_BENEFICIARY_DELETE, {"senderId": senderId, "receiver_account_no": receiver_account_no, "receiverIfscCode": receiverIfscCode, "merchantId": merchantId}, idempotency_key)

    def dmt_transaction_otp(self, *, senderId: str, amount: types.Number, receiver_account_no: str, receiverIfscCode: str, merchantId: Optional[str] = None) -> Result[None]:
        """Send the OTP of a transfer.

        POST /dmt/txn/v1/transaction/otp; for merchant, vendor.

        It goes to the remitter's registered mobile, and holds for this receiver and this amount.

        senderId: The remitter, as register and details answer it.
        amount: The amount. Rupees, at most two decimals.
        receiver_account_no: The receiver's account number; leading zeros count. Must be an account number of
        6 to 18 digits.
        receiverIfscCode: The receiver's branch. Must be an IFSC: four capital letters, a zero, six capital
        letters or digits.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_TRANSACTION_OTP, {"senderId": senderId, "amount": amount, "receiver_account_no": receiver_account_no, "receiverIfscCode": receiverIfscCode, "merchantId": merchantId}, None)

    def dmt_transaction_instant(self, *, senderId: str, BeneficiaryId: int, amount: types.Number, refId: str, otp: str, receiver_account_no: str, receiverIfscCode: str, account_holder_name: str, receiverMobilenumber: Optional[str] = None, remarks: Optional[str] = None, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.Transfer]:
        """Send money.

        POST /dmt/txn/v1/transaction/instant; for merchant, vendor.

        Checks the OTP and debits in one call. refId is the transfer's identity: a repeat with the same body
        returns its state and never sends twice. If the bank refused it for its OTP, nothing moved: the
        request with another otp and the same refId is a new attempt. The otp is no part of what makes two
        bodies the same. The very otp that was refused, sent again within five minutes, gets the same reply
        and uses up no try of the customer's; a node that has not tried it, or was restarted since, tries it
        once. Ask the customer for the otp again; never repeat a refused one.

        senderId: The remitter, as register and details answer it.
        BeneficiaryId: The beneficiary, as add and details answer it.
        amount: The amount. Rupees, at most two decimals.
        refId: The caller's own reference of the transfer, and its identity. The caller's own reference.
        otp: The one-time password from the text message. Must be the digits of a one-time password.
        receiver_account_no: The receiver's account number; leading zeros count. Must be an account number of
        6 to 18 digits.
        receiverIfscCode: The receiver's branch. Must be an IFSC: four capital letters, a zero, six capital
        letters or digits.
        account_holder_name: The receiver's name.
        receiverMobilenumber: The receiver's mobile number. Must be a ten-digit mobile number that begins with
        6, 7, 8 or 9.
        remarks: Words for the receiver.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_TRANSACTION_INSTANT, {"senderId": senderId, "BeneficiaryId": BeneficiaryId, "amount": amount, "refId": refId, "otp": otp, "receiver_account_no": receiver_account_no, "receiverIfscCode": receiverIfscCode, "account_holder_name": account_holder_name, "receiverMobilenumber": receiverMobilenumber, "remarks": remarks, "merchantId": merchantId}, idempotency_key)

    def dmt_transaction_charges(self, *, senderId: str, amount: types.Number, merchantId: Optional[str] = None) -> Result[types.Charges]:
        """What a transfer costs.

        POST /dmt/txn/v1/transaction/charges; for merchant, vendor.

        senderId: The remitter, as register and details answer it.
        amount: The amount. Rupees, at most two decimals.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_TRANSACTION_CHARGES, {"senderId": senderId, "amount": amount, "merchantId": merchantId}, None)

    def dmt_transaction_requery(self, *, refId: str, merchantId: Optional[str] = None) -> Result[types.TransferState]:
        """How a transfer stands.

        POST /dmt/txn/v1/transaction/requery; for merchant, vendor.

        The bank is not asked: the central does that by itself while an answer is missing.

        refId: The caller's own reference of the transfer, and its identity. The caller's own reference.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_TRANSACTION_REQUERY, {"refId": refId, "merchantId": merchantId}, None)

    def dmt_transaction_refund_otp(self, *, refereanceId: str, merchantId: Optional[str] = None) -> Result[None]:
        """Send the OTP of a refund.

        POST /dmt/txn/v1/transaction/refundOTP; for merchant, vendor.

        The customer tells the OTP at the counter. Give the cash back when refund has answered that it went
        through, not before: the bank may decline it.

        refereanceId: The transactionId of the transfer. The misspelling is the field's name. Must have 1 to
        64 letters, digits, dots, hyphens and underscores.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_TRANSACTION_REFUND_OTP, {"refereanceId": refereanceId, "merchantId": merchantId}, None)

    def dmt_refund(self, *, transactionId: str, refId: str, otp: str, merchantId: Optional[str] = None, idempotency_key: Optional[str] = None) -> Result[types.DmtRefundData]:
        """Refund a transfer.

        POST /dmt/txn/v1/refund; for merchant, vendor.

        Once for each transfer. refId is the transfer's. A repeat, whatever its otp, gets the stored reply;
        after a refused otp it is a new attempt. An Idempotency-Key leads to the last attempt that was made
        with it.

        transactionId: As the transfer's reply named it. Must have 1 to 64 letters, digits, dots, hyphens and
        underscores.
        refId: The caller's own reference of the transfer, and its identity. The caller's own reference.
        otp: The one-time password from the text message. Must be the digits of a one-time password.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_REFUND, {"transactionId": transactionId, "refId": refId, "otp": otp, "merchantId": merchantId}, idempotency_key)

    def dmt_login(self, *, merchantId: Optional[str] = None) -> Result[types.DmtLoginData]:
        """Begin a session at the bank network.

        POST /dmt/txn/v1/login; for merchant, vendor.

        No other route needs it.

        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_DMT_LOGIN, {"merchantId": merchantId}, None)

    def vendor_merchants(self, *, page: Optional[int] = None, limit: Optional[int] = None) -> Result[List[types.Merchant]]:
        """The vendor's merchants.

        GET /vendor/merchants; for vendor.

        All that are not pending, oldest first.

        page: Which page. Default 1.
        limit: How many on a page. Default 10; over 100 is served as 100, and pagination says so.
        """
        return self._call(_VENDOR_MERCHANTS, {"page": page, "limit": limit}, None)

    def vendor_me(self) -> Result[types.Vendor]:
        """The vendor itself, with its merchants' newest transactions.

        GET /vendor/me; for vendor.
        """
        return self._call(_VENDOR_ME, {}, None)

    def vendor_commission_list(self, *, vendorId: str) -> Result[List[types.Slab]]:
        """The vendor's commission slabs.

        GET /vendor-commission/{vendorId}/commission; for vendor.

        vendorId: The caller's own vendor id; another's is answered as an unknown one.
        """
        return self._call(_VENDOR_COMMISSION_LIST, {"vendorId": vendorId}, None)

    def vendor_commission_create(self, *, vendorId: str, paymentMethod: str, provider: str, txnType: str, minAmount: Optional[types.Number] = None, maxAmount: Optional[types.Number] = None, commissionRate: Optional[types.Number] = None, rateType: Optional[Literal["FIXED", "PERCENTAGE"]] = None, isDefault: Optional[bool] = None) -> Result[types.Slab]:
        """Create a commission slab.

        POST /vendor-commission/{vendorId}/commission; for vendor.

        Needs an aggregator of the vendor (05). A band that is equal to another one of the combination is a
        conflict (09); bands may overlap, and a slab without a band may stand beside them. Of several that
        hold an amount the narrowest applies, of equally narrow ones the one with the higher lower bound, and
        the default where none does. Null is no value of any field.

        vendorId: The caller's own vendor id; another's is answered as an unknown one.
        paymentMethod: AEPS or DMT, for what this service does. Upper and lower case do not matter. Any text
        of 1 to 64 printable characters, kept unchanged.
        provider: The upstream provider's code, such as NSDL. Upper and lower case do not matter: nsdl is the
        same provider. Any text of 1 to 64 printable characters, kept unchanged.
        txnType: What this service earns by is, for AEPS, WITHDRAWAL, BALANCE, MINISTATEMENT and PURCHASE, and
        for DMT TRANSFER, VALIDATION and REGISTRATION. Upper and lower case do not matter. Any text of 1 to 64
        printable characters, kept unchanged.
        minAmount: The band's lower bound, in it. Absent: open below. Rupees, at most two decimals.
        maxAmount: The band's upper bound, not in it, and more than minAmount. Absent: open above. Rupees, at
        most two decimals.
        commissionRate: Rupees, with at most two decimals, where rateType is FIXED; percent, at most 100,
        where it is PERCENTAGE. Absent: 0. At most six decimals.
        rateType: What commissionRate is; FIXED where it is absent.
        isDefault: The slab also serves amounts that no band of the combination holds. The combination's
        earlier default is unset.
        """
        return self._call(_VENDOR_COMMISSION_CREATE, {"vendorId": vendorId, "paymentMethod": paymentMethod, "provider": provider, "txnType": txnType, "minAmount": minAmount, "maxAmount": maxAmount, "commissionRate": commissionRate, "rateType": rateType, "isDefault": isDefault}, None)

    def vendor_commission_update(self, *, vendorId: str, slabId: str, paymentMethod: Optional[str] = None, provider: Optional[str] = None, txnType: Optional[str] = None, minAmount: Optional[types.Number] = None, maxAmount: Optional[types.Number] = None, commissionRate: Optional[types.Number] = None, rateType: Optional[Literal["FIXED", "PERCENTAGE"]] = None, isDefault: Optional[bool] = None) -> Result[types.Slab]:
        """Change a commission slab.

        PUT /vendor-commission/{vendorId}/commission/{slabId}; for vendor.

        Any subset of the fields; those that are left out keep their value. The rules hold for the slab as it
        is afterwards. Null is no value of any field: to open a band, make a new slab.

        vendorId: The caller's own vendor id; another's is answered as an unknown one.
        slabId: The slab's id, as its creation answered it.
        paymentMethod: AEPS or DMT, for what this service does. Upper and lower case do not matter. Any text
        of 1 to 64 printable characters, kept unchanged.
        provider: The upstream provider's code, such as NSDL. Upper and lower case do not matter: nsdl is the
        same provider. Any text of 1 to 64 printable characters, kept unchanged.
        txnType: What this service earns by is, for AEPS, WITHDRAWAL, BALANCE, MINISTATEMENT and PURCHASE, and
        for DMT TRANSFER, VALIDATION and REGISTRATION. Upper and lower case do not matter. Any text of 1 to 64
        printable characters, kept unchanged.
        minAmount: The band's lower bound, in it. Rupees, at most two decimals.
        maxAmount: The band's upper bound, not in it, and more than minAmount. Rupees, at most two decimals.
        commissionRate: Rupees, with at most two decimals, where rateType is FIXED; percent, at most 100,
        where it is PERCENTAGE. At most six decimals.
        rateType: What commissionRate is.
        isDefault: The slab also serves amounts that no band of the combination holds. The combination's
        earlier default is unset.
        """
        return self._call(_VENDOR_COMMISSION_UPDATE, {"vendorId": vendorId, "slabId": slabId, "paymentMethod": paymentMethod, "provider": provider, "txnType": txnType, "minAmount": minAmount, "maxAmount": maxAmount, "commissionRate": commissionRate, "rateType": rateType, "isDefault": isDefault}, None)

    def vendor_commission_delete(self, *, vendorId: str, slabId: str) -> Result[None]:
        """Delete a commission slab.

        DELETE /vendor-commission/{vendorId}/commission/{slabId}; for vendor.

        Final for the caller; what it earned stays.

        vendorId: The caller's own vendor id; another's is answered as an unknown one.
        slabId: The slab's id, as its creation answered it.
        """
        return self._call(_VENDOR_COMMISSION_DELETE, {"vendorId": vendorId, "slabId": slabId}, None)

    def vendor_commission_earnings(self, *, vendorId: str, from_: Optional[str] = None, to: Optional[str] = None, groupBy: Optional[str] = None) -> Result[types.EarningsReport]:
        """What the vendor earned.

        GET /vendor-commission/{vendorId}/earnings; for vendor.

        By Indian days, from and to included, at most 366 of them.

        vendorId: The caller's own vendor id; another's is answered as an unknown one.
        from_: The first Indian day; by default the report has 30 days.
        to: The last Indian day, included; today by default.
        groupBy: What the lines are summed by. Any of day, merchant, type, separated by commas, each once;
        default day.
        """
        return self._call(_VENDOR_COMMISSION_EARNINGS, {"vendorId": vendorId, "from": from_, "to": to, "groupBy": groupBy}, None)

    def vendor_keys_list(self) -> Result[List[types.VendorKey]]:
        """The vendor's keys of the gateway.

        GET /vendor/keys; for vendor.

        Oldest first, with those that have ended. Of an API key only the last four characters are known.
        """
        return self._call(_VENDOR_KEYS_LIST, {}, None)

    def vendor_clients(self) -> Result[List[types.VendorClient]]:
        """The vendor's programs.

        GET /vendor/clients; for vendor.

        The clients of POST /oauth/token, with the numbers of their live secrets, the newest first.
        """
        return self._call(_VENDOR_CLIENTS, {}, None)

    def vendor_callback_get(self) -> Result[types.CallbackEndpoint]:
        """Where the vendor gets callbacks.

        GET /vendor/callback; for vendor.

        The endpoint for all its merchants that have none of their own, with the ids of the live secrets that
        sign its callbacks.
        """
        return self._call(_VENDOR_CALLBACK_GET, {}, None)

    def vendor_callback_update(self, *, url: str) -> Result[types.CallbackEndpoint]:
        """Set where the vendor gets callbacks.

        PUT /vendor/callback; for vendor.

        For all its merchants that have no endpoint of their own; merchantId in the message says whose
        operation it was. An HTTPS address on the public internet; a sandbox takes http and this machine's
        addresses, too. Callbacks that wait for it are sent there now. An endpoint that answered 410 Gone is
        enabled again.

        url: The receiver's address. An HTTPS address.
        """
        return self._call(_VENDOR_CALLBACK_UPDATE, {"url": url}, None)

    def vendor_callback_delete(self) -> Result[None]:
        """Remove the vendor's endpoint.

        DELETE /vendor/callback; for vendor.

        Callbacks that wait for it are given up. Merchants with an endpoint of their own still get theirs.
        """
        return self._call(_VENDOR_CALLBACK_DELETE, {}, None)

    def vendor_callback_secrets(self, *, formerEndsAt: Optional[str] = None) -> Result[types.NewCallbackSecret]:
        """Create a secret of the vendor's callbacks.

        POST /vendor/callback/secrets; for vendor.

        The present secret stays valid until formerEndsAt, or until it is ended. Every callback is signed with
        each live secret, so a receiver that knows one of them verifies all. With two live secrets it is 05:
        end one first.

        formerEndsAt: When the present secret ends, at most 90 days ahead; absent: it is ended by a call.
        """
        return self._call(_VENDOR_CALLBACK_SECRETS, {"formerEndsAt": formerEndsAt}, None)

    def vendor_callback_secrets_end(self, *, secretId: str, at: Optional[str] = None) -> Result[None]:
        """End a secret of the vendor's callbacks.

        POST /vendor/callback/secrets/{secretId}/end; for vendor.

        At once, or at a time. Nothing is signed with it afterwards; without a live secret nothing is sent. A
        later call changes a planned end; an end is final.

        secretId: The secret's id, as its creation or the list answered it.
        at: When it ends, at most 90 days ahead; absent: now.
        """
        return self._call(_VENDOR_CALLBACK_SECRETS_END, {"secretId": secretId, "at": at}, None)

    def vendor_merchants_callback_get(self, *, merchantId: str) -> Result[types.CallbackEndpoint]:
        """Where a merchant gets callbacks.

        GET /vendor/merchants/{merchantId}/callback; for vendor.

        Its own endpoint, with the ids of the live secrets that sign its callbacks. Without one, the vendor's
        gets them.

        merchantId: One of the vendor's merchants.
        """
        return self._call(_VENDOR_MERCHANTS_CALLBACK_GET, {"merchantId": merchantId}, None)

    def vendor_merchants_callback_update(self, *, merchantId: str, url: str) -> Result[types.CallbackEndpoint]:
        """Set where a merchant gets callbacks.

        PUT /vendor/merchants/{merchantId}/callback; for vendor.

        Its own endpoint, which wins over the vendor's. An HTTPS address on the public internet; a sandbox
        takes http and this machine's addresses, too. Callbacks of the merchant that wait are sent there now.
        An endpoint that answered 410 Gone is enabled again.

        merchantId: One of the vendor's merchants.
        url: The receiver's address. An HTTPS address.
        """
        return self._call(_VENDOR_MERCHANTS_CALLBACK_UPDATE, {"merchantId": merchantId, "url": url}, None)

    def vendor_merchants_callback_delete(self, *, merchantId: str) -> Result[None]:
        """Remove a merchant's endpoint.

        DELETE /vendor/merchants/{merchantId}/callback; for vendor.

        Its callbacks go to the vendor's endpoint. Where there is none, those that wait are given up.

        merchantId: One of the vendor's merchants.
        """
        return self._call(_VENDOR_MERCHANTS_CALLBACK_DELETE, {"merchantId": merchantId}, None)

    def vendor_merchants_callback_secrets(self, *, merchantId: str, formerEndsAt: Optional[str] = None) -> Result[types.NewCallbackSecret]:
        """Create a secret of a merchant's callbacks.

        POST /vendor/merchants/{merchantId}/callback/secrets; for vendor.

        The present secret stays valid until formerEndsAt, or until it is ended. Every callback is signed with
        each live secret, so a receiver that knows one of them verifies all. With two live secrets it is 05:
        end one first.

        merchantId: One of the vendor's merchants.
        formerEndsAt: When the present secret ends, at most 90 days ahead; absent: it is ended by a call.
        """
        return self._call(_VENDOR_MERCHANTS_CALLBACK_SECRETS, {"merchantId": merchantId, "formerEndsAt": formerEndsAt}, None)

    def vendor_merchants_callback_secrets_end(self, *, merchantId: str, secretId: str, at: Optional[str] = None) -> Result[None]:
        """End a secret of a merchant's callbacks.

        POST /vendor/merchants/{merchantId}/callback/secrets/{secretId}/end; for vendor.

        At once, or at a time. Nothing is signed with it afterwards; without a live secret nothing is sent. A
        later call changes a planned end; an end is final.

        merchantId: One of the vendor's merchants.
        secretId: The secret's id, as its creation or the list answered it.
        at: When it ends, at most 90 days ahead; absent: now.
        """
        return self._call(_VENDOR_MERCHANTS_CALLBACK_SECRETS_END, {"merchantId": merchantId, "secretId": secretId, "at": at}, None)

    def vendor_callbacks_list(self, *, limit: Optional[int] = None, merchant: Optional[str] = None, after: Optional[str] = None, status: Optional[Literal["waiting", "delivered", "given-up"]] = None, from_: Optional[str] = None, to: Optional[str] = None) -> Result[List[types.CallbackDelivery]]:
        """Callbacks to the vendor's merchants.

        GET /vendor/callbacks; for vendor.

        Newest first, in pages: after takes next of the page before. They are those of the days from and to,
        by default of 30 days.

        limit: How many on a page. Default 10; over 100 is served as 100, and pagination says so.
        merchant: Only of this merchant.
        after: The next of the page before; absent: the first page.
        status: The state of the callback.
        from_: The first Indian day; by default the report has 30 days.
        to: The last Indian day, included; today by default.
        """
        return self._call(_VENDOR_CALLBACKS_LIST, {"limit": limit, "merchant": merchant, "after": after, "status": status, "from": from_, "to": to}, None)

    def vendor_callbacks_get(self, *, operationId: str) -> Result[types.CallbackDelivery]:
        """One callback with its attempts.

        GET /vendor/callbacks/{operationId}; for vendor.

        operationId: The operation that the callback is about.
        """
        return self._call(_VENDOR_CALLBACKS_GET, {"operationId": operationId}, None)

    def vendor_callbacks_resend(self, *, operationId: str) -> Result[None]:
        """Send a callback again.

        POST /vendor/callbacks/{operationId}/resend; for vendor.

        Now, and for another full period of attempts, whether it was delivered or given up. An operation that
        was pending, and ended while there was no endpoint, gets a callback by it. One that is being sent at
        this moment, or has no callback, is 05.

        operationId: The operation that the callback is about.
        """
        return self._call(_VENDOR_CALLBACKS_RESEND, {"operationId": operationId}, None)

    def vendor_operations(self, *, limit: Optional[int] = None, merchant: Optional[str] = None, after: Optional[str] = None, status: Optional[Literal["received", "sent", "pending", "succeeded", "failed", "reversed", "refused"]] = None, type: Optional[Literal["CASH_WITHDRAWAL", "BALANCE_ENQUIRY", "MINI_STATEMENT", "PURCHASE", "AGENT_AUTHENTICATION", "TRANSFER", "REFUND", "UPI_PAYMENT", "UPI_REFUND"]] = None, from_: Optional[str] = None, to: Optional[str] = None, format: Optional[Literal["json", "csv"]] = None) -> Result[List[types.VendorOperation]]:
        """Operations of the vendor's merchants.

        GET /vendor/operations; for vendor.

        Transactions, newest first, of the days from and to, by default of 30 days. JSON comes in pages: after
        takes next of the page before. With format=csv (direct routes only), all of them come in one file,
        whose cells are no formulas. The Aadhaar number is masked.

        limit: How many on a page. Default 10; over 100 is served as 100, and pagination says so.
        merchant: Only of this merchant.
        after: The next of the page before; absent: the first page.
        status: Only of this state.
        type: Only of this kind.
        from_: The first Indian day; by default the report has 30 days.
        to: The last Indian day, included; today by default.
        format: The form of the reply; json where it is absent. csv is for the direct routes.
        """
        return self._call(_VENDOR_OPERATIONS, {"limit": limit, "merchant": merchant, "after": after, "status": status, "type": type, "from": from_, "to": to, "format": format}, None)

    def limits(self) -> Result[List[types.Limit]]:
        """The limits in force.

        GET /limits; for merchant, vendor.

        So that an amount can be refused before a finger is asked for. Every operation is held against them
        again.
        """
        return self._call(_LIMITS, {}, None)


class DirectRoutes(GatewayRoutes):
    """All routes: those of the gateway, and those that can be called directly only."""

    def dmt_transaction_balance(self) -> Result[types.DmtTransactionBalanceData]:
        """The aggregator's float.

        POST /dmt/txn/v1/transaction/balance; for aggregator.
        """
        return self._call(_DMT_TRANSACTION_BALANCE, {}, None)

    def onboarding_dmt_bc_registor(self, *, name: str, mobile_no: str, email_id: str, pan: str, address: str, city: str, state: str, pincode: str, idempotency_key: Optional[str] = None) -> Result[types.OnboardingDmtBcRegistorData]:
        """Register a business correspondent.

        POST /onboarding/dmt/bc/registor; for aggregator.

        name: The correspondent's name.
        mobile_no: The mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9.
        email_id: E-mail address. Must be an e-mail address.
        pan: Permanent account number. Must be a PAN: five capital letters, four digits, one capital letter.
        address: Address.
        city: City.
        state: State.
        pincode: Postal code. Must be a six-digit PIN code.
        """
        return self._call(_ONBOARDING_DMT_BC_REGISTOR, {"name": name, "mobile_no": mobile_no, "email_id": email_id, "pan": pan, "address": address, "city": city, "state": state, "pincode": pincode}, idempotency_key)

    def onboarding_dmt_bc_agent_registor(self, *, bcId: str, name: str, mobile_no: str, email_id: str, pan: str, address: str, city: str, state: str, pincode: str, aadhaarno: str, shopName: str, idempotency_key: Optional[str] = None) -> Result[types.OnboardingDmtBcAgentRegistorData]:
        """Register an agent of a business correspondent.

        POST /onboarding/dmt/bc/agent/registor; for aggregator, vendor.

        bcId: The business correspondent's id, as its registration answered it. Must have 1 to 64 letters,
        digits, dots, hyphens and underscores.
        name: The agent's name.
        mobile_no: The mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9.
        email_id: E-mail address. Must be an e-mail address.
        pan: Permanent account number. Must be a PAN: five capital letters, four digits, one capital letter.
        address: Address.
        city: City.
        state: State.
        pincode: Postal code. Must be a six-digit PIN code.
        aadhaarno: The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
        Aadhaar number; must pass the Verhoeff check.
        shopName: The shop's name.
        """
        return self._call(_ONBOARDING_DMT_BC_AGENT_REGISTOR, {"bcId": bcId, "name": name, "mobile_no": mobile_no, "email_id": email_id, "pan": pan, "address": address, "city": city, "state": state, "pincode": pincode, "aadhaarno": aadhaarno, "shopName": shopName}, idempotency_key)

    def onboarding_dmt_bc_agent_initialize(self, *, agentId: str, idempotency_key: Optional[str] = None) -> Result[types.OnboardingDmtBcAgentInitializeData]:
        """Activate an agent.

        POST /onboarding/dmt/bc/agent/initialize; for aggregator, vendor.

        agentId: The agent's id at the bank network. Must have 1 to 64 letters, digits, dots, hyphens and
        underscores.
        """
        return self._call(_ONBOARDING_DMT_BC_AGENT_INITIALIZE, {"agentId": agentId}, idempotency_key)

    def onboarding_dmt_bc_status(self, *, bcId: Optional[str] = None, agentId: Optional[str] = None) -> Result[types.Progress]:
        """How a business correspondent or agent stands.

        POST /onboarding/dmt/bc/status; for aggregator.

        bcId or agentId; the agent is asked after where both are sent.

        bcId: The business correspondent's id, as its registration answered it. Must have 1 to 64 letters,
        digits, dots, hyphens and underscores.
        agentId: The agent's id at the bank network. Must have 1 to 64 letters, digits, dots, hyphens and
        underscores.
        """
        return self._call(_ONBOARDING_DMT_BC_STATUS, {"bcId": bcId, "agentId": agentId}, None)

    def upi_generate_qr(self, *, order_id: str, amount: Optional[types.Number] = None, merchantId: Optional[str] = None) -> Result[types.QRCode]:
        """Make a QR code.

        POST /upi/txn/v1/GenerateQR; for merchant.

        An amount makes a dynamic code, for that amount and that order; no amount, or 0, a static one. A
        repeated order_id makes another code: nothing moved, so nothing conflicts. Merchants only: a vendor is
        refused before the body is read.

        order_id: The merchant's own order, returned as it came. The link's tr is it where it can be one (up
        to 35 letters, digits, dots, hyphens and underscores), or else a short form of it, the same each time.
        A repeat makes another code. Any text of 1 to 64 printable characters, kept unchanged.
        amount: The amount of a dynamic code; absent or 0: a static code. Rupees, at most two decimals.
        merchantId: Optional: the token names the merchant.
        """
        return self._call(_UPI_GENERATE_QR, {"order_id": order_id, "amount": amount, "merchantId": merchantId}, None)

    def upi_status(self, *, order_id: str, merchantId: Optional[str] = None) -> Result[types.UPIOrder]:
        """Whether an order was paid.

        POST /upi/txn/v1/status; for merchant.

        Of a dynamic code. PAID: a payment of the code's amount was received and not returned. AMOUNT_DIFFERS:
        what was received has other amounts. RETURNED: the bank returned everything. OPEN or EXPIRED: nothing
        was received so far, and a payment that comes later is recorded all the same. Two payments of one
        order are both listed, and received is the sum of what was not returned. Merchants only.

        order_id: The merchant's own order, returned as it came. The link's tr is it where it can be one (up
        to 35 letters, digits, dots, hyphens and underscores), or else a short form of it, the same each time.
        A repeat makes another code. Any text of 1 to 64 printable characters, kept unchanged.
        merchantId: Optional: the token names the merchant.
        """
        return self._call(_UPI_STATUS, {"order_id": order_id, "merchantId": merchantId}, None)

    def upi_payments(self, *, limit: Optional[int] = None, after: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None, merchantId: Optional[str] = None) -> Result[List[types.UPIPayment]]:
        """Payments that were received.

        GET /upi/txn/v1/payments; for merchant.

        Newest record first, of the Indian days from and to, by default of 30 days: of dynamic and static
        codes, and those that no order was found for. after takes next of the page before. A payment is listed
        once the central has recorded it, and is told by the callback upi.received, too. Merchants only.

        limit: How many on a page. Default 10; over 100 is served as 100, and pagination says so.
        after: The next of the page before; absent: the first page. Must have 1 to 64 letters, digits, dots,
        hyphens and underscores.
        from_: The first Indian day; by default the report has 30 days.
        to: The last Indian day, included; today by default.
        merchantId: Optional: the token names the merchant.
        """
        return self._call(_UPI_PAYMENTS, {"limit": limit, "after": after, "from": from_, "to": to, "merchantId": merchantId}, None)

    def vendor_keys_create(self) -> Result[types.NewVendorKey]:
        """Create a key of the gateway.

        POST /vendor/keys; for vendor.

        The vendor's other key stays valid. With two live keys it is 05: end one first. A key whose reply was
        lost is in the list: end it, and create another.
        """
        return self._call(_VENDOR_KEYS_CREATE, {}, None)

    def vendor_keys_end(self, *, keyId: str, at: Optional[str] = None) -> Result[None]:
        """End a key of the gateway.

        POST /vendor/keys/{keyId}/end; for vendor.

        At once, or at a time. Within a second every message under it is refused. A later call changes a
        planned end; an end is final.

        keyId: The key's id, as its creation or the list answered it.
        at: When it ends, at most 90 days ahead; absent: now.
        """
        return self._call(_VENDOR_KEYS_END, {"keyId": keyId, "at": at}, None)

    def vendor_clients_secrets(self, *, clientId: str, formerEndsAt: Optional[str] = None) -> Result[types.NewClientSecret]:
        """Create a secret of a program.

        POST /vendor/clients/{clientId}/secrets; for vendor.

        The program's present secret, and the tokens that it got, stay valid until formerEndsAt, or until it
        is ended. With two live secrets it is 05: end one first. A suspended program stays out, whatever its
        secrets.

        clientId: The program's client_id.
        formerEndsAt: When the present secret ends, at most 90 days ahead; absent: it is ended by a call.
        """
        return self._call(_VENDOR_CLIENTS_SECRETS, {"clientId": clientId, "formerEndsAt": formerEndsAt}, None)

    def vendor_clients_secrets_end(self, *, clientId: str, secretId: str, at: Optional[str] = None) -> Result[None]:
        """End a secret of a program.

        POST /vendor/clients/{clientId}/secrets/{secretId}/end; for vendor.

        Its tokens are refused within a second, and the program's open enrolment codes are void. With at, only
        the older secret ends, at that time. A program's only secret can't be ended: 05.

        clientId: The program's client_id.
        secretId: The secret's id, as its creation or the list answered it.
        at: When it ends, at most 90 days ahead; absent: now.
        """
        return self._call(_VENDOR_CLIENTS_SECRETS_END, {"clientId": clientId, "secretId": secretId, "at": at}, None)

    def terminals_create(self, *, name: Optional[str] = None, merchantId: Optional[str] = None) -> Result[types.EnrolmentCode]:
        """Make an enrolment code.

        POST /terminals; for merchant, vendor.

        A one-time code for the merchant's next terminal, valid for 15 minutes.

        name: A name for the caller's own records.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_TERMINALS_CREATE, {"name": name, "merchantId": merchantId}, None)

    def terminals_list(self, *, merchantId: Optional[str] = None) -> Result[List[types.Terminal]]:
        """The merchant's terminals.

        GET /terminals; for merchant, vendor.

        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_TERMINALS_LIST, {"merchantId": merchantId}, None)

    def terminals_delete(self, *, id: str, merchantId: Optional[str] = None) -> Result[None]:
        """Revoke a terminal.

        DELETE /terminals/{id}; for merchant, vendor.

        At once: its connection is cut, too.

        id: The terminal's id.
        merchantId: The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the
        body says.
        """
        return self._call(_TERMINALS_DELETE, {"id": id, "merchantId": merchantId}, None)

    def terminals_enrol(self, *, code: str, publicKey: str, name: str) -> Result[types.EnrolledTerminal]:
        """Enrol a terminal.

        POST /terminals/enrol; for everybody.

        Binds the terminal's key to the merchant of the code. The code is the credential; there is no token.
        Of one network ten wrong codes a minute are judged; then 429 says when to come back.

        code: The one-time enrolment code; it is the credential.
        publicKey: The terminal's own public key. An Ed25519 public key, 32 bytes in base64.
        name: The terminal's name.
        """
        return self._call(_TERMINALS_ENROL, {"code": code, "publicKey": publicKey, "name": name}, None)

    def operations_get(self, *, id: str) -> Result[types.Operation]:
        """The state of an operation.

        GET /operations/{id}; for merchant, vendor.

        One of the caller's own, by its id or by the identity that the caller chose.

        id: The operation's id, or its Idempotency-Key or X-Request-Id.
        """
        return self._call(_OPERATIONS_GET, {"id": id}, None)
