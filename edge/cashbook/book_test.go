package cashbook_test

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/csv"
	"errors"
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
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

const today ist.Day = "2026-11-21"

// november is a time of a day in November 2026 in India.
func november(day, hour, minute int) time.Time {
	return time.Date(2026, 11, day, hour, minute, 0, 0, time.FixedZone("IST", 5*3600+1800))
}

// testShop is a cashbook over a real queue, with the test's clock.
type testShop struct {
	t     testing.TB
	path  string
	queue *queue.Queue
	book  *cashbook.Book
	now   time.Time
	ids   uint32
}

func newShop(t testing.TB) *testShop {
	s := &testShop{t: t, path: filepath.Join(t.TempDir(), "queue.db"), now: november(21, 20, 0)}
	s.open()
	t.Cleanup(func() { _ = s.queue.Close() })
	return s
}

func (s *testShop) open() {
	s.t.Helper()
	key := secret.NewKey(bytes.Repeat([]byte{7}, 32))
	q, _, err := queue.Open(queue.Config{Path: s.path, Key: key, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.queue = q
	s.book, err = cashbook.New(q, cashbook.Config{Now: func() time.Time { return s.now }, Offset: func() time.Duration { return 0 }})
	if err != nil {
		s.t.Fatal(err)
	}
}

// addOperation records an operation in a state; given is when cash was handed over.
func (s *testShop) addOperation(route op.RouteID, at time.Time, amount money.Paise, state op.State, given time.Time, reply string) op.ID {
	s.t.Helper()
	return s.addRecord(edge.Record{
		Route: route, Class: op.Money, State: state, User: "Fatima", Customer: "Asha Patil",
		Aadhaar: "XXXXXXXX7058", IIN: "990326", BankName: "Sandbox test bank", Amount: amount, CreatedAt: at, CashGivenAt: given,
		Reply: []byte(reply), Result: edge.Result{RRN: "632514000123", STAN: "000123", Reference: "AEPS-20261121-77AB", Code: "00"},
	})
}

// addRecord records an operation; its id has the time of its creation.
func (s *testShop) addRecord(r edge.Record) op.ID {
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

func (s *testShop) summarize(day ist.Day) cashbook.Summary {
	s.t.Helper()
	k, err := s.book.Summarize(day)
	if err != nil {
		s.t.Fatal(err)
	}
	return k
}

func count(rupees ...int) cashbook.Count {
	var c cashbook.Count
	for _, r := range rupees {
		c = append(c, cashbook.NoteCount{Denomination: money.Paise(r) * money.Rupee, Pieces: 1})
	}
	return c
}

var never time.Time

func TestSummary(t *testing.T) {
	const charged = `{"statusCode":"00","data":{"transactionId":"T1","charge":10}}`
	for _, c := range []struct {
		name string
		do   func(*testShop)
		day  ist.Day
		want money.Paise // expected cash, in rupees
		line []cashbook.Flow
		open int
	}{
		{"nothing", func(*testShop) {}, today, 0, nil, 0},
		{"withdrawal handed over", func(s *testShop) {
			s.addOperation(op.Withdrawal, november(21, 10, 0), 500_00, op.Succeeded, november(21, 10, 1), "")
		}, today, -500, []cashbook.Flow{cashbook.Withdrawn}, 0},
		{"withdrawal not confirmed", func(s *testShop) { s.addOperation(op.Withdrawal, november(21, 10, 0), 500_00, op.Succeeded, never, "") }, today, -500, []cashbook.Flow{cashbook.Unconfirmed}, 0},
		{"withdrawal refused", func(s *testShop) { s.addOperation(op.Withdrawal, november(21, 10, 0), 500_00, op.Failed, never, "") }, today, 0, nil, 0},
		{"withdrawal pending", func(s *testShop) { s.addOperation(op.Withdrawal, november(21, 10, 0), 500_00, op.Pending, never, "") }, today, 0, nil, 1},
		{"created before midnight, handed over after: the day of the cash", func(s *testShop) {
			s.addOperation(op.Withdrawal, november(20, 23, 59), 500_00, op.Succeeded, november(21, 0, 1), "")
		}, today, -500, []cashbook.Flow{cashbook.Withdrawn}, 0},
		{"and not the day of the begin", func(s *testShop) {
			s.addOperation(op.Withdrawal, november(20, 23, 59), 500_00, op.Succeeded, november(21, 0, 1), "")
		}, "2026-11-20", 0, nil, 0},
		{"a pending one that was paid five days later", func(s *testShop) {
			s.addOperation(op.Withdrawal, november(16, 9, 0), 500_00, op.Succeeded, november(21, 9, 0), "")
		}, today, -500, []cashbook.Flow{cashbook.Withdrawn}, 0},
		{"transfer and its charge", func(s *testShop) {
			s.addOperation(op.Transfer, november(21, 10, 0), 1000_00, op.Succeeded, never, charged)
		}, today, 1010, []cashbook.Flow{cashbook.Sent, cashbook.Charged}, 0},
		{"transfer pending: its cash is here", func(s *testShop) { s.addOperation(op.Transfer, november(21, 10, 0), 1000_00, op.Pending, never, "") }, today, 1000, []cashbook.Flow{cashbook.Held}, 1},
		{"transfer refused at once", func(s *testShop) {
			s.addOperation(op.Transfer, november(21, 10, 0), 1000_00, op.Failed, never, `{"statusCode":"51"}`)
		}, today, 0, nil, 0},
		{"transfer came back, and was refunded with its charge", func(s *testShop) {
			s.addRecord(edge.Record{Route: op.Transfer, CreatedAt: november(21, 10, 0), Amount: 1000_00, Charge: 10_00, State: op.Reversed})
			s.addRecord(edge.Record{Route: op.Refund, CreatedAt: november(21, 11, 0), Charge: 10_00, State: op.Succeeded,
				Reply: []byte(`{"statusCode":"00","data":{"refundId":"R1","amount":1000}}`)})
		}, today, 0, []cashbook.Flow{cashbook.Owed, cashbook.Refunded}, 0},
		{"refund that the bank has paid: named until somebody says that its cash went back", func(s *testShop) {
			s.addRecord(edge.Record{Route: op.Refund, CreatedAt: november(21, 11, 0), Amount: 1000_00, Charge: 10_00, State: op.Succeeded, Consent: edge.RefundCashAfter})
		}, today, -1010, []cashbook.Flow{cashbook.Unconfirmed}, 0},
		{"and then counted when it went back", func(s *testShop) {
			s.addRecord(edge.Record{Route: op.Refund, CreatedAt: november(20, 11, 0), Amount: 1000_00, Charge: 10_00, State: op.Succeeded, Consent: edge.RefundCashAfter, CashGivenAt: november(21, 9, 0), CashBy: "Fatima"})
		}, today, -1010, []cashbook.Flow{cashbook.Refunded}, 0},
		{"refund whose cash was not given: it is here", func(s *testShop) {
			s.addRecord(edge.Record{Route: op.Refund, CreatedAt: november(21, 11, 0), Amount: 1000_00, Charge: 10_00, State: op.Succeeded, Consent: edge.RefundCashAfter, CashBy: "Fatima"})
		}, today, 0, nil, 0},
		{"refund that the bank refused, or took back", func(s *testShop) {
			s.addRecord(edge.Record{Route: op.Refund, CreatedAt: november(21, 11, 0), Amount: 1000_00, Charge: 10_00, State: op.Failed, Consent: edge.RefundCashAfter})
			s.addRecord(edge.Record{Route: op.Refund, CreatedAt: november(21, 11, 5), Amount: 1000_00, Charge: 10_00, State: op.Reversed, Consent: edge.RefundCashAfter})
		}, today, 0, nil, 0},
		{"transfer refused for its OTP: its cash went back, whatever id it has", func(s *testShop) {
			s.addRecord(edge.Record{Route: op.Transfer, CreatedAt: november(21, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed,
				Reply: []byte(`{"statusCode":"55","message":"INVALID OTP","data":{"transactionId":"T1","amount":2500,"status":"FAILED"}}`)})
		}, today, 0, nil, 0},
		{"refused for its OTP, and sent in the second attempt: counted once, with its charge", func(s *testShop) {
			s.addRecord(edge.Record{Route: op.Transfer, CreatedAt: november(21, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed,
				Reply: []byte(`{"statusCode":"55","message":"INVALID OTP","data":{"transactionId":"T1","amount":2500,"status":"FAILED"}}`)})
			s.addRecord(edge.Record{Route: op.Transfer, CreatedAt: november(21, 10, 2), Amount: 2500_00, Charge: 25_00, State: op.Succeeded,
				Reply: []byte(`{"statusCode":"00","data":{"transactionId":"T2","amount":2500,"status":"SUCCESS"}}`)})
		}, today, 2525, []cashbook.Flow{cashbook.Sent, cashbook.Charged}, 0},
		{"transfer pending: its charge is here too", func(s *testShop) {
			s.addRecord(edge.Record{Route: op.Transfer, CreatedAt: november(21, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Pending, CashKept: true})
		}, today, 2525, []cashbook.Flow{cashbook.Held}, 1},
		{"transfer failed after its cash was kept: the customer's cash is here", func(s *testShop) {
			s.addRecord(edge.Record{Route: op.Transfer, CreatedAt: november(21, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed, CashKept: true})
		}, today, 2525, []cashbook.Flow{cashbook.Owed}, 0},
		{"and goes when it is given back, on a later day", func(s *testShop) {
			s.addRecord(edge.Record{Route: op.Transfer, CreatedAt: november(20, 10, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed, CashKept: true, CashGivenAt: november(21, 9, 0)})
		}, today, -2525, []cashbook.Flow{cashbook.Returned}, 0},
		{"somebody said that a withdrawal's cash was not given", func(s *testShop) {
			s.addRecord(edge.Record{Route: op.Withdrawal, CreatedAt: november(21, 10, 0), Amount: 500_00, State: op.Succeeded, CashBy: "Fatima"})
		}, today, 0, nil, 0},
		{"the fee of a sender's registration", func(s *testShop) {
			s.addRecord(edge.Record{Route: op.RemitterRegister, Class: op.Record, CreatedAt: november(21, 10, 0), State: op.Succeeded, Result: edge.Result{StatusCode: "00"},
				Reply: []byte(`{"statusCode":"00","data":{"senderid":"5b8f","registrationFeeCharged":10}}`)})
		}, today, 10, []cashbook.Flow{cashbook.Fee}, 0},
		{"a purchase moves no cash", func(s *testShop) { s.addOperation(op.Purchase, november(21, 10, 0), 700_00, op.Succeeded, never, "") }, today, 0, nil, 0},
		{"one without a captured finger has no outcome to wait for", func(s *testShop) { s.addOperation(op.Withdrawal, november(21, 10, 0), 500_00, op.Reserved, never, "") }, today, 0, nil, 0},
		{"a queued one has", func(s *testShop) { s.addOperation(op.Withdrawal, november(21, 10, 0), 500_00, op.Queued, never, "") }, today, 0, nil, 1},
		{"an unfinished one of yesterday is named, one of tomorrow not", func(s *testShop) {
			s.addOperation(op.Withdrawal, november(20, 10, 0), 700_00, op.Unknown, never, "")
			s.addOperation(op.Withdrawal, november(22, 10, 0), 700_00, op.Unknown, never, "")
		}, today, 0, nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShop(t)
			c.do(s)
			k := s.summarize(c.day)
			var flows []cashbook.Flow
			for _, l := range k.Lines {
				flows = append(flows, l.Flow)
			}
			if k.Expected != c.want*money.Rupee || !slices.Equal(flows, c.line) || len(k.Unfinished) != c.open {
				t.Errorf("expected cash %s by %v with %d unsettled, want %d by %v with %d", k.Expected, flows, len(k.Unfinished), c.want, c.line, c.open)
			}
			if k.Expected != k.Opening+k.In-k.Out {
				t.Errorf("%s is not %s + %s - %s", k.Expected, k.Opening, k.In, k.Out)
			}
		})
	}
}

// TestUPIIsNoCash: what customers pay by UPI is summed up beside the cash, and never in it.
func TestUPIIsNoCash(t *testing.T) {
	s := newShop(t)
	pay := func(route op.RouteID, day, hour int, amount money.Paise) {
		s.addRecord(edge.Record{Route: route, Class: op.Enquiry, State: op.Succeeded, Amount: amount, CreatedAt: november(day, hour, 0)})
	}
	pay(op.PaymentReceived, 20, 10, 70_00) // yesterday's
	pay(op.PaymentReceived, 21, 10, 500_00)
	pay(op.PaymentReceived, 21, 11, 12_50)
	pay(op.PaymentReturned, 21, 12, 500_00)
	s.addOperation(op.Withdrawal, november(21, 10, 0), 100_00, op.Succeeded, november(21, 10, 1), "")
	k := s.summarize(today)
	if k.UPI != (cashbook.BankMoney{Count: 1, Amount: 12_50}) || k.Expected != -100_00 || k.Done != 1 || len(k.Lines) != 1 {
		t.Errorf("summed up as %+v", k)
	}
}

// TestMessagesAreNoneOfADay: the SMS with a receipt is in no sum, list, file or reminder of
// a day, whatever became of it.
func TestMessagesAreNoneOfADay(t *testing.T) {
	s := newShop(t)
	s.addOperation(op.Withdrawal, november(20, 10, 0), 500_00, op.Succeeded, november(20, 10, 1), "")
	if _, err := s.book.Close("2026-11-19", "Fatima", count(), "", nil); err != nil {
		t.Fatal(err)
	}
	before := s.summarize("2026-11-20")
	of := s.addOperation(op.Withdrawal, november(20, 11, 0), 100_00, op.Succeeded, november(20, 11, 1), "")
	with := s.summarize("2026-11-20")
	for i, state := range []op.State{op.Succeeded, op.Failed, op.Pending, op.Expired, op.NotSent} {
		for _, day := range []int{20, 21} {
			s.addRecord(edge.Record{
				Route: op.ReceiptMessage, Class: op.Record, State: state, User: "Fatima", Title: "XXXXXX4321", LinkedTo: of, CreatedAt: november(day, 12, i),
			})
		}
	}
	if got := s.summarize("2026-11-20"); got.Done != with.Done || got.Failed != with.Failed || got.In != with.In || got.Out != with.Out || len(got.Unfinished) != 0 {
		t.Errorf("with messages: %+v, without: %+v", got, with)
	}
	if with.Done != before.Done+1 {
		t.Errorf("the withdrawal is not counted: %d after %d", with.Done, before.Done)
	}
	for day, want := range map[ist.Day]int{"2026-11-20": 2, "2026-11-21": 0} {
		if list, err := s.book.Operations(day); err != nil || len(list) != want {
			t.Errorf("%s has %d operations, want %d: %v", day, len(list), want, err)
		}
	}
	var file bytes.Buffer
	if err := s.book.WriteDay(&file, "2026-11-20", csvTexts()); err != nil || strings.Contains(file.String(), "4321") || strings.Count(file.String(), "\n") != 3 {
		t.Errorf("file: %v\n%s", err, file.String())
	}
	s.now = november(22, 9, 0)
	if days, err := s.book.UnclosedDays(); err != nil || !slices.Equal(days, []ist.Day{"2026-11-20"}) {
		t.Errorf("days to close: %v, %v", days, err)
	}
}

func TestClosingADay(t *testing.T) {
	s := newShop(t)
	if err := s.book.SetOpening(today, count(500, 500), "Ravi"); err != nil {
		t.Fatal(err)
	}
	s.addOperation(op.Withdrawal, november(21, 10, 0), 300_00, op.Succeeded, november(21, 10, 1), "")
	open := s.addOperation(op.Withdrawal, november(21, 11, 0), 200_00, op.Pending, never, "")

	var unsettled *cashbook.UnfinishedError
	if _, err := s.book.Close(today, "Fatima", count(500, 200), "", nil); !errors.As(err, &unsettled) || !slices.Equal(unsettled.IDs, []op.ID{open}) {
		t.Fatalf("it closed over an unsettled operation: %v", err)
	}
	for _, reason := range []string{"", "  ", strings.Repeat("x", 201), "\xff"} {
		if _, err := s.book.Close(today, "Fatima", count(500), reason, []op.ID{open}); !errors.Is(err, cashbook.ErrReason) {
			t.Errorf("a difference with the reason %q gave %v", reason, err)
		}
	}
	if _, err := s.book.Close(today.Add(1), "Fatima", nil, "", nil); !errors.Is(err, cashbook.ErrFuture) {
		t.Errorf("tomorrow gave %v", err)
	}
	c, err := s.book.Close(today, "Fatima", count(500), "₹200 lent to the shop", []op.ID{open})
	if err != nil {
		t.Fatal(err)
	}
	if c.Expected != 700*money.Rupee || c.Difference() != -200*money.Rupee || !slices.Equal(c.Unfinished, []op.ID{open}) {
		t.Errorf("the closing is %+v", c)
	}
	if _, err := s.book.Close(today, "Ravi", count(500, 200), "", []op.ID{open}); !errors.Is(err, cashbook.ErrClosed) {
		t.Errorf("closing it again gave %v", err)
	}
	if err := s.book.SetOpening(today, count(100), "Ravi"); !errors.Is(err, cashbook.ErrClosed) {
		t.Errorf("an opening count after the closing gave %v", err)
	}

	if err := s.queue.Close(); err != nil {
		t.Fatal(err)
	}
	s.open()
	kept, ok, err := s.book.Closed(today)
	if err != nil || !ok || kept.Counted != 500*money.Rupee || kept.Reason != c.Reason || kept.Operator != "Fatima" || !kept.ClosedAt.Equal(s.now) {
		t.Errorf("after a restart it is %+v, %v, %v", kept, ok, err)
	}
	if amount, counted, err := s.book.Opening(today.Add(1)); err != nil || counted || amount != 500*money.Rupee {
		t.Errorf("the next day opens with %s, counted %v, %v", amount, counted, err)
	}
}

// Two users press at once: one closing is stored, and the other gets the error.
func TestTwoOperatorsCloseAtOnce(t *testing.T) {
	s := newShop(t)
	results := make(chan error, 2)
	for _, who := range []string{"Fatima", "Ravi"} {
		go func() { _, err := s.book.Close(today, who, nil, "", nil); results <- err }()
	}
	a, b := <-results, <-results
	if (a == nil) == (b == nil) || !errors.Is(errors.Join(a, b), cashbook.ErrClosed) {
		t.Errorf("they got %v and %v", a, b)
	}
}

func TestUnclosedDay(t *testing.T) {
	s := newShop(t)
	for _, day := range []int{17, 19, 20, 21} {
		s.addOperation(op.Withdrawal, november(day, 10, 0), 100_00, op.Succeeded, november(day, 10, 1), "")
	}
	if open, err := s.book.UnclosedDays(); err != nil || len(open) != 0 {
		t.Errorf("a shop that closes no days is reminded of %v, %v", open, err)
	}
	if _, err := s.book.Close("2026-11-18", "Fatima", nil, "", nil); err != nil {
		t.Fatal(err)
	}
	if open, err := s.book.UnclosedDays(); err != nil || !slices.Equal(open, []ist.Day{"2026-11-19", "2026-11-20"}) {
		t.Errorf("left open are %v, %v", open, err)
	}
}

func TestParseCount(t *testing.T) {
	form := map[money.Paise]string{500_00: "3", 100_00: "", 1_00: "7"}
	c, err := cashbook.ParseCount(func(of money.Paise) string { return form[of] })
	if err != nil || c.Total() != 1507*money.Rupee {
		t.Errorf("it is %s, %v", c.Total(), err)
	}
	for _, bad := range []string{"-1", "1.5", "x", "10000", "99999999999999999999", " 1"} {
		var e *cashbook.CountError
		if _, err := cashbook.ParseCount(func(money.Paise) string { return bad }); !errors.As(err, &e) || e.Denomination != 500_00 {
			t.Errorf("%q gave %v", bad, err)
		}
	}
}

// csvTexts are the names themselves.
func csvTexts() cashbook.CSVTexts {
	return cashbook.CSVTexts{
		Heading: func(column string) string { return column },
		Kind:    func(r edge.Record) string { return "kind " + string(r.Route) },
		State:   func(r edge.Record) string { return "state " + string(r.State) },
		Reason:  func(edge.Record) string { return "" },
	}
}

// The total of operations is that of their entries and of the day's chart.
func TestTotalOf(t *testing.T) {
	at := november(21, 10, 0)
	records := []*edge.Record{
		{Route: op.Withdrawal, Class: op.Money, State: op.Succeeded, Amount: 500_00, CashGivenAt: at},
		{Route: op.Withdrawal, Class: op.Money, State: op.Failed, Amount: 700_00},
		{Route: op.Transfer, Class: op.Money, State: op.Succeeded, Amount: 1000_00, Charge: 10_00, CreatedAt: at},
		{Route: op.Purchase, Class: op.Money, State: op.Succeeded, Amount: 200_00},
	}
	total := cashbook.TotalOf(slices.Values(records))
	if want := (cashbook.Bar{Count: 3, Sum: 1700_00, In: 1010_00, Out: 500_00}); total != want {
		t.Errorf("the total is %+v, want %+v", total, want)
	}
}

func TestCSV(t *testing.T) {
	r := edge.Record{
		ID: "019cb8d5-0000-7000-8000-0000000000aa", Route: op.Withdrawal, State: op.Succeeded, Customer: `=HYPERLINK("x")`, User: "Ravi, \"R\"",
		Aadhaar: "999941057058", Mobile: "9820017801", BankName: "बैंक", Amount: 1500_00, CreatedAt: november(21, 10, 14), CashGivenAt: november(21, 10, 15),
		Result: edge.Result{Code: "00", RRN: "632514000123", STAN: "004567", Reference: "+1"},
	}
	var out bytes.Buffer
	if err := cashbook.WriteCSV(&out, today, []cashbook.DayOperation{{Record: r, Cash: cashbook.EntriesOf(r)}}, 0, csvTexts()); err != nil {
		t.Fatal(err)
	}
	want := "\ufeffdate,time,operation,state,amount,charge,cash-in,cash-out,customer,mobile,aadhaar,bank,cash-given,reason,reference,rrn,stan,user,id\r\n" +
		`2026-11-21,10:14:00,kind POST /aeps/withdrawal,state succeeded,1500.00,,,1500.00,"'=HYPERLINK(""x"")",XXXXXX7801,XXXXXXXX7058,बैंक,2026-11-21 10:15:00,,'+1,632514000123,004567,"Ravi, ""R""",019cb8d5-0000-7000-8000-0000000000aa` + "\r\n"
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
		if err := cashbook.WriteCSV(&out, today, []cashbook.DayOperation{{Record: edge.Record{Customer: name, BankName: name, User: name, CreatedAt: november(21, 10, 0)}}}, 0, csvTexts()); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("it reads back as %d rows: %v", len(rows), err)
		}
		if cell := strings.TrimSpace(rows[1][8]); cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
			t.Errorf("%q is a formula", rows[1][8])
		}
	})
}

func TestChart(t *testing.T) {
	s := newShop(t)
	s.addOperation(op.Withdrawal, november(21, 9, 30), 500_00, op.Succeeded, november(21, 9, 31), "")
	s.addOperation(op.Withdrawal, november(21, 11, 30), 1000_00, op.Succeeded, november(21, 11, 31), "")
	s.addOperation(op.Withdrawal, november(21, 13, 30), 1000_00, op.Failed, never, "")
	s.addOperation(op.Withdrawal, november(2, 13, 30), 100_00, op.Succeeded, november(2, 13, 31), "")
	moved, err := s.book.DayOperations(today)
	if err != nil || len(moved) != 3 {
		t.Fatalf("the day has %d operations, %v", len(moved), err)
	}
	hours := s.book.HourBars(today, moved)
	if len(hours) != 3 || hours[0].Label != "9" || hours[2].Sum != 1000*money.Rupee || hours[1].Count != 0 {
		t.Errorf("the hours are %+v", hours)
	}
	month, err := s.book.MonthBars(today)
	if err != nil || len(month) != 30 || month[20].Count != 2 || month[1].Sum != 100*money.Rupee {
		t.Errorf("the month is %+v, %v", month, err)
	}
}
