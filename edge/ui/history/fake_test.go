package history

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/queue"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// testCounter is a counter over a real queue; enquiries are in its memory.
type testCounter struct {
	*uitest.Counter
	path  string
	queue *queue.Queue
	book  *cashbook.Book

	mu     sync.Mutex
	asks   []edge.View
	serial uint32
}

// now is uitest's clock: 21 November 2026, 10:14 in India.
func now() time.Time { return uitest.Now() }

func newShop(t testing.TB) *testCounter {
	t.Helper()
	path := filepath.Join(t.TempDir(), "queue.db")
	q, _, err := queue.Open(queue.Config{
		Path: path, Key: secret.NewKey(bytes.Repeat([]byte{7}, 32)), Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	s := &testCounter{Counter: uitest.NewCounter(), path: path, queue: q}
	s.book, err = cashbook.New(q, cashbook.Config{Now: now, Offset: func() time.Duration { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// idAt makes an id of a time, later ones greater.
func (s *testCounter) idAt(at time.Time) op.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	ms, n := at.UnixMilli(), s.serial
	id := uuid.UUID{byte(ms >> 40), byte(ms >> 32), byte(ms >> 24), byte(ms >> 16), byte(ms >> 8), byte(ms), 0x70, 0, 0x80, 0, 0, 0, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	return op.ID(id.String())
}

// addOperation adds an operation created some time ago.
func (s *testCounter) addOperation(t testing.TB, ago time.Duration, state op.State, alter ...func(*edge.Record)) op.ID {
	t.Helper()
	at := now().Add(-ago)
	r := edge.Record{
		ID: s.idAt(at), Route: op.Withdrawal, Class: op.Money, State: state, Version: 1, User: "Fatima", Customer: "Shivshankar Choudhury",
		Aadhaar: "XXXXXXXX7058", IIN: "607094", BankName: "State Bank of India", Amount: 500 * money.Rupee, CreatedAt: at, SentAt: at,
		Deadline: at.Add(time.Minute), Result: edge.Result{RRN: "632514000123", STAN: "000123", Reference: "AEPS-20261121-77AB", Code: "00"},
	}
	if state == op.Succeeded {
		r.CashGivenAt = at.Add(time.Minute)
	}
	for _, a := range alter {
		a(&r)
	}
	if err := s.queue.Add(r); err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// addEnquiry adds an enquiry, which is not in the queue.
func (s *testCounter) addEnquiry(ago time.Duration, state op.State) op.ID {
	at := now().Add(-ago)
	v := edge.View{Volatile: true, Record: edge.Record{ID: s.idAt(at), Route: op.Balance, Class: op.Enquiry, State: state, Customer: "Asha Patil", Aadhaar: "XXXXXXXX1234", CreatedAt: at}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks = append(s.asks, v)
	return v.ID
}

func view(r edge.Record) edge.View {
	v := edge.View{Record: r}
	v.Body = nil
	v.Stage = map[op.State]edge.Stage{
		op.Reserved: edge.StageReady, op.Queued: edge.StageSending, op.Sent: edge.StageSending, op.Accepted: edge.StageBank, op.Unknown: edge.StageAsking,
	}[r.State]
	return v
}

// Operation implements Counter.
func (s *testCounter) Operation(id op.ID) (edge.View, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.asks {
		if v.ID == id {
			return v, nil
		}
	}
	r, err := s.queue.Get(id)
	return view(r), err
}

// Enquiries implements Counter.
func (s *testCounter) Enquiries() []edge.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.asks)
	slices.SortFunc(out, func(a, b edge.View) int { return cmp.Compare(b.ID, a.ID) })
	return out
}

func (s *testCounter) pages(t testing.TB) *Pages {
	t.Helper()
	pages, err := New(s, s.book, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// openPages serves the section, and logs in.
func openPages(t *testing.T, s *testCounter) *uitest.Client {
	t.Helper()
	v := uitest.Serve(t, s, s.pages(t)).NewClient(t)
	v.Login()
	return v
}
