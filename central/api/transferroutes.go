package api

import (
	"galla/central"
	"galla/central/api/field"
	"galla/shared/op"
)

// forwardRoute is a route that is one request to the bank network: read the
// fields, ask, pass the answer on.
type forwardRoute struct {
	ID   op.RouteID
	Kind central.Kind
	// ActsForMerchant is true if a vendor must name the merchant.
	ActsForMerchant bool
	// Read reads the fields into the request and records in the reader what is
	// wrong with them.
	Read func(in *field.Reader, r *central.BankRequest)
	// Message is the interface's message of a success; empty: the network's.
	Message string
	// WithoutData is true if a success has no data (interface.md, sections 4.3
	// and 4.4, column 'Response').
	WithoutData bool
}

// forwardRoutes lists these routes in the order of the document. Transfers, refunds
// and requeries are not among them: they use the central's own records.
func forwardRoutes() []forwardRoute {
	return []forwardRoute{
		{ID: op.CustomerDetail, Kind: central.KindCustomerDetail, ActsForMerchant: true, Read: readCustomerDetail, Message: "Customer found"},
		{ID: op.CustomerOnboarding, Kind: central.KindCustomerOnboarding, ActsForMerchant: true, Read: readCustomerOnboarding, Message: "Customer onboarding begun"},
		{ID: op.CustomerRequestOTP, Kind: central.KindCustomerOTP, ActsForMerchant: true, Read: readEnrolment, Message: "OTP sent successfully"},
		{ID: op.CustomerValidateOTP, Kind: central.KindCustomerOTPCheck, ActsForMerchant: true, Read: readCustomerOTPCheck, Message: "OTP verified", WithoutData: true},
		{ID: op.CustomerVerifyUID, Kind: central.KindCustomerUID, ActsForMerchant: true, Read: readCustomerUID, Message: "Aadhaar number verified", WithoutData: true},
		{ID: op.CustomerUpdateBio, Kind: central.KindCustomerBiometric, ActsForMerchant: true, Read: readCustomerBiometric, Message: "Biometric details updated", WithoutData: true},
		{ID: op.CustomerSubmit, Kind: central.KindCustomerSubmit, ActsForMerchant: true, Read: readEnrolment},
		{ID: op.CustomerStatus, Kind: central.KindCustomerStatus, ActsForMerchant: true, Read: readEnrolment},

		{ID: op.RemitterRegister, Kind: central.KindRemitterRegister, ActsForMerchant: true, Read: readRemitterRegister, Message: "Remitter registered"},
		{ID: op.RemitterDetails, Kind: central.KindRemitterDetails, ActsForMerchant: true, Read: readRemitterDetails, Message: "sender found"},
		{ID: op.AccountVerification, Kind: central.KindAccountVerification, ActsForMerchant: true, Read: readAccountVerification, Message: "Account verification answered; see its status"},
		{ID: op.BeneficiaryAdd, Kind: central.KindBeneficiaryAdd, ActsForMerchant: true, Read: readBeneficiaryAdd, Message: "Beneficiary added successfully"},
		{ID: op.BeneficiaryGet, Kind: central.KindBeneficiaryGet, ActsForMerchant: true, Read: readBeneficiary, Message: "Beneficiary found"},
		{ID: op.BeneficiaryDelete, Kind: central.KindBeneficiaryDelete, ActsForMerchant: true, Read: readBeneficiary, Message: "Beneficiary deleted successfully", WithoutData: true},
		{ID: op.TransferOTP, Kind: central.KindTransferOTP, ActsForMerchant: true, Read: readTransferOTP, Message: "OTP sent successfully", WithoutData: true},
		{ID: op.TransferCharges, Kind: central.KindTransferCharges, ActsForMerchant: true, Read: readTransferCharges, Message: "Charges"},
		{ID: op.FloatBalance, Kind: central.KindFloatBalance, Read: readNoFields, Message: "Balance"},
		{ID: op.Login, Kind: central.KindLogin, ActsForMerchant: true, Read: readNoFields, Message: "Login successful"},

		{ID: op.BCRegister, Kind: central.KindBCRegister, Read: readBCRegister},
		{ID: op.BCAgentRegister, Kind: central.KindBCAgentRegister, Read: readBCAgentRegister},
		{ID: op.BCAgentInitialize, Kind: central.KindBCAgentInitialize, Read: readBCAgentInitialize},
		{ID: op.BCStatus, Kind: central.KindBCStatus, Read: readBCStatus},
	}
}

// findForwardRoute returns the route with an id; false if it is none of them.
func findForwardRoute(id op.RouteID) (forwardRoute, bool) {
	for _, r := range forwardRoutes() {
		if r.ID == id {
			return r, true
		}
	}
	return forwardRoute{}, false
}
