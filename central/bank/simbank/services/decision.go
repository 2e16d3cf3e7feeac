package services

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/shared/money"
)

// Response codes of the services (domain.md).
const (
	codeRefused  = "05"
	codeInvalid  = "12"
	codeAmount   = "13"
	codeFormat   = "30"
	codeFunds    = "51"
	codeAadhaar  = "52"
	codeOTP      = "55"
	codeNotUsed  = "57"
	codeLimit    = "61"
	codeAbsent   = "76"
	codeTooBusy  = "96"
	codeExpired  = "V0"
	messageOTP   = "INVALID OTP"
	messageOther = "NOT THE AADHAAR NUMBER THAT WAS VERIFIED"
)

// rupees is an amount as a JSON number of rupees: 25000, 24999.5.
type rupees money.Paise

// MarshalJSON writes the shortest number.
func (r rupees) MarshalJSON() ([]byte, error) { return []byte(money.Paise(r).Number()), nil }

// approved is a success with its data.
func approved(data any) (books.Decision, error) {
	b, err := json.Marshal(data)
	if err != nil {
		// The library's error may quote the value.
		return books.Decision{}, fmt.Errorf("write the answer's data: a text in it is not UTF-8")
	}
	return books.Decision{Code: network.CodeApproved, Data: jsontext.Value(b)}, nil
}

// status is the data of answers that say how far something has come.
type status struct {
	Status string `json:"status"`
}

// declined is a decline; an empty message is the code's own.
func declined(code, message string) books.Decision {
	return books.Decision{Code: code, Message: message}
}

// notFound says that there is no such record.
func notFound(what string) books.Decision {
	return books.Decision{Code: codeAbsent, Message: "no such " + what, Refusal: network.RefusedNotFound}
}

// outOfOrder names the step that is missing, by the interface's path word.
func outOfOrder(step string) books.Decision {
	return books.Decision{Code: codeInvalid, Message: step + " has to be done first", Refusal: network.RefusedOrder}
}

// wrongOTP is the one answer to every OTP that is not accepted: the cause
// would help who guesses.
func wrongOTP() books.Decision { return declined(codeOTP, messageOTP) }

// malformed names a field that is missing or has the wrong form.
func malformed(field string) books.Decision {
	return declined(codeFormat, "FORMAT ERROR: "+field)
}

// onboardingSteps is the steps of an onboarding, in their order.
type onboardingSteps []onboardingStep

// onboardingStep is a step: the status it leads to, and the interface's path word for it.
type onboardingStep struct{ status, step string }

func (l onboardingSteps) rank(status string) int {
	for i, r := range l {
		if r.status == status {
			return i
		}
	}
	return -1
}

// missing names the predecessor of the step to a status, where a record has
// not come so far; else empty.
func (l onboardingSteps) missing(now, to string) string {
	before := l.rank(to) - 1
	if before < 0 || l.rank(now) >= before {
		return ""
	}
	return l[before].step
}

// further gives the status that is further on.
func (l onboardingSteps) further(a, b string) string {
	if l.rank(a) >= l.rank(b) {
		return a
	}
	return b
}
