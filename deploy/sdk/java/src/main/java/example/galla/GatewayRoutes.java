// Written by deploy/sdk/generate from the OpenAPI document; do not edit.

package example.galla;

import java.util.List;
import java.util.Map;

/** The routes that the gateway mirrors. */
public abstract class GatewayRoutes extends BaseClient {
    GatewayRoutes(String baseUrl, String clientId, Options options) {
        super(baseUrl, clientId, options);
    }

    /**
     * Create the AEPS service-KYC record.
     *
     * <p>POST /aeps/initialize; for merchant, vendor.
     *
     * <p>Creates the record where there is none. The success has no envelope; errors have it.
     */
    public Result<Data.AepsInitializeReply> aepsInitialize() {
        return invoke(RouteTable.AEPS_INITIALIZE, Map.of(), null);
    }

    /**
     * Create the AEPS service-KYC record.
     *
     * <p>POST /aeps/initialize; for merchant, vendor.
     *
     * <p>Creates the record where there is none. The success has no envelope; errors have it.
     */
    public Result<Data.AepsInitializeReply> aepsInitialize(Params.AepsInitialize fields) {
        return invoke(RouteTable.AEPS_INITIALIZE, fields.values(), null);
    }

    /**
     * Create the AEPS service-KYC record.
     *
     * <p>POST /aeps/initialize; for merchant, vendor.
     *
     * <p>Creates the record where there is none. The success has no envelope; errors have it.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.AepsInitializeReply> aepsInitialize(Params.AepsInitialize fields, String idempotencyKey) {
        return invoke(RouteTable.AEPS_INITIALIZE, fields.values(), idempotencyKey);
    }

    /**
     * Begin the onboarding, and send the first OTP.
     *
     * <p>POST /aeps/onboarding; for merchant, vendor.
     *
     * <p>Needs the merchant's information. The OTP goes to the merchant's mobile number.
     */
    public Result<Data.OTPRequest> aepsOnboarding() {
        return invoke(RouteTable.AEPS_ONBOARDING, Map.of(), null);
    }

    /**
     * Begin the onboarding, and send the first OTP.
     *
     * <p>POST /aeps/onboarding; for merchant, vendor.
     *
     * <p>Needs the merchant's information. The OTP goes to the merchant's mobile number.
     */
    public Result<Data.OTPRequest> aepsOnboarding(Params.AepsOnboarding fields) {
        return invoke(RouteTable.AEPS_ONBOARDING, fields.values(), null);
    }

    /**
     * Begin the onboarding, and send the first OTP.
     *
     * <p>POST /aeps/onboarding; for merchant, vendor.
     *
     * <p>Needs the merchant's information. The OTP goes to the merchant's mobile number.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.OTPRequest> aepsOnboarding(Params.AepsOnboarding fields, String idempotencyKey) {
        return invoke(RouteTable.AEPS_ONBOARDING, fields.values(), idempotencyKey);
    }

    /**
     * Send the onboarding OTP again.
     *
     * <p>POST /aeps/request_otp; for merchant, vendor.
     */
    public Result<Data.OTPRequest> aepsRequestOtp() {
        return invoke(RouteTable.AEPS_REQUEST_OTP, Map.of(), null);
    }

    /**
     * Send the onboarding OTP again.
     *
     * <p>POST /aeps/request_otp; for merchant, vendor.
     */
    public Result<Data.OTPRequest> aepsRequestOtp(Params.AepsRequestOtp fields) {
        return invoke(RouteTable.AEPS_REQUEST_OTP, fields.values(), null);
    }

    /**
     * Check the onboarding OTP.
     *
     * <p>POST /aeps/validate_otp; for merchant, vendor.
     */
    public Result<Data.Progress> aepsValidateOtp(Params.AepsValidateOtp fields) {
        return invoke(RouteTable.AEPS_VALIDATE_OTP, fields.values(), null);
    }

    /**
     * Check the onboarding OTP.
     *
     * <p>POST /aeps/validate_otp; for merchant, vendor.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.Progress> aepsValidateOtp(Params.AepsValidateOtp fields, String idempotencyKey) {
        return invoke(RouteTable.AEPS_VALIDATE_OTP, fields.values(), idempotencyKey);
    }

    /**
     * Verify the agent's PAN.
     *
     * <p>POST /aeps/verify_pan; for merchant, vendor.
     */
    public Result<Data.Progress> aepsVerifyPan(Params.AepsVerifyPan fields) {
        return invoke(RouteTable.AEPS_VERIFY_PAN, fields.values(), null);
    }

    /**
     * Verify the agent's PAN.
     *
     * <p>POST /aeps/verify_pan; for merchant, vendor.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.Progress> aepsVerifyPan(Params.AepsVerifyPan fields, String idempotencyKey) {
        return invoke(RouteTable.AEPS_VERIFY_PAN, fields.values(), idempotencyKey);
    }

    /**
     * Give the agent's Aadhaar number.
     *
     * <p>POST /aeps/update_UID; for merchant, vendor.
     */
    public Result<Data.Progress> aepsUpdateUid(Params.AepsUpdateUid fields) {
        return invoke(RouteTable.AEPS_UPDATE_UID, fields.values(), null);
    }

