package receipt

import (
	"galla/edge/outcome"
	"galla/shared/op"
)

// noteKeys are the notes about the customer's money, by kind and case of outcome.Outcome:
// what the page says to the agent, the slip says to the customer. A case that is not named
// has no note.
var noteKeys = map[string]map[string]string{
	// The customer paid in cash, which the shop has.
	"transfer": {
		"declined": transferBack, "otp": transferBack, "refused": transferBack, "unreached": transferBack,
		"expired": transferBack, "not-sent": transferBack, "give-back": transferBack,
		"owed":     cashOwed,
		"reversed": "slip.transfer.refund",
		"pending":  "slip.transfer.kept",
	},
	// The cash was returned before the bank's answer (edge.RefundCashBefore).
	"refund": {
		"declined": refundAlreadyPaid, "refused": refundAlreadyPaid, "unreached": refundAlreadyPaid, "expired": refundAlreadyPaid, "not-sent": refundAlreadyPaid,
		"reversed": refundAlreadyPaid, "pending": refundAlreadyPaid,
	},
	// The cash is given after the bank's answer.
	"refund-cash": {
		"declined": refundAgain, "refused": refundAgain, "unreached": refundAgain, "expired": refundAgain, "not-sent": refundAgain,
		"owed":     cashOwed,
		"reversed": "slip.refund.none",
		"pending":  "slip.refund.wait",
	},
}

// accountNoteKeys are the notes of routes that take money from the customer's account.
var accountNoteKeys = map[string]string{
	"declined": accountAgain, "refused": accountAgain, "unreached": accountAgain, "expired": accountAgain, "not-sent": accountAgain,
	"owed":     cashOwed,
	"reversed": "slip.reversed.note",
}

const (
	transferBack      = "slip.transfer.back"
	refundAlreadyPaid = "slip.refund.had"
	refundAgain       = "slip.refund.again"
	cashOwed          = "slip.cash.owed"
	accountAgain      = "slip.again"
)

// noteKey returns the key of the note; "" for none.
func noteKey(route op.RouteID, o outcome.Outcome) string {
	if of, known := noteKeys[o.Kind.Name]; known {
		return of[o.Case]
	}
	if movesMoney(route) || o.Case == "reversed" {
		return accountNoteKeys[o.Case]
	}
	return ""
}

// reversalKey returns the key of a reversal's status, by whose money it was.
func reversalKey(o outcome.Outcome) string {
	switch o.Kind.Name {
	case "transfer":
		return "slip.transfer.reversed"
	case "refund", "refund-cash":
		return "slip.refund.reversed"
	}
	return "slip.reversed"
}
