package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/payments"
	"galla/central/reconcile"
	"galla/shared/ist"
	"galla/shared/money"
)

// askedByRRN is a network that knows payments by their RRN and by that of their return.
type askedByRRN struct {
	mu     sync.Mutex
	knows  []central.ReceivedPayment
	silent map[string]bool // RRNs about which it does not answer
	asked  []string
}

func (n *askedByRRN) Payments(_ context.Context, q central.PaymentQuery) (page central.PaymentPage, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, q.RRN)
	if n.silent[q.RRN] {
		return page, errors.New("the network does not answer")
	}
	for _, p := range n.knows {
		if p.RRN == q.RRN || p.Refund != nil && p.Refund.RRN == q.RRN {
			page.Payments = append(page.Payments, p)
		}
	}
	return page, nil
}

// settledDay is a day with payments, and the bank's file of it.
type settledDay struct {
	t       *testing.T
	s       *DB
	network *askedByRRN
	service *payments.Service
	day     ist.Day
	lines   []string
	sum     money.Paise
}

func newSettledDay(t *testing.T, s *DB) *settledDay {
	t.Helper()
	// What is recorded now is of the day on which it is certain, half a minute later.
	for ist.DayOf(time.Now()) != ist.DayOf(time.Now().Add(3*time.Minute)) {
		time.Sleep(time.Second)
	}
	d := &settledDay{t: t, s: s, network: &askedByRRN{silent: map[string]bool{}}, day: ist.DayOf(time.Now())}
	d.service, _ = paymentsOver(t, s, d.network)
	return d
}

// returned is a payment that the bank returned.
func returned(p central.ReceivedPayment) central.ReceivedPayment {
	p.Refund = &central.PaymentRefund{ID: "R" + p.ID, RRN: "9" + p.RRN[1:], At: p.At}
	return p
}

// settle writes the line of a payment, and that of its return.
func (d *settledDay) settle(p central.ReceivedPayment) {
	d.line(p.ID, p.RRN, p.Amount)
	if p.Refund != nil {
		d.line(p.Refund.ID, p.Refund.RRN, p.Amount)
	}
}

func (d *settledDay) line(id, rrn string, amount money.Paise) {
	d.lines, d.sum = append(d.lines, fmt.Sprintf("%s,%s,000000,%s,00,%sT00:00:01.000+05:30", id, rrn, amount, d.day)), d.sum+amount
}

// report imports the file, and returns its report.
func (d *settledDay) report() reconcile.Report {
	d.t.Helper()
	service, err := reconcile.New(d.s, d.s, d.s, testNode)
	wantErr(d.t, "make the service", err, nil)
	text := fmt.Sprintf("reference,rrn,stan,amount,code,time\n%s\nEND,%s,%d,%s,,\n", strings.Join(d.lines, "\n"), d.day, len(d.lines), d.sum)
	f, _, err := service.Import(background, "day.csv", strings.NewReader(text), reconcile.Actor{Login: "asha"})
	wantErr(d.t, "import", err, nil)
	r, err := service.Report(background, f.Day, f.Number)
	wantErr(d.t, "report", err, nil)
	return r
}

func (d *settledDay) record(p central.ReceivedPayment) central.ReceivedPayment {
	d.t.Helper()
	wantErr(d.t, "record", d.service.Record(background, p), nil)
	return p
}

// job runs the job that asks the network.
func (d *settledDay) job() (string, error) {
	return reconcile.PaymentJob(d.s, d.service).Run(background)
}

// waiting are the cases that wait for people, as class and last entry of their history.
func (d *settledDay) waiting() map[central.Reference]string {
	d.t.Helper()
	out := map[central.Reference]string{}
	for _, c := range d.report().Cases {
		if c.Status == reconcile.Decided {
			continue
		}
		steps, err := d.s.CaseSteps(background, c.CaseID)
		wantErr(d.t, "read the history", err, nil)
		out[c.Reference] = string(c.Class) + ": " + steps[len(steps)-1].Reason
	}
	return out
}