    /**
     * Give the agent's Aadhaar number.
     *
     * <p>POST /aeps/update_UID; for merchant, vendor.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.Progress> aepsUpdateUid(Params.AepsUpdateUid fields, String idempotencyKey) {
        return invoke(RouteTable.AEPS_UPDATE_UID, fields.values(), idempotencyKey);
    }

    /**
     * Give the agent's biometric.
     *
     * <p>POST /aeps/updatebiodetail; for merchant, vendor.
     *
     * <p>The finger must be that of the Aadhaar number.
     */
    public Result<Data.Progress> aepsUpdatebiodetail(Params.AepsUpdatebiodetail fields) {
        return invoke(RouteTable.AEPS_UPDATEBIODETAIL, fields.values(), null);
    }

    /**
     * Give the agent's biometric.
     *
     * <p>POST /aeps/updatebiodetail; for merchant, vendor.
     *
     * <p>The finger must be that of the Aadhaar number.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.Progress> aepsUpdatebiodetail(Params.AepsUpdatebiodetail fields, String idempotencyKey) {
        return invoke(RouteTable.AEPS_UPDATEBIODETAIL, fields.values(), idempotencyKey);
    }

    /**
     * Finish the onboarding.
     *
     * <p>POST /aeps/submit; for merchant, vendor.
     *
     * <p>The merchant's own appid is the reference. Where the network approves, the merchant may transact from then on.
     */
    public Result<Data.Progress> aepsSubmit() {
        return invoke(RouteTable.AEPS_SUBMIT, Map.of(), null);
    }

    /**
     * Finish the onboarding.
     *
     * <p>POST /aeps/submit; for merchant, vendor.
     *
     * <p>The merchant's own appid is the reference. Where the network approves, the merchant may transact from then on.
     */
    public Result<Data.Progress> aepsSubmit(Params.AepsSubmit fields) {
        return invoke(RouteTable.AEPS_SUBMIT, fields.values(), null);
    }

    /**
     * Finish the onboarding.
     *
     * <p>POST /aeps/submit; for merchant, vendor.
     *
     * <p>The merchant's own appid is the reference. Where the network approves, the merchant may transact from then on.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.Progress> aepsSubmit(Params.AepsSubmit fields, String idempotencyKey) {
        return invoke(RouteTable.AEPS_SUBMIT, fields.values(), idempotencyKey);
    }

    /**
     * How far the onboarding is.
     *
     * <p>GET /aeps/statusCheck; for merchant, vendor.
     */
    public Result<Data.Progress> aepsStatusCheck() {
        return invoke(RouteTable.AEPS_STATUS_CHECK, Map.of(), null);
    }

    /**
     * How far the onboarding is.
     *
     * <p>GET /aeps/statusCheck; for merchant, vendor.
     */
    public Result<Data.Progress> aepsStatusCheck(Params.AepsStatusCheck fields) {
        return invoke(RouteTable.AEPS_STATUS_CHECK, fields.values(), null);
    }

    /**
     * Who an agent is.
     *
     * <p>POST /aeps/GetAgentDetail; for merchant, vendor.
     *
     * <p>The caller's own agent if none is named. Another party's agent is 04, like an unknown one.
     */
    public Result<Data.Agent> aepsGetAgentDetail() {
        return invoke(RouteTable.AEPS_GET_AGENT_DETAIL, Map.of(), null);
    }

    /**
     * Who an agent is.
     *
     * <p>POST /aeps/GetAgentDetail; for merchant, vendor.
     *
     * <p>The caller's own agent if none is named. Another party's agent is 04, like an unknown one.
     */
    public Result<Data.Agent> aepsGetAgentDetail(Params.AepsGetAgentDetail fields) {
        return invoke(RouteTable.AEPS_GET_AGENT_DETAIL, fields.values(), null);
    }

    /**
     * Cash withdrawal.
     *
     * <p>POST /aeps/withdrawal; for merchant, vendor.
     */
    public Result<Data.Withdrawal> aepsWithdrawal(Params.AepsWithdrawal fields) {
        return invoke(RouteTable.AEPS_WITHDRAWAL, fields.values(), null);
    }

    /**
     * Cash withdrawal.
     *
     * <p>POST /aeps/withdrawal; for merchant, vendor.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.Withdrawal> aepsWithdrawal(Params.AepsWithdrawal fields, String idempotencyKey) {
        return invoke(RouteTable.AEPS_WITHDRAWAL, fields.values(), idempotencyKey);
    }

    /**
     * Balance enquiry.
     *
     * <p>POST /aeps/balance; for merchant, vendor.
     */
    public Result<Data.Balance> aepsBalance(Params.AepsBalance fields) {
        return invoke(RouteTable.AEPS_BALANCE, fields.values(), null);
    }

    /**
     * Balance enquiry.
     *
     * <p>POST /aeps/balance; for merchant, vendor.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.Balance> aepsBalance(Params.AepsBalance fields, String idempotencyKey) {
        return invoke(RouteTable.AEPS_BALANCE, fields.values(), idempotencyKey);
    }

    /**
     * Mini statement.
     *
     * <p>POST /aeps/minstatement; for merchant, vendor.
     */
    public Result<Data.MiniStatement> aepsMinstatement(Params.AepsMinstatement fields) {
        return invoke(RouteTable.AEPS_MINSTATEMENT, fields.values(), null);
    }

