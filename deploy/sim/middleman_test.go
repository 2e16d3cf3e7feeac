package sim

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"galla/central/bank/network"
)

// middleman sits in the bank's network and has the bank's key: with him it is
// slow and lies. What he says is wrong in every way but one: he never says that
// a transaction is unknown after its deadline and the margin, since nobody
// could find that out.
type middleman struct {
	house  *house
	luck   *chance
	bank   dial
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu       sync.Mutex
	last     reply                // the latest answer that he saw
	deadline map[string]time.Time // of references that went through his hands
}

// reply is an answer as the bank wrote it.
type reply struct {
	status   int
	checksum string
	body     []byte
}

func (h *house) addMiddleman() *middleman {
	m := &middleman{
		house: h, luck: newChance(h.seed, nameMiddleman), deadline: map[string]time.Time{},
		bank: h.network.dialer(nameMiddleman, nameNetwork),
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	server := &http.Server{Handler: http.HandlerFunc(m.serve), BaseContext: func(net.Listener) context.Context { return ctx }}
	l := h.network.listen(nameMiddleman)
	m.done.Go(func() { _ = server.Serve(l) }) // it ends with its listener
	m.done.Go(func() {
		<-ctx.Done()
		h.network.sever(nameMiddleman)
		_ = server.Close()
	})
	return m
}

// away ends him.
func (m *middleman) away() {
	m.cancel()
	m.done.Wait()
}

// mischief is what he does to one request.
type mischief int

const (
	swallow   mischief = iota // the bank executes it, the caller hears nothing
	slow                      // the caller hears it late
	withhold                  // the bank gets it after the caller has given up, perhaps too late
	repeat                    // the bank gets it twice, and the second answer is told
	confuse                   // the answer to another request
	pretend                   // another status, signed
	misnumber                 // another RRN, signed
	scribble                  // a byte of the answer is another
	stammer                   // the answer comes twice
	excuse                    // an HTTP error
	mischiefs
)

// Times of the middleman: about the caller's patience of 15 seconds.
const (
	slowMax     = 18 * time.Second
	withholdMax = 24 * time.Second
	forgetful   = 20 * time.Second // within the central's margin of 30 s after a deadline
)

func (m *middleman) serve(w http.ResponseWriter, r *http.Request) {
	body, err := network.ReadBody(r.Body, network.MaxBody)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	reference := m.note(r.URL.Path, body)
	kind := mischief(m.luck.below(int(mischiefs)))
	m.house.tape.count("lies of the bank", true)
	if m.forget(r.URL.Path, reference) {
		m.tell(w, m.sign(network.Answer{Reference: reference, Status: network.NotFound, Message: "not found"}, reference))
		return
	}
	switch kind {
	case excuse:
		m.tell(w, reply{status: []int{500, 503, 302, 204}[m.luck.below(4)], body: []byte("{}")})
		return
	case withhold:
		go func() {
			time.Sleep(m.luck.between(time.Second, withholdMax))
			_, _ = m.ask(context.Background(), r, body) // nobody waits for it any more
		}()
		panic(http.ErrAbortHandler)
	}
	answer, err := m.ask(r.Context(), r, body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	m.mu.Lock()
	before := m.last
	m.last = answer
	m.mu.Unlock()
	m.spoil(w, r, kind, reference, body, answer, before)
}

// spoil tells an answer in his own way.
func (m *middleman) spoil(w http.ResponseWriter, r *http.Request, kind mischief, reference string, request []byte, answer, before reply) {
	a, err := network.DecodeAnswer(answer.body)
	readable := err == nil
	switch {
	case kind == swallow:
		panic(http.ErrAbortHandler)
	case kind == slow:
		m.wait(r.Context(), m.luck.between(time.Second, slowMax))
	case kind == repeat:
		if again, err := m.ask(r.Context(), r, request); err == nil {
			answer = again
		}
	case kind == confuse && before.status != 0:
		answer = before
	case kind == pretend && readable && a.Status == network.Success:
		a.Status = []network.Status{network.Pending, network.Reversed, "MAYBE", ""}[m.luck.below(4)]
		if r.URL.Path == network.PathEnquiries {
			a.Status = network.Pending
		}
		answer = m.sign(a, reference)
	case kind == misnumber && readable && a.RRN != "":
		a.RRN = strconv.Itoa(100000000000 + m.luck.below(899999999))
		answer = m.sign(a, reference)
	case kind == scribble && len(answer.body) > 0:
		answer.body = bytes.Clone(answer.body)
		answer.body[m.luck.below(len(answer.body))] ^= byte(1 + m.luck.below(255))
	case kind == stammer:
		answer.body = append(bytes.Clone(answer.body), answer.body...)
	}
	m.tell(w, answer)
}

// note remembers the deadline of a transaction, and gives the reference.
func (m *middleman) note(path string, body []byte) string {
	if path == network.PathEnquiries {
		e, _ := network.DecodeEnquiry(body) // the bank judges it
		return e.Reference
	}
	t, err := network.DecodeTransaction(body)
	if err != nil {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deadline[t.Reference] = t.NotAfter
	return t.Reference
}

// forget tells whether he says that there is no such transaction, while that
// may still be so.
func (m *middleman) forget(path, reference string) bool {
	m.mu.Lock()
	until := m.deadline[reference]
	m.mu.Unlock()
	return path == network.PathEnquiries && time.Now().Before(until.Add(forgetful)) && m.luck.of1000(500)
}

// ask hands a request to the bank.
func (m *middleman) ask(ctx context.Context, r *http.Request, body []byte) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, withholdMax)
	defer cancel()
	to, err := http.NewRequestWithContext(ctx, r.Method, "http://"+nameNetwork+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	to.Header = r.Header.Clone()
	line := &http.Transport{DialContext: m.bank, DisableKeepAlives: true}
	defer line.CloseIdleConnections()
	got, err := line.RoundTrip(to)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = got.Body.Close() }()
	said, err := io.ReadAll(io.LimitReader(got.Body, network.MaxReply))
	return reply{got.StatusCode, got.Header.Get(network.HeaderChecksum), said}, err
}

// sign makes an answer look like the bank's.
func (m *middleman) sign(a network.Answer, reference string) reply {
	body, err := network.EncodeAnswer(a)
	if err != nil {
		m.house.complain("the middleman can't write an answer: %v", err)
	}
	return reply{http.StatusOK, network.ReplyChecksum(m.house.base.keys.network, http.StatusOK, reference, body), body}
}

func (m *middleman) tell(w http.ResponseWriter, a reply) {
	w.Header().Set("Content-Type", network.ContentType)
	if a.checksum != "" {
		w.Header().Set(network.HeaderChecksum, a.checksum)
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // a caller that is gone hears nothing
}

func (m *middleman) wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
		panic(http.ErrAbortHandler)
	}
}
