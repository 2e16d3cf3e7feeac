package nodes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crypto/rand"

	"galla/central/admincli"
	"galla/edge"
	"galla/shared/op"
	"galla/shared/partner"
	"galla/shared/secret"
)

// TestTwoAtOnceRunOnce sends the same identity to two nodes at the same moment: it runs
// once, and both replies are the same.
func TestTwoAtOnceRunOnce(t *testing.T) {
	h := newSystem(t)
	nodes := h.plan("north", "south")
	h.start(nodes...) // on an empty database: both migrate and seed
	clients := []*http.Client{h.client(), h.client()}
	var next, replays atomic.Int64
	var lock sync.Mutex
	references := map[string]int{}
	var work sync.WaitGroup
	for range 16 {
		work.Go(func() {
			for i := next.Add(1); i <= *pairs && !t.Failed(); i = next.Add(1) {
				body := h.withdrawal(100 + 100*(i%3))
				var both [2]answer
				var pair sync.WaitGroup
				for n := range nodes {
					pair.Go(func() {
						for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
							a, err := h.withdraw(clients[n], nodes[n].addr, merchant1, fmt.Sprint("pair-", i), body)
							if err != nil {
								t.Errorf("pair %d: %v", i, err)
								return
							}
							if both[n] = a; judge(a) != later {
								return
							}
						}
					})
				}
				pair.Wait()
				if judge(both[0]) != succeeded || !bytes.Equal(both[0].raw, both[1].raw) || both[0].http != both[1].http {
					t.Errorf("pair %d: HTTP %d %s\nand HTTP %d %s", i, both[0].http, both[0].raw, both[1].http, both[1].raw)
					return
				}
				if both[0].replayed == both[1].replayed {
					t.Errorf("pair %d: replayed %t and %t", i, both[0].replayed, both[1].replayed)
				}
				if both[0].replayed {
					replays.Add(1)
				}
				lock.Lock()
				references[both[0].Data.RetailerReferenceNumber]++
				lock.Unlock()
			}
		})
	}
	work.Wait()
	books := h.executions()
	if !t.Failed() && (int64(len(books)) != *pairs || int64(len(references)) != *pairs) {
		t.Errorf("%d pairs made %d debits under %d references", *pairs, len(books), len(references))
	}
	for ref, e := range books {
		if references[ref] != 1 || e.Status != "EXECUTED" {
			t.Errorf("the books have %s %s, which %d pairs got", ref, e.Status, references[ref])
		}
	}
	t.Logf("%d pairs, %d debits; north was the second in %d", *pairs, len(books), replays.Load())
}

// TestEventsReachTheNodeThatHoldsTheTerminal checks that whatever node finds an
// outcome, the node that the terminal is connected to reports it.
func TestEventsReachTheNodeThatHoldsTheTerminal(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := newSystem(t)
	h.slowBank = 3 * time.Second
	nodes := h.plan("north", "south", "west")
	h.start(nodes...)
	evidence, err := admincli.OpenOperations(t.Context(), h.config(&node{name: "operator"}).CLIConfig())
	h.must(err)
	defer func() { _ = evidence.Close() }()
	counters := []*counter{h.newCounter(nodes[0], nodes[0].terminal), h.newCounter(nodes[0], nodes[0].terminal)}
	// It is random which node claims an operation, so it goes on until another node was
	// quicker.
	const enough, most = 6, 40
	sold, elsewhere := 0, 0
	for sold < enough || elsewhere == 0 && sold < most {
		ids := make([]op.ID, len(counters))
		var selling sync.WaitGroup
		for i, c := range counters {
			selling.Go(func() {
				v, err := c.withdraw(100_97) // executed, and never answered
				if ids[i] = v.ID; err != nil || v.State != op.Pending {
					t.Errorf("a withdrawal at the counter: %s %s, %s", v.State, v.Reason, detail(err))
					return
				}
				eventually(t, "the counter knows of the withdrawal's end", func() bool {
					now, err := c.Operation(v.ID)
					return err == nil && now.State == op.Succeeded
				})
			})
		}
		selling.Wait()
		if t.Failed() {
			return
		}
		for _, id := range ids {
			var story strings.Builder
			h.must(evidence.Show(t.Context(), string(id), &story))
			sold++
			if strings.Contains(story.String(), "south") || strings.Contains(story.String(), "west") {
				elsewhere++
			}
		}
	}
	t.Logf("of %d pending withdrawals at counters on north, others resolved %d", sold, elsewhere)
	if elsewhere == 0 {
		t.Error("no other node resolved any of north's: the work is not shared")
	}
}

