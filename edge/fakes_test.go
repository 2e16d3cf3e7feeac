package edge

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// memoryQueue is a Queue in memory, with a switch that makes the disk fail. The real
// one has the same rules, tested in edge/queue.
type memoryQueue struct {
	mu      sync.Mutex
	records map[op.ID]Record
	order   []op.ID
	cursor  int64
	cache   map[string][]byte
	broken  error
	damaged error // of records that do not open
}

func newMemoryQueue() *memoryQueue {
	return &memoryQueue{records: map[op.ID]Record{}, cache: map[string][]byte{}}
}

func (s *memoryQueue) Add(r Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	if _, ok := s.records[r.ID]; ok {
		return ErrExists
	}
	s.records[r.ID] = r
	s.order = append(s.order, r.ID)
	return nil
}

func (s *memoryQueue) Change(id op.ID, change func(*Record) error) (Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.change(id, change)
}

func (s *memoryQueue) change(id op.ID, change func(*Record) error) (Record, error) {
	r, ok := s.records[id]
	if !ok {
		return Record{}, ErrNotFound
	}
	before := r.State
	if err := change(&r); err != nil {
		return Record{}, err
	}
	if s.broken != nil {
		return Record{}, s.broken
	}
	if r.State != before && !CanBecome(before, r.State) {
		return Record{}, fmt.Errorf("%w: %s to %s", ErrIllegal, before, r.State)
	}
	r.Version++
	if r.State.Final() {
		r.Body = nil
		if r.EndedAt.IsZero() {
			r.EndedAt = time.Now()
		}
	}
	s.records[id] = r
	return r, nil
}

func (s *memoryQueue) Get(id op.ID) (Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.records[id]
	if !ok {
		return Record{}, ErrNotFound
	}
	return r, nil
}

func (s *memoryQueue) Unresolved() ([]Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Record
	for _, id := range s.order {
		if r := s.records[id]; !r.State.Final() {
			out = append(out, r)
		}
	}
	return out, nil
}

func (s *memoryQueue) OpenCash() ([]Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Record
	for _, id := range s.order {
		if r := s.records[id]; r.Cash().IsOpen() {
			out = append(out, r)
		}
	}
	return out, s.damaged
}

func (s *memoryQueue) LinkedOperations() ([]Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Record
	for _, id := range s.order {
		if r := s.records[id]; r.LinkedTo != "" {
			out = append(out, r)
		}
	}
	return out, s.damaged
}

func (s *memoryQueue) UnresolvedCount() int {
	left, _ := s.Unresolved()
	return len(left)
}

func (s *memoryQueue) Recent(before op.ID, limit int) ([]Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Record
	for _, id := range slices.Backward(s.order) {
		if len(out) < limit && (before == "" || id < before) {
			out = append(out, s.records[id])
		}
	}
	return out, nil
}

func (s *memoryQueue) Cursor() (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cursor, nil
}

func (s *memoryQueue) ApplyEvent(cursor int64, id op.ID, change func(*Record) error) (Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cursor <= s.cursor {
		return Record{}, nil
	}
	var r Record
	var err error
	if _, ok := s.records[id]; ok {
		if r, err = s.change(id, change); err != nil {
			return Record{}, err
		}
	}
	if s.broken != nil {
		return Record{}, s.broken
	}
	s.cursor = cursor
	return r, nil
}

func (s *memoryQueue) AddByEvent(cursor int64, r Record) (Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.records[r.ID]
	if s.broken != nil {
		return Record{}, s.broken
	}
	if !ok {
		s.records[r.ID], known = r, r
		s.order = append(s.order, r.ID)
	}
	s.cursor = max(s.cursor, cursor)
	return known, nil
}

func (s *memoryQueue) GetCache(name string) ([]byte, time.Time, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.cache[name]
	return v, time.Now(), ok, nil
}

func (s *memoryQueue) PutCache(name string, value []byte, _ time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cache[name] = value
	return s.broken
}

// forgetCache removes a value, which an older version did not store.
func (s *memoryQueue) forgetCache(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.cache, name)
}

func (s *memoryQueue) breakDisk(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = err
}

// fakeLink is a Link that records what was sent.
type fakeLink struct {
	mu     sync.Mutex
	state  LinkState
	frames []wire.Frame
	stall  chan struct{} // where set, an op frame is taken once it is closed
}

func (l *fakeLink) State() LinkState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

func (l *fakeLink) Send(f wire.Frame) error {
	if l.stall != nil && f.T == wire.TOp {
		<-l.stall
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.state.Online {
		return ErrOffline
	}
	l.frames = append(l.frames, f)
	return nil
}

func (l *fakeLink) set(up bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = LinkState{Online: up, Window: 8, Since: time.Now()}
}

func (l *fakeLink) sent(t wire.Type, id op.ID) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, f := range l.frames {
		if f.T == t && f.ID == id {
			n++
		}
	}
	return n
}

