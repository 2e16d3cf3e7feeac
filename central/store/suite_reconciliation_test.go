package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/reconcile"
	"galla/shared/ist"
	"galla/shared/op"
)

// settlementDay is the Indian day of t0.
const settlementDay ist.Day = "2026-11-21"

// findFile finds a settlement file by its bytes.
func findFile(s *DB, hash [32]byte) (reconcile.File, error) {
	return query(background, s.task("find a file"), func(c conn) (reconcile.File, error) { return fileByHash(c, hash) })
}

// settlementFile is a file of the day whose bytes differ by a name.
func settlementFile(name string, lines ...reconcile.Line) reconcile.File {
	f := reconcile.File{Name: name, By: "asha", At: t0.Add(24 * time.Hour)}
	f.Day, f.Lines, f.Bytes, f.SHA256 = settlementDay, len(lines), 100, sha256.Sum256([]byte(name))
	for _, l := range lines {
		f.Amount += l.Amount
	}
	return f
}

func lineOf(number int, o central.Operation, code string) reconcile.Line {
	return reconcile.Line{Number: number, Reference: o.Reference, RRN: fmt.Sprintf("6325100%05d", number), STAN: o.STAN, Amount: o.Amount, Code: code, At: truncateToMillis(t0)}
}

// imported records a whole file with a case for each operation that is given.
func imported(t *testing.T, s *DB, name string, lines []reconcile.Line, cases ...reconcile.Case) reconcile.File {
	t.Helper()
	f, err := s.CreateFile(background, settlementFile(name, lines...))
	wantErr(t, "begin a file", err, nil)
	wantErr(t, "add lines", s.AddLines(background, f, lines), nil)
	for i := range cases {
		cases[i].CaseID = reconcile.CaseID{Day: f.Day, File: f.Number, Number: i + 1}
		cases[i].FoundAt = truncateToMillis(t0.Add(25 * time.Hour))
		if cases[i].Status == "" {
			cases[i].Status = reconcile.Open
		}
	}
	wantErr(t, "complete", s.CompleteFile(background, f, map[reconcile.Class]reconcile.Sum{reconcile.OutcomeDiffers: {Operations: len(cases), Lines: len(lines), Theirs: f.Amount}}, cases), nil)
	f, err = s.File(background, f.Day, f.Number)
	wantErr(t, "read the file", err, nil)
	return f
}

// caseFor is a case of a state that differs.
func caseFor(o central.Operation, l *reconcile.Line) reconcile.Case {
	return reconcile.Case{Class: reconcile.OutcomeDiffers, Reference: o.Reference, Operation: &reconcile.Operation{ID: o.ID, State: o.State}, Found: o.State, Line: l}
}

func by(person string, did reconcile.Action) reconcile.Step {
	return reconcile.Step{At: truncateToMillis(t0.Add(26 * time.Hour)), By: person, Account: "root@machine", Node: testNode, Action: did, Reason: "the bank's letter"}
}

func TestReconciliation(t *testing.T) {
	for name, part := range map[string]func(t *testing.T, on kind){
		"files": reconciliationFiles, "operations": reconciliationOperations, "cases": reconciliationCases, "superseded": reconciliationSuperseded,
		"evidence": reconciliationEvidence, "together": reconciliationTogether, "the schema": reconciliationSchema,
	} {
		t.Run(name, func(t *testing.T) { onBoth(t, part) })
	}
}

