// Written by deploy/sdk/generate from the OpenAPI document; do not edit.

package example.galla;

import static example.galla.Route.Flag.*;

import java.util.List;
import java.util.Set;

/** What the clients know of each route. */
final class RouteTable {
    private RouteTable() {}

    static final String VERSION = "1.1.0";

    static final Route AEPS_INITIALIZE = new Route("POST", "/aeps/initialize", "record", Set.of(IDENTITY, GATEWAY, BARE), List.of(), List.of(), List.of("merchantId"), Data.AepsInitializeReply::from);
    static final Route AEPS_ONBOARDING = new Route("POST", "/aeps/onboarding", "enquiry", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("merchantId"), Data.OTPRequest::from);
    static final Route AEPS_REQUEST_OTP = new Route("POST", "/aeps/request_otp", "enquiry", Set.of(GATEWAY), List.of(), List.of(), List.of("merchantId"), Data.OTPRequest::from);
    static final Route AEPS_VALIDATE_OTP = new Route("POST", "/aeps/validate_otp", "enquiry", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("otp", "otpreqid", "merchantId"), Data.Progress::from);
    static final Route AEPS_VERIFY_PAN = new Route("POST", "/aeps/verify_pan", "record", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("pan", "name", "dob", "merchantId"), Data.Progress::from);
    static final Route AEPS_UPDATE_UID = new Route("POST", "/aeps/update_UID", "record", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("aadhaarno", "merchantId"), Data.Progress::from);
    static final Route AEPS_UPDATEBIODETAIL = new Route("POST", "/aeps/updatebiodetail", "enquiry", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("PidData", "aadhaarno", "merchantId"), Data.Progress::from);
    static final Route AEPS_SUBMIT = new Route("POST", "/aeps/submit", "record", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("merchantId"), Data.Progress::from);
    static final Route AEPS_STATUS_CHECK = new Route("GET", "/aeps/statusCheck", "enquiry", Set.of(GATEWAY), List.of(), List.of("merchantId"), List.of(), Data.Progress::from);
    static final Route AEPS_GET_AGENT_DETAIL = new Route("POST", "/aeps/GetAgentDetail", "enquiry", Set.of(GATEWAY), List.of(), List.of(), List.of("agentId", "merchantId"), Data.Agent::from);
    static final Route AEPS_WITHDRAWAL = new Route("POST", "/aeps/withdrawal", "money", Set.of(IDENTITY, GATEWAY, AEPS), List.of(), List.of(), List.of("AadharNo", "TxnAmount", "Latitude", "Longitude", "CustomerName", "PidData", "BankName", "clientRefId", "merchantId"), Data.Withdrawal::from);
    static final Route AEPS_BALANCE = new Route("POST", "/aeps/balance", "enquiry", Set.of(IDENTITY, GATEWAY, AEPS), List.of(), List.of(), List.of("AadharNo", "TxnAmount", "Latitude", "Longitude", "CustomerName", "PidData", "BankName", "clientRefId", "merchantId"), Data.Balance::from);
    static final Route AEPS_MINSTATEMENT = new Route("POST", "/aeps/minstatement", "enquiry", Set.of(IDENTITY, GATEWAY, AEPS), List.of(), List.of(), List.of("AadharNo", "TxnAmount", "Latitude", "Longitude", "CustomerName", "PidData", "BankName", "clientRefId", "merchantId"), Data.MiniStatement::from);
    static final Route AEPS_REQ_AUTH = new Route("POST", "/aeps/reqAuth", "enquiry", Set.of(IDENTITY, GATEWAY, AEPS), List.of(), List.of(), List.of("AadharNo", "TxnAmount", "Latitude", "Longitude", "CustomerName", "PidData", "BankName", "clientRefId", "merchantId"), Data.AgentAuthentication::from);
    static final Route AEPS_PURCHASE = new Route("POST", "/aeps/purchase", "money", Set.of(IDENTITY, GATEWAY, AEPS), List.of(), List.of(), List.of("AadharNo", "TxnAmount", "Latitude", "Longitude", "CustomerName", "PidData", "BankName", "clientRefId", "merchantId"), Data.Purchase::from);
    static final Route AEPS_REQUERY = new Route("POST", "/aeps/requery", "enquiry", Set.of(GATEWAY, AEPS), List.of(), List.of(), List.of("clientRefId", "reference", "RetailerReferenceNumber", "merchantId"), Data.AepsRequeryData::from);
    static final Route AEPS_AUTH_STATUS = new Route("GET", "/aeps/authStatus", "reference", Set.of(GATEWAY), List.of(), List.of("merchantId"), List.of(), Data.AgentSession::from);
    static final Route AEPS_BANKS = new Route("GET", "/aeps/banks", "reference", Set.of(GATEWAY, LIST), List.of(), List.of(), List.of(), Data.Bank::from);
    static final Route DMT_CUSTOMER_GET_DETAIL = new Route("POST", "/dmt/customer/GetDetail", "enquiry", Set.of(GATEWAY), List.of(), List.of(), List.of("mobile_number", "merchantId"), Data.Customer::from);
    static final Route DMT_CUSTOMER_ONBOARDING = new Route("POST", "/dmt/customer/onboarding", "record", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("name", "mobile_no", "city", "state", "email_id", "merchantId"), Data.Enrolment::from);
    static final Route DMT_CUSTOMER_REQUEST_OTP = new Route("POST", "/dmt/customer/request_otp", "enquiry", Set.of(GATEWAY), List.of(), List.of(), List.of("referenceid", "merchantId"), Data.OTPRequest::from);
    static final Route DMT_CUSTOMER_VALIDATE_OTP = new Route("POST", "/dmt/customer/validate_otp", "enquiry", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("otp", "otpreqid", "referenceid", "merchantId"), null);
    static final Route DMT_CUSTOMER_VERIFY_UID = new Route("POST", "/dmt/customer/verify_UID", "record", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("aadhaarno", "referenceid", "merchantId"), null);
    static final Route DMT_CUSTOMER_UPDATEBIODETAIL = new Route("POST", "/dmt/customer/updatebiodetail", "enquiry", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("PidData", "aadhaarno", "referenceid", "merchantId"), null);
    static final Route DMT_CUSTOMER_SUBMIT = new Route("POST", "/dmt/customer/submit", "record", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("referenceid", "merchantId"), Data.Enrolment::from);
    static final Route DMT_CUSTOMER_STATUS_CHECK = new Route("GET", "/dmt/customer/statusCheck", "enquiry", Set.of(GATEWAY), List.of(), List.of("referenceid", "merchantId"), List.of(), Data.Enrolment::from);
    static final Route DMT_REMITTER_REGISTER = new Route("POST", "/dmt/txn/v1/remitter/register", "record", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("sender_mobilenumber", "senderId", "merchantId"), Data.DmtRemitterRegisterData::from);
    static final Route DMT_REMITTER_DETAILS = new Route("POST", "/dmt/txn/v1/remitter/details", "enquiry", Set.of(GATEWAY), List.of(), List.of(), List.of("sender_mobilenumber", "merchantId"), Data.Remitter::from);
    static final Route DMT_BENEFICIARY_ACCOUNT_VERIFICATION = new Route("POST", "/dmt/txn/v1/beneficiary/accountVerification", "enquiry", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("receiver_account_no", "receiverIfscCode", "senderId", "sender_mobilenumber", "receivername", "receivermobilenumber", "receiveremailid", "merchantId"), Data.Verification::from);
    static final Route DMT_BENEFICIARY_ADD = new Route("POST", "/dmt/txn/v1/beneficiary/add", "record", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("senderId", "receivername", "receiverIfscCode", "receiver_account_no", "receivermobilenumber", "receiveremailid", "address", "city", "state", "branch_contact", "merchantId"), Data.DmtBeneficiaryAddData::from);
    static final Route DMT_BENEFICIARY_GET = new Route("POST", "/dmt/txn/v1/beneficiary/get", "enquiry", Set.of(GATEWAY), List.of(), List.of(), List.of("senderId", "receiver_account_no", "receiverIfscCode", "merchantId"), Data.Beneficiary::from);
    static final Route DMT_BENEFICIARY_DELETE = new Route("POST", "/dmt/txn/v1/beneficiary/delete", "record", Set.of(IDENTITY, GATEWAY), List.of(), List.of(), List.of("senderId", "receiver_account_no", "receiverIfscCode", "merchantId"), null);
    static final Route DMT_TRANSACTION_OTP = new Route("POST", "/dmt/txn/v1/transaction/otp", "enquiry", Set.of(GATEWAY), List.of(), List.of(), List.of("senderId", "amount", "receiver_account_no", "receiverIfscCode", "merchantId"), null);
    static final Route DMT_TRANSACTION_INSTANT = new Route("POST", "/dmt/txn/v1/transaction/instant", "money", Set.of(IDENTITY, GATEWAY, TRANSFER), List.of(), List.of(), List.of("senderId", "BeneficiaryId", "amount", "refId", "otp", "receiver_account_no", "receiverIfscCode", "account_holder_name", "receiverMobilenumber", "remarks", "merchantId"), Data.Transfer::from);
    static final Route DMT_TRANSACTION_CHARGES = new Route("POST", "/dmt/txn/v1/transaction/charges", "enquiry", Set.of(GATEWAY), List.of(), List.of(), List.of("senderId", "amount", "merchantId"), Data.Charges::from);
    static final Route DMT_TRANSACTION_REQUERY = new Route("POST", "/dmt/txn/v1/transaction/requery", "enquiry", Set.of(GATEWAY, TRANSFER), List.of(), List.of(), List.of("refId", "merchantId"), Data.TransferState::from);
    static final Route DMT_TRANSACTION_REFUND_OTP = new Route("POST", "/dmt/txn/v1/transaction/refundOTP", "enquiry", Set.of(GATEWAY), List.of(), List.of(), List.of("refereanceId", "merchantId"), null);
    static final Route DMT_REFUND = new Route("POST", "/dmt/txn/v1/refund", "money", Set.of(IDENTITY, GATEWAY, TRANSFER), List.of(), List.of(), List.of("transactionId", "refId", "otp", "merchantId"), Data.DmtRefundData::from);
    static final Route DMT_TRANSACTION_BALANCE = new Route("POST", "/dmt/txn/v1/transaction/balance", "enquiry", Set.of(), List.of(), List.of(), List.of(), Data.DmtTransactionBalanceData::from);
    static final Route DMT_LOGIN = new Route("POST", "/dmt/txn/v1/login", "enquiry", Set.of(GATEWAY), List.of(), List.of(), List.of("merchantId"), Data.DmtLoginData::from);
    static final Route ONBOARDING_DMT_BC_REGISTOR = new Route("POST", "/onboarding/dmt/bc/registor", "record", Set.of(IDENTITY), List.of(), List.of(), List.of("name", "mobile_no", "email_id", "pan", "address", "city", "state", "pincode"), Data.OnboardingDmtBcRegistorData::from);
    static final Route ONBOARDING_DMT_BC_AGENT_REGISTOR = new Route("POST", "/onboarding/dmt/bc/agent/registor", "record", Set.of(IDENTITY), List.of(), List.of(), List.of("bcId", "name", "mobile_no", "email_id", "pan", "address", "city", "state", "pincode", "aadhaarno", "shopName"), Data.OnboardingDmtBcAgentRegistorData::from);
    static final Route ONBOARDING_DMT_BC_AGENT_INITIALIZE = new Route("POST", "/onboarding/dmt/bc/agent/initialize", "record", Set.of(IDENTITY), List.of(), List.of(), List.of("agentId"), Data.OnboardingDmtBcAgentInitializeData::from);
    static final Route ONBOARDING_DMT_BC_STATUS = new Route("POST", "/onboarding/dmt/bc/status", "enquiry", Set.of(), List.of(), List.of(), List.of("bcId", "agentId"), Data.Progress::from);
    static final Route UPI_GENERATE_QR = new Route("POST", "/upi/txn/v1/GenerateQR", "enquiry", Set.of(), List.of(), List.of(), List.of("order_id", "amount", "merchantId"), Data.QRCode::from);
    static final Route UPI_STATUS = new Route("POST", "/upi/txn/v1/status", "enquiry", Set.of(), List.of(), List.of(), List.of("order_id", "merchantId"), Data.UPIOrder::from);
    static final Route UPI_PAYMENTS = new Route("GET", "/upi/txn/v1/payments", "enquiry", Set.of(LIST), List.of(), List.of("limit", "after", "from", "to", "merchantId"), List.of(), Data.UPIPayment::from);
    static final Route VENDOR_MERCHANTS = new Route("GET", "/vendor/merchants", "enquiry", Set.of(GATEWAY, LIST), List.of(), List.of("page", "limit"), List.of(), Data.Merchant::from);
    static final Route VENDOR_ME = new Route("GET", "/vendor/me", "enquiry", Set.of(GATEWAY), List.of(), List.of(), List.of(), Data.Vendor::from);
    static final Route VENDOR_COMMISSION_LIST = new Route("GET", "/vendor-commission/{vendorId}/commission", "enquiry", Set.of(GATEWAY, LIST), List.of("vendorId"), List.of(), List.of(), Data.Slab::from);
    static final Route VENDOR_COMMISSION_CREATE = new Route("POST", "/vendor-commission/{vendorId}/commission", "record", Set.of(GATEWAY), List.of("vendorId"), List.of(), List.of("paymentMethod", "provider", "txnType", "minAmount", "maxAmount", "commissionRate", "rateType", "isDefault"), Data.Slab::from);
    static final Route VENDOR_COMMISSION_UPDATE = new Route("PUT", "/vendor-commission/{vendorId}/commission/{slabId}", "record", Set.of(GATEWAY), List.of("vendorId", "slabId"), List.of(), List.of("paymentMethod", "provider", "txnType", "minAmount", "maxAmount", "commissionRate", "rateType", "isDefault"), Data.Slab::from);
    static final Route VENDOR_COMMISSION_DELETE = new Route("DELETE", "/vendor-commission/{vendorId}/commission/{slabId}", "record", Set.of(GATEWAY), List.of("vendorId", "slabId"), List.of(), List.of(), null);
    static final Route VENDOR_COMMISSION_EARNINGS = new Route("GET", "/vendor-commission/{vendorId}/earnings", "enquiry", Set.of(GATEWAY), List.of("vendorId"), List.of("from", "to", "groupBy"), List.of(), Data.EarningsReport::from);
    static final Route VENDOR_KEYS_LIST = new Route("GET", "/vendor/keys", "enquiry", Set.of(GATEWAY, LIST), List.of(), List.of(), List.of(), Data.VendorKey::from);
    static final Route VENDOR_KEYS_CREATE = new Route("POST", "/vendor/keys", "record", Set.of(), List.of(), List.of(), List.of(), Data.NewVendorKey::from);
    static final Route VENDOR_KEYS_END = new Route("POST", "/vendor/keys/{keyId}/end", "record", Set.of(), List.of("keyId"), List.of(), List.of("at"), null);
    static final Route VENDOR_CLIENTS = new Route("GET", "/vendor/clients", "enquiry", Set.of(GATEWAY, LIST), List.of(), List.of(), List.of(), Data.VendorClient::from);
    static final Route VENDOR_CLIENTS_SECRETS = new Route("POST", "/vendor/clients/{clientId}/secrets", "record", Set.of(), List.of("clientId"), List.of(), List.of("formerEndsAt"), Data.NewClientSecret::from);
    static final Route VENDOR_CLIENTS_SECRETS_END = new Route("POST", "/vendor/clients/{clientId}/secrets/{secretId}/end", "record", Set.of(), List.of("clientId", "secretId"), List.of(), List.of("at"), null);
    static final Route VENDOR_CALLBACK_GET = new Route("GET", "/vendor/callback", "enquiry", Set.of(GATEWAY), List.of(), List.of(), List.of(), Data.CallbackEndpoint::from);
    static final Route VENDOR_CALLBACK_UPDATE = new Route("PUT", "/vendor/callback", "record", Set.of(GATEWAY), List.of(), List.of(), List.of("url"), Data.CallbackEndpoint::from);
    static final Route VENDOR_CALLBACK_DELETE = new Route("DELETE", "/vendor/callback", "record", Set.of(GATEWAY), List.of(), List.of(), List.of(), null);
    static final Route VENDOR_CALLBACK_SECRETS = new Route("POST", "/vendor/callback/secrets", "record", Set.of(GATEWAY), List.of(), List.of(), List.of("formerEndsAt"), Data.NewCallbackSecret::from);
    static final Route VENDOR_CALLBACK_SECRETS_END = new Route("POST", "/vendor/callback/secrets/{secretId}/end", "record", Set.of(GATEWAY), List.of("secretId"), List.of(), List.of("at"), null);
    static final Route VENDOR_MERCHANTS_CALLBACK_GET = new Route("GET", "/vendor/merchants/{merchantId}/callback", "enquiry", Set.of(GATEWAY), List.of("merchantId"), List.of(), List.of(), Data.CallbackEndpoint::from);
    static final Route VENDOR_MERCHANTS_CALLBACK_UPDATE = new Route("PUT", "/vendor/merchants/{merchantId}/callback", "record", Set.of(GATEWAY), List.of("merchantId"), List.of(), List.of("url"), Data.CallbackEndpoint::from);
    static final Route VENDOR_MERCHANTS_CALLBACK_DELETE = new Route("DELETE", "/vendor/merchants/{merchantId}/callback", "record", Set.of(GATEWAY), List.of("merchantId"), List.of(), List.of(), null);
    static final Route VENDOR_MERCHANTS_CALLBACK_SECRETS = new Route("POST", "/vendor/merchants/{merchantId}/callback/secrets", "record", Set.of(GATEWAY), List.of("merchantId"), List.of(), List.of("formerEndsAt"), Data.NewCallbackSecret::from);
    static final Route VENDOR_MERCHANTS_CALLBACK_SECRETS_END = new Route("POST", "/vendor/merchants/{merchantId}/callback/secrets/{secretId}/end", "record", Set.of(GATEWAY), List.of("merchantId", "secretId"), List.of(), List.of("at"), null);
    static final Route VENDOR_CALLBACKS_LIST = new Route("GET", "/vendor/callbacks", "enquiry", Set.of(GATEWAY, LIST), List.of(), List.of("limit", "merchant", "after", "status", "from", "to"), List.of(), Data.CallbackDelivery::from);
    static final Route VENDOR_CALLBACKS_GET = new Route("GET", "/vendor/callbacks/{operationId}", "enquiry", Set.of(GATEWAY), List.of("operationId"), List.of(), List.of(), Data.CallbackDelivery::from);
    static final Route VENDOR_CALLBACKS_RESEND = new Route("POST", "/vendor/callbacks/{operationId}/resend", "record", Set.of(GATEWAY), List.of("operationId"), List.of(), List.of(), null);
    static final Route VENDOR_OPERATIONS = new Route("GET", "/vendor/operations", "enquiry", Set.of(GATEWAY, LIST), List.of(), List.of("limit", "merchant", "after", "status", "type", "from", "to", "format"), List.of(), Data.VendorOperation::from);
    static final Route LIMITS = new Route("GET", "/limits", "reference", Set.of(GATEWAY, LIST), List.of(), List.of(), List.of(), Data.Limit::from);
    static final Route TERMINALS_CREATE = new Route("POST", "/terminals", "record", Set.of(), List.of(), List.of(), List.of("name", "merchantId"), Data.EnrolmentCode::from);
    static final Route TERMINALS_LIST = new Route("GET", "/terminals", "enquiry", Set.of(LIST), List.of(), List.of("merchantId"), List.of(), Data.Terminal::from);
    static final Route TERMINALS_DELETE = new Route("DELETE", "/terminals/{id}", "record", Set.of(), List.of("id"), List.of(), List.of("merchantId"), null);
    static final Route TERMINALS_ENROL = new Route("POST", "/terminals/enrol", "record", Set.of(OPEN), List.of(), List.of(), List.of("code", "publicKey", "name"), Data.EnrolledTerminal::from);
    static final Route OPERATIONS_GET = new Route("GET", "/operations/{id}", "enquiry", Set.of(), List.of("id"), List.of(), List.of(), Data.Operation::from);

