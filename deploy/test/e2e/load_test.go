//go:build linux

package e2e

import (
	crand "crypto/rand"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"galla/rdservice/rdcrypto"
	"galla/rdservice/rdsim"
)

// How the load runs.
const (
	callers      = 12 // withdrawals at one time
	finalTimeout = 8 * time.Minute
)

// paise are the bank's scenarios (sandbox.md) and how often each is played.
var paise = []struct{ paise, weight int64 }{
	{0, 60},  // normal
	{5, 4},   // do not honour
	{51, 3},  // insufficient funds
	{63, 3},  // the finger does not match
	{91, 3},  // issuer not available
	{93, 3},  // pending, then failed, the money back
	{94, 4},  // pending, then executed
	{95, 5},  // no JSON
	{96, 6},  // executes, breaks off half-way
	{97, 4},  // executes, never answers
	{98, 3},  // never executes, never answers
	{99, 3},  // executes, answers late
	{100, 8}, // not a scenario: the customer calls once and never again until the end
}

// abandoned marks an entry whose caller went away.
const abandoned = 100

// newReader makes a reader of the test's own, under the sandbox's authority: the
// sandbox's one is slow, as readers are, and a load needs many.
func (h *sandbox) newReader(t *testing.T) *reader {
	t.Helper()
	authority, err := rdcrypto.LoadCertificate(filepath.Join(h.data, "authority", rdcrypto.AuthorityCertFile))
	if err != nil {
		t.Fatal(err)
	}
	device, err := rdsim.New(authority, crand.Reader, slog.New(slog.DiscardHandler), rdsim.Config{CaptureTime: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(device)
	t.Cleanup(srv.Close)
	return &reader{url: srv.URL}
}

// load is the withdrawals of one run and their replies.
type load struct {
	h         *sandbox
	seed      uint64
	startedAt time.Time
	before    map[string]int64 // balances

	mu      sync.Mutex
	entries []*entry
	token   string
	calls   int // made
	noReply int // that got no reply
}

// entry is one operation, as its caller knows it. One goroutine at a time has
// it.
type entry struct {
	key     string
	aadhaar string
	paise   int64
	body    []byte
	called  int
	replies []verdict // what changed, in order
	final   *answer
}

// verdict is what a reply says of the operation.
type verdict string

const (
	succeeded verdict = "SUCCESS"
	failed    verdict = "FAILED"
	reversed  verdict = "REVERSED"
	pending   verdict = "PENDING"
	nothing   verdict = "nothing was sent" // final
	later     verdict = "come back"        // says nothing about the operation
	broken    verdict = "broken"           // a reply that may not be
)

// judge reads a reply.
func judge(a answer) verdict {
	switch {
	case a.http == 200 && a.StatusCode == "00" && a.Data != nil:
		return verdict(a.Data.TxnStatus)
	case a.http == 200 && a.StatusCode == "00" && a.TxnStatus == "PENDING" && a.Reference != "":
		return pending
	case a.http == 502 && a.StatusCode == "10", a.http == 422 && a.StatusCode == "05", a.http == 500 && a.replayed:
		return nothing
	case a.http == 429, a.http == 503, a.http == 401, a.http == 500:
		return later
	}
	return broken
}

func (v verdict) final() bool {
	return v == succeeded || v == failed || v == reversed || v == nothing
}

// newLoad notes what the customers have before anything moves.
func newLoad(h *sandbox, seed uint64) *load {
	l := &load{h: h, seed: seed, startedAt: time.Now().Add(-time.Second), before: map[string]int64{}}
	for aadhaar := range iins {
		l.before[aadhaar] = h.balance(aadhaar)
	}
	return l
}

// serve makes withdrawals until stop, each caller with a reader of its own.
func (l *load) serve(t *testing.T, stop <-chan struct{}) {
	var work sync.WaitGroup
	for n := range callers {
		own := l.h.newReader(t)
		work.Go(func() { l.caller(n, own, stop) })
	}
	work.Wait()
}

// caller makes withdrawals until stop.
func (l *load) caller(n int, own *reader, stop <-chan struct{}) {
	r := rand.New(rand.NewPCG(l.seed, uint64(n)))
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		e, calls, err := l.draw(r, own, fmt.Sprintf("kills-%d-%d-%d", l.seed, n, i))
		if err != nil {
			l.h.t.Errorf("a capture failed, though nobody kills the reader: %v", err)
			return
		}
		l.mu.Lock()
		l.entries = append(l.entries, e)
		l.mu.Unlock()
		for range calls {
			if l.call(e).final() {
				break
			}
			pause := time.Duration(100+r.IntN(400)) * time.Millisecond
			select {
			case <-stop:
				return
			case <-time.After(pause):
			}
		}
	}
}

// draw makes an operation and decides how often its caller will ask.
func (l *load) draw(r *rand.Rand, own *reader, key string) (*entry, int, error) {
	customers := []string{choudhury, agarwal, kapoor}
	e := &entry{key: key, aadhaar: customers[r.IntN(len(customers))]}
	sum := int64(0)
	for _, p := range paise {
		sum += p.weight
	}
	pick, calls := r.Int64N(sum), 1+r.IntN(4)
	for _, p := range paise {
		if pick -= p.weight; pick >= 0 {
			continue
		}
		e.paise = p.paise
		if p.paise == abandoned {
			e.paise, calls = 0, 1
		}
		break
	}
	e.paise += 100 * (1 + r.Int64N(3))
	body, err := l.h.transaction(own, e.aadhaar, e.paise)
	e.body = body
	return e, calls, err
}

// call sends an operation once and notes what was replied.
func (l *load) call(e *entry) verdict {
	token := l.bearer()
	if token == "" {
		return later
	}
	e.called++
	a, err := l.h.postTransaction("/aeps/withdrawal", token, e.key, e.body)
	l.mu.Lock()
	l.calls++
	if err != nil {
		l.noReply++
	}
	l.mu.Unlock()
	if err != nil {
		return later
	}
	v := judge(a)
	switch {
	case a.http == 401:
		l.dropToken(token)
	case v == broken:
		l.h.t.Errorf("%s: HTTP %d: %s", e.key, a.http, a.raw)
	case v == later:
	default:
		l.checkReply(e, v, a)
	}
	return v
}

// checkReply compares a reply with the earlier ones: a final one stays, byte for byte.
func (l *load) checkReply(e *entry, v verdict, a answer) {
	if e.final != nil {
		if string(e.final.raw) != string(a.raw) || e.final.http != a.http || !a.replayed {
			l.h.t.Errorf("%s: the final reply changed (replayed %v):\n%s\n%s", e.key, a.replayed, e.final.raw, a.raw)
		}
		return
	}
	l.mu.Lock() // others count while this goes on
	defer l.mu.Unlock()
	if len(e.replies) == 0 || e.replies[len(e.replies)-1] != v {
		e.replies = append(e.replies, v)
	}
	if v.final() {
		e.final = &a
	}
}

// bearer gives a token; "" while the central is away.
func (l *load) bearer() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token == "" {
		l.token, _ = l.h.newToken(lakshmi, lakshmiSecret)
	}
	return l.token
}

func (l *load) dropToken(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token == token {
		l.token = ""
	}
}

// waitUntilFinal repeats every operation until its reply is final.
func (l *load) waitUntilFinal() {
	open := make(chan *entry, len(l.entries))
	for _, e := range l.entries {
		open <- e
	}
	close(open)
	deadline := time.Now().Add(finalTimeout)
	var work sync.WaitGroup
	for range callers {
		work.Go(func() {
			for e := range open {
				for v := later; !v.final() && time.Now().Before(deadline); {
					if v = l.call(e); !v.final() {
						time.Sleep(200 * time.Millisecond)
					}
				}
			}
		})
	}
	work.Wait()
}