    /**
     * Mini statement.
     *
     * <p>POST /aeps/minstatement; for merchant, vendor.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.MiniStatement> aepsMinstatement(Params.AepsMinstatement fields, String idempotencyKey) {
        return invoke(RouteTable.AEPS_MINSTATEMENT, fields.values(), idempotencyKey);
    }

    /**
     * The agent's daily authentication.
     *
     * <p>POST /aeps/reqAuth; for merchant, vendor.
     *
     * <p>With the agent's own Aadhaar number and finger. A success opens the terminal's session for 24 hours.
     */
    public Result<Data.AgentAuthentication> aepsReqAuth(Params.AepsReqAuth fields) {
        return invoke(RouteTable.AEPS_REQ_AUTH, fields.values(), null);
    }

    /**
     * The agent's daily authentication.
     *
     * <p>POST /aeps/reqAuth; for merchant, vendor.
     *
     * <p>With the agent's own Aadhaar number and finger. A success opens the terminal's session for 24 hours.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.AgentAuthentication> aepsReqAuth(Params.AepsReqAuth fields, String idempotencyKey) {
        return invoke(RouteTable.AEPS_REQ_AUTH, fields.values(), idempotencyKey);
    }

    /**
     * Purchase (Aadhaar Pay).
     *
     * <p>POST /aeps/purchase; for merchant, vendor.
     *
     * <p>A debit at the point of sale.
     */
    public Result<Data.Purchase> aepsPurchase(Params.AepsPurchase fields) {
        return invoke(RouteTable.AEPS_PURCHASE, fields.values(), null);
    }

    /**
     * Purchase (Aadhaar Pay).
     *
     * <p>POST /aeps/purchase; for merchant, vendor.
     *
     * <p>A debit at the point of sale.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.Purchase> aepsPurchase(Params.AepsPurchase fields, String idempotencyKey) {
        return invoke(RouteTable.AEPS_PURCHASE, fields.values(), idempotencyKey);
    }

    /**
     * How an AEPS transaction stands.
     *
     * <p>POST /aeps/requery; for merchant, vendor.
     *
     * <p>The same reply as the transaction's, as it stands now. Exactly one of the three fields names it. The bank is not
     * asked: the central does that by itself while an answer is missing.
     */
    public Result<Data.AepsRequeryData> aepsRequery() {
        return invoke(RouteTable.AEPS_REQUERY, Map.of(), null);
    }

    /**
     * How an AEPS transaction stands.
     *
     * <p>POST /aeps/requery; for merchant, vendor.
     *
     * <p>The same reply as the transaction's, as it stands now. Exactly one of the three fields names it. The bank is not
     * asked: the central does that by itself while an answer is missing.
     */
    public Result<Data.AepsRequeryData> aepsRequery(Params.AepsRequery fields) {
        return invoke(RouteTable.AEPS_REQUERY, fields.values(), null);
    }

    /**
     * The agent's session.
     *
     * <p>GET /aeps/authStatus; for merchant, vendor.
     *
     * <p>Reads the session and never asks the bank.
     */
    public Result<Data.AgentSession> aepsAuthStatus() {
        return invoke(RouteTable.AEPS_AUTH_STATUS, Map.of(), null);
    }

    /**
     * The agent's session.
     *
     * <p>GET /aeps/authStatus; for merchant, vendor.
     *
     * <p>Reads the session and never asks the bank.
     */
    public Result<Data.AgentSession> aepsAuthStatus(Params.AepsAuthStatus fields) {
        return invoke(RouteTable.AEPS_AUTH_STATUS, fields.values(), null);
    }

    /**
     * The banks that customers can have.
     *
     * <p>GET /aeps/banks; for merchant, vendor.
     */
    public Result<List<Data.Bank>> aepsBanks() {
        return invoke(RouteTable.AEPS_BANKS, Map.of(), null);
    }

    /**
     * Find an onboarded customer.
     *
     * <p>POST /dmt/customer/GetDetail; for merchant, vendor.
     *
     * <p>Distinct customers looked up in an hour are limited (remitter/details has the rule): 07 with Retry-After.
     */
    public Result<Data.Customer> dmtCustomerGetDetail(Params.DmtCustomerGetDetail fields) {
        return invoke(RouteTable.DMT_CUSTOMER_GET_DETAIL, fields.values(), null);
    }

    /**
     * Begin a customer's onboarding.
     *
     * <p>POST /dmt/customer/onboarding; for merchant, vendor.
     */
    public Result<Data.Enrolment> dmtCustomerOnboarding(Params.DmtCustomerOnboarding fields) {
        return invoke(RouteTable.DMT_CUSTOMER_ONBOARDING, fields.values(), null);
    }

    /**
     * Begin a customer's onboarding.
     *
     * <p>POST /dmt/customer/onboarding; for merchant, vendor.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.Enrolment> dmtCustomerOnboarding(Params.DmtCustomerOnboarding fields, String idempotencyKey) {
        return invoke(RouteTable.DMT_CUSTOMER_ONBOARDING, fields.values(), idempotencyKey);
    }

    /**
     * Send the customer an OTP.
     *
     * <p>POST /dmt/customer/request_otp; for merchant, vendor.
     */
    public Result<Data.OTPRequest> dmtCustomerRequestOtp(Params.DmtCustomerRequestOtp fields) {
        return invoke(RouteTable.DMT_CUSTOMER_REQUEST_OTP, fields.values(), null);
    }

    /**
     * Check the customer's OTP.
     *
     * <p>POST /dmt/customer/validate_otp; for merchant, vendor.
     */
    public Result<Object> dmtCustomerValidateOtp(Params.DmtCustomerValidateOtp fields) {
        return invoke(RouteTable.DMT_CUSTOMER_VALIDATE_OTP, fields.values(), null);
    }

