package reconcile

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"galla/central"
	"galla/central/staff"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// File is an imported settlement file.
type File struct {
	Content
	// Number counts the files of a day from 1; the highest that is complete
	// supersedes the others.
	Number int
	Name   string // of the file, without its folder
	By     string // who imported it
	At     time.Time
	// CompleteAt is when its comparison was recorded; zero: the import was interrupted,
	// and the next import of the same file continues it.
	CompleteAt time.Time
	// Superseded means that a later file of the day is complete.
	Superseded bool
}

// Title names a file for people, as 2026-11-21.1.
func (f File) Title() string { return fmt.Sprintf("%s.%d", f.Day, f.Number) }

// CaseID identifies a case: the day, the number of the file, and the number of the case
// in it. A manual case has the day on which it was opened, and file 0.
type CaseID struct {
	Day    ist.Day
	File   int
	Number int
}

// String formats the id as 2026-11-21.1.3.
func (id CaseID) String() string { return fmt.Sprintf("%s.%d.%d", id.Day, id.File, id.Number) }

// ParseCaseID parses the format of String.
func ParseCaseID(s string) (CaseID, error) {
	bad := errors.New("a case is named by its day, file and number, such as 2026-11-21.1.3; reconcile show lists them")
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return CaseID{}, bad
	}
	day, errDay := ist.ParseDay(parts[0])
	file, errFile := strconv.ParseUint(parts[1], 10, 16)
	number, errNumber := strconv.ParseUint(parts[2], 10, 31)
	if errDay != nil || errFile != nil || errNumber != nil {
		return CaseID{}, bad
	}
	return CaseID{day, int(file), int(number)}, nil
}

// Verdict is the decision of a case.
type Verdict string

// The verdicts. The first three are final states for an operation that is not final;
// Noted changes nothing.
const (
	Succeeded Verdict = Verdict(op.Succeeded)
	Failed    Verdict = Verdict(op.Failed)
	Reversed  Verdict = Verdict(op.Reversed)
	Noted     Verdict = "noted"
)

// Outcome is the final state of a verdict; empty: none.
func (v Verdict) Outcome() op.State {
	if v == Succeeded || v == Failed || v == Reversed {
		return op.State(v)
	}
	return ""
}

// Status is the status of a case.
type Status string

// The statuses.
const (
	Open     Status = "open"
	Proposed Status = "proposed"
	Decided  Status = "decided"
)

// ByRule is the decider of a case that a rule decided; no login is equal to it.
const ByRule = staff.ByRule

// Case is a difference, as it was found and as it is now.
type Case struct {
	CaseID
	Class     Class
	Reference central.Reference
	Line      *Line      // nil: the bank has no line
	Operation *Operation // nil: the central has none; State is the present one
	Found     op.State   // the operation's state at the comparison; empty: no operation
	FoundAt   time.Time

	Status     Status
	Verdict    Verdict
	Charge     money.Paise // of a transfer decided as succeeded: what the customer paid, GST included
	Reason     string
	Document   Document // that proves the verdict
	ProposedBy string
	DecidedBy  string
	DecidedAt  time.Time
	Superseded bool // its file is superseded
}

// Effect describes the effect of a decision; empty: none is expected.
func (c Case) Effect() string {
	switch {
	case c.Superseded:
		return "superseded"
	case c.Status != Decided || c.Verdict.Outcome() == "" || c.Operation == nil:
		return ""
	case c.Operation.State == c.Verdict.Outcome():
		return "done"
	case c.Operation.State.Final():
		return "the bank's own answer came first: " + string(c.Operation.State)
	}
	return "to be finished by the running central"
}

// Document is a document that proves a proposal, by name and SHA-256; the zero value is
// none. Package staff stores its content.
type Document struct {
	Name   string
	SHA256 string // 64 hexadecimal digits
}

// Action is an action on a case.
type Action string

// The actions.
const (
	ActionFound     Action = "found"
	ActionProposed  Action = "proposed"
	ActionConfirmed Action = "confirmed"
	ActionRejected  Action = "rejected"
	ActionWithdrawn Action = "withdrawn"
)

// Step is one line of a case's history.
type Step struct {
	At       time.Time
	By       string // a login, or ByRule
	Account  string // of the machine that a command ran under; empty: a rule
	Node     string
	Action   Action
	Verdict  Verdict
	Charge   money.Paise
	Reason   string
	Document Document
	// Seen is, of a confirmation, how many steps the history had when it was read; 0:
	// not given. It is not stored.
	Seen int
}

// Refusal says why a person's input or step was refused.
type Refusal struct{ Why error }

// Error returns the reason.
func (r *Refusal) Error() string { return r.Why.Error() }

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Why }

// Errors of the steps of cases.
var (
	// ErrSamePerson: the person who proposed it can't confirm it.
	ErrSamePerson = errors.New("you proposed it and can't confirm it: another person must")
	// ErrChanged: the case has changed since it was read.
	ErrChanged = errors.New("the case has changed since you read it, nothing was decided: read it again")
	// ErrNotIndependent: the two people could be one person.
	ErrNotIndependent = errors.New("one of you added, reset or approved the other, directly or through others, or one admin alone added both of you, so you are not independent: another person must confirm it, or have one of you set up again at the machine (galla-central staff reset)")
	// ErrSuperseded: a later file of the day has replaced the case's file.
	ErrSuperseded = errors.New("its file was superseded by a later one of the day: see the cases of that file")
	// ErrEffective: the decision has had its effect.
	ErrEffective = errors.New("its operation is final: a decision that had its effect can't be withdrawn")
)

// Limits of what people write.
const (
	maxReason       = 1500 // bytes
	maxDocumentName = 200
)

// aadhaarForm finds numbers that may be Aadhaar numbers, also in groups of four digits.
var aadhaarForm = regexp.MustCompile(`(?:^|[^0-9])([0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4})(?:$|[^0-9])`)

// checkReason refuses an empty reason and one with an Aadhaar number. The RRN of the
// case has twelve digits, too, and may be quoted.
func checkReason(reason string, l *Line) error {
	if strings.TrimSpace(reason) == "" || len(reason) > maxReason {
		return fmt.Errorf("a reason is needed, of at most %d bytes", maxReason)
	}
	if !utf8.ValidString(reason) || strings.ContainsFunc(reason, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\r\n\t", r) }) {
		return errors.New("the reason has control characters: type it again")
	}
	for rest := reason; ; {
		at := aadhaarForm.FindStringSubmatchIndex(rest)
		if at == nil {
			return nil
		}
		number := strings.NewReplacer(" ", "", "-", "").Replace(rest[at[2]:at[3]])
		_, err := secret.ParseAadhaar(number)
		if err == nil && number[0] > '1' && (l == nil || number != l.RRN) {
			return errors.New("the reason has a number that may be an Aadhaar number: leave it out")
		}
		rest = rest[at[3]:]
	}
}
