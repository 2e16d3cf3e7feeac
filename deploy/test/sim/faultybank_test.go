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

// faultyBank is a proxy in the bank's network that has the bank's key: it is slow and
// lies. Its answers are wrong in every way but one: it never says that a transaction is
// unknown after its deadline and the margin, since nobody could detect that.
type faultyBank struct {
	system *system
	rng    *rng
	bank   dial
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu         sync.Mutex
	lastAnswer reply                // the latest answer that it saw
	deadline   map[string]time.Time // of references that passed through it
}

// reply is an answer as the bank wrote it.
type reply struct {
	status   int
	checksum string
	body     []byte
}

func (h *system) addFaultyBank() *faultyBank {
	m := &faultyBank{
		system: h, rng: newRNG(h.seed, nameFaultyBank), deadline: map[string]time.Time{},
		bank: h.network.dialer(nameFaultyBank, nameNetwork),
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	server := &http.Server{Handler: http.HandlerFunc(m.serve), BaseContext: func(net.Listener) context.Context { return ctx }}
	l := h.network.listen(nameFaultyBank)
	m.done.Go(func() { _ = server.Serve(l) }) // it ends with its listener
	m.done.Go(func() {
		<-ctx.Done()
		h.network.disconnectPart(nameFaultyBank)
		_ = server.Close()
	})
	return m
}

// stop ends it.
func (m *faultyBank) stop() {
	m.cancel()
	m.done.Wait()
}

// bankFault is what it does to one request.
type bankFault int

const (
	dropRequest     bankFault = iota // the bank executes it, the caller gets nothing
	slowAnswer                       // the caller gets it late
	withholdAnswer                   // the bank gets it after the caller has given up, perhaps too late
	repeatRequest                    // the bank gets it twice, and the caller gets the second answer
	answerOther                      // the answer to another request
	claimSuccess                     // another status, signed
	wrongReference                   // another RRN, signed
	corruptBody                      // a byte of the answer is another
	corruptChecksum                  // the answer comes twice
	serverError                      // an HTTP error
	bankFaults
)

// Times of the proxy: around the caller's timeout of 15 seconds.
const (
	slowMax     = 18 * time.Second
	withholdMax = 24 * time.Second
	denyKnown   = 20 * time.Second // within the central's margin of 30 s after a deadline
)

func (m *faultyBank) serve(w http.ResponseWriter, r *http.Request) {
	body, err := network.ReadBody(r.Body, network.MaxBody)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	reference := m.rememberDeadline(r.URL.Path, body)
	kind := bankFault(m.rng.below(int(bankFaults)))
	m.system.trace.countEvent("lies of the bank", true)
	if m.denies(r.URL.Path, reference) {
		m.reply(w, m.sign(network.Answer{Reference: reference, Status: network.NotFound, Message: "not found"}, reference))
		return
	}
	switch kind {
	case serverError:
		m.reply(w, reply{status: []int{500, 503, 302, 204}[m.rng.below(4)], body: []byte("{}")})
		return
	case withholdAnswer:
		go func() {
			time.Sleep(m.rng.between(time.Second, withholdMax))
			_, _ = m.forward(context.Background(), r, body) // nobody waits for it any more
		}()
		panic(http.ErrAbortHandler)
	}
	answer, err := m.forward(r.Context(), r, body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	m.mu.Lock()
	before := m.lastAnswer
	m.lastAnswer = answer
	m.mu.Unlock()
	m.corrupt(w, r, kind, reference, body, answer, before)
}

// corrupt changes an answer.
func (m *faultyBank) corrupt(w http.ResponseWriter, r *http.Request, kind bankFault, reference string, request []byte, answer, before reply) {
	a, err := network.DecodeAnswer(answer.body)
	readable := err == nil
	switch {
	case kind == dropRequest:
		panic(http.ErrAbortHandler)
	case kind == slowAnswer:
		m.wait(r.Context(), m.rng.between(time.Second, slowMax))
	case kind == repeatRequest:
		if again, err := m.forward(r.Context(), r, request); err == nil {
			answer = again
		}
	case kind == answerOther && before.status != 0:
		answer = before
	case kind == claimSuccess && readable && a.Status == network.Success:
		a.Status = []network.Status{network.Pending, network.Reversed, "MAYBE", ""}[m.rng.below(4)]
		if r.URL.Path == network.PathEnquiries {
			a.Status = network.Pending
		}
		answer = m.sign(a, reference)
	case kind == wrongReference && readable && a.RRN != "":
		a.RRN = strconv.Itoa(100000000000 + m.rng.below(899999999))
		answer = m.sign(a, reference)
	case kind == corruptBody && len(answer.body) > 0:
		answer.body = bytes.Clone(answer.body)
		answer.body[m.rng.below(len(answer.body))] ^= byte(1 + m.rng.below(255))
	case kind == corruptChecksum:
		answer.body = append(bytes.Clone(answer.body), answer.body...)
	}
	m.reply(w, answer)
}

// rememberDeadline remembers the deadline of a transaction, and gives the reference.
func (m *faultyBank) rememberDeadline(path string, body []byte) string {
	if path == network.PathEnquiries {
		e, _ := network.DecodeEnquiry(body) // the bank checks it
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

// denies reports whether it says that there is no such transaction, while that may
// still be so.
func (m *faultyBank) denies(path, reference string) bool {
	m.mu.Lock()
	until := m.deadline[reference]
	m.mu.Unlock()
	return path == network.PathEnquiries && time.Now().Before(until.Add(denyKnown)) && m.rng.perMille(500)
}

// forward passes a request to the bank.
func (m *faultyBank) forward(ctx context.Context, r *http.Request, body []byte) (reply, error) {
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
func (m *faultyBank) sign(a network.Answer, reference string) reply {
	body, err := network.EncodeAnswer(a)
	if err != nil {
		m.system.violation("the middleman can't write an answer: %v", err)
	}
	return reply{http.StatusOK, network.ReplyChecksum(m.system.snapshot.keys.network, http.StatusOK, reference, body), body}
}

func (m *faultyBank) reply(w http.ResponseWriter, a reply) {
	w.Header().Set("Content-Type", network.ContentType)
	if a.checksum != "" {
		w.Header().Set(network.HeaderChecksum, a.checksum)
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // a caller that is gone gets nothing
}

func (m *faultyBank) wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
		panic(http.ErrAbortHandler)
	}
}
