// Written by deploy/sdk/generate from the OpenAPI document; do not edit.

package example.galla;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** The objects of replies. A component is null where a reply has it not; amounts are rupees. */
public final class Data {
    private Data() {}

    /**
     * An object of replies.
     *
     * @param merchantId merchantId
     * @param service service
     */
    public record AepsInitializeReply(String merchantId, String service) {
        static AepsInitializeReply from(Map<?, ?> m) {
            return new AepsInitializeReply(
                Read.text(m, "merchantId"),
                Read.text(m, "service"));
        }
    }

    /**
     * An object of replies.
     *
     * @param responseCode 00: approved. Anything else: not.
     * @param responseStatus The bank's words.
     * @param stan System trace number.
     * @param balance Rupees after the withdrawal, two decimals; where the bank gave it.
     * @param retailerReferenceNumber Our name for the transaction.
     * @param referenceNo The bank's retrieval reference number; of every success.
     * @param authCode The issuer's approval code; of every success.
     * @param aadharNo Masked: only the last four digits.
     * @param txnStatus txnStatus
     * @param ministatement One string; one line for each transaction and no other line, separated by newlines. Banks
     * send as many as they like: do not read it by position.
     */
    public record AepsRequeryData(String responseCode, String responseStatus, String stan, String balance, String retailerReferenceNumber, String referenceNo, String authCode, String aadharNo, String txnStatus, String ministatement) {
        static AepsRequeryData from(Map<?, ?> m) {
            return new AepsRequeryData(
                Read.text(m, "ResponseCode"),
                Read.text(m, "ResponseStatus"),
                Read.text(m, "STAN"),
                Read.text(m, "Balance"),
                Read.text(m, "RetailerReferenceNumber"),
                Read.text(m, "ReferenceNo"),
                Read.text(m, "AuthCode"),
                Read.text(m, "AadharNo"),
                Read.text(m, "txnStatus"),
                Read.text(m, "Ministatement"));
        }

        @Override
        public String toString() {
            return "AepsRequeryData[" + "responseCode=" + responseCode + ", " + "responseStatus=" + responseStatus + ", " + "stan=" + stan + ", " + "balance=" + balance + ", " + "retailerReferenceNumber=" + retailerReferenceNumber + ", " + "referenceNo=" + referenceNo + ", " + "authCode=" + authCode + ", " + "aadharNo=" + "***" + ", " + "txnStatus=" + txnStatus + ", " + "ministatement=" + ministatement + "]";
        }
    }

    /**
     * An object of replies.
     *
     * @param agentId agentId
     * @param name name
     * @param mobile mobile
     * @param shopName shopName
     * @param status status
     * @param more members that this record does not know
     */
    public record Agent(String agentId, String name, String mobile, String shopName, String status, Map<String, Object> more) {
        static Agent from(Map<?, ?> m) {
            return new Agent(
                Read.text(m, "agentId"),
                Read.text(m, "name"),
                Read.text(m, "mobile"),
                Read.text(m, "shopName"),
                Read.text(m, "status"),
                Read.more(m, "agentId", "name", "mobile", "shopName", "status"));
        }
    }

    /**
     * An object of replies.
     *
     * @param responseCode 00: authenticated. Anything else: not.
     * @param responseStatus The bank's words.
     * @param stan System trace number.
     */
    public record AgentAuthentication(String responseCode, String responseStatus, String stan) {
        static AgentAuthentication from(Map<?, ?> m) {
            return new AgentAuthentication(
                Read.text(m, "ResponseCode"),
                Read.text(m, "ResponseStatus"),
                Read.text(m, "STAN"));
        }
    }

    /**
     * An object of replies.
     *
     * @param authenticated authenticated
     * @param tid The terminal at the bank network.
     * @param authenticatedAt Absent where no session is active.
     * @param expiresAt 24 hours later. Absent where no session is active.
     */
    public record AgentSession(Boolean authenticated, String tid, String authenticatedAt, String expiresAt) {
        static AgentSession from(Map<?, ?> m) {
            return new AgentSession(
                Read.bool(m, "authenticated"),
                Read.text(m, "tid"),
                Read.text(m, "authenticatedAt"),
                Read.text(m, "expiresAt"));
        }
    }

    /**
     * An object of replies.
     *
     * @param responseCode 00: approved. Anything else: not.
     * @param responseStatus The bank's words.
     * @param stan System trace number.
     * @param balance Rupees, two decimals.
     * @param retailerReferenceNumber Our name for the transaction.
     * @param aadharNo Masked: only the last four digits.
     * @param txnStatus txnStatus
     */
    public record Balance(String responseCode, String responseStatus, String stan, String balance, String retailerReferenceNumber, String aadharNo, String txnStatus) {
        static Balance from(Map<?, ?> m) {
            return new Balance(
                Read.text(m, "ResponseCode"),
                Read.text(m, "ResponseStatus"),
                Read.text(m, "STAN"),
                Read.text(m, "Balance"),
                Read.text(m, "RetailerReferenceNumber"),
                Read.text(m, "AadharNo"),
                Read.text(m, "txnStatus"));
        }

        @Override
        public String toString() {
            return "Balance[" + "responseCode=" + responseCode + ", " + "responseStatus=" + responseStatus + ", " + "stan=" + stan + ", " + "balance=" + balance + ", " + "retailerReferenceNumber=" + retailerReferenceNumber + ", " + "aadharNo=" + "***" + ", " + "txnStatus=" + txnStatus + "]";
        }
    }

    /**
     * An object of replies.
     *
     * @param iin iin
     * @param bankName bankName
     */
    public record Bank(String iin, String bankName) {
        static Bank from(Map<?, ?> m) {
            return new Bank(
                Read.text(m, "iin"),
                Read.text(m, "bankName"));
        }
    }

