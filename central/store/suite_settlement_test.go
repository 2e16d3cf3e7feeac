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
	"galla/central/settle"
	"galla/shared/op"
)

// settlementDay is the Indian day of t0.
const settlementDay central.Day = "2026-11-21"

// settlementFile is a file of the day whose bytes are told apart by a name.
func settlementFile(name string, lines ...settle.Line) settle.File {
	f := settle.File{Name: name, By: "asha", At: t0.Add(24 * time.Hour)}
	f.Day, f.Lines, f.Bytes, f.SHA256 = settlementDay, len(lines), 100, sha256.Sum256([]byte(name))
	for _, l := range lines {
		f.Amount += l.Amount
	}
	return f
}

func lineOf(number int, o central.Operation, code string) settle.Line {
	return settle.Line{Number: number, Reference: o.Reference, RRN: fmt.Sprintf("6325100%05d", number), STAN: o.STAN, Amount: o.Amount, Code: code, At: cut(t0)}
}

// imported records a whole file with a case for each operation that is given.
func imported(t *testing.T, s *DB, name string, lines []settle.Line, cases ...settle.Case) settle.File {
	t.Helper()
	f, err := s.BeginFile(background, settlementFile(name, lines...))
	wantErr(t, "begin a file", err, nil)
	wantErr(t, "add lines", s.AddLines(background, f, lines), nil)
	for i := range cases {
		cases[i].CaseID = settle.CaseID{Day: f.Day, File: f.Number, Number: i + 1}
		cases[i].FoundAt = cut(t0.Add(25 * time.Hour))
		if cases[i].Status == "" {
			cases[i].Status = settle.Open
		}
	}
	wantErr(t, "complete", s.CompleteFile(background, f, map[settle.Class]settle.Sum{settle.State: {Operations: len(cases), Lines: len(lines), There: f.Amount}}, cases), nil)
	f, err = s.File(background, f.Day, f.Number)
	wantErr(t, "read the file", err, nil)
	return f
}

// caseFor is a case of a state that differs.
func caseFor(o central.Operation, l *settle.Line) settle.Case {
	return settle.Case{Class: settle.State, Reference: o.Reference, Operation: &settle.Operation{ID: o.ID, State: o.State}, Found: o.State, Line: l}
}

func by(person string, did settle.Did) settle.Step {
	return settle.Step{At: cut(t0.Add(26 * time.Hour)), By: person, Account: "root@desk", Node: testNode, Did: did, Reason: "the bank's letter"}
}

func TestSettlement(t *testing.T) {
	for name, part := range map[string]func(t *testing.T, on kind){
		"files": settlementFiles, "operations": settlementOperations, "cases": settlementCases, "superseded": settlementSuperseded,
		"evidence": settlementEvidence, "together": settlementTogether, "the schema": settlementSchema,
	} {
		t.Run(name, func(t *testing.T) { onBoth(t, part) })
	}
}