    /**
     * Check the customer's OTP.
     *
     * <p>POST /dmt/customer/validate_otp; for merchant, vendor.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Object> dmtCustomerValidateOtp(Params.DmtCustomerValidateOtp fields, String idempotencyKey) {
        return invoke(RouteTable.DMT_CUSTOMER_VALIDATE_OTP, fields.values(), idempotencyKey);
    }

    /**
     * Give the customer's Aadhaar number.
     *
     * <p>POST /dmt/customer/verify_UID; for merchant, vendor.
     */
    public Result<Object> dmtCustomerVerifyUid(Params.DmtCustomerVerifyUid fields) {
        return invoke(RouteTable.DMT_CUSTOMER_VERIFY_UID, fields.values(), null);
    }

    /**
     * Give the customer's Aadhaar number.
     *
     * <p>POST /dmt/customer/verify_UID; for merchant, vendor.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Object> dmtCustomerVerifyUid(Params.DmtCustomerVerifyUid fields, String idempotencyKey) {
        return invoke(RouteTable.DMT_CUSTOMER_VERIFY_UID, fields.values(), idempotencyKey);
    }

    /**
     * Give the customer's biometric.
     *
     * <p>POST /dmt/customer/updatebiodetail; for merchant, vendor.
     *
     * <p>The finger must be that of the Aadhaar number.
     */
    public Result<Object> dmtCustomerUpdatebiodetail(Params.DmtCustomerUpdatebiodetail fields) {
        return invoke(RouteTable.DMT_CUSTOMER_UPDATEBIODETAIL, fields.values(), null);
    }

    /**
     * Give the customer's biometric.
     *
     * <p>POST /dmt/customer/updatebiodetail; for merchant, vendor.
     *
     * <p>The finger must be that of the Aadhaar number.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Object> dmtCustomerUpdatebiodetail(Params.DmtCustomerUpdatebiodetail fields, String idempotencyKey) {
        return invoke(RouteTable.DMT_CUSTOMER_UPDATEBIODETAIL, fields.values(), idempotencyKey);
    }

    /**
     * Finish the customer's onboarding.
     *
     * <p>POST /dmt/customer/submit; for merchant, vendor.
     */
    public Result<Data.Enrolment> dmtCustomerSubmit(Params.DmtCustomerSubmit fields) {
        return invoke(RouteTable.DMT_CUSTOMER_SUBMIT, fields.values(), null);
    }

    /**
     * Finish the customer's onboarding.
     *
     * <p>POST /dmt/customer/submit; for merchant, vendor.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.Enrolment> dmtCustomerSubmit(Params.DmtCustomerSubmit fields, String idempotencyKey) {
        return invoke(RouteTable.DMT_CUSTOMER_SUBMIT, fields.values(), idempotencyKey);
    }

    /**
     * How far a customer's onboarding is.
     *
     * <p>GET /dmt/customer/statusCheck; for merchant, vendor.
     */
    public Result<Data.Enrolment> dmtCustomerStatusCheck(Params.DmtCustomerStatusCheck fields) {
        return invoke(RouteTable.DMT_CUSTOMER_STATUS_CHECK, fields.values(), null);
    }

    /**
     * Register an onboarded customer as a remitter.
     *
     * <p>POST /dmt/txn/v1/remitter/register; for merchant, vendor.
     *
     * <p>sender_mobilenumber or senderId names the customer; a field mobilenumber is not read. Name, address and date of
     * birth come from the onboarding.
     */
    public Result<Data.DmtRemitterRegisterData> dmtRemitterRegister() {
        return invoke(RouteTable.DMT_REMITTER_REGISTER, Map.of(), null);
    }

    /**
     * Register an onboarded customer as a remitter.
     *
     * <p>POST /dmt/txn/v1/remitter/register; for merchant, vendor.
     *
     * <p>sender_mobilenumber or senderId names the customer; a field mobilenumber is not read. Name, address and date of
     * birth come from the onboarding.
     */
    public Result<Data.DmtRemitterRegisterData> dmtRemitterRegister(Params.DmtRemitterRegister fields) {
        return invoke(RouteTable.DMT_REMITTER_REGISTER, fields.values(), null);
    }

    /**
     * Register an onboarded customer as a remitter.
     *
     * <p>POST /dmt/txn/v1/remitter/register; for merchant, vendor.
     *
     * <p>sender_mobilenumber or senderId names the customer; a field mobilenumber is not read. Name, address and date of
     * birth come from the onboarding.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.DmtRemitterRegisterData> dmtRemitterRegister(Params.DmtRemitterRegister fields, String idempotencyKey) {
        return invoke(RouteTable.DMT_REMITTER_REGISTER, fields.values(), idempotencyKey);
    }

    /**
     * A remitter with limits and beneficiaries.
     *
     * <p>POST /dmt/txn/v1/remitter/details; for merchant, vendor.
     *
     * <p>How many distinct customers a merchant may look up in an hour who have not given it an OTP or a finger is
     * limited, over GetDetail, customer/onboarding, remitter/details and remitter/register together: 60 unless agreed
     * otherwise, 1,000 in the sandbox. Over it the answer is 07 with Retry-After.
     */
    public Result<Data.Remitter> dmtRemitterDetails(Params.DmtRemitterDetails fields) {
        return invoke(RouteTable.DMT_REMITTER_DETAILS, fields.values(), null);
    }

