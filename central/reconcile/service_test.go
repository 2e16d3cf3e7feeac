package reconcile_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"galla/central"
	"galla/central/api"

	"galla/central/reconcile"
	"galla/central/store"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	merchant central.MerchantID = "c0000000-0000-4000-8000-00000000000c"
	day      ist.Day            = "2026-11-20"
)

// noon is in the middle of the day.
var noon = time.Date(2026, 11, 20, 6, 30, 0, 0, time.UTC)

// network is a bank whose answers to enquiries a test sets.
type network struct {
	mu    sync.Mutex
	says  map[central.Reference]central.BankAnswer
	asked map[central.Reference]int
}

func (n *network) Send(context.Context, central.BankRequest) (central.BankAnswer, error) {
	return central.BankAnswer{}, errors.New("reconciliation sends nothing")
}

func (n *network) Consult(context.Context, central.BankRequest) (central.BankAnswer, error) {
	return central.BankAnswer{}, errors.New("reconciliation consults nobody")
}

func (n *network) Enquire(_ context.Context, ref central.Reference) (central.BankAnswer, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked[ref]++
	a, ok := n.says[ref]
	if !ok {
		return central.BankAnswer{}, errors.New("the bank does not answer")
	}
	return a, nil
}

func (n *network) say(ref central.Reference, a central.BankAnswer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.says[ref] = a
}

func (n *network) count(ref central.Reference) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[ref]
}

// fixture is a real store and a running engine that uses the decisions.
type fixture struct {
	t       *testing.T
	db      *store.DB
	service *reconcile.Service
	network *network
	n       int
	rest    func()
}

func open(t *testing.T) *fixture {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := store.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "central.db"), store.Config{Node: "n", Logger: log})
	must(t, err)
	must(t, db.Seed(t.Context(), store.Seed{Merchants: []central.Merchant{{ID: merchant, MID: "GAL0000001", LegalName: "Store", Status: central.MerchantApproved, HasInfo: true, AEPSReady: true, TID: "GAL00001", Mobile: "9000000001", Active: true}}}))
	h := &fixture{t: t, db: db, network: &network{says: map[central.Reference]central.BankAnswer{}, asked: map[central.Reference]int{}}}
	h.service, err = reconcile.New(db, db, db, "n")
	must(t, err)
	h.runs()
	t.Cleanup(func() {
		h.rest()
		must(t, db.Close())
	})
	return h
}