func settlementFiles(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	lines := []settle.Line{lineOf(2, newOperation(), "00"), lineOf(3, newOperation(), "51")}
	made := settlementFile("a.csv", lines...)
	f, err := s.BeginFile(background, made)
	wantErr(t, "begin", err, nil)
	made.Number, made.At = 1, cut(made.At)
	wantSame(t, "begun", f, made)
	again, err := s.BeginFile(background, settlementFile("a.csv", lines...))
	wantErr(t, "begin again", err, nil)
	wantSame(t, "begun again", again, made)
	if _, err := s.File(background, settlementDay, 0); !errors.Is(err, central.ErrNotFound) {
		t.Errorf("a file that is not complete counts: %v", err)
	}

	// An interrupted import goes on where it was.
	wantErr(t, "add lines", s.AddLines(background, f, lines[:1]), nil)
	wantErr(t, "add lines", s.AddLines(background, f, lines), nil)
	sums := map[settle.Class]settle.Sum{
		settle.Agreed: {Operations: 1, Lines: 1, Here: 50000, There: 50000, MovedHere: 50000, MovedThere: 50000}, settle.Quiet: {},
		settle.MissingHere: {Lines: 1, There: 50000},
	}
	wantErr(t, "complete", s.CompleteFile(background, f, sums, nil), nil)
	wantErr(t, "complete again", s.CompleteFile(background, f, sums, nil), central.ErrState)
	wantErr(t, "a line more", s.AddLines(background, f, lines), central.ErrState)
	got, err := s.File(background, settlementDay, 0)
	wantErr(t, "read", err, nil)
	if got.Number != 1 || got.CompleteAt.IsZero() || got.Superseded {
		t.Errorf("complete: %+v", got)
	}
	delete(sums, settle.Quiet)
	kept, err := s.Sums(background, settlementDay, 1)
	wantErr(t, "sums", err, nil)
	wantSame(t, "sums", kept, sums)

	second := imported(t, s, "b.csv", nil)
	if second.Number != 2 || second.Superseded {
		t.Errorf("the second: %+v", second)
	}
	list, err := s.FilesOf(background, settlementDay, 10)
	wantErr(t, "list", err, nil)
	if len(list) != 2 || !list[0].Superseded || list[1].Superseded {
		t.Errorf("files of the day: %+v", list)
	}
	if list, err = s.FilesOf(background, "", 1); err != nil || len(list) != 1 || list[0].Number != 2 {
		t.Errorf("the newest file: %+v, %v", list, err)
	}
	if got, err := s.FileBySum(background, second.SHA256); err != nil || got.Number != 2 {
		t.Errorf("by its sum: %+v, %v", got, err)
	}
	_, err = s.FileBySum(background, [32]byte{1})
	wantErr(t, "an unknown sum", err, central.ErrNotFound)
	_, err = s.File(background, "2026-11-20", 0)
	wantErr(t, "another day", err, central.ErrNotFound)
}

func settlementOperations(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	terminal := enrolled(t, s, 1)
	at := func(d time.Duration) func(*central.Operation) {
		return func(o *central.Operation) { o.CreatedAt = t0.Add(d) }
	}
	told := inState(t, s, op.Succeeded)
	untold := inState(t, s, op.Pending, at(time.Millisecond), func(o *central.Operation) { o.Terminal, o.Kind = terminal.ID, central.KindPurchase })
	wantErr(t, "settle", step(s, untold.ID, op.Succeeded), nil)
	open := inState(t, s, op.Pending, at(2*time.Millisecond), func(o *central.Operation) { o.Kind = central.KindTransfer })
	inState(t, s, op.Refused, at(3*time.Millisecond))
	inState(t, s, op.Succeeded, at(3*time.Millisecond), func(o *central.Operation) { o.Kind, o.Amount = central.KindBalance, 0 })
	inState(t, s, op.Succeeded, at(3*time.Millisecond), func(o *central.Operation) { o.Kind = central.KindAccountVerification })
	late := inState(t, s, op.Succeeded, at(time.Hour), func(o *central.Operation) { o.Kind = central.KindRefund })

	var got []settle.Operation
	var after time.Time
	var id op.ID
	for { // two at a time
		list, err := s.Begun(background, cut(t0), t0.Add(time.Hour), after, id, 2)
		wantErr(t, "begun", err, nil)
		got = append(got, list...)
		if len(list) < 2 {
			break
		}
		after, id = list[1].CreatedAt, list[1].ID
	}
	if len(got) != 3 || got[0].ID != told.ID || got[1].ID != untold.ID || got[2].ID != open.ID {
		t.Fatalf("begun: %+v", got)
	}
	want := settle.Operation{
		ID: untold.ID, Reference: untold.Reference, STAN: untold.STAN, RRN: "632510123456", Kind: central.KindPurchase, Amount: 50000, State: op.Succeeded,
		Merchant: merchant1, TID: untold.TID, Terminal: terminal.ID, Untold: true,
		CreatedAt: cut(untold.CreatedAt), DispatchedAt: cut(t0), BankNotAfter: cut(t0.Add(15 * time.Second)), SettledAt: cut(t0.Add(30 * time.Second)),
	}
	wantSame(t, "an operation", got[1], want)
	if got[0].Untold || got[2].Untold || !got[2].SettledAt.IsZero() || got[2].RRN != "" {
		t.Errorf("told and open: %+v, %+v", got[0], got[2])
	}
	wantErr(t, "see", s.Seen(background, terminal.ID, 100), nil)
	list, err := s.Ended(background, cut(t0), t0.Add(time.Hour), t0.Add(time.Minute), time.Time{}, "", 10)
	wantErr(t, "ended", err, nil)
	if len(list) != 2 || list[0].ID != told.ID || list[1].ID != untold.ID || list[1].Untold {
		t.Errorf("ended: %+v", list)
	}
	if list, err = s.Ended(background, cut(t0), t0.Add(time.Hour), t0.Add(time.Minute), list[0].SettledAt, list[0].ID, 10); err != nil || len(list) != 1 {
		t.Errorf("ended after the first: %+v, %v", list, err)
	}
	list, err = s.Named(background, []central.Reference{late.Reference, "nobody", told.Reference})
	wantErr(t, "named", err, nil)
	if len(list) != 2 || list[0].ID != late.ID || list[1].ID != told.ID {
		t.Errorf("named: %+v", list)
	}

	imported(t, s, "a.csv", []settle.Line{lineOf(2, told, "00"), lineOf(3, open, "00")})
	imported(t, s, "b.csv", []settle.Line{lineOf(2, told, "00")})
	all := []central.Reference{told.Reference, open.Reference, late.Reference}
	other, err := s.Elsewhere(background, "2026-11-22", all)
	wantErr(t, "elsewhere", err, nil)
	wantSame(t, "elsewhere", other, map[central.Reference]central.Day{told.Reference: settlementDay})
	if other, err = s.Elsewhere(background, settlementDay, all); err != nil || len(other) != 0 {
		t.Errorf("elsewhere than on its own day: %v, %v", other, err)
	}
}