    /**
     * An object of replies.
     *
     * @param beneficiaryid beneficiaryid
     * @param beneficiaryname beneficiaryname
     * @param beneficiarymobilenumber beneficiarymobilenumber
     * @param beneficiaryemailid beneficiaryemailid
     * @param bank bank
     * @param state state
     * @param city city
     * @param branch branch
     * @param address address
     * @param ifscode ifscode
     * @param accountnumber Leading zeros are lost in it: see accountnumberText.
     * @param accountnumberText The account number with its leading zeros.
     * @param beneficiarystatus 1 usable, 0 awaiting verification, 2 blocked.
     * @param impsstatus impsstatus
     * @param more members that this record does not know
     */
    public record Beneficiary(Long beneficiaryid, String beneficiaryname, Long beneficiarymobilenumber, String beneficiaryemailid, String bank, String state, String city, String branch, String address, String ifscode, Long accountnumber, String accountnumberText, Long beneficiarystatus, Long impsstatus, Map<String, Object> more) {
        static Beneficiary from(Map<?, ?> m) {
            return new Beneficiary(
                Read.integer(m, "beneficiaryid"),
                Read.text(m, "beneficiaryname"),
                Read.integer(m, "beneficiarymobilenumber"),
                Read.text(m, "beneficiaryemailid"),
                Read.text(m, "bank"),
                Read.text(m, "state"),
                Read.text(m, "city"),
                Read.text(m, "branch"),
                Read.text(m, "address"),
                Read.text(m, "ifscode"),
                Read.integer(m, "accountnumber"),
                Read.text(m, "accountnumberText"),
                Read.integer(m, "beneficiarystatus"),
                Read.integer(m, "impsstatus"),
                Read.more(m, "beneficiaryid", "beneficiaryname", "beneficiarymobilenumber", "beneficiaryemailid", "bank", "state", "city", "branch", "address", "ifscode", "accountnumber", "accountnumberText", "beneficiarystatus", "impsstatus"));
        }
    }

    /**
     * Present if configured.
     *
     * @param url url
     * @param events events
     */
    public record Callback(String url, List<String> events) {
        static Callback from(Map<?, ?> m) {
            return new Callback(
                Read.text(m, "url"),
                Read.texts(m, "events"));
        }
    }

    /**
     * An object of replies.
     *
     * @param number number
     * @param at at
     * @param http http
     * @param detail detail
     * @param result result
     */
    public record CallbackAttempt(Long number, String at, Long http, String detail, String result) {
        static CallbackAttempt from(Map<?, ?> m) {
            return new CallbackAttempt(
                Read.integer(m, "number"),
                Read.text(m, "at"),
                Read.integer(m, "http"),
                Read.text(m, "detail"),
                Read.text(m, "result"));
        }
    }

    /**
     * An object of replies.
     *
     * @param operationId operationId
     * @param merchantId merchantId
     * @param receiver Whose endpoint gets it.
     * @param event event
     * @param state state
     * @param createdAt The end of the operation.
     * @param attempts attempts
     * @param triedAt The last attempt; absent: none.
     * @param http The receiver's status at the last attempt; absent: no answer.
     * @param detail The result of the last attempt, for people.
     * @param nextAt The next attempt; absent: there is none.
     * @param endedAt When it was delivered or given up.
     * @param log Only of one callback: its attempts, oldest first.
     */
    public record CallbackDelivery(String operationId, String merchantId, String receiver, String event, String state, String createdAt, Long attempts, String triedAt, Long http, String detail, String nextAt, String endedAt, List<CallbackAttempt> log) {
        static CallbackDelivery from(Map<?, ?> m) {
            return new CallbackDelivery(
                Read.text(m, "operationId"),
                Read.text(m, "merchantId"),
                Read.text(m, "receiver"),
                Read.text(m, "event"),
                Read.text(m, "state"),
                Read.text(m, "createdAt"),
                Read.integer(m, "attempts"),
                Read.text(m, "triedAt"),
                Read.integer(m, "http"),
                Read.text(m, "detail"),
                Read.text(m, "nextAt"),
                Read.text(m, "endedAt"),
                Read.objects(m, "log", CallbackAttempt::from));
        }
    }

    /**
     * An object of replies.
     *
     * @param url Empty: there is none.
     * @param events events
     * @param disabledAt When the receiver answered 410 Gone; absent: it is enabled.
     * @param secrets The live ones, oldest first.
     */
    public record CallbackEndpoint(String url, List<String> events, String disabledAt, List<Secret> secrets) {
        static CallbackEndpoint from(Map<?, ?> m) {
            return new CallbackEndpoint(
                Read.text(m, "url"),
                Read.texts(m, "events"),
                Read.text(m, "disabledAt"),
                Read.objects(m, "secrets", Secret::from));
        }
    }

    /**
     * An object of replies.
     *
     * @param charge Rupees that the customer pays for the transfer, GST included.
     * @param totalAmount Amount and charge.
     * @param gst The tax in the charge.
     * @param commission commission
     * @param more members that this record does not know
     */
    public record Charges(BigDecimal charge, BigDecimal totalAmount, BigDecimal gst, BigDecimal commission, Map<String, Object> more) {
        static Charges from(Map<?, ?> m) {
            return new Charges(
                Read.number(m, "charge"),
                Read.number(m, "totalAmount"),
                Read.number(m, "gst"),
                Read.number(m, "commission"),
                Read.more(m, "charge", "totalAmount", "gst", "commission"));
        }
    }

    /**
     * An object of replies.
     *
     * @param referenceid referenceid
     * @param name name
     * @param mobileNo mobile_no
     * @param emailId email_id
     * @param city city
     * @param state state
     * @param kycVerified kyc_verified
     * @param aadhaarMasked Only the last four digits.
     * @param more members that this record does not know
     */
    public record Customer(String referenceid, String name, String mobileNo, String emailId, String city, String state, Boolean kycVerified, String aadhaarMasked, Map<String, Object> more) {
        static Customer from(Map<?, ?> m) {
            return new Customer(
                Read.text(m, "referenceid"),
                Read.text(m, "name"),
                Read.text(m, "mobile_no"),
                Read.text(m, "email_id"),
                Read.text(m, "city"),
                Read.text(m, "state"),
                Read.bool(m, "kyc_verified"),
                Read.text(m, "aadhaar_masked"),
                Read.more(m, "referenceid", "name", "mobile_no", "email_id", "city", "state", "kyc_verified", "aadhaar_masked"));
        }
    }

