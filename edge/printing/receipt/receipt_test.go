package receipt

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

var update = flag.Bool("update", false, "write the golden files anew")

func shop() Shop {
	return Shop{Merchant: "Lakshmi Kirana Store", Address: "12 Laxmi Road, Sadashiv Peth, Pune 411030", Phone: "9800000001", MID: "GAL0000001", TID: "GAL00001", Agent: "Fatima Bedi"}
}

// record is an operation sent at 14:05 in India.
func record(route op.RouteID, state op.State, amount money.Paise) edge.Record {
	at := time.Date(2026, 11, 21, 8, 35, 9, 0, time.UTC)
	return edge.Record{
		ID: "01a1fda3-6789-76b2-bddd-9b2e2a564f1a", Route: route, State: state, User: "Fatima",
		Customer: "Shivshankar Choudhury", Aadhaar: "XXXXXXXX7058", IIN: "990326", BankName: "Sandbox test bank",
		Amount: amount, CreatedAt: at.Add(-time.Minute), CapturedAt: at.Add(-time.Second), SentAt: at, EndedAt: at.Add(3 * time.Second),
	}
}

func with(r edge.Record, alter func(*edge.Record)) edge.Record {
	alter(&r)
	return r
}

func answered(code string) func(*edge.Record) {
	return func(r *edge.Record) {
		r.Result = edge.Result{Code: code, STAN: "004711", RRN: "632514004711", Reference: "AEPS-4711", AuthCode: "A12345"}
	}
}

func cases() map[string]edge.Record {
	balance := money.Paise(1245075)
	return map[string]edge.Record{
		"withdrawal-succeeded": with(record(op.Withdrawal, op.Succeeded, 50000), func(r *edge.Record) {
			answered("00")(r)
			r.Result.Balance = &balance
			r.CashGivenAt = r.EndedAt.Add(time.Minute)
		}),
		"withdrawal-failed":   with(record(op.Withdrawal, op.Failed, 1000000), answered("51")),
		"withdrawal-reversed": with(record(op.Withdrawal, op.Reversed, 50000), answered("68")),
		"withdrawal-expired":  record(op.Withdrawal, op.Expired, 50000),
		"withdrawal-unsent":   record(op.Withdrawal, op.Failed, 50000),
		"withdrawal-pending": with(record(op.Withdrawal, op.Pending, 50000), func(r *edge.Record) {
			r.Result.Reference = "AEPS-NR-1795250109123"
		}),
		"withdrawal-unknown": record(op.Withdrawal, op.Unknown, 50000),
		"purchase-succeeded": with(record(op.Purchase, op.Succeeded, 123456_70), answered("00")),
		"balance-succeeded": with(record(op.Balance, op.Succeeded, 0), func(r *edge.Record) {
			answered("00")(r)
			r.Result.Balance = &balance
		}),
		"balance-failed": with(record(op.Balance, op.Failed, 0), answered("ZZ")),
		"statement-succeeded": with(record(op.MiniStatement, op.Succeeded, 0), func(r *edge.Record) {
			answered("00")(r)
			r.Result.Balance = &balance
			r.Result.MiniStatement = []string{
				"21/11 UPI/ASHA MILK     D 120.00", "20/11 SALARY NOVEMBER   C 1,23,456.70", "19/11 \x1b@ATM  \x07 WDL          D 2000.00",
				"18/11                   C 0.50", "SOMETHING THE BANK WRITES OTHERWISE, AND AT LENGTH", "Balance:+12450.75",
			}
		}),
	}
}

func TestGolden(t *testing.T) {
	for name, r := range cases() {
		for _, width := range []int{Narrow, Wide} {
			path := filepath.Join("testdata", fmt.Sprintf("%s-%d.txt", name, width))
			got := New(r, shop(), english()).Text(width)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is\n%s\nwant\n%s(go test ./edge/printing/receipt -update writes the files anew)", path, got, want)
			}
		}
	}
}

