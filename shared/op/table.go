package op

// Routes of AEPS transactions (interface.md, section 4.2).
const (
	Withdrawal    RouteID = "POST /aeps/withdrawal"
	Balance       RouteID = "POST /aeps/balance"
	MiniStatement RouteID = "POST /aeps/minstatement"
	ReqAuth       RouteID = "POST /aeps/reqAuth"
	Purchase      RouteID = "POST /aeps/purchase"
	AuthStatus    RouteID = "GET /aeps/authStatus"
	Banks         RouteID = "GET /aeps/banks"
	AEPSRequery   RouteID = "POST /aeps/requery" // own addition
)

// Routes of AEPS onboarding (interface.md, section 4.1).
const (
	AgentInitialize  RouteID = "POST /aeps/initialize"
	AgentOnboarding  RouteID = "POST /aeps/onboarding"
	AgentRequestOTP  RouteID = "POST /aeps/request_otp"
	AgentValidateOTP RouteID = "POST /aeps/validate_otp"
	AgentVerifyPAN   RouteID = "POST /aeps/verify_pan"
	AgentUpdateUID   RouteID = "POST /aeps/update_UID"
	AgentUpdateBio   RouteID = "POST /aeps/updatebiodetail"
	AgentSubmit      RouteID = "POST /aeps/submit"
	AgentStatus      RouteID = "GET /aeps/statusCheck"
	AgentDetail      RouteID = "POST /aeps/GetAgentDetail"
)

// Routes of the DMT customer's onboarding (interface.md, section 4.3).
const (
	CustomerDetail      RouteID = "POST /dmt/customer/GetDetail"
	CustomerOnboarding  RouteID = "POST /dmt/customer/onboarding"
	CustomerRequestOTP  RouteID = "POST /dmt/customer/request_otp"
	CustomerValidateOTP RouteID = "POST /dmt/customer/validate_otp"
	CustomerVerifyUID   RouteID = "POST /dmt/customer/verify_UID"
	CustomerUpdateBio   RouteID = "POST /dmt/customer/updatebiodetail"
	CustomerSubmit      RouteID = "POST /dmt/customer/submit"
	CustomerStatus      RouteID = "GET /dmt/customer/statusCheck"
)

// Routes of remitters, beneficiaries and transfers (interface.md, section 4.4).
const (
	RemitterRegister    RouteID = "POST /dmt/txn/v1/remitter/register"
	RemitterDetails     RouteID = "POST /dmt/txn/v1/remitter/details"
	AccountVerification RouteID = "POST /dmt/txn/v1/beneficiary/accountVerification"
	BeneficiaryAdd      RouteID = "POST /dmt/txn/v1/beneficiary/add"
	BeneficiaryGet      RouteID = "POST /dmt/txn/v1/beneficiary/get"
	BeneficiaryDelete   RouteID = "POST /dmt/txn/v1/beneficiary/delete"
	TransferOTP         RouteID = "POST /dmt/txn/v1/transaction/otp"
	Transfer            RouteID = "POST /dmt/txn/v1/transaction/instant"
	TransferCharges     RouteID = "POST /dmt/txn/v1/transaction/charges"
	TransferRequery     RouteID = "POST /dmt/txn/v1/transaction/requery"
	RefundOTP           RouteID = "POST /dmt/txn/v1/transaction/refundOTP"
	Refund              RouteID = "POST /dmt/txn/v1/refund"
	FloatBalance        RouteID = "POST /dmt/txn/v1/transaction/balance"
	Login               RouteID = "POST /dmt/txn/v1/login"

	BCRegister        RouteID = "POST /onboarding/dmt/bc/registor" // the interface's spelling
	BCAgentRegister   RouteID = "POST /onboarding/dmt/bc/agent/registor"
	BCAgentInitialize RouteID = "POST /onboarding/dmt/bc/agent/initialize"
	BCStatus          RouteID = "POST /onboarding/dmt/bc/status"
)

// Routes of UPI and of vendor administration (interface.md, sections 4.5 and 4.6).
const (
	GenerateQR  RouteID = "POST /upi/txn/v1/GenerateQR"
	UPIStatus   RouteID = "POST /upi/txn/v1/status"  // own addition
	UPIPayments RouteID = "GET /upi/txn/v1/payments" // own addition

	VendorMerchants RouteID = "GET /vendor/merchants"
	VendorMe        RouteID = "GET /vendor/me"
	SlabList        RouteID = "GET /vendor-commission/:vendorId/commission"
	SlabCreate      RouteID = "POST /vendor-commission/:vendorId/commission"
	SlabChange      RouteID = "PUT /vendor-commission/:vendorId/commission/:slabId"
	SlabDelete      RouteID = "DELETE /vendor-commission/:vendorId/commission/:slabId"
	Earnings        RouteID = "GET /vendor-commission/:vendorId/earnings" // own addition
)

