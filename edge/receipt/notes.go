package receipt

import (
	"galla/edge/told"
	"galla/shared/op"
)

// notes say where the customer's money is, by the kind and the case that the counter's
// page tells: what the page says to give, to keep or not to give, the slip says to the
// customer. A case that is not named has no note.
var notes = map[string]map[string]string{
	// The customer paid in cash, which the shop has.
	"transfer": {
		"declined": transferBack, "otp": transferBack, "refused": transferBack, "unreached": transferBack,
		"expired": transferBack, "not-sent": transferBack, "back": transferBack,
		"owed":     cashOwed,
		"reversed": "slip.transfer.refund",
		"pending":  "slip.transfer.kept",
	},
	// A refund of the older rule: the cash came before the bank's word.
	"refund": {
		"declined": refundHad, "refused": refundHad, "unreached": refundHad, "expired": refundHad, "not-sent": refundHad,
		"reversed": refundHad, "pending": refundHad,
	},
	// And of today's: the cash comes after it.
	"payback": {
		"declined": refundAgain, "refused": refundAgain, "unreached": refundAgain, "expired": refundAgain, "not-sent": refundAgain,
		"owed":     cashOwed,
		"reversed": "slip.refund.none",
		"pending":  "slip.refund.wait",
	},
}

// account is the notes of what takes money from the customer's account.
var account = map[string]string{
	"declined": accountAgain, "refused": accountAgain, "unreached": accountAgain, "expired": accountAgain, "not-sent": accountAgain,
	"owed":     cashOwed,
	"reversed": "slip.reversed.note",
}

const (
	transferBack = "slip.transfer.back"
	refundHad    = "slip.refund.had"
	refundAgain  = "slip.refund.again"
	cashOwed     = "slip.cash.owed"
	accountAgain = "slip.again"
)

// noteOf gives the key of the note; "" for none.
func noteOf(route op.RouteID, o told.Outcome) string {
	if of, known := notes[o.Kind.Name]; known {
		return of[o.Case]
	}
	if moves(route) || o.Case == "reversed" {
		return account[o.Case]
	}
	return ""
}

// reversal gives the key of the status of what was taken back: whose money went where.
func reversal(o told.Outcome) string {
	switch o.Kind.Name {
	case "transfer":
		return "slip.transfer.reversed"
	case "refund", "payback":
		return "slip.refund.reversed"
	}
	return "slip.reversed"
}