// TestEveryState makes a receipt of every state of every route, and searches it for what
// no customer may read.
func TestEveryState(t *testing.T) {
	balance := money.Paise(777_77)
	for _, route := range []op.RouteID{op.Withdrawal, op.Purchase, op.Balance, op.MiniStatement, op.ReqAuth, "POST /other"} {
		for _, state := range []op.State{op.Reserved, op.Queued, op.Sent, op.Accepted, op.Unknown, op.Expired, op.NotSent, op.Pending, op.Succeeded, op.Failed, op.Reversed} {
			r := record(route, state, 50000)
			r.Result.Balance = &balance
			made := New(r, shop(), english())
			text := made.Text(Narrow)
			if made.Title == "" || made.Status == "" || len(made.Shop) != 5 {
				t.Errorf("%s %s: %+v", route, state, made)
			}
			if low := strings.ToLower(text); strings.Contains(low, "give cash") {
				t.Errorf("%s %s tells the customer to give cash:\n%s", route, state, text)
			}
			if got := strings.Contains(text, "successful") || strings.Contains(text, "SUCCESSFUL"); got != (state == op.Succeeded) {
				t.Errorf("%s %s: says successful: %v", route, state, got)
			}
			if got := strings.Contains(text, "777.77"); got != (state == op.Succeeded && route == op.Balance) {
				t.Errorf("%s %s: shows the balance: %v", route, state, got)
			}
			if state == op.Pending && (route == op.Withdrawal || route == op.Purchase) && !strings.Contains(strings.Join(strings.Fields(text), " "), "26 Nov 2026") {
				t.Errorf("%s: a pending slip without its day:\n%s", route, text)
			}
		}
	}
}

// TestNamesWhoGaveTheCash: the slip names who confirmed the cash, in characters that every
// printer has, and no number typed as a name.
func TestNamesWhoGaveTheCash(t *testing.T) {
	for by, want := range map[string]string{"": ":12", "Asha": ":12, Asha", "999941057058": ":12, XXXXXXXX7058"} {
		r := with(record(op.Withdrawal, op.Succeeded, 50000), answered("00"))
		r.CashGivenAt, r.CashBy = time.Date(2026, 11, 21, 8, 36, 12, 0, time.UTC), by
		rows := New(r, shop(), english()).Rows
		if i := slices.IndexFunc(rows, func(row Row) bool { return strings.HasSuffix(row.Value, want) }); i < 0 {
			t.Errorf("cash by %q: %+v", by, rows)
		}
	}
}

// paysBack makes it a refund with cash after the bank's answer, handed over at given;
// zero: not yet.
func paysBack(r edge.Record, given time.Time) edge.Record {
	r.Consent, r.CashGivenAt = edge.RefundCashAfter, given
	return r
}

// withCashKept makes it a transfer whose cash was kept until its outcome.
func withCashKept(r edge.Record, given time.Time) edge.Record {
	r.CashKept, r.CashGivenAt = true, given
	return r
}