// suiteSettledPayments: what a file and the records have of payments and returns agrees;
// what differs waits for people.
func suiteSettledPayments(t *testing.T, s *DB) {
	d := newSettledDay(t, s)
	d.settle(d.record(aPayment("")))
	d.settle(d.record(returned(aPayment(""))))
	nobodys := aPayment("")
	nobodys.Payee = "nobody@galla"
	d.settle(d.record(nobodys))

	absent, absentReturn := d.record(aPayment("")), d.record(returned(aPayment("")))
	d.line(absentReturn.ID, absentReturn.RRN, absentReturn.Amount)
	dearer := d.record(aPayment(""))
	d.line(dearer.ID, dearer.RRN, dearer.Amount+100)
	other := d.record(aPayment(""))
	d.line(other.ID, "9"+other.RRN[1:], other.Amount)
	twice := d.record(aPayment(""))
	d.settle(twice)
	d.settle(twice)

	r := d.report()
	want := map[central.Reference]string{
		central.Reference(absent.ID): "missing-at-bank: ", central.Reference(absentReturn.Refund.ID): "missing-at-bank: ",
		central.Reference(dearer.ID): "amount-differs: ", central.Reference(other.ID): "identifiers-differ: ", central.Reference(twice.ID): "duplicate-line: ",
	}
	wantSame(t, "waits for people", d.waiting(), want)
	if n := r.Sums[reconcile.Agreed]; n.Lines != 6 || n.Operations != 6 || n.MovedOurs != n.MovedTheirs {
		t.Errorf("agreed: %+v", n)
	}
	for _, c := range r.Cases {
		if c.Operation != nil && c.Terminal() != "reported by the network" {
			t.Errorf("the terminal of %s: %q", c.Reference, c.Terminal())
		}
	}
	note, err := d.job()
	if err != nil || note != "0 payments of settlement files found, 0 left to people" || len(d.network.asked) > 0 {
		t.Errorf("the network was asked for what is recorded: %q, %v, %v", note, d.network.asked, err)
	}
}

// suiteSettlementFindsPayments: a line without a record leads to the record, by one question
// to the network; what the network does not know as the file has it waits for people.
func suiteSettlementFindsPayments(t *testing.T, s *DB) {
	d := newSettledDay(t, s)
	lost, lostWithReturn, lostReturn := aPayment(""), returned(aPayment("")), returned(aPayment(""))
	dearer, renamed, unknown, contradicted := aPayment(""), aPayment(""), aPayment(""), aPayment("")
	for _, p := range []central.ReceivedPayment{lost, lostWithReturn, lostReturn, unknown} {
		d.settle(p)
	}
	d.line(dearer.ID, dearer.RRN, dearer.Amount+100)
	d.line("X"+renamed.ID, renamed.RRN, renamed.Amount)
	d.line("Y"+contradicted.ID, contradicted.RRN, contradicted.Amount)
	d.network.knows = []central.ReceivedPayment{lost, lostWithReturn, lostReturn, dearer, renamed, contradicted}
	before := lostReturn
	before.Refund = nil
	d.record(before)
	otherwise := contradicted
	otherwise.Amount++
	d.record(otherwise)
	if n := d.report().Sums[reconcile.MissingHere].Waiting; n != 8 {
		t.Fatalf("%d lines are missing here", n)
	}

	d.network.silent[lost.RRN] = true
	note, err := d.job()
	if err == nil || note != "3 payments of settlement files found, 4 left to people" {
		t.Errorf("one is not answered: %q, %v", note, err)
	}
	d.network.silent[lost.RRN] = false
	if _, err = d.job(); err != nil {
		t.Errorf("answered at last: %v", err)
	}
	for _, p := range []central.ReceivedPayment{lost, lostWithReturn, lostReturn, dearer, renamed} {
		if kept := paymentOf(t, s, p.ID); kept.Refunded() != (p.Refund != nil) || kept.Amount != p.Amount {
			t.Errorf("recorded as %+v, not as %+v", kept, p)
		}
	}
	operation := paymentOf(t, s, dearer.ID).Operation
	wantSame(t, "waits for people", d.waiting(), map[central.Reference]string{
		central.Reference(unknown.ID):            "missing-here: the network was asked: it knows no payment with this RRN",
		central.Reference(dearer.ID):             fmt.Sprintf("missing-here: it was recorded after the network was asked, as operation %s, but not as the file has it: amount-differs (12.50 rupees, RRN %s)", operation, dearer.RRN),
		central.Reference("X" + renamed.ID):      "missing-here: the network was asked: it knows the RRN, but under another id",
		central.Reference("Y" + contradicted.ID): "missing-here: the network was asked: it tells a payment of this RRN with other values than are recorded",
		central.Reference(contradicted.ID):       "missing-at-bank: ",
	})
	asked := slices.Clone(d.network.asked)
	slices.Sort(asked)
	if again := slices.Compact(slices.Clone(asked)); len(asked) != 8 || len(again) != 7 {
		t.Errorf("asked for %v", asked) // each once, the silent one twice, and one of a payment and its return
	}
	if note, err := d.job(); err != nil || note != "0 payments of settlement files found, 0 left to people" || len(d.network.asked) != 8 {
		t.Errorf("asked again: %q, %v, %v", note, d.network.asked, err)
	}
}

