package message

import "galla/shared/op"

// Shape is what a route's request is made of (sections 4.1 to 4.5), as far as
// the counter must know: the central checks every field.
type Shape struct {
	Needs   []string // fields without which nothing is asked for
	Aadhaar bool     // takes an Aadhaar number
	Agent   bool     // it is the agent's own
	OTP     bool     // takes an OTP
	Finger  bool     // takes PidData
	KYC     bool     // an e-KYC step: its PidData is captured with a wadh
	Amount  bool     // has an amount that limits bound
	Ref     bool     // the counter's own id is its refId
}

// Secret tells whether the request has a part that no disk may hold. Such a
// request ends with the program that holds it.
func (s Shape) Secret() bool { return s.OTP || s.Finger }

// ShapeOf gives the shape of a route; one that is not here takes what it is
// given.
func ShapeOf(route op.RouteID) Shape {
	if IsAEPS(route) {
		return Shape{Aadhaar: true, Finger: true, Agent: route == op.ReqAuth}
	}
	account := []string{"senderId", "receiver_account_no", "receiverIfscCode"}
	switch route {
	case op.AgentValidateOTP:
		return Shape{Needs: []string{"otpreqid"}, OTP: true}
	case op.AgentVerifyPAN:
		return Shape{Needs: []string{"pan", "name", "dob"}}
	case op.AgentUpdateUID:
		return Shape{Aadhaar: true, Agent: true}
	case op.AgentUpdateBio:
		return Shape{Aadhaar: true, Agent: true, Finger: true, KYC: true}
	case op.CustomerDetail:
		return Shape{Needs: []string{"mobile_number"}}
	case op.CustomerOnboarding:
		return Shape{Needs: []string{"name", "mobile_no", "city", "state"}}
	case op.CustomerRequestOTP, op.CustomerSubmit, op.CustomerStatus:
		return Shape{Needs: []string{"referenceid"}}
	case op.CustomerValidateOTP:
		return Shape{Needs: []string{"otpreqid", "referenceid"}, OTP: true}
	case op.CustomerVerifyUID:
		return Shape{Needs: []string{"referenceid"}, Aadhaar: true}
	case op.CustomerUpdateBio:
		return Shape{Needs: []string{"referenceid"}, Aadhaar: true, Finger: true, KYC: true}
	case op.RemitterDetails:
		return Shape{Needs: []string{Mobile}}
	case op.AccountVerification:
		return Shape{Needs: account[1:]}
	case op.BeneficiaryAdd:
		return Shape{Needs: append(account, "receivername")}
	case op.BeneficiaryGet, op.BeneficiaryDelete:
		return Shape{Needs: account}
	case op.TransferOTP:
		return Shape{Needs: account, Amount: true}
	case op.Transfer:
		return Shape{Needs: append(account, "BeneficiaryId", "account_holder_name"), OTP: true, Amount: true, Ref: true}
	case op.TransferCharges:
		return Shape{Needs: []string{"senderId", Amount}}
	case op.TransferRequery:
		return Shape{Needs: []string{Ref}}
	case op.RefundOTP:
		return Shape{Needs: []string{"refereanceId"}}
	case op.Refund:
		return Shape{Needs: []string{"transactionId", Ref}, OTP: true}
	case op.GenerateQR:
		return Shape{Needs: []string{"order_id"}}
	case op.OperationState:
		return Shape{Needs: []string{"id"}}
	}
	return Shape{}
}

// IsAEPS tells whether a route is one of the five that take a finger.
func IsAEPS(r op.RouteID) bool {
	switch r {
	case op.Withdrawal, op.Balance, op.MiniStatement, op.ReqAuth, op.Purchase:
		return true
	}
	return false
}
