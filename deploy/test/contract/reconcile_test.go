package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central/admincli"
	"galla/central/staff"
	"galla/edge"
	"galla/shared/ist"
	"galla/shared/op"
	"galla/shared/secret"
)

// awayFromMidnight waits until midnight in India is not near: what the test does must
// be of one day, including the time that the bank may take for it.
func awayFromMidnight() {
	near := func() bool {
		return time.Now().In(ist.Zone()).Add(4*time.Minute).Day() != time.Now().In(ist.Zone()).Day()
	}
	for near() {
		time.Sleep(time.Second)
	}
}

// settlement is a system with a day of operations in it.
type settlement struct {
	*system
	t                *testing.T
	dir              string
	day              string
	c                *counter
	pending          edge.View // at the counter
	reconcileService *admincli.Reconciliation
}

// newSettlement starts a system of its own, with the commands of reconciliation beside it.
func newSettlement(t *testing.T) *settlement {
	t.Helper()
	awayFromMidnight()
	s := &settlement{
		system: &system{tokens: map[string]string{}, http: &http.Client{Timeout: time.Minute}}, t: t, dir: t.TempDir(),
		day: time.Now().In(ist.Zone()).Format(time.DateOnly),
	}
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	t.Cleanup(func() { cancel(); ended.Wait() })
	s.must("open the system", s.open(ctx, &ended, s.dir))
	beside := s.cfg
	beside.Node += "-command"
	var err error
	s.reconcileService, err = admincli.OpenReconciliation(ctx, beside.CLIConfig())
	s.must("open", err)
	t.Cleanup(func() { s.must("close", s.reconcileService.Close()) })
	return s
}

func (s *settlement) must(doing string, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%s: %v", doing, err)
	}
}

// file fetches the bank's settlement file into the system's folder, and reports what
// was planted.
func (s *settlement) file(name, with string) (path string, planted map[string]string) {
	s.t.Helper()
	query := "/books/settlement?date=" + s.day
	if with != "" {
		query += "&with=" + with
	}
	resp, err := s.http.Get(s.bank + query)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		s.t.Fatalf("the settlement file: HTTP %d %s, %v", resp.StatusCode, text, err)
	}
	path = filepath.Join(s.dir, name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	planted = map[string]string{}
	for pair := range strings.SplitSeq(resp.Header.Get("Galla-Planted"), ",") {
		kind, reference, _ := strings.Cut(pair, "=")
		planted[kind] = reference
	}
	return path, planted
}

// down cuts the network from the central to the bank, or restores it. The bank's public
// address stays.
func (s *settlement) down(is bool) {
	s.t.Helper()
	resp, err := s.http.Post(s.bank+"/control", "application/json", strings.NewReader(fmt.Sprintf(`{"down": %t}`, is)))
	if err != nil || resp.StatusCode != 200 {
		s.t.Fatalf("control: %v, %v", resp, err)
	}
	_ = resp.Body.Close()
}

