package settle

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// File is a settlement file that was imported.
type File struct {
	Content
	// Number counts the files of a day from 1; the highest that is complete
	// supersedes the others.
	Number int
	Name   string // the file's, without its folder
	By     string // who imported it
	At     time.Time
	// CompleteAt is when its comparison was recorded; zero: the import was
	// interrupted, and is taken up by the next one of the same file.
	CompleteAt time.Time
	// Superseded tells that a later file of the day is complete.
	Superseded bool
}

// Title names a file for people, as 2026-11-21.1.
func (f File) Title() string { return fmt.Sprintf("%s.%d", f.Day, f.Number) }

// CaseID names a case: the day, the file's number, and the case's in it. A case
// that was opened by hand has the day of that, and no file: 0.
type CaseID struct {
	Day    central.Day
	File   int
	Number int
}

// String prints a case's name, as 2026-11-21.1.3.
func (id CaseID) String() string { return fmt.Sprintf("%s.%d.%d", id.Day, id.File, id.Number) }

// ParseCaseID reads what String prints.
func ParseCaseID(s string) (CaseID, error) {
	bad := errors.New("a case is named by its day, file and number, as 2026-11-21.1.3; settle show lists them")
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return CaseID{}, bad
	}
	day, err := ParseDay(parts[0])
	if err != nil {
		return CaseID{}, bad
	}
	file, err := strconv.ParseUint(parts[1], 10, 16)
	if err != nil {
		return CaseID{}, bad
	}
	number, err := strconv.ParseUint(parts[2], 10, 31)
	if err != nil {
		return CaseID{}, bad
	}
	return CaseID{day, int(file), int(number)}, nil
}

// ParseDay reads an Indian day, as 2026-11-21.
func ParseDay(s string) (central.Day, error) {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "", errors.New("a day is written as 2026-11-21")
	}
	return central.Day(s), nil
}

// Verdict is what a case was decided as.
type Verdict string

// The verdicts. The first three are the final states that an operation which is
// not final takes; Noted changes nothing.
const (
	Succeeded Verdict = Verdict(op.Succeeded)
	Failed    Verdict = Verdict(op.Failed)
	Reversed  Verdict = Verdict(op.Reversed)
	Noted     Verdict = "noted"
)

// Outcome is the state that a verdict leads to; empty: none.
func (v Verdict) Outcome() op.State {
	if v == Succeeded || v == Failed || v == Reversed {
		return op.State(v)
	}
	return ""
}

// Status is where a case stands.
type Status string

// The statuses.
const (
	Open     Status = "open"
	Proposed Status = "proposed"
	Decided  Status = "decided"
)

// ByRule is who decides where a rule did; no person has that name.
const ByRule = "rule"

// Case is a difference, as it was found and as it now stands.
type Case struct {
	CaseID
	Class     Class
	Reference central.Reference
	Line      *Line      // nil: the bank has none
	Operation *Operation // nil: the central has none; its State is the present one
	Found     op.State   // the operation's state when it was compared; empty: none
	FoundAt   time.Time

	Status     Status
	Verdict    Verdict
	Charge     money.Paise // of a transfer decided as succeeded: what the customer paid for it
	Reason     string
	Document   Document // that the proposal rests on
	ProposedBy string
	DecidedBy  string
	DecidedAt  time.Time
	Superseded bool // its file is
}

// Effect tells people what became of a decision.
func (c Case) Effect() string {
	switch {
	case c.Superseded:
		return "superseded"
	case c.Status != Decided || c.Verdict.Outcome() == "" || c.Operation == nil:
		return ""
	case c.Operation.State == c.Verdict.Outcome():
		return "done"
	case c.Operation.State.Final():
		return "the bank's own word came first: " + string(c.Operation.State)
	}
	return "to be settled by the running central"
}

// Document is a paper that a proposal rests on, by its name and SHA-256; the
// zero value is none. The paper itself is not kept here.
type Document struct {
	Name   string
	SHA256 string // 64 hexadecimal digits
}

