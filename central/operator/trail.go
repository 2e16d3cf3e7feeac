package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"galla/shared/secret"
)

// Outcome is what came of what the trail says.
type Outcome string

// The outcomes.
const (
	Begun   Outcome = "begun" // is about to be done: another entry says what came of it
	Done    Outcome = "done"
	Refused Outcome = "refused"
)

// Action is what somebody did, as the trail names it.
type Action string

// The actions of this room. Other rooms name theirs in the same way: the thing,
// a dot, what was done to it.
const (
	ActSignIn   Action = "session.open"
	ActSignOut  Action = "session.close"
	ActAdd      Action = "operator.add"
	ActEnrol    Action = "operator.enrol"
	ActRole     Action = "operator.role"
	ActDisable  Action = "operator.disable"
	ActReset    Action = "operator.reset"
	ActPassword Action = "operator.password"
	ActApprove  Action = "operator.approve"
	ActStepUp   Action = "session.step-up"
)

// Actor is who acts, and from where.
type Actor struct {
	Login string // empty: nobody is known
	Role  Role   // empty: of a command
	From  string // an address, or the account and host of a command
}

// Entry is one line of the trail. It holds no secret, and of customers no more
// than the name of what was looked at.
type Entry struct {
	ID      string // UUIDv7
	At      time.Time
	Node    string // written by the store
	Person  string // a login; empty: nobody is known
	Role    Role   // at that moment; empty: of a command
	From    string
	Action  Action
	Subject string // what it was done to, such as an operation's id
	Outcome Outcome
	Was     string // of a change: before, without secrets
	Became  string // of a change: after
	Note    string
}

// Query chooses entries of the trail.
type Query struct {
	Person  string
	Action  Action
	Subject string
	From    time.Time // at or after; zero: from the beginning
	To      time.Time // before; zero: to the end
	Before  string    // id of an entry: only older ones
	Limit   int
}

// Trail is where entries are kept, for ever.
type Trail interface {
	// NoteTrail adds an entry.
	NoteTrail(ctx context.Context, e Entry) error
	// TrailEntries lists entries, the newest first; central.ErrNotFound where
	// Before names none.
	TrailEntries(ctx context.Context, q Query) ([]Entry, error)
}

// Journal writes into the trail what other rooms do and look at, also at the
// machine, where no desk is. Its methods may be called from many goroutines.
type Journal struct {
	trail Trail
	rand  io.Reader
}

// NewJournal makes a journal; entries' ids are drawn from rand.
func NewJournal(trail Trail, rand io.Reader) (*Journal, error) {
	if trail == nil || rand == nil {
		return nil, errors.New("a journal needs the trail and randomness")
	}
	return &Journal{trail, rand}, nil
}

// AtMachine is where a command is run: by whom of the machine's accounts.
func AtMachine(account string) string { return "at the machine, " + account }

// Bounds of an entry's texts, in bytes.
const (
	maxSubject = 200
	maxText    = 2000
)

// entry makes a line of the trail.
func (j *Journal) entry(by Actor, what Action, subject string, came Outcome) (Entry, error) {
	id, err := uuid.NewV7FromReader(j.rand)
	if err != nil {
		return Entry{}, fmt.Errorf("draw an entry's id: %w", err)
	}
	return Entry{
		ID: id.String(), At: time.Now(), Person: by.Login, Role: by.Role, From: clip(by.From, maxSubject),
		Action: what, Subject: clip(subject, maxSubject), Outcome: came,
	}, nil
}

// clip cuts a text to its bound, between two characters.
func clip(text string, most int) string {
	text = strings.ToValidUTF8(text, "")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// Change is what a step of another room changes, for the trail.
type Change struct {
	What        Action
	Subject     string
	Was, Became string
	Note        string
}

// Note writes that somebody looked at something. Without the entry nothing is
// shown: the caller answers its error.
func (j *Journal) Note(ctx context.Context, by Actor, c Change) error {
	return j.note(ctx, by, c, Done)
}

// Refuse writes that somebody was refused something.
func (j *Journal) Refuse(ctx context.Context, by Actor, c Change) error {
	return j.note(ctx, by, c, Refused)
}

func (j *Journal) note(ctx context.Context, by Actor, c Change, came Outcome) error {
	// What was typed into a field stands here before anybody has judged it.
	e, err := j.entry(by, c.What, secret.HushAadhaar(c.Subject), came)
	if err != nil {
		return err
	}
	e.Was, e.Became, e.Note = kept(c.Was), kept(c.Became), kept(c.Note)
	return j.trail.NoteTrail(ctx, e)
}

// kept is a text as the trail has it for ever.
func kept(text string) string { return clip(secret.HushAadhaar(text), maxText) }

// Do carries out a step of another room under the trail: it is written before
// it is done, and again with what came of it. The error is the step's, or says
// that the trail could not be written: where the first entry failed, nothing was
// done.
func (j *Journal) Do(ctx context.Context, by Actor, c Change, step func(context.Context) error) error {
	if err := j.note(ctx, by, c, Begun); err != nil {
		return fmt.Errorf("nothing was done, since the trail can't be written: %w", err)
	}
	err := step(ctx)
	came := Done
	if err != nil {
		came = Refused
		c.Note = strings.TrimSpace(c.Note + " " + err.Error())
	}
	// Whoever asked may have gone away meanwhile; the trail has its end all the same.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), trailWait)
	defer cancel()
	return errors.Join(err, j.note(last, by, c, came))
}

// trailWait bounds the last entry of a step, which is written without the
// caller's own time.
const trailWait = 5 * time.Second

// Entries reads the trail, the newest first.
func (j *Journal) Entries(ctx context.Context, q Query) ([]Entry, error) {
	return j.trail.TrailEntries(ctx, q)
}
