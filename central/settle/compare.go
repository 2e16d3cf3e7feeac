package settle

import (
	"time"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// Class is what the comparison says of an operation, a line, or both. The
// package comment has what each means.
type Class string

// The classes.
const (
	Agreed       Class = "agreed"
	Quiet        Class = "quiet"
	Elsewhere    Class = "elsewhere"
	MissingHere  Class = "missing-here"
	MissingThere Class = "missing-there"
	Amount       Class = "amount"
	State        Class = "state"
	Names        Class = "names"
	Doubled      Class = "doubled"
	Untold       Class = "untold"
	Awaited      Class = "awaited"
)

// ByHand is the class of a case that a person opened: of an operation that no
// file says anything of.
const ByHand Class = "by-hand"

// Classes lists those of a comparison in the order of a report.
func Classes() []Class {
	return []Class{Agreed, Quiet, Elsewhere, MissingHere, MissingThere, Amount, State, Names, Doubled, Untold, Awaited}
}

// Case tells whether what falls into the class is a case.
func (c Class) Case() bool { return c != Agreed && c != Quiet && c != Elsewhere }

// Operation is what the comparison needs of an operation that moves money.
type Operation struct {
	ID        op.ID
	Reference central.Reference
	STAN      string
	RRN       string // empty: the bank has not told it
	Kind      central.Kind
	Amount    money.Paise
	State     op.State
	Merchant  central.MerchantID
	TID       string
	// Terminal is the counter's; empty: it came from a program.
	Terminal central.TerminalID
	// Untold says that the terminal has an event of the outcome to come.
	Untold bool

	CreatedAt    time.Time
	DispatchedAt time.Time // zero: it was never sent
	BankNotAfter time.Time // zero: it was never sent
	SettledAt    time.Time // zero: it is not final
}

// clockMargin is how far the bank's clock and ours may be apart: as much as the
// engine allows before it believes a 'not found'.
const clockMargin = 30 * time.Second

// Certain is the moment from which the bank's books must have the operation, if
// they ever have it: the bank may not start it later, and what ended later was
// booked no later than it ended here.
func (o Operation) Certain() time.Time {
	at := o.CreatedAt
	if !o.BankNotAfter.IsZero() {
		at = o.BankNotAfter.Add(clockMargin)
	}
	if o.SettledAt.After(at) {
		at = o.SettledAt
	}
	return at
}

// Belongs tells whether an operation without a line is compared with the file
// of a day: where it is certain on that day.
func Belongs(o Operation, day central.Day) bool { return central.DayOf(o.Certain()) == day }

// Finding is what the comparison says of one operation, one line, or both:
// indexes into what was compared, -1 where there is none.
type Finding struct {
	Class     Class
	Operation int
	Line      int
}

// Sum adds up a class. Here are the operations' amounts and There the lines';
// Moved are those of them that were executed, by each side's own word.
type Sum struct {
	Operations, Lines      int
	Here, There            money.Paise
	MovedHere, MovedThere  money.Paise
	ByRule, Decided, Waits int // cases: settled by rule, by people, and those that wait for people
}

// Compare holds the lines of a day's file against operations: those that the
// lines name, whatever their day, and those that may be of the day. The lines
// of other days' files are named in elsewhere. Each line and each operation
// comes in exactly one finding, lines first, in their order.
//
// A reference may stand for one operation only; the central's database sees to
// that.
func Compare(day central.Day, lines []Line, operations []Operation, elsewhere map[central.Reference]central.Day) []Finding {
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
			f.Class = Doubled
		case !known:
			f.Class = MissingHere
		default:
			f.Class, f.Operation = both(operations[at], l), at
		}
		seen[l.Reference] = true
		out = append(out, f)
	}
	for i, o := range operations {
		if seen[o.Reference] {
			continue
		}
		_, other := elsewhere[o.Reference]
		out = append(out, Finding{Class: alone(o, day, other), Operation: i, Line: -1})
	}
	return out
}

// both classes an operation with its line.
func both(o Operation, l Line) Class {
	switch {
	case o.STAN != l.STAN, o.RRN != "" && o.RRN != l.RRN:
		return Names
	case o.Amount != l.Amount:
		return Amount
	case o.State != l.Outcome():
		return State
	case o.Untold:
		return Untold
	}
	return Agreed
}

// alone classes an operation that the file does not have.
func alone(o Operation, day central.Day, elsewhere bool) Class {
	switch {
	case elsewhere, !Belongs(o, day):
		return Elsewhere
	case o.State == op.Succeeded, o.State == op.Reversed:
		return MissingThere
	case !o.State.Final():
		return Awaited
	}
	return Quiet
}

// SumUp adds the findings up by class.
func SumUp(findings []Finding, lines []Line, operations []Operation) map[Class]Sum {
	out := map[Class]Sum{}
	for _, f := range findings {
		s := out[f.Class]
		if f.Operation >= 0 {
			o := operations[f.Operation]
			s.Operations++
			s.Here += o.Amount
			if o.State == op.Succeeded {
				s.MovedHere += o.Amount
			}
		}
		if f.Line >= 0 {
			l := lines[f.Line]
			s.Lines++
			s.There += l.Amount
			if l.Outcome() == op.Succeeded {
				s.MovedThere += l.Amount
			}
		}
		out[f.Class] = s
	}
	return out
}

// Rule settles what needs no judgement. It gives the verdict and the reason, or
// no verdict where people must look.
//
// An operation that is pending takes the file's outcome, where names and amount
// agree. A transfer's success is no rule: what the customer paid for it stands
// in no file, and it is earned with the success.
func Rule(class Class, o *Operation, l *Line) (verdict Verdict, why string) {
	switch class {
	case Untold:
		return Noted, "the terminal is told when it comes back"
	case Awaited:
		return Noted, "the bank is asked on; it is compared again with the day on which it ends"
	case State:
		outcome := l.Outcome()
		if o.State != op.Pending && o.State != op.Dispatched || outcome == "" {
			return "", ""
		}
		if o.Kind == central.KindTransfer && outcome == op.Succeeded {
			return "", ""
		}
		return Verdict(outcome), "it is not final here, and the bank's file has its outcome"
	}
	return "", ""
}