    /**
     * An object of replies.
     *
     * @param beneficiaryid beneficiaryid
     * @param more members that this record does not know
     */
    public record DmtBeneficiaryAddData(Long beneficiaryid, Map<String, Object> more) {
        static DmtBeneficiaryAddData from(Map<?, ?> m) {
            return new DmtBeneficiaryAddData(
                Read.integer(m, "beneficiaryid"),
                Read.more(m, "beneficiaryid"));
        }
    }

    /**
     * An object of replies.
     *
     * @param sessionId sessionId
     * @param expiresAt expiresAt
     * @param more members that this record does not know
     */
    public record DmtLoginData(String sessionId, String expiresAt, Map<String, Object> more) {
        static DmtLoginData from(Map<?, ?> m) {
            return new DmtLoginData(
                Read.text(m, "sessionId"),
                Read.text(m, "expiresAt"),
                Read.more(m, "sessionId", "expiresAt"));
        }
    }

    /**
     * An object of replies.
     *
     * @param refundId refundId
     * @param amount Rupees.
     * @param rrn The bank's reference; absent while it is missing.
     * @param transactionId Names the transfer from the first moment on; for refunds.
     * @param status status
     */
    public record DmtRefundData(String refundId, BigDecimal amount, String rrn, String transactionId, String status) {
        static DmtRefundData from(Map<?, ?> m) {
            return new DmtRefundData(
                Read.text(m, "refundId"),
                Read.number(m, "amount"),
                Read.text(m, "rrn"),
                Read.text(m, "transactionId"),
                Read.text(m, "status"));
        }
    }

    /**
     * An object of replies.
     *
     * @param senderid senderid
     * @param registrationFeeCharged Rupees.
     * @param more members that this record does not know
     */
    public record DmtRemitterRegisterData(String senderid, BigDecimal registrationFeeCharged, Map<String, Object> more) {
        static DmtRemitterRegisterData from(Map<?, ?> m) {
            return new DmtRemitterRegisterData(
                Read.text(m, "senderid"),
                Read.number(m, "registrationFeeCharged"),
                Read.more(m, "senderid", "registrationFeeCharged"));
        }
    }

    /**
     * An object of replies.
     *
     * @param balance Rupees.
     * @param more members that this record does not know
     */
    public record DmtTransactionBalanceData(BigDecimal balance, Map<String, Object> more) {
        static DmtTransactionBalanceData from(Map<?, ?> m) {
            return new DmtTransactionBalanceData(
                Read.number(m, "balance"),
                Read.more(m, "balance"));
        }
    }

    /**
     * An object of replies.
     *
     * @param day Where grouped by day.
     * @param merchantId Where grouped by merchant.
     * @param paymentMethod Where grouped by type.
     * @param provider Where grouped by type.
     * @param txnType Where grouped by type.
     * @param count Operations that earned, less those that were reversed.
     * @param reversed reversed
     * @param volume Amounts of the operations, in rupees as all that follow.
     * @param charge What customers paid for them, GST included.
     * @param gst gst
     * @param providerCost providerCost
     * @param commission commission
     * @param tds Tax deducted at source of the commission.
     * @param net Commission less tds.
     */
    public record Earning(String day, String merchantId, String paymentMethod, String provider, String txnType, Long count, Long reversed, BigDecimal volume, BigDecimal charge, BigDecimal gst, BigDecimal providerCost, BigDecimal commission, BigDecimal tds, BigDecimal net) {
        static Earning from(Map<?, ?> m) {
            return new Earning(
                Read.text(m, "day"),
                Read.text(m, "merchantId"),
                Read.text(m, "paymentMethod"),
                Read.text(m, "provider"),
                Read.text(m, "txnType"),
                Read.integer(m, "count"),
                Read.integer(m, "reversed"),
                Read.number(m, "volume"),
                Read.number(m, "charge"),
                Read.number(m, "gst"),
                Read.number(m, "providerCost"),
                Read.number(m, "commission"),
                Read.number(m, "tds"),
                Read.number(m, "net"));
        }
    }

    /**
     * An object of replies.
     *
     * @param count count
     * @param reversed reversed
     * @param volume volume
     * @param charge charge
     * @param gst gst
     * @param providerCost providerCost
     * @param commission commission
     * @param tds tds
     * @param net net
     */
    public record EarningTotals(Long count, Long reversed, BigDecimal volume, BigDecimal charge, BigDecimal gst, BigDecimal providerCost, BigDecimal commission, BigDecimal tds, BigDecimal net) {
        static EarningTotals from(Map<?, ?> m) {
            return new EarningTotals(
                Read.integer(m, "count"),
                Read.integer(m, "reversed"),
                Read.number(m, "volume"),
                Read.number(m, "charge"),
                Read.number(m, "gst"),
                Read.number(m, "providerCost"),
                Read.number(m, "commission"),
                Read.number(m, "tds"),
                Read.number(m, "net"));
        }
    }

    /**
     * An object of replies.
     *
     * @param from from
     * @param to to
     * @param groupBy groupBy
     * @param earnings earnings
     * @param totals totals
     */
    public record EarningsReport(String from, String to, List<String> groupBy, List<Earning> earnings, EarningTotals totals) {
        static EarningsReport from(Map<?, ?> m) {
            return new EarningsReport(
                Read.text(m, "from"),
                Read.text(m, "to"),
                Read.texts(m, "groupBy"),
                Read.objects(m, "earnings", Earning::from),
                Read.object(m, "totals", EarningTotals::from));
        }
    }

    /**
     * An object of replies.
     *
     * @param terminalId terminalId
     * @param merchantId merchantId
     * @param tid The terminal at the bank network.
     * @param merchantName merchantName
     * @param mid The merchant at the bank network.
     * @param uplink The websocket that the terminal connects to.
     * @param audience What its tokens must name.
     */
    public record EnrolledTerminal(String terminalId, String merchantId, String tid, String merchantName, String mid, String uplink, String audience) {
        static EnrolledTerminal from(Map<?, ?> m) {
            return new EnrolledTerminal(
                Read.text(m, "terminalId"),
                Read.text(m, "merchantId"),
                Read.text(m, "tid"),
                Read.text(m, "merchantName"),
                Read.text(m, "mid"),
                Read.text(m, "uplink"),
                Read.text(m, "audience"));
        }
    }

