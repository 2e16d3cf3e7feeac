package dmt

import (
	"galla/central"
	"galla/central/form"
	"galla/shared/op"
)

// Route is a route whose work is one question to the bank network: read the
// fields, ask, pass the answer on.
type Route struct {
	ID   op.RouteID
	Kind central.Kind
	// Acting: the route acts for one merchant, whom a vendor must name.
	Acting bool
	// Read checks the fields, notes in the reader what is wrong with them, and
	// puts them into the request.
	Read func(in *form.Reader, r *central.BankRequest)
	// Message is the interface's word for a success; empty: the network's.
	Message string
	// Bare: a success has no data (column 'Response' of sections 4.3 and 4.4).
	Bare bool
}

// Routes lists them in the order of the document. Transfers, refunds and what
// is asked about them are no part of it: they touch the central's own records.
func Routes() []Route {
	return []Route{
		{ID: op.CustomerDetail, Kind: central.KindCustomerDetail, Acting: true, Read: customerDetail, Message: "Customer found"},
		{ID: op.CustomerOnboarding, Kind: central.KindCustomerOnboarding, Acting: true, Read: customerOnboarding, Message: "Customer onboarding begun"},
		{ID: op.CustomerRequestOTP, Kind: central.KindCustomerOTP, Acting: true, Read: enrolment, Message: "OTP sent successfully"},
		{ID: op.CustomerValidateOTP, Kind: central.KindCustomerOTPCheck, Acting: true, Read: customerOTPCheck, Message: "OTP verified", Bare: true},
		{ID: op.CustomerVerifyUID, Kind: central.KindCustomerUID, Acting: true, Read: customerUID, Message: "Aadhaar number verified", Bare: true},
		{ID: op.CustomerUpdateBio, Kind: central.KindCustomerBiometric, Acting: true, Read: customerBiometric, Message: "Biometric details updated", Bare: true},
		{ID: op.CustomerSubmit, Kind: central.KindCustomerSubmit, Acting: true, Read: enrolment},
		{ID: op.CustomerStatus, Kind: central.KindCustomerStatus, Acting: true, Read: enrolment},

		{ID: op.RemitterRegister, Kind: central.KindRemitterRegister, Acting: true, Read: remitterRegister, Message: "Remitter registered"},
		{ID: op.RemitterDetails, Kind: central.KindRemitterDetails, Acting: true, Read: remitterDetails, Message: "sender found"},
		{ID: op.AccountVerification, Kind: central.KindAccountVerification, Acting: true, Read: accountVerification, Message: "Account verification answered; see its status"},
		{ID: op.BeneficiaryAdd, Kind: central.KindBeneficiaryAdd, Acting: true, Read: beneficiaryAdd, Message: "Beneficiary added successfully"},
		{ID: op.BeneficiaryGet, Kind: central.KindBeneficiaryGet, Acting: true, Read: beneficiary, Message: "Beneficiary found"},
		{ID: op.BeneficiaryDelete, Kind: central.KindBeneficiaryDelete, Acting: true, Read: beneficiary, Message: "Beneficiary deleted successfully", Bare: true},
		{ID: op.TransferOTP, Kind: central.KindTransferOTP, Acting: true, Read: transferOTP, Message: "OTP sent successfully", Bare: true},
		{ID: op.TransferCharges, Kind: central.KindTransferCharges, Acting: true, Read: transferCharges, Message: "Charges"},
		{ID: op.FloatBalance, Kind: central.KindFloatBalance, Read: nothing, Message: "Balance"},
		{ID: op.Login, Kind: central.KindLogin, Acting: true, Read: nothing, Message: "Login successful"},

		{ID: op.BCRegister, Kind: central.KindBCRegister, Read: bcRegister},
		{ID: op.BCAgentRegister, Kind: central.KindBCAgentRegister, Read: bcAgentRegister},
		{ID: op.BCAgentInitialize, Kind: central.KindBCAgentInitialize, Read: bcAgentInitialize},
		{ID: op.BCStatus, Kind: central.KindBCStatus, Read: bcStatus},
	}
}

// Find gives the route of an id; false: it is none of Routes.
func Find(id op.RouteID) (Route, bool) {
	for _, r := range Routes() {
		if r.ID == id {
			return r, true
		}
	}
	return Route{}, false
}
