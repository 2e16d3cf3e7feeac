package receipt

import (
	"cmp"
	"embed"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/outcome"

	"galla/edge/i18n"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

//go:embed messages
var messages embed.FS

// Catalogue returns the texts of slips. The localizer that New gets must have them.
func Catalogue() i18n.Catalogue { return i18n.Catalogue{Owner: "receipt", Files: messages} }

// Shop is the shop on the slip.
type Shop struct {
	Merchant string // legal name
	Address  string // of the shop; empty: not known
	Phone    string // of the shop; empty: not known
	MID      string // merchant at the bank network
	TID      string // terminal at the bank network
	Agent    string // the agent's name, where the record names no user
}

// Receipt is a slip, in parts of plain text.
type Receipt struct {
	Shop   []string // the shop's name first, then address, phone, terminal and agent
	Title  string   // what was done, such as 'Cash withdrawal'
	Status string   // the result in words
	// At is the time of the transaction in Indian Standard Time: when it was sent, else when
	// it was created.
	At    time.Time
	Rows  []Row    // facts, in reading order
	short []Row    // those of the short text
	shop  []string // name and phone, for the short text
	// Lines is the mini statement as the bank sent it, without control characters; Entries are
	// the parsed lines.
	Lines   []string
	Entries []Entry
	Notes   []string // sentences for the customer
	Advice  string   // which advice the notes hold (outcome.Outcome)
	// Reference is how the bank or support finds the transaction: the bank's reference, else
	// the operation's id. Empty: no QR code.
	Reference string
	// Words is the language of the slip, also for Entries and a reprint's mark.
	Words *i18n.Localizer
}

// Row is one fact.
type Row struct{ Label, Value string }

// Bounds of texts from outside, in characters and lines: paper is finite.
const (
	maxText  = 120
	maxLines = 60
)

// New makes the receipt of an operation in a language. The outcome comes from outcome.Of,
// as on every page.
func New(r edge.Record, shop Shop, words *i18n.Localizer) Receipt {
	agent := cmp.Or(name(r.User), name(shop.Agent))
	if agent != "" {
		agent = words.Text("slip.agent", "name", agent)
	}
	out := Receipt{
		Shop:  nonEmpty(clean(shop.Merchant), clean(shop.Address), phone(shop.Phone, words), joinLabelled("TID", shop.TID, "MID", shop.MID), agent),
		shop:  nonEmpty(clean(shop.Merchant), phone(shop.Phone, words)),
		Title: title(words, r.Route),
		At:    transactionTime(r).In(ist.Zone()),
		Words: words,
	}
	summary := outcome.Of(words, edge.View{Record: r}, edge.LinkState{Online: true})
	out.Advice = summary.Advice
	out.Status, out.Notes = statusAndNotes(words, r, summary)
	row := func(label, value string) {
		if value = clean(value); value != "" {
			fact := Row{words.Text("slip.row." + label), value}
			out.Rows = append(out.Rows, fact)
			if slices.Contains(shortRows(), label) {
				out.short = append(out.short, fact)
			}
		}
	}
	row("date", words.DateTime(out.At))
	row("customer", name(r.Customer))
	row("aadhaar", masked(r.Aadhaar))
	row("bank", r.BankName)
	if r.Amount != 0 {
		row("amount", rupees(r.Amount))
	}
	if r.Route == op.Transfer || r.Route == op.Refund || r.Route == op.RemitterRegister {
		due := r.Cash() == edge.CashDue || r.Cash() == edge.CashNotGiven
		if in, back := cashbook.Sum(cashbook.EntriesOf(r)); in+back > 0 || due {
			row("charge", cash(cashbook.Charge(r)))
			row("paid", cash(in))
			switch {
			case due:
				row("due", cash(cashbook.Payable(r)))
			case r.CashUsedBy == "": // otherwise it paid for the next attempt
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
	if r.CashUsedBy == "" {
		row("cash", handedOverBy(words.DateTime(r.CashGivenAt), r.CashBy))
	}
	if r.Result.Reference == "" { // support needs some reference
		row("operation", string(r.ID))
	}
	out.Reference = clean(cmp.Or(r.Result.Reference, string(r.ID)))
	if r.State == op.Succeeded && r.Route == op.MiniStatement {
		out.Lines, out.Entries = statement(r.Result.MiniStatement, words)
	}
	return out
}

// shortRows are the facts of the short text: what a customer looks for, and what bank and
// support ask for.
func shortRows() []string {
	return []string{"date", "aadhaar", "bank", "amount", "charge", "due", "returned", "balance", "rrn", "reference", "operation"}
}

// approved is the response code of a success; it needs no row.
const approved = "00"

// title names the transaction.
func title(words *i18n.Localizer, route op.RouteID) string {
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
	return words.Text("slip.title." + key)
}

// movesMoney reports whether the route takes money from the customer's account.
func movesMoney(route op.RouteID) bool {
	r, ok := op.Find(route)
	return !ok || r.Class == op.Money // an unknown one may
}

// statusAndNotes returns the outcome in words, and notes for the customer.
func statusAndNotes(words *i18n.Localizer, r edge.Record, o outcome.Outcome) (status string, notes []string) {
	note := ""
	if key := noteKey(r.Route, o); key != "" {
		note = words.Text(key)
	}
	switch o.Case {
	case "succeeded", "given":
		return words.Text("slip.success", "title", title(words, r.Route)), nil
	case "owed":
		if r.State == op.Succeeded {
			return words.Text("slip.success", "title", title(words, r.Route)), nonEmpty(note)
		}
		return failureStatus(words, r), nonEmpty(failureReason(words, r, o), note)
	case "declined", "otp", "refused", "unreached", "expired", "not-sent", "give-back", "returned", "reused":
		return failureStatus(words, r), nonEmpty(failureReason(words, r, o), note)
	case "reversed", "returned-before-refund", "refunded":
		return words.Text(reversalKey(o)), nonEmpty(note)
	case "pending":
		if !movesMoney(r.Route) {
			return words.Text("slip.pending"), []string{words.Text("slip.enquiry")}
		}
		if note == "" { // an account may have been debited
			return words.Text("slip.pending.keep"), returnNotes(words, r)
		}
		return words.Text("slip.pending.keep"), nonEmpty(note)
	}
	if movesMoney(r.Route) {
		return words.Text("slip.unknown"), []string{words.Text("slip.unknown.note")}
	}
	return words.Text("slip.unknown"), []string{words.Text("slip.enquiry")}
}

// failureStatus is the status of a failure: whether the bank declined it, and that no
// money moved where some could have.
func failureStatus(words *i18n.Localizer, r edge.Record) string {
	declined := r.State == op.Failed && r.Result.Code != ""
	switch {
	case declined && movesMoney(r.Route):
		return words.Text("slip.declined.unmoved")
	case declined:
		return words.Text("slip.declined")
	case movesMoney(r.Route):
		return words.Text("slip.unmoved")
	}
	return words.Text("slip.undone")
}

// failureReason says why no money moved.
func failureReason(words *i18n.Localizer, r edge.Record, o outcome.Outcome) string {
	switch {
	case r.State != op.Failed:
		return words.Text("slip.unsent")
	case o.Case == "otp":
		return words.Text("code.transfer." + o.Code.Code + ".meaning")
	case r.Result.Code == "":
		return words.Text("slip.unreached")
	case o.Code.Class == outcome.ClassApproved || o.Code.Class == outcome.ClassUncertain:
		return words.Text("slip.refused", "code", clean(r.Result.Code))
	}
	return clean(o.Reason(words))
}

// returnNotes says by when the money is returned or paid, for an account that may have
// been debited.
func returnNotes(words *i18n.Localizer, r edge.Record) []string {
	due := transactionTime(r).In(ist.Zone()).AddDate(0, 0, edge.TurnaroundDays)
	notes := []string{words.Text("slip.owed", "day", words.Date(due), "sum", i18n.ShortRupees(edge.CompensationPerDay)), words.Text("slip.show")}
	if r.Route == op.Withdrawal && r.CashGivenAt.IsZero() {
		notes = append([]string{words.Text("slip.nocash")}, notes...)
	}
	return notes
}

// transactionTime is when the transaction was sent, else created.
func transactionTime(r edge.Record) time.Time {
	for _, t := range []time.Time{r.SentAt, r.CapturedAt, r.CreatedAt} {
		if !t.IsZero() {
			return t
		}
	}
	return r.EndedAt
}

// cash formats an amount of cash; "" for none.
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

// aadhaarLike matches what a person may type into the wrong field.
var aadhaarLike = regexp.MustCompile(`\d{4}[ .-]?\d{4}[ .-]?\d{4}`)

// name returns a person's name with anything like an Aadhaar number masked, since people
// type into wrong fields.
func name(s string) string {
	return aadhaarLike.ReplaceAllStringFunc(clean(s), func(number string) string {
		return "XXXXXXXX" + number[len(number)-4:]
	})
}

// masked returns a masked Aadhaar number, and masks an unmasked one.
func masked(s string) string {
	if s == "" {
		return ""
	}
	return secret.MaskAadhaar(s)
}

// clean makes an outside text safe for a line of a slip: printable characters, single
// spaces, bounded.
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

// phone is the line of the shop's phone.
func phone(number string, words *i18n.Localizer) string {
	if number = clean(number); number == "" {
		return ""
	}
	return words.Text("slip.phone", "number", number)
}

// joinLabelled joins labels and values, leaving out empty values.
func joinLabelled(pairs ...string) string {
	var parts []string
	for i := 0; i < len(pairs); i += 2 {
		if v := clean(pairs[i+1]); v != "" {
			parts = append(parts, pairs[i]+" "+v)
		}
	}
	return strings.Join(parts, "  ")
}

// nonEmpty returns the texts that are not empty.
func nonEmpty(texts ...string) []string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// handedOverBy names who handed over the cash, beside the time: a dispute needs the
// person.
func handedOverBy(at, by string) string {
	if by = name(by); at == "" || by == "" {
		return at
	}
	return at + ", " + by
}
