package api

import "galla/shared/op"

// RequestSpec describes the request of a route (interface.md, sections 2.2 and
// 4.1 to 4.5), as far as the counter needs it; the central checks every field.
type RequestSpec struct {
	Required []string // fields that must not be empty
	AEPS     bool     // the body is an AEPSRequest, which has no other fields
	Customer bool     // needs the customer's name and bank
	Session  bool     // needs the agent's authentication of today
	Aadhaar  bool     // takes an Aadhaar number
	Agent    bool     // the Aadhaar number is the agent's own
	OTP      bool     // takes an OTP
	Finger   bool     // takes PidData
	KYC      bool     // an e-KYC step: the PidData is captured with a wadh
	Amount   bool     // has an amount with limits
	Ref      bool     // the counter's own id is its refId
}

// HasSecret reports whether a part of the request must never be on disk. Such a
// request ends with the process.
func (s RequestSpec) HasSecret() bool { return s.OTP || s.Finger }

// SpecOf returns the spec of a route. A route without one accepts any fields.
func SpecOf(route op.RouteID) RequestSpec {
	switch {
	case route == op.ReqAuth:
		return RequestSpec{AEPS: true, Aadhaar: true, Finger: true, Agent: true}
	case IsAEPS(route):
		return RequestSpec{
			AEPS: true, Aadhaar: true, Finger: true, Customer: true, Session: true,
			Amount: route == op.Withdrawal || route == op.Purchase,
		}
	}
	account := []string{"senderId", "receiver_account_no", "receiverIfscCode"}
	switch route {
	case op.AgentValidateOTP:
		return RequestSpec{Required: []string{"otpreqid"}, OTP: true}
	case op.AgentVerifyPAN:
		return RequestSpec{Required: []string{"pan", "name", "dob"}}
	case op.AgentUpdateUID:
		return RequestSpec{Aadhaar: true, Agent: true}
	case op.AgentUpdateBio:
		return RequestSpec{Aadhaar: true, Agent: true, Finger: true, KYC: true}
	case op.CustomerDetail:
		return RequestSpec{Required: []string{"mobile_number"}}
	case op.CustomerOnboarding:
		return RequestSpec{Required: []string{"name", "mobile_no", "city", "state"}}
	case op.CustomerRequestOTP, op.CustomerSubmit, op.CustomerStatus:
		return RequestSpec{Required: []string{"referenceid"}}
	case op.CustomerValidateOTP:
		return RequestSpec{Required: []string{"otpreqid", "referenceid"}, OTP: true}
	case op.CustomerVerifyUID:
		return RequestSpec{Required: []string{"referenceid"}, Aadhaar: true}
	case op.CustomerUpdateBio:
		return RequestSpec{Required: []string{"referenceid"}, Aadhaar: true, Finger: true, KYC: true}
	case op.RemitterDetails:
		return RequestSpec{Required: []string{FieldMobile}}
	case op.AccountVerification:
		return RequestSpec{Required: account[1:]}
	case op.BeneficiaryAdd:
		return RequestSpec{Required: append(account, "receivername")}
	case op.BeneficiaryGet, op.BeneficiaryDelete:
		return RequestSpec{Required: account}
	case op.TransferOTP:
		return RequestSpec{Required: account, Amount: true}
	case op.Transfer:
		return RequestSpec{Required: append(account, "BeneficiaryId", "account_holder_name"), OTP: true, Amount: true, Ref: true}
	case op.TransferCharges:
		return RequestSpec{Required: []string{"senderId", FieldAmount}}
	case op.TransferRequery:
		return RequestSpec{Required: []string{FieldRef}}
	case op.RefundOTP:
		return RequestSpec{Required: []string{"refereanceId"}}
	case op.Refund:
		return RequestSpec{Required: []string{"transactionId", FieldRef}, OTP: true}
	case op.GenerateQR:
		return RequestSpec{Required: []string{"order_id"}}
	case op.OperationState:
		return RequestSpec{Required: []string{"id"}}
	}
	return RequestSpec{}
}

// IsAEPS reports whether a route is one of the five AEPS transactions.
func IsAEPS(r op.RouteID) bool {
	switch r {
	case op.Withdrawal, op.Balance, op.MiniStatement, op.ReqAuth, op.Purchase:
		return true
	}
	return false
}
