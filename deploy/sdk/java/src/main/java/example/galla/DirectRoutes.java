// Written by deploy/sdk/generate from the OpenAPI document; do not edit.

package example.galla;

import java.util.List;
import java.util.Map;

/** All routes: those of the gateway, and those that can be called directly only. */
public abstract class DirectRoutes extends GatewayRoutes {
    DirectRoutes(String baseUrl, String clientId, Options options) {
        super(baseUrl, clientId, options);
    }

    /**
     * The aggregator's float.
     *
     * <p>POST /dmt/txn/v1/transaction/balance; for aggregator.
     */
    public Result<Data.DmtTransactionBalanceData> dmtTransactionBalance() {
        return invoke(RouteTable.DMT_TRANSACTION_BALANCE, Map.of(), null);
    }

    /**
     * Register a business correspondent.
     *
     * <p>POST /onboarding/dmt/bc/registor; for aggregator.
     */
    public Result<Data.OnboardingDmtBcRegistorData> onboardingDmtBcRegistor(Params.OnboardingDmtBcRegistor fields) {
        return invoke(RouteTable.ONBOARDING_DMT_BC_REGISTOR, fields.values(), null);
    }

    /**
     * Register a business correspondent.
     *
     * <p>POST /onboarding/dmt/bc/registor; for aggregator.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.OnboardingDmtBcRegistorData> onboardingDmtBcRegistor(Params.OnboardingDmtBcRegistor fields, String idempotencyKey) {
        return invoke(RouteTable.ONBOARDING_DMT_BC_REGISTOR, fields.values(), idempotencyKey);
    }

    /**
     * Register an agent of a business correspondent.
     *
     * <p>POST /onboarding/dmt/bc/agent/registor; for aggregator, vendor.
     */
    public Result<Data.OnboardingDmtBcAgentRegistorData> onboardingDmtBcAgentRegistor(Params.OnboardingDmtBcAgentRegistor fields) {
        return invoke(RouteTable.ONBOARDING_DMT_BC_AGENT_REGISTOR, fields.values(), null);
    }

    /**
     * Register an agent of a business correspondent.
     *
     * <p>POST /onboarding/dmt/bc/agent/registor; for aggregator, vendor.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.OnboardingDmtBcAgentRegistorData> onboardingDmtBcAgentRegistor(Params.OnboardingDmtBcAgentRegistor fields, String idempotencyKey) {
        return invoke(RouteTable.ONBOARDING_DMT_BC_AGENT_REGISTOR, fields.values(), idempotencyKey);
    }

    /**
     * Activate an agent.
     *
     * <p>POST /onboarding/dmt/bc/agent/initialize; for aggregator, vendor.
     */
    public Result<Data.OnboardingDmtBcAgentInitializeData> onboardingDmtBcAgentInitialize(Params.OnboardingDmtBcAgentInitialize fields) {
        return invoke(RouteTable.ONBOARDING_DMT_BC_AGENT_INITIALIZE, fields.values(), null);
    }

    /**
     * Activate an agent.
     *
     * <p>POST /onboarding/dmt/bc/agent/initialize; for aggregator, vendor.
     *
     * @param idempotencyKey the operation's identity, the same at every repeat; null: a new one
     */
    public Result<Data.OnboardingDmtBcAgentInitializeData> onboardingDmtBcAgentInitialize(Params.OnboardingDmtBcAgentInitialize fields, String idempotencyKey) {
        return invoke(RouteTable.ONBOARDING_DMT_BC_AGENT_INITIALIZE, fields.values(), idempotencyKey);
    }

    /**
     * How a business correspondent or agent stands.
     *
     * <p>POST /onboarding/dmt/bc/status; for aggregator.
     *
     * <p>bcId or agentId; the agent is asked after where both are sent.
     */
    public Result<Data.Progress> onboardingDmtBcStatus() {
        return invoke(RouteTable.ONBOARDING_DMT_BC_STATUS, Map.of(), null);
    }

    /**
     * How a business correspondent or agent stands.
     *
     * <p>POST /onboarding/dmt/bc/status; for aggregator.
     *
     * <p>bcId or agentId; the agent is asked after where both are sent.
     */
    public Result<Data.Progress> onboardingDmtBcStatus(Params.OnboardingDmtBcStatus fields) {
        return invoke(RouteTable.ONBOARDING_DMT_BC_STATUS, fields.values(), null);
    }

    /**
     * Make a QR code.
     *
     * <p>POST /upi/txn/v1/GenerateQR; for merchant.
     *
     * <p>An amount makes a dynamic code, for that amount and that order; no amount, or 0, a static one. A repeated
     * order_id makes another code: nothing moved, so nothing conflicts. Merchants only: a vendor is refused before the
     * body is read.
     */
    public Result<Data.QRCode> upiGenerateQr(Params.UpiGenerateQr fields) {
        return invoke(RouteTable.UPI_GENERATE_QR, fields.values(), null);
    }

    /**
     * Whether an order was paid.
     *
     * <p>POST /upi/txn/v1/status; for merchant.
     *
     * <p>Of a dynamic code. PAID: a payment of the code's amount was received and not returned. AMOUNT_DIFFERS: what was
     * received has other amounts. RETURNED: the bank returned everything. OPEN or EXPIRED: nothing was received so
     * far, and a payment that comes later is recorded all the same. Two payments of one order are both listed, and
     * received is the sum of what was not returned. Merchants only.
     */
    public Result<Data.UPIOrder> upiStatus(Params.UpiStatus fields) {
        return invoke(RouteTable.UPI_STATUS, fields.values(), null);
    }