// TestWhatACustomerPaid: the slip of a transfer has the paid cash, that of its refund the
// returned cash, and that of a refused one neither.
func TestWhatACustomerPaid(t *testing.T) {
	charged := func(r *edge.Record) { r.Charge = 25_00 }
	given := time.Date(2026, 11, 21, 8, 36, 12, 0, time.UTC)
	for name, c := range map[string]struct {
		r    edge.Record
		want string
	}{
		"sent":             {with(record(op.Transfer, op.Succeeded, 2500_00), charged), "Amount ₹2,500.00, Charge ₹25.00, Cash paid ₹2,525.00"},
		"pending":          {with(record(op.Transfer, op.Pending, 2500_00), charged), "Amount ₹2,500.00, Charge ₹25.00, Cash paid ₹2,525.00"},
		"refused":          {with(record(op.Transfer, op.Failed, 2500_00), charged), "Amount ₹2,500.00"},
		"refunded":         {record(op.Refund, op.Succeeded, 2500_00), "Amount ₹2,500.00, Cash given back ₹2,500.00"},
		"refund paid":      {paysBack(with(record(op.Refund, op.Succeeded, 2500_00), charged), time.Time{}), "Amount ₹2,500.00, Charge ₹25.00, Cash to give back ₹2,525.00"},
		"and given":        {paysBack(with(record(op.Refund, op.Succeeded, 2500_00), charged), given), "Amount ₹2,500.00, Charge ₹25.00, Cash given back ₹2,525.00"},
		"kept, failed":     {withCashKept(with(record(op.Transfer, op.Failed, 2500_00), charged), time.Time{}), "Amount ₹2,500.00, Charge ₹25.00, Cash paid ₹2,525.00, Cash to give back ₹2,525.00"},
		"and had":          {withCashKept(with(record(op.Transfer, op.Failed, 2500_00), charged), given), "Amount ₹2,500.00, Charge ₹25.00, Cash paid ₹2,525.00, Cash given back ₹2,525.00"},
		"came back":        {with(record(op.Refund, op.Succeeded, 2500_00), charged), "Amount ₹2,500.00, Charge ₹25.00, Cash given back ₹2,525.00"},
		"a withdrawal":     {with(record(op.Withdrawal, op.Succeeded, 500_00), charged), "Amount ₹500.00"},
		"refund of no one": {record(op.Refund, op.Failed, 2500_00), "Amount ₹2,500.00"},
	} {
		var got []string
		for _, row := range New(c.r, shop(), english()).Rows {
			if strings.HasPrefix(row.Value, "₹") {
				got = append(got, row.Label+" "+row.Value)
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %s, want %s", name, strings.Join(got, ", "), c.want)
		}
	}
}

func TestDueDayIsIndian(t *testing.T) {
	r := record(op.Withdrawal, op.Pending, 50000)
	r.SentAt = time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC) // the 22nd in India
	if notes := strings.Join(New(r, shop(), english()).Notes, " "); !strings.Contains(notes, "27 Nov 2026") {
		t.Error(notes)
	}
}

// TestForeignText puts rubbish into all texts from outside.
func TestForeignText(t *testing.T) {
	rubbish := "\x1bE\x00<b>&\xff" + strings.Repeat("long ", 100) + "\u202eright to left\u2028₹ रुपये"
	r := record(op.MiniStatement, op.Succeeded, 0)
	r.Customer, r.BankName, r.User, r.Aadhaar = rubbish, rubbish, rubbish, "999941057058"
	r.Result = edge.Result{Code: rubbish, STAN: rubbish, RRN: rubbish, Reference: rubbish, AuthCode: rubbish}
	for i := range 200 {
		r.Result.MiniStatement = append(r.Result.MiniStatement, fmt.Sprint(i, rubbish))
	}
	for _, state := range []op.State{op.Succeeded, op.Failed, op.Pending} {
		r.State = state
		made := New(r, Shop{Merchant: rubbish}, english())
		for _, width := range []int{0, Narrow, Wide} {
			text := made.Text(width)
			checkPrintable(t, text, max(width, minWidth))
			if strings.Contains(text, "999941057058") || !strings.Contains(text, "XXXXXXXX7058") {
				t.Error("the Aadhaar number is not masked")
			}
			if n := strings.Count(text, "\n"); n > 1500 {
				t.Errorf("%d lines of paper", n)
			}
		}
		if state == op.Succeeded && (len(made.Lines) != maxLines+1 || len(made.Entries) != maxLines+1 || !strings.Contains(made.Lines[maxLines], "140 more")) {
			t.Errorf("%d lines of a mini statement, the last %q", len(made.Lines), made.Lines[len(made.Lines)-1])
		}
	}
}

// checkPrintable checks that a text can be sent to a printer of that width.
func checkPrintable(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if n := size(line); n > width {
			t.Errorf("a line of %d characters on paper of %d: %q", n, width, line)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) || strings.Contains(line, "₹") {
			t.Errorf("a printer can't print %q", line)
		}
	}
}