    /**
     * An object of replies.
     *
     * @param referenceid Every later step of the onboarding needs it.
     * @param status The network's word on how far it is.
     * @param more members that this record does not know
     */
    public record Enrolment(String referenceid, String status, Map<String, Object> more) {
        static Enrolment from(Map<?, ?> m) {
            return new Enrolment(
                Read.text(m, "referenceid"),
                Read.text(m, "status"),
                Read.more(m, "referenceid", "status"));
        }
    }

    /**
     * An object of replies.
     *
     * @param code code
     * @param expiresAt 15 minutes after it was made.
     */
    public record EnrolmentCode(String code, String expiresAt) {
        static EnrolmentCode from(Map<?, ?> m) {
            return new EnrolmentCode(
                Read.text(m, "code"),
                Read.text(m, "expiresAt"));
        }

        @Override
        public String toString() {
            return "EnrolmentCode[" + "code=" + "***" + ", " + "expiresAt=" + expiresAt + "]";
        }
    }

    /**
     * An object of replies.
     *
     * @param id The operation, as GET /operations/{id} takes it.
     * @param merchantId The merchant of the operation.
     * @param route The request that created it, such as POST /aeps/withdrawal.
     * @param reference Our reference, GL…
     * @param pendingReference The reference of the pending reply, AEPS-NR-… or DMT-NR-…
     * @param callerReference Your own reference in the body: clientRefId or refId.
     * @param idempotencyKey The Idempotency-Key of the request, if it had one and was the receiver's own.
     * @param amount Rupees, as a text with two decimals.
     * @param txnStatus SUCCESS, FAILED or REVERSED.
     * @param responseCode The bank's code; 00 if and only if it succeeded.
     * @param rrn The bank's retrieval reference number.
     * @param finishedAt When the operation ended, ISO 8601 in UTC.
     */
    public record FinishedOperation(String id, String merchantId, String route, String reference, String pendingReference, String callerReference, String idempotencyKey, String amount, String txnStatus, String responseCode, String rrn, String finishedAt) {
        static FinishedOperation from(Map<?, ?> m) {
            return new FinishedOperation(
                Read.text(m, "id"),
                Read.text(m, "merchantId"),
                Read.text(m, "route"),
                Read.text(m, "reference"),
                Read.text(m, "pendingReference"),
                Read.text(m, "callerReference"),
                Read.text(m, "idempotencyKey"),
                Read.text(m, "amount"),
                Read.text(m, "txnStatus"),
                Read.text(m, "ResponseCode"),
                Read.text(m, "RRN"),
                Read.text(m, "finishedAt"));
        }
    }

    /**
     * An object of replies.
     *
     * @param kinds The kinds of transactions that it bounds, each by itself.
     * @param scope scope
     * @param min Rupees; 0: no bound. So are max, step and sum.
     * @param max max
     * @param step The amount must be a multiple of it.
     * @param count How many in the scope's time; 0: no bound.
     * @param sum How much in the scope's time.
     * @param from The first day in force; empty: always.
     * @param until The first day no longer in force; empty: none.
     */
    public record Limit(List<String> kinds, String scope, BigDecimal min, BigDecimal max, BigDecimal step, Long count, BigDecimal sum, String from, String until) {
        static Limit from(Map<?, ?> m) {
            return new Limit(
                Read.texts(m, "kinds"),
                Read.text(m, "scope"),
                Read.number(m, "min"),
                Read.number(m, "max"),
                Read.number(m, "step"),
                Read.integer(m, "count"),
                Read.number(m, "sum"),
                Read.text(m, "from"),
                Read.text(m, "until"));
        }
    }

    /**
     * An object of replies.
     *
     * @param id id
     * @param mid The merchant at the bank network.
     * @param appid appid
     * @param legalName legal_name
     * @param mstatus mstatus
     * @param status status
     * @param riskflag riskflag
     * @param createdAt createdAt
     * @param settlementAccount settlementAccount
     * @param callback callback
     */
    public record Merchant(String id, String mid, String appid, String legalName, String mstatus, Boolean status, Long riskflag, String createdAt, SettlementAccount settlementAccount, Callback callback) {
        static Merchant from(Map<?, ?> m) {
            return new Merchant(
                Read.text(m, "id"),
                Read.text(m, "mid"),
                Read.text(m, "appid"),
                Read.text(m, "legal_name"),
                Read.text(m, "mstatus"),
                Read.bool(m, "status"),
                Read.integer(m, "riskflag"),
                Read.text(m, "createdAt"),
                Read.object(m, "settlementAccount", SettlementAccount::from),
                Read.object(m, "callback", Callback::from));
        }
    }

    /**
     * An object of replies.
     *
     * @param kinds The kinds of transactions that it bounds, each by itself.
     * @param scope scope
     * @param min Rupees; 0: no bound. So are max, step and sum.
     * @param max max
     * @param step The amount must be a multiple of it.
     * @param count How many in the scope's time; 0: no bound.
     * @param sum How much in the scope's time.
     * @param from The first day in force; empty: always.
     * @param until The first day no longer in force; empty: none.
     */
    public record MerchantLimit(List<String> kinds, String scope, BigDecimal min, BigDecimal max, BigDecimal step, Long count, BigDecimal sum, String from, String until) {
        static MerchantLimit from(Map<?, ?> m) {
            return new MerchantLimit(
                Read.texts(m, "kinds"),
                Read.text(m, "scope"),
                Read.number(m, "min"),
                Read.number(m, "max"),
                Read.number(m, "step"),
                Read.integer(m, "count"),
                Read.number(m, "sum"),
                Read.text(m, "from"),
                Read.text(m, "until"));
        }
    }

    /**
     * An object of replies.
     *
     * @param responseCode 00: approved. Anything else: not.
     * @param responseStatus The bank's words.
     * @param stan System trace number.
     * @param ministatement One string; one line for each transaction and no other line, separated by newlines. Banks
     * send as many as they like: do not read it by position.
     * @param aadharNo Masked: only the last four digits.
     * @param txnStatus txnStatus
     */
    public record MiniStatement(String responseCode, String responseStatus, String stan, String ministatement, String aadharNo, String txnStatus) {
        static MiniStatement from(Map<?, ?> m) {
            return new MiniStatement(
                Read.text(m, "ResponseCode"),
                Read.text(m, "ResponseStatus"),
                Read.text(m, "STAN"),
                Read.text(m, "Ministatement"),
                Read.text(m, "AadharNo"),
                Read.text(m, "txnStatus"));
        }