func reconciliationFiles(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	lines := []reconcile.Line{lineOf(2, newOperation(), "00"), lineOf(3, newOperation(), "51")}
	made := settlementFile("a.csv", lines...)
	f, err := s.CreateFile(background, made)
	wantErr(t, "begin", err, nil)
	made.Number, made.At = 1, truncateToMillis(made.At)
	wantSame(t, "begun", f, made)
	again, err := s.CreateFile(background, settlementFile("a.csv", lines...))
	wantErr(t, "begin again", err, nil)
	wantSame(t, "begun again", again, made)
	if _, err := s.File(background, settlementDay, 0); !errors.Is(err, central.ErrNotFound) {
		t.Errorf("a file that is not complete counts: %v", err)
	}

	// An interrupted import goes on where it was.
	wantErr(t, "add lines", s.AddLines(background, f, lines[:1]), nil)
	wantErr(t, "add lines", s.AddLines(background, f, lines), nil)
	sums := map[reconcile.Class]reconcile.Sum{
		reconcile.Agreed: {Operations: 1, Lines: 1, Ours: 50000, Theirs: 50000, MovedOurs: 50000, MovedTheirs: 50000}, reconcile.NothingMoved: {},
		reconcile.MissingHere: {Lines: 1, Theirs: 50000},
	}
	wantErr(t, "complete", s.CompleteFile(background, f, sums, nil), nil)
	wantErr(t, "complete again", s.CompleteFile(background, f, sums, nil), central.ErrState)
	wantErr(t, "a line more", s.AddLines(background, f, lines), central.ErrState)
	got, err := s.File(background, settlementDay, 0)
	wantErr(t, "read", err, nil)
	if got.Number != 1 || got.CompleteAt.IsZero() || got.Superseded {
		t.Errorf("complete: %+v", got)
	}
	delete(sums, reconcile.NothingMoved)
	kept, err := s.FileSums(background, settlementDay, 1)
	wantErr(t, "sums", err, nil)
	wantSame(t, "sums", kept, sums)

	second := imported(t, s, "b.csv", nil)
	if second.Number != 2 || second.Superseded {
		t.Errorf("the second: %+v", second)
	}
	list, err := s.ListFiles(background, settlementDay, 10)
	wantErr(t, "list", err, nil)
	if len(list) != 2 || !list[0].Superseded || list[1].Superseded {
		t.Errorf("files of the day: %+v", list)
	}
	if list, err = s.ListFiles(background, "", 1); err != nil || len(list) != 1 || list[0].Number != 2 {
		t.Errorf("the newest file: %+v, %v", list, err)
	}
	if got, err := findFile(s, second.SHA256); err != nil || got.Number != 2 {
		t.Errorf("by its sum: %+v, %v", got, err)
	}
	_, err = findFile(s, [32]byte{1})
	wantErr(t, "an unknown sum", err, central.ErrNotFound)
	_, err = s.File(background, "2026-11-20", 0)
	wantErr(t, "another day", err, central.ErrNotFound)
}

