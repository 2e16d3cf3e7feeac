package receipt

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// Shop is who serves the customer.
type Shop struct {
	Merchant string // legal name
	MID      string // merchant at the bank network
	TID      string // terminal at the bank network
	Agent    string // the agent's name, where the record names no operator
}

// Receipt is a slip, as plain text in parts.
type Receipt struct {
	Shop   []string // the shop's name first, then terminal and agent
	Title  string   // what was done, such as 'Cash withdrawal'
	Status string   // the result in words
	// At is the time of the transaction, in Indian Standard Time: when it was
	// sent, or as near to that as it came.
	At   time.Time
	Rows []Row // facts, in the order in which they are read
	// Lines is the mini statement as the bank sent it, line by line, without
	// control characters; Entries is the same, read.
	Lines   []string
	Entries []Entry
	Notes   []string // sentences for the customer
	// Reference is what the bank or support finds the transaction by: the bank's
	// reference, else the operation's id.
	Reference string
}

// Row is one fact.
type Row struct{ Label, Value string }

// Bounds of texts that come from outside, in characters and lines: a slip is no
// place for more, and a printer's paper is finite.
const (
	maxText  = 120
	maxLines = 60
)

// compensation is when a customer must have the money back, or have it paid,
// and what is due for each day after it (domain.md: T+5, then ₹100 a day).
const (
	compensationDays = 5
	compensation     = 100 * money.Rupee
)

// Make makes the receipt of an operation. meaning says what a bank's response
// code means; where it gives nothing, the code alone is shown.
func Make(r edge.Record, shop Shop, meaning func(code string) string) Receipt {
	agent := name(r.Operator)
	if agent == "" {
		agent = name(shop.Agent)
	}
	out := Receipt{
		Shop:  some(clean(shop.Merchant), labelled("TID", shop.TID, "MID", shop.MID), labelled("Agent", agent)),
		Title: title(r.Route),
		At:    when(r).In(india()),
	}
	out.Status, out.Notes = result(r, meaning)
	row := func(label, value string) {
		if value = clean(value); value != "" {
			out.Rows = append(out.Rows, Row{label, value})
		}
	}
	row("Date", stamp(out.At))
	row("Customer", name(r.Customer))
	row("Aadhaar", masked(r.Aadhaar))
	row("Bank", r.BankName)
	if r.Amount != 0 {
		row("Amount", rupees(r.Amount))
	}
	if r.State == op.Succeeded && r.Route == op.Balance && r.Result.Balance != nil {
		row("Balance", rupees(*r.Result.Balance))
	}
	row("STAN", r.Result.STAN)
	row("RRN", r.Result.RRN)
	row("Reference", r.Result.Reference)
	row("Auth code", r.Result.AuthCode)
	if r.Result.Code != "" && r.Result.Code != approved {
		row("Response code", r.Result.Code)
	}
	row("Cash received", handed(stamp(r.CashGiven), r.CashBy))
	if r.Result.Reference == "" { // there is nothing else to ask support by
		row("Operation", string(r.ID))
	}
	out.Reference = clean(cmp.Or(r.Result.Reference, string(r.ID)))
	if r.State == op.Succeeded && r.Route == op.MiniStatement {
		out.Lines, out.Entries = statement(r.Result.MiniStatement)
	}
	return out
}

// approved is the response code of a success; it needs no row.
const approved = "00"

// title names what was done.
func title(route op.RouteID) string {
	switch route {
	case op.Withdrawal:
		return "Cash withdrawal"
	case op.Purchase:
		return "Aadhaar Pay purchase"
	case op.Balance:
		return "Balance enquiry"
	case op.MiniStatement:
		return "Mini statement"
	case op.ReqAuth:
		return "Agent authentication"
	}
	return "Transaction"
}

// moves tells whether the route takes money from the customer's account.
func moves(route op.RouteID) bool {
	r, ok := op.Find(route)
	return !ok || r.Class == op.Money // one that is not known may
}