// runs starts the engine; rest stops it.
func (h *fixture) runs() {
	log := slog.New(slog.DiscardHandler)
	engine, err := central.NewEngine(h.db, h.network, api.Renderer{}, central.NewNotifier(), central.EngineConfig{
		Node: "n", Rand: rand.Reader, Logger: log, Decisions: h.db, Enquiries: central.EnquiryConfig{First: time.Hour, Max: time.Hour, StuckAfter: 1000 * time.Hour, Poll: 5 * time.Millisecond},
	})
	must(h.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(ctx) }()
	h.rest = func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) { // it was still starting
			must(h.t, err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// operation records a withdrawal of the day in a state.
func (h *fixture) operation(state op.State, change ...func(*central.Operation)) central.Operation {
	h.t.Helper()
	h.n++
	at := noon.Add(time.Duration(h.n) * time.Second)
	o := central.Operation{
		ID: op.ID(fmt.Sprintf("0193519c-0000-7000-8000-%012d", h.n)), Caller: "merchant:" + string(merchant), Identity: fmt.Sprint("ref-", h.n), Route: op.Withdrawal,
		Fingerprint: sha256.Sum256(fmt.Append(nil, h.n)), Merchant: merchant, TID: "GAL00001", Kind: central.KindWithdrawal, Amount: money.Paise(h.n) * 100_00,
		Aadhaar: "XXXXXXXX7058", IIN: "990326", Reference: central.Reference(fmt.Sprintf("GL261120%010d", h.n)), STAN: fmt.Sprintf("%06d", h.n),
		State: op.Received, Node: "n", CreatedAt: at,
	}
	for _, c := range change {
		c(&o)
	}
	ctx := h.t.Context()
	h.rest() // an engine that looks in between finds it abandoned
	defer h.runs()
	_, _, err := h.db.Create(ctx, o, nil)
	must(h.t, err)
	must(h.t, h.db.MarkSent(ctx, central.SentUpdate{ID: o.ID, At: at, BankNotAfter: at.Add(15 * time.Second)}))
	if state == op.Pending {
		_, err = h.db.MarkPending(ctx, central.PendingUpdate{ID: o.ID, At: at, Reason: "no answer", Prefix: "AEPS-NR-", NextEnquiry: time.Now().Add(time.Hour)})
	} else {
		_, err = h.db.Finish(ctx, central.FinalOutcome{ID: o.ID, To: state, At: at.Add(time.Second), Reason: "the bank answered",
			Answer: central.BankAnswer{Code: "00", RRN: rrn(o)}, HTTP: 200, Reply: []byte(`{}`)})
	}
	must(h.t, err)
	o, err = h.db.Operation(ctx, o.ID)
	must(h.t, err)
	return o
}

func rrn(o central.Operation) string { return "632506" + o.STAN }

// line is a settlement line of an operation.
func line(o central.Operation, code string) string {
	return strings.Join([]string{string(o.Reference), rrn(o), o.STAN, o.Amount.String(), code, "2026-11-20T12:00:00.000+05:30"}, ",")
}

// file is a whole settlement file.
func file(lines ...string) string {
	var sum money.Paise
	for _, l := range lines {
		p, _ := money.Parse(strings.Split(l, ",")[3])
		sum += p
	}
	return "reference,rrn,stan,amount,code,time\n" + strings.Join(append(lines, fmt.Sprintf("END,%s,%d,%s,,", day, len(lines), sum)), "\n") + "\n"
}

var (
	asha = reconcile.Actor{Login: "asha", Account: "root@server"}
	ravi = reconcile.Actor{Login: "ravi", Account: "root@server"}
)

func (h *fixture) imports(text string) reconcile.File {
	h.t.Helper()
	f, again, err := h.service.Import(h.t.Context(), "/in/day.csv", strings.NewReader(text), asha)
	if err != nil || again {
		h.t.Fatalf("import: again %v, %v", again, err)
	}
	return f
}

func (h *fixture) report() reconcile.Report {
	h.t.Helper()
	r, err := h.service.Report(h.t.Context(), day, 0)
	must(h.t, err)
	return r
}

// state waits until an operation is in a state.
func (h *fixture) state(o central.Operation, want op.State) central.Operation {
	h.t.Helper()
	for range 12_000 { // a minute at most
		now, err := h.db.Operation(h.t.Context(), o.ID)
		must(h.t, err)
		if now.State == want {
			return now
		}
		time.Sleep(5 * time.Millisecond)
	}
	h.t.Fatalf("%s does not become %s", o.Reference, want)
	return o
}

// TestADayIsReconciled: one of each class; the rules decide pending operations
// through the engine, and the rest waits for people.
func TestADayIsReconciled(t *testing.T) {
	h := open(t)
	agreed, paid, lost := h.operation(op.Succeeded), h.operation(op.Pending), h.operation(op.Pending)
	gone, wrong, other := h.operation(op.Succeeded), h.operation(op.Succeeded), h.operation(op.Succeeded)
	quiet, awaited := h.operation(op.Failed), h.operation(op.Pending)
	transfer := h.operation(op.Pending, func(o *central.Operation) { o.Kind, o.Route = central.KindTransfer, op.Transfer })
	dearer := wrong
	dearer.Amount += 100
	stray := agreed
	stray.Reference = "GL261120STRAY"
	f := h.imports(file(line(agreed, "00"), line(paid, "00"), line(lost, "51"), line(dearer, "00"), line(other, "91"), line(stray, "00"), line(agreed, "00"), line(transfer, "00")))
	if f.Number != 1 || f.Name != "day.csv" || f.By != "asha" || f.Day != day {
		t.Errorf("the file: %+v", f)
	}

	// The bank never answers: the file decides.
	if now := h.state(paid, op.Succeeded); now.RRN != rrn(paid) || now.Code != "00" {
		t.Errorf("paid: %+v", now)
	}
	if now := h.state(lost, op.Failed); now.Code != "51" {
		t.Errorf("lost: %+v", now)
	}
	history, err := h.db.History(t.Context(), paid.ID)
	must(t, err)
	if n := len(history); n < 2 || !strings.Contains(history[n-2].Reason, "reconciliation: case 2026-11-20.1.1 was decided as succeeded by rule") || history[n-1].From != op.Pending {
		t.Errorf("the history: %+v", history)
	}
	if h.network.count(paid.Reference) == 0 || h.network.count(gone.Reference) > 0 {
		t.Error("the bank was not asked first, or asked about what is final")
	}
	for _, o := range []central.Operation{awaited, transfer, gone, wrong, other, quiet} {
		h.state(o, o.State)
	}

	r := h.report()
	classes := map[reconcile.Class]int{}
	for _, c := range r.Cases {
		classes[c.Class]++
	}
	want := map[reconcile.Class]int{reconcile.OutcomeDiffers: 4, reconcile.AmountDiffers: 1, reconcile.MissingHere: 1, reconcile.MissingAtBank: 1, reconcile.DuplicateLine: 1, reconcile.AwaitingBank: 1}
	if fmt.Sprint(classes) != fmt.Sprint(want) || r.Waiting() != 6 || r.Sums[reconcile.OutcomeDiffers].ByRule != 2 || r.Sums[reconcile.NothingMoved].Operations != 1 {
		t.Errorf("cases %v, %d wait, sums %+v", classes, r.Waiting(), r.Sums)
	}
	var text bytes.Buffer
	must(t, r.WriteText(&text))
	for _, part := range []string{"in force for the day", "Cases: 9, of which 6 wait for people", "succeeded (done)", "pending, now succeeded", "GL261120STRAY", "a program", "decided by rule"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("the report lacks %q:\n%s", part, text.String())
		}
	}
	text.Reset()
	must(t, r.WriteCSV(&text))
	records, err := csv.NewReader(&text).ReadAll()
	if err != nil || len(records) != 10 || records[1][0] != "2026-11-20.1.1" {
		t.Errorf("the CSV: %v, %v", records, err)
	}
}

// confirm confirms the present proposal of a case; all people are independent.
func (h *fixture) confirm(id reconcile.CaseID, by reconcile.Actor) error {
	h.t.Helper()
	_, steps, err := h.service.Case(h.t.Context(), id)
	must(h.t, err)
	return h.service.ConfirmSeen(h.t.Context(), id, len(steps), "", by, func(context.Context, string, string) (bool, error) { return true, nil })
}

// TestTwoPeopleDecide: a decision reaches the operation through the engine, and not
// before two people agree.
func TestTwoPeopleDecide(t *testing.T) {
	h := open(t)
	ctx := t.Context()
	transfer := h.operation(op.Pending, func(o *central.Operation) { o.Kind, o.Route = central.KindTransfer, op.Transfer })
	must(t, h.db.PostponeEnquiry(ctx, transfer.ID, noon, noon.Add(time.Hour), "nothing came", true))
	h.imports(file(line(transfer, "00")))
	c := h.report().Cases[0]
	p := reconcile.Proposal{Verdict: reconcile.Succeeded, Reason: "the bank's letter", Charge: new(money.Paise(1180))}
	must(t, h.service.Propose(ctx, c.CaseID, p, asha))
	if err := h.confirm(c.CaseID, reconcile.Actor{Login: " ASHA "}); !errors.Is(err, reconcile.ErrSamePerson) {
		t.Errorf("confirmed alone: %v", err)
	}
	if n := h.network.count(transfer.Reference); n != 0 {
		t.Errorf("a proposal asked the bank %d times", n)
	}
	must(t, h.confirm(c.CaseID, ravi))
	if now := h.state(transfer, op.Succeeded); now.Charge != 1180 || now.RRN != rrn(transfer) {
		t.Errorf("decided: %+v", now)
	}
	if err := h.service.Withdraw(ctx, c.CaseID, "a mistake", asha); !errors.Is(err, reconcile.ErrEffective) {
		t.Errorf("withdrawn too late: %v", err)
	}
	var text bytes.Buffer
	must(t, h.service.WriteCase(ctx, c.CaseID, &text))
	for _, part := range []string{"done", "proposed succeeded, charge 11.80", "asha (root@server)", "the bank's letter", "confirmed succeeded"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("the case lacks %q:\n%s", part, text.String())
		}
	}
}

