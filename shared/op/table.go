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
	GenerateQR RouteID = "POST /upi/txn/v1/GenerateQR"

	VendorMerchants RouteID = "GET /vendor/merchants"
	VendorMe        RouteID = "GET /vendor/me"
	SlabList        RouteID = "GET /vendor-commission/:vendorId/commission"
	SlabCreate      RouteID = "POST /vendor-commission/:vendorId/commission"
	SlabChange      RouteID = "PUT /vendor-commission/:vendorId/commission/:slabId"
	SlabDelete      RouteID = "DELETE /vendor-commission/:vendorId/commission/:slabId"
	Earnings        RouteID = "GET /vendor-commission/:vendorId/earnings" // own addition
)

// Our own additions (interface.md, section 4.8).
const (
	MintTerminal   RouteID = "POST /terminals"
	ListTerminals  RouteID = "GET /terminals"
	RevokeTerminal RouteID = "DELETE /terminals/:id"
	EnrolTerminal  RouteID = "POST /terminals/enrol"
	OperationState RouteID = "GET /operations/:id"
	LimitsInForce  RouteID = "GET /limits" // amounts that are allowed now
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
// changes of a record are of class Record.

func aepsRoutes() []Route {
	return []Route{
		{ID: Withdrawal, Method: "POST", Path: "/aeps/withdrawal", Roles: merchantsAndVendors(), Class: Money, Entrances: allEntrances, Section: "4.2", AEPS: true},
		{ID: Balance, Method: "POST", Path: "/aeps/balance", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.2", AEPS: true},
		{ID: MiniStatement, Method: "POST", Path: "/aeps/minstatement", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.2", AEPS: true},
		{ID: ReqAuth, Method: "POST", Path: "/aeps/reqAuth", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.2", AEPS: true},
		{ID: Purchase, Method: "POST", Path: "/aeps/purchase", Roles: merchantsAndVendors(), Class: Money, Entrances: allEntrances, Section: "4.2", AEPS: true},
		{ID: AuthStatus, Method: "GET", Path: "/aeps/authStatus", Roles: merchantsAndVendors(), Class: Reference, Entrances: allEntrances, Section: "4.2"},
		{ID: Banks, Method: "GET", Path: "/aeps/banks", Roles: merchantsAndVendors(), Class: Reference, Entrances: allEntrances, Section: "4.2"},
	}
}

func agentRoutes() []Route {
	return []Route{
		{ID: AgentInitialize, Method: "POST", Path: "/aeps/initialize", Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.1"},
		{ID: AgentOnboarding, Method: "POST", Path: "/aeps/onboarding", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.1"},
		{ID: AgentRequestOTP, Method: "POST", Path: "/aeps/request_otp", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.1"},
		{ID: AgentValidateOTP, Method: "POST", Path: "/aeps/validate_otp", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.1"},
		{ID: AgentVerifyPAN, Method: "POST", Path: "/aeps/verify_pan", Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.1"},
		{ID: AgentUpdateUID, Method: "POST", Path: "/aeps/update_UID", Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.1"},
		{ID: AgentUpdateBio, Method: "POST", Path: "/aeps/updatebiodetail", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.1"},
		{ID: AgentSubmit, Method: "POST", Path: "/aeps/submit", Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.1"},
		{ID: AgentStatus, Method: "GET", Path: "/aeps/statusCheck", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.1"},
		{ID: AgentDetail, Method: "POST", Path: "/aeps/GetAgentDetail", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.1"},
		{ID: AEPSRequery, Method: "POST", Path: "/aeps/requery", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "own additions"},
	}
}

func customerRoutes() []Route {
	return []Route{
		{ID: CustomerDetail, Method: "POST", Path: "/dmt/customer/GetDetail", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.3"},
		{ID: CustomerOnboarding, Method: "POST", Path: "/dmt/customer/onboarding", Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.3"},
		{ID: CustomerRequestOTP, Method: "POST", Path: "/dmt/customer/request_otp", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.3"},
		{ID: CustomerValidateOTP, Method: "POST", Path: "/dmt/customer/validate_otp", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.3"},
		{ID: CustomerVerifyUID, Method: "POST", Path: "/dmt/customer/verify_UID", Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.3"},
		{ID: CustomerUpdateBio, Method: "POST", Path: "/dmt/customer/updatebiodetail", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.3"},
		{ID: CustomerSubmit, Method: "POST", Path: "/dmt/customer/submit", Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.3"},
		{ID: CustomerStatus, Method: "GET", Path: "/dmt/customer/statusCheck", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.3"},
	}
}

func transferRoutes() []Route {
	return []Route{
		{ID: RemitterRegister, Method: "POST", Path: "/dmt/txn/v1/remitter/register", Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.4"},
		{ID: RemitterDetails, Method: "POST", Path: "/dmt/txn/v1/remitter/details", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
		{ID: AccountVerification, Method: "POST", Path: "/dmt/txn/v1/beneficiary/accountVerification", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
		{ID: BeneficiaryAdd, Method: "POST", Path: "/dmt/txn/v1/beneficiary/add", Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.4"},
		{ID: BeneficiaryGet, Method: "POST", Path: "/dmt/txn/v1/beneficiary/get", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
		{ID: BeneficiaryDelete, Method: "POST", Path: "/dmt/txn/v1/beneficiary/delete", Roles: merchantsAndVendors(), Class: Record, Entrances: allEntrances, Section: "4.4"},
		{ID: TransferOTP, Method: "POST", Path: "/dmt/txn/v1/transaction/otp", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
		{ID: Transfer, Method: "POST", Path: "/dmt/txn/v1/transaction/instant", Roles: merchantsAndVendors(), Class: Money, Entrances: allEntrances, Section: "4.4"},
		{ID: TransferCharges, Method: "POST", Path: "/dmt/txn/v1/transaction/charges", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
		{ID: TransferRequery, Method: "POST", Path: "/dmt/txn/v1/transaction/requery", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
		{ID: RefundOTP, Method: "POST", Path: "/dmt/txn/v1/transaction/refundOTP", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},
		{ID: Refund, Method: "POST", Path: "/dmt/txn/v1/refund", Roles: merchantsAndVendors(), Class: Money, Entrances: allEntrances, Section: "4.4"},
		{ID: FloatBalance, Method: "POST", Path: "/dmt/txn/v1/transaction/balance", Roles: aggregatorsOnly(), Class: Enquiry, Entrances: Direct, Section: "4.4"},
		{ID: Login, Method: "POST", Path: "/dmt/txn/v1/login", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: allEntrances, Section: "4.4"},

		{ID: BCRegister, Method: "POST", Path: "/onboarding/dmt/bc/registor", Roles: aggregatorsOnly(), Class: Record, Entrances: Direct, Section: "4.4"},
		{ID: BCAgentRegister, Method: "POST", Path: "/onboarding/dmt/bc/agent/registor", Roles: aggregatorsAndVendors(), Class: Record, Entrances: Direct, Section: "4.4"},
		{ID: BCAgentInitialize, Method: "POST", Path: "/onboarding/dmt/bc/agent/initialize", Roles: aggregatorsAndVendors(), Class: Record, Entrances: Direct, Section: "4.4"},
		{ID: BCStatus, Method: "POST", Path: "/onboarding/dmt/bc/status", Roles: aggregatorsOnly(), Class: Enquiry, Entrances: Direct, Section: "4.4"},
	}
}

func upiRoutes() []Route {
	return []Route{
		{ID: GenerateQR, Method: "POST", Path: "/upi/txn/v1/GenerateQR", Roles: merchantsOnly(), Class: Enquiry, Entrances: Direct | Uplink, Section: "4.5"},
	}
}

func vendorRoutes() []Route {
	return []Route{
		{ID: VendorMerchants, Method: "GET", Path: "/vendor/merchants", Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "4.6"},
		{ID: VendorMe, Method: "GET", Path: "/vendor/me", Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "4.6"},
		{ID: SlabList, Method: "GET", Path: "/vendor-commission/:vendorId/commission", Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "4.6"},
		{ID: SlabCreate, Method: "POST", Path: "/vendor-commission/:vendorId/commission", Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "4.6"},
		{ID: SlabChange, Method: "PUT", Path: "/vendor-commission/:vendorId/commission/:slabId", Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "4.6"},
		{ID: SlabDelete, Method: "DELETE", Path: "/vendor-commission/:vendorId/commission/:slabId", Roles: vendorsOnly(), Class: Record, Entrances: Direct | Gateway, Section: "4.6"},
		{ID: Earnings, Method: "GET", Path: "/vendor-commission/:vendorId/earnings", Roles: vendorsOnly(), Class: Enquiry, Entrances: Direct | Gateway, Section: "own additions"},
	}
}

func limitRoutes() []Route {
	return []Route{
		{ID: LimitsInForce, Method: "GET", Path: "/limits", Roles: merchantsAndVendors(), Class: Reference, Entrances: allEntrances, Section: "own additions"},
	}
}

func ownRoutes() []Route {
	return []Route{
		{ID: MintTerminal, Method: "POST", Path: "/terminals", Roles: merchantsAndVendors(), Class: Record, Entrances: Direct, Section: "own additions"},
		{ID: ListTerminals, Method: "GET", Path: "/terminals", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: Direct, Section: "own additions"},
		{ID: RevokeTerminal, Method: "DELETE", Path: "/terminals/:id", Roles: merchantsAndVendors(), Class: Record, Entrances: Direct, Section: "own additions"},
		{ID: EnrolTerminal, Method: "POST", Path: "/terminals/enrol", Class: Record, Entrances: Direct, Section: "own additions"},
		{ID: OperationState, Method: "GET", Path: "/operations/:id", Roles: merchantsAndVendors(), Class: Enquiry, Entrances: Direct | Uplink, Section: "own additions"},
	}
}