func settlementCases(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	pending, done := inState(t, s, op.Pending), inState(t, s, op.Succeeded)
	l := lineOf(2, pending, "00")
	stray := lineOf(3, newOperation(), "00")
	f := imported(t, s, "a.csv", []settle.Line{l, stray}, caseFor(pending, &l), caseFor(done, nil),
		settle.Case{Class: settle.MissingHere, Reference: stray.Reference, Line: &stray})
	id := func(n int) settle.CaseID { return settle.CaseID{Day: f.Day, File: f.Number, Number: n} }

	list, err := s.CasesOf(background, f.Day, f.Number, 0, 10)
	wantErr(t, "list", err, nil)
	if len(list) != 3 || list[0].Line == nil || *list[0].Line != l || list[0].Operation.ID != pending.ID || list[0].Operation.State != op.Pending ||
		list[1].Line != nil || list[1].Found != op.Succeeded || list[2].Operation != nil || list[2].Found != "" || list[2].Status != settle.Open {
		t.Fatalf("cases: %+v", list)
	}
	if list, err = s.CasesOf(background, f.Day, f.Number, 1, 1); err != nil || len(list) != 1 || list[0].Number != 2 {
		t.Errorf("the second alone: %+v, %v", list, err)
	}
	_, err = s.Case(background, id(4))
	wantErr(t, "no case", err, central.ErrNotFound)
	backlog := func(when string, open, proposed int) {
		t.Helper()
		b, err := s.SettlementBacklog(background)
		if err != nil || b.Open.Count != open || b.Proposed.Count != proposed || b.LastDay != f.Day || b.LastAt.IsZero() ||
			b.Open.Oldest.IsZero() != (open == 0) || b.Proposed.Oldest.IsZero() != (proposed == 0) {
			t.Errorf("%s: %+v, %v; want %d open, %d proposed", when, b, err, open, proposed)
		}
	}
	backlog("found", 3, 0)

	// Stuck, so that the reconciler leaves it alone.
	wantErr(t, "stick", s.Postpone(background, pending.ID, t0.Add(time.Hour), t0.Add(100*time.Hour), "nothing came", true), nil)
	propose := by("asha", settle.DidPropose)
	propose.Verdict, propose.Document = settle.Succeeded, settle.Document{Name: "letter.pdf", SHA256: strings.Repeat("a", 64)}
	wantErr(t, "confirm what nobody proposed", s.Confirm(background, id(1), by("ravi", settle.DidConfirm)), central.ErrState)
	wantErr(t, "withdraw it", s.Reopen(background, id(1), by("ravi", settle.DidWithdraw)), central.ErrState)
	wantErr(t, "propose", s.Propose(background, id(1), propose), nil)
	wantErr(t, "propose again", s.Propose(background, id(1), propose), central.ErrState)
	backlog("proposed", 2, 1)
	wantErr(t, "confirm it alone", s.Confirm(background, id(1), by("asha", settle.DidConfirm)), settle.ErrSamePerson)
	wantErr(t, "reject", s.Reopen(background, id(1), by("ravi", settle.DidReject)), nil)
	wantErr(t, "propose", s.Propose(background, id(1), propose), nil)
	if due, err := s.Claim(background, t0.Add(27*time.Hour), t0.Add(28*time.Hour), 10); err != nil || len(due) != 0 {
		t.Errorf("a proposal alone made %d enquiries due, %v", len(due), err)
	}
	wantErr(t, "confirm", s.Confirm(background, id(1), by("ravi", settle.DidConfirm)), nil)
	got, err := s.Case(background, id(1))
	wantErr(t, "read", err, nil)
	if got.Status != settle.Decided || got.Verdict != settle.Succeeded || got.ProposedBy != "asha" || got.DecidedBy != "ravi" ||
		got.Document != propose.Document || !got.DecidedAt.Equal(t0.Add(26*time.Hour).Truncate(time.Millisecond)) {
		t.Errorf("decided: %+v", got)
	}
	due, err := s.Claim(background, t0.Add(27*time.Hour), t0.Add(28*time.Hour), 10)
	if err != nil || len(due) != 1 || due[0].ID != pending.ID || !due[0].StuckAt.IsZero() {
		t.Errorf("due: %+v, %v", due, err)
	}
	history, err := s.History(background, pending.ID)
	wantErr(t, "history", err, nil)
	if last := history[len(history)-1]; last.From != op.Pending || last.To != op.Pending || last.Reason != "reconciliation: case 2026-11-21.1.1 was decided as succeeded by asha and ravi: the bank's letter" {
		t.Errorf("the operation's history ends with %+v", last)
	}

	wantErr(t, "withdraw", s.Reopen(background, id(1), by("asha", settle.DidWithdraw)), nil)
	wantErr(t, "propose", s.Propose(background, id(1), propose), nil)
	wantErr(t, "confirm", s.Confirm(background, id(1), by("ravi", settle.DidConfirm)), nil)
	wantErr(t, "the bank's word", step(s, pending.ID, op.Succeeded), nil)
	wantErr(t, "withdraw what is done", s.Reopen(background, id(1), by("asha", settle.DidWithdraw)), settle.ErrEffective)

	steps, err := s.Steps(background, id(1))
	wantErr(t, "steps", err, nil)
	var did []string
	for _, x := range steps {
		did = append(did, string(x.Did)+" "+x.By)
	}
	wantSame(t, "history", did, []string{"found rule", "proposed asha", "rejected ravi", "proposed asha", "confirmed ravi", "withdrawn asha", "proposed asha", "confirmed ravi"})
	if x := steps[4]; x.Verdict != settle.Succeeded || x.Account != "root@desk" || x.Node != testNode || x.Reason != "the bank's letter" {
		t.Errorf("a step: %+v", x)
	}

	// What has no operation, or a final one, is noted.
	note := by("asha", settle.DidPropose)
	note.Verdict = settle.Noted
	for _, n := range []int{2, 3} {
		wantErr(t, "propose", s.Propose(background, id(n), note), nil)
		wantErr(t, "confirm", s.Confirm(background, id(n), by("ravi", settle.DidConfirm)), nil)
	}
	backlog("decided", 0, 0)
	if b, err := s.SettlementBacklog(background); err != nil || b.ByPeople != (Verdicts{Succeeded: 1, Noted: 2}) {
		t.Errorf("decided by people: %+v, %v", b.ByPeople, err)
	}
	wantErr(t, "withdraw a note", s.Reopen(background, id(3), by("asha", settle.DidWithdraw)), nil)
	backlog("withdrawn", 1, 0)
	sums, err := s.Sums(background, f.Day, f.Number)
	wantErr(t, "sums", err, nil)
	if x := sums[settle.State]; x.Decided != 2 || x.Waits != 0 || sums[settle.MissingHere].Waits != 1 {
		t.Errorf("sums: %+v", sums)
	}
}