func reconciliationOperations(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	terminal := enrolled(t, s, 1)
	at := func(d time.Duration) func(*central.Operation) {
		return func(o *central.Operation) { o.CreatedAt = t0.Add(d) }
	}
	reported := inState(t, s, op.Succeeded)
	unreported := inState(t, s, op.Pending, at(time.Millisecond), func(o *central.Operation) { o.Terminal, o.Kind = terminal.ID, central.KindPurchase })
	wantErr(t, "finish", step(s, unreported.ID, op.Succeeded), nil)
	open := inState(t, s, op.Pending, at(2*time.Millisecond), func(o *central.Operation) { o.Kind = central.KindTransfer })
	inState(t, s, op.Refused, at(3*time.Millisecond))
	inState(t, s, op.Succeeded, at(3*time.Millisecond), func(o *central.Operation) { o.Kind, o.Amount = central.KindBalance, 0 })
	inState(t, s, op.Succeeded, at(3*time.Millisecond), func(o *central.Operation) { o.Kind = central.KindAccountVerification })
	late := inState(t, s, op.Succeeded, at(time.Hour), func(o *central.Operation) { o.Kind = central.KindRefund })

	var got []reconcile.Operation
	var after time.Time
	var id op.ID
	for { // two at a time
		list, err := s.OperationsCreated(background, truncateToMillis(t0), t0.Add(time.Hour), after, id, 2)
		wantErr(t, "begun", err, nil)
		got = append(got, list...)
		if len(list) < 2 {
			break
		}
		after, id = list[1].CreatedAt, list[1].ID
	}
	if len(got) != 3 || got[0].ID != reported.ID || got[1].ID != unreported.ID || got[2].ID != open.ID {
		t.Fatalf("begun: %+v", got)
	}
	want := reconcile.Operation{
		ID: unreported.ID, Reference: unreported.Reference, STAN: unreported.STAN, RRN: "632510123456", Kind: central.KindPurchase, Amount: 50000, State: op.Succeeded,
		Merchant: merchant1, TID: unreported.TID, Terminal: terminal.ID, Unreported: true,
		CreatedAt: truncateToMillis(unreported.CreatedAt), SentAt: truncateToMillis(t0), BankNotAfter: truncateToMillis(t0.Add(15 * time.Second)), FinishedAt: truncateToMillis(t0.Add(30 * time.Second)),
	}
	wantSame(t, "an operation", got[1], want)
	if got[0].Unreported || got[2].Unreported || !got[2].FinishedAt.IsZero() || got[2].RRN != "" {
		t.Errorf("reported and open: %+v, %+v", got[0], got[2])
	}
	wantErr(t, "see", s.AcknowledgeEvents(background, terminal.ID, 100), nil)
	list, err := s.OperationsFinished(background, truncateToMillis(t0), t0.Add(time.Hour), t0.Add(time.Minute), time.Time{}, "", 10)
	wantErr(t, "ended", err, nil)
	if len(list) != 2 || list[0].ID != reported.ID || list[1].ID != unreported.ID || list[1].Unreported {
		t.Errorf("ended: %+v", list)
	}
	if list, err = s.OperationsFinished(background, truncateToMillis(t0), t0.Add(time.Hour), t0.Add(time.Minute), list[0].FinishedAt, list[0].ID, 10); err != nil || len(list) != 1 {
		t.Errorf("ended after the first: %+v, %v", list, err)
	}
	list, err = s.OperationsByReference(background, []central.Reference{late.Reference, "nobody", reported.Reference})
	wantErr(t, "named", err, nil)
	if len(list) != 2 || list[0].ID != late.ID || list[1].ID != reported.ID {
		t.Errorf("named: %+v", list)
	}

	imported(t, s, "a.csv", []reconcile.Line{lineOf(2, reported, "00"), lineOf(3, open, "00")})
	imported(t, s, "b.csv", []reconcile.Line{lineOf(2, reported, "00")})
	all := []central.Reference{reported.Reference, open.Reference, late.Reference}
	other, err := s.LinesOfOtherDays(background, "2026-11-22", all)
	wantErr(t, "elsewhere", err, nil)
	wantSame(t, "elsewhere", other, map[central.Reference]ist.Day{reported.Reference: settlementDay})
	if other, err = s.LinesOfOtherDays(background, settlementDay, all); err != nil || len(other) != 0 {
		t.Errorf("elsewhere than on its own day: %v, %v", other, err)
	}
}