// What the bank network reports. These are no routes of the interface, and not in the
// table: nobody calls them.
const (
	PaymentReceived RouteID = "NETWORK upi.received" // a payment by UPI for a merchant
	PaymentReturned RouteID = "NETWORK upi.returned" // the bank gave one back to its payer
)

// Our own additions (interface.md, section 4.8).
const (
	MintTerminal   RouteID = "POST /terminals"
	ListTerminals  RouteID = "GET /terminals"
	RevokeTerminal RouteID = "DELETE /terminals/:id"
	EnrolTerminal  RouteID = "POST /terminals/enrol"
	OperationState RouteID = "GET /operations/:id"
	LimitsInForce  RouteID = "GET /limits"                  // amounts that are allowed now
	ReceiptMessage RouteID = "POST /operations/:id/message" // on the uplink only (uplink.md, section 10)
)

// What vendors manage by themselves (interface.md, section 4.8).
const (
	VendorKeys           RouteID = "GET /vendor/keys"
	VendorKeyAdd         RouteID = "POST /vendor/keys"
	VendorKeyEnd         RouteID = "POST /vendor/keys/:keyId/end"
	VendorClients        RouteID = "GET /vendor/clients"
	VendorSecretAdd      RouteID = "POST /vendor/clients/:clientId/secrets"
	VendorSecretEnd      RouteID = "POST /vendor/clients/:clientId/secrets/:secretId/end"
	CallbackEndpoint     RouteID = "GET /vendor/merchants/:merchantId/callback"
	CallbackEndpointSet  RouteID = "PUT /vendor/merchants/:merchantId/callback"
	CallbackEndpointEnd  RouteID = "DELETE /vendor/merchants/:merchantId/callback"
	CallbackSecretAdd    RouteID = "POST /vendor/merchants/:merchantId/callback/secrets"
	CallbackSecretEnd    RouteID = "POST /vendor/merchants/:merchantId/callback/secrets/:secretId/end"
	VendorEndpoint       RouteID = "GET /vendor/callback"
	VendorEndpointSet    RouteID = "PUT /vendor/callback"
	VendorEndpointEnd    RouteID = "DELETE /vendor/callback"
	EndpointSecretAdd    RouteID = "POST /vendor/callback/secrets"
	EndpointSecretEnd    RouteID = "POST /vendor/callback/secrets/:secretId/end"
	VendorCallbacks      RouteID = "GET /vendor/callbacks"
	VendorCallback       RouteID = "GET /vendor/callbacks/:operationId"
	VendorCallbackResend RouteID = "POST /vendor/callbacks/:operationId/resend"
	VendorOperations     RouteID = "GET /vendor/operations"
)

// Who may call, and through which entrances (interface.md, sections 4.7 and 5.3).
const allEntrances = Direct | Gateway | Uplink

func merchantsAndVendors() []Role   { return []Role{Merchant, Vendor} }
func vendorsOnly() []Role           { return []Role{Vendor} }
func aggregatorsOnly() []Role       { return []Role{Aggregator} }
func aggregatorsAndVendors() []Role { return []Role{Aggregator, Vendor} }
func merchantsOnly() []Role         { return []Role{Merchant} }