    /**
     * Payments that were received.
     *
     * <p>GET /upi/txn/v1/payments; for merchant.
     *
     * <p>Newest record first, of the Indian days from and to, by default of 30 days: of dynamic and static codes, and
     * those that no order was found for. after takes next of the page before. A payment is listed once the central has
     * recorded it, and is told by the callback upi.received, too. Merchants only.
     */
    public Result<List<Data.UPIPayment>> upiPayments() {
        return invoke(RouteTable.UPI_PAYMENTS, Map.of(), null);
    }

    /**
     * Payments that were received.
     *
     * <p>GET /upi/txn/v1/payments; for merchant.
     *
     * <p>Newest record first, of the Indian days from and to, by default of 30 days: of dynamic and static codes, and
     * those that no order was found for. after takes next of the page before. A payment is listed once the central has
     * recorded it, and is told by the callback upi.received, too. Merchants only.
     */
    public Result<List<Data.UPIPayment>> upiPayments(Params.UpiPayments fields) {
        return invoke(RouteTable.UPI_PAYMENTS, fields.values(), null);
    }

    /**
     * Create a key of the gateway.
     *
     * <p>POST /vendor/keys; for vendor.
     *
     * <p>The vendor's other key stays valid. With two live keys it is 05: end one first. A key whose reply was lost is in
     * the list: end it, and create another.
     */
    public Result<Data.NewVendorKey> vendorKeysCreate() {
        return invoke(RouteTable.VENDOR_KEYS_CREATE, Map.of(), null);
    }

    /**
     * End a key of the gateway.
     *
     * <p>POST /vendor/keys/{keyId}/end; for vendor.
     *
     * <p>At once, or at a time. Within a second every message under it is refused. A later call changes a planned end; an
     * end is final.
     */
    public Result<Object> vendorKeysEnd(Params.VendorKeysEnd fields) {
        return invoke(RouteTable.VENDOR_KEYS_END, fields.values(), null);
    }

    /**
     * Create a secret of a program.
     *
     * <p>POST /vendor/clients/{clientId}/secrets; for vendor.
     *
     * <p>The program's present secret, and the tokens that it got, stay valid until formerEndsAt, or until it is ended.
     * With two live secrets it is 05: end one first. A suspended program stays out, whatever its secrets.
     */
    public Result<Data.NewClientSecret> vendorClientsSecrets(Params.VendorClientsSecrets fields) {
        return invoke(RouteTable.VENDOR_CLIENTS_SECRETS, fields.values(), null);
    }

    /**
     * End a secret of a program.
     *
     * <p>POST /vendor/clients/{clientId}/secrets/{secretId}/end; for vendor.
     *
     * <p>Its tokens are refused within a second, and the program's open enrolment codes are void. With at, only the older
     * secret ends, at that time. A program's only secret can't be ended: 05.
     */
    public Result<Object> vendorClientsSecretsEnd(Params.VendorClientsSecretsEnd fields) {
        return invoke(RouteTable.VENDOR_CLIENTS_SECRETS_END, fields.values(), null);
    }

    /**
     * Make an enrolment code.
     *
     * <p>POST /terminals; for merchant, vendor.
     *
     * <p>A one-time code for the merchant's next terminal, valid for 15 minutes.
     */
    public Result<Data.EnrolmentCode> terminalsCreate() {
        return invoke(RouteTable.TERMINALS_CREATE, Map.of(), null);
    }

    /**
     * Make an enrolment code.
     *
     * <p>POST /terminals; for merchant, vendor.
     *
     * <p>A one-time code for the merchant's next terminal, valid for 15 minutes.
     */
    public Result<Data.EnrolmentCode> terminalsCreate(Params.TerminalsCreate fields) {
        return invoke(RouteTable.TERMINALS_CREATE, fields.values(), null);
    }

    /**
     * The merchant's terminals.
     *
     * <p>GET /terminals; for merchant, vendor.
     */
    public Result<List<Data.Terminal>> terminalsList() {
        return invoke(RouteTable.TERMINALS_LIST, Map.of(), null);
    }

    /**
     * The merchant's terminals.
     *
     * <p>GET /terminals; for merchant, vendor.
     */
    public Result<List<Data.Terminal>> terminalsList(Params.TerminalsList fields) {
        return invoke(RouteTable.TERMINALS_LIST, fields.values(), null);
    }

    /**
     * Revoke a terminal.
     *
     * <p>DELETE /terminals/{id}; for merchant, vendor.
     *
     * <p>At once: its connection is cut, too.
     */
    public Result<Object> terminalsDelete(Params.TerminalsDelete fields) {
        return invoke(RouteTable.TERMINALS_DELETE, fields.values(), null);
    }

    /**
     * Enrol a terminal.
     *
     * <p>POST /terminals/enrol; for everybody.
     *
     * <p>Binds the terminal's key to the merchant of the code. The code is the credential; there is no token. Of one
     * network ten wrong codes a minute are judged; then 429 says when to come back.
     */
    public Result<Data.EnrolledTerminal> terminalsEnrol(Params.TerminalsEnrol fields) {
        return invoke(RouteTable.TERMINALS_ENROL, fields.values(), null);
    }

    /**
     * The state of an operation.
     *
     * <p>GET /operations/{id}; for merchant, vendor.
     *
     * <p>One of the caller's own, by its id or by the identity that the caller chose.
     */
    public Result<Data.Operation> operationsGet(Params.OperationsGet fields) {
        return invoke(RouteTable.OPERATIONS_GET, fields.values(), null);
    }
}