    /**
     * Verify a receiver's account.
     *
     * <p>POST /dmt/txn/v1/beneficiary/accountVerification; for merchant, vendor.
     *
     * <p>Each call is a verification of its own. After status -1 or 91 ask again after 30 seconds.
     */
    public Result<Data.Verification> dmtBeneficiaryAccountVerification(Params.DmtBeneficiaryAccountVerification fields) {
        return invoke(RouteTable.DMT_BENEFICIARY_ACCOUNT_VERIFICATION, fields.values(), null);
    }

    /**
     * Verify a receiver's account.
     *
     * <p>POST /dmt/txn/v1/beneficiary/accountVerification; for merchant, vendor.
     *
     * <p>Each call is a verification of its own. After status -1 or 91 ask again after 30 seconds.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.Verification> dmtBeneficiaryAccountVerification(Params.DmtBeneficiaryAccountVerification fields, String idempotencyKey) {
        return invoke(RouteTable.DMT_BENEFICIARY_ACCOUNT_VERIFICATION, fields.values(), idempotencyKey);
    }

    /**
     * Add a beneficiary.
     *
     * <p>POST /dmt/txn/v1/beneficiary/add; for merchant, vendor.
     */
    public Result<Data.DmtBeneficiaryAddData> dmtBeneficiaryAdd(Params.DmtBeneficiaryAdd fields) {
        return invoke(RouteTable.DMT_BENEFICIARY_ADD, fields.values(), null);
    }

    /**
     * Add a beneficiary.
     *
     * <p>POST /dmt/txn/v1/beneficiary/add; for merchant, vendor.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.DmtBeneficiaryAddData> dmtBeneficiaryAdd(Params.DmtBeneficiaryAdd fields, String idempotencyKey) {
        return invoke(RouteTable.DMT_BENEFICIARY_ADD, fields.values(), idempotencyKey);
    }

    /**
     * A beneficiary's record.
     *
     * <p>POST /dmt/txn/v1/beneficiary/get; for merchant, vendor.
     */
    public Result<Data.Beneficiary> dmtBeneficiaryGet(Params.DmtBeneficiaryGet fields) {
        return invoke(RouteTable.DMT_BENEFICIARY_GET, fields.values(), null);
    }

    /**
     * Delete a beneficiary.
     *
     * <p>POST /dmt/txn/v1/beneficiary/delete; for merchant, vendor.
     *
     * <p>Beneficiaries belong to the bank's customer. A merchant deletes after the customer has passed validate_otp or
     * updatebiodetail of the onboarding, or a transfer, at this merchant; before, it is 05.
     */
    public Result<Object> dmtBeneficiaryDelete(Params.DmtBeneficiaryDelete fields) {
        return invoke(RouteTable.DMT_BENEFICIARY_DELETE, fields.values(), null);
    }

    /**
     * Delete a beneficiary.
     *
     * <p>POST /dmt/txn/v1/beneficiary/delete; for merchant, vendor.
     *
     * <p>Beneficiaries belong to the bank's customer. A merchant deletes after the customer has passed validate_otp or
     * updatebiodetail of the onboarding, or a transfer, at this merchant; before, it is 05.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Object> dmtBeneficiaryDelete(Params.DmtBeneficiaryDelete fields, String idempotencyKey) {
        return invoke(RouteTable.DMT_BENEFICIARY_DELETE, fields.values(), idempotencyKey);
    }

    /**
     * Send the OTP of a transfer.
     *
     * <p>POST /dmt/txn/v1/transaction/otp; for merchant, vendor.
     *
     * <p>It goes to the remitter's registered mobile, and holds for this receiver and this amount.
     */
    public Result<Object> dmtTransactionOtp(Params.DmtTransactionOtp fields) {
        return invoke(RouteTable.DMT_TRANSACTION_OTP, fields.values(), null);
    }

    /**
     * Send money.
     *
     * <p>POST /dmt/txn/v1/transaction/instant; for merchant, vendor.
     *
     * <p>Checks the OTP and debits in one call. refId is the transfer's identity: a repeat with the same body returns its
     * state and never sends twice. If the bank refused it for its OTP, nothing moved: the request with another otp and
     * the same refId is a new attempt. The otp is no part of what makes two bodies the same. The very otp that was
     * refused, sent again within five minutes, gets the same reply and uses up no try of the customer's; a node that
     * has not tried it, or was restarted since, tries it once. Ask the customer for the otp again; never repeat a
     * refused one.
     */
    public Result<Data.Transfer> dmtTransactionInstant(Params.DmtTransactionInstant fields) {
        return invoke(RouteTable.DMT_TRANSACTION_INSTANT, fields.values(), null);
    }

    /**
     * Send money.
     *
     * <p>POST /dmt/txn/v1/transaction/instant; for merchant, vendor.
     *
     * <p>Checks the OTP and debits in one call. refId is the transfer's identity: a repeat with the same body returns its
     * state and never sends twice. If the bank refused it for its OTP, nothing moved: the request with another otp and
     * the same refId is a new attempt. The otp is no part of what makes two bodies the same. The very otp that was
     * refused, sent again within five minutes, gets the same reply and uses up no try of the customer's; a node that
     * has not tried it, or was restarted since, tries it once. Ask the customer for the otp again; never repeat a
     * refused one.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.Transfer> dmtTransactionInstant(Params.DmtTransactionInstant fields, String idempotencyKey) {
        return invoke(RouteTable.DMT_TRANSACTION_INSTANT, fields.values(), idempotencyKey);
    }

    /**
     * What a transfer costs.
     *
     * <p>POST /dmt/txn/v1/transaction/charges; for merchant, vendor.
     */
    public Result<Data.Charges> dmtTransactionCharges(Params.DmtTransactionCharges fields) {
        return invoke(RouteTable.DMT_TRANSACTION_CHARGES, fields.values(), null);
    }

