package reconcile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"galla/central"
	"galla/central/staff"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// Bounds of one import.
const (
	// batchSize is how many lines a transaction writes and how many operations a query
	// reads, so that requests are not delayed by an import.
	batchSize = 500
	// maxCases is more than people can examine: such a file is of another customer of
	// the bank, or of another day than it says. Cases are written in one transaction,
	// which delays others on SQLite for a second or two.
	maxCases = 5_000
	// maxOpenTime is how long before a day an operation may have been created whose
	// outcome is certain on that day: deadline and margins are minutes. Operations that
	// finished later are found by their end.
	maxOpenTime = time.Hour
)

// Service imports settlement files and manages their cases.
type Service struct {
	files      FileStore
	operations OperationStore
	cases      CaseStore
	node       string
}

// New returns a Service; node is the node's name in the history.
func New(files FileStore, operations OperationStore, cases CaseStore, node string) (*Service, error) {
	if files == nil || operations == nil || cases == nil || node == "" {
		return nil, errors.New("reconciliation needs a database and a node's name")
	}
	return &Service{files, operations, cases, node}, nil
}

// Actor is who acts: a login, and the account of the machine that a command runs under.
type Actor struct {
	Login   string
	Account string
}

// Import reads a settlement file, compares it, records the cases and decides those that
// have a rule. again means that the same bytes were imported before: nothing was done.
// *BadFile has the faults of the file.
func (d *Service) Import(ctx context.Context, name string, r io.Reader, by Actor) (f File, again bool, err error) {
	who, err := staff.ParseLogin(by.Login)
	if err != nil {
		return File{}, false, err
	}
	var lines []Line
	content, err := Parse(r, func(l Line) error {
		lines = append(lines, l)
		return ctx.Err()
	})
	if err != nil {
		return File{}, false, err
	}
	if content.Day > ist.DayOf(time.Now()) {
		return File{}, false, &BadFile{Faults: []Fault{{0, "", "the day of the settlement file, " + string(content.Day) + ", has not begun in India"}}}
	}
	name = strings.ToValidUTF8(secret.RedactAadhaar(filepath.Base(name)), "")
	f, err = d.files.CreateFile(ctx, File{Content: content, Name: name[:min(len(name), maxDocumentName)], By: who, At: time.Now()})
	if err != nil {
		return File{}, false, err
	}
	if !f.CompleteAt.IsZero() {
		return f, true, nil
	}
	for part := range slices.Chunk(lines, batchSize) {
		if err := d.files.AddLines(ctx, f, part); err != nil && !errors.Is(err, central.ErrState) {
			return File{}, false, err
		}
	}
	sums, cases, err := d.compare(ctx, f, lines)
	if err != nil {
		return File{}, false, err
	}
	err = d.files.CompleteFile(ctx, f, sums, cases)
	if again = errors.Is(err, central.ErrState); err != nil && !again {
		return File{}, false, err
	}
	f, err = d.files.File(ctx, f.Day, f.Number)
	return f, again, err
}

// compare compares a file's lines with the database.
func (d *Service) compare(ctx context.Context, f File, lines []Line) (map[Class]Sum, []Case, error) {
	operations, err := d.operationsToCompare(ctx, f.Day, lines)
	if err != nil {
		return nil, nil, err
	}
	elsewhere, err := d.linesOfOtherDays(ctx, f.Day, lines, operations)
	if err != nil {
		return nil, nil, err
	}
	findings := Compare(f.Day, lines, operations, elsewhere)
	at := time.Now()
	var cases []Case
	for _, found := range findings {
		if !found.Class.IsCase() {
			continue
		}
		if len(cases) == maxCases {
			return nil, nil, &Refusal{fmt.Errorf("settlement file %s has more than %d differences, and none was recorded: it is of another customer or day; ask the bank", f.Title(), maxCases)}
		}
		c := Case{CaseID: CaseID{f.Day, f.Number, len(cases) + 1}, Class: found.Class, FoundAt: at, Status: Open}
		if found.Operation >= 0 {
			c.Operation = &operations[found.Operation]
			c.Reference, c.Found = c.Operation.Reference, c.Operation.State
		}
		if found.Line >= 0 {
			c.Line = &lines[found.Line]
			c.Reference = c.Line.Reference
		}
		if verdict, why := DecideByRule(c.Class, c.Operation, c.Line); verdict != "" {
			c.Status, c.Verdict, c.Reason, c.ProposedBy, c.DecidedBy, c.DecidedAt = Decided, verdict, why, ByRule, ByRule, at
		}
		cases = append(cases, c)
	}
	return SumUp(findings, lines, operations), cases, nil
}