func settlementSuperseded(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	if b, err := s.SettlementBacklog(background); err != nil || b != (SettlementBacklog{}) {
		t.Errorf("before any file: %+v, %v", b, err)
	}
	pending := inState(t, s, op.Pending)
	l := lineOf(2, pending, "00")
	ruled := caseFor(pending, &l)
	ruled.Status, ruled.Verdict, ruled.Reason, ruled.ProposedBy, ruled.DecidedBy, ruled.DecidedAt = settle.Decided, settle.Succeeded, "by rule", settle.ByRule, settle.ByRule, cut(t0)
	first := imported(t, s, "a.csv", []settle.Line{l}, ruled, caseFor(pending, &l))
	if _, err := s.Evidence(background, pending.Reference); err != nil {
		t.Errorf("no evidence: %v", err)
	}
	unfinished, err := s.BeginFile(background, settlementFile("b.csv"))
	wantErr(t, "begin", err, nil)
	imported(t, s, "c.csv", nil)
	_, err = s.Evidence(background, pending.Reference)
	wantErr(t, "evidence of a superseded file", err, central.ErrNotFound)
	old := settle.CaseID{Day: first.Day, File: first.Number, Number: 2}
	x, err := s.Case(background, old)
	if err != nil || !x.Superseded || x.Effect() != "superseded" {
		t.Errorf("a superseded case: %+v, %v", x, err)
	}
	for what, err := range map[string]error{
		"propose": s.Propose(background, old, by("asha", settle.DidPropose)), "confirm": s.Confirm(background, old, by("asha", settle.DidConfirm)),
		"reopen": s.Reopen(background, old, by("asha", settle.DidWithdraw)),
	} {
		wantErr(t, what, err, settle.ErrSuperseded)
	}
	// One that is completed after a later one is superseded at once, and what a
	// rule decided in it has no effect.
	before, err := s.History(background, pending.ID)
	wantErr(t, "history", err, nil)
	ruled.CaseID = settle.CaseID{Day: unfinished.Day, File: unfinished.Number, Number: 1}
	ruled.FoundAt = cut(t0)
	ruled.Line = nil
	wantErr(t, "complete", s.CompleteFile(background, unfinished, nil, []settle.Case{ruled}), nil)
	if f, err := s.File(background, settlementDay, 0); err != nil || f.Number != 3 {
		t.Errorf("the file that counts: %+v, %v", f, err)
	}
	after, err := s.History(background, pending.ID)
	wantErr(t, "history", err, nil)
	if len(after) != len(before) {
		t.Errorf("a superseded file wrote history: %+v", after)
	}
}