// Did is what was done to a case.
type Did string

// What is done to cases.
const (
	DidFind     Did = "found"
	DidPropose  Did = "proposed"
	DidConfirm  Did = "confirmed"
	DidReject   Did = "rejected"
	DidWithdraw Did = "withdrawn"
)

// Step is one line of a case's history.
type Step struct {
	At       time.Time
	By       string // a person, or ByRule
	Account  string // of the machine that the command ran under; empty for a rule
	Node     string
	Did      Did
	Verdict  Verdict
	Charge   money.Paise
	Reason   string
	Document Document
	// Seen is, of a confirmation, how many steps the history had when whoever
	// confirms read it; 0: that is not said. It is not kept.
	Seen int
}

// Refusal says what is wrong with what a person wrote, or wants of a case.
type Refusal struct{ Why error }

// Error gives its words.
func (r *Refusal) Error() string { return r.Why.Error() }

// Unwrap gives what is wrong.
func (r *Refusal) Unwrap() error { return r.Why }

// Errors of the steps of cases.
var (
	// ErrSamePerson says that a proposal was to be confirmed by who made it.
	ErrSamePerson = errors.New("who proposed it can't confirm it: another person must")
	// ErrChanged says that another proposal stands there than the one that was read.
	ErrChanged = errors.New("the proposal is not the one that you read, nothing was decided: read the case again")
	// ErrNotApart says that two people who could be one were to decide a case.
	ErrNotApart = errors.New("one of you added, reset or approved the other, directly or through others, or one admin alone brought both of you about, so you are not four eyes: another person must confirm it, or have one of you set up anew at the machine (galla-central operator reset)")
	// ErrSuperseded says that a later file of the day has taken the place of the
	// case's.
	ErrSuperseded = errors.New("its file was superseded by a later one of the day: look at that one's cases")
	// ErrEffective says that a decision has had its effect.
	ErrEffective = errors.New("its operation is final: a decision that had its effect is not withdrawn")
)

// Limits of what people write.
const (
	maxReason       = 1500 // bytes: a history's line has room for it
	maxDocumentName = 200
)

// person is what people are called here: a login, in small letters, so that one
// person is not two by the way of writing.
var person = regexp.MustCompile(`^[a-z][a-z0-9._@-]{0,63}$`)

// ParsePerson reads who acts.
func ParsePerson(s string) (string, error) {
	name := strings.ToLower(strings.TrimSpace(s))
	if !person.MatchString(name) || name == ByRule {
		return "", errors.New("who acts is named by a login: a letter, then letters, digits and . _ @ -, at most 64")
	}
	return name, nil
}

// twelve finds numbers that may be Aadhaar numbers, also as people group them.
var twelve = regexp.MustCompile(`(?:^|[^0-9])([0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4})(?:$|[^0-9])`)

// checkReason sees that a reason is there and holds no Aadhaar number. The RRN
// of the case has twelve digits, too, and may be quoted.
func checkReason(reason string, l *Line) error {
	if strings.TrimSpace(reason) == "" || len(reason) > maxReason {
		return fmt.Errorf("a reason is needed, of at most %d bytes", maxReason)
	}
	if !utf8.ValidString(reason) || strings.ContainsFunc(reason, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\r\n\t", r) }) {
		return errors.New("the reason has characters that are no text: type it anew")
	}
	for rest := reason; ; {
		at := twelve.FindStringSubmatchIndex(rest)
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

// maxDocument bounds a document whose fingerprint is taken: scanned letters are
// smaller.
const maxDocument = 256 << 20

// ReadDocument takes the fingerprint of a document.
func ReadDocument(name string, r io.Reader) (Document, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(r, maxDocument+1))
	switch {
	case err != nil:
		return Document{}, fmt.Errorf("read the document: %w", err)
	case n == 0 || n > maxDocument:
		return Document{}, fmt.Errorf("the document is empty or has more than %d MiB", maxDocument>>20)
	}
	return Document{Name: filepath.Base(name), SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}