// result is the outcome in words, and what the customer should know of it.
func result(r edge.Record, meaning func(string) string) (status string, notes []string) {
	switch r.State {
	case op.Succeeded:
		return title(r.Route) + " successful", nil
	case op.Failed:
		return failure(r), some(refusal(r, meaning), again(r))
	case op.Expired, op.NotSent:
		return failure(r), some("It was not sent to the bank.", again(r))
	case op.Reversed:
		return "Reversed: the money went back", []string{
			"The bank took the amount and gave it back to the account. If your account does not show it, ask your bank with this slip.",
		}
	case op.Pending:
		if moves(r.Route) {
			return "Bank has not answered: keep this slip", owed(r)
		}
		return "Bank has not answered", []string{"An enquiry moves no money."}
	}
	if moves(r.Route) {
		return "Result not known yet", []string{"This slip is no proof of payment. Ask the agent for a new one when the result is known."}
	}
	return "Result not known yet", []string{"An enquiry moves no money."}
}

// failure is the status of what did not succeed: whether the bank declined it,
// and that no money moved where some could have.
func failure(r edge.Record) string {
	declined := r.State == op.Failed && r.Result.Code != ""
	switch {
	case declined && moves(r.Route):
		return "Declined: no money moved"
	case declined:
		return "Declined by the bank"
	case moves(r.Route):
		return "No money moved"
	}
	return "Not done"
}

// again says what a failure means to a customer who sees a debit all the same.
func again(r edge.Record) string {
	if !moves(r.Route) {
		return ""
	}
	return "If your account shows a debit, ask your bank with this slip."
}

// refusal says why the bank refused.
func refusal(r edge.Record, meaning func(string) string) string {
	if r.Result.Code == "" {
		return "It did not reach the bank."
	}
	why := ""
	if meaning != nil {
		why = clean(meaning(r.Result.Code))
	}
	if why == "" {
		return "The bank refused it with code " + clean(r.Result.Code) + "."
	}
	return why
}

// owed tells a customer without an answer by when the money is settled.
func owed(r edge.Record) []string {
	due := when(r).In(india()).AddDate(0, 0, compensationDays)
	notes := []string{
		fmt.Sprintf("If your account was debited, the money is returned or paid by %s. After that day your bank owes you ₹%d for each day.", due.Format("2 January 2006"), compensation/money.Rupee),
		"Show this slip and its reference to your bank.",
	}
	if r.Route == op.Withdrawal && r.CashGiven.IsZero() {
		notes = append([]string{"No cash was given."}, notes...)
	}
	return notes
}

// when is the time of the transaction: when it was sent, or as near as it came.
func when(r edge.Record) time.Time {
	for _, t := range []time.Time{r.SentAt, r.CapturedAt, r.CreatedAt} {
		if !t.IsZero() {
			return t
		}
	}
	return r.EndedAt
}

// india is Indian Standard Time, which has no summer time; the zone's own data
// may be missing on a shop's computer.
func india() *time.Location { return time.FixedZone("IST", 5*3600+1800) }

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(india()).Format("02 Jan 2006, 15:04:05")
}

func rupees(p money.Paise) string {
	if p < 0 {
		return "-₹" + strings.TrimPrefix(p.Grouped(), "-")
	}
	return "₹" + p.Grouped()
}

// aadhaarLike is what a person may have typed into the wrong field.
var aadhaarLike = regexp.MustCompile(`\d{4}[ .-]?\d{4}[ .-]?\d{4}`)

// name is a person's name; a number in it that may be an Aadhaar number is
// masked, since people type into the wrong field.
func name(s string) string {
	return aadhaarLike.ReplaceAllStringFunc(clean(s), func(number string) string {
		return "XXXXXXXX" + number[len(number)-4:]
	})
}

// masked shows a masked Aadhaar number, and masks one that is not.
func masked(s string) string {
	if s == "" {
		return ""
	}
	return secret.MaskAadhaar(s)
}

// clean makes a text of the bank or of a person fit for a line of a slip:
// printable characters, single spaces, bounded.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "?")
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > maxText {
		s = string(runes[:maxText-3]) + "..."
	}
	return s
}

// labelled joins labels and values, without those that have none.
func labelled(pairs ...string) string {
	var parts []string
	for i := 0; i < len(pairs); i += 2 {
		if v := clean(pairs[i+1]); v != "" {
			parts = append(parts, pairs[i]+" "+v)
		}
	}
	return strings.Join(parts, "  ")
}

// some leaves out empty texts.
func some(texts ...string) []string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// handed names who handed the cash over beside the time of it: in a dispute it
// is that person's word.
func handed(at, by string) string {
	if by = name(by); at == "" || by == "" {
		return at
	}
	return at + ", " + by
}