// TestAStuckOne: two people decide an operation that no file and no enquiry resolved.
func TestAStuckOne(t *testing.T) {
	h := open(t)
	ctx := t.Context()
	o := h.operation(op.Pending)
	must(t, h.db.PostponeEnquiry(ctx, o.ID, noon, noon.Add(time.Hour), "nothing came", true))
	h.imports(file())
	c := h.report().Cases[0]
	if c.Class != reconcile.AwaitingBank || c.Verdict != reconcile.Noted || c.DecidedBy != reconcile.ByRule {
		t.Fatalf("the case: %+v", c)
	}
	must(t, h.service.Withdraw(ctx, c.CaseID, "the bank has written", asha))
	must(t, h.service.Propose(ctx, c.CaseID, reconcile.Proposal{Verdict: reconcile.Failed, Reason: "letter of the 24th: never received"}, asha))
	must(t, h.confirm(c.CaseID, ravi))
	if now := h.state(o, op.Failed); now.Code != "91" {
		t.Errorf("decided: %+v", now)
	}
}

// TestTheBankContradicts: if its answer and its file differ, the operation stays pending
// until a person has withdrawn the decision.
func TestTheBankContradicts(t *testing.T) {
	h := open(t)
	ctx := t.Context()
	o := h.operation(op.Pending)
	h.network.say(o.Reference, central.BankAnswer{Status: central.BankDeclined, Code: "51", Message: "INSUFFICIENT FUNDS"})
	h.imports(file(line(o, "00")))
	c := h.report().Cases[0]
	if c.Status != reconcile.Decided || c.Effect() == "" {
		t.Fatalf("the case: %+v", c)
	}
	contradicted := func() bool {
		steps, err := h.db.History(ctx, o.ID)
		must(t, err)
		return strings.Contains(steps[len(steps)-1].Reason, "the bank answers FAILED, and case 2026-11-20.1.1 was decided as succeeded")
	}
	for n := 0; !contradicted(); n++ {
		if n == 12_000 {
			t.Fatal("the history does not say that they differ")
		}
		time.Sleep(5 * time.Millisecond)
	}
	h.state(o, op.Pending)
	must(t, h.service.Withdraw(ctx, c.CaseID, "the bank's answer is right", ravi))
	if r := h.report(); r.Waiting() != 1 {
		t.Errorf("%d cases wait", r.Waiting())
	}
	if now := h.state(o, op.Failed); now.Code != "51" {
		t.Errorf("the bank's answer: %+v", now)
	}
}