// TestARevocationDisconnectsAtAnotherNode revokes terminals through one node: they lose
// their connections to another, without its polling. Polling would take a quarter of a
// minute on average, and half a minute for the last.
func TestARevocationDisconnectsAtAnotherNode(t *testing.T) {
	t.Parallel()
	h := newSystem(t)
	nodes := h.plan("north", "south")
	h.start(nodes...)
	var revoked []*counter
	for range 5 {
		revoked = append(revoked, h.newCounter(nodes[0], nodes[0].terminal))
	}
	other := h.newCounter(nodes[0], nodes[0].terminal)
	begun := time.Now()
	for _, c := range revoked {
		h.call(nodes[1], nil, "DELETE", "/terminals/"+c.terminal, nil, "Authorization", "Bearer "+h.token(nodes[1].addr, merchant1))
	}
	for _, c := range revoked {
		eventually(t, "the revoked terminal is cut off", func() bool { s := c.line.State(); return !s.Online && s.Revoked })
	}
	t.Logf("5 terminals cut off after %v", time.Since(begun).Round(time.Millisecond))
	if time.Since(begun) > 15*time.Second {
		t.Error("it took as long as polling: the notification did not arrive")
	}
	if !other.line.State().Online {
		t.Error("another terminal lost its line")
	}
}

// detail says what a form lacked.
func detail(err error) string {
	var draft *edge.ValidationError
	if errors.As(err, &draft) {
		return fmt.Sprintf("%+v", *draft)
	}
	return fmt.Sprint(err)
}

// vendorKey is vendor 1's sandbox key: 32 bytes that count up.
func vendorKey() secret.Key {
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i)
	}
	return secret.NewKey(key)
}

// requestTap keeps a copy of the last request.
type requestTap struct {
	mu   sync.Mutex
	last *http.Request
	body []byte
}

func (p *requestTap) RoundTrip(r *http.Request) (*http.Response, error) {
	body := new(bytes.Buffer)
	if _, err := body.ReadFrom(r.Body); err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.last, p.body = r.Clone(context.Background()), body.Bytes()
	p.mu.Unlock()
	r.Body = http.NoBody
	out := r.Clone(r.Context())
	out.Body = readCloser(body.Bytes())
	return http.DefaultTransport.RoundTrip(out)
}

// replay sends the copy to a node.
func (p *requestTap) replay(n *node) (*http.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.last.Clone(p.last.Context())
	out.URL.Host, out.Host, out.Body = n.addr, n.addr, readCloser(p.body)
	return http.DefaultTransport.RoundTrip(out)
}

type closer struct{ *bytes.Reader }

func (closer) Close() error { return nil }

func readCloser(b []byte) closer { return closer{bytes.NewReader(b)} }

func (h *system) partner(n *node, transport http.RoundTripper) *partner.Client {
	p, err := partner.New(partner.Config{
		BaseURL: "http://" + n.addr, ClientID: "vk_sandbox_sahyadri", Key: vendorKey(), Rand: rand.Reader, Now: time.Now,
		HTTPClient: &http.Client{Transport: transport, Timeout: patience},
	})
	h.must(err)
	return p
}

// TestAReplayIsRefusedByEveryNode checks that a sealed message that one node accepted
// is refused by any other.
func TestAReplayIsRefusedByEveryNode(t *testing.T) {
	t.Parallel()
	h := newSystem(t)
	nodes := h.plan("north", "south")
	h.start(nodes...)
	line := &requestTap{}
	reply, err := h.partner(nodes[0], line).Call(t.Context(), "GET", "/aeps/banks", fields{"merchantId": "c0000000-0000-4000-8000-000000000001"})
	if err != nil || reply.Status != http.StatusOK {
		t.Fatal(reply.Status, err)
	}
	for _, n := range nodes {
		resp, err := line.replay(n)
		h.must(err)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("the same message at %s: HTTP %d", n.name, resp.StatusCode)
		}
	}
}

// TestARateHoldsOverAllNodes checks that a vendor that floods two nodes gets its rate
// once. The flood lasts until the burst is used up, however slow the machine is.
func TestARateHoldsOverAllNodes(t *testing.T) {
	h := newSystem(t)
	nodes := h.plan("north", "south")
	h.start(nodes...)
	const flood = 4 * time.Second
	var taken, refused atomic.Int64
	begun := time.Now()
	var flooding sync.WaitGroup
	for i := range 48 {
		p := h.partner(nodes[i%2], h.client().Transport)
		flooding.Go(func() {
			for time.Since(begun) < flood || refused.Load() == 0 && time.Since(begun) < patience {
				reply, err := p.Call(t.Context(), "GET", "/no/such/route", nil)
				switch {
				case err != nil:
					t.Errorf("a call: %v", err)
					return
				case reply.Status == http.StatusTooManyRequests:
					refused.Add(1)
				default:
					taken.Add(1)
				}
			}
		})
	}
	flooding.Wait()
	took := time.Since(begun)
	want := vendorBurst + vendorRate*took.Seconds()
	t.Logf("%d messages taken in %v, %d refused; one rate gives %.0f", taken.Load(), took.Round(time.Millisecond), refused.Load(), want)
	// A full bucket would have refilled while the flood grew; that part is lost.
	if n := float64(taken.Load()); n > 1.1*want || n < 0.75*want {
		t.Errorf("%.0f messages were taken; one rate gives %.0f", n, want)
	}
	if refused.Load() == 0 {
		t.Error("there was no flood")
	}
}
