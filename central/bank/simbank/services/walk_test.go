package services

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/shared/ist"
	"galla/shared/money"
)

// Limits of the walk: low, so that it meets them.
const (
	walkFloat = 4_000 * money.Rupee
	walkDay   = 1_500 * money.Rupee
	walkMonth = 2_500 * money.Rupee
	walkMax   = 900 * money.Rupee
)

// model is a small bank in memory, against which the real one is walked.
type model struct {
	float  money.Paise
	due    money.Paise            // refunds due
	spent  map[string]money.Paise // by sender and day
	otps   map[string]*modelOTP   // by what they are for
	txns   map[string]*modelTxn
	refs   []string
	redeem map[string]int // how often each OTP that was sent permitted something
}

type modelOTP struct {
	id    string
	value string
	ends  time.Time
	tries int
}

type modelTxn struct {
	kind     network.Kind
	sender   int
	sum      money.Paise
	charge   money.Paise
	status   network.Status
	code     string
	day      string
	due      time.Time
	back     bool
	refunded bool
}

func walkDayOf(at time.Time) string { return at.In(ist.Zone()).Format(time.DateOnly) }

// settle ends what is due.
func (m *model) settle(now time.Time) {
	for _, x := range m.txns {
		if x.due.IsZero() || x.due.After(now) {
			continue
		}
		x.due = time.Time{}
		switch {
		case x.status == network.NotFound:
			x.status, x.code = network.Failed, "91"
		case x.back:
			x.status, x.code = network.Reversed, "22"
			m.due += x.sum + x.charge
			m.spent[key(x.sender, x.day)] -= x.sum
		default:
			x.status, x.code = network.Success, "00"
		}
	}
}

func key(sender int, day string) string { return fmt.Sprint(sender, " ", day) }

func (m *model) left(sender int, now time.Time) (day, month money.Paise) {
	today := walkDayOf(now)
	month = walkMonth
	for k, p := range m.spent {
		if k[:len(key(sender, today[:8]))] == key(sender, today[:8]) {
			month -= p
		}
	}
	return walkDay - m.spent[key(sender, today)], month
}

// use checks an OTP as the bank should.
func (m *model) use(what, given string, now time.Time) bool {
	o := m.otps[what]
	if o == nil || !now.Before(o.ends) {
		return false
	}
	if o.tries++; o.value == given || o.tries >= 3 {
		delete(m.otps, what)
	}
	if o.value == given {
		m.redeem[o.id]++
	}
	return o.value == given
}

// transfer does to the model what the bank should do.
func (m *model) transfer(ref string, sender int, sum money.Paise, otp string, now time.Time) *modelTxn {
	x := &modelTxn{kind: network.Transfer, sender: sender, sum: sum, status: network.Failed, day: walkDayOf(now)}
	m.txns[ref] = x
	m.refs = append(m.refs, ref)
	if sum.Fraction() == 98 {
		x.status, x.due = network.NotFound, now.Add(time.Minute)
		return x
	}
	day, month := m.left(sender, now)
	charge := tariffOf(sum).charge
	switch {
	case sum > walkMax || sum > day || sum > month:
		x.code = "61"
	case !m.use(fmt.Sprint("transfer ", sender, sum), otp, now):
		x.code = "55"
	case sum.Fraction() == 5:
		x.code = "05"
	case sum+charge > m.float:
		x.code = "51"
	default:
		x.status, x.code, x.charge = network.Success, "00", charge
		m.float -= sum + charge
		m.spent[key(sender, x.day)] += sum
		if f := sum.Fraction(); f == 93 || f == 94 {
			x.status, x.code, x.due, x.back = network.Pending, "68", now.Add(10*time.Second), f == 93
		}
	}
	return x
}

// refund does to the model what the bank should do.
func (m *model) refund(ref, original, otp string, now time.Time) *modelTxn {
	o := m.txns[original]
	x := &modelTxn{kind: network.Refund, sum: o.sum, status: network.Failed}
	m.txns[ref] = x
	m.refs = append(m.refs, ref)
	switch {
	case o.status == network.NotFound:
		x.code = "76"
	case o.refunded, o.status == network.Pending, o.status == network.Failed:
		x.code = "12"
	case !m.use("refund "+original, otp, now):
		x.code = "55"
	default:
		x.status, x.code, o.refunded = network.Success, "00", true
		m.float += o.sum
		if o.status == network.Reversed {
			m.float += o.charge
			m.due -= o.sum + o.charge
		} else {
			m.spent[key(o.sender, o.day)] -= o.sum
		}
	}
	return x
}

// TestRandomWalk drives the real bank and the model side by side: same answers,
// same float, limits that are never negative, a trial that balances, each
// transfer refunded once at most, each OTP used once at most, and restarts in
// between.
func TestRandomWalk(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var failure any // rapid's failures are panics, and must not end the bubble
		synctest.Test(t, func(t *testing.T) {
			defer func() { failure = recover() }()
			walk(t, rt)
		})
		if failure != nil {
			panic(failure)
		}
	})
}