        @Override
        public String toString() {
            return "MiniStatement[" + "responseCode=" + responseCode + ", " + "responseStatus=" + responseStatus + ", " + "stan=" + stan + ", " + "ministatement=" + ministatement + ", " + "aadharNo=" + "***" + ", " + "txnStatus=" + txnStatus + "]";
        }
    }

    /**
     * An object of replies.
     *
     * @param id id
     * @param secret As Standard Webhooks writes it: whsec_ and base64.
     */
    public record NewCallbackSecret(String id, String secret) {
        static NewCallbackSecret from(Map<?, ?> m) {
            return new NewCallbackSecret(
                Read.text(m, "id"),
                Read.text(m, "secret"));
        }

        @Override
        public String toString() {
            return "NewCallbackSecret[" + "id=" + id + ", " + "secret=" + "***" + "]";
        }
    }

    /**
     * An object of replies.
     *
     * @param id id
     * @param clientId client_id
     * @param clientSecret client_secret
     */
    public record NewClientSecret(String id, String clientId, String clientSecret) {
        static NewClientSecret from(Map<?, ?> m) {
            return new NewClientSecret(
                Read.text(m, "id"),
                Read.text(m, "client_id"),
                Read.text(m, "client_secret"));
        }

        @Override
        public String toString() {
            return "NewClientSecret[" + "id=" + id + ", " + "clientId=" + clientId + ", " + "clientSecret=" + "***" + "]";
        }
    }

    /**
     * An object of replies.
     *
     * @param id id
     * @param apiKey What X-Client-Id takes.
     * @param key The 32 bytes of the AES key, in base64.
     */
    public record NewVendorKey(String id, String apiKey, String key) {
        static NewVendorKey from(Map<?, ?> m) {
            return new NewVendorKey(
                Read.text(m, "id"),
                Read.text(m, "apiKey"),
                Read.text(m, "key"));
        }

        @Override
        public String toString() {
            return "NewVendorKey[" + "id=" + id + ", " + "apiKey=" + apiKey + ", " + "key=" + "***" + "]";
        }
    }

    /**
     * An object of replies.
     *
     * @param otpreqid Names the OTP, for validate_otp.
     * @param more members that this record does not know
     */
    public record OTPRequest(String otpreqid, Map<String, Object> more) {
        static OTPRequest from(Map<?, ?> m) {
            return new OTPRequest(
                Read.text(m, "otpreqid"),
                Read.more(m, "otpreqid"));
        }
    }

    /**
     * An object of replies.
     *
     * @param agentId agentId
     * @param status status
     * @param more members that this record does not know
     */
    public record OnboardingDmtBcAgentInitializeData(String agentId, String status, Map<String, Object> more) {
        static OnboardingDmtBcAgentInitializeData from(Map<?, ?> m) {
            return new OnboardingDmtBcAgentInitializeData(
                Read.text(m, "agentId"),
                Read.text(m, "status"),
                Read.more(m, "agentId", "status"));
        }
    }

    /**
     * An object of replies.
     *
     * @param agentId agentId
     * @param status status
     * @param more members that this record does not know
     */
    public record OnboardingDmtBcAgentRegistorData(String agentId, String status, Map<String, Object> more) {
        static OnboardingDmtBcAgentRegistorData from(Map<?, ?> m) {
            return new OnboardingDmtBcAgentRegistorData(
                Read.text(m, "agentId"),
                Read.text(m, "status"),
                Read.more(m, "agentId", "status"));
        }
    }

    /**
     * An object of replies.
     *
     * @param bcId bcId
     * @param status status
     * @param more members that this record does not know
     */
    public record OnboardingDmtBcRegistorData(String bcId, String status, Map<String, Object> more) {
        static OnboardingDmtBcRegistorData from(Map<?, ?> m) {
            return new OnboardingDmtBcRegistorData(
                Read.text(m, "bcId"),
                Read.text(m, "status"),
                Read.more(m, "bcId", "status"));
        }
    }

    /**
     * An object of replies.
     *
     * @param id id
     * @param route Method and path of the request.
     * @param status status
     * @param reference reference
     * @param pendingReference pendingReference
     * @param stan stan
     * @param amount Rupees, two decimals.
     * @param responseCode responseCode
     * @param rrn rrn
     * @param createdAt createdAt
     * @param sentAt sentAt
     * @param finishedAt finishedAt
     */
    public record Operation(String id, String route, String status, String reference, String pendingReference, String stan, String amount, String responseCode, String rrn, String createdAt, String sentAt, String finishedAt) {
        static Operation from(Map<?, ?> m) {
            return new Operation(
                Read.text(m, "id"),
                Read.text(m, "route"),
                Read.text(m, "status"),
                Read.text(m, "reference"),
                Read.text(m, "pendingReference"),
                Read.text(m, "stan"),
                Read.text(m, "amount"),
                Read.text(m, "responseCode"),
                Read.text(m, "rrn"),
                Read.text(m, "createdAt"),
                Read.text(m, "sentAt"),
                Read.text(m, "finishedAt"));
        }
    }

    /**
     * An object of replies.
     *
     * @param page page
     * @param limit limit
     * @param total total
     * @param totalPages totalPages
     */
    public record Pagination(Long page, Long limit, Long total, Long totalPages) {
        static Pagination from(Map<?, ?> m) {
            return new Pagination(
                Read.integer(m, "page"),
                Read.integer(m, "limit"),
                Read.integer(m, "total"),
                Read.integer(m, "totalPages"));
        }
    }

    /**
     * The bank network's own object, as it came.
     *
     * @param status The network's word on how far it is.
     * @param more members that this record does not know
     */
    public record Progress(String status, Map<String, Object> more) {
        static Progress from(Map<?, ?> m) {
            return new Progress(
                Read.text(m, "status"),
                Read.more(m, "status"));
        }
    }