func settlementEvidence(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	o := inState(t, s, op.Pending)
	l := lineOf(2, o, "00")
	f := imported(t, s, "a.csv", []settle.Line{l}, caseFor(o, &l), caseFor(o, nil))
	decide := func(n int, verdict settle.Verdict, later time.Duration) {
		t.Helper()
		id := settle.CaseID{Day: f.Day, File: f.Number, Number: n}
		p, c := by("asha", settle.DidPropose), by("ravi", settle.DidConfirm)
		p.Verdict, c.At = verdict, c.At.Add(later)
		if verdict == settle.Succeeded {
			p.Charge = 1180
		}
		wantErr(t, "propose", s.Propose(background, id, p), nil)
		wantErr(t, "confirm", s.Confirm(background, id, c), nil)
	}
	_, err := s.Evidence(background, o.Reference)
	wantErr(t, "nothing is decided", err, central.ErrNotFound)
	decide(1, settle.Succeeded, 0)
	e, err := s.Evidence(background, o.Reference)
	wantErr(t, "evidence", err, nil)
	wantSame(t, "evidence", e, settle.Evidence{
		Case: settle.CaseID{Day: f.Day, File: 1, Number: 1}, Verdict: settle.Succeeded, Charge: 1180, STAN: o.STAN, RRN: l.RRN, Code: "00", By: "ravi",
	})
	decide(2, settle.Failed, time.Hour) // the newest counts
	e, err = s.Evidence(background, o.Reference)
	if err != nil || e.Verdict != settle.Failed || e.RRN != "" || e.Code != "" || e.Charge != 0 {
		t.Errorf("the newest evidence: %+v, %v", e, err)
	}
}

