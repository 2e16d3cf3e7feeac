package aeps

import (
	"regexp"
	"strings"
	"testing"

	"galla/edge"
	"galla/edge/outcome"
	"galla/edge/printing/receipt"
	"galla/shared/op"
)

// English sentences about cash: for the agent on a page, for the customer on a slip. Every
// sentence of a slip about cash is one of these.
var (
	pageSaysGive = regexp.MustCompile(`(?i)\b(give cash|into the customer's hand|give (the|it)( customer the)? ?(cash )?back|otherwise give it back|into the hand)`)
	pageNever    = regexp.MustCompile(`(?i)(has the cash already|give no more|do not give it again|has had the cash|call support)`)
	pageNo       = regexp.MustCompile(`(?i)(do not (give|hand out|hand over)|not given back|give no more|do not give it again)`)
	pageSaysKeep = regexp.MustCompile(`(?i)\bkeep the cash`)

	slipSaysGive = regexp.MustCompile(`Your cash is yours again|the shop owes it to you`)
	slipLater    = regexp.MustCompile(`(?i)you get the cash when the bank has confirmed`)
	slipNo       = regexp.MustCompile(`there is no more for it|There is no cash|No cash was given`)
	slipSaysKeep = regexp.MustCompile(`The shop keeps your cash`)
)

// checkSlipAgrees checks that the slip agrees with the page's advice.
func checkSlipAgrees(t *testing.T, at string, v edge.View, one outcome.Description, slip receipt.Receipt) {
	t.Helper()
	page := one.Title + ". " + one.Lead
	bare := pageNo.ReplaceAllString(page, "")
	text := slip.Status + ". " + strings.Join(slip.Notes, " ")
	wrong := func(what string) {
		t.Helper()
		t.Errorf("%s: %s: the page says %q, the slip %q", at, what, page, text)
	}
	for _, note := range slip.Notes {
		n := 0
		for _, is := range []*regexp.Regexp{slipSaysGive, slipLater, slipNo, slipSaysKeep} {
			if is.MatchString(note) {
				n++
			}
		}
		if strings.Contains(note, " cash") && n != 1 {
			wrong("a sentence of the slip says nothing of the cash that is known here, or two things")
		}
	}
	gives, later := slipSaysGive.MatchString(text), slipLater.MatchString(text)
	switch {
	case gives && (!pageSaysGive.MatchString(bare) || later):
		wrong("the slip promises cash")
	case later && (pageNever.MatchString(page) || v.Route != op.Transfer && v.Consent != edge.RefundCashAfter):
		wrong("the slip promises cash for later")
	case slipSaysKeep.MatchString(text) != (pageSaysKeep.MatchString(page) && one.Case == "pending"):
		wrong("one of them says that the shop keeps the cash")
	case one.Case != "succeeded" && pageSaysGive.MatchString(bare) && !gives && !later:
		wrong("the slip does not say whose the cash is")
	case strings.Contains(slip.Status, "successful") != (v.State == op.Succeeded):
		wrong("one of them says that it succeeded")
	case strings.Contains(slip.Status, "the money went back") && (v.Route == op.Transfer || v.Route == op.Refund):
		wrong("the money went back to no customer")
	case strings.Contains(text, "Reversed") && v.State != op.Reversed:
		wrong("nothing was reversed")
	}
}

// customerScreenSays checks the title of the customer's screen, by the cash.
func customerScreenSays(t *testing.T, at, text string, v edge.View) {
	t.Helper()
	for says, is := range map[string]bool{
		"Take your cash":               v.Route == op.Withdrawal && v.Cash() == edge.CashDue,
		"The shop owes you this cash":  v.Cash() == edge.CashNotGiven,
		"You have your cash":           v.Cash() == edge.CashGiven,
		"The shop was paid":            v.Route == op.Purchase && v.State == op.Succeeded,
		"goes back to your account":    v.State == op.Reversed,
		"Your bank has not answered":   v.State == op.Pending,
		"Nothing was taken":            v.State == op.Expired || v.State == op.NotSent || v.State == op.Failed && v.Verdict() == edge.VerdictNoMoney,
		"Declined by your bank":        v.State == op.Failed && v.Verdict() != edge.VerdictNoMoney,
		"Your bank has answered":       v.State == op.Succeeded && (v.Route == op.Balance || v.Route == op.MiniStatement),
		"Count the money before you g": v.Route == op.Withdrawal && (v.Cash() == edge.CashDue || v.Cash() == edge.CashGiven),
	} {
		if strings.Contains(text, says) != is {
			t.Errorf("%s: the customer's screen says %q: %v", at, says, !is)
		}
	}
}
