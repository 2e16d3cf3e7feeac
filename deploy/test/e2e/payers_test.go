//go:build linux

package e2e

import (
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"galla/central/bank/network"
	"galla/shared/money"
	"galla/shared/secret"
)

// The plan of the payers.
const (
	payerPause   = 700 * time.Millisecond // at most, between two payments of one payer
	returnWait   = 4 * time.Second        // at most, until the bank returns a payment
	codeLooks    = 20                     // at a code's page, for the code and for its payment
	codeLookWait = 150 * time.Millisecond // between two of them
	forgeEvery   = time.Second            // at most, between two forged reports
	// enquiryAgain is how often the enquiry for what was not reported is made due in the end.
	enquiryAgain = 10 * time.Second
	// slabHolds is how soon after its change a slab holds at every node, with room.
	slabHolds = 2 * time.Second
)

// payees are who is paid beside the shop: another one, without a counter here, and nobody.
const (
	otherShopVPA = "gal0000002@galla"
	nobodysVPA   = "nobody@galla"
)

// payerLoad is people who pay by UPI while everything is killed, and the bank that returns
// some of it. They pay the codes of each counter of the shop, those that its own program
// asked for, its printed code, another shop and nobody. Its forger reports payments that
// nobody made.
type payerLoad struct {
	t        *testing.T
	s        *site
	l        *load    // whose token it uses
	vpa      string   // of the shop
	at       []*agent // one at each counter, who shows codes
	watchers []*agent // another one, who reads its lists

	earnsFrom time.Time // payments that are recorded later earn a commission

	mu     sync.Mutex
	told   map[string]int64 // what payers were told: paise, by the payment's id
	shown  map[string]int64 // what counters' pages said was received, in paise, by order
	codes  int              // that counters showed
	forged int              // reports that were refused
}

// newPayerLoad gives the shop's vendor a commission for payments, and learns the shop's
// address.
func newPayerLoad(t *testing.T, s *site, l *load) *payerLoad {
	t.Helper()
	m := &payerLoad{t: t, s: s, l: l, told: map[string]int64{}, shown: map[string]int64{}}
	post := func(client, secret, path string, body map[string]any) map[string]any {
		t.Helper()
		var reply struct{ Data map[string]any }
		status, _, raw, err := s.do("POST", s.url("CENTRAL")+path, body, "Authorization", "Bearer "+s.token(client, secret))
		if err = errors.Join(err, json.Unmarshal(raw, &reply)); err != nil || status/100 != 2 {
			t.Fatalf("POST %s: HTTP %d, %v, %s", path, status, err, raw)
		}
		return reply.Data
	}
	post("vendor-sahyadri", "sandbox-vendor-1", "/vendor-commission/b0000000-0000-4000-8000-000000000001/commission",
		map[string]any{"paymentMethod": "UPI", "provider": "NSDL", "txnType": "PAYMENT", "commissionRate": 1, "rateType": "FIXED", "isDefault": true})
	m.earnsFrom = time.Now().Add(slabHolds)
	m.vpa, _ = post(lakshmi, lakshmiSecret, "/upi/txn/v1/GenerateQR", map[string]any{"order_id": "printed"})["vpa"].(string)
	for _, c := range s.counters {
		for _, list := range []*[]*agent{&m.at, &m.watchers} {
			a, err := newAgent(c.counter)
			must(t, err)
			*list = append(*list, a)
		}
	}
	return m
}

