package central

import (
	"slices"
	"time"
)

// Service is what a merchant is onboarded for at the bank network.
type Service string

// ServiceAEPS is the only service with an onboarding of its own.
const ServiceAEPS Service = "AEPS"

// KYCState is how far a service-KYC record has come (interface.md, section 3.4):
//
//	(none) ──initialize──► INITIALIZED ──onboarding──► ONBOARDING ──validate_otp──► OTP_VERIFIED
//	                                                                                   │ verify_pan
//	BIO_UPDATED ◄──updatebiodetail── UID_UPDATED ◄──update_UID── PAN_VERIFIED ◄────────┘
//	   │ submit
//	   └──► SUBMITTED ──approved by the network──► APPROVED (the merchant may transact)
//
// Each step is one operation, whose success moves the record in the transaction
// of Finish (KYCStep). A step may be repeated; a record never goes back. A step
// whose predecessor is missing is refused before anything is sent.
type KYCState string

// The states, in their order.
const (
	KYCInitialized KYCState = "INITIALIZED"
	KYCOnboarding  KYCState = "ONBOARDING" // begun at the network, the first OTP is sent
	KYCOTPVerified KYCState = "OTP_VERIFIED"
	KYCPANVerified KYCState = "PAN_VERIFIED"
	KYCUIDUpdated  KYCState = "UID_UPDATED"
	KYCBioUpdated  KYCState = "BIO_UPDATED"
	KYCSubmitted   KYCState = "SUBMITTED"
	KYCApproved    KYCState = "APPROVED" // by the network; the merchant may transact
)

// KYCStates lists the states in their order.
func KYCStates() []KYCState {
	return []KYCState{KYCInitialized, KYCOnboarding, KYCOTPVerified, KYCPANVerified, KYCUIDUpdated, KYCBioUpdated, KYCSubmitted, KYCApproved}
}

// Rank gives a state's place in the order, from 1; 0: unknown.
func (s KYCState) Rank() int { return slices.Index(KYCStates(), s) + 1 }

// Reached tells whether state s is the other one or a later one.
func (s KYCState) Reached(other KYCState) bool { return s.Rank() >= other.Rank() }

// ServiceKYC is a merchant's onboarding for one service.
type ServiceKYC struct {
	Merchant  MerchantID
	Service   Service
	State     KYCState
	CreatedAt time.Time
	UpdatedAt time.Time
}

// KYCStep moves a record to a state; INITIALIZED creates the record. A record in
// a later state does not change.
type KYCStep struct {
	Service Service
	To      KYCState
}