func reconciliationCases(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	pending, done := inState(t, s, op.Pending), inState(t, s, op.Succeeded)
	l := lineOf(2, pending, "00")
	stray := lineOf(3, newOperation(), "00")
	f := imported(t, s, "a.csv", []reconcile.Line{l, stray}, caseFor(pending, &l), caseFor(done, nil),
		reconcile.Case{Class: reconcile.MissingHere, Reference: stray.Reference, Line: &stray})
	id := func(n int) reconcile.CaseID { return reconcile.CaseID{Day: f.Day, File: f.Number, Number: n} }

	list, err := s.ListCases(background, f.Day, f.Number, 0, 10)
	wantErr(t, "list", err, nil)
	if len(list) != 3 || list[0].Line == nil || *list[0].Line != l || list[0].Operation.ID != pending.ID || list[0].Operation.State != op.Pending ||
		list[1].Line != nil || list[1].Found != op.Succeeded || list[2].Operation != nil || list[2].Found != "" || list[2].Status != reconcile.Open {
		t.Fatalf("cases: %+v", list)
	}
	if list, err = s.ListCases(background, f.Day, f.Number, 1, 1); err != nil || len(list) != 1 || list[0].Number != 2 {
		t.Errorf("the second alone: %+v, %v", list, err)
	}
	_, err = s.Case(background, id(4))
	wantErr(t, "no case", err, central.ErrNotFound)
	backlog := func(when string, open, proposed int) {
		t.Helper()
		b, err := s.ReconciliationBacklog(background)
		if err != nil || b.Open.Count != open || b.Proposed.Count != proposed || b.LastDay != f.Day || b.LastAt.IsZero() ||
			b.Open.Oldest.IsZero() != (open == 0) || b.Proposed.Oldest.IsZero() != (proposed == 0) {
			t.Errorf("%s: %+v, %v; want %d open, %d proposed", when, b, err, open, proposed)
		}
	}
	backlog("found", 3, 0)

	// Stuck, so that the reconciler leaves it alone.
	wantErr(t, "stick", s.PostponeEnquiry(background, pending.ID, t0.Add(time.Hour), t0.Add(100*time.Hour), "nothing came", true), nil)
	propose := by("asha", reconcile.ActionProposed)
	propose.Verdict, propose.Document = reconcile.Succeeded, reconcile.Document{Name: "letter.pdf", SHA256: strings.Repeat("a", 64)}
	wantErr(t, "confirm what nobody proposed", s.ConfirmCase(background, id(1), by("ravi", reconcile.ActionConfirmed)), central.ErrState)
	wantErr(t, "withdraw it", s.ReopenCase(background, id(1), by("ravi", reconcile.ActionWithdrawn)), central.ErrState)
	wantErr(t, "propose", s.ProposeCase(background, id(1), propose), nil)
	wantErr(t, "propose again", s.ProposeCase(background, id(1), propose), central.ErrState)
	backlog("proposed", 2, 1)
	wantErr(t, "confirm it alone", s.ConfirmCase(background, id(1), by("asha", reconcile.ActionConfirmed)), reconcile.ErrSamePerson)
	wantErr(t, "reject", s.ReopenCase(background, id(1), by("ravi", reconcile.ActionRejected)), nil)
	wantErr(t, "propose", s.ProposeCase(background, id(1), propose), nil)
	if due, err := s.ClaimEnquiries(background, t0.Add(27*time.Hour), t0.Add(28*time.Hour), 10); err != nil || len(due) != 0 {
		t.Errorf("a proposal alone made %d enquiries due, %v", len(due), err)
	}
	wantErr(t, "confirm", s.ConfirmCase(background, id(1), by("ravi", reconcile.ActionConfirmed)), nil)
	got, err := s.Case(background, id(1))
	wantErr(t, "read", err, nil)
	if got.Status != reconcile.Decided || got.Verdict != reconcile.Succeeded || got.ProposedBy != "asha" || got.DecidedBy != "ravi" ||
		got.Document != propose.Document || !got.DecidedAt.Equal(t0.Add(26*time.Hour).Truncate(time.Millisecond)) {
		t.Errorf("decided: %+v", got)
	}
	due, err := s.ClaimEnquiries(background, t0.Add(27*time.Hour), t0.Add(28*time.Hour), 10)
	if err != nil || len(due) != 1 || due[0].ID != pending.ID || !due[0].StuckAt.IsZero() {
		t.Errorf("due: %+v, %v", due, err)
	}
	history, err := s.History(background, pending.ID)
	wantErr(t, "history", err, nil)
	if last := history[len(history)-1]; last.From != op.Pending || last.To != op.Pending || last.Reason != "reconciliation: case 2026-11-21.1.1 was decided as succeeded by asha and ravi: the bank's letter" {
		t.Errorf("the operation's history ends with %+v", last)
	}

	wantErr(t, "withdraw", s.ReopenCase(background, id(1), by("asha", reconcile.ActionWithdrawn)), nil)
	wantErr(t, "propose", s.ProposeCase(background, id(1), propose), nil)
	wantErr(t, "confirm", s.ConfirmCase(background, id(1), by("ravi", reconcile.ActionConfirmed)), nil)
	wantErr(t, "the bank's word", step(s, pending.ID, op.Succeeded), nil)
	wantErr(t, "withdraw what is done", s.ReopenCase(background, id(1), by("asha", reconcile.ActionWithdrawn)), reconcile.ErrEffective)

	steps, err := s.CaseSteps(background, id(1))
	wantErr(t, "steps", err, nil)
	var did []string
	for _, x := range steps {
		did = append(did, string(x.Action)+" "+x.By)
	}
	wantSame(t, "history", did, []string{"found rule", "proposed asha", "rejected ravi", "proposed asha", "confirmed ravi", "withdrawn asha", "proposed asha", "confirmed ravi"})
	if x := steps[4]; x.Verdict != reconcile.Succeeded || x.Account != "root@machine" || x.Node != testNode || x.Reason != "the bank's letter" {
		t.Errorf("a step: %+v", x)
	}

	// What has no operation, or a final one, is noted.
	note := by("asha", reconcile.ActionProposed)
	note.Verdict = reconcile.Noted
	for _, n := range []int{2, 3} {
		wantErr(t, "propose", s.ProposeCase(background, id(n), note), nil)
		wantErr(t, "confirm", s.ConfirmCase(background, id(n), by("ravi", reconcile.ActionConfirmed)), nil)
	}
	backlog("decided", 0, 0)
	if b, err := s.ReconciliationBacklog(background); err != nil || b.ByPeople != (Verdicts{Succeeded: 1, Noted: 2}) {
		t.Errorf("decided by people: %+v, %v", b.ByPeople, err)
	}
	wantErr(t, "withdraw a note", s.ReopenCase(background, id(3), by("asha", reconcile.ActionWithdrawn)), nil)
	backlog("withdrawn", 1, 0)
	sums, err := s.FileSums(background, f.Day, f.Number)
	wantErr(t, "sums", err, nil)
	if x := sums[reconcile.OutcomeDiffers]; x.Decided != 2 || x.Waiting != 0 || sums[reconcile.MissingHere].Waiting != 1 {
		t.Errorf("sums: %+v", sums)
	}
}

