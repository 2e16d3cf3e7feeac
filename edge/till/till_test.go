package till_test

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/queue"
	"galla/edge/till"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

const today till.Day = "2026-11-21"

// ist is a time of a day in November 2026 in India.
func ist(day, hour, minute int) time.Time {
	return time.Date(2026, 11, day, hour, minute, 0, 0, time.FixedZone("IST", 5*3600+1800))
}

// shop is a till over a real queue, with a clock of the test's own.
type shop struct {
	t     testing.TB
	path  string
	queue *queue.Queue
	till  *till.Till
	now   time.Time
	ids   uint32
}

func newShop(t testing.TB) *shop {
	s := &shop{t: t, path: filepath.Join(t.TempDir(), "queue.db"), now: ist(21, 20, 0)}
	s.open()
	t.Cleanup(func() { _ = s.queue.Close() })
	return s
}

func (s *shop) open() {
	s.t.Helper()
	key := secret.NewKey(bytes.Repeat([]byte{7}, 32))
	q, _, err := queue.Open(queue.Config{Path: s.path, Key: key, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.queue = q
	s.till, err = till.New(q, till.Config{Now: func() time.Time { return s.now }, Offset: func() time.Duration { return 0 }})
	if err != nil {
		s.t.Fatal(err)
	}
}

// did records an operation in the state given; given is when cash was handed
// over.
func (s *shop) did(route op.RouteID, at time.Time, amount money.Paise, state op.State, given time.Time, reply string) op.ID {
	s.t.Helper()
	return s.with(edge.Record{
		Route: route, Class: op.Money, State: state, Operator: "Fatima", Customer: "Asha Patil",
		Aadhaar: "XXXXXXXX7058", IIN: "990326", BankName: "Sandbox test bank", Amount: amount, CreatedAt: at, CashGiven: given,
		Reply: []byte(reply), Result: edge.Result{RRN: "632514000123", STAN: "000123", Reference: "AEPS-20261121-77AB", Code: "00"},
	})
}

// with records an operation as it is given; its id is made of when it began.
func (s *shop) with(r edge.Record) op.ID {
	s.t.Helper()
	s.ids++
	ms := r.CreatedAt.UnixMilli()
	id := uuid.UUID{byte(ms >> 40), byte(ms >> 32), byte(ms >> 24), byte(ms >> 16), byte(ms >> 8), byte(ms), 0x70, 0, 0x80, 0, 0, 0, byte(s.ids >> 24), byte(s.ids >> 16), byte(s.ids >> 8), byte(s.ids)}
	r.ID, r.Version, r.Class = op.ID(id.String()), 1, cmp.Or(r.Class, op.Money)
	if r.State.Final() && r.EndedAt.IsZero() {
		r.EndedAt = r.CreatedAt
	}
	if err := s.queue.Add(r); err != nil {
		s.t.Fatal(err)
	}
	return r.ID
}

func (s *shop) reckon(day till.Day) till.Reckoning {
	s.t.Helper()
	k, err := s.till.Reckon(day)
	if err != nil {
		s.t.Fatal(err)
	}
	return k
}

func count(rupees ...int) till.Count {
	var c till.Count
	for _, r := range rupees {
		c = append(c, till.Pile{Of: money.Paise(r) * money.Rupee, Pieces: 1})
	}
	return c
}

var never time.Time

func TestReckoning(t *testing.T) {
	const charged = `{"statusCode":"00","data":{"transactionId":"T1","charge":10}}`
	for _, c := range []struct {
		name string
		do   func(*shop)
		day  till.Day
		want money.Paise // expected cash, in rupees
		line []till.Flow
		open int
	}{
		{"nothing", func(*shop) {}, today, 0, nil, 0},
		{"withdrawal handed over", func(s *shop) {
			s.did(op.Withdrawal, ist(21, 10, 0), 500_00, op.Succeeded, ist(21, 10, 1), "")
		}, today, -500, []till.Flow{till.Withdrawn}, 0},
		{"withdrawal not confirmed", func(s *shop) { s.did(op.Withdrawal, ist(21, 10, 0), 500_00, op.Succeeded, never, "") }, today, -500, []till.Flow{till.Unconfirmed}, 0},
		{"withdrawal refused", func(s *shop) { s.did(op.Withdrawal, ist(21, 10, 0), 500_00, op.Failed, never, "") }, today, 0, nil, 0},
		{"withdrawal pending", func(s *shop) { s.did(op.Withdrawal, ist(21, 10, 0), 500_00, op.Pending, never, "") }, today, 0, nil, 1},
		{"begun before midnight, handed over after: the day of the cash", func(s *shop) {
			s.did(op.Withdrawal, ist(20, 23, 59), 500_00, op.Succeeded, ist(21, 0, 1), "")
		}, today, -500, []till.Flow{till.Withdrawn}, 0},
		{"and not the day of the begin", func(s *shop) {
			s.did(op.Withdrawal, ist(20, 23, 59), 500_00, op.Succeeded, ist(21, 0, 1), "")
		}, "2026-11-20", 0, nil, 0},
		{"a pending one that was paid five days later", func(s *shop) {
			s.did(op.Withdrawal, ist(16, 9, 0), 500_00, op.Succeeded, ist(21, 9, 0), "")
		}, today, -500, []till.Flow{till.Withdrawn}, 0},
		{"transfer and its charge", func(s *shop) { s.did(op.Transfer, ist(21, 10, 0), 1000_00, op.Succeeded, never, charged) }, today, 1010, []till.Flow{till.Sent, till.Charged}, 0},
		{"transfer pending: its cash is here", func(s *shop) { s.did(op.Transfer, ist(21, 10, 0), 1000_00, op.Pending, never, "") }, today, 1000, []till.Flow{till.Held}, 1},
		{"transfer refused at once", func(s *shop) {
			s.did(op.Transfer, ist(21, 10, 0), 1000_00, op.Failed, never, `{"statusCode":"51"}`)
		}, today, 0, nil, 0},
		{"transfer came back, and was refunded with its charge", func(s *shop) {
			s.with(edge.Record{Route: op.Transfer, CreatedAt: ist(21, 10, 0), Amount: 1000_00, Charge: 10_00, State: op.Reversed})
			s.with(edge.Record{Route: op.Refund, CreatedAt: ist(21, 11, 0), Charge: 10_00, State: op.Succeeded,
				Reply: []byte(`{"statusCode":"00","data":{"refundId":"R1","amount":1000}}`)})
		}, today, 0, []till.Flow{till.Owed, till.Refunded}, 0},
		{"refund that the bank has paid: named until somebody says that its cash went back", func(s *shop) {
			s.with(edge.Record{Route: op.Refund, CreatedAt: ist(21, 11, 0), Amount: 1000_00, Charge: 10_00, State: op.Succeeded, Consent: edge.RefundRule})
		}, today, -1010, []till.Flow{till.Unconfirmed}, 0},
		{"and then counted when it went back", func(s *shop) {
			s.with(edge.Record{Route: op.Refund, CreatedAt: ist(20, 11, 0), Amount: 1000_00, Charge: 10_00, State: op.Succeeded, Consent: edge.RefundRule, CashGiven: ist(21, 9, 0), CashBy: "Fatima"})
		}, today, -1010, []till.Flow{till.Refunded}, 0},
		{"refund whose cash was not given: it is here", func(s *shop) {
			s.with(edge.Record{Route: op.Refund, CreatedAt: ist(21, 11, 0), Amount: 1000_00, Charge: 10_00, State: op.Succeeded, Consent: edge.RefundRule, CashBy: "Fatima"})
		}, today, 0, nil, 0},
		{"refund that the bank refused, or took back", func(s *shop) {
			s.with(edge.Record{Route: op.Refund, CreatedAt: ist(21, 11, 0), Amount: 1000_00, Charge: 10_00, State: op.Failed, Consent: edge.RefundRule})
			s.with(edge.Record{Route: op.Refund, CreatedAt: ist(21, 11, 5), Amount: 1000_00, Charge: 10_00, State: op.Reversed, Consent: edge.RefundRule})
		}, today, 0, nil, 0},
		{"transfer refused for its OTP: its cash went back, whatever id it has", func(s *shop) {
			s.with(edge.Record{Route: op.Transfer, CreatedAt: ist(21, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed,
				Reply: []byte(`{"statusCode":"55","message":"INVALID OTP","data":{"transactionId":"T1","amount":2500,"status":"FAILED"}}`)})
		}, today, 0, nil, 0},
		{"refused for its OTP, and sent in the second attempt: counted once, with its charge", func(s *shop) {
			s.with(edge.Record{Route: op.Transfer, CreatedAt: ist(21, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed,
				Reply: []byte(`{"statusCode":"55","message":"INVALID OTP","data":{"transactionId":"T1","amount":2500,"status":"FAILED"}}`)})
			s.with(edge.Record{Route: op.Transfer, CreatedAt: ist(21, 10, 2), Amount: 2500_00, Charge: 25_00, State: op.Succeeded,
				Reply: []byte(`{"statusCode":"00","data":{"transactionId":"T2","amount":2500,"status":"SUCCESS"}}`)})
		}, today, 2525, []till.Flow{till.Sent, till.Charged}, 0},
		{"transfer pending: its charge is here too", func(s *shop) {
			s.with(edge.Record{Route: op.Transfer, CreatedAt: ist(21, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Pending, CashKept: true})
		}, today, 2525, []till.Flow{till.Held}, 1},
		{"transfer failed after its cash was kept: the customer's cash is here", func(s *shop) {
			s.with(edge.Record{Route: op.Transfer, CreatedAt: ist(21, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed, CashKept: true})
		}, today, 2525, []till.Flow{till.Owed}, 0},
		{"and goes when it is given back, on a later day", func(s *shop) {
			s.with(edge.Record{Route: op.Transfer, CreatedAt: ist(20, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed, CashKept: true, CashGiven: ist(21, 9, 0)})
		}, today, -2525, []till.Flow{till.Returned}, 0},
		{"somebody said that a withdrawal's cash was not given", func(s *shop) {
			s.with(edge.Record{Route: op.Withdrawal, CreatedAt: ist(21, 10, 0), Amount: 500_00, State: op.Succeeded, CashBy: "Fatima"})
		}, today, 0, nil, 0},
		{"the fee of a sender's registration", func(s *shop) {
			s.with(edge.Record{Route: op.RemitterRegister, Class: op.Record, CreatedAt: ist(21, 10, 0), State: op.Succeeded, Result: edge.Result{StatusCode: "00"},
				Reply: []byte(`{"statusCode":"00","data":{"senderid":"5b8f","registrationFeeCharged":10}}`)})
		}, today, 10, []till.Flow{till.Fee}, 0},
		{"a purchase moves no cash", func(s *shop) { s.did(op.Purchase, ist(21, 10, 0), 700_00, op.Succeeded, never, "") }, today, 0, nil, 0},
		{"one whose finger was not taken has no outcome to wait for", func(s *shop) { s.did(op.Withdrawal, ist(21, 10, 0), 500_00, op.Reserved, never, "") }, today, 0, nil, 0},
		{"one that waits for the line has", func(s *shop) { s.did(op.Withdrawal, ist(21, 10, 0), 500_00, op.Queued, never, "") }, today, 0, nil, 1},
		{"an unsettled one of yesterday is named, one of tomorrow not", func(s *shop) {
			s.did(op.Withdrawal, ist(20, 10, 0), 700_00, op.Unknown, never, "")
			s.did(op.Withdrawal, ist(22, 10, 0), 700_00, op.Unknown, never, "")
		}, today, 0, nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShop(t)
			c.do(s)
			k := s.reckon(c.day)
			var flows []till.Flow
			for _, l := range k.Lines {
				flows = append(flows, l.Flow)
			}
			if k.Expected != c.want*money.Rupee || !slices.Equal(flows, c.line) || len(k.Unsettled) != c.open {
				t.Errorf("expected cash %s by %v with %d unsettled, want %d by %v with %d", k.Expected, flows, len(k.Unsettled), c.want, c.line, c.open)
			}
			if k.Expected != k.Opening+k.In-k.Out {
				t.Errorf("%s is not %s + %s - %s", k.Expected, k.Opening, k.In, k.Out)
			}
		})
	}
}

func TestClosingADay(t *testing.T) {
	s := newShop(t)
	if err := s.till.SetOpening(today, count(500, 500), "Ravi"); err != nil {
		t.Fatal(err)
	}
	s.did(op.Withdrawal, ist(21, 10, 0), 300_00, op.Succeeded, ist(21, 10, 1), "")
	open := s.did(op.Withdrawal, ist(21, 11, 0), 200_00, op.Pending, never, "")

	var unsettled *till.UnsettledError
	if _, err := s.till.Close(today, "Fatima", count(500, 200), "", nil); !errors.As(err, &unsettled) || !slices.Equal(unsettled.IDs, []op.ID{open}) {
		t.Fatalf("it closed over an unsettled operation: %v", err)
	}
	for _, reason := range []string{"", "  ", strings.Repeat("x", 201), "\xff"} {
		if _, err := s.till.Close(today, "Fatima", count(500), reason, []op.ID{open}); !errors.Is(err, till.ErrReason) {
			t.Errorf("a difference with the reason %q gave %v", reason, err)
		}
	}
	if _, err := s.till.Close(today.Add(1), "Fatima", nil, "", nil); !errors.Is(err, till.ErrFuture) {
		t.Errorf("tomorrow gave %v", err)
	}
	c, err := s.till.Close(today, "Fatima", count(500), "₹200 lent to the shop", []op.ID{open})
	if err != nil {
		t.Fatal(err)
	}
	if c.Expected != 700*money.Rupee || c.Difference() != -200*money.Rupee || !slices.Equal(c.Unsettled, []op.ID{open}) {
		t.Errorf("the closing is %+v", c)
	}
	if _, err := s.till.Close(today, "Ravi", count(500, 200), "", []op.ID{open}); !errors.Is(err, till.ErrClosed) {
		t.Errorf("closing it again gave %v", err)
	}
	if err := s.till.SetOpening(today, count(100), "Ravi"); !errors.Is(err, till.ErrClosed) {
		t.Errorf("an opening count after the closing gave %v", err)
	}

	if err := s.queue.Close(); err != nil {
		t.Fatal(err)
	}
	s.open()
	kept, ok, err := s.till.Closed(today)
	if err != nil || !ok || kept.Counted != 500*money.Rupee || kept.Reason != c.Reason || kept.Operator != "Fatima" || !kept.ClosedAt.Equal(s.now) {
		t.Errorf("after a restart it is %+v, %v, %v", kept, ok, err)
	}
	if amount, counted, err := s.till.Opening(today.Add(1)); err != nil || counted || amount != 500*money.Rupee {
		t.Errorf("the next day opens with %s, counted %v, %v", amount, counted, err)
	}
}

// Two operators press at once: one closing is kept, and the other is told.
func TestTwoOperatorsCloseAtOnce(t *testing.T) {
	s := newShop(t)
	results := make(chan error, 2)
	for _, who := range []string{"Fatima", "Ravi"} {
		go func() { _, err := s.till.Close(today, who, nil, "", nil); results <- err }()
	}
	a, b := <-results, <-results
	if (a == nil) == (b == nil) || !errors.Is(errors.Join(a, b), till.ErrClosed) {
		t.Errorf("they were told %v and %v", a, b)
	}
}

func TestADayLeftOpen(t *testing.T) {
	s := newShop(t)
	for _, day := range []int{17, 19, 20, 21} {
		s.did(op.Withdrawal, ist(day, 10, 0), 100_00, op.Succeeded, ist(day, 10, 1), "")
	}
	if open, err := s.till.LeftOpen(); err != nil || len(open) != 0 {
		t.Errorf("a shop that closes no days is told of %v, %v", open, err)
	}
	if _, err := s.till.Close("2026-11-18", "Fatima", nil, "", nil); err != nil {
		t.Fatal(err)
	}
	if open, err := s.till.LeftOpen(); err != nil || !slices.Equal(open, []till.Day{"2026-11-19", "2026-11-20"}) {
		t.Errorf("left open are %v, %v", open, err)
	}
}

func TestDaysAreIndiasByTheCentralsClock(t *testing.T) {
	at := time.Date(2026, 11, 20, 18, 29, 59, 0, time.UTC)
	for _, c := range []struct {
		offset time.Duration
		want   till.Day
	}{{0, "2026-11-20"}, {time.Second, "2026-11-21"}, {-24 * time.Hour, "2026-11-19"}} {
		if got := till.DayOf(at, c.offset); got != c.want {
			t.Errorf("offset %v: %s, want %s", c.offset, got, c.want)
		}
		from, to := c.want.Span(c.offset)
		if at.Before(from) || !at.Before(to) || to.Sub(from) != 24*time.Hour {
			t.Errorf("offset %v: the span %v to %v does not hold its own time", c.offset, from, to)
		}
	}
	if got := len(till.Day("2028-02-10").Month()); got != 29 {
		t.Errorf("February of a leap year has %d days", got)
	}
}

func TestClockToTPlus5(t *testing.T) {
	for _, c := range []struct {
		today      till.Day
		left, late int
		owed       money.Paise
	}{{"2026-11-21", 5, 0, 0}, {"2026-11-26", 0, 0, 0}, {"2026-11-27", 0, 1, 100_00}, {"2026-12-26", 0, 30, 3000_00}} {
		k := till.ClockOf("2026-11-21", c.today)
		if k.Due != "2026-11-26" || k.Left != c.left || k.Late != c.late || k.Owed != c.owed {
			t.Errorf("on %s the clock is %+v", c.today, k)
		}
	}
}

func TestParseCount(t *testing.T) {
	form := map[money.Paise]string{500_00: "3", 100_00: "", 1_00: "7"}
	c, err := till.ParseCount(func(of money.Paise) string { return form[of] })
	if err != nil || c.Total() != 1507*money.Rupee {
		t.Errorf("it is %s, %v", c.Total(), err)
	}
	for _, bad := range []string{"-1", "1.5", "x", "10000", "99999999999999999999", " 1"} {
		var e *till.CountError
		if _, err := till.ParseCount(func(money.Paise) string { return bad }); !errors.As(err, &e) || e.Of != 500_00 {
			t.Errorf("%q gave %v", bad, err)
		}
	}
}

func TestSearch(t *testing.T) {
	r := edge.Record{
		ID: "019cb8d5-0000-7000-8000-0000000000aa", Customer: "Asha Patil", BankName: "Sandbox test bank", Aadhaar: "XXXXXXXX7058", Amount: 1500_00,
		Reply:  []byte(`{"statusCode":"00","data":{"transactionId":"TX-77AB","mobile_no":"9820011223"}}`),
		Result: edge.Result{RRN: "632514000123", STAN: "004567", Reference: "AEPS-20261121-9F3C"},
	}
	for _, c := range []struct {
		typed        string
		found, quiet bool
	}{
		{"", true, false}, {"7058", true, false}, {"7059", false, false}, {"asha", true, false}, {"PATIL ", true, false}, {"sandbox", true, false},
		{"1500", true, false}, {"1,500.00", true, false}, {"₹1500", true, false}, {"150", false, false},
		{"632514000123", true, true}, {"0123", true, false}, {"004567", true, false}, {"4567", true, false}, {"567", false, false},
		{"9820011223", true, true}, {"98200 11223", true, true}, {"+91 98200 11223", true, true}, {"aeps-20261121-9f3c", true, false}, {"9f3c", true, false}, {"f3c", false, false},
		{"tx-77ab", true, false}, {"9999 4105 7058", true, true}, {"999941057058", true, true}, {"999941057059", false, true},
		{"asha 999941057058", false, true}, {"9999-4105-7058", true, true}, {"९९९९४१०५७०५८", false, true},
	} {
		s, quiet := till.ParseSearch(c.typed)
		if s.Match(r) != c.found || quiet != c.quiet {
			t.Errorf("%q: found %v, secret %v", c.typed, s.Match(r), quiet)
		}
	}
	s, _ := till.ParseSearch("asha")
	if found, more := s.Find([]edge.Record{r, {}, r, r}, 2); len(found) != 2 || !more {
		t.Errorf("%d were found, more %v", len(found), more)
	}
}

func FuzzSearch(f *testing.F) {
	for _, s := range []string{"", "7058", "9999 4105 7058", "₹1,500", "\xff\xfe", "=1+1", strings.Repeat("9", 300)} {
		f.Add(s)
	}
	r := edge.Record{Aadhaar: "XXXXXXXX7058", Customer: "Asha", Amount: 100, Result: edge.Result{RRN: "632514000123"}}
	f.Fuzz(func(t *testing.T, typed string) {
		s, quiet := till.ParseSearch(typed)
		s.Match(r)
		digits := strings.Map(func(c rune) rune {
			if c >= '0' && c <= '9' {
				return c
			}
			return -1
		}, strings.TrimSpace(typed))
		if digits == strings.TrimSpace(typed) && len(digits) >= 12 && len(digits) <= 64 && !quiet {
			t.Errorf("%q may be an Aadhaar number and was not taken for a secret", typed)
		}
	})
}

func TestCSV(t *testing.T) {
	r := edge.Record{
		ID: "019cb8d5-0000-7000-8000-0000000000aa", Route: op.Withdrawal, State: op.Succeeded, Customer: `=HYPERLINK("x")`, Operator: "Ravi, \"R\"",
		Aadhaar: "999941057058", BankName: "बैंक", Amount: 1500_00, CreatedAt: ist(21, 10, 14), CashGiven: ist(21, 10, 15),
		Result: edge.Result{Code: "00", RRN: "632514000123", STAN: "004567", Reference: "+1"},
	}
	var out bytes.Buffer
	if err := till.WriteCSV(&out, today, []till.Moved{{Record: r, Cash: cashbook.Of(r)}}, 0); err != nil {
		t.Fatal(err)
	}
	want := "\ufeffdate,time,operation,state,amount,customer,aadhaar,bank,code,reference,rrn,stan,cash_given,operator,id,charge,cash_in,cash_out\r\n" +
		`2026-11-21,10:14:00,POST /aeps/withdrawal,succeeded,1500.00,"'=HYPERLINK(""x"")",XXXXXXXX7058,बैंक,00,'+1,632514000123,004567,2026-11-21 10:15:00,"Ravi, ""R""",019cb8d5-0000-7000-8000-0000000000aa,,,1500.00` + "\r\n"
	if out.String() != want {
		t.Errorf("it is\n%q, want\n%q", out.String(), want)
	}
}

// No cell is a formula to a spreadsheet, and the file reads back.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"", "=1", "+1", "-1", "@A", "\t=1", " =1", "\r\n=1", "＝1", "a\"b", "\u00a0=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		var out bytes.Buffer
		if err := till.WriteCSV(&out, today, []till.Moved{{Record: edge.Record{Customer: name, BankName: name, Operator: name, CreatedAt: ist(21, 10, 0)}}}, 0); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("it reads back as %d rows: %v", len(rows), err)
		}
		if cell := strings.TrimSpace(rows[1][5]); cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
			t.Errorf("%q is a formula", rows[1][5])
		}
	})
}

func TestChart(t *testing.T) {
	s := newShop(t)
	s.did(op.Withdrawal, ist(21, 9, 30), 500_00, op.Succeeded, ist(21, 9, 31), "")
	s.did(op.Withdrawal, ist(21, 11, 30), 1000_00, op.Succeeded, ist(21, 11, 31), "")
	s.did(op.Withdrawal, ist(21, 13, 30), 1000_00, op.Failed, never, "")
	s.did(op.Withdrawal, ist(2, 13, 30), 100_00, op.Succeeded, ist(2, 13, 31), "")
	moved, err := s.till.Moving(today)
	if err != nil || len(moved) != 3 {
		t.Fatalf("the day has %d operations, %v", len(moved), err)
	}
	hours := till.Hours(today, moved, 0)
	if len(hours) != 3 || hours[0].Label != "9" || hours[2].Sum != 1000*money.Rupee || hours[1].Count != 0 {
		t.Errorf("the hours are %+v", hours)
	}
	month, err := s.till.Days(today)
	if err != nil || len(month) != 30 || month[20].Count != 2 || month[1].Sum != 100*money.Rupee {
		t.Errorf("the month is %+v, %v", month, err)
	}
	svg := string(till.Chart("hours", "<b>&", "By hour", hours))
	want := `<svg id="hours" class="chart" role="img" viewBox="0 0 90 120" aria-labelledby="hours-title hours-desc"><title id="hours-title">&lt;b&gt;&amp;</title><desc id="hours-desc">By hour</desc>` +
		`<rect class="till-bar" x="6" y="51" width="22" height="51" rx="2"/><text class="label" x="17" y="116" text-anchor="middle">9</text>` +
		`<text class="label" x="45" y="116" text-anchor="middle">10</text>` +
		`<rect class="till-bar" x="62" y="0" width="22" height="102" rx="2"/><text class="label" x="73" y="116" text-anchor="middle">11</text>` +
		`<path class="axis" d="M0 102.5H90"/></svg>`
	if svg != want {
		t.Errorf("it is\n%s, want\n%s", svg, want)
	}
	if err := wellFormed(string(till.Chart("c", "t", "d", month))); err != nil {
		t.Error(err)
	}
	if till.Chart("c", "t", "d", nil) != "" {
		t.Error("no bars were drawn")
	}
}

func wellFormed(s string) error {
	for d := xml.NewDecoder(strings.NewReader(s)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("the chart is no XML: %w", err)
		}
	}
}