// settlementTogether: of several that do one thing at one time, one does it.
func settlementTogether(t *testing.T, on kind) {
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
		f, err := s.BeginFile(background, settlementFile("a.csv"))
		if err == nil && f.Number != 1 {
			err = fmt.Errorf("number %d", f.Number)
		}
		return err
	}); done != 6 {
		t.Fatalf("begin one file: %v", errs)
	}
	f, err := stores[0].FileBySum(background, settlementFile("a.csv").SHA256)
	wantErr(t, "read", err, nil)
	o := inState(t, stores[0], op.Pending)
	x := caseFor(o, nil)
	x.CaseID, x.FoundAt, x.Status = settle.CaseID{Day: f.Day, File: 1, Number: 1}, cut(t0), settle.Open
	if done, errs := race(func(s *DB) error { return s.CompleteFile(background, f, nil, []settle.Case{x}) }); done != 1 {
		t.Fatalf("complete one file: %v", errs)
	}
	if done, errs := race(func(s *DB) error {
		p := by("asha", settle.DidPropose)
		p.Verdict = settle.Failed
		return s.Propose(background, x.CaseID, p)
	}); done != 1 {
		t.Fatalf("propose: %v", errs)
	}
	if done, errs := race(func(s *DB) error { return s.Confirm(background, x.CaseID, by("ravi", settle.DidConfirm)) }); done != 1 {
		t.Fatalf("confirm: %v", errs)
	}
}

func settlementSchema(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	o := inState(t, s, op.Pending)
	l := lineOf(2, o, "00")
	imported(t, s, "a.csv", []settle.Line{l}, caseFor(o, &l), settle.Case{Class: settle.MissingHere, Reference: l.Reference, Line: &l})
	proposed := `UPDATE settlement_cases SET status = 'proposed', verdict = 'noted', proposed_by = 'asha' WHERE number = 1`
	for name, statements := range map[string][]string{
		"a changed file":                {"UPDATE settlement_files SET amount = 1"},
		"a file that is open again":     {"UPDATE settlement_files SET complete_at = NULL"},
		"a deleted file":                {"DELETE FROM settlement_files"},
		"a line more":                   {"INSERT INTO settlement_lines SELECT day, file, 9, reference, rrn, stan, amount, code, at FROM settlement_lines"},
		"a changed line":                {"UPDATE settlement_lines SET amount = 1"},
		"a deleted line":                {"DELETE FROM settlement_lines"},
		"a changed sum":                 {"UPDATE settlement_sums SET lines = 0"},
		"a deleted case":                {"DELETE FROM settlement_cases"},
		"another operation":             {"UPDATE settlement_cases SET operation = NULL, found = ''"},
		"a decision without a proposal": {"UPDATE settlement_cases SET status = 'decided', verdict = 'noted', proposed_by = 'asha', decided_by = 'ravi', decided_at = 1 WHERE number = 1"},
		"two eyes":                      {proposed, "UPDATE settlement_cases SET status = 'decided', decided_by = 'asha', decided_at = 1 WHERE number = 1"},
		"a person called rule":          {proposed, "UPDATE settlement_cases SET status = 'decided', decided_by = 'rule', decided_at = 1 WHERE number = 1"},
		"another verdict at the end":    {proposed, "UPDATE settlement_cases SET status = 'decided', verdict = 'failed', decided_by = 'ravi', decided_at = 1 WHERE number = 1"},
		"an outcome of nothing":         {"UPDATE settlement_cases SET status = 'proposed', verdict = 'failed', proposed_by = 'asha' WHERE number = 2"},
		"a verdict that is none":        {"UPDATE settlement_cases SET status = 'proposed', verdict = 'lost', proposed_by = 'asha' WHERE number = 1"},
		"a charge of a failure":         {"UPDATE settlement_cases SET status = 'proposed', verdict = 'failed', charge = 1, proposed_by = 'asha' WHERE number = 1"},
		"a rewritten history":           {"UPDATE settlement_steps SET reason = 'other'"},
		"a deleted history":             {"DELETE FROM settlement_steps"},
	} {
		if err := tryWrite(s, statements...); err == nil {
			t.Errorf("the schema takes %s", name)
		}
	}
	if err := tryWrite(s, proposed, "UPDATE settlement_cases SET status = 'decided', decided_by = 'ravi', decided_at = 1 WHERE number = 1"); err != nil {
		t.Errorf("the schema refuses what is right: %v", err)
	}
}
