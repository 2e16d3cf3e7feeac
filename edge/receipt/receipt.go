package receipt

import (
	"cmp"
	"embed"
	"regexp"
	"strings"
	"time"
	"unicode"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/codes"
	"galla/edge/told"
	"galla/edge/words"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

//go:embed messages
var messages embed.FS

// Catalogue is the texts of slips. Words that are given to Make have them.
func Catalogue() words.Catalogue { return words.Catalogue{Room: "receipt", Files: messages} }

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
	Advice  string   // which advice they are of, as the counter's pages have it (told.Outcome)
	// Reference is what the bank or support finds the transaction by: the bank's
	// reference, else the operation's id. Empty: no QR code.
	Reference string
	// Words is the language of the slip; what is laid out with Entries or a Copy
	// takes words from it.
	Words *words.Words
}

// Row is one fact.
type Row struct{ Label, Value string }

// Bounds of texts that come from outside, in characters and lines: a slip is no
// place for more, and a printer's paper is finite.
const (
	maxText  = 120
	maxLines = 60
)

// Make makes the receipt of an operation in a language. What became of it is
// told.Outcome's to say, as everywhere.
func Make(r edge.Record, shop Shop, say *words.Words) Receipt {
	agent := cmp.Or(name(r.Operator), name(shop.Agent))
	if agent != "" {
		agent = say.Say("slip.agent", "name", agent)
	}
	out := Receipt{
		Shop:  some(clean(shop.Merchant), labelled("TID", shop.TID, "MID", shop.MID), agent),
		Title: title(say, r.Route),
		At:    when(r).In(india()),
		Words: say,
	}
	outcome := told.OutcomeOf(say, edge.View{Record: r}, edge.LinkState{Up: true})
	out.Advice = outcome.Advice
	out.Status, out.Notes = result(say, r, outcome)
	row := func(label, value string) {
		if value = clean(value); value != "" {
			out.Rows = append(out.Rows, Row{say.Say("slip.row." + label), value})
		}
	}
	row("date", say.Stamp(out.At))
	row("customer", name(r.Customer))
	row("aadhaar", masked(r.Aadhaar))
	row("bank", r.BankName)
	if r.Amount != 0 {
		row("amount", rupees(r.Amount))
	}
	if r.Route == op.Transfer || r.Route == op.Refund || r.Route == op.RemitterRegister {
		due := r.Cash() == edge.CashDue || r.Cash() == edge.CashNotGiven
		if in, back := cashbook.Sum(cashbook.Of(r)); in+back > 0 || due {
			row("charge", cash(cashbook.Charge(r)))
			row("paid", cash(in))
			switch {
			case due:
				row("due", cash(cashbook.Payable(r)))
			case r.CashInto == "": // else it paid for the next attempt
				row("returned", cash(back))
			}
		}
	}
	if r.State == op.Succeeded && r.Route == op.Balance && r.Result.Balance != nil {
		row("balance", rupees(*r.Result.Balance))
	}
	row("stan", r.Result.STAN)
	row("rrn", r.Result.RRN)
	row("reference", r.Result.Reference)
	row("auth", r.Result.AuthCode)
	if r.Result.Code != "" && r.Result.Code != approved {
		row("code", r.Result.Code)
	}
	if r.CashInto == "" {
		row("cash", handed(say.Stamp(r.CashGiven), r.CashBy))
	}
	if r.Result.Reference == "" { // there is nothing else to ask support by
		row("operation", string(r.ID))
	}
	out.Reference = clean(cmp.Or(r.Result.Reference, string(r.ID)))
	if r.State == op.Succeeded && r.Route == op.MiniStatement {
		out.Lines, out.Entries = statement(r.Result.MiniStatement, say)
	}
	return out
}

// approved is the response code of a success; it needs no row.
const approved = "00"

// title names what was done.
func title(say *words.Words, route op.RouteID) string {
	key := "other"
	switch route {
	case op.Withdrawal:
		key = "withdrawal"
	case op.Purchase:
		key = "purchase"
	case op.Balance:
		key = "balance"
	case op.MiniStatement:
		key = "statement"
	case op.ReqAuth:
		key = "auth"
	case op.Transfer:
		key = "transfer"
	case op.Refund:
		key = "refund"
	}
	return say.Say("slip.title." + key)
}

// moves tells whether the route takes money from the customer's account.
func moves(route op.RouteID) bool {
	r, ok := op.Find(route)
	return !ok || r.Class == op.Money // one that is not known may
}

// result is the outcome in words, and what the customer should know of it.
func result(say *words.Words, r edge.Record, o told.Outcome) (status string, notes []string) {
	note := ""
	if key := noteOf(r.Route, o); key != "" {
		note = say.Say(key)
	}
	switch o.Case {
	case "succeeded", "given":
		return say.Say("slip.success", "title", title(say, r.Route)), nil
	case "owed":
		if r.State == op.Succeeded {
			return say.Say("slip.success", "title", title(say, r.Route)), some(note)
		}
		return failure(say, r), some(why(say, r, o), note)
	case "declined", "otp", "refused", "unreached", "expired", "not-sent", "back", "returned", "carried":
		return failure(say, r), some(why(say, r, o), note)
	case "reversed", "repaid", "refunded":
		return say.Say(reversal(o)), some(note)
	case "pending":
		if !moves(r.Route) {
			return say.Say("slip.pending"), []string{say.Say("slip.enquiry")}
		}
		if note == "" { // an account may have been debited
			return say.Say("slip.pending.keep"), owed(say, r)
		}
		return say.Say("slip.pending.keep"), some(note)
	}
	if moves(r.Route) {
		return say.Say("slip.unknown"), []string{say.Say("slip.unknown.note")}
	}
	return say.Say("slip.unknown"), []string{say.Say("slip.enquiry")}
}

// failure is the status of what did not succeed: whether the bank declined it,
// and that no money moved where some could have.
func failure(say *words.Words, r edge.Record) string {
	declined := r.State == op.Failed && r.Result.Code != ""
	switch {
	case declined && moves(r.Route):
		return say.Say("slip.declined.unmoved")
	case declined:
		return say.Say("slip.declined")
	case moves(r.Route):
		return say.Say("slip.unmoved")
	}
	return say.Say("slip.undone")
}

// why says why nothing moved.
func why(say *words.Words, r edge.Record, o told.Outcome) string {
	switch {
	case r.State != op.Failed:
		return say.Say("slip.unsent")
	case o.Case == "otp":
		return say.Say("code.transfer." + o.Code.Code + ".says")
	case r.Result.Code == "":
		return say.Say("slip.unreached")
	case o.Code.Class == codes.Approved || o.Code.Class == codes.Uncertain:
		return say.Say("slip.refused", "code", clean(r.Result.Code))
	}
	return clean(o.Reason(say))
}

// owed tells a customer whose account may have been debited by when the money is
// settled.
func owed(say *words.Words, r edge.Record) []string {
	due := when(r).In(india()).AddDate(0, 0, edge.ReturnDays)
	notes := []string{say.Say("slip.owed", "day", say.Date(due), "sum", words.Short(edge.OwedPerDay)), say.Say("slip.show")}
	if r.Route == op.Withdrawal && r.CashGiven.IsZero() {
		notes = append([]string{say.Say("slip.nocash")}, notes...)
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

// cash writes an amount of cash; nothing for none.
func cash(p money.Paise) string {
	if p == 0 {
		return ""
	}
	return rupees(p)
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
