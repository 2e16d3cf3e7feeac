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

// How transfers run.
const (
	remitters     = 3   // transfers at one time
	mostTransfers = 200 // their amounts sum up to less than the sandbox's 25,000 rupees a day
	kindTransfer  = "TRANSFER"
	remitMobile   = "9000000007"
	transferDoor  = "/dmt/txn/v1/transaction/"
)

// transferPaise are the bank's scenarios (sandbox.md) of transfers: most are tried
// again while the first attempt may still be executed.
var transferPaise = []int64{0, 0, 0, 94, 94, 96, 97, 97, 98, 99, 91}

// remitLoad is transfers with OTPs, some of them mistyped, each tried again and
// again under its refId, with the same OTP and with new ones, also where it is
// pending: one attempt at most may move money.
type remitLoad struct {
	t           *testing.T
	l           *load // whose token serves
	to          map[string]any
	beneficiary any

	mu     sync.Mutex
	wishes []*wish
	calls  int
	again  int // that came after a refused OTP
}

// wish is one transfer, as its caller knows it. One goroutine at a time has it.
type wish struct {
	ref     string
	paise   int64 // no other transfer's
	otp     string
	told    []verdict // what changed, in order
	settled verdict   // the requery's word, once it is final
}

// newRemitLoad makes a customer a remitter, while nothing is broken yet.
func newRemitLoad(t *testing.T, l *load) *remitLoad {
	t.Helper()
	m := &remitLoad{t: t, l: l}
	was := l.h.reader
	l.h.reader = l.h.newReader(t)
	defer func() { l.h.reader = was }()
	m.to, m.beneficiary = l.h.introduce(t, func(path string, body map[string]any) map[string]any {
		t.Helper()
		reply, err := m.post(path, body)
		if err != nil || reply.StatusCode != "00" {
			t.Fatalf("POST %s: %+v, %v", path, reply, err)
		}
		return reply.Data
	}, remitMobile, kapoor, "001234567877", "HDFC0000123")
	return m
}

// remitReply is the central's reply to a call about transfers.
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
		m.l.forget(token)
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
			for w := m.wish(r); w != nil && m.remit(r, w, stop); w = m.wish(r) {
			}
		})
	}
	work.Wait()
}

// wish draws the next transfer; nil: there were enough.
func (m *remitLoad) wish(r *rand.Rand) *wish {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.wishes)
	if n == mostTransfers {
		return nil
	}
	w := &wish{ref: fmt.Sprint("remit-", n), paise: int64(2+n)*100 + transferPaise[r.IntN(len(transferPaise))]}
	m.wishes = append(m.wishes, w)
	return w
}

// remit makes the calls of one transfer; false: it was told to stop. What has no
// OTP yet is no call.
func (m *remitLoad) remit(r *rand.Rand, w *wish, stop <-chan struct{}) bool {
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
		if len(w.told) == 0 && r.IntN(2) == 0 {
			given = string('0'+(given[0]-'0'+1)%10) + given[1:]
		}
		m.try(w, given)
	}
	return true
}

// newOTP asks for an OTP of the transfer; "" where the bank or the central is away.
func (m *remitLoad) newOTP(w *wish) string {
	if r, err := m.post(transferDoor+"otp", m.body(w, nil)); err != nil || r.StatusCode != "00" {
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

// body is what all calls about a transfer's account have, with more.
func (m *remitLoad) body(w *wish, more map[string]any) map[string]any {
	b := map[string]any{"amount": json.Number(rupees(w.paise))}
	for _, fields := range []map[string]any{m.to, more} {
		for name, v := range fields {
			b[name] = v
		}
	}
	return b
}

// try makes one call for a transfer, and holds the reply against the earlier ones.
func (m *remitLoad) try(w *wish, otp string) {
	r, err := m.post(transferDoor+"instant", m.body(w, map[string]any{
		"BeneficiaryId": m.beneficiary, "refId": w.ref, "otp": otp, "account_holder_name": "Ravi Kapoor"}))
	if err == nil {
		m.note(w, r.status())
	}
}

// note holds a word on a transfer against the one before it: what is paid stays
// paid, and what may have been executed is followed by no refusal that was not its
// own.
func (m *remitLoad) note(w *wish, v verdict) {
	if v == later {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	last := verdict("")
	if len(w.told) > 0 {
		last = w.told[len(w.told)-1]
	}
	if last == succeeded && v != succeeded && v != reversed {
		m.t.Errorf("invariant 2: %s was told SUCCESS, and then %s", w.ref, v)
	}
	if last == failed && v != failed {
		m.again++
	}
	if last != v {
		w.told = append(w.told, v)
	}
}

// settle asks after every transfer until it has its end.
func (m *remitLoad) settle() {
	deadline := time.Now().Add(settleWait)
	for _, w := range m.wishes {
		for w.settled == "" && time.Now().Before(deadline) {
			r, err := m.post(transferDoor+"requery", map[string]any{"refId": w.ref})
			switch v := r.status(); {
			case err == nil && v.final():
				m.note(w, v)
				w.settled = v
			case err == nil && r.http == 404: // no call for it ever arrived
				w.settled = nothing
			default:
				time.Sleep(200 * time.Millisecond)
			}
		}
	}
}

// report prints what the remitters did and were told.
func (m *remitLoad) report() {
	ends := map[verdict]int{}
	for _, w := range m.wishes {
		ends[w.settled]++
	}
	m.t.Logf("%d transfers in %d calls; ends: %v; %d went on after a refusal", len(m.wishes), m.calls, ends, m.again)
	if ends[succeeded] == 0 {
		m.t.Error("no transfer ever succeeded: its load proves nothing")
	}
}

// holdTransfers holds what the remitters were told against the books, in which
// each transfer has an amount of its own, whatever its attempts were.
func (g *ledger) holdTransfers(m *remitLoad) {
	executed := g.transfersOnce(m)
	for _, w := range m.wishes {
		switch moved := executed[w.paise] == 1; {
		case w.settled == "":
			g.lose("transfer %s (%d paise) has no end; it was told %v", w.ref, w.paise, w.told)
		case w.settled == succeeded && !moved:
			g.lose("transfer %s (%d paise) was told SUCCESS, and the books have no attempt EXECUTED", w.ref, w.paise)
		case w.settled != succeeded && moved:
			g.find("transfer %s (%d paise) was told %s, and the books have an attempt EXECUTED", w.ref, w.paise, w.settled)
		}
	}
}

// transfersOnce looks for a transfer of which two attempts moved money.
func (g *ledger) transfersOnce(m *remitLoad) map[int64]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	executed, of := map[int64]int{}, map[int64]string{}
	for _, w := range m.wishes {
		of[w.paise] = w.ref
	}
	for ref, line := range g.lines {
		if line.Kind != kindTransfer {
			continue
		}
		if of[line.AmountPaise] == "" {
			g.find("the books hold a transfer of %d paise that nobody asked for: %s", line.AmountPaise, ref)
		}
		g.claim(ref, of[line.AmountPaise]+" under "+ref)
		if line.Status == "EXECUTED" {
			executed[line.AmountPaise]++
		}
	}
	for paise, n := range executed {
		if n > 1 {
			g.double("two attempts of transfer %s moved money: the books have %d paise %d times", of[paise], paise, n)
		}
	}
	return executed
}