// business is the day: withdrawals that succeed, one that is declined, and two, of a
// program and of the counter, that the bank executes without ever answering. Then the
// connection to the bank is gone.
func (s *settlement) business(ctx context.Context) (declined, silent string) {
	s.t.Helper()
	withdraw := func(amount string) answer {
		return s.call(s.t, m1, "POST", "/aeps/withdrawal", with(s.aeps(s.t, agarwal, amount), fields{"clientRefId": s.ref("reconcile")}))
	}
	for range 5 {
		withdraw("100").is(200, "00")
	}
	declined = text(s.t, withdraw("100.05").is(200, "00").data(), "RetailerReferenceNumber")
	aadhaar, err := secret.ParseAadhaar(agarwal)
	if err != nil {
		s.t.Fatal(err)
	}
	s.c.transact(op.Withdrawal, aadhaar)

	s.c.glass.placeFinger(agarwal)
	s.pending, err = s.c.Start(edge.Request{Route: op.Withdrawal, Amount: 100_97, Aadhaar: aadhaar, Customer: "Kumar", IIN: iins[agarwal], Consent: "en-1", User: "Fatima", UserID: edge.AgentID})
	if err == nil {
		err = s.c.Capture(s.pending.ID)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	silent = text(s.t, withdraw("200.97").body, "reference")
	eventually(s.t, "the counter shows that it is pending", func() bool {
		v, err := s.c.Operation(s.pending.ID)
		return err == nil && v.State == op.Pending
	})
	s.down(true)
	return declined, silent
}

// show is everything that the central has recorded of one operation.
func (s *settlement) show(ctx context.Context, name string) string {
	s.t.Helper()
	e, err := admincli.OpenOperations(ctx, s.cfg.CLIConfig())
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	var out bytes.Buffer
	if err := e.Show(ctx, name, &out); err != nil {
		s.t.Fatal(err)
	}
	return out.String()
}

// imports imports a file, and requires that some cases wait for people.
func (s *settlement) imports(ctx context.Context, path string, waiting int) string {
	s.t.Helper()
	var out bytes.Buffer
	n, err := s.reconcileService.Import(ctx, path, &out)
	if err != nil || n != waiting {
		s.t.Fatalf("import: %d cases wait, want %d: %v\n%s", n, waiting, err, out.String())
	}
	return out.String()
}

// signsIn lets one of the sandbox's staff take steps of cases; the second factors are
// derived from a first byte.
func (s *settlement) signsIn(ctx context.Context, login string, first byte) *admincli.CaseSession {
	s.t.Helper()
	key := make([]byte, 20)
	for i := range key {
		key[i] = first + byte(i)
	}
	code, err := staff.NewFactor(login, secret.NewKey(key)).CodeAt(time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	d, err := s.reconcileService.SignIn(ctx, admincli.Credentials{Login: login, Password: secret.NewToken("sandbox-console-1"), Code: code})
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// TestADayIsReconciledWithTheBank: a day of operations, the bank's file with each kind
// of difference; the file finishes what is pending though the bank can't be asked,
// people decide the rest, the bank's correct file supersedes, and the books agree to
// the paisa.
func TestADayIsReconciledWithTheBank(t *testing.T) {
	ctx := t.Context()
	s := newSettlement(t)
	must := s.must
	s.c = newCounter(t, s.system)
	s.c.transact(op.ReqAuth, secret.Aadhaar{})
	declined, silent := s.business(ctx)

	path, planted := s.file("spoilt.csv", "missing-here,missing-at-bank,amount-differs,outcome-differs")
	if len(planted) != 4 {
		t.Fatalf("planted %v", planted)
	}
	s.imports(ctx, path, 4)
	if again := s.imports(ctx, path, 4); !strings.Contains(again, "The same file was imported before") {
		t.Errorf("imported again:\n%s", again)
	}

	// Both unanswered ones succeed by the file, at the counter, too.
	eventually(t, "the counter has the success", func() bool {
		v, err := s.c.Operation(s.pending.ID)
		return err == nil && v.State == op.Succeeded
	})
	eventually(t, "the program's operation is final", func() bool { return strings.Contains(s.show(ctx, silent), "state                     succeeded") })
	if history := s.show(ctx, silent); !strings.Contains(history, "reconciliation: case ") || !strings.Contains(history, "was decided as succeeded by rule") {
		t.Errorf("its history does not name the file:\n%s", history)
	}

	var report bytes.Buffer
	n, err := s.reconcileService.Show(ctx, s.day, 0, false, &report)
	if err != nil || n != 4 {
		t.Fatalf("%d cases wait: %v", n, err)
	}
	var cases []string
	for kind, reference := range planted {
		found := false
		for l := range strings.Lines(report.String()) {
			if f := strings.Fields(l); len(f) > 2 && f[1] == kind && f[2] == reference {
				found, cases = true, append(cases, f[0])
			}
		}
		if !found {
			t.Errorf("the report does not list %s of %s:\n%s", kind, reference, report.String())
		}
	}
	if strings.Contains(report.String(), declined) || strings.Contains(report.String(), agarwal) {
		t.Errorf("the report has a case of what agrees, or an Aadhaar number:\n%s", report.String())
	}

	// People decide the rest, two for each.
	first, second := s.signsIn(ctx, "sandbox-operator", 0x20), s.signsIn(ctx, "sandbox-admin", 0)
	defer func() { must("leave", errors.Join(first.SignOut(ctx), second.SignOut(ctx))) }()
	for _, c := range cases {
		p := admincli.CaseProposal{Verdict: "noted", Reason: "the bank sends a good file"}
		must("propose", first.Propose(ctx, c, p, io.Discard))
		if err := first.Confirm(ctx, c, "", io.Discard); err == nil {
			t.Errorf("case %s was confirmed by who proposed it", c)
		}
		must("confirm", second.Confirm(ctx, c, "", io.Discard))
	}
	if n, err = s.reconcileService.Show(ctx, s.day, 0, false, io.Discard); err != nil || n != 0 {
		t.Errorf("%d cases wait: %v", n, err)
	}

	// The correct file supersedes it, and the books agree.
	path, _ = s.file("good.csv", "")
	good := s.imports(ctx, path, 0)
	if !strings.Contains(good, s.day+".2, in force for the day") || !strings.Contains(good, "the bank had moved 0.00 rupees more") || !strings.Contains(good, "No case: the terminals, the central and the bank agree.") {
		t.Errorf("the good file:\n%s", good)
	}
	s.booksAgree(good)
	s.down(false)
}

// booksAgree compares the report's sum of what moved with the bank's own books.
func (s *settlement) booksAgree(report string) {
	s.t.Helper()
	var executed []struct {
		Status      string
		AmountPaise int64
	}
	s.books(s.t, "/books/executions", &executed)
	moved, lines := int64(0), len(executed)
	for _, x := range executed {
		if x.Status == "EXECUTED" {
			moved += x.AmountPaise
		}
	}
	want := fmt.Sprintf("%d.%02d", moved/100, moved%100)
	for l := range strings.Lines(report) {
		if f := strings.Fields(l); len(f) == 11 && f[0] == "the" && f[1] == "day" {
			if f[2] != fmt.Sprint(lines) || f[3] != fmt.Sprint(lines) || f[6] != want || f[7] != want {
				s.t.Errorf("the report's day is %q; the bank has %d transactions and moved %s", l, lines, want)
			}
			checkTrial(s.t, s.system)
			return
		}
	}
	s.t.Errorf("the report has no sum of the day:\n%s", report)
}

// TestPaymentsAreReconciledWithTheBank: payments and returns that the bank never reported
// are in its file. The running central asks for each of them, records it, and closes its case.
func TestPaymentsAreReconciledWithTheBank(t *testing.T) {
	ctx := t.Context()
	s := newSettlement(t)
	order := s.ref("settled")
	code := s.call(t, m1, "POST", "/upi/txn/v1/GenerateQR", fields{"amount": 12.5, "order_id": order}).is(200, "00").data()
	link := text(t, code, "upiLink")
	never := fields{"never": true}
	heard := s.pay(t, "pay", fields{"upiLink": link})
	eventually(t, "the payment that was reported is recorded", func() bool { return s.order(t, order)["status"] == "PAID" })

	s.down(true) // so that the enquiry of the day finds nothing before the file
	returned := s.pay(t, "pay", fields{"upiLink": link, "notify": never})
	s.pay(t, "refund", fields{"id": returned.ID, "notify": never})
	s.pay(t, "refund", fields{"id": heard.ID, "notify": never})
	lost := s.pay(t, "pay", fields{"upiLink": link, "notify": never})
	path, _ := s.file("payments.csv", "")
	if first := s.imports(ctx, path, 4); !strings.Contains(first, "missing-here") {
		t.Errorf("the file was compared as\n%s", first)
	}
	s.down(false)
	eventuallyWithin(t, 2*time.Minute, "no case waits", func() bool {
		n, err := s.reconcileService.Show(ctx, s.day, 0, false, io.Discard)
		return err == nil && n == 0
	})
	var report bytes.Buffer
	_, err := s.reconcileService.Show(ctx, s.day, 0, false, &report)
	s.must("show", err)
	if n := strings.Count(report.String(), "as operation "); n != 4 || strings.Count(report.String(), "decided by rule") != 4 {
		t.Errorf("%d cases name an operation:\n%s", n, report.String())
	}
	got := map[string]string{}
	for _, p := range s.order(t, order)["payments"].([]any) {
		got[text(t, p.(fields), "id")] = text(t, p.(fields), "status")
	}
	if len(got) != 3 || got[heard.ID] != "RETURNED" || got[returned.ID] != "RETURNED" || got[lost.ID] != "RECEIVED" {
		t.Errorf("the order has %v", got)
	}

	// A file of the day that is complete agrees, with nothing to ask for.
	s.pay(t, "pay", fields{"upiLink": link})
	eventually(t, "another payment is recorded", func() bool { return len(s.order(t, order)["payments"].([]any)) == 4 })
	path, _ = s.file("again.csv", "")
	if again := s.imports(ctx, path, 0); !strings.Contains(again, "the bank had moved 0.00 rupees more") || !strings.Contains(again, "No case: the terminals, the central and the bank agree.") {
		t.Errorf("the second file:\n%s", again)
	}
}