// operationsToCompare reads the operations to compare with a file: those that its lines
// name, and those that belong to its day.
func (d *Service) operationsToCompare(ctx context.Context, day ist.Day, lines []Line) ([]Operation, error) {
	from, to, err := day.Bounds()
	if err != nil {
		return nil, err
	}
	named := make(map[central.Reference]bool, len(lines))
	for _, l := range lines {
		named[l.Reference] = true
	}
	all := map[op.ID]Operation{}
	begun := from.Add(-maxOpenTime)
	for created, last := true, (Operation{}); ; {
		var list []Operation
		if created {
			list, err = d.operations.OperationsCreated(ctx, begun, to, last.CreatedAt, last.ID, batchSize)
		} else {
			list, err = d.operations.OperationsFinished(ctx, from, to, begun, last.FinishedAt, last.ID, batchSize)
		}
		if err != nil {
			return nil, err
		}
		for _, o := range list {
			if named[o.Reference] || BelongsToDay(o, day) {
				all[o.ID] = o
			}
		}
		if len(list) == batchSize {
			last = list[len(list)-1]
			continue
		}
		if !created {
			break
		}
		created, last = false, Operation{}
	}
	for _, o := range all {
		delete(named, o.Reference)
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(named)), batchSize) {
		list, err := d.operations.OperationsByReference(ctx, part)
		if err != nil {
			return nil, err
		}
		for _, o := range list {
			all[o.ID] = o
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b Operation) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	}), nil
}

// linesOfOtherDays finds operations without a line in this file that have one in another
// day's file.
func (d *Service) linesOfOtherDays(ctx context.Context, day ist.Day, lines []Line, operations []Operation) (map[central.Reference]ist.Day, error) {
	have := make(map[central.Reference]bool, len(lines))
	for _, l := range lines {
		have[l.Reference] = true
	}
	var missing []central.Reference
	for _, o := range operations {
		if !have[o.Reference] {
			missing = append(missing, o.Reference)
		}
	}
	out := map[central.Reference]ist.Day{}
	for part := range slices.Chunk(missing, batchSize) {
		found, err := d.operations.LinesOfOtherDays(ctx, day, part)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, found)
	}
	return out, nil
}

// Proposal is a person's proposal for a case.
type Proposal struct {
	Verdict  Verdict
	Reason   string
	Charge   *money.Paise // needed for a transfer that is proposed as succeeded, and only there
	Document Document
}

// Propose records a proposal. It has no effect before another person confirms it.
func (d *Service) Propose(ctx context.Context, id CaseID, p Proposal, by Actor) error {
	s, err := d.newStep(by, ActionProposed)
	if err != nil {
		return err
	}
	c, err := d.cases.Case(ctx, id)
	if err != nil {
		return err
	}
	if err := p.check(c); err != nil {
		return &Refusal{err}
	}
	s.Verdict, s.Reason, s.Document = p.Verdict, p.Reason, p.Document
	if p.Charge != nil {
		s.Charge = *p.Charge
	}
	return d.cases.ProposeCase(ctx, id, s)
}

// CheckProposal checks whether Propose would succeed, without changes: callers check
// before they store the document. Errors are those of Propose.
func (d *Service) CheckProposal(ctx context.Context, id CaseID, p Proposal) error {
	c, err := d.cases.Case(ctx, id)
	switch {
	case err != nil:
		return err
	case c.Superseded:
		return ErrSuperseded
	case c.Status != Open:
		return fmt.Errorf("case %s is %s: %w", id, c.Status, central.ErrState)
	}
	if err := p.check(c); err != nil {
		return &Refusal{err}
	}
	return nil
}