    /**
     * How a transfer stands.
     *
     * <p>POST /dmt/txn/v1/transaction/requery; for merchant, vendor.
     *
     * <p>The bank is not asked: the central does that by itself while an answer is missing.
     */
    public Result<Data.TransferState> dmtTransactionRequery(Params.DmtTransactionRequery fields) {
        return invoke(RouteTable.DMT_TRANSACTION_REQUERY, fields.values(), null);
    }

    /**
     * Send the OTP of a refund.
     *
     * <p>POST /dmt/txn/v1/transaction/refundOTP; for merchant, vendor.
     *
     * <p>The customer tells the OTP at the counter. Give the cash back when refund has answered that it went through, not
     * before: the bank may decline it.
     */
    public Result<Object> dmtTransactionRefundOtp(Params.DmtTransactionRefundOtp fields) {
        return invoke(RouteTable.DMT_TRANSACTION_REFUND_OTP, fields.values(), null);
    }

    /**
     * Refund a transfer.
     *
     * <p>POST /dmt/txn/v1/refund; for merchant, vendor.
     *
     * <p>Once for each transfer. refId is the transfer's. A repeat, whatever its otp, gets the stored reply; after a
     * refused otp it is a new attempt. An Idempotency-Key leads to the last attempt that was made with it.
     */
    public Result<Data.DmtRefundData> dmtRefund(Params.DmtRefund fields) {
        return invoke(RouteTable.DMT_REFUND, fields.values(), null);
    }

    /**
     * Refund a transfer.
     *
     * <p>POST /dmt/txn/v1/refund; for merchant, vendor.
     *
     * <p>Once for each transfer. refId is the transfer's. A repeat, whatever its otp, gets the stored reply; after a
     * refused otp it is a new attempt. An Idempotency-Key leads to the last attempt that was made with it.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.DmtRefundData> dmtRefund(Params.DmtRefund fields, String idempotencyKey) {
        return invoke(RouteTable.DMT_REFUND, fields.values(), idempotencyKey);
    }

    /**
     * Begin a session at the bank network.
     *
     * <p>POST /dmt/txn/v1/login; for merchant, vendor.
     *
     * <p>No other route needs it.
     */
    public Result<Data.DmtLoginData> dmtLogin() {
        return invoke(RouteTable.DMT_LOGIN, Map.of(), null);
    }

    /**
     * Begin a session at the bank network.
     *
     * <p>POST /dmt/txn/v1/login; for merchant, vendor.
     *
     * <p>No other route needs it.
     */
    public Result<Data.DmtLoginData> dmtLogin(Params.DmtLogin fields) {
        return invoke(RouteTable.DMT_LOGIN, fields.values(), null);
    }

    /**
     * The vendor's merchants.
     *
     * <p>GET /vendor/merchants; for vendor.
     *
     * <p>All that are not pending, oldest first.
     */
    public Result<List<Data.Merchant>> vendorMerchants() {
        return invoke(RouteTable.VENDOR_MERCHANTS, Map.of(), null);
    }

    /**
     * The vendor's merchants.
     *
     * <p>GET /vendor/merchants; for vendor.
     *
     * <p>All that are not pending, oldest first.
     */
    public Result<List<Data.Merchant>> vendorMerchants(Params.VendorMerchants fields) {
        return invoke(RouteTable.VENDOR_MERCHANTS, fields.values(), null);
    }

    /**
     * The vendor itself, with its merchants' newest transactions.
     *
     * <p>GET /vendor/me; for vendor.
     */
    public Result<Data.Vendor> vendorMe() {
        return invoke(RouteTable.VENDOR_ME, Map.of(), null);
    }

    /**
     * The vendor's commission slabs.
     *
     * <p>GET /vendor-commission/{vendorId}/commission; for vendor.
     */
    public Result<List<Data.Slab>> vendorCommissionList(Params.VendorCommissionList fields) {
        return invoke(RouteTable.VENDOR_COMMISSION_LIST, fields.values(), null);
    }

    /**
     * Create a commission slab.
     *
     * <p>POST /vendor-commission/{vendorId}/commission; for vendor.
     *
     * <p>Needs an aggregator of the vendor (05). A band that is equal to another one of the combination is a conflict
     * (09); bands may overlap, and a slab without a band may stand beside them. Of several that hold an amount the
     * narrowest applies, of equally narrow ones the one with the higher lower bound, and the default where none does.
     * Null is no value of any field.
     */
    public Result<Data.Slab> vendorCommissionCreate(Params.VendorCommissionCreate fields) {
        return invoke(RouteTable.VENDOR_COMMISSION_CREATE, fields.values(), null);
    }

    /**
     * Change a commission slab.
     *
     * <p>PUT /vendor-commission/{vendorId}/commission/{slabId}; for vendor.
     *
     * <p>Any subset of the fields; those that are left out keep their value. The rules hold for the slab as it is
     * afterwards. Null is no value of any field: to open a band, make a new slab.
     */
    public Result<Data.Slab> vendorCommissionUpdate(Params.VendorCommissionUpdate fields) {
        return invoke(RouteTable.VENDOR_COMMISSION_UPDATE, fields.values(), null);
    }