    static final List<Route> ROUTES = List.of(
        AEPS_INITIALIZE,
        AEPS_ONBOARDING,
        AEPS_REQUEST_OTP,
        AEPS_VALIDATE_OTP,
        AEPS_VERIFY_PAN,
        AEPS_UPDATE_UID,
        AEPS_UPDATEBIODETAIL,
        AEPS_SUBMIT,
        AEPS_STATUS_CHECK,
        AEPS_GET_AGENT_DETAIL,
        AEPS_WITHDRAWAL,
        AEPS_BALANCE,
        AEPS_MINSTATEMENT,
        AEPS_REQ_AUTH,
        AEPS_PURCHASE,
        AEPS_REQUERY,
        AEPS_AUTH_STATUS,
        AEPS_BANKS,
        DMT_CUSTOMER_GET_DETAIL,
        DMT_CUSTOMER_ONBOARDING,
        DMT_CUSTOMER_REQUEST_OTP,
        DMT_CUSTOMER_VALIDATE_OTP,
        DMT_CUSTOMER_VERIFY_UID,
        DMT_CUSTOMER_UPDATEBIODETAIL,
        DMT_CUSTOMER_SUBMIT,
        DMT_CUSTOMER_STATUS_CHECK,
        DMT_REMITTER_REGISTER,
        DMT_REMITTER_DETAILS,
        DMT_BENEFICIARY_ACCOUNT_VERIFICATION,
        DMT_BENEFICIARY_ADD,
        DMT_BENEFICIARY_GET,
        DMT_BENEFICIARY_DELETE,
        DMT_TRANSACTION_OTP,
        DMT_TRANSACTION_INSTANT,
        DMT_TRANSACTION_CHARGES,
        DMT_TRANSACTION_REQUERY,
        DMT_TRANSACTION_REFUND_OTP,
        DMT_REFUND,
        DMT_TRANSACTION_BALANCE,
        DMT_LOGIN,
        ONBOARDING_DMT_BC_REGISTOR,
        ONBOARDING_DMT_BC_AGENT_REGISTOR,
        ONBOARDING_DMT_BC_AGENT_INITIALIZE,
        ONBOARDING_DMT_BC_STATUS,
        UPI_GENERATE_QR,
        UPI_STATUS,
        UPI_PAYMENTS,
        VENDOR_MERCHANTS,
        VENDOR_ME,
        VENDOR_COMMISSION_LIST,
        VENDOR_COMMISSION_CREATE,
        VENDOR_COMMISSION_UPDATE,
        VENDOR_COMMISSION_DELETE,
        VENDOR_COMMISSION_EARNINGS,
        VENDOR_KEYS_LIST,
        VENDOR_KEYS_CREATE,
        VENDOR_KEYS_END,
        VENDOR_CLIENTS,
        VENDOR_CLIENTS_SECRETS,
        VENDOR_CLIENTS_SECRETS_END,
        VENDOR_CALLBACK_GET,
        VENDOR_CALLBACK_UPDATE,
        VENDOR_CALLBACK_DELETE,
        VENDOR_CALLBACK_SECRETS,
        VENDOR_CALLBACK_SECRETS_END,
        VENDOR_MERCHANTS_CALLBACK_GET,
        VENDOR_MERCHANTS_CALLBACK_UPDATE,
        VENDOR_MERCHANTS_CALLBACK_DELETE,
        VENDOR_MERCHANTS_CALLBACK_SECRETS,
        VENDOR_MERCHANTS_CALLBACK_SECRETS_END,
        VENDOR_CALLBACKS_LIST,
        VENDOR_CALLBACKS_GET,
        VENDOR_CALLBACKS_RESEND,
        VENDOR_OPERATIONS,
        LIMITS,
        TERMINALS_CREATE,
        TERMINALS_LIST,
        TERMINALS_DELETE,
        TERMINALS_ENROL,
        OPERATIONS_GET);
}