func reconciliationSuperseded(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	if b, err := s.ReconciliationBacklog(background); err != nil || b != (ReconciliationBacklog{}) {
		t.Errorf("before any file: %+v, %v", b, err)
	}
	pending := inState(t, s, op.Pending)
	l := lineOf(2, pending, "00")
	ruled := caseFor(pending, &l)
	ruled.Status, ruled.Verdict, ruled.Reason, ruled.ProposedBy, ruled.DecidedBy, ruled.DecidedAt = reconcile.Decided, reconcile.Succeeded, "by rule", reconcile.ByRule, reconcile.ByRule, truncateToMillis(t0)
	first := imported(t, s, "a.csv", []reconcile.Line{l}, ruled, caseFor(pending, &l))
	if _, err := s.DecisionFor(background, pending.Reference); err != nil {
		t.Errorf("no decision: %v", err)
	}
	unfinished, err := s.CreateFile(background, settlementFile("b.csv"))
	wantErr(t, "begin", err, nil)
	imported(t, s, "c.csv", nil)
	_, err = s.DecisionFor(background, pending.Reference)
	wantErr(t, "decision of a superseded file", err, central.ErrNotFound)
	old := reconcile.CaseID{Day: first.Day, File: first.Number, Number: 2}
	x, err := s.Case(background, old)
	if err != nil || !x.Superseded || x.Effect() != "superseded" {
		t.Errorf("a superseded case: %+v, %v", x, err)
	}
	for what, err := range map[string]error{
		"propose": s.ProposeCase(background, old, by("asha", reconcile.ActionProposed)), "confirm": s.ConfirmCase(background, old, by("asha", reconcile.ActionConfirmed)),
		"reopen": s.ReopenCase(background, old, by("asha", reconcile.ActionWithdrawn)),
	} {
		wantErr(t, what, err, reconcile.ErrSuperseded)
	}
	// One that is completed after a later one is superseded at once, and what a
	// rule decided in it has no effect.
	before, err := s.History(background, pending.ID)
	wantErr(t, "history", err, nil)
	ruled.CaseID = reconcile.CaseID{Day: unfinished.Day, File: unfinished.Number, Number: 1}
	ruled.FoundAt = truncateToMillis(t0)
	ruled.Line = nil
	wantErr(t, "complete", s.CompleteFile(background, unfinished, nil, []reconcile.Case{ruled}), nil)
	if f, err := s.File(background, settlementDay, 0); err != nil || f.Number != 3 {
		t.Errorf("the file that counts: %+v, %v", f, err)
	}
	after, err := s.History(background, pending.ID)
	wantErr(t, "history", err, nil)
	if len(after) != len(before) {
		t.Errorf("a superseded file wrote history: %+v", after)
	}
}