    /**
     * An object of replies.
     *
     * @param responseCode 00: approved. Anything else: not.
     * @param responseStatus The bank's words.
     * @param stan System trace number.
     * @param retailerReferenceNumber Our name for the transaction.
     * @param referenceNo The bank's retrieval reference number; of every success.
     * @param authCode The issuer's approval code; of every success.
     * @param aadharNo Masked: only the last four digits.
     * @param txnStatus txnStatus
     */
    public record Purchase(String responseCode, String responseStatus, String stan, String retailerReferenceNumber, String referenceNo, String authCode, String aadharNo, String txnStatus) {
        static Purchase from(Map<?, ?> m) {
            return new Purchase(
                Read.text(m, "ResponseCode"),
                Read.text(m, "ResponseStatus"),
                Read.text(m, "STAN"),
                Read.text(m, "RetailerReferenceNumber"),
                Read.text(m, "ReferenceNo"),
                Read.text(m, "AuthCode"),
                Read.text(m, "AadharNo"),
                Read.text(m, "txnStatus"));
        }

        @Override
        public String toString() {
            return "Purchase[" + "responseCode=" + responseCode + ", " + "responseStatus=" + responseStatus + ", " + "stan=" + stan + ", " + "retailerReferenceNumber=" + retailerReferenceNumber + ", " + "referenceNo=" + referenceNo + ", " + "authCode=" + authCode + ", " + "aadharNo=" + "***" + ", " + "txnStatus=" + txnStatus + "]";
        }
    }

    /**
     * An object of replies.
     *
     * @param type type
     * @param upiLink An NPCI UPI link.
     * @param image A QR code of the link, as a PNG.
     * @param orderId order_id
     * @param amount Rupees; 0 in a static code.
     * @param vpa The UPI address that is paid.
     * @param payeeName payeeName
     */
    public record QRCode(String type, String upiLink, String image, String orderId, BigDecimal amount, String vpa, String payeeName) {
        static QRCode from(Map<?, ?> m) {
            return new QRCode(
                Read.text(m, "type"),
                Read.text(m, "upiLink"),
                Read.text(m, "image"),
                Read.text(m, "order_id"),
                Read.number(m, "amount"),
                Read.text(m, "vpa"),
                Read.text(m, "payeeName"));
        }
    }

    /**
     * An object of replies.
     *
     * @param id id
     * @param type CASH_WITHDRAWAL, BALANCE_ENQUIRY, MINI_STATEMENT, PURCHASE, AGENT_AUTHENTICATION, TRANSFER or
     * REFUND.
     * @param amount Rupees.
     * @param status status
     * @param reference Our name for it: RetailerReferenceNumber, transactionId, refundId.
     * @param createdAt createdAt
     */
    public record RecentTransaction(String id, String type, BigDecimal amount, String status, String reference, String createdAt) {
        static RecentTransaction from(Map<?, ?> m) {
            return new RecentTransaction(
                Read.text(m, "id"),
                Read.text(m, "type"),
                Read.number(m, "amount"),
                Read.text(m, "status"),
                Read.text(m, "reference"),
                Read.text(m, "createdAt"));
        }
    }

    /**
     * An object of replies.
     *
     * @param refundId refundId
     * @param amount Rupees.
     */
    public record RefundReceipt(String refundId, BigDecimal amount) {
        static RefundReceipt from(Map<?, ?> m) {
            return new RefundReceipt(
                Read.text(m, "refundId"),
                Read.number(m, "amount"));
        }
    }

    /**
     * An object of replies.
     *
     * @param senderId senderId
     * @param status status
     * @param remitter remitter
     * @param transactionDone TransactionDone
     * @param aviableLimit Rupees that can be sent now.
     * @param aviabledayLimit The day's ceiling in rupees.
     * @param monthLimit The month's ceiling in rupees.
     * @param aviableMonthLimit Rupees that are left of the month's ceiling.
     * @param beneficiarydetail beneficiarydetail
     * @param more members that this record does not know
     */
    public record Remitter(String senderId, Boolean status, Boolean remitter, Long transactionDone, BigDecimal aviableLimit, BigDecimal aviabledayLimit, BigDecimal monthLimit, BigDecimal aviableMonthLimit, List<Beneficiary> beneficiarydetail, Map<String, Object> more) {
        static Remitter from(Map<?, ?> m) {
            return new Remitter(
                Read.text(m, "senderId"),
                Read.bool(m, "status"),
                Read.bool(m, "remitter"),
                Read.integer(m, "TransactionDone"),
                Read.number(m, "AviableLimit"),
                Read.number(m, "AviabledayLimit"),
                Read.number(m, "monthLimit"),
                Read.number(m, "AviableMonthLimit"),
                Read.objects(m, "beneficiarydetail", Beneficiary::from),
                Read.more(m, "senderId", "status", "remitter", "TransactionDone", "AviableLimit", "AviabledayLimit", "monthLimit", "AviableMonthLimit", "beneficiarydetail"));
        }
    }

    /**
     * An object of replies.
     *
     * @param id id
     * @param createdAt Absent: not recorded.
     * @param endsAt When it ends; absent: no end is planned.
     */
    public record Secret(String id, String createdAt, String endsAt) {
        static Secret from(Map<?, ?> m) {
            return new Secret(
                Read.text(m, "id"),
                Read.text(m, "createdAt"),
                Read.text(m, "endsAt"));
        }
    }

    /**
     * Present if configured.
     *
     * @param accountNumber The last four digits are shown.
     * @param ifsc ifsc
     * @param bankName bankName
     * @param holder holder
     */
    public record SettlementAccount(String accountNumber, String ifsc, String bankName, String holder) {
        static SettlementAccount from(Map<?, ?> m) {
            return new SettlementAccount(
                Read.text(m, "accountNumber"),
                Read.text(m, "ifsc"),
                Read.text(m, "bankName"),
                Read.text(m, "holder"));
        }
    }