// serve pays, returns and forges until stop.
func (m *payerLoad) serve(seed uint64, stop <-chan struct{}) {
	var work sync.WaitGroup
	again := func(n uint64, every time.Duration, do func(r *rand.Rand, nth int)) {
		r := rand.New(rand.NewPCG(seed, 1<<36+n))
		work.Go(func() {
			for nth := 0; ; nth++ {
				select {
				case <-stop:
					return
				case <-time.After(draw(r, every)):
				}
				do(r, nth)
			}
		})
	}
	for n := range m.at {
		again(uint64(n), payerPause, func(r *rand.Rand, _ int) { m.payAtCounter(r, n, stop) })
	}
	again(100, payerPause, func(r *rand.Rand, nth int) { m.payOrder(r, nth, stop) })
	again(101, payerPause, func(r *rand.Rand, _ int) {
		payee := m.vpa
		switch r.IntN(6) {
		case 0:
			payee = otherShopVPA
		case 1:
			payee = nobodysVPA
		}
		m.pay(r, map[string]any{"vpa": payee, "amount": 1 + r.IntN(50)}, stop)
	})
	again(102, forgeEvery, func(r *rand.Rand, _ int) { m.forge(r) })
	work.Wait()
}

// Texts of a code's page.
var (
	codeOrder = regexp.MustCompile(`<dd class="digits">([0-9a-f]{32})</dd>`)
	codePaid  = regexp.MustCompile(`<article id="code"[^>]* data-state="succeeded-\d+-(\d+)"`)
	codePath  = regexp.MustCompile(`^/upi/[0-9a-f-]{36}$`)
)

// payAtCounter has an agent show a code, pays it, and reads what its page then says.
func (m *payerLoad) payAtCounter(r *rand.Rand, n int, stop <-chan struct{}) {
	a, amount := m.at[n], 1+r.IntN(50)
	var path string
	err := a.unlocked(func() error {
		_, page, err := a.get("/upi")
		form := formField.FindStringSubmatch(page)
		if err == nil && form == nil {
			err = errors.New("the page has no form")
		}
		if err != nil {
			return err
		}
		path, _, err = a.post("/upi", page, "form", form[1], "amount", strconv.Itoa(amount))
		return err
	})
	if err != nil || !codePath.MatchString(path) {
		return // the counter is away, or needs the connection first
	}
	order := m.lookAtCode(n, path, stop, func(page string) string {
		if found := codeOrder.FindStringSubmatch(page); found != nil {
			return found[1]
		}
		return ""
	})
	if order == "" {
		return // a restart has forgotten it, or it was not made
	}
	m.mu.Lock()
	m.codes++
	m.mu.Unlock()
	if !m.pay(r, map[string]any{"vpa": m.vpa, "order_id": order, "amount": amount}, stop) || r.IntN(3) == 0 {
		return
	}
	sum := m.lookAtCode(n, path, stop, func(page string) string {
		if found := codePaid.FindStringSubmatch(page); found != nil {
			return found[1]
		}
		return ""
	})
	if paise, err := strconv.ParseInt(sum, 10, 64); err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.shown[order] = paise
	}
}

// lookAtCode reads a code's page until something is found on it, some times at most.
func (m *payerLoad) lookAtCode(n int, path string, stop <-chan struct{}, find func(page string) string) string {
	for range codeLooks {
		var page string
		err := m.at[n].unlocked(func() (err error) { _, page, err = m.at[n].get(path); return err })
		if found := find(page); err == nil && found != "" {
			return found
		}
		select {
		case <-stop:
			return ""
		case <-time.After(codeLookWait):
		}
	}
	return ""
}

// payOrder has the shop's program ask for a code, and pays it: mostly its amount.
func (m *payerLoad) payOrder(r *rand.Rand, nth int, stop <-chan struct{}) {
	token := m.l.bearer()
	if token == "" {
		return
	}
	order, amount := fmt.Sprint("order-", nth), 1+r.IntN(50)
	status, _, _, err := m.s.do("POST", m.s.url("CENTRAL")+"/upi/txn/v1/GenerateQR", map[string]any{"order_id": order, "amount": amount}, "Authorization", "Bearer "+token)
	if status == http.StatusUnauthorized {
		m.l.dropToken(token)
	}
	if err != nil || status != http.StatusOK {
		return
	}
	m.pay(r, map[string]any{"vpa": m.vpa, "order_id": order, "amount": amount + r.IntN(5)/4}, stop)
}