// The classes are those of operations.md, section 8.2. What takes a fingerprint or
// an OTP and moves no money is an Enquiry, since it must not wait in a queue; other
// changes of a record are of class Record. withPath adds methods and paths.
var table = []Route{
	{ID: AgentInitialize, Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.1"},
	{ID: AgentOnboarding, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.1"},
	{ID: AgentRequestOTP, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.1"},
	{ID: AgentValidateOTP, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.1"},
	{ID: AgentVerifyPAN, Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.1"},
	{ID: AgentUpdateUID, Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.1"},
	{ID: AgentUpdateBio, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.1"},
	{ID: AgentSubmit, Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.1"},
	{ID: AgentStatus, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.1"},
	{ID: AgentDetail, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.1"},
	{ID: AEPSRequery, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "own additions"},

	{ID: Withdrawal, Roles: merchantsAndVendors(), Class: Money, Entrances: allEntrances, Section: "4.2", AEPS: true},
	{ID: Balance, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.2", AEPS: true},
	{ID: MiniStatement, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.2", AEPS: true},
	{ID: ReqAuth, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.2", AEPS: true},
	{ID: Purchase, Roles: merchantsAndVendors(), Class: Money, Entrances: allEntrances, Section: "4.2", AEPS: true},
	{ID: AuthStatus, Roles: merchantsAndVendors(), Class: Reference, Entrances: allEntrances, Section: "4.2"},
	{ID: Banks, Roles: merchantsAndVendors(), Class: Reference, Entrances: allEntrances, Section: "4.2"},

	{ID: CustomerDetail, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.3"},
	{ID: CustomerOnboarding, Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.3"},
	{ID: CustomerRequestOTP, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.3"},
	{ID: CustomerValidateOTP, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.3"},
	{ID: CustomerVerifyUID, Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.3"},
	{ID: CustomerUpdateBio, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.3"},
	{ID: CustomerSubmit, Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.3"},
	{ID: CustomerStatus, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.3"},

	{ID: RemitterRegister, Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.4"},
	{ID: RemitterDetails, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
	{ID: AccountVerification, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
	{ID: BeneficiaryAdd, Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.4"},
	{ID: BeneficiaryGet, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
	{ID: BeneficiaryDelete, Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.4"},
	{ID: TransferOTP, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
	{ID: Transfer, Roles: merchantsAndVendors(), Class: Money, Entrances: allEntrances, Section: "4.4"},
	{ID: TransferCharges, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
	{ID: TransferRequery, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
	{ID: RefundOTP, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
	{ID: Refund, Roles: merchantsAndVendors(), Class: Money, Entrances: allEntrances, Section: "4.4"},
	{ID: FloatBalance, Roles: aggregatorsOnly(), Class: Enquiry, Entrances: Direct, Section: "4.4"},
	{ID: Login, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},

	{ID: BCRegister, Roles: aggregatorsOnly(), Class: Record, Entrances: Direct, Section: "4.4"},
	{ID: BCAgentRegister, Roles: aggregatorsAndVendors(), Class: Record, Entrances: Direct, Section: "4.4"},
	{ID: BCAgentInitialize, Roles: aggregatorsAndVendors(), Class: Record, Entrances: Direct, Section: "4.4"},
	{ID: BCStatus, Roles: aggregatorsOnly(), Class: Enquiry, Entrances: Direct, Section: "4.4"},

	{ID: GenerateQR, Roles: merchantsOnly(), Class: Enquiry, Entrances: Direct | Uplink, Section: "4.5"},
	{ID: UPIStatus, Roles: merchantsOnly(), Class: Enquiry, Entrances: Direct | Uplink, Section: "own additions"},
	{ID: UPIPayments, Roles: merchantsOnly(), Class: Enquiry, Entrances: Direct | Uplink, Section: "own additions"},

	{ID: VendorMerchants, Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "4.6"},
	{ID: VendorMe, Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "4.6"},
	{ID: SlabList, Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "4.6"},
	{ID: SlabCreate, Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "4.6"},
	{ID: SlabChange, Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "4.6"},
	{ID: SlabDelete, Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "4.6"},
	{ID: Earnings, Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "own additions"},

	{ID: VendorKeys, Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: VendorKeyAdd, Roles: vendorsOnly(), Class: Record, Entrances: Direct, Section: "own additions"},
	{ID: VendorKeyEnd, Roles: vendorsOnly(), Class: Record, Entrances: Direct, Section: "own additions"},
	{ID: VendorClients, Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: VendorSecretAdd, Roles: vendorsOnly(), Class: Record, Entrances: Direct, Section: "own additions"},
	{ID: VendorSecretEnd, Roles: vendorsOnly(), Class: Record, Entrances: Direct, Section: "own additions"},
	{ID: CallbackEndpoint, Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: CallbackEndpointSet, Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: CallbackEndpointEnd, Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: CallbackSecretAdd, Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: CallbackSecretEnd, Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: VendorEndpoint, Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: VendorEndpointSet, Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: VendorEndpointEnd, Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: EndpointSecretAdd, Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: EndpointSecretEnd, Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: VendorCallbacks, Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: VendorCallback, Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: VendorCallbackResend, Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "own additions"},
	{ID: VendorOperations, Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "own additions"},

	{ID: LimitsInForce, Roles: merchantsAndVendors(), Class: Reference, Entrances: allEntrances, Section: "own additions"},

	{ID: MintTerminal, Roles: merchantsAndVendors(), Class: Record, Entrances: Direct, Section: "own additions"},
	{ID: ListTerminals, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: Direct, Section: "own additions"},
	{ID: RevokeTerminal, Roles: merchantsAndVendors(), Class: Record, Entrances: Direct, Section: "own additions"},
	{ID: EnrolTerminal, Class: Record, Entrances: Direct, Section: "own additions"},
	{ID: OperationState, Roles: merchantsAndVendors(), Class: Enquiry, Entrances: Direct | Uplink, Section: "own additions"},
	{ID: ReceiptMessage, Roles: merchantsOnly(), Class: Record, Entrances: Uplink, Section: "own additions"},
}