    /**
     * Delete a commission slab.
     *
     * <p>DELETE /vendor-commission/{vendorId}/commission/{slabId}; for vendor.
     *
     * <p>Final for the caller; what it earned stays.
     */
    public Result<Object> vendorCommissionDelete(Params.VendorCommissionDelete fields) {
        return invoke(RouteTable.VENDOR_COMMISSION_DELETE, fields.values(), null);
    }

    /**
     * What the vendor earned.
     *
     * <p>GET /vendor-commission/{vendorId}/earnings; for vendor.
     *
     * <p>By Indian days, from and to included, at most 366 of them.
     */
    public Result<Data.EarningsReport> vendorCommissionEarnings(Params.VendorCommissionEarnings fields) {
        return invoke(RouteTable.VENDOR_COMMISSION_EARNINGS, fields.values(), null);
    }

    /**
     * The vendor's keys of the gateway.
     *
     * <p>GET /vendor/keys; for vendor.
     *
     * <p>Oldest first, with those that have ended. Of an API key only the last four characters are known.
     */
    public Result<List<Data.VendorKey>> vendorKeysList() {
        return invoke(RouteTable.VENDOR_KEYS_LIST, Map.of(), null);
    }

    /**
     * The vendor's programs.
     *
     * <p>GET /vendor/clients; for vendor.
     *
     * <p>The clients of POST /oauth/token, with the numbers of their live secrets, the newest first.
     */
    public Result<List<Data.VendorClient>> vendorClients() {
        return invoke(RouteTable.VENDOR_CLIENTS, Map.of(), null);
    }

    /**
     * Where the vendor gets callbacks.
     *
     * <p>GET /vendor/callback; for vendor.
     *
     * <p>The endpoint for all its merchants that have none of their own, with the ids of the live secrets that sign its
     * callbacks.
     */
    public Result<Data.CallbackEndpoint> vendorCallbackGet() {
        return invoke(RouteTable.VENDOR_CALLBACK_GET, Map.of(), null);
    }

    /**
     * Set where the vendor gets callbacks.
     *
     * <p>PUT /vendor/callback; for vendor.
     *
     * <p>For all its merchants that have no endpoint of their own; merchantId in the message says whose operation it was.
     * An HTTPS address on the public internet; a sandbox takes http and this machine's addresses, too. Callbacks that
     * wait for it are sent there now. An endpoint that answered 410 Gone is enabled again.
     */
    public Result<Data.CallbackEndpoint> vendorCallbackUpdate(Params.VendorCallbackUpdate fields) {
        return invoke(RouteTable.VENDOR_CALLBACK_UPDATE, fields.values(), null);
    }

    /**
     * Remove the vendor's endpoint.
     *
     * <p>DELETE /vendor/callback; for vendor.
     *
     * <p>Callbacks that wait for it are given up. Merchants with an endpoint of their own still get theirs.
     */
    public Result<Object> vendorCallbackDelete() {
        return invoke(RouteTable.VENDOR_CALLBACK_DELETE, Map.of(), null);
    }

    /**
     * Create a secret of the vendor's callbacks.
     *
     * <p>POST /vendor/callback/secrets; for vendor.
     *
     * <p>The present secret stays valid until formerEndsAt, or until it is ended. Every callback is signed with each live
     * secret, so a receiver that knows one of them verifies all. With two live secrets it is 05: end one first.
     */
    public Result<Data.NewCallbackSecret> vendorCallbackSecrets() {
        return invoke(RouteTable.VENDOR_CALLBACK_SECRETS, Map.of(), null);
    }

    /**
     * Create a secret of the vendor's callbacks.
     *
     * <p>POST /vendor/callback/secrets; for vendor.
     *
     * <p>The present secret stays valid until formerEndsAt, or until it is ended. Every callback is signed with each live
     * secret, so a receiver that knows one of them verifies all. With two live secrets it is 05: end one first.
     */
    public Result<Data.NewCallbackSecret> vendorCallbackSecrets(Params.VendorCallbackSecrets fields) {
        return invoke(RouteTable.VENDOR_CALLBACK_SECRETS, fields.values(), null);
    }

    /**
     * End a secret of the vendor's callbacks.
     *
     * <p>POST /vendor/callback/secrets/{secretId}/end; for vendor.
     *
     * <p>At once, or at a time. Nothing is signed with it afterwards; without a live secret nothing is sent. A later call
     * changes a planned end; an end is final.
     */
    public Result<Object> vendorCallbackSecretsEnd(Params.VendorCallbackSecretsEnd fields) {
        return invoke(RouteTable.VENDOR_CALLBACK_SECRETS_END, fields.values(), null);
    }

    /**
     * Where a merchant gets callbacks.
     *
     * <p>GET /vendor/merchants/{merchantId}/callback; for vendor.
     *
     * <p>Its own endpoint, with the ids of the live secrets that sign its callbacks. Without one, the vendor's gets them.
     */
    public Result<Data.CallbackEndpoint> vendorMerchantsCallbackGet(Params.VendorMerchantsCallbackGet fields) {
        return invoke(RouteTable.VENDOR_MERCHANTS_CALLBACK_GET, fields.values(), null);
    }

