package central

import "time"

// Service is what a merchant is onboarded for at the bank network.
type Service string

// ServiceAEPS is the only service with an onboarding of its own.
const ServiceAEPS Service = "AEPS"

// KYCState is how far a service-KYC record has come (drawn in the package
// comment).
type KYCState string

// The states, in their order.
const (
	KYCInitialized KYCState = "INITIALIZED"
	KYCOnboarding  KYCState = "ONBOARDING" // begun upstream, the first OTP is sent
	KYCOTPVerified KYCState = "OTP_VERIFIED"
	KYCPANVerified KYCState = "PAN_VERIFIED"
	KYCUIDUpdated  KYCState = "UID_UPDATED"
	KYCBioUpdated  KYCState = "BIO_UPDATED"
	KYCSubmitted   KYCState = "SUBMITTED"
	KYCApproved    KYCState = "APPROVED" // the network's word; the merchant may transact
)

// KYCStates lists the states in their order.
func KYCStates() []KYCState {
	return []KYCState{KYCInitialized, KYCOnboarding, KYCOTPVerified, KYCPANVerified, KYCUIDUpdated, KYCBioUpdated, KYCSubmitted, KYCApproved}
}

// Rank gives a state's place in the order, from 1; 0 for none.
func (s KYCState) Rank() int {
	for i, known := range KYCStates() {
		if s == known {
			return i + 1
		}
	}
	return 0
}

// Reached tells whether a record in state s has come as far as the given one.
func (s KYCState) Reached(other KYCState) bool { return s.Rank() >= other.Rank() }

// ServiceKYC is a merchant's onboarding for one service.
type ServiceKYC struct {
	Merchant  MerchantID
	Service   Service
	State     KYCState
	CreatedAt time.Time
	UpdatedAt time.Time
}

// KYCStep moves a record to a state; INITIALIZED creates it. A record that is
// further stays where it is: steps may be repeated.
type KYCStep struct {
	Service Service
	To      KYCState
}
