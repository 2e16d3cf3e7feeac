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

// shelf is a Queue in memory, with a switch that makes the disk fail. The real
// one has the same rules, tested in edge/queue.
type shelf struct {
	mu      sync.Mutex
	records map[op.ID]Record
	order   []op.ID
	cursor  int64
	cache   map[string][]byte
	broken  error
	damaged error // of records that do not open
}

func newShelf() *shelf {
	return &shelf{records: map[op.ID]Record{}, cache: map[string][]byte{}}
}

func (s *shelf) Add(r Record) error {
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

func (s *shelf) Change(id op.ID, change func(*Record) error) (Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.change(id, change)
}

func (s *shelf) change(id op.ID, change func(*Record) error) (Record, error) {
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

func (s *shelf) Get(id op.ID) (Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.records[id]
	if !ok {
		return Record{}, ErrNotFound
	}
	return r, nil
}

func (s *shelf) Unresolved() ([]Record, error) {
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

func (s *shelf) OpenCash() ([]Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Record
	for _, id := range s.order {
		if r := s.records[id]; r.Cash().Open() {
			out = append(out, r)
		}
	}
	return out, s.damaged
}

func (s *shelf) Linked() ([]Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Record
	for _, id := range s.order {
		if r := s.records[id]; r.Of != "" {
			out = append(out, r)
		}
	}
	return out, s.damaged
}

func (s *shelf) Depth() int {
	left, _ := s.Unresolved()
	return len(left)
}

func (s *shelf) Recent(before op.ID, limit int) ([]Record, error) {
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

func (s *shelf) Cursor() (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cursor, nil
}

func (s *shelf) Apply(cursor int64, id op.ID, change func(*Record) error) (Record, error) {
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

func (s *shelf) Cached(name string) ([]byte, time.Time, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.cache[name]
	return v, time.Now(), ok, nil
}

func (s *shelf) Cache(name string, value []byte, _ time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cache[name] = value
	return s.broken
}

func (s *shelf) breakDisk(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = err
}

// wireTap is a Line that keeps what was given to it.
type wireTap struct {
	mu     sync.Mutex
	state  LinkState
	frames []wire.Frame
	stall  chan struct{} // where set, an op frame is taken once it is closed
}

func (l *wireTap) State() LinkState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

func (l *wireTap) Send(f wire.Frame) error {
	if l.stall != nil && f.T == wire.TOp {
		<-l.stall
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.state.Up {
		return ErrDown
	}
	l.frames = append(l.frames, f)
	return nil
}

func (l *wireTap) set(up bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = LinkState{Up: up, Window: 8, Since: time.Now()}
}

func (l *wireTap) sent(t wire.Type, id op.ID) int {
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

// finger is a Device whose next captures are scripted; it captures at once
// where nothing is.
type finger struct {
	mu     sync.Mutex
	script []func(context.Context) (Capture, error)
	taken  int
}

const canaryPid = "<PidData>CANARY</PidData>"

func (d *finger) State() DeviceState { return DeviceState{Status: "READY"} }

func (d *finger) Capture(ctx context.Context) (Capture, error) {
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

// house is a counter with its fakes, running.
type house struct {
	t      *testing.T
	c      *Counter
	queue  *shelf
	line   *wireTap
	device *finger
	rand   io.Reader
	stop   func()
}

// source is a seeded random source that many goroutines may read.
type source struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func newSource(seed byte) *source { return &source{r: rand.NewChaCha8([32]byte{seed})} }

func (s *source) Read(p []byte) (int, error) {
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

// open starts a house over a shelf that may have lived before. It must run in
// a synctest bubble; stop it before the bubble ends.
func open(t *testing.T, queue *shelf) *house { return openAt(t, queue, time.Now) }

// openAt opens a counter whose clock may be wrong.
func openAt(t *testing.T, queue *shelf, now func() time.Time) *house {
	t.Helper()
	h := &house{t: t, queue: queue, line: &wireTap{}, device: &finger{}, rand: newSource(1)}
	queue.cache[cacheBanks] = []byte(`[{"IIN":"990326","Name":"Sandbox test bank"}]`)
	queue.cache[cacheSession], _ = jsonSession(time.Now().Add(time.Hour))
	c, err := New(queue, h.device, Config{
		Agent: "Fatima", AgentAadhaar: testAadhaar(t), Merchant: "Lakshmi Kirana Store", TID: "GAL00101",
		Latitude: "18.5204", Longitude: "73.8567",
		Rand: h.rand, Logger: slog.New(slog.DiscardHandler), Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	h.c = c
	c.Attach(h.line)
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

func (h *house) up() {
	h.line.set(true)
	if err := h.c.Welcomed(wire.Frame{T: wire.TWelcome, Clock: 1, Window: 8}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) down() {
	h.line.set(false)
	h.c.Lost(io.EOF)
}

func (h *house) draft(route op.RouteID) Draft {
	d := Draft{Route: route, Aadhaar: testAadhaar(h.t), Customer: "Asha", IIN: "990326", Consent: "en-1", Operator: "Fatima", OperatorID: AgentID}
	if route == op.Withdrawal || route == op.Purchase {
		d.Amount = 50000
	}
	return d
}

// begin takes an operation as far as its capture.
func (h *house) begin(route op.RouteID) op.ID {
	h.t.Helper()
	v, err := h.c.Begin(h.t.Context(), h.draft(route))
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.c.Capture(v.ID); err != nil {
		h.t.Fatal(err)
	}
	return v.ID
}

func (h *house) state(id op.ID) op.State {
	h.t.Helper()
	v, err := h.c.Operation(id)
	if err != nil {
		h.t.Fatal(err)
	}
	return v.State
}

func (h *house) want(id op.ID, state op.State) {
	h.t.Helper()
	if got := h.state(id); got != state {
		h.t.Errorf("operation is %s, want %s", got, state)
	}
}

func outcome(id op.ID, state op.State, code string) wire.Frame {
	reply := fmt.Sprintf(`{"statusCode":"00","message":"m","data":{"ResponseCode":%q,"STAN":"000001"}}`, code)
	return wire.OutcomeFrame(id, op.Outcome{State: state, HTTP: 200, Reply: []byte(reply)})
}

func (h *house) receive(f wire.Frame) {
	h.t.Helper()
	if err := h.c.Receive(f); err != nil {
		h.t.Errorf("Receive(%v) = %v", f, err)
	}
}
