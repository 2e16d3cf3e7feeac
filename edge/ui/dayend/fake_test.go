package dayend_test

import (
	"bytes"
	"crypto/rand"
	"log/slog"
	"path/filepath"
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

var never time.Time

// november is a time of a day in November 2026 in India.
func november(day, hour, minute int) time.Time {
	return time.Date(2026, 11, day, hour, minute, 0, 0, ist.Zone())
}

// testShop is a cashbook over a real queue, with the test's clock.
type testShop struct {
	t     testing.TB
	queue *queue.Queue
	book  *cashbook.Book
	now   time.Time
	ids   byte
}

func newShop(t testing.TB) *testShop {
	t.Helper()
	q, _, err := queue.Open(queue.Config{
		Path: filepath.Join(t.TempDir(), "queue.db"), Key: secret.NewKey(bytes.Repeat([]byte{7}, 32)), Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	s := &testShop{t: t, queue: q, now: november(21, 20, 0)}
	s.book, err = cashbook.New(q, cashbook.Config{Now: func() time.Time { return s.now }, Offset: func() time.Duration { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// addOperation records an operation in a state; given is when cash was handed over.
func (s *testShop) addOperation(route op.RouteID, at time.Time, amount money.Paise, state op.State, given time.Time, reply string) op.ID {
	s.t.Helper()
	s.ids++
	id := uuid.UUID{6: 0x70, 8: 0x80, 15: s.ids}
	for ms, i := at.UnixMilli(), 5; i >= 0; ms, i = ms>>8, i-1 {
		id[i] = byte(ms)
	}
	r := edge.Record{
		ID: op.ID(id.String()), Version: 1, Route: route, Class: op.Money, State: state, User: "Fatima", Customer: "Asha Patil",
		Aadhaar: "XXXXXXXX7058", IIN: "990326", BankName: "Sandbox test bank", Amount: amount, CreatedAt: at, CashGivenAt: given,
		Reply: []byte(reply), Result: edge.Result{RRN: "632514000123", STAN: "000123", Reference: "AEPS-20261121-77AB", Code: "00"},
	}
	if r.IsPayment() {
		r.Class = op.Enquiry
	}
	if state.Final() {
		r.EndedAt = at
	}
	if err := s.queue.Add(r); err != nil {
		s.t.Fatal(err)
	}
	return r.ID
}

// answer records when an operation's cash was given.
func (s *testShop) answer(id op.ID, given time.Time) {
	s.t.Helper()
	if _, err := s.queue.Change(id, func(r *edge.Record) error {
		r.CashGivenAt, r.CashBy = given, "Fatima"
		return nil
	}); err != nil {
		s.t.Fatal(err)
	}
}

func count(rupees ...int) cashbook.Count {
	var c cashbook.Count
	for _, r := range rupees {
		c = append(c, cashbook.NoteCount{Denomination: money.Paise(r) * money.Rupee, Pieces: 1})
	}
	return c
}