// fakeReader is a Device whose next captures are scripted; it captures at once
// where nothing is.
type fakeReader struct {
	mu     sync.Mutex
	script []func(context.Context) (Capture, error)
	taken  int
}

const canaryPid = "<PidData>CANARY</PidData>"

func (d *fakeReader) State() ReaderState { return ReaderState{Status: "READY"} }

func (d *fakeReader) Capture(ctx context.Context) (Capture, error) {
	d.mu.Lock()
	d.taken++
	var next func(context.Context) (Capture, error)
	if len(d.script) > 0 {
		next, d.script = d.script[0], d.script[1:]
	}
	d.mu.Unlock()
	if next != nil {
		return next(ctx)
	}
	return Capture{PidData: secret.NewPidData(canaryPid), CapturedAt: time.Now(), Quality: 80}, nil
}

// testCounter is a counter with its fakes, running.
type testCounter struct {
	t      *testing.T
	c      *Counter
	queue  *memoryQueue
	link   *fakeLink
	reader *fakeReader
	rand   io.Reader
	stop   func()
}

// lockedRand is a seeded random source that many goroutines may read.
type lockedRand struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func newLockedRand(seed byte) *lockedRand { return &lockedRand{r: rand.NewChaCha8([32]byte{seed})} }

func (s *lockedRand) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Read(p)
}

func testAadhaar(t testing.TB) secret.Aadhaar {
	a, err := secret.ParseAadhaar("999941057058")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// open starts a counter over a queue that may have been used before. It must run
// in a synctest bubble; stop it before the bubble ends.
func open(t *testing.T, queue *memoryQueue) *testCounter { return openAt(t, queue, time.Now) }

// openAt opens a counter whose clock may be wrong.
func openAt(t *testing.T, queue *memoryQueue, now func() time.Time) *testCounter {
	t.Helper()
	h := &testCounter{t: t, queue: queue, link: &fakeLink{}, reader: &fakeReader{}, rand: newLockedRand(1)}
	queue.cache[cacheReply+string(op.Banks)] = []byte(`{"HTTP":200,"Reply":{"statusCode":"00","data":[{"iin":"990326","bankName":"Sandbox test bank"}]}}`)
	queue.cache[cacheSession], _ = jsonSession(time.Now().Add(time.Hour))
	c, err := New(queue, h.reader, Config{
		Agent: "Fatima", AgentAadhaar: testAadhaar(t), Merchant: "Lakshmi Kirana Store", TID: "GAL00101",
		Latitude: "18.5204", Longitude: "73.8567",
		Rand: h.rand, Logger: slog.New(slog.DiscardHandler), Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	h.c = c
	c.SetLink(h.link)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	synctest.Wait()
	h.stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
	}
	return h
}

func (h *testCounter) goOnline() {
	h.link.set(true)
	if err := h.c.Welcome(wire.Frame{T: wire.TWelcome, Clock: 1, Window: 8}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *testCounter) goOffline() {
	h.link.set(false)
	h.c.Disconnected(io.EOF)
}

func (h *testCounter) draft(route op.RouteID) Request {
	d := Request{Route: route, Aadhaar: testAadhaar(h.t), Customer: "Asha", IIN: "990326", Consent: "en-1", User: "Fatima", UserID: AgentID}
	if route == op.Withdrawal || route == op.Purchase {
		d.Amount = 50000
	}
	return d
}

// mustCreate takes an operation as far as its capture.
func (h *testCounter) mustCreate(route op.RouteID) op.ID {
	h.t.Helper()
	v, err := h.c.Start(h.draft(route))
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.c.Capture(v.ID); err != nil {
		h.t.Fatal(err)
	}
	return v.ID
}

func (h *testCounter) state(id op.ID) op.State {
	h.t.Helper()
	v, err := h.c.Operation(id)
	if err != nil {
		h.t.Fatal(err)
	}
	return v.State
}

func (h *testCounter) wantState(id op.ID, state op.State) {
	h.t.Helper()
	if got := h.state(id); got != state {
		h.t.Errorf("operation is %s, want %s", got, state)
	}
}

func outcome(id op.ID, state op.State, code string) wire.Frame {
	reply := fmt.Sprintf(`{"statusCode":"00","message":"m","data":{"ResponseCode":%q,"STAN":"000001"}}`, code)
	return wire.OutcomeFrame(id, op.Outcome{State: state, HTTP: 200, Reply: []byte(reply)})
}

func (h *testCounter) receive(f wire.Frame) {
	h.t.Helper()
	if err := h.c.Receive(f); err != nil {
		h.t.Errorf("Receive(%v) = %v", f, err)
	}
}