    /**
     * An object of replies.
     *
     * @param id id
     * @param vendorId vendorId
     * @param aggregatorId aggregatorId
     * @param paymentMethod paymentMethod
     * @param provider provider
     * @param txnType txnType
     * @param minAmount Rupees; absent: the band is open below.
     * @param maxAmount Rupees; absent: the band is open above.
     * @param commissionRate commissionRate
     * @param rateType rateType
     * @param isDefault isDefault
     */
    public record Slab(String id, String vendorId, String aggregatorId, String paymentMethod, String provider, String txnType, BigDecimal minAmount, BigDecimal maxAmount, BigDecimal commissionRate, String rateType, Boolean isDefault) {
        static Slab from(Map<?, ?> m) {
            return new Slab(
                Read.text(m, "id"),
                Read.text(m, "vendorId"),
                Read.text(m, "aggregatorId"),
                Read.text(m, "paymentMethod"),
                Read.text(m, "provider"),
                Read.text(m, "txnType"),
                Read.number(m, "minAmount"),
                Read.number(m, "maxAmount"),
                Read.number(m, "commissionRate"),
                Read.text(m, "rateType"),
                Read.bool(m, "isDefault"));
        }
    }

    /**
     * An object of replies.
     *
     * @param id id
     * @param name name
     * @param tid The terminal at the bank network.
     * @param createdAt createdAt
     * @param seenAt When it last said hello; absent: never.
     * @param revoked revoked
     */
    public record Terminal(String id, String name, String tid, String createdAt, String seenAt, Boolean revoked) {
        static Terminal from(Map<?, ?> m) {
            return new Terminal(
                Read.text(m, "id"),
                Read.text(m, "name"),
                Read.text(m, "tid"),
                Read.text(m, "createdAt"),
                Read.text(m, "seenAt"),
                Read.bool(m, "revoked"));
        }
    }

    /**
     * An object of replies.
     *
     * @param rrn The bank's reference; absent while it is missing.
     * @param transactionId Names the transfer from the first moment on; for refunds.
     * @param amount Rupees.
     * @param status status
     */
    public record Transfer(String rrn, String transactionId, BigDecimal amount, String status) {
        static Transfer from(Map<?, ?> m) {
            return new Transfer(
                Read.text(m, "rrn"),
                Read.text(m, "transactionId"),
                Read.number(m, "amount"),
                Read.text(m, "status"));
        }
    }

    /**
     * An object of replies.
     *
     * @param status status
     * @param rrn The bank's reference, where it gave one.
     * @param transactionId transactionId
     * @param amount Rupees.
     */
    public record TransferState(String status, String rrn, String transactionId, BigDecimal amount) {
        static TransferState from(Map<?, ?> m) {
            return new TransferState(
                Read.text(m, "status"),
                Read.text(m, "rrn"),
                Read.text(m, "transactionId"),
                Read.number(m, "amount"));
        }
    }

    /**
     * An object of replies.
     *
     * @param orderId order_id
     * @param status status
     * @param amount Rupees, two decimals, of the newest code.
     * @param expiresAt Until when a payment counts as one of this order without a person.
     * @param received Rupees, two decimals: what was received and not returned.
     * @param payments Newest first, at most 100.
     */
    public record UPIOrder(String orderId, String status, String amount, String expiresAt, String received, List<UPIPayment> payments) {
        static UPIOrder from(Map<?, ?> m) {
            return new UPIOrder(
                Read.text(m, "order_id"),
                Read.text(m, "status"),
                Read.text(m, "amount"),
                Read.text(m, "expiresAt"),
                Read.text(m, "received"),
                Read.objects(m, "payments", UPIPayment::from));
        }
    }

    /**
     * An object of replies.
     *
     * @param id UPI's transaction id, unique for ever.
     * @param rrn The network's reference (UTR).
     * @param orderId Of the dynamic code that was paid; absent: none.
     * @param amount Rupees, two decimals.
     * @param vpa The UPI address that was paid.
     * @param payerName Masked by the network.
     * @param payerVPA Masked by the network.
     * @param match match
     * @param status status
     * @param paidAt When the payer paid.
     * @param recordedAt When the central recorded it.
     * @param refundId UPI's transaction id of the return.
     * @param refundRRN refundRRN
     * @param returnedAt When the bank returned it to its payer.
     */
    public record UPIPayment(String id, String rrn, String orderId, String amount, String vpa, String payerName, String payerVPA, String match, String status, String paidAt, String recordedAt, String refundId, String refundRRN, String returnedAt) {
        static UPIPayment from(Map<?, ?> m) {
            return new UPIPayment(
                Read.text(m, "id"),
                Read.text(m, "RRN"),
                Read.text(m, "order_id"),
                Read.text(m, "amount"),
                Read.text(m, "vpa"),
                Read.text(m, "payerName"),
                Read.text(m, "payerVPA"),
                Read.text(m, "match"),
                Read.text(m, "status"),
                Read.text(m, "paidAt"),
                Read.text(m, "recordedAt"),
                Read.text(m, "refundId"),
                Read.text(m, "refundRRN"),
                Read.text(m, "returnedAt"));
        }
    }

    /**
     * An object of replies.
     *
     * @param id id
     * @param legalName legal_name
     * @param status status
     * @param aggregatorId Absent where none is assigned.
     * @param merchants The first 50 that are not pending; GET /vendor/merchants pages through all of them.
     * @param merchantCount How many there are.
     */
    public record Vendor(String id, String legalName, Boolean status, String aggregatorId, List<VendorMerchant> merchants, Long merchantCount) {
        static Vendor from(Map<?, ?> m) {
            return new Vendor(
                Read.text(m, "id"),
                Read.text(m, "legal_name"),
                Read.bool(m, "status"),
                Read.text(m, "aggregatorId"),
                Read.objects(m, "merchants", VendorMerchant::from),
                Read.integer(m, "merchantCount"));
        }
    }

    /**
     * An object of replies.
     *
     * @param id client_id.
     * @param active False: suspended; it gets no tokens.
     * @param createdAt Absent: not recorded.
     * @param secrets The live ones, the newest first.
     */
    public record VendorClient(String id, Boolean active, String createdAt, List<Secret> secrets) {
        static VendorClient from(Map<?, ?> m) {
            return new VendorClient(
                Read.text(m, "id"),
                Read.bool(m, "active"),
                Read.text(m, "createdAt"),
                Read.objects(m, "secrets", Secret::from));
        }
    }

