//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// The plan of the transfers.
const (
	remitters     = 3   // transfers at one time
	mostTransfers = 200 // their amounts sum up to less than the sandbox's 25,000 rupees a day
	kindTransfer  = "TRANSFER"
	remitMobile   = "9000000007"
	transferRoute = "/dmt/txn/v1/transaction/"
)

// transferPaise are the bank's scenarios (sandbox.md, section 5.2) of transfers: most
// are tried again while the first attempt may still be executed.
var transferPaise = []int64{0, 0, 0, 94, 94, 96, 97, 97, 98, 99, 91}

// remitLoad is transfers with OTPs, some of them wrong, each tried again and again
// under its refId, with the same OTP and with new ones, also while it is pending: at
// most one attempt may move money.
type remitLoad struct {
	t           *testing.T
	l           *load // whose token it uses
	to          map[string]any
	beneficiary any

	mu        sync.Mutex
	transfers []*transfer
	calls     int
	retries   int // that came after a refused OTP
}

// transfer is one transfer, as its caller knows it. One goroutine at a time has it.
type transfer struct {
	ref         string
	paise       int64 // no other transfer's
	otp         string
	replies     []verdict // what changed, in order
	finalStatus verdict   // the requery's answer, once it is final
}

// newRemitLoad makes a customer a remitter, while nothing is broken yet.
func newRemitLoad(t *testing.T, l *load) *remitLoad {
	t.Helper()
	m := &remitLoad{t: t, l: l}
	was := l.h.reader
	l.h.reader = l.h.newReader(t)
	defer func() { l.h.reader = was }()
	m.to, m.beneficiary = l.h.registerRemitter(t, func(path string, body map[string]any) map[string]any {
		t.Helper()
		reply, err := m.post(path, body)
		if err != nil || reply.StatusCode != "00" {
			t.Fatalf("POST %s: %+v, %v", path, reply, err)
		}
		return reply.Data
	}, remitMobile, kapoor, "001234567877", "HDFC0000123")
	return m
}

// remitReply is the central's reply to a request about transfers.
type remitReply struct {
	http       int
	StatusCode string         `json:"statusCode"`
	Data       map[string]any `json:"data"`
}

// status is what the reply says of the transfer; later: nothing.
func (r remitReply) status() verdict {
	s, _ := r.Data["status"].(string)
	if r.http != 200 || s == "" {
		return later
	}
	return verdict(s)
}

func (m *remitLoad) post(path string, body map[string]any) (remitReply, error) {
	token := m.l.bearer()
	if token == "" {
		return remitReply{}, errors.New("the central gives no token")
	}
	m.mu.Lock()
	m.calls++
	m.mu.Unlock()
	status, _, raw, err := m.l.h.do("POST", m.l.h.url("CENTRAL")+path, body, "Authorization", "Bearer "+token)
	if err != nil {
		return remitReply{}, err
	}
	if status == 401 {
		m.l.dropToken(token)
	}
	r := remitReply{http: status}
	_ = json.Unmarshal(raw, &r) // of a reply that is a list or a page nothing is read
	return r, nil
}

// serve makes transfers until stop.
func (m *remitLoad) serve(seed uint64, stop <-chan struct{}) {
	var work sync.WaitGroup
	for n := range remitters {
		work.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1<<34+uint64(n)))
			for w := m.nextTransfer(r); w != nil && m.makeTransfer(r, w, stop); w = m.nextTransfer(r) {
			}
		})
	}
	work.Wait()
}

// nextTransfer draws the next transfer; nil: there were enough.
func (m *remitLoad) nextTransfer(r *rand.Rand) *transfer {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.transfers)
	if n == mostTransfers {
		return nil
	}
	w := &transfer{ref: fmt.Sprint("remit-", n), paise: int64(2+n)*100 + transferPaise[r.IntN(len(transferPaise))]}
	m.transfers = append(m.transfers, w)
	return w
}

// makeTransfer makes the calls of one transfer; false: it must stop. An attempt without
// an OTP is not made.
func (m *remitLoad) makeTransfer(r *rand.Rand, w *transfer, stop <-chan struct{}) bool {
	for calls := 2 + r.IntN(4); calls > 0; {
		select {
		case <-stop:
			return false
		case <-time.After(time.Duration(50+r.IntN(300)) * time.Millisecond):
		}
		if w.otp == "" || r.IntN(2) == 0 {
			w.otp = m.newOTP(w)
		}
		if w.otp == "" {
			continue
		}
		calls--
		given := w.otp
		if len(w.replies) == 0 && r.IntN(2) == 0 {
			given = string('0'+(given[0]-'0'+1)%10) + given[1:]
		}
		m.call(w, given)
	}
	return true
}