// check checks a proposal against its case.
func (p Proposal) check(c Case) error {
	if err := checkReason(p.Reason, c.Line); err != nil {
		return err
	}
	if len(p.Document.Name) > maxDocumentName || checkReason(cmp.Or(p.Document.Name, "none"), c.Line) != nil {
		return fmt.Errorf("the document's name has more than %d bytes, or a number that may be an Aadhaar number: rename it", maxDocumentName)
	}
	outcome := p.Verdict.Outcome()
	switch {
	case outcome == "" && p.Verdict != Noted:
		return errors.New("a case is decided as succeeded, failed, reversed or noted")
	case outcome != "" && c.Operation == nil:
		return errors.New("the central has no operation of this case: it can only be decided as noted (restore adopt records an operation that a restored database lost)")
	case outcome != "" && c.Operation.State.Final():
		return fmt.Errorf("the operation is %s, which is final: the case can only be decided as noted", c.Operation.State)
	}
	if outcome == op.Failed && c.Line == nil && time.Now().Before(c.Operation.CertainAt()) {
		return errors.New("the bank may still start the operation: it can be decided as failed after " + formatTime(c.Operation.CertainAt()))
	}
	needs := outcome == op.Succeeded && c.Operation.Kind == central.KindTransfer
	if needs && p.Charge == nil {
		return errors.New("a transfer that succeeded needs the charge that the customer paid, GST included; 0.00 where there was none")
	}
	if !needs && p.Charge != nil {
		return errors.New("only a transfer that is decided as succeeded has a charge")
	}
	if needs && (*p.Charge < 0 || *p.Charge > c.Operation.Amount) {
		return errors.New("the charge is below zero or above the amount")
	}
	return nil
}

// Independent reports whether two people may approve each other's decisions
// (staff.Service.Independent).
type Independent func(ctx context.Context, one, other string) (bool, error)

// ConfirmSeen decides a case as another person proposed it; the reason may be empty. seen is
// how many steps the history had when by read it. ErrChanged: the case has changed since.
// ErrNotIndependent: the proposer and by could be one person.
func (d *Service) ConfirmSeen(ctx context.Context, id CaseID, seen int, reason string, by Actor, independent Independent) error {
	_, steps, err := d.Case(ctx, id)
	if err != nil {
		return err
	}
	if seen <= 0 || seen > len(steps) {
		seen = -1 // matches no history
	} else if last := steps[seen-1]; last.Action == ActionProposed && last.By != by.Login {
		ok, err := independent(ctx, last.By, by.Login)
		if err != nil {
			return err
		}
		if !ok {
			return ErrNotIndependent
		}
	}
	return d.decide(ctx, id, ActionConfirmed, seen, reason, by)
}

// Reject rejects a proposal: the case is open again.
func (d *Service) Reject(ctx context.Context, id CaseID, reason string, by Actor) error {
	return d.decide(ctx, id, ActionRejected, 0, reason, by)
}

// Withdraw withdraws a decision that had no effect: the case is open again.
func (d *Service) Withdraw(ctx context.Context, id CaseID, reason string, by Actor) error {
	return d.decide(ctx, id, ActionWithdrawn, 0, reason, by)
}

func (d *Service) decide(ctx context.Context, id CaseID, action Action, seen int, reason string, by Actor) error {
	s, err := d.newStep(by, action)
	if err != nil {
		return err
	}
	c, err := d.cases.Case(ctx, id)
	if err != nil {
		return err
	}
	if action != ActionConfirmed || reason != "" {
		if err := checkReason(reason, c.Line); err != nil {
			return &Refusal{err}
		}
	}
	s.Reason, s.Seen = reason, seen
	if action == ActionConfirmed {
		return d.cases.ConfirmCase(ctx, id, s)
	}
	return d.cases.ReopenCase(ctx, id, s)
}

// maxAccount bounds the account's name in the history.
const maxAccount = 100

func (d *Service) newStep(by Actor, action Action) (Step, error) {
	who, err := staff.ParseLogin(by.Login)
	account := []byte(by.Account)
	return Step{
		At: time.Now(), By: who, Account: string(bytes.ToValidUTF8(account[:min(len(account), maxAccount)], nil)), Node: d.node, Action: action,
	}, err
}