func walk(t *testing.T, rt *rapid.T) {
	b := openBank(t, Config{FloatOpening: walkFloat, DayLimit: walkDay, MonthLimit: walkMonth, TransferMax: walkMax})
	b.unchecked = true
	w := &walker{b: b, m: &model{float: walkFloat, spent: map[string]money.Paise{}, otps: map[string]*modelOTP{}, txns: map[string]*modelTxn{}, redeem: map[string]int{}}}
	for _, mobile := range []string{"9000000001", "9000000002"} {
		w.mobiles = append(w.mobiles, mobile)
		w.to = append(w.to, b.beneficiary(b.sender(mobile)))
	}
	rt.Repeat(map[string]func(*rapid.T){
		"ask":      w.ask,
		"transfer": w.transfer,
		"pay":      w.pay,
		"refund":   w.refund,
		"give":     w.giveBack,
		"again":    w.again,
		"enquire":  w.enquire,
		"wait": func(rt *rapid.T) {
			time.Sleep(time.Duration(rapid.SampledFrom([]int{1, 5_000, 10_000, 70_000, 180_000}).Draw(rt, "ms")) * time.Millisecond)
		},
		"next day": func(rt *rapid.T) { time.Sleep(24 * time.Hour) },
		"restart": func(rt *rapid.T) {
			b.reopen()
			clear(w.m.otps)
		},
		"": w.check,
	})
}

type walker struct {
	b       *bank
	m       *model
	mobiles []string
	to      []network.Particulars
	n, sent int
}

func (w *walker) sum(rt *rapid.T) money.Paise {
	rupees := rapid.SampledFrom([]int{100, 700, 850, 900, 901}).Draw(rt, "rupees")
	return money.Paise(rupees*100 + rapid.SampledFrom([]int{0, 0, 0, 5, 93, 93, 94, 98}).Draw(rt, "paise"))
}

// ask asks for an OTP of a transfer, or of a refund.
func (w *walker) ask(rt *rapid.T) {
	w.m.settle(time.Now())
	sender := rapid.IntRange(0, 1).Draw(rt, "sender")
	if ref := w.someTransfer(rt); ref != "" && rapid.Bool().Draw(rt, "refund") {
		w.askRefund(rt, ref)
		return
	}
	w.askTransfer(sender, w.sum(rt))
}

func (w *walker) askTransfer(sender int, sum money.Paise) {
	w.b.ok("status", network.TransferOTP, particulars(w.to[sender]), amount(sum))
	w.note(fmt.Sprint("transfer ", sender, sum), sender)
}

func (w *walker) askRefund(rt *rapid.T, ref string) {
	x := w.m.txns[ref]
	a := w.b.send(network.RefundOTP, original(ref))
	if may := !x.refunded && (x.status == network.Success || x.status == network.Reversed); may != (a.Status == network.Success) {
		rt.Fatalf("OTP for the refund of %+v: %+v", x, a)
	}
	if a.Status == network.Success {
		w.note("refund "+ref, x.sender)
	}
}

// note tells the model of an OTP that was just sent.
func (w *walker) note(what string, sender int) {
	w.sent++
	w.m.otps[what] = &modelOTP{id: fmt.Sprint(w.sent), value: w.b.otp(w.mobiles[sender]), ends: time.Now().Add(3 * time.Minute)}
}

// someTransfer gives the reference of a transfer that was sent; empty: none.
func (w *walker) someTransfer(rt *rapid.T) string {
	var refs []string
	for _, ref := range w.m.refs {
		if w.m.txns[ref].kind == network.Transfer {
			refs = append(refs, ref)
		}
	}
	if len(refs) == 0 {
		return ""
	}
	return rapid.SampledFrom(refs).Draw(rt, "transfer")
}

// someOTP gives the OTP for something, or a wrong one.
func (w *walker) someOTP(rt *rapid.T, what string) string {
	o := w.m.otps[what]
	if o == nil {
		return rapid.SampledFrom([]string{"", "000000", "12345"}).Draw(rt, "otp")
	}
	if rapid.IntRange(0, 2).Draw(rt, "wrong otp") == 0 {
		return other(o.value)
	}
	return o.value
}

func (w *walker) transfer(rt *rapid.T) {
	sender := rapid.IntRange(0, 1).Draw(rt, "sender")
	w.send(rt, sender, w.sum(rt))
}

// pay asks for the OTP and transfers.
func (w *walker) pay(rt *rapid.T) {
	sender, sum := rapid.IntRange(0, 1).Draw(rt, "sender"), w.sum(rt)
	w.askTransfer(sender, sum)
	w.send(rt, sender, sum)
}

func (w *walker) send(rt *rapid.T, sender int, sum money.Paise) {
	w.n++
	now := time.Now()
	w.m.settle(now)
	ref, otp := fmt.Sprintf("W%d", w.n), w.someOTP(rt, fmt.Sprint("transfer ", sender, sum))
	a := w.b.send(network.Transfer, particulars(w.to[sender]), amount(sum), otpIs(otp), named(ref))
	x := w.m.transfer(ref, sender, sum, otp, now)
	if a.Status != x.status || a.Code != x.code && x.status != network.NotFound || a.Charge != x.charge {
		rt.Fatalf("transfer of %s: the bank says %+v, the model %+v", sum, a, x)
	}
}

