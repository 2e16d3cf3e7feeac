package nodestest

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

	"galla/central/office"
	"galla/edge"
	"galla/shared/op"
	"galla/shared/partner"
	"galla/shared/secret"
)

// TestTwoAtOnceRunOnce: the same identity sent to two nodes at the same moment
// runs once, and both are told the same.
func TestTwoAtOnceRunOnce(t *testing.T) {
	h := newHouse(t)
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
			t.Errorf("the books have %s %s, which %d pairs were told of", ref, e.Status, references[ref])
		}
	}
	t.Logf("%d pairs, %d debits; north was the second in %d", *pairs, len(books), replays.Load())
}

// TestEventsReachTheNodeThatHoldsTheTerminal: what any node resolves is told by
// the one that the terminal is connected to.
func TestEventsReachTheNodeThatHoldsTheTerminal(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := newHouse(t)
	h.patient = time.Second
	nodes := h.plan("north", "south", "west")
	h.start(nodes...)
	evidence, err := office.OpenEvidence(t.Context(), h.config(&node{name: "operator"}).Office())
	h.must(err)
	defer func() { _ = evidence.Close() }()
	counters := []*counter{h.newCounter(nodes[0], nodes[0].terminal), h.newCounter(nodes[0], nodes[0].terminal)}
	// Who claims what is chance, so it goes on until another node was quicker.
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

// TestARevocationCutsTheLineOnAnotherNode: revoked through one node, terminals
// lose their connections to another, without its looking by itself: that would
// take it a quarter of a minute on average, and half a minute for the last.
func TestARevocationCutsTheLineOnAnotherNode(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
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
		eventually(t, "the revoked terminal is cut off", func() bool { s := c.line.State(); return !s.Up && s.Revoked })
	}
	t.Logf("5 terminals cut off after %v", time.Since(begun).Round(time.Millisecond))
	if time.Since(begun) > 15*time.Second {
		t.Error("it took as long as a look without a ring: the bell was not heard")
	}
	if !other.line.State().Up {
		t.Error("another terminal lost its line")
	}
}

// detail says what a form lacked.
func detail(err error) string {
	var draft *edge.DraftError
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

// tap keeps a copy of the last request.
type tap struct {
	mu   sync.Mutex
	last *http.Request
	body []byte
}

func (p *tap) RoundTrip(r *http.Request) (*http.Response, error) {
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

// again sends the copy to a node.
func (p *tap) again(n *node) (*http.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.last.Clone(p.last.Context())
	out.URL.Host, out.Host, out.Body = n.addr, n.addr, readCloser(p.body)
	return http.DefaultTransport.RoundTrip(out)
}

type closer struct{ *bytes.Reader }

func (closer) Close() error { return nil }

func readCloser(b []byte) closer { return closer{bytes.NewReader(b)} }

func (h *house) partner(n *node, transport http.RoundTripper) *partner.Client {
	p, err := partner.New(partner.Config{
		BaseURL: "http://" + n.addr, ClientID: "vk_sandbox_sahyadri", Key: vendorKey(), Rand: rand.Reader, Now: time.Now,
		HTTPClient: &http.Client{Transport: transport, Timeout: patience},
	})
	h.must(err)
	return p
}

// TestAReplayIsRefusedByEveryNode: a sealed message that one node took is no
// message for any other.
func TestAReplayIsRefusedByEveryNode(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	nodes := h.plan("north", "south")
	h.start(nodes...)
	line := &tap{}
	reply, err := h.partner(nodes[0], line).Call(t.Context(), "GET", "/aeps/banks", fields{"merchantId": "c0000000-0000-4000-8000-000000000001"})
	if err != nil || reply.Status != http.StatusOK {
		t.Fatal(reply.Status, err)
	}
	for _, n := range nodes {
		resp, err := line.again(n)
		h.must(err)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("the same message at %s: HTTP %d", n.name, resp.StatusCode)
		}
	}
}

// TestARateHoldsOverAllNodes: a vendor that floods two nodes gets its rate once. The
// flood lasts until the burst is used up, however slow the machine is.
func TestARateHoldsOverAllNodes(t *testing.T) {
	h := newHouse(t)
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
	// What a full bucket would have got while the flood was rising is lost.
	if n := float64(taken.Load()); n > 1.1*want || n < 0.75*want {
		t.Errorf("%.0f messages were taken; one rate gives %.0f", n, want)
	}
	if refused.Load() == 0 {
		t.Error("there was no flood")
	}
}