func TestStatement(t *testing.T) {
	for line, want := range map[string]Entry{
		"21/11 UPI/ASHA MILK     D 120.00":       {Date: "21/11", Narration: "UPI/ASHA MILK", Amount: 120_00},
		"21/11 ATM WDL D 1,20,000":               {Date: "21/11", Narration: "ATM WDL", Amount: 120000_00},
		"1/1 VITAMIN C C 5.5":                    {Date: "1/1", Narration: "VITAMIN C", Credit: true, Amount: 5_50},
		"21/11 C 500.00":                         {Date: "21/11", Credit: true, Amount: 500_00},
		"21-NOV-26 SALARY Cr Rs. 0012.00":        {Date: "21-NOV-26", Narration: "SALARY", Credit: true, Amount: 12_00},
		"21/11/2026 CHQ 004711 500.00 Dr.":       {Date: "21/11/2026", Narration: "CHQ 004711", Amount: 500_00},
		"Balance:+12450.75":                      {Balance: true, Amount: 12450_75},
		"AVAIL BAL: Rs.-0,000.50":                {Balance: true, Amount: -50},
		"Avl Bal = -10":                          {Balance: true, Amount: -10_00},
		"balance 0":                              {Balance: true},
		"21/11 ABC 500.00":                       {},
		"21/11 UPI D 12.345":                     {},
		"21/11 UPI D 99999999999999999999999.00": {},
		"Balance: unknown":                       {},
		"hello":                                  {},
		"D 5":                                    {},
	} {
		got, _ := ParseLine(line)
		want.Raw = strings.Join(strings.Fields(line), " ")
		if lines, shown := statement([]string{line}, english()); got != want || want.Balance != (shown == nil) || !want.Balance && (lines[0] != want.Raw || !slices.Equal(shown, []Entry{want})) {
			t.Errorf("%q\nread %+v\nwant %+v", line, got, want)
		}
	}
	if lines, entries := statement([]string{"", " \t", "\x00"}, english()); lines != nil || entries != nil {
		t.Errorf("nothing became %q, %+v", lines, entries)
	}
}

// FuzzStatement makes a mini statement of any text: no balance is shown as a transaction,
// and parsed lines match the raw ones.
func FuzzStatement(f *testing.F) {
	f.Add("21/11 UPI/ASHA MILK     D 120.00\nBalance:+12450.75\n", 32)
	f.Add("21/11\nC\n1/1 x C 1,,0\n\n\x1b@", 1)
	f.Add("9-abc-99 \u202e D ₹0009,9.1", 48)
	f.Fuzz(func(t *testing.T, text string, width int) {
		lines := strings.Split(text, "\n")
		shown, entries := statement(lines, english())
		if len(shown) != len(entries) || len(shown) > maxLines+1 {
			t.Fatalf("%d lines, %d entries", len(shown), len(entries))
		}
		for i, e := range entries {
			if e.Raw != shown[i] || e.Raw == "" || e.Balance {
				t.Fatalf("entry %+v of line %q", e, shown[i])
			}
			for _, part := range []string{e.Date, e.Narration} {
				if !strings.Contains(e.Raw, part) {
					t.Fatalf("entry %+v says what does not stand there", e)
				}
			}
			digits := func(s string) string {
				return strings.Trim(strings.Map(func(r rune) rune {
					if r >= '0' && r <= '9' {
						return r
					}
					return -1
				}, s), "0")
			}
			if e.Date != "" && !strings.Contains(digits(e.Raw), digits(e.Amount.String())) {
				t.Fatalf("entry %+v has an amount that does not stand there", e)
			}
		}
		width = min(max(width, 0), 200)
		r := Receipt{Lines: shown, Entries: entries, Words: english()}
		checkPrintable(t, r.Text(width), max(width, minWidth))
	})
}

