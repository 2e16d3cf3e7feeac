package settle

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
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// Bounds of one import.
const (
	// batch is how many lines one transaction records, and how many operations
	// one look brings: others get their turn between two of them.
	batch = 500
	// maxCases is more differences than people can look into: the file is of
	// another house, or of another day than it says. They are recorded in one
	// transaction, which on SQLite holds up the running central's for a second or
	// two.
	maxCases = 5_000
	// longestOpen is how long before a day an operation may have begun whose
	// outcome is certain on it: a dispatch's deadline and the margins are minutes.
	// What ended later is found by its end.
	longestOpen = time.Hour
)

// Desk imports settlement files and keeps their cases.
type Desk struct {
	files Files
	books Books
	cases Cases
	node  string
}

// NewDesk makes a desk over one database; node is written into the history.
func NewDesk(files Files, books Books, cases Cases, node string) (*Desk, error) {
	if files == nil || books == nil || cases == nil || node == "" {
		return nil, errors.New("reconciliation needs a database and a node's name")
	}
	return &Desk{files, books, cases, node}, nil
}

// Actor is who acts: a person, and the account of the machine that the command
// runs under, for the history.
type Actor struct {
	Person  string
	Account string
}

// Import takes a settlement file: reads it, compares it, records the cases and
// has the rules settle what they can. again tells that the same bytes were
// imported before: nothing was done. *BadFile: what is wrong with it.
func (d *Desk) Import(ctx context.Context, name string, r io.Reader, by Actor) (f File, again bool, err error) {
	who, err := ParsePerson(by.Person)
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
	if content.Day > central.DayOf(time.Now()) {
		return File{}, false, &BadFile{Faults: []Fault{{0, "", "the day of the settlement file, " + string(content.Day) + ", has not begun in India"}}}
	}
	name = strings.ToValidUTF8(secret.HushAadhaar(filepath.Base(name)), "")
	f, err = d.files.BeginFile(ctx, File{Content: content, Name: name[:min(len(name), maxDocumentName)], By: who, At: time.Now()})
	if err != nil {
		return File{}, false, err
	}
	if !f.CompleteAt.IsZero() {
		return f, true, nil
	}
	for part := range slices.Chunk(lines, batch) {
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

// compare holds a file's lines against the database.
func (d *Desk) compare(ctx context.Context, f File, lines []Line) (map[Class]Sum, []Case, error) {
	operations, err := d.operations(ctx, f.Day, lines)
	if err != nil {
		return nil, nil, err
	}
	elsewhere, err := d.elsewhere(ctx, f.Day, lines, operations)
	if err != nil {
		return nil, nil, err
	}
	findings := Compare(f.Day, lines, operations, elsewhere)
	at := time.Now()
	var cases []Case
	for _, found := range findings {
		if !found.Class.Case() {
			continue
		}
		if len(cases) == maxCases {
			return nil, nil, &Refusal{fmt.Errorf("settlement file %s has more than %d differences, and nothing of them was recorded: it is of another house or day; ask the bank", f.Title(), maxCases)}
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
		if verdict, why := Rule(c.Class, c.Operation, c.Line); verdict != "" {
			c.Status, c.Verdict, c.Reason, c.ProposedBy, c.DecidedBy, c.DecidedAt = Decided, verdict, why, ByRule, ByRule, at
		}
		cases = append(cases, c)
	}
	return SumUp(findings, lines, operations), cases, nil
}

// operations gives what is compared with a file: what its lines name, and what
// belongs to its day.
func (d *Desk) operations(ctx context.Context, day central.Day, lines []Line) ([]Operation, error) {
	from, to, err := bounds(day)
	if err != nil {
		return nil, err
	}
	named := make(map[central.Reference]bool, len(lines))
	for _, l := range lines {
		named[l.Reference] = true
	}
	all := map[op.ID]Operation{}
	keep := func(list []Operation) {
		for _, o := range list {
			if named[o.Reference] || Belongs(o, day) {
				all[o.ID] = o
			}
		}
	}
	moments := []func(after time.Time, id op.ID) ([]Operation, error){
		func(after time.Time, id op.ID) ([]Operation, error) {
			return d.books.Begun(ctx, from.Add(-longestOpen), to, after, id, batch)
		},
		func(after time.Time, id op.ID) ([]Operation, error) {
			return d.books.Ended(ctx, from, to, from.Add(-longestOpen), after, id, batch)
		},
	}
	for i, next := range moments {
		var after time.Time
		var id op.ID
		for {
			list, err := next(after, id)
			if err != nil {
				return nil, err
			}
			keep(list)
			if len(list) < batch {
				break
			}
			last := list[len(list)-1]
			after, id = last.CreatedAt, last.ID
			if i == 1 {
				after = last.SettledAt
			}
		}
	}
	for _, o := range all {
		delete(named, o.Reference)
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(named)), batch) {
		list, err := d.books.Named(ctx, part)
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

// elsewhere looks for the lines of operations that the file does not have in
// those of other days.
func (d *Desk) elsewhere(ctx context.Context, day central.Day, lines []Line, operations []Operation) (map[central.Reference]central.Day, error) {
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
	out := map[central.Reference]central.Day{}
	for part := range slices.Chunk(missing, batch) {
		found, err := d.books.Elsewhere(ctx, day, part)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, found)
	}
	return out, nil
}

// india is the zone of every date in the trade.
var india = time.FixedZone("IST", 5*3600+1800)

// bounds gives the first moment of an Indian day and that of the next.
func bounds(day central.Day) (from, to time.Time, err error) {
	from, err = time.ParseInLocation(time.DateOnly, string(day), india)
	if err != nil {
		return time.Time{}, time.Time{}, fmt.Errorf("settlement of day %q: a day is written as 2026-11-21", day)
	}
	return from, from.AddDate(0, 0, 1), nil
}

// Proposal is what a person says of a case.
type Proposal struct {
	Verdict  Verdict
	Reason   string
	Charge   *money.Paise // needed for a transfer that is proposed as succeeded, and only there
	Document Document
}

// Propose has a person say what a case is to be decided as. Nothing happens
// before another person confirms it.
func (d *Desk) Propose(ctx context.Context, id CaseID, p Proposal, by Actor) error {
	s, err := d.step(by, DidPropose)
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
	return d.cases.Propose(ctx, id, s)
}

// Examine tells whether a proposal could be made now, and changes nothing: whoever
// keeps its document looks before. Errors are those of Propose.
func (d *Desk) Examine(ctx context.Context, id CaseID, p Proposal) error {
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

// check holds a proposal against its case.
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
		return errors.New("the central has no operation of this case: it can be decided as noted only (restore adopt records an operation that a restored database lost)")
	case outcome != "" && c.Operation.State.Final():
		return fmt.Errorf("the operation is %s, which is final: the case can be decided as noted only", c.Operation.State)
	}
	if outcome == op.Failed && c.Line == nil && time.Now().Before(c.Operation.Certain()) {
		return errors.New("the bank may still start the operation: it can be decided as failed after " + when(c.Operation.Certain()))
	}
	needs := outcome == op.Succeeded && c.Operation.Kind == central.KindTransfer
	if needs && p.Charge == nil {
		return errors.New("a transfer that succeeded needs the charge that the customer paid, GST included; 0.00 where there was none")
	}
	if !needs && p.Charge != nil {
		return errors.New("a charge belongs to a transfer that is decided as succeeded, and to nothing else")
	}
	if needs && (*p.Charge < 0 || *p.Charge > c.Operation.Amount) {
		return errors.New("the charge is below zero or above the amount")
	}
	return nil
}

// Confirm has another person decide a case as it was proposed. The reason may
// be empty.
func (d *Desk) Confirm(ctx context.Context, id CaseID, reason string, by Actor) error {
	return d.take(ctx, id, DidConfirm, 0, reason, by)
}

// Apart tells whether two people are two in a decision by four eyes
// (operator.Desk.Apart).
type Apart func(ctx context.Context, one, other string) (bool, error)

// ConfirmSeen is Confirm of the proposal that was read: seen is how many steps the
// case's history had then. ErrChanged: something was done to the case since, so
// another proposal may stand there. ErrNotApart: who proposed it and by could be one
// person.
func (d *Desk) ConfirmSeen(ctx context.Context, id CaseID, seen int, reason string, by Actor, apart Apart) error {
	_, steps, err := d.Case(ctx, id)
	if err != nil {
		return err
	}
	if seen <= 0 || seen > len(steps) {
		seen = -1 // no history has so many
	} else if last := steps[seen-1]; last.Did == DidPropose && last.By != by.Person {
		two, err := apart(ctx, last.By, by.Person)
		if err != nil {
			return err
		}
		if !two {
			return ErrNotApart
		}
	}
	return d.take(ctx, id, DidConfirm, seen, reason, by)
}

// Reject gives a proposal back: the case is open again.
func (d *Desk) Reject(ctx context.Context, id CaseID, reason string, by Actor) error {
	return d.take(ctx, id, DidReject, 0, reason, by)
}

// Withdraw takes a decision back that had no effect: the case is open again.
func (d *Desk) Withdraw(ctx context.Context, id CaseID, reason string, by Actor) error {
	return d.take(ctx, id, DidWithdraw, 0, reason, by)
}

func (d *Desk) take(ctx context.Context, id CaseID, did Did, seen int, reason string, by Actor) error {
	s, err := d.step(by, did)
	if err != nil {
		return err
	}
	c, err := d.cases.Case(ctx, id)
	if err != nil {
		return err
	}
	if did != DidConfirm || reason != "" {
		if err := checkReason(reason, c.Line); err != nil {
			return &Refusal{err}
		}
	}
	s.Reason, s.Seen = reason, seen
	if did == DidConfirm {
		return d.cases.Confirm(ctx, id, s)
	}
	return d.cases.Reopen(ctx, id, s)
}

// maxAccount bounds the account's name in the history.
const maxAccount = 100

func (d *Desk) step(by Actor, did Did) (Step, error) {
	who, err := ParsePerson(by.Person)
	account := []byte(by.Account)
	return Step{
		At: time.Now(), By: who, Account: string(bytes.ToValidUTF8(account[:min(len(account), maxAccount)], nil)), Node: d.node, Did: did,
	}, err
}
