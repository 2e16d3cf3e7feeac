package shop

import (
	"slices"

	"galla/shared/op"
)

// step is one of the onboarding (section 4.1).
type step struct {
	Name  string // in URLs, and in the keys of its texts
	Route op.RouteID
	Word  string // what the central and the network call it
	To    string // the network's status after it; empty: it knows nothing of the step
}

// steps are the onboarding in its order. The resending of an OTP is no step: it
// may be left out.
var steps = []step{
	{"begin", op.AgentInitialize, "initialize", ""},
	{"mobile", op.AgentOnboarding, "onboarding", "OTP_SENT"},
	{"otp", op.AgentValidateOTP, "validate_otp", "OTP_VERIFIED"},
	{"pan", op.AgentVerifyPAN, "verify_pan", "PAN_VERIFIED"},
	{"aadhaar", op.AgentUpdateUID, "update_UID", "UID_UPDATED"},
	{"finger", op.AgentUpdateBio, "updatebiodetail", "BIO_UPDATED"},
	{"submit", op.AgentSubmit, "submit", "SUBMITTED"},
}

// What is asked beside the steps, at any time.
const (
	resend = "resend"
	status = "status"
)

// The network's words for the two ends of the onboarding.
const (
	approved   = "APPROVED" // the merchant may transact
	notStarted = "NOT_STARTED"
)

// beside are the questions beside the steps.
var beside = []step{
	{Name: resend, Route: op.AgentRequestOTP},
	{Name: status, Route: op.AgentStatus},
}

func stepNamed(name string) (step, bool) {
	for _, s := range append(slices.Clone(steps), beside...) {
		if s.Name == name {
			return s, true
		}
	}
	return step{}, false
}

// place is where a step stands in the order; -1: it is none.
func place(name string) int {
	return slices.IndexFunc(steps, func(s step) bool { return s.Name == name })
}

// called is the place of the step that the central calls by a word; -1: none.
func called(word string) int {
	return slices.IndexFunc(steps, func(s step) bool { return s.Word == word })
}

// reached is how many steps are done when the network tells a status; ok is
// false for a word that is not known here.
func reached(word string) (done int, ok bool) {
	switch word {
	case approved:
		return len(steps), true
	case notStarted:
		return 0, true
	case "":
		return 0, false
	}
	i := slices.IndexFunc(steps, func(s step) bool { return s.To == word })
	return i + 1, i >= 0
}