func (w *walker) refund(rt *rapid.T) {
	if ref := w.someTransfer(rt); ref != "" {
		w.redeem(rt, ref)
	}
}

// giveBack asks for the OTP of a refund and refunds.
func (w *walker) giveBack(rt *rapid.T) {
	w.m.settle(time.Now())
	if ref := w.someTransfer(rt); ref != "" {
		w.askRefund(rt, ref)
		w.redeem(rt, ref)
	}
}

func (w *walker) redeem(rt *rapid.T, ref string) {
	w.n++
	now := time.Now()
	w.m.settle(now)
	name, otp := fmt.Sprintf("R%d", w.n), w.someOTP(rt, "refund "+ref)
	a := w.b.send(network.Refund, original(ref), amount(w.m.txns[ref].sum), otpIs(otp), named(name))
	if x := w.m.refund(name, ref, otp, now); a.Status != x.status || a.Code != x.code {
		rt.Fatalf("refund of %s %+v: the bank says %+v, the model %+v", ref, w.m.txns[ref], a, x)
	}
}

// again uses a reference a second time.
func (w *walker) again(rt *rapid.T) {
	if len(w.m.refs) == 0 {
		rt.Skip("nothing was sent so far")
	}
	ref := rapid.SampledFrom(w.m.refs).Draw(rt, "reference")
	w.m.settle(time.Now())
	if a := w.b.send(network.Transfer, particulars(w.to[0]), amount(100_00), otpIs("000000"), named(ref)); a.Code != "94" {
		rt.Fatalf("%s again: %+v", ref, a)
	}
}

func (w *walker) enquire(rt *rapid.T) {
	if len(w.m.refs) == 0 {
		rt.Skip("nothing was sent so far")
	}
	w.m.settle(time.Now())
	ref := rapid.SampledFrom(w.m.refs).Draw(rt, "reference")
	x := w.m.txns[ref]
	if a, err := w.b.books.Enquire(w.b.t.Context(), ref); err != nil || a.Status != x.status || a.Code != x.code && x.status != network.NotFound {
		rt.Fatalf("enquiry for %s: the bank says %+v, %v, the model %+v", ref, a, err, x)
	}
}

// check holds the invariants.
func (w *walker) check(rt *rapid.T) {
	now := time.Now()
	w.m.settle(now)
	executions, err := w.b.books.Executions(w.b.t.Context(), books.Filter{})
	if err != nil {
		rt.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range executions {
		x := w.m.txns[e.Reference]
		want := map[network.Status]books.ExecutionStatus{network.Success: books.Executed, network.Pending: books.Executed, network.Reversed: books.Reversed, network.Failed: books.Declined}[x.status]
		if seen[e.Reference] || e.Kind != x.kind || e.Status != want || e.Amount != x.sum {
			rt.Fatalf("execution %+v of %+v", e, x)
		}
		seen[e.Reference] = true
	}
	for ref, x := range w.m.txns {
		if seen[ref] == (x.sum.Fraction() == 98 && x.kind == network.Transfer) {
			rt.Fatalf("%s %+v: listed %v", ref, x, seen[ref])
		}
	}
	if n := slices.Max(append(slices.Collect(maps.Values(w.m.redeem)), 0)); n > 1 {
		rt.Fatalf("one OTP was used %d times", n)
	}
	w.checkMoney(rt, now)
}

func (w *walker) checkMoney(rt *rapid.T, now time.Time) {
	trial, err := w.b.books.Trial(w.b.t.Context())
	if err != nil || trial.Debits != trial.Credits || trial.Debits != trial.Entries {
		rt.Fatalf("trial %+v, %v", trial, err)
	}
	x, err := w.b.books.ReadTx(w.b.t.Context())
	if err != nil {
		rt.Fatal(err)
	}
	var due money.Paise
	if _, err := x.Row("read what is due", `SELECT credits_paise - debits_paise FROM accounts WHERE code = 'refunds.due'`, nil, &due); err != nil {
		rt.Fatal(err)
	}
	if w.b.float() != w.m.float || due != w.m.due || due < 0 || w.m.float < 0 {
		rt.Fatalf("float %s and due %s, the model has %s and %s", w.b.float(), due, w.m.float, w.m.due)
	}
	for i, mobile := range w.mobiles {
		d := w.b.ok("senderId status remitter TransactionDone AviableLimit AviabledayLimit AviableMonthLimit monthLimit beneficiarydetail",
			network.RemitterDetails, particulars(network.Particulars{Mobile: mobile}))
		day, month := w.m.left(i, now)
		if day < 0 || month < 0 || d["AviableLimit"] != float64(min(day, month))/100 || d["AviableMonthLimit"] != float64(month)/100 {
			rt.Fatalf("limits %v, the model leaves %s and %s", d, day, month)
		}
	}
}