// FuzzParseLine parses any bytes as a line of a mini statement.
func FuzzParseLine(f *testing.F) {
	f.Add("21/11 UPI/ASHA MILK     D 120.00")
	f.Add("Balance:+12450.75")
	f.Add("1/1 \x1b@\xff C ₹0009,9.1")
	f.Fuzz(func(t *testing.T, line string) {
		e, ok := ParseLine(line)
		if ok != (e.Date != "" || e.Balance) || !ok && e != (Entry{Raw: e.Raw}) {
			t.Fatalf("%q read %v: %+v", line, ok, e)
		}
		if size(e.Raw) > maxText {
			t.Fatalf("%q became %d characters", line, size(e.Raw))
		}
		if again, okAgain := ParseLine(e.Raw); again != e || okAgain != ok {
			t.Fatalf("%q reads %+v, and then %+v", line, e, again)
		}
	})
}

// TestNoAadhaarNumber puts whole numbers into every field: all are masked, in any
// spelling.
func TestNoAadhaarNumber(t *testing.T) {
	for held, shown := range map[string]string{
		"XXXXXXXX7058": "XXXXXXXX7058", "999941057058": "XXXXXXXX7058",
		"9999 4105 7058": "XXXXXXXXXXXX", "9999-4105-7058": "XXXXXXXXXXXX", "99994105705": "XXXXXXXXXXXX", "9999410570581": "XXXXXXXXXXXX",
	} {
		r := with(record(op.Withdrawal, op.Succeeded, 50000), answered("00"))
		r.Aadhaar = held
		if made := New(r, shop(), english()); !slices.Contains(made.Rows, Row{"Aadhaar", shown}) {
			t.Errorf("%q is shown in %q, want %s", held, made.Rows, shown)
		}
	}
	for _, typed := range []string{"999941057058", "Asha 9999 4105 7058", "9999-4105-7058 Asha", "9999.4105.7058", "9999\t4105\u00a07058", "9999410570581"} {
		r := with(record(op.Withdrawal, op.Succeeded, 50000), answered("00"))
		r.Customer, r.User = typed, typed
		made := New(r, shop(), english())
		for _, text := range []string{made.Text(Narrow), made.Text(Wide), fmt.Sprint(made)} {
			digits := strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return r
				}
				return -1
			}, text)
			if strings.Contains(digits, "99994105") {
				t.Errorf("the name %q stands in\n%s", typed, text)
			}
		}
	}
}

// TestStatus checks the first words that a customer reads.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		route  op.RouteID
		state  op.State
		code   string
		status string
		note   string
	}{
		{op.Withdrawal, op.Succeeded, "00", "Cash withdrawal successful", ""},
		{op.ReqAuth, op.Succeeded, "00", "Agent sign-in successful", ""},
		{op.Withdrawal, op.Failed, "51", "Declined: no money moved", "There is not enough money in the account."},
		{op.Purchase, op.Failed, "ZZ", "Declined: no money moved", "with code ZZ"},
		{op.Balance, op.Failed, "U3", "Declined by the bank", "did not match"},
		{op.Withdrawal, op.Failed, "", "No money moved", "It did not reach the bank."},
		{op.MiniStatement, op.Failed, "", "Not done", "It did not reach the bank."},
		{op.Withdrawal, op.Expired, "", "No money moved", "It was not sent to the bank."},
		{op.Purchase, op.NotSent, "", "No money moved", "It was not sent to the bank."},
		{op.Withdrawal, op.Reversed, "68", "Reversed: the money went back", "gave it back to the account"},
		{op.Withdrawal, op.Pending, "", "Bank has not answered: keep this slip", "26 Nov 2026"},
		{op.Balance, op.Pending, "", "Bank has not answered", "moves no money"},
		{op.Withdrawal, op.Accepted, "", "Result not known yet", "no proof of payment"},
	} {
		r := record(c.route, c.state, 50000)
		r.Result.Code = c.code
		made := New(r, shop(), english())
		if made.Status != c.status || !strings.Contains(strings.Join(made.Notes, " "), c.note) {
			t.Errorf("%s %s %q: %q, notes %q", c.route, c.state, c.code, made.Status, made.Notes)
		}
		if _, offset := made.At.Zone(); !made.At.Equal(r.SentAt) || offset != 19800 {
			t.Errorf("%s %s: the time is %s", c.route, c.state, made.At)
		}
	}
}
