package reconcile

import (
	"time"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// Class is the result of comparing an operation and a line, one of which may be missing.
type Class string

// The classes of a comparison. All but the first three are cases.
const (
	Agreed            Class = "agreed"          // all sides agree
	NothingMoved      Class = "nothing-moved"   // failed or refused here, no line: nothing moved
	OtherDay          Class = "other-day"       // of another day, or its line is in another day's file
	MissingHere       Class = "missing-here"    // a line without an operation
	MissingAtBank     Class = "missing-at-bank" // succeeded or reversed here, no line
	AmountDiffers     Class = "amount-differs"
	OutcomeDiffers    Class = "outcome-differs"    // also: pending here, final at the bank
	IdentifiersDiffer Class = "identifiers-differ" // STAN or RRN: it may be another transaction
	DuplicateLine     Class = "duplicate-line"     // a further line of a reference
	Unreported        Class = "unreported"         // agreed, but the terminal does not know it yet
	AwaitingBank      Class = "awaiting-bank"      // pending here, no line
)

// Manual is the class of a case that a person opened, without a file.
const Manual Class = "manual"

// Classes lists the classes of a comparison in the order of a report.
func Classes() []Class {
	return []Class{Agreed, NothingMoved, OtherDay, MissingHere, MissingAtBank, AmountDiffers, OutcomeDiffers, IdentifiersDiffer, DuplicateLine, Unreported, AwaitingBank}
}

// IsCase reports whether a finding of the class is a case.
func (c Class) IsCase() bool { return c != Agreed && c != NothingMoved && c != OtherDay }

// Operation is the part of an operation that the comparison needs.
type Operation struct {
	ID        op.ID
	Reference central.Reference
	STAN      string
	RRN       string // empty: not known
	Kind      central.Kind
	Amount    money.Paise
	State     op.State
	Merchant  central.MerchantID
	TID       string
	// Terminal is empty if a program sent the operation.
	Terminal central.TerminalID
	// Unreported means that the terminal has not confirmed the event of the outcome.
	Unreported bool

	CreatedAt    time.Time
	SentAt       time.Time // zero: it was never sent
	BankNotAfter time.Time // zero: it was never sent
	FinishedAt   time.Time // zero: it is not final
}

// clockMargin bounds the difference between the bank's clock and ours. The engine uses
// the same margin before it accepts a 'not found'.
const clockMargin = 30 * time.Second

// CertainAt is the time at which the bank's books have the operation, if it was executed:
// the bank may not start it after BankNotAfter, and it booked it before it finished here.
func (o Operation) CertainAt() time.Time {
	at := o.CreatedAt
	if !o.BankNotAfter.IsZero() {
		at = o.BankNotAfter.Add(clockMargin)
	}
	if o.FinishedAt.After(at) {
		at = o.FinishedAt
	}
	return at
}

// BelongsToDay reports whether an operation without a line is compared with the file of a
// day: CertainAt is on that day.
func BelongsToDay(o Operation, day ist.Day) bool { return ist.DayOf(o.CertainAt()) == day }

// Finding is the class of an operation, a line, or both, by their indexes; -1: none.
type Finding struct {
	Class     Class
	Operation int
	Line      int
}

// Sum adds up a class. Ours are the amounts of the operations, Theirs those of the lines;
// Moved counts those that were executed, by the record of each side.
type Sum struct {
	Operations, Lines        int
	Ours, Theirs             money.Paise
	MovedOurs, MovedTheirs   money.Paise
	ByRule, Decided, Waiting int // cases decided by rule, decided by people, and not decided
}

// Compare compares the lines of a day's file with operations: those that the lines name,
// of any day, and those that may be of the day. elsewhere has the references with a line
// in another day's file. Each line and each operation is in exactly one finding, lines
// first, in their order. A reference belongs to one operation; the database ensures that.
func Compare(day ist.Day, lines []Line, operations []Operation, elsewhere map[central.Reference]ist.Day) []Finding {
	byReference := make(map[central.Reference]int, len(operations))
	for i, o := range operations {
		byReference[o.Reference] = i
	}
	out := make([]Finding, 0, max(len(lines), len(operations)))
	seen := make(map[central.Reference]bool, len(lines))
	for i, l := range lines {
		f := Finding{Operation: -1, Line: i}
		at, known := byReference[l.Reference]
		switch {
		case seen[l.Reference]:
			f.Class = DuplicateLine
		case !known:
			f.Class = MissingHere
		default:
			f.Class, f.Operation = classifyMatched(operations[at], l), at
		}
		seen[l.Reference] = true
		out = append(out, f)
	}
	for i, o := range operations {
		if seen[o.Reference] {
			continue
		}
		_, other := elsewhere[o.Reference]
		out = append(out, Finding{Class: classifyUnmatched(o, day, other), Operation: i, Line: -1})
	}
	return out
}

// classifyMatched returns the class of an operation and its line.
func classifyMatched(o Operation, l Line) Class {
	switch {
	case o.lineSTAN() != l.STAN, o.RRN != "" && o.RRN != l.RRN:
		return IdentifiersDiffer
	case o.Amount != l.Amount:
		return AmountDiffers
	case o.State != l.Outcome():
		return OutcomeDiffers
	case o.Unreported:
		return Unreported
	}
	return Agreed
}

// lineSTAN is the STAN of an operation as a file has it.
func (o Operation) lineSTAN() string {
	if o.Kind.Reported() {
		return PaymentSTAN
	}
	return o.STAN
}

// classifyUnmatched returns the class of an operation without a line.
func classifyUnmatched(o Operation, day ist.Day, elsewhere bool) Class {
	switch {
	case elsewhere, !BelongsToDay(o, day):
		return OtherDay
	case o.State == op.Succeeded, o.State == op.Reversed:
		return MissingAtBank
	case !o.State.Final():
		return AwaitingBank
	}
	return NothingMoved
}

// SumUp adds up the findings by class.
func SumUp(findings []Finding, lines []Line, operations []Operation) map[Class]Sum {
	out := map[Class]Sum{}
	for _, f := range findings {
		s := out[f.Class]
		if f.Operation >= 0 {
			o := operations[f.Operation]
			s.Operations++
			s.Ours += o.Amount
			if o.State == op.Succeeded {
				s.MovedOurs += o.Amount
			}
		}
		if f.Line >= 0 {
			l := lines[f.Line]
			s.Lines++
			s.Theirs += l.Amount
			if l.Outcome() == op.Succeeded {
				s.MovedTheirs += l.Amount
			}
		}
		out[f.Class] = s
	}
	return out
}

// DecideByRule decides cases that need no judgement. It returns the verdict and the
// reason, or no verdict if people must decide.
//
// A pending operation takes the file's outcome if identifiers and amount agree. A
// successful transfer is left to people: the file lacks the customer's charge, which is
// booked with the success.
func DecideByRule(class Class, o *Operation, l *Line) (verdict Verdict, why string) {
	switch class {
	case Unreported:
		return Noted, "the terminal gets the outcome when it connects"
	case AwaitingBank:
		return Noted, "enquiries go on; it is compared again with the file of the day on which it ends"
	case OutcomeDiffers:
		outcome := l.Outcome()
		if o.State != op.Pending && o.State != op.Sent || outcome == "" {
			return "", ""
		}
		if o.Kind == central.KindTransfer && outcome == op.Succeeded {
			return "", ""
		}
		return Verdict(outcome), "it was not final here, and the bank's file has its outcome"
	}
	return "", ""
}