func TestRatesMeanSomething(t *testing.T) {
	s := newShop(t)
	for i := range 4 {
		s.did(op.Withdrawal, ist(21, 19, i), 100_00, op.Succeeded, never, "")
	}
	s.did(op.Withdrawal, ist(21, 12, 0), 100_00, op.Succeeded, never, "") // too long ago
	if rates, err := s.till.Rates(); err != nil || len(rates) != 0 {
		t.Errorf("four operations gave %v, %v", rates, err)
	}
	s.did(op.Withdrawal, ist(21, 19, 30), 100_00, op.Pending, never, "")
	s.did(op.Withdrawal, ist(21, 19, 40), 100_00, op.Expired, never, "") // the bank was not asked
	rates, err := s.till.Rates()
	if err != nil || rates["990326"] != (till.Rate{Answered: 4, Of: 5, Hours: 3}) || rates["990326"].Percent() != 80 {
		t.Errorf("the rates are %v, %v", rates, err)
	}
	if answered, asked := s.till.BankRate("990326"); answered != 4 || asked != 5 {
		t.Errorf("BankRate = %d of %d, want 4 of 5", answered, asked)
	}
	s.did(op.Withdrawal, ist(21, 19, 50), 100_00, op.Pending, never, "")
	for _, c := range []struct{ after, asked int }{{0, 5}, {14, 5}, {15, 6}} { // remembered for 15 seconds
		s.now = ist(21, 20, 0).Add(time.Duration(c.after) * time.Second)
		if _, asked := s.till.BankRate("990326"); asked != c.asked {
			t.Errorf("after %d s the bank was asked %d times, want %d", c.after, asked, c.asked)
		}
	}
	if answered, asked := s.till.BankRate("111111"); answered != 0 || asked != 0 {
		t.Errorf("a bank that was not asked has %d of %d", answered, asked)
	}
}

