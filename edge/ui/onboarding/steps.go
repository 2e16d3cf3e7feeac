package onboarding

import (
	"slices"

	"galla/shared/op"
)

// step is a step of the onboarding (interface.md, section 4.1).
type step struct {
	Name        string // in URLs and text keys
	Route       op.RouteID
	NetworkName string // its name at central and the network
	StatusAfter string // the network's status after it; empty: the network does not know it
}

// steps are the onboarding in its order (interface.md, section 3.4). Resending an OTP is
// optional and not a step.
var steps = []step{
	{"begin", op.AgentInitialize, "initialize", ""},
	{"mobile", op.AgentOnboarding, "onboarding", "OTP_SENT"},
	{"otp", op.AgentValidateOTP, "validate_otp", "OTP_VERIFIED"},
	{"pan", op.AgentVerifyPAN, "verify_pan", "PAN_VERIFIED"},
	{"aadhaar", op.AgentUpdateUID, "update_UID", "UID_UPDATED"},
	{"finger", op.AgentUpdateBio, "updatebiodetail", "BIO_UPDATED"},
	{"submit", op.AgentSubmit, "submit", "SUBMITTED"},
}

// Requests beside the steps, at any time.
const (
	resend = "resend"
	status = "status"
)

// The network's first and last status of the onboarding.
const (
	approved   = "APPROVED" // the merchant may transact
	notStarted = "NOT_STARTED"
)

// extraSteps are the requests beside the steps.
var extraSteps = []step{
	{Name: resend, Route: op.AgentRequestOTP},
	{Name: status, Route: op.AgentStatus},
}

func stepByName(name string) (step, bool) {
	for _, s := range append(slices.Clone(steps), extraSteps...) {
		if s.Name == name {
			return s, true
		}
	}
	return step{}, false
}

// stepIndex is the index of a step; -1: none.
func stepIndex(name string) int {
	return slices.IndexFunc(steps, func(s step) bool { return s.Name == name })
}

// stepByNetworkName is the index of the step with central's name; -1: none.
func stepByNetworkName(word string) int {
	return slices.IndexFunc(steps, func(s step) bool { return s.NetworkName == word })
}

// stepsDone is how many steps are done at a network status; ok is false for an unknown
// one.
func stepsDone(word string) (done int, ok bool) {
	switch word {
	case approved:
		return len(steps), true
	case notStarted:
		return 0, true
	case "":
		return 0, false
	}
	i := slices.IndexFunc(steps, func(s step) bool { return s.StatusAfter == word })
	return i + 1, i >= 0
}