// pay pays at the bank, and has the bank return some of it. false: the payer was not told
// that it is done.
func (m *payerLoad) pay(r *rand.Rand, body map[string]any, stop <-chan struct{}) bool {
	body["notify"] = drawReport(r)
	var paid struct {
		ID          string
		AmountPaise int64
	}
	status, _, raw, err := m.s.do("POST", m.s.url("BANK")+"/control/upi/pay", body)
	if err != nil || status != http.StatusOK || json.Unmarshal(raw, &paid) != nil || paid.ID == "" {
		if status/100 == 4 {
			m.t.Errorf("the bank refuses %v: HTTP %d %s", body, status, raw)
		}
		return false // it may have booked it, all the same
	}
	m.mu.Lock()
	m.told[paid.ID] = paid.AmountPaise
	m.mu.Unlock()
	if r.IntN(4) == 0 {
		select {
		case <-stop:
		case <-time.After(draw(r, returnWait)):
		}
		_, _, _, _ = m.s.do("POST", m.s.url("BANK")+"/control/upi/refund", map[string]any{"id": paid.ID, "notify": drawReport(r)}) // the books say whether it was
	}
	return true
}

// drawReport draws how the bank reports something: usually once, sometimes in several
// copies, late, with a wrong checksum, or never.
func drawReport(r *rand.Rand) map[string]any {
	switch r.IntN(10) {
	case 0:
		return map[string]any{"never": true}
	case 1:
		return map[string]any{"times": 2 + r.IntN(3)}
	case 2:
		return map[string]any{"after": r.IntN(8000)}
	case 3:
		return map[string]any{"checksum": "wrong-once"}
	case 4:
		return map[string]any{"checksum": "wrong"}
	}
	return map[string]any{}
}

// forge reports a payment that nobody made, under a checksum that is not the network's. A
// central that is up refuses it.
func (m *payerLoad) forge(r *rand.Rand) {
	key := make([]byte, 32)
	_, _ = crand.Read(key) // it never fails
	p := network.Payment{ID: fmt.Sprintf("FORGED%d", r.Int64()), RRN: fmt.Sprintf("%012d", r.Int64N(1e12)), Payee: m.vpa, Amount: money.Paise(100 + r.Int64N(1e6)), At: time.Now()}
	body, err := network.EncodePayment(p)
	if err != nil {
		m.t.Errorf("a forged payment can't be written: %v", err)
		return
	}
	sum := network.NewChecksums(secret.NewKey(key)).AppendNotification(nil, network.PathNotifications, body)
	status, _, raw, err := m.s.do("POST", m.s.url("CENTRAL")+network.PathNotifications, body, network.HeaderChecksum, string(sum))
	if err == nil && status == http.StatusUnauthorized {
		m.mu.Lock()
		m.forged++
		m.mu.Unlock()
	}
	if err == nil && status/100 == 2 {
		m.t.Errorf("a forged report of %s was confirmed: %s", p.ID, raw)
	}
}

// waitUntilFinal waits until the central and each counter know what the bank has. The enquiry
// for what no report told is made due: it would come within two minutes, or within ten if
// its central was killed while it asked.
func (m *payerLoad) waitUntilFinal() {
	var due time.Time
	for deadline := time.Now().Add(finalTimeout); !m.arrived() && time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if time.Since(due) > enquiryAgain {
			due = time.Now()
			if err := m.s.makeEnquiryDue(); err != nil {
				m.t.Logf("the enquiry for payments is not due yet: %v", err)
			}
		}
	}
}

// arrived tells whether the central and each counter know all payments and returns.
func (m *payerLoad) arrived() bool {
	books, err := m.s.paymentsAtBank()
	if err != nil {
		return false
	}
	table, err := m.s.paymentsAtCentral()
	if err != nil {
		return false
	}
	for id, p := range books {
		if known, ok := table[id]; !ok || (known.refundID != "") != (p.Refund != nil) {
			return false
		}
	}
	for _, a := range m.watchers {
		list, err := a.listed()
		if err != nil {
			return false
		}
		for _, p := range table {
			for _, id := range p.expected() {
				if len(list[id]) == 0 {
					return false
				}
			}
		}
	}
	return true
}