    /**
     * An object of replies.
     *
     * @param id id
     * @param hint The last characters of the API key.
     * @param live Messages under it are accepted.
     * @param createdAt createdAt
     * @param usedAt When it was last used; absent: never. It may be some seconds late.
     * @param endsAt When it ends, or ended; absent: no end is planned.
     */
    public record VendorKey(String id, String hint, Boolean live, String createdAt, String usedAt, String endsAt) {
        static VendorKey from(Map<?, ?> m) {
            return new VendorKey(
                Read.text(m, "id"),
                Read.text(m, "hint"),
                Read.bool(m, "live"),
                Read.text(m, "createdAt"),
                Read.text(m, "usedAt"),
                Read.text(m, "endsAt"));
        }
    }

    /**
     * An object of replies.
     *
     * @param id id
     * @param mid The merchant at the bank network.
     * @param appid appid
     * @param legalName legal_name
     * @param mstatus mstatus
     * @param status status
     * @param riskflag riskflag
     * @param createdAt createdAt
     * @param settlementAccount settlementAccount
     * @param callback callback
     * @param transactions The newest, at most ten.
     */
    public record VendorMerchant(String id, String mid, String appid, String legalName, String mstatus, Boolean status, Long riskflag, String createdAt, SettlementAccount settlementAccount, Callback callback, List<RecentTransaction> transactions) {
        static VendorMerchant from(Map<?, ?> m) {
            return new VendorMerchant(
                Read.text(m, "id"),
                Read.text(m, "mid"),
                Read.text(m, "appid"),
                Read.text(m, "legal_name"),
                Read.text(m, "mstatus"),
                Read.bool(m, "status"),
                Read.integer(m, "riskflag"),
                Read.text(m, "createdAt"),
                Read.object(m, "settlementAccount", SettlementAccount::from),
                Read.object(m, "callback", Callback::from),
                Read.objects(m, "transactions", RecentTransaction::from));
        }
    }

    /**
     * An object of replies.
     *
     * @param id id
     * @param route Method and path of the request; NETWORK upi.received or NETWORK upi.returned where the bank network
     * reported it.
     * @param status status
     * @param reference reference
     * @param pendingReference pendingReference
     * @param stan Empty of a payment by UPI.
     * @param amount Rupees, two decimals.
     * @param responseCode responseCode
     * @param rrn rrn
     * @param createdAt createdAt
     * @param sentAt sentAt
     * @param finishedAt finishedAt
     * @param merchantId merchantId
     * @param type CASH_WITHDRAWAL, BALANCE_ENQUIRY, MINI_STATEMENT, PURCHASE, AGENT_AUTHENTICATION, TRANSFER, REFUND,
     * UPI_PAYMENT (received by UPI) or UPI_REFUND (returned to the payer).
     * @param aadharNo Masked; of AEPS transactions.
     */
    public record VendorOperation(String id, String route, String status, String reference, String pendingReference, String stan, String amount, String responseCode, String rrn, String createdAt, String sentAt, String finishedAt, String merchantId, String type, String aadharNo) {
        static VendorOperation from(Map<?, ?> m) {
            return new VendorOperation(
                Read.text(m, "id"),
                Read.text(m, "route"),
                Read.text(m, "status"),
                Read.text(m, "reference"),
                Read.text(m, "pendingReference"),
                Read.text(m, "stan"),
                Read.text(m, "amount"),
                Read.text(m, "responseCode"),
                Read.text(m, "rrn"),
                Read.text(m, "createdAt"),
                Read.text(m, "sentAt"),
                Read.text(m, "finishedAt"),
                Read.text(m, "merchantId"),
                Read.text(m, "type"),
                Read.text(m, "AadharNo"));
        }

        @Override
        public String toString() {
            return "VendorOperation[" + "id=" + id + ", " + "route=" + route + ", " + "status=" + status + ", " + "reference=" + reference + ", " + "pendingReference=" + pendingReference + ", " + "stan=" + stan + ", " + "amount=" + amount + ", " + "responseCode=" + responseCode + ", " + "rrn=" + rrn + ", " + "createdAt=" + createdAt + ", " + "sentAt=" + sentAt + ", " + "finishedAt=" + finishedAt + ", " + "merchantId=" + merchantId + ", " + "type=" + type + ", " + "aadharNo=" + "***" + "]";
        }
    }

    /**
     * An object of replies.
     *
     * @param status 1 verified, 0 failed; -1 and 91 ambiguous: ask again after 30 seconds.
     * @param accountHolderName Where the bank knows it.
     * @param more members that this record does not know
     */
    public record Verification(Long status, String accountHolderName, Map<String, Object> more) {
        static Verification from(Map<?, ?> m) {
            return new Verification(
                Read.integer(m, "status"),
                Read.text(m, "account_holder_name"),
                Read.more(m, "status", "account_holder_name"));
        }
    }

    /**
     * An object of replies.
     *
     * @param responseCode 00: approved. Anything else: not.
     * @param responseStatus The bank's words.
     * @param stan System trace number.
     * @param balance Rupees after the withdrawal, two decimals; where the bank gave it.
     * @param retailerReferenceNumber Our name for the transaction.
     * @param referenceNo The bank's retrieval reference number; of every success.
     * @param authCode The issuer's approval code; of every success.
     * @param aadharNo Masked: only the last four digits.
     * @param txnStatus txnStatus
     */
    public record Withdrawal(String responseCode, String responseStatus, String stan, String balance, String retailerReferenceNumber, String referenceNo, String authCode, String aadharNo, String txnStatus) {
        static Withdrawal from(Map<?, ?> m) {
            return new Withdrawal(
                Read.text(m, "ResponseCode"),
                Read.text(m, "ResponseStatus"),
                Read.text(m, "STAN"),
                Read.text(m, "Balance"),
                Read.text(m, "RetailerReferenceNumber"),
                Read.text(m, "ReferenceNo"),
                Read.text(m, "AuthCode"),
                Read.text(m, "AadharNo"),
                Read.text(m, "txnStatus"));
        }

        @Override
        public String toString() {
            return "Withdrawal[" + "responseCode=" + responseCode + ", " + "responseStatus=" + responseStatus + ", " + "stan=" + stan + ", " + "balance=" + balance + ", " + "retailerReferenceNumber=" + retailerReferenceNumber + ", " + "referenceNo=" + referenceNo + ", " + "authCode=" + authCode + ", " + "aadharNo=" + "***" + ", " + "txnStatus=" + txnStatus + "]";
        }
    }
}
