package staff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"galla/shared/secret"
)

// Outcome is how a logged step ended.
type Outcome string

// The outcomes.
const (
	OutcomeStarted Outcome = "started" // another entry has how it ended
	OutcomeDone    Outcome = "done"
	OutcomeRefused Outcome = "refused"
)

// Action names a step in the audit log: the thing, a dot, what was done to it.
type Action string

// The actions of this package.
const (
	ActSignIn   Action = "session.open"
	ActSignOut  Action = "session.close"
	ActAdd      Action = "staff.add"
	ActEnrol    Action = "staff.enrol"
	ActRole     Action = "staff.role"
	ActDisable  Action = "staff.disable"
	ActReset    Action = "staff.reset"
	ActPassword Action = "staff.password"
	ActApprove  Action = "staff.approve"
	ActStepUp   Action = "session.step-up"
)

// Actor is who acts, and from where.
type Actor struct {
	Login string // empty: unknown
	Role  Role   // empty: of a command
	From  string // an address, or CommandLineOrigin
}

// AuditEntry is one line of the audit log. It holds no secret, and no customer's data
// but the id of the record that was opened.
type AuditEntry struct {
	ID      string // UUIDv7
	At      time.Time
	Node    string // written by the store
	Person  string // a login; empty: unknown
	Role    Role   // at that moment; empty: of a command
	From    string
	Action  Action
	Subject string // what the step is about, such as an operation's id
	Outcome Outcome
	Was     string // of a change: the value before, without secrets
	Became  string // of a change: the value after
	Note    string
}

// AuditQuery selects entries.
type AuditQuery struct {
	Person  string
	Action  Action
	Subject string
	From    time.Time // at or after; zero: no bound
	To      time.Time // before; zero: no bound
	Before  string    // id of an entry: older ones only
	Limit   int
}

// AuditStore stores entries. They are never changed or removed.
type AuditStore interface {
	// AddAuditEntry adds an entry.
	AddAuditEntry(ctx context.Context, e AuditEntry) error
	// AuditEntries lists entries, newest first; central.ErrNotFound where Before names
	// none.
	AuditEntries(ctx context.Context, q AuditQuery) ([]AuditEntry, error)
}

// AuditLog records what people do and read, in the console and from the command line.
// Its methods may be called concurrently.
type AuditLog struct {
	store AuditStore
	rand  io.Reader
}

// NewAuditLog returns an AuditLog; ids of entries are drawn from rand.
func NewAuditLog(store AuditStore, rand io.Reader) (*AuditLog, error) {
	if store == nil || rand == nil {
		return nil, errors.New("the audit log needs a store and randomness")
	}
	return &AuditLog{store, rand}, nil
}

const commandLine = "command line, "

// CommandLineOrigin is the origin of a command, by the machine's account that runs it.
func CommandLineOrigin(account string) string { return commandLine + account }

const interfaceOrigin = "interface, "

// InterfaceOrigin is the origin of a request of a party's program, with its id.
func InterfaceOrigin(party, request string) string {
	return interfaceOrigin + party + ", request " + request
}

// Origin says where somebody acts: on the command line, through the interface, on the
// portal's pages, or in the console and from which address.
func (a Actor) Origin() string {
	for _, other := range []string{commandLine, interfaceOrigin, portalOrigin} {
		if strings.HasPrefix(a.From, other) {
			return a.From
		}
	}
	return "console, " + a.From
}

// Bounds of an entry's texts, in bytes.
const (
	maxSubject = 200
	maxText    = 2000
)

// newEntry makes an entry, to be stored by the caller.
func (l *AuditLog) newEntry(by Actor, action Action, subject string, outcome Outcome) (AuditEntry, error) {
	id, err := uuid.NewV7FromReader(l.rand)
	if err != nil {
		return AuditEntry{}, fmt.Errorf("draw an entry's id: %w", err)
	}
	return AuditEntry{
		ID: id.String(), At: time.Now(), Person: by.Login, Role: by.Role, From: truncate(by.From, maxSubject),
		Action: action, Subject: truncate(subject, maxSubject), Outcome: outcome,
	}, nil
}

// withEntry makes an entry of a step that was done, and calls write, which stores both
// in one transaction.
func (l *AuditLog) withEntry(by Actor, action Action, subject string, write func(AuditEntry) error) error {
	e, err := l.newEntry(by, action, subject, OutcomeDone)
	if err != nil {
		return err
	}
	return write(e)
}

// truncate cuts a text to at most so many bytes, between two characters.
func truncate(text string, most int) string {
	text = strings.ToValidUTF8(text, "")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// Change describes a step for the audit log.
type Change struct {
	What        Action
	Subject     string
	Was, Became string
	Note        string
}

// Record logs that somebody read something. The caller must show nothing where it
// fails.
func (l *AuditLog) Record(ctx context.Context, by Actor, c Change) error {
	return l.write(ctx, by, c, OutcomeDone)
}

// RecordRefusal logs that somebody was refused something.
func (l *AuditLog) RecordRefusal(ctx context.Context, by Actor, c Change) error {
	return l.write(ctx, by, c, OutcomeRefused)
}

func (l *AuditLog) write(ctx context.Context, by Actor, c Change, outcome Outcome) error {
	// The subject may be typed text that nothing has checked yet.
	e, err := l.newEntry(by, c.What, secret.RedactAadhaar(c.Subject), outcome)
	if err != nil {
		return err
	}
	e.Was, e.Became, e.Note = auditText(c.Was), auditText(c.Became), auditText(c.Note)
	return l.store.AddAuditEntry(ctx, e)
}

// auditText is a text as the audit log stores it.
func auditText(text string) string { return truncate(secret.RedactAadhaar(text), maxText) }

// RunAudited runs a step and logs it: an entry before it, and one with its outcome.
// The error is the step's, or says that the log can't be written; where the first
// entry failed, the step did not run.
func (l *AuditLog) RunAudited(ctx context.Context, by Actor, c Change, step func(context.Context) error) error {
	if err := l.write(ctx, by, c, OutcomeStarted); err != nil {
		return fmt.Errorf("nothing was done: the audit log can't be written: %w", err)
	}
	err := step(ctx)
	outcome := OutcomeDone
	if err != nil {
		outcome = OutcomeRefused
		c.Note = strings.TrimSpace(c.Note + " " + err.Error())
	}
	// The entry is written even if the caller has gone away meanwhile.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTimeout)
	defer cancel()
	return errors.Join(err, l.write(last, by, c, outcome))
}

// auditTimeout bounds the last entry of a step, which is written without the caller's
// deadline.
const auditTimeout = 5 * time.Second

// Entries reads the log, newest first. central.ErrNotFound where Before names no
// entry.
func (l *AuditLog) Entries(ctx context.Context, q AuditQuery) ([]AuditEntry, error) {
	return l.store.AuditEntries(ctx, q)
}

// longNumber has ten digits or more, grouped or not, and is not part of a reference.
var longNumber = regexp.MustCompile(`(^|[^A-Za-z0-9-])([0-9](?:[ -]?[0-9]){9,})`)

// HasLongNumber reports whether a text has a number of ten digits or more, which may be a
// customer's.
func HasLongNumber(text string) bool { return longNumber.MatchString(text) }

// RedactNumbers is a text with the last four digits only of each number of ten digits or
// more, since it may be a customer's.
func RedactNumbers(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(found string) string {
		parts := longNumber.FindStringSubmatch(found)
		digits := strings.NewReplacer(" ", "", "-", "").Replace(parts[2])
		return parts[1] + "…" + digits[len(digits)-4:]
	})
}
