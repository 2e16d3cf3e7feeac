package central

import "galla/shared/op"

// Response codes for an outcome where the bank gave no code, or a code that
// contradicts its status.
const (
	CodeApproved = "00"
	codeReversed = "22" // suspected malfunction: executed and reversed
	codeNotFound = "91" // the bank has not executed it, and gave no code
	codeDeclined = "96" // system malfunction
)

// ResponseCode is the code that callers get for a final state, in replies,
// requeries and callbacks: the bank's own if it fits the state, and 00 if and only
// if the operation succeeded (interface.md, section 7).
func ResponseCode(state op.State, bank string) string {
	switch {
	case state == op.Succeeded:
		return CodeApproved
	case bank != "" && bank != CodeApproved:
		return bank
	case state == op.Reversed:
		return codeReversed
	}
	return codeDeclined
}