// newOTP asks for an OTP of the transfer; "" where the bank or the central is away.
func (m *remitLoad) newOTP(w *transfer) string {
	if r, err := m.post(transferRoute+"otp", m.body(w, nil)); err != nil || r.StatusCode != "00" {
		return ""
	}
	var inbox []struct{ OTP, Text string }
	if m.l.h.tryGet(m.l.h.url("BANK")+"/inbox/"+remitMobile, &inbox) != nil {
		return ""
	}
	for _, text := range inbox {
		if text.OTP != "" && strings.Contains(text.Text, fmt.Sprintf(" Rs %d.%02d to ", w.paise/100, w.paise%100)) {
			return text.OTP
		}
	}
	return ""
}

// body is what all requests about a transfer's account have, with more.
func (m *remitLoad) body(w *transfer, more map[string]any) map[string]any {
	b := map[string]any{"amount": json.Number(rupees(w.paise))}
	for _, fields := range []map[string]any{m.to, more} {
		for name, v := range fields {
			b[name] = v
		}
	}
	return b
}

// call makes one call for a transfer, and compares the reply with the earlier ones.
func (m *remitLoad) call(w *transfer, otp string) {
	r, err := m.post(transferRoute+"instant", m.body(w, map[string]any{
		"BeneficiaryId": m.beneficiary, "refId": w.ref, "otp": otp, "account_holder_name": "Ravi Kapoor"}))
	if err == nil {
		m.checkReply(w, r.status())
	}
}

// checkReply compares a reply about a transfer with the one before it: a paid one stays
// paid, and after a reply that allows an execution no refusal of another attempt may
// follow.
func (m *remitLoad) checkReply(w *transfer, v verdict) {
	if v == later {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	last := verdict("")
	if len(w.replies) > 0 {
		last = w.replies[len(w.replies)-1]
	}
	if last == succeeded && v != succeeded && v != reversed {
		m.t.Errorf("invariant 2: %s was told SUCCESS, and then %s", w.ref, v)
	}
	if last == failed && v != failed {
		m.retries++
	}
	if last != v {
		w.replies = append(w.replies, v)
	}
}

// waitUntilFinal asks after every transfer until it has its end.
func (m *remitLoad) waitUntilFinal() {
	deadline := time.Now().Add(finalTimeout)
	for _, w := range m.transfers {
		for w.finalStatus == "" && time.Now().Before(deadline) {
			r, err := m.post(transferRoute+"requery", map[string]any{"refId": w.ref})
			switch v := r.status(); {
			case err == nil && v.final():
				m.checkReply(w, v)
				w.finalStatus = v
			case err == nil && r.http == 404: // no call for it ever arrived
				w.finalStatus = nothing
			default:
				time.Sleep(200 * time.Millisecond)
			}
		}
	}
}

// report prints what the remitters did and what replies they got.
func (m *remitLoad) report() {
	ends := map[verdict]int{}
	for _, w := range m.transfers {
		ends[w.finalStatus]++
	}
	m.t.Logf("%d transfers in %d calls; ends: %v; %d went on after a refusal", len(m.transfers), m.calls, ends, m.retries)
	if ends[succeeded] == 0 {
		m.t.Error("no transfer ever succeeded: its load proves nothing")
	}
}

// checkTransfers compares the replies with the books, in which each transfer has an
// amount of its own, whatever its attempts were.
func (g *ledger) checkTransfers(m *remitLoad) {
	executed := g.checkTransfersOnce(m)
	for _, w := range m.transfers {
		switch moved := executed[w.paise] == 1; {
		case w.finalStatus == "":
			g.addLost("transfer %s (%d paise) has no end; it was told %v", w.ref, w.paise, w.replies)
		case w.finalStatus == succeeded && !moved:
			g.addLost("transfer %s (%d paise) was told SUCCESS, and the books have no attempt EXECUTED", w.ref, w.paise)
		case w.finalStatus != succeeded && moved:
			g.find("transfer %s (%d paise) was told %s, and the books have an attempt EXECUTED", w.ref, w.paise, w.finalStatus)
		}
	}
}

// checkTransfersOnce looks for a transfer of which two attempts moved money.
func (g *ledger) checkTransfersOnce(m *remitLoad) map[int64]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	executed, of := map[int64]int{}, map[int64]string{}
	for _, w := range m.transfers {
		of[w.paise] = w.ref
	}
	for ref, line := range g.lines {
		if line.Kind != kindTransfer {
			continue
		}
		if of[line.AmountPaise] == "" {
			g.find("the books hold a transfer of %d paise that nobody asked for: %s", line.AmountPaise, ref)
		}
		g.markOwned(ref, of[line.AmountPaise]+" under "+ref)
		if line.Status == "EXECUTED" {
			executed[line.AmountPaise]++
		}
	}
	for paise, n := range executed {
		if n > 1 {
			g.addDoubled("two attempts of transfer %s moved money: the books have %d paise %d times", of[paise], paise, n)
		}
	}
	return executed
}