// suiteSettlementAsksOnce: a person's step, or a later file of the day, is not overtaken.
func suiteSettlementAsksOnce(t *testing.T, s *DB) {
	d := newSettledDay(t, s)
	p := aPayment("")
	d.network.knows = []central.ReceivedPayment{p}
	d.settle(p)
	c := d.report().Cases[0]
	step := by("asha", reconcile.ActionProposed)
	step.Verdict = reconcile.Noted
	wantErr(t, "propose", s.ProposeCase(background, c.CaseID, step), nil)
	wantErr(t, "answer what a person has", s.AnswerPaymentCase(background, c.CaseID, time.Now(), "x", true), central.ErrState)
	wantErr(t, "reject", s.ReopenCase(background, c.CaseID, by("ravi", reconcile.ActionRejected)), nil)
	wantErr(t, "answer what people had", s.AnswerPaymentCase(background, c.CaseID, time.Now(), "x", true), central.ErrState)
	if _, err := d.job(); err != nil || len(d.network.asked) > 0 {
		t.Errorf("people had it: asked %v, %v", d.network.asked, err)
	}
	superseded := c.CaseID
	d.line("STRAY", "123456789012", 100)
	if n := d.report().Waiting(); n != 2 {
		t.Errorf("%d cases of the second file wait", n)
	}
	wantErr(t, "answer an old file's case", s.AnswerPaymentCase(background, superseded, time.Now(), "x", true), reconcile.ErrSuperseded)
	d.line("OTHER", "123456789013", 100)
	if n := d.report().Waiting(); n != 3 {
		t.Errorf("%d cases of the third file wait", n)
	}
	_, err := d.job()
	slices.Sort(d.network.asked)
	if want := slices.Sorted(slices.Values([]string{p.RRN, "123456789012", "123456789013"})); err != nil || !slices.Equal(d.network.asked, want) {
		t.Errorf("of the third file alone: asked %v, %v", d.network.asked, err)
	}
}

// settlementFindsTogether: two nodes that run the job at once record a payment once.
func settlementFindsTogether(t *testing.T, on kind) {
	place := on.seeded(t)
	first, second := openAt(t, place, testConfig()), openAt(t, place, testConfig())
	terminal := enrolled(t, first, 1).ID
	d := newSettledDay(t, first)
	for range 8 {
		p := returned(aPayment(""))
		d.network.knows = append(d.network.knows, p)
		d.settle(p)
	}
	if n := d.report().Waiting(); n != 16 {
		t.Fatalf("%d cases wait", n)
	}
	other := *d
	other.s = second
	other.service, _ = paymentsOver(t, second, d.network)
	var both sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		node := []*settledDay{d, &other}[i%2]
		both.Go(func() { _, errs[i] = node.job() })
	}
	both.Wait()
	wantErr(t, "run at once", errors.Join(errs...), nil)
	if got := paymentEvents(t, first, terminal); len(got) != 16 {
		t.Errorf("%d events of 8 payments and 8 returns", len(got))
	}
	if left := d.waiting(); len(left) > 0 {
		t.Errorf("waits for people: %v", left)
	}
}

func TestSettledPayments(t *testing.T) {
	for name, part := range map[string]func(t *testing.T, s *DB){
		"agree or differ": suiteSettledPayments, "are found": suiteSettlementFindsPayments, "are asked for once": suiteSettlementAsksOnce,
	} {
		t.Run(name, func(t *testing.T) { onBoth(t, func(t *testing.T, on kind) { part(t, on.open(t, testConfig())) }) })
	}
	t.Run("two nodes", func(t *testing.T) { onBoth(t, settlementFindsTogether) })
}