func TestLookGoesBackDayByDay(t *testing.T) {
	s := newShop(t)
	var ids []op.ID
	for _, day := range []int{15, 18, 18, 21} {
		ids = append(ids, s.did(op.Withdrawal, ist(day, 10, 0), money.Paise(day)*100_00, op.Succeeded, never, ""))
	}
	for _, c := range []struct {
		typed       string
		first, last till.Day
		limit       int
		want        []op.ID
		more        bool
	}{
		{"", "2026-11-01", today, 10, []op.ID{ids[3], ids[2], ids[1], ids[0]}, false},
		{"", "2026-11-01", today, 2, []op.ID{ids[3], ids[2]}, true},
		{"1800", "2026-11-01", today, 10, []op.ID{ids[2], ids[1]}, false},
		{"7058", "2026-11-16", "2026-11-20", 10, []op.ID{ids[2], ids[1]}, false},
		{"", "2026-11-21", "2026-11-20", 10, nil, false},
		{"", "2020-01-01", "2020-12-31", 10, nil, true},
	} {
		search, _ := till.ParseSearch(c.typed)
		found, more, err := s.till.Look(search, c.first, c.last, c.limit)
		var got []op.ID
		for _, r := range found {
			got = append(got, r.ID)
		}
		if err != nil || !slices.Equal(got, c.want) || more != c.more {
			t.Errorf("%q from %s to %s: %v, more %v, %v; want %v", c.typed, c.first, c.last, got, more, err, c.want)
		}
	}
}