func reconciliationEvidence(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	o := inState(t, s, op.Pending)
	l := lineOf(2, o, "00")
	f := imported(t, s, "a.csv", []reconcile.Line{l}, caseFor(o, &l), caseFor(o, nil))
	decide := func(n int, verdict reconcile.Verdict, later time.Duration) {
		t.Helper()
		id := reconcile.CaseID{Day: f.Day, File: f.Number, Number: n}
		p, c := by("asha", reconcile.ActionProposed), by("ravi", reconcile.ActionConfirmed)
		p.Verdict, c.At = verdict, c.At.Add(later)
		if verdict == reconcile.Succeeded {
			p.Charge = 1180
		}
		wantErr(t, "propose", s.ProposeCase(background, id, p), nil)
		wantErr(t, "confirm", s.ConfirmCase(background, id, c), nil)
	}
	_, err := s.DecisionFor(background, o.Reference)
	wantErr(t, "nothing is decided", err, central.ErrNotFound)
	decide(1, reconcile.Succeeded, 0)
	e, err := s.DecisionFor(background, o.Reference)
	wantErr(t, "decision", err, nil)
	wantSame(t, "decision", e, central.Decision{
		Case: reconcile.CaseID{Day: f.Day, File: 1, Number: 1}.String(), To: op.Succeeded, Charge: 1180, STAN: o.STAN, RRN: l.RRN, Code: "00", By: "ravi",
	})
	decide(2, reconcile.Failed, time.Hour) // the newest counts
	e, err = s.DecisionFor(background, o.Reference)
	if err != nil || e.To != op.Failed || e.RRN != "" || e.Code != "" || e.Charge != 0 {
		t.Errorf("the newest decision: %+v, %v", e, err)
	}
}

// reconciliationTogether: of several that do one thing at one time, one does it.
func reconciliationTogether(t *testing.T, on kind) {
	place := on.seeded(t)
	stores := []*DB{openAt(t, place, testConfig()), openAt(t, place, testConfig())}
	race := func(do func(s *DB) error) (done int, errs []error) {
		var wait sync.WaitGroup
		errs = make([]error, 6)
		for i := range errs {
			wait.Go(func() { errs[i] = do(stores[i%2]) })
		}
		wait.Wait()
		for _, err := range errs {
			if err == nil {
				done++
			}
		}
		return done, errs
	}
	if done, errs := race(func(s *DB) error {
		f, err := s.CreateFile(background, settlementFile("a.csv"))
		if err == nil && f.Number != 1 {
			err = fmt.Errorf("number %d", f.Number)
		}
		return err
	}); done != 6 {
		t.Fatalf("begin one file: %v", errs)
	}
	f, err := findFile(stores[0], settlementFile("a.csv").SHA256)
	wantErr(t, "read", err, nil)
	o := inState(t, stores[0], op.Pending)
	x := caseFor(o, nil)
	x.CaseID, x.FoundAt, x.Status = reconcile.CaseID{Day: f.Day, File: 1, Number: 1}, truncateToMillis(t0), reconcile.Open
	if done, errs := race(func(s *DB) error { return s.CompleteFile(background, f, nil, []reconcile.Case{x}) }); done != 1 {
		t.Fatalf("complete one file: %v", errs)
	}
	if done, errs := race(func(s *DB) error {
		p := by("asha", reconcile.ActionProposed)
		p.Verdict = reconcile.Failed
		return s.ProposeCase(background, x.CaseID, p)
	}); done != 1 {
		t.Fatalf("propose: %v", errs)
	}
	if done, errs := race(func(s *DB) error { return s.ConfirmCase(background, x.CaseID, by("ravi", reconcile.ActionConfirmed)) }); done != 1 {
		t.Fatalf("confirm: %v", errs)
	}
}

