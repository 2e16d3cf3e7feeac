package api

import (
	"slices"

	"galla/shared/op"
)

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
	// Present: it is for a customer who waits for it. It needs the connection, and is sent
	// soon or not at all, in no order with others, though its class would let it wait.
	Present bool
}

// HasSecret reports whether a part of the request must never be on disk. Such a
// request ends with the process.
func (s RequestSpec) HasSecret() bool { return s.OTP || s.Finger }

// account are the fields of a beneficiary's account.
var account = []string{"senderId", "receiver_account_no", "receiverIfscCode"}

var specs = map[op.RouteID]RequestSpec{
	op.ReqAuth:             {AEPS: true, Aadhaar: true, Finger: true, Agent: true},
	op.Withdrawal:          {AEPS: true, Aadhaar: true, Finger: true, Customer: true, Session: true, Amount: true},
	op.Purchase:            {AEPS: true, Aadhaar: true, Finger: true, Customer: true, Session: true, Amount: true},
	op.Balance:             {AEPS: true, Aadhaar: true, Finger: true, Customer: true, Session: true},
	op.MiniStatement:       {AEPS: true, Aadhaar: true, Finger: true, Customer: true, Session: true},
	op.AgentValidateOTP:    {Required: []string{"otpreqid"}, OTP: true},
	op.AgentVerifyPAN:      {Required: []string{"pan", "name", "dob"}},
	op.AgentUpdateUID:      {Aadhaar: true, Agent: true},
	op.AgentUpdateBio:      {Aadhaar: true, Agent: true, Finger: true, KYC: true},
	op.CustomerDetail:      {Required: []string{"mobile_number"}},
	op.CustomerOnboarding:  {Required: []string{"name", "mobile_no", "city", "state"}},
	op.CustomerRequestOTP:  {Required: []string{"referenceid"}},
	op.CustomerSubmit:      {Required: []string{"referenceid"}},
	op.CustomerStatus:      {Required: []string{"referenceid"}},
	op.CustomerValidateOTP: {Required: []string{"otpreqid", "referenceid"}, OTP: true},
	op.CustomerVerifyUID:   {Required: []string{"referenceid"}, Aadhaar: true},
	op.CustomerUpdateBio:   {Required: []string{"referenceid"}, Aadhaar: true, Finger: true, KYC: true},
	op.RemitterDetails:     {Required: []string{FieldMobile}},
	op.AccountVerification: {Required: account[1:]},
	op.BeneficiaryAdd:      {Required: append(slices.Clone(account), "receivername")},
	op.BeneficiaryGet:      {Required: account},
	op.BeneficiaryDelete:   {Required: account},
	op.TransferOTP:         {Required: account, Amount: true},
	op.Transfer:            {Required: append(slices.Clone(account), "BeneficiaryId", "account_holder_name"), OTP: true, Amount: true, Ref: true},
	op.TransferCharges:     {Required: []string{"senderId", FieldAmount}},
	op.TransferRequery:     {Required: []string{FieldRef}},
	op.RefundOTP:           {Required: []string{"refereanceId"}},
	op.Refund:              {Required: []string{"transactionId", FieldRef}, OTP: true},
	op.GenerateQR:          {Required: []string{"order_id"}},
	op.UPIStatus:           {Required: []string{"order_id"}},
	op.OperationState:      {Required: []string{"id"}},
	op.ReceiptMessage:      {Required: []string{"id", FieldReceiptMobile, FieldLanguage}, Present: true},
}

// SpecOf returns the spec of a route. A route without one accepts any fields.
func SpecOf(route op.RouteID) RequestSpec { return specs[route] }

// IsAEPS reports whether a route is one of the five AEPS transactions.
func IsAEPS(r op.RouteID) bool { return specs[r].AEPS }
