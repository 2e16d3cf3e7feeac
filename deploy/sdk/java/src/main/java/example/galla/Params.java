// Written by deploy/sdk/generate from the OpenAPI document; do not edit.

package example.galla;

import java.math.BigDecimal;

/** The fields of requests. Amounts are rupees with at most two decimals. */
public final class Params {
    private Params() {}

    /** Of POST /aeps/initialize: Create the AEPS service-KYC record. */
    public static final class AepsInitialize extends Fields<AepsInitialize> {
        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsInitialize merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/onboarding: Begin the onboarding, and send the first OTP. */
    public static final class AepsOnboarding extends Fields<AepsOnboarding> {
        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsOnboarding merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/request_otp: Send the onboarding OTP again. */
    public static final class AepsRequestOtp extends Fields<AepsRequestOtp> {
        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsRequestOtp merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/validate_otp: Check the onboarding OTP. */
    public static final class AepsValidateOtp extends Fields<AepsValidateOtp> {
        /** otp, required. The one-time password from the text message. Must be the digits of a one-time password. */
        public AepsValidateOtp otp(String value) {
            return put("otp", value);
        }

        /**
         * otpreqid, required. Which OTP is meant, as the request for it answered. Must have 1 to 64 letters, digits,
         * dots, hyphens and underscores.
         */
        public AepsValidateOtp otpreqid(String value) {
            return put("otpreqid", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsValidateOtp merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/verify_pan: Verify the agent's PAN. */
    public static final class AepsVerifyPan extends Fields<AepsVerifyPan> {
        /**
         * pan, required. Permanent account number. Must be a PAN: five capital letters, four digits, one capital
         * letter.
         */
        public AepsVerifyPan pan(String value) {
            return put("pan", value);
        }

        /** name, required. The name. */
        public AepsVerifyPan name(String value) {
            return put("name", value);
        }

        /** dob, required. Date of birth, not in the future. */
        public AepsVerifyPan dob(String value) {
            return put("dob", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsVerifyPan merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/update_UID: Give the agent's Aadhaar number. */
    public static final class AepsUpdateUid extends Fields<AepsUpdateUid> {
        /**
         * aadhaarno, required. The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
         * Aadhaar number; must pass the Verhoeff check.
         */
        public AepsUpdateUid aadhaarno(String value) {
            return put("aadhaarno", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsUpdateUid merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/updatebiodetail: Give the agent's biometric. */
    public static final class AepsUpdatebiodetail extends Fields<AepsUpdatebiodetail> {
        /**
         * PidData, required. The capture as the registered-device service gave it, unchanged. It is used once and
         * never stored. PidData XML of a registered device, with errCode 0.
         */
        public AepsUpdatebiodetail pidData(String value) {
            return put("PidData", value);
        }

        /**
         * aadhaarno, required. The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
         * Aadhaar number; must pass the Verhoeff check.
         */
        public AepsUpdatebiodetail aadhaarno(String value) {
            return put("aadhaarno", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsUpdatebiodetail merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/submit: Finish the onboarding. */
    public static final class AepsSubmit extends Fields<AepsSubmit> {
        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsSubmit merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of GET /aeps/statusCheck: How far the onboarding is. */
    public static final class AepsStatusCheck extends Fields<AepsStatusCheck> {
        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsStatusCheck merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/GetAgentDetail: Who an agent is. */
    public static final class AepsGetAgentDetail extends Fields<AepsGetAgentDetail> {
        /**
         * agentId. The agent's mid; absent or empty: the caller's own. Must have 1 to 64 letters, digits, dots,
         * hyphens and underscores.
         */
        public AepsGetAgentDetail agentId(String value) {
            return put("agentId", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsGetAgentDetail merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/withdrawal: Cash withdrawal. */
    public static final class AepsWithdrawal extends Fields<AepsWithdrawal> {
        /**
         * AadharNo, required. The customer's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
         * Aadhaar number; must pass the Verhoeff check.
         */
        public AepsWithdrawal aadharNo(String value) {
            return put("AadharNo", value);
        }

        /** TxnAmount, required. The amount. Rupees, at most two decimals. */
        public AepsWithdrawal txnAmount(BigDecimal value) {
            return put("TxnAmount", value);
        }

        /** TxnAmount, as a whole number. */
        public AepsWithdrawal txnAmount(long value) {
            return put("TxnAmount", rupees(value));
        }

        /** Latitude, required. Where the device is. Decimal degrees from -90 to 90. */
        public AepsWithdrawal latitude(String value) {
            return put("Latitude", value);
        }

        /** Longitude, required. Where the device is. Decimal degrees from -180 to 180. */
        public AepsWithdrawal longitude(String value) {
            return put("Longitude", value);
        }

        /** CustomerName, required. The customer's name. */
        public AepsWithdrawal customerName(String value) {
            return put("CustomerName", value);
        }

        /**
         * PidData, required. The capture as the registered-device service gave it, unchanged. It is used once and
         * never stored. PidData XML of a registered device, with errCode 0.
         */
        public AepsWithdrawal pidData(String value) {
            return put("PidData", value);
        }

        /** BankName. The IIN of the customer's bank. An iin of aeps/banks; default 990326. */
        public AepsWithdrawal bankName(String value) {
            return put("BankName", value);
        }

        /**
         * clientRefId. The operation's identity: a repeat with the same body gets the stored reply. The caller's own
         * reference.
         */
        public AepsWithdrawal clientRefId(String value) {
            return put("clientRefId", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsWithdrawal merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/balance: Balance enquiry. */
    public static final class AepsBalance extends Fields<AepsBalance> {
        /**
         * AadharNo, required. The customer's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
         * Aadhaar number; must pass the Verhoeff check.
         */
        public AepsBalance aadharNo(String value) {
            return put("AadharNo", value);
        }

        /** TxnAmount, required. The amount. Must be 0 on this route. */
        public AepsBalance txnAmount(BigDecimal value) {
            return put("TxnAmount", value);
        }

        /** TxnAmount, as a whole number. */
        public AepsBalance txnAmount(long value) {
            return put("TxnAmount", rupees(value));
        }

        /** Latitude, required. Where the device is. Decimal degrees from -90 to 90. */
        public AepsBalance latitude(String value) {
            return put("Latitude", value);
        }

        /** Longitude, required. Where the device is. Decimal degrees from -180 to 180. */
        public AepsBalance longitude(String value) {
            return put("Longitude", value);
        }

        /** CustomerName, required. The customer's name. */
        public AepsBalance customerName(String value) {
            return put("CustomerName", value);
        }

        /**
         * PidData, required. The capture as the registered-device service gave it, unchanged. It is used once and
         * never stored. PidData XML of a registered device, with errCode 0.
         */
        public AepsBalance pidData(String value) {
            return put("PidData", value);
        }

        /** BankName. The IIN of the customer's bank. An iin of aeps/banks; default 990326. */
        public AepsBalance bankName(String value) {
            return put("BankName", value);
        }

        /**
         * clientRefId. The operation's identity: a repeat with the same body gets the stored reply. The caller's own
         * reference.
         */
        public AepsBalance clientRefId(String value) {
            return put("clientRefId", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsBalance merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/minstatement: Mini statement. */
    public static final class AepsMinstatement extends Fields<AepsMinstatement> {
        /**
         * AadharNo, required. The customer's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
         * Aadhaar number; must pass the Verhoeff check.
         */
        public AepsMinstatement aadharNo(String value) {
            return put("AadharNo", value);
        }

        /** TxnAmount, required. The amount. Must be 0 on this route. */
        public AepsMinstatement txnAmount(BigDecimal value) {
            return put("TxnAmount", value);
        }

        /** TxnAmount, as a whole number. */
        public AepsMinstatement txnAmount(long value) {
            return put("TxnAmount", rupees(value));
        }

        /** Latitude, required. Where the device is. Decimal degrees from -90 to 90. */
        public AepsMinstatement latitude(String value) {
            return put("Latitude", value);
        }

        /** Longitude, required. Where the device is. Decimal degrees from -180 to 180. */
        public AepsMinstatement longitude(String value) {
            return put("Longitude", value);
        }

        /** CustomerName, required. The customer's name. */
        public AepsMinstatement customerName(String value) {
            return put("CustomerName", value);
        }

        /**
         * PidData, required. The capture as the registered-device service gave it, unchanged. It is used once and
         * never stored. PidData XML of a registered device, with errCode 0.
         */
        public AepsMinstatement pidData(String value) {
            return put("PidData", value);
        }

        /** BankName. The IIN of the customer's bank. An iin of aeps/banks; default 990326. */
        public AepsMinstatement bankName(String value) {
            return put("BankName", value);
        }

        /**
         * clientRefId. The operation's identity: a repeat with the same body gets the stored reply. The caller's own
         * reference.
         */
        public AepsMinstatement clientRefId(String value) {
            return put("clientRefId", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsMinstatement merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/reqAuth: The agent's daily authentication. */
    public static final class AepsReqAuth extends Fields<AepsReqAuth> {
        /**
         * AadharNo, required. The agent's own, 12 digits: whoever stands at the terminal gives a finger, and no
         * customer does. The example is one of UIDAI's public demo numbers, nobody's. Aadhaar number; must pass the
         * Verhoeff check.
         */
        public AepsReqAuth aadharNo(String value) {
            return put("AadharNo", value);
        }

        /** TxnAmount, required. The amount. Must be 0 on this route. */
        public AepsReqAuth txnAmount(BigDecimal value) {
            return put("TxnAmount", value);
        }

        /** TxnAmount, as a whole number. */
        public AepsReqAuth txnAmount(long value) {
            return put("TxnAmount", rupees(value));
        }

        /** Latitude, required. Where the device is. Decimal degrees from -90 to 90. */
        public AepsReqAuth latitude(String value) {
            return put("Latitude", value);
        }

        /** Longitude, required. Where the device is. Decimal degrees from -180 to 180. */
        public AepsReqAuth longitude(String value) {
            return put("Longitude", value);
        }

        /** CustomerName, required. The agent's name. */
        public AepsReqAuth customerName(String value) {
            return put("CustomerName", value);
        }

        /**
         * PidData, required. The capture as the registered-device service gave it, unchanged. It is used once and
         * never stored. PidData XML of a registered device, with errCode 0.
         */
        public AepsReqAuth pidData(String value) {
            return put("PidData", value);
        }

        /** BankName. The IIN of the agent's bank. An iin of aeps/banks; default 990326. */
        public AepsReqAuth bankName(String value) {
            return put("BankName", value);
        }

        /**
         * clientRefId. The operation's identity: a repeat with the same body gets the stored reply. The caller's own
         * reference.
         */
        public AepsReqAuth clientRefId(String value) {
            return put("clientRefId", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsReqAuth merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/purchase: Purchase (Aadhaar Pay). */
    public static final class AepsPurchase extends Fields<AepsPurchase> {
        /**
         * AadharNo, required. The customer's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
         * Aadhaar number; must pass the Verhoeff check.
         */
        public AepsPurchase aadharNo(String value) {
            return put("AadharNo", value);
        }

        /** TxnAmount, required. The amount. Rupees, at most two decimals. */
        public AepsPurchase txnAmount(BigDecimal value) {
            return put("TxnAmount", value);
        }

        /** TxnAmount, as a whole number. */
        public AepsPurchase txnAmount(long value) {
            return put("TxnAmount", rupees(value));
        }

        /** Latitude, required. Where the device is. Decimal degrees from -90 to 90. */
        public AepsPurchase latitude(String value) {
            return put("Latitude", value);
        }

        /** Longitude, required. Where the device is. Decimal degrees from -180 to 180. */
        public AepsPurchase longitude(String value) {
            return put("Longitude", value);
        }

        /** CustomerName, required. The customer's name. */
        public AepsPurchase customerName(String value) {
            return put("CustomerName", value);
        }

        /**
         * PidData, required. The capture as the registered-device service gave it, unchanged. It is used once and
         * never stored. PidData XML of a registered device, with errCode 0.
         */
        public AepsPurchase pidData(String value) {
            return put("PidData", value);
        }

        /** BankName. The IIN of the customer's bank. An iin of aeps/banks; default 990326. */
        public AepsPurchase bankName(String value) {
            return put("BankName", value);
        }

        /**
         * clientRefId. The operation's identity: a repeat with the same body gets the stored reply. The caller's own
         * reference.
         */
        public AepsPurchase clientRefId(String value) {
            return put("clientRefId", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsPurchase merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /aeps/requery: How an AEPS transaction stands. */
    public static final class AepsRequery extends Fields<AepsRequery> {
        /**
         * clientRefId. The operation's identity: a repeat with the same body gets the stored reply. The caller's own
         * reference.
         */
        public AepsRequery clientRefId(String value) {
            return put("clientRefId", value);
        }

        /** reference. The reference of a pending reply. The caller's own reference. */
        public AepsRequery reference(String value) {
            return put("reference", value);
        }

        /** RetailerReferenceNumber. As a reply named the transaction. The caller's own reference. */
        public AepsRequery retailerReferenceNumber(String value) {
            return put("RetailerReferenceNumber", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsRequery merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of GET /aeps/authStatus: The agent's session. */
    public static final class AepsAuthStatus extends Fields<AepsAuthStatus> {
        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public AepsAuthStatus merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/customer/GetDetail: Find an onboarded customer. */
    public static final class DmtCustomerGetDetail extends Fields<DmtCustomerGetDetail> {
        /**
         * mobile_number, required. The customer's mobile number. Must be a ten-digit mobile number that begins with 6,
         * 7, 8 or 9.
         */
        public DmtCustomerGetDetail mobileNumber(String value) {
            return put("mobile_number", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtCustomerGetDetail merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/customer/onboarding: Begin a customer's onboarding. */
    public static final class DmtCustomerOnboarding extends Fields<DmtCustomerOnboarding> {
        /** name, required. The customer's name. */
        public DmtCustomerOnboarding name(String value) {
            return put("name", value);
        }

        /** mobile_no, required. The mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9. */
        public DmtCustomerOnboarding mobileNo(String value) {
            return put("mobile_no", value);
        }

        /** city, required. City. */
        public DmtCustomerOnboarding city(String value) {
            return put("city", value);
        }

        /** state, required. State. */
        public DmtCustomerOnboarding state(String value) {
            return put("state", value);
        }

        /** email_id. E-mail address. Must be an e-mail address. */
        public DmtCustomerOnboarding emailId(String value) {
            return put("email_id", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtCustomerOnboarding merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/customer/request_otp: Send the customer an OTP. */
    public static final class DmtCustomerRequestOtp extends Fields<DmtCustomerRequestOtp> {
        /**
         * referenceid, required. The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters,
         * digits, dots, hyphens and underscores.
         */
        public DmtCustomerRequestOtp referenceid(String value) {
            return put("referenceid", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtCustomerRequestOtp merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/customer/validate_otp: Check the customer's OTP. */
    public static final class DmtCustomerValidateOtp extends Fields<DmtCustomerValidateOtp> {
        /** otp, required. The one-time password from the text message. Must be the digits of a one-time password. */
        public DmtCustomerValidateOtp otp(String value) {
            return put("otp", value);
        }

        /**
         * otpreqid, required. Which OTP is meant, as the request for it answered. Must have 1 to 64 letters, digits,
         * dots, hyphens and underscores.
         */
        public DmtCustomerValidateOtp otpreqid(String value) {
            return put("otpreqid", value);
        }

        /**
         * referenceid, required. The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters,
         * digits, dots, hyphens and underscores.
         */
        public DmtCustomerValidateOtp referenceid(String value) {
            return put("referenceid", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtCustomerValidateOtp merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/customer/verify_UID: Give the customer's Aadhaar number. */
    public static final class DmtCustomerVerifyUid extends Fields<DmtCustomerVerifyUid> {
        /**
         * aadhaarno, required. The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
         * Aadhaar number; must pass the Verhoeff check.
         */
        public DmtCustomerVerifyUid aadhaarno(String value) {
            return put("aadhaarno", value);
        }

        /**
         * referenceid, required. The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters,
         * digits, dots, hyphens and underscores.
         */
        public DmtCustomerVerifyUid referenceid(String value) {
            return put("referenceid", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtCustomerVerifyUid merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/customer/updatebiodetail: Give the customer's biometric. */
    public static final class DmtCustomerUpdatebiodetail extends Fields<DmtCustomerUpdatebiodetail> {
        /**
         * PidData, required. The capture as the registered-device service gave it, unchanged. It is used once and
         * never stored. PidData XML of a registered device, with errCode 0.
         */
        public DmtCustomerUpdatebiodetail pidData(String value) {
            return put("PidData", value);
        }

        /**
         * aadhaarno, required. The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
         * Aadhaar number; must pass the Verhoeff check.
         */
        public DmtCustomerUpdatebiodetail aadhaarno(String value) {
            return put("aadhaarno", value);
        }

        /**
         * referenceid, required. The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters,
         * digits, dots, hyphens and underscores.
         */
        public DmtCustomerUpdatebiodetail referenceid(String value) {
            return put("referenceid", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtCustomerUpdatebiodetail merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/customer/submit: Finish the customer's onboarding. */
    public static final class DmtCustomerSubmit extends Fields<DmtCustomerSubmit> {
        /**
         * referenceid, required. The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters,
         * digits, dots, hyphens and underscores.
         */
        public DmtCustomerSubmit referenceid(String value) {
            return put("referenceid", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtCustomerSubmit merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of GET /dmt/customer/statusCheck: How far a customer's onboarding is. */
    public static final class DmtCustomerStatusCheck extends Fields<DmtCustomerStatusCheck> {
        /**
         * referenceid, required. The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters,
         * digits, dots, hyphens and underscores.
         */
        public DmtCustomerStatusCheck referenceid(String value) {
            return put("referenceid", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtCustomerStatusCheck merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/txn/v1/remitter/register: Register an onboarded customer as a remitter. */
    public static final class DmtRemitterRegister extends Fields<DmtRemitterRegister> {
        /**
         * sender_mobilenumber. The remitter's mobile number. Must be a ten-digit mobile number that begins with 6, 7,
         * 8 or 9.
         */
        public DmtRemitterRegister senderMobilenumber(String value) {
            return put("sender_mobilenumber", value);
        }

        /** senderId. The customer's referenceid, or the remitter's id. It wins where both fields are sent. */
        public DmtRemitterRegister senderId(String value) {
            return put("senderId", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtRemitterRegister merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/txn/v1/remitter/details: A remitter with limits and beneficiaries. */
    public static final class DmtRemitterDetails extends Fields<DmtRemitterDetails> {
        /**
         * sender_mobilenumber, required. The remitter's mobile number. Must be a ten-digit mobile number that begins
         * with 6, 7, 8 or 9.
         */
        public DmtRemitterDetails senderMobilenumber(String value) {
            return put("sender_mobilenumber", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtRemitterDetails merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/txn/v1/beneficiary/accountVerification: Verify a receiver's account. */
    public static final class DmtBeneficiaryAccountVerification extends Fields<DmtBeneficiaryAccountVerification> {
        /**
         * receiver_account_no, required. The receiver's account number; leading zeros count. Must be an account number
         * of 6 to 18 digits.
         */
        public DmtBeneficiaryAccountVerification receiverAccountNo(String value) {
            return put("receiver_account_no", value);
        }

        /**
         * receiverIfscCode, required. The receiver's branch. Must be an IFSC: four capital letters, a zero, six
         * capital letters or digits.
         */
        public DmtBeneficiaryAccountVerification receiverIfscCode(String value) {
            return put("receiverIfscCode", value);
        }

        /** senderId. The remitter, as register and details answer it. */
        public DmtBeneficiaryAccountVerification senderId(String value) {
            return put("senderId", value);
        }

        /**
         * sender_mobilenumber. The remitter's mobile number. Must be a ten-digit mobile number that begins with 6, 7,
         * 8 or 9.
         */
        public DmtBeneficiaryAccountVerification senderMobilenumber(String value) {
            return put("sender_mobilenumber", value);
        }

        /** receivername. The receiver's name. */
        public DmtBeneficiaryAccountVerification receivername(String value) {
            return put("receivername", value);
        }

        /**
         * receivermobilenumber. The receiver's mobile number. Must be a ten-digit mobile number that begins with 6, 7,
         * 8 or 9.
         */
        public DmtBeneficiaryAccountVerification receivermobilenumber(String value) {
            return put("receivermobilenumber", value);
        }

        /** receiveremailid. The receiver's e-mail address. Must be an e-mail address. */
        public DmtBeneficiaryAccountVerification receiveremailid(String value) {
            return put("receiveremailid", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtBeneficiaryAccountVerification merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/txn/v1/beneficiary/add: Add a beneficiary. */
    public static final class DmtBeneficiaryAdd extends Fields<DmtBeneficiaryAdd> {
        /** senderId, required. The remitter, as register and details answer it. */
        public DmtBeneficiaryAdd senderId(String value) {
            return put("senderId", value);
        }

        /** receivername, required. The receiver's name. */
        public DmtBeneficiaryAdd receivername(String value) {
            return put("receivername", value);
        }

        /**
         * receiverIfscCode, required. The receiver's branch. Must be an IFSC: four capital letters, a zero, six
         * capital letters or digits.
         */
        public DmtBeneficiaryAdd receiverIfscCode(String value) {
            return put("receiverIfscCode", value);
        }

        /**
         * receiver_account_no, required. The receiver's account number; leading zeros count. Must be an account number
         * of 6 to 18 digits.
         */
        public DmtBeneficiaryAdd receiverAccountNo(String value) {
            return put("receiver_account_no", value);
        }

        /**
         * receivermobilenumber. The receiver's mobile number. Must be a ten-digit mobile number that begins with 6, 7,
         * 8 or 9.
         */
        public DmtBeneficiaryAdd receivermobilenumber(String value) {
            return put("receivermobilenumber", value);
        }

        /** receiveremailid. The receiver's e-mail address. Must be an e-mail address. */
        public DmtBeneficiaryAdd receiveremailid(String value) {
            return put("receiveremailid", value);
        }

        /** address. The receiver's address. */
        public DmtBeneficiaryAdd address(String value) {
            return put("address", value);
        }

        /** city. The receiver's city. */
        public DmtBeneficiaryAdd city(String value) {
            return put("city", value);
        }

        /** state. The receiver's state. */
        public DmtBeneficiaryAdd state(String value) {
            return put("state", value);
        }

        /** branch_contact. The branch. */
        public DmtBeneficiaryAdd branchContact(String value) {
            return put("branch_contact", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtBeneficiaryAdd merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/txn/v1/beneficiary/get: A beneficiary's record. */
    public static final class DmtBeneficiaryGet extends Fields<DmtBeneficiaryGet> {
        /** senderId, required. The remitter, as register and details answer it. */
        public DmtBeneficiaryGet senderId(String value) {
            return put("senderId", value);
        }

        /**
         * receiver_account_no, required. The receiver's account number; leading zeros count. Must be an account number
         * of 6 to 18 digits.
         */
        public DmtBeneficiaryGet receiverAccountNo(String value) {
            return put("receiver_account_no", value);
        }

        /**
         * receiverIfscCode, required. The receiver's branch. Must be an IFSC: four capital letters, a zero, six
         * capital letters or digits.
         */
        public DmtBeneficiaryGet receiverIfscCode(String value) {
            return put("receiverIfscCode", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtBeneficiaryGet merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/txn/v1/beneficiary/delete: Delete a beneficiary. */
    public static final class DmtBeneficiaryDelete extends Fields<DmtBeneficiaryDelete> {
        /** senderId, required. The remitter, as register and details answer it. */
        public DmtBeneficiaryDelete senderId(String value) {
            return put("senderId", value);
        }

        /**
         * receiver_account_no, required. The receiver's account number; leading zeros count. Must be an account number
         * of 6 to 18 digits.
         */
        public DmtBeneficiaryDelete receiverAccountNo(String value) {
            return put("receiver_account_no", value);
        }

        /**
         * receiverIfscCode, required. The receiver's branch. Must be an IFSC: four capital letters, a zero, six
         * capital letters or digits.
         */
        public DmtBeneficiaryDelete receiverIfscCode(String value) {
            return put("receiverIfscCode", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtBeneficiaryDelete merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/txn/v1/transaction/otp: Send the OTP of a transfer. */
    public static final class DmtTransactionOtp extends Fields<DmtTransactionOtp> {
        /** senderId, required. The remitter, as register and details answer it. */
        public DmtTransactionOtp senderId(String value) {
            return put("senderId", value);
        }

        /** amount, required. The amount. Rupees, at most two decimals. */
        public DmtTransactionOtp amount(BigDecimal value) {
            return put("amount", value);
        }

        /** amount, as a whole number. */
        public DmtTransactionOtp amount(long value) {
            return put("amount", rupees(value));
        }

        /**
         * receiver_account_no, required. The receiver's account number; leading zeros count. Must be an account number
         * of 6 to 18 digits.
         */
        public DmtTransactionOtp receiverAccountNo(String value) {
            return put("receiver_account_no", value);
        }

        /**
         * receiverIfscCode, required. The receiver's branch. Must be an IFSC: four capital letters, a zero, six
         * capital letters or digits.
         */
        public DmtTransactionOtp receiverIfscCode(String value) {
            return put("receiverIfscCode", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtTransactionOtp merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/txn/v1/transaction/instant: Send money. */
    public static final class DmtTransactionInstant extends Fields<DmtTransactionInstant> {
        /** senderId, required. The remitter, as register and details answer it. */
        public DmtTransactionInstant senderId(String value) {
            return put("senderId", value);
        }

        /** BeneficiaryId, required. The beneficiary, as add and details answer it. */
        public DmtTransactionInstant beneficiaryId(Long value) {
            return put("BeneficiaryId", value);
        }

        /** amount, required. The amount. Rupees, at most two decimals. */
        public DmtTransactionInstant amount(BigDecimal value) {
            return put("amount", value);
        }

        /** amount, as a whole number. */
        public DmtTransactionInstant amount(long value) {
            return put("amount", rupees(value));
        }

        /** refId, required. The caller's own reference of the transfer, and its identity. The caller's own reference. */
        public DmtTransactionInstant refId(String value) {
            return put("refId", value);
        }

        /** otp, required. The one-time password from the text message. Must be the digits of a one-time password. */
        public DmtTransactionInstant otp(String value) {
            return put("otp", value);
        }

        /**
         * receiver_account_no, required. The receiver's account number; leading zeros count. Must be an account number
         * of 6 to 18 digits.
         */
        public DmtTransactionInstant receiverAccountNo(String value) {
            return put("receiver_account_no", value);
        }

        /**
         * receiverIfscCode, required. The receiver's branch. Must be an IFSC: four capital letters, a zero, six
         * capital letters or digits.
         */
        public DmtTransactionInstant receiverIfscCode(String value) {
            return put("receiverIfscCode", value);
        }

        /** account_holder_name, required. The receiver's name. */
        public DmtTransactionInstant accountHolderName(String value) {
            return put("account_holder_name", value);
        }

        /**
         * receiverMobilenumber. The receiver's mobile number. Must be a ten-digit mobile number that begins with 6, 7,
         * 8 or 9.
         */
        public DmtTransactionInstant receiverMobilenumber(String value) {
            return put("receiverMobilenumber", value);
        }

        /** remarks. Words for the receiver. */
        public DmtTransactionInstant remarks(String value) {
            return put("remarks", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtTransactionInstant merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/txn/v1/transaction/charges: What a transfer costs. */
    public static final class DmtTransactionCharges extends Fields<DmtTransactionCharges> {
        /** senderId, required. The remitter, as register and details answer it. */
        public DmtTransactionCharges senderId(String value) {
            return put("senderId", value);
        }

        /** amount, required. The amount. Rupees, at most two decimals. */
        public DmtTransactionCharges amount(BigDecimal value) {
            return put("amount", value);
        }

        /** amount, as a whole number. */
        public DmtTransactionCharges amount(long value) {
            return put("amount", rupees(value));
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtTransactionCharges merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/txn/v1/transaction/requery: How a transfer stands. */
    public static final class DmtTransactionRequery extends Fields<DmtTransactionRequery> {
        /** refId, required. The caller's own reference of the transfer, and its identity. The caller's own reference. */
        public DmtTransactionRequery refId(String value) {
            return put("refId", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtTransactionRequery merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/txn/v1/transaction/refundOTP: Send the OTP of a refund. */
    public static final class DmtTransactionRefundOtp extends Fields<DmtTransactionRefundOtp> {
        /**
         * refereanceId, required. The transactionId of the transfer. The misspelling is the field's name. Must have 1
         * to 64 letters, digits, dots, hyphens and underscores.
         */
        public DmtTransactionRefundOtp refereanceId(String value) {
            return put("refereanceId", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtTransactionRefundOtp merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/txn/v1/refund: Refund a transfer. */
    public static final class DmtRefund extends Fields<DmtRefund> {
        /**
         * transactionId, required. As the transfer's reply named it. Must have 1 to 64 letters, digits, dots, hyphens
         * and underscores.
         */
        public DmtRefund transactionId(String value) {
            return put("transactionId", value);
        }

        /** refId, required. The caller's own reference of the transfer, and its identity. The caller's own reference. */
        public DmtRefund refId(String value) {
            return put("refId", value);
        }

        /** otp, required. The one-time password from the text message. Must be the digits of a one-time password. */
        public DmtRefund otp(String value) {
            return put("otp", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtRefund merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /dmt/txn/v1/login: Begin a session at the bank network. */
    public static final class DmtLogin extends Fields<DmtLogin> {
        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public DmtLogin merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /onboarding/dmt/bc/registor: Register a business correspondent. */
    public static final class OnboardingDmtBcRegistor extends Fields<OnboardingDmtBcRegistor> {
        /** name, required. The correspondent's name. */
        public OnboardingDmtBcRegistor name(String value) {
            return put("name", value);
        }

        /** mobile_no, required. The mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9. */
        public OnboardingDmtBcRegistor mobileNo(String value) {
            return put("mobile_no", value);
        }

        /** email_id, required. E-mail address. Must be an e-mail address. */
        public OnboardingDmtBcRegistor emailId(String value) {
            return put("email_id", value);
        }

        /**
         * pan, required. Permanent account number. Must be a PAN: five capital letters, four digits, one capital
         * letter.
         */
        public OnboardingDmtBcRegistor pan(String value) {
            return put("pan", value);
        }

        /** address, required. Address. */
        public OnboardingDmtBcRegistor address(String value) {
            return put("address", value);
        }

        /** city, required. City. */
        public OnboardingDmtBcRegistor city(String value) {
            return put("city", value);
        }

        /** state, required. State. */
        public OnboardingDmtBcRegistor state(String value) {
            return put("state", value);
        }

        /** pincode, required. Postal code. Must be a six-digit PIN code. */
        public OnboardingDmtBcRegistor pincode(String value) {
            return put("pincode", value);
        }
    }

    /** Of POST /onboarding/dmt/bc/agent/registor: Register an agent of a business correspondent. */
    public static final class OnboardingDmtBcAgentRegistor extends Fields<OnboardingDmtBcAgentRegistor> {
        /**
         * bcId, required. The business correspondent's id, as its registration answered it. Must have 1 to 64 letters,
         * digits, dots, hyphens and underscores.
         */
        public OnboardingDmtBcAgentRegistor bcId(String value) {
            return put("bcId", value);
        }

        /** name, required. The agent's name. */
        public OnboardingDmtBcAgentRegistor name(String value) {
            return put("name", value);
        }

        /** mobile_no, required. The mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9. */
        public OnboardingDmtBcAgentRegistor mobileNo(String value) {
            return put("mobile_no", value);
        }

        /** email_id, required. E-mail address. Must be an e-mail address. */
        public OnboardingDmtBcAgentRegistor emailId(String value) {
            return put("email_id", value);
        }

        /**
         * pan, required. Permanent account number. Must be a PAN: five capital letters, four digits, one capital
         * letter.
         */
        public OnboardingDmtBcAgentRegistor pan(String value) {
            return put("pan", value);
        }

        /** address, required. Address. */
        public OnboardingDmtBcAgentRegistor address(String value) {
            return put("address", value);
        }

        /** city, required. City. */
        public OnboardingDmtBcAgentRegistor city(String value) {
            return put("city", value);
        }

        /** state, required. State. */
        public OnboardingDmtBcAgentRegistor state(String value) {
            return put("state", value);
        }

        /** pincode, required. Postal code. Must be a six-digit PIN code. */
        public OnboardingDmtBcAgentRegistor pincode(String value) {
            return put("pincode", value);
        }

        /**
         * aadhaarno, required. The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's.
         * Aadhaar number; must pass the Verhoeff check.
         */
        public OnboardingDmtBcAgentRegistor aadhaarno(String value) {
            return put("aadhaarno", value);
        }

        /** shopName, required. The shop's name. */
        public OnboardingDmtBcAgentRegistor shopName(String value) {
            return put("shopName", value);
        }
    }

    /** Of POST /onboarding/dmt/bc/agent/initialize: Activate an agent. */
    public static final class OnboardingDmtBcAgentInitialize extends Fields<OnboardingDmtBcAgentInitialize> {
        /**
         * agentId, required. The agent's id at the bank network. Must have 1 to 64 letters, digits, dots, hyphens and
         * underscores.
         */
        public OnboardingDmtBcAgentInitialize agentId(String value) {
            return put("agentId", value);
        }
    }

    /** Of POST /onboarding/dmt/bc/status: How a business correspondent or agent stands. */
    public static final class OnboardingDmtBcStatus extends Fields<OnboardingDmtBcStatus> {
        /**
         * bcId. The business correspondent's id, as its registration answered it. Must have 1 to 64 letters, digits,
         * dots, hyphens and underscores.
         */
        public OnboardingDmtBcStatus bcId(String value) {
            return put("bcId", value);
        }

        /**
         * agentId. The agent's id at the bank network. Must have 1 to 64 letters, digits, dots, hyphens and
         * underscores.
         */
        public OnboardingDmtBcStatus agentId(String value) {
            return put("agentId", value);
        }
    }

    /** Of POST /upi/txn/v1/GenerateQR: Make a QR code. */
    public static final class UpiGenerateQr extends Fields<UpiGenerateQr> {
        /**
         * order_id, required. The merchant's own order, returned as it came. The link's tr is it where it can be one
         * (up to 35 letters, digits, dots, hyphens and underscores), or else a short form of it, the same each time. A
         * repeat makes another code. Any text of 1 to 64 printable characters, kept unchanged.
         */
        public UpiGenerateQr orderId(String value) {
            return put("order_id", value);
        }

        /** amount. The amount of a dynamic code; absent or 0: a static code. Rupees, at most two decimals. */
        public UpiGenerateQr amount(BigDecimal value) {
            return put("amount", value);
        }

        /** amount, as a whole number. */
        public UpiGenerateQr amount(long value) {
            return put("amount", rupees(value));
        }

        /** merchantId. Optional: the token names the merchant. */
        public UpiGenerateQr merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /upi/txn/v1/status: Whether an order was paid. */
    public static final class UpiStatus extends Fields<UpiStatus> {
        /**
         * order_id, required. The merchant's own order, returned as it came. The link's tr is it where it can be one
         * (up to 35 letters, digits, dots, hyphens and underscores), or else a short form of it, the same each time. A
         * repeat makes another code. Any text of 1 to 64 printable characters, kept unchanged.
         */
        public UpiStatus orderId(String value) {
            return put("order_id", value);
        }

        /** merchantId. Optional: the token names the merchant. */
        public UpiStatus merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of GET /upi/txn/v1/payments: Payments that were received. */
    public static final class UpiPayments extends Fields<UpiPayments> {
        /** limit. How many on a page. Default 10; over 100 is served as 100, and pagination says so. */
        public UpiPayments limit(Long value) {
            return put("limit", value);
        }

        /**
         * after. The next of the page before; absent: the first page. Must have 1 to 64 letters, digits, dots, hyphens
         * and underscores.
         */
        public UpiPayments after(String value) {
            return put("after", value);
        }

        /** from. The first Indian day; by default the report has 30 days. */
        public UpiPayments from(String value) {
            return put("from", value);
        }

        /** to. The last Indian day, included; today by default. */
        public UpiPayments to(String value) {
            return put("to", value);
        }

        /** merchantId. Optional: the token names the merchant. */
        public UpiPayments merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of GET /vendor/merchants: The vendor's merchants. */
    public static final class VendorMerchants extends Fields<VendorMerchants> {
        /** page. Which page. Default 1. */
        public VendorMerchants page(Long value) {
            return put("page", value);
        }

        /** limit. How many on a page. Default 10; over 100 is served as 100, and pagination says so. */
        public VendorMerchants limit(Long value) {
            return put("limit", value);
        }
    }

    /** Of GET /vendor-commission/{vendorId}/commission: The vendor's commission slabs. */
    public static final class VendorCommissionList extends Fields<VendorCommissionList> {
        /** vendorId, required. The caller's own vendor id; another's is answered as an unknown one. */
        public VendorCommissionList vendorId(String value) {
            return put("vendorId", value);
        }
    }

    /** Of POST /vendor-commission/{vendorId}/commission: Create a commission slab. */
    public static final class VendorCommissionCreate extends Fields<VendorCommissionCreate> {
        /** vendorId, required. The caller's own vendor id; another's is answered as an unknown one. */
        public VendorCommissionCreate vendorId(String value) {
            return put("vendorId", value);
        }

        /**
         * paymentMethod, required. AEPS or DMT, for what this service does. Upper and lower case do not matter. Any
         * text of 1 to 64 printable characters, kept unchanged.
         */
        public VendorCommissionCreate paymentMethod(String value) {
            return put("paymentMethod", value);
        }

        /**
         * provider, required. The upstream provider's code, such as NSDL. Upper and lower case do not matter: nsdl is
         * the same provider. Any text of 1 to 64 printable characters, kept unchanged.
         */
        public VendorCommissionCreate provider(String value) {
            return put("provider", value);
        }

        /**
         * txnType, required. What this service earns by is, for AEPS, WITHDRAWAL, BALANCE, MINISTATEMENT and PURCHASE,
         * and for DMT TRANSFER, VALIDATION and REGISTRATION. Upper and lower case do not matter. Any text of 1 to 64
         * printable characters, kept unchanged.
         */
        public VendorCommissionCreate txnType(String value) {
            return put("txnType", value);
        }

        /** minAmount. The band's lower bound, in it. Absent: open below. Rupees, at most two decimals. */
        public VendorCommissionCreate minAmount(BigDecimal value) {
            return put("minAmount", value);
        }

        /** minAmount, as a whole number. */
        public VendorCommissionCreate minAmount(long value) {
            return put("minAmount", rupees(value));
        }

        /**
         * maxAmount. The band's upper bound, not in it, and more than minAmount. Absent: open above. Rupees, at most
         * two decimals.
         */
        public VendorCommissionCreate maxAmount(BigDecimal value) {
            return put("maxAmount", value);
        }

        /** maxAmount, as a whole number. */
        public VendorCommissionCreate maxAmount(long value) {
            return put("maxAmount", rupees(value));
        }

        /**
         * commissionRate. Rupees, with at most two decimals, where rateType is FIXED; percent, at most 100, where it
         * is PERCENTAGE. Absent: 0. At most six decimals.
         */
        public VendorCommissionCreate commissionRate(BigDecimal value) {
            return put("commissionRate", value);
        }

        /** commissionRate, as a whole number. */
        public VendorCommissionCreate commissionRate(long value) {
            return put("commissionRate", rupees(value));
        }

        /** rateType. What commissionRate is; FIXED where it is absent. */
        public VendorCommissionCreate rateType(String value) {
            return put("rateType", value);
        }

        /**
         * isDefault. The slab also serves amounts that no band of the combination holds. The combination's earlier
         * default is unset.
         */
        public VendorCommissionCreate isDefault(Boolean value) {
            return put("isDefault", value);
        }
    }

    /** Of PUT /vendor-commission/{vendorId}/commission/{slabId}: Change a commission slab. */
    public static final class VendorCommissionUpdate extends Fields<VendorCommissionUpdate> {
        /** vendorId, required. The caller's own vendor id; another's is answered as an unknown one. */
        public VendorCommissionUpdate vendorId(String value) {
            return put("vendorId", value);
        }

        /** slabId, required. The slab's id, as its creation answered it. */
        public VendorCommissionUpdate slabId(String value) {
            return put("slabId", value);
        }

        /**
         * paymentMethod. AEPS or DMT, for what this service does. Upper and lower case do not matter. Any text of 1 to
         * 64 printable characters, kept unchanged.
         */
        public VendorCommissionUpdate paymentMethod(String value) {
            return put("paymentMethod", value);
        }

        /**
         * provider. The upstream provider's code, such as NSDL. Upper and lower case do not matter: nsdl is the same
         * provider. Any text of 1 to 64 printable characters, kept unchanged.
         */
        public VendorCommissionUpdate provider(String value) {
            return put("provider", value);
        }

        /**
         * txnType. What this service earns by is, for AEPS, WITHDRAWAL, BALANCE, MINISTATEMENT and PURCHASE, and for
         * DMT TRANSFER, VALIDATION and REGISTRATION. Upper and lower case do not matter. Any text of 1 to 64 printable
         * characters, kept unchanged.
         */
        public VendorCommissionUpdate txnType(String value) {
            return put("txnType", value);
        }

        /** minAmount. The band's lower bound, in it. Rupees, at most two decimals. */
        public VendorCommissionUpdate minAmount(BigDecimal value) {
            return put("minAmount", value);
        }

        /** minAmount, as a whole number. */
        public VendorCommissionUpdate minAmount(long value) {
            return put("minAmount", rupees(value));
        }

        /** maxAmount. The band's upper bound, not in it, and more than minAmount. Rupees, at most two decimals. */
        public VendorCommissionUpdate maxAmount(BigDecimal value) {
            return put("maxAmount", value);
        }

        /** maxAmount, as a whole number. */
        public VendorCommissionUpdate maxAmount(long value) {
            return put("maxAmount", rupees(value));
        }

        /**
         * commissionRate. Rupees, with at most two decimals, where rateType is FIXED; percent, at most 100, where it
         * is PERCENTAGE. At most six decimals.
         */
        public VendorCommissionUpdate commissionRate(BigDecimal value) {
            return put("commissionRate", value);
        }

        /** commissionRate, as a whole number. */
        public VendorCommissionUpdate commissionRate(long value) {
            return put("commissionRate", rupees(value));
        }

        /** rateType. What commissionRate is. */
        public VendorCommissionUpdate rateType(String value) {
            return put("rateType", value);
        }

        /**
         * isDefault. The slab also serves amounts that no band of the combination holds. The combination's earlier
         * default is unset.
         */
        public VendorCommissionUpdate isDefault(Boolean value) {
            return put("isDefault", value);
        }
    }

    /** Of DELETE /vendor-commission/{vendorId}/commission/{slabId}: Delete a commission slab. */
    public static final class VendorCommissionDelete extends Fields<VendorCommissionDelete> {
        /** vendorId, required. The caller's own vendor id; another's is answered as an unknown one. */
        public VendorCommissionDelete vendorId(String value) {
            return put("vendorId", value);
        }

        /** slabId, required. The slab's id, as its creation answered it. */
        public VendorCommissionDelete slabId(String value) {
            return put("slabId", value);
        }
    }

    /** Of GET /vendor-commission/{vendorId}/earnings: What the vendor earned. */
    public static final class VendorCommissionEarnings extends Fields<VendorCommissionEarnings> {
        /** vendorId, required. The caller's own vendor id; another's is answered as an unknown one. */
        public VendorCommissionEarnings vendorId(String value) {
            return put("vendorId", value);
        }

        /** from. The first Indian day; by default the report has 30 days. */
        public VendorCommissionEarnings from(String value) {
            return put("from", value);
        }

        /** to. The last Indian day, included; today by default. */
        public VendorCommissionEarnings to(String value) {
            return put("to", value);
        }

        /**
         * groupBy. What the lines are summed by. Any of day, merchant, type, separated by commas, each once; default
         * day.
         */
        public VendorCommissionEarnings groupBy(String value) {
            return put("groupBy", value);
        }
    }

    /** Of POST /vendor/keys/{keyId}/end: End a key of the gateway. */
    public static final class VendorKeysEnd extends Fields<VendorKeysEnd> {
        /** keyId, required. The key's id, as its creation or the list answered it. */
        public VendorKeysEnd keyId(String value) {
            return put("keyId", value);
        }

        /** at. When it ends, at most 90 days ahead; absent: now. */
        public VendorKeysEnd at(String value) {
            return put("at", value);
        }
    }

    /** Of POST /vendor/clients/{clientId}/secrets: Create a secret of a program. */
    public static final class VendorClientsSecrets extends Fields<VendorClientsSecrets> {
        /** clientId, required. The program's client_id. */
        public VendorClientsSecrets clientId(String value) {
            return put("clientId", value);
        }

        /** formerEndsAt. When the present secret ends, at most 90 days ahead; absent: it is ended by a call. */
        public VendorClientsSecrets formerEndsAt(String value) {
            return put("formerEndsAt", value);
        }
    }

    /** Of POST /vendor/clients/{clientId}/secrets/{secretId}/end: End a secret of a program. */
    public static final class VendorClientsSecretsEnd extends Fields<VendorClientsSecretsEnd> {
        /** clientId, required. The program's client_id. */
        public VendorClientsSecretsEnd clientId(String value) {
            return put("clientId", value);
        }

        /** secretId, required. The secret's id, as its creation or the list answered it. */
        public VendorClientsSecretsEnd secretId(String value) {
            return put("secretId", value);
        }

        /** at. When it ends, at most 90 days ahead; absent: now. */
        public VendorClientsSecretsEnd at(String value) {
            return put("at", value);
        }
    }

    /** Of PUT /vendor/callback: Set where the vendor gets callbacks. */
    public static final class VendorCallbackUpdate extends Fields<VendorCallbackUpdate> {
        /** url, required. The receiver's address. An HTTPS address. */
        public VendorCallbackUpdate url(String value) {
            return put("url", value);
        }
    }

    /** Of POST /vendor/callback/secrets: Create a secret of the vendor's callbacks. */
    public static final class VendorCallbackSecrets extends Fields<VendorCallbackSecrets> {
        /** formerEndsAt. When the present secret ends, at most 90 days ahead; absent: it is ended by a call. */
        public VendorCallbackSecrets formerEndsAt(String value) {
            return put("formerEndsAt", value);
        }
    }

    /** Of POST /vendor/callback/secrets/{secretId}/end: End a secret of the vendor's callbacks. */
    public static final class VendorCallbackSecretsEnd extends Fields<VendorCallbackSecretsEnd> {
        /** secretId, required. The secret's id, as its creation or the list answered it. */
        public VendorCallbackSecretsEnd secretId(String value) {
            return put("secretId", value);
        }

        /** at. When it ends, at most 90 days ahead; absent: now. */
        public VendorCallbackSecretsEnd at(String value) {
            return put("at", value);
        }
    }

    /** Of GET /vendor/merchants/{merchantId}/callback: Where a merchant gets callbacks. */
    public static final class VendorMerchantsCallbackGet extends Fields<VendorMerchantsCallbackGet> {
        /** merchantId, required. One of the vendor's merchants. */
        public VendorMerchantsCallbackGet merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of PUT /vendor/merchants/{merchantId}/callback: Set where a merchant gets callbacks. */
    public static final class VendorMerchantsCallbackUpdate extends Fields<VendorMerchantsCallbackUpdate> {
        /** merchantId, required. One of the vendor's merchants. */
        public VendorMerchantsCallbackUpdate merchantId(String value) {
            return put("merchantId", value);
        }

        /** url, required. The receiver's address. An HTTPS address. */
        public VendorMerchantsCallbackUpdate url(String value) {
            return put("url", value);
        }
    }

    /** Of DELETE /vendor/merchants/{merchantId}/callback: Remove a merchant's endpoint. */
    public static final class VendorMerchantsCallbackDelete extends Fields<VendorMerchantsCallbackDelete> {
        /** merchantId, required. One of the vendor's merchants. */
        public VendorMerchantsCallbackDelete merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /vendor/merchants/{merchantId}/callback/secrets: Create a secret of a merchant's callbacks. */
    public static final class VendorMerchantsCallbackSecrets extends Fields<VendorMerchantsCallbackSecrets> {
        /** merchantId, required. One of the vendor's merchants. */
        public VendorMerchantsCallbackSecrets merchantId(String value) {
            return put("merchantId", value);
        }

        /** formerEndsAt. When the present secret ends, at most 90 days ahead; absent: it is ended by a call. */
        public VendorMerchantsCallbackSecrets formerEndsAt(String value) {
            return put("formerEndsAt", value);
        }
    }

    /** Of POST /vendor/merchants/{merchantId}/callback/secrets/{secretId}/end: End a secret of a merchant's callbacks. */
    public static final class VendorMerchantsCallbackSecretsEnd extends Fields<VendorMerchantsCallbackSecretsEnd> {
        /** merchantId, required. One of the vendor's merchants. */
        public VendorMerchantsCallbackSecretsEnd merchantId(String value) {
            return put("merchantId", value);
        }

        /** secretId, required. The secret's id, as its creation or the list answered it. */
        public VendorMerchantsCallbackSecretsEnd secretId(String value) {
            return put("secretId", value);
        }

        /** at. When it ends, at most 90 days ahead; absent: now. */
        public VendorMerchantsCallbackSecretsEnd at(String value) {
            return put("at", value);
        }
    }

    /** Of GET /vendor/callbacks: Callbacks to the vendor's merchants. */
    public static final class VendorCallbacksList extends Fields<VendorCallbacksList> {
        /** limit. How many on a page. Default 10; over 100 is served as 100, and pagination says so. */
        public VendorCallbacksList limit(Long value) {
            return put("limit", value);
        }

        /** merchant. Only of this merchant. */
        public VendorCallbacksList merchant(String value) {
            return put("merchant", value);
        }

        /** after. The next of the page before; absent: the first page. */
        public VendorCallbacksList after(String value) {
            return put("after", value);
        }

        /** status. The state of the callback. */
        public VendorCallbacksList status(String value) {
            return put("status", value);
        }

        /** from. The first Indian day; by default the report has 30 days. */
        public VendorCallbacksList from(String value) {
            return put("from", value);
        }

        /** to. The last Indian day, included; today by default. */
        public VendorCallbacksList to(String value) {
            return put("to", value);
        }
    }

    /** Of GET /vendor/callbacks/{operationId}: One callback with its attempts. */
    public static final class VendorCallbacksGet extends Fields<VendorCallbacksGet> {
        /** operationId, required. The operation that the callback is about. */
        public VendorCallbacksGet operationId(String value) {
            return put("operationId", value);
        }
    }

    /** Of POST /vendor/callbacks/{operationId}/resend: Send a callback again. */
    public static final class VendorCallbacksResend extends Fields<VendorCallbacksResend> {
        /** operationId, required. The operation that the callback is about. */
        public VendorCallbacksResend operationId(String value) {
            return put("operationId", value);
        }
    }

    /** Of GET /vendor/operations: Operations of the vendor's merchants. */
    public static final class VendorOperations extends Fields<VendorOperations> {
        /** limit. How many on a page. Default 10; over 100 is served as 100, and pagination says so. */
        public VendorOperations limit(Long value) {
            return put("limit", value);
        }

        /** merchant. Only of this merchant. */
        public VendorOperations merchant(String value) {
            return put("merchant", value);
        }

        /** after. The next of the page before; absent: the first page. */
        public VendorOperations after(String value) {
            return put("after", value);
        }

        /** status. Only of this state. */
        public VendorOperations status(String value) {
            return put("status", value);
        }

        /** type. Only of this kind. */
        public VendorOperations type(String value) {
            return put("type", value);
        }

        /** from. The first Indian day; by default the report has 30 days. */
        public VendorOperations from(String value) {
            return put("from", value);
        }

        /** to. The last Indian day, included; today by default. */
        public VendorOperations to(String value) {
            return put("to", value);
        }

        /** format. The form of the reply; json where it is absent. csv is for the direct routes. */
        public VendorOperations format(String value) {
            return put("format", value);
        }
    }

    /** Of POST /terminals: Make an enrolment code. */
    public static final class TerminalsCreate extends Fields<TerminalsCreate> {
        /** name. A name for the caller's own records. */
        public TerminalsCreate name(String value) {
            return put("name", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public TerminalsCreate merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of GET /terminals: The merchant's terminals. */
    public static final class TerminalsList extends Fields<TerminalsList> {
        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public TerminalsList merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of DELETE /terminals/{id}: Revoke a terminal. */
    public static final class TerminalsDelete extends Fields<TerminalsDelete> {
        /** id, required. The terminal's id. */
        public TerminalsDelete id(String value) {
            return put("id", value);
        }

        /**
         * merchantId. The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body
         * says.
         */
        public TerminalsDelete merchantId(String value) {
            return put("merchantId", value);
        }
    }

    /** Of POST /terminals/enrol: Enrol a terminal. */
    public static final class TerminalsEnrol extends Fields<TerminalsEnrol> {
        /** code, required. The one-time enrolment code; it is the credential. */
        public TerminalsEnrol code(String value) {
            return put("code", value);
        }

        /** publicKey, required. The terminal's own public key. An Ed25519 public key, 32 bytes in base64. */
        public TerminalsEnrol publicKey(String value) {
            return put("publicKey", value);
        }

        /** name, required. The terminal's name. */
        public TerminalsEnrol name(String value) {
            return put("name", value);
        }
    }

    /** Of GET /operations/{id}: The state of an operation. */
    public static final class OperationsGet extends Fields<OperationsGet> {
        /** id, required. The operation's id, or its Idempotency-Key or X-Request-Id. */
        public OperationsGet id(String value) {
            return put("id", value);
        }
    }
}