func reconciliationSchema(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	o := inState(t, s, op.Pending)
	l := lineOf(2, o, "00")
	imported(t, s, "a.csv", []reconcile.Line{l}, caseFor(o, &l), reconcile.Case{Class: reconcile.MissingHere, Reference: l.Reference, Line: &l})
	proposed := `UPDATE reconciliation_cases SET status = 'proposed', verdict = 'noted', proposed_by = 'asha' WHERE number = 1`
	for name, statements := range map[string][]string{
		"a changed file":                {"UPDATE settlement_files SET amount = 1"},
		"a file that is open again":     {"UPDATE settlement_files SET complete_at = NULL"},
		"a deleted file":                {"DELETE FROM settlement_files"},
		"a line more":                   {"INSERT INTO settlement_lines SELECT day, file, 9, reference, rrn, stan, amount, code, at FROM settlement_lines"},
		"a changed line":                {"UPDATE settlement_lines SET amount = 1"},
		"a deleted line":                {"DELETE FROM settlement_lines"},
		"a changed sum":                 {"UPDATE reconciliation_sums SET lines = 0"},
		"a deleted case":                {"DELETE FROM reconciliation_cases"},
		"another operation":             {"UPDATE reconciliation_cases SET operation = NULL, found = ''"},
		"a decision without a proposal": {"UPDATE reconciliation_cases SET status = 'decided', verdict = 'noted', proposed_by = 'asha', decided_by = 'ravi', decided_at = 1 WHERE number = 1"},
		"two eyes":                      {proposed, "UPDATE reconciliation_cases SET status = 'decided', decided_by = 'asha', decided_at = 1 WHERE number = 1"},
		"a person called rule":          {proposed, "UPDATE reconciliation_cases SET status = 'decided', decided_by = 'rule', decided_at = 1 WHERE number = 1"},
		"another verdict at the end":    {proposed, "UPDATE reconciliation_cases SET status = 'decided', verdict = 'failed', decided_by = 'ravi', decided_at = 1 WHERE number = 1"},
		"an outcome of nothing":         {"UPDATE reconciliation_cases SET status = 'proposed', verdict = 'failed', proposed_by = 'asha' WHERE number = 2"},
		"a verdict that is none":        {"UPDATE reconciliation_cases SET status = 'proposed', verdict = 'lost', proposed_by = 'asha' WHERE number = 1"},
		"a charge of a failure":         {"UPDATE reconciliation_cases SET status = 'proposed', verdict = 'failed', charge = 1, proposed_by = 'asha' WHERE number = 1"},
		"a rewritten history":           {"UPDATE reconciliation_steps SET reason = 'other'"},
		"a deleted history":             {"DELETE FROM reconciliation_steps"},
		"another class":                 {"UPDATE reconciliation_cases SET class = 'outcome-differs'"},
		"a step of nothing": {`INSERT INTO reconciliation_steps (day, file, number, step, at, actor, account, node, action, verdict, charge, reason, document, document_sha256)
			VALUES ('2026-11-20', 1, 99, 1, 1, 'x', '', 'n', 'found', '', 0, '', '', '')`},
	} {
		if err := tryWrite(s, statements...); err == nil {
			t.Errorf("the schema takes %s", name)
		}
	}
	if err := tryWrite(s, proposed, "UPDATE reconciliation_cases SET status = 'decided', decided_by = 'ravi', decided_at = 1 WHERE number = 1"); err != nil {
		t.Errorf("the schema refuses what is right: %v", err)
	}
}
