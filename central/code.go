package central

import "galla/shared/op"

// Response codes that stand for an end of which the bank gave no code of its own,
// or one that contradicts its word.
const (
	CodeApproved = "00"
	codeReversed = "22" // suspected malfunction: done, and undone
	codeDeclined = "96" // system malfunction
)

// ResponseCode is the code that callers are told of an end, in replies, requeries
// and callbacks alike: the bank's own where it fits, and 00 if and only if the
// operation succeeded (section 7).
func ResponseCode(end op.State, bank string) string {
	switch {
	case end == op.Succeeded:
		return CodeApproved
	case bank != "" && bank != CodeApproved:
		return bank
	case end == op.Reversed:
		return codeReversed
	}
	return codeDeclined
}