    /**
     * Set where a merchant gets callbacks.
     *
     * <p>PUT /vendor/merchants/{merchantId}/callback; for vendor.
     *
     * <p>Its own endpoint, which wins over the vendor's. An HTTPS address on the public internet; a sandbox takes http
     * and this machine's addresses, too. Callbacks of the merchant that wait are sent there now. An endpoint that
     * answered 410 Gone is enabled again.
     */
    public Result<Data.CallbackEndpoint> vendorMerchantsCallbackUpdate(Params.VendorMerchantsCallbackUpdate fields) {
        return invoke(RouteTable.VENDOR_MERCHANTS_CALLBACK_UPDATE, fields.values(), null);
    }

    /**
     * Remove a merchant's endpoint.
     *
     * <p>DELETE /vendor/merchants/{merchantId}/callback; for vendor.
     *
     * <p>Its callbacks go to the vendor's endpoint. Where there is none, those that wait are given up.
     */
    public Result<Object> vendorMerchantsCallbackDelete(Params.VendorMerchantsCallbackDelete fields) {
        return invoke(RouteTable.VENDOR_MERCHANTS_CALLBACK_DELETE, fields.values(), null);
    }

    /**
     * Create a secret of a merchant's callbacks.
     *
     * <p>POST /vendor/merchants/{merchantId}/callback/secrets; for vendor.
     *
     * <p>The present secret stays valid until formerEndsAt, or until it is ended. Every callback is signed with each live
     * secret, so a receiver that knows one of them verifies all. With two live secrets it is 05: end one first.
     */
    public Result<Data.NewCallbackSecret> vendorMerchantsCallbackSecrets(Params.VendorMerchantsCallbackSecrets fields) {
        return invoke(RouteTable.VENDOR_MERCHANTS_CALLBACK_SECRETS, fields.values(), null);
    }

    /**
     * End a secret of a merchant's callbacks.
     *
     * <p>POST /vendor/merchants/{merchantId}/callback/secrets/{secretId}/end; for vendor.
     *
     * <p>At once, or at a time. Nothing is signed with it afterwards; without a live secret nothing is sent. A later call
     * changes a planned end; an end is final.
     */
    public Result<Object> vendorMerchantsCallbackSecretsEnd(Params.VendorMerchantsCallbackSecretsEnd fields) {
        return invoke(RouteTable.VENDOR_MERCHANTS_CALLBACK_SECRETS_END, fields.values(), null);
    }

    /**
     * Callbacks to the vendor's merchants.
     *
     * <p>GET /vendor/callbacks; for vendor.
     *
     * <p>Newest first, in pages: after takes next of the page before. They are those of the days from and to, by default
     * of 30 days.
     */
    public Result<List<Data.CallbackDelivery>> vendorCallbacksList() {
        return invoke(RouteTable.VENDOR_CALLBACKS_LIST, Map.of(), null);
    }

    /**
     * Callbacks to the vendor's merchants.
     *
     * <p>GET /vendor/callbacks; for vendor.
     *
     * <p>Newest first, in pages: after takes next of the page before. They are those of the days from and to, by default
     * of 30 days.
     */
    public Result<List<Data.CallbackDelivery>> vendorCallbacksList(Params.VendorCallbacksList fields) {
        return invoke(RouteTable.VENDOR_CALLBACKS_LIST, fields.values(), null);
    }

    /**
     * One callback with its attempts.
     *
     * <p>GET /vendor/callbacks/{operationId}; for vendor.
     */
    public Result<Data.CallbackDelivery> vendorCallbacksGet(Params.VendorCallbacksGet fields) {
        return invoke(RouteTable.VENDOR_CALLBACKS_GET, fields.values(), null);
    }

    /**
     * Send a callback again.
     *
     * <p>POST /vendor/callbacks/{operationId}/resend; for vendor.
     *
     * <p>Now, and for another full period of attempts, whether it was delivered or given up. An operation that was
     * pending, and ended while there was no endpoint, gets a callback by it. One that is being sent at this moment, or
     * has no callback, is 05.
     */
    public Result<Object> vendorCallbacksResend(Params.VendorCallbacksResend fields) {
        return invoke(RouteTable.VENDOR_CALLBACKS_RESEND, fields.values(), null);
    }

    /**
     * Operations of the vendor's merchants.
     *
     * <p>GET /vendor/operations; for vendor.
     *
     * <p>Transactions, newest first, of the days from and to, by default of 30 days. JSON comes in pages: after takes
     * next of the page before. With format=csv (direct routes only), all of them come in one file, whose cells are no
     * formulas. The Aadhaar number is masked.
     */
    public Result<List<Data.VendorOperation>> vendorOperations() {
        return invoke(RouteTable.VENDOR_OPERATIONS, Map.of(), null);
    }

    /**
     * Operations of the vendor's merchants.
     *
     * <p>GET /vendor/operations; for vendor.
     *
     * <p>Transactions, newest first, of the days from and to, by default of 30 days. JSON comes in pages: after takes
     * next of the page before. With format=csv (direct routes only), all of them come in one file, whose cells are no
     * formulas. The Aadhaar number is masked.
     */
    public Result<List<Data.VendorOperation>> vendorOperations(Params.VendorOperations fields) {
        return invoke(RouteTable.VENDOR_OPERATIONS, fields.values(), null);
    }

    /**
     * The limits in force.
     *
     * <p>GET /limits; for merchant, vendor.
     *
     * <p>So that an amount can be refused before a finger is asked for. Every operation is held against them again.
     */
    public Result<List<Data.Limit>> limits() {
        return invoke(RouteTable.LIMITS, Map.of(), null);
    }
}
