package keep

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"galla/central"
	"galla/central/duty"
	"galla/shared/op"
)

const (
	// clockError is how far ahead a counter's clock is taken to be at most when
	// it mints an identity: counters' clocks are wrong by hours.
	clockError = 24 * time.Hour
	// lookAgain is how often a central that holds looks whether a person has
	// released it.
	lookAgain = time.Second
	// holdRetry is when a held caller is told to come back: a person works on it.
	holdRetry = time.Minute
)

// Gap is what a central remembers of restorations. A database that was never
// put back has none, and nothing is ever looked up again.
type Gap struct {
	store duty.Restorations
	until time.Time // the latest restoration with a gap; zero: none

	mu     sync.Mutex
	held   bool // not released, when it was last looked at
	looked time.Time
}

// LoadGap reads the restorations. A database is put back while no central
// serves it, so that the list does not grow later.
func LoadGap(ctx context.Context, store duty.Restorations) (*Gap, error) {
	g := &Gap{store: store}
	list, err := store.Restorations(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		if r.Gap && r.At.After(g.until) {
			g.until = r.At
		}
	}
	g.note(list)
	return g, nil
}

func (g *Gap) note(list []duty.Restoration) {
	g.held, g.looked = false, time.Now()
	for _, r := range list {
		g.held = g.held || r.Gap && r.ReleasedAt.IsZero()
	}
}

// Holds tells whether new identities of the direct doors are held.
func (g *Gap) Holds(ctx context.Context) (bool, error) {
	if g.until.IsZero() {
		return false, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.held || time.Since(g.looked) < lookAgain {
		return g.held, nil
	}
	list, err := g.store.Restorations(ctx)
	if err != nil {
		return true, err
	}
	g.note(list)
	return g.held, nil
}

// Doubts tells whether an identity that the database does not know may have
// been used in a gap. A terminal's says itself when it was minted.
func (g *Gap) Doubts(identity string) bool {
	if g.until.IsZero() {
		return false
	}
	minted, ok := mintedAt(identity)
	return !ok || minted.Before(g.until.Add(clockError))
}

// mintedAt reads the moment that a UUIDv7 begins with.
func mintedAt(identity string) (time.Time, bool) {
	id, err := op.ParseID(identity)
	if err != nil {
		return time.Time{}, false
	}
	raw, err := hex.DecodeString("0000" + strings.ReplaceAll(string(id), "-", "")[:12])
	if err != nil {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(raw))), true
}

// errHeld is the reply to a call with an identity that may have been used in a
// gap. It says what this call did, and nothing of an earlier one.
func errHeld() *central.Error {
	return &central.Error{Fault: central.TooMany, RetryAfter: holdRetry,
		Message: "The central was restored from a backup and can't tell what became of an earlier call with this identity or reference; this call did nothing. Keep the identity and repeat it later"}
}

// errDoubted is why a question of a terminal is not answered.
func errDoubted(caller string) error {
	return fmt.Errorf("the database was put back from a copy, and an identity of %s may have been used after it: a person must say what became of it (galla-central restore held)", caller)
}

// Names is what the desk needs to know of the identities that are on record.
type Names interface {
	ByIdentity(ctx context.Context, caller, identity string) (central.Operation, error)
	ByReference(ctx context.Context, party string, by central.ReferenceQuery) (central.Operation, error)
	RefundOf(ctx context.Context, original central.Reference) (central.Operation, error)
	// Forsworn tells whether an identity was declared never seen.
	Forsworn(ctx context.Context, caller, identity string) (bool, error)
}

// Desk stands before the engine of a central whose database may have been put
// back. It implements central.Desk.
type Desk struct {
	central.Desk
	gap   *Gap
	names Names
	log   *slog.Logger
}

// NewDesk makes the desk.
func NewDesk(engine central.Desk, gap *Gap, names Names, log *slog.Logger) *Desk {
	return &Desk{engine, gap, names, log}
}

// Submit implements central.Desk. While new identities are held, one that is
// not on record is refused before anything is recorded; a terminal's is taken,
// since a counter never sends an operation twice. What is on record when it is
// looked for may be free when the engine looks: what passes can begin nothing.
func (d *Desk) Submit(ctx context.Context, s central.Submission) (central.Operation, bool, error) {
	if cmp.Or(s.Identity, s.CallerRef, refunded(s)) != "" {
		holds, err := d.gap.Holds(ctx)
		if err != nil {
			return central.Operation{}, false, fault("look whether a restoration holds", err)
		}
		if holds {
			if err := d.known(ctx, s); err != nil {
				return central.Operation{}, false, err
			}
			if s.Terminal == "" {
				s.Refusal = errHeld()
			}
		}
	}
	return d.Desk.Submit(ctx, s)
}

// refunded is the transfer that names a refund; empty: none does.
func refunded(s central.Submission) string {
	if s.Request.Kind != central.KindRefund || s.Terminal != "" {
		return ""
	}
	return s.Request.Particulars.Original
}

// known fails unless one of a submission's names stands for an operation that is
// on record. One that was refused for its OTP leaves its name free, and the next
// attempt may have been made in the gap.
func (d *Desk) known(ctx context.Context, s central.Submission) error {
	free := false
	look := func(o central.Operation, known bool, err error) (bool, error) {
		own := s.ID != "" && o.ID == s.ID // which names that attempt alone
		free = free || known && o.NameFree() && !own
		return known && (own || !o.NameFree()), err
	}
	if s.Identity != "" {
		if known, err := look(d.byIdentity(ctx, s.Caller, s.Identity)); err != nil || known {
			return err
		}
	}
	if s.CallerRef != "" {
		if known, err := look(found(d.names.ByReference(ctx, s.Party, central.ReferenceQuery{CallerRef: s.CallerRef}))); err != nil || known {
			return err
		}
	}
	if original := refunded(s); original != "" {
		o, known, err := found(d.names.RefundOf(ctx, central.Reference(original)))
		if known, err := look(o, known && o.State != op.Reversed, err); err != nil || known {
			return err
		}
	}
	if s.Terminal != "" && !free {
		return nil
	}
	d.hold(ctx, s.Caller, cmp.Or(s.Identity, s.CallerRef, refunded(s)))
	return errHeld()
}

// found makes a word of the database's that there is no such operation.
func found(o central.Operation, err error) (central.Operation, bool, error) {
	switch {
	case err == nil:
		return o, true, nil
	case errors.Is(err, central.ErrNotFound):
		return o, false, nil
	}
	return o, false, fault("look for an earlier call", err)
}

// byIdentity gives what an identity stands for; known without an operation: a
// tombstone.
func (d *Desk) byIdentity(ctx context.Context, caller, identity string) (o central.Operation, known bool, err error) {
	o, known, err = found(d.names.ByIdentity(ctx, caller, identity))
	if err != nil || known {
		return o, known, err
	}
	if known, err = d.names.Forsworn(ctx, caller, identity); err != nil {
		return o, false, fault("look for a tombstone", err)
	}
	return o, known, nil
}

// Ask implements central.Desk. Where the identity may have been used in a gap,
// it is not declared unseen: the error says nothing about it, and the counter
// asks again.
func (d *Desk) Ask(ctx context.Context, caller, identity string) (central.Operation, bool, error) {
	if d.gap.Doubts(identity) {
		_, known, err := d.byIdentity(ctx, caller, identity)
		if err != nil {
			return central.Operation{}, false, err
		}
		if !known {
			d.hold(ctx, caller, identity)
			return central.Operation{}, false, &central.Error{Fault: central.Internal, Message: "Server error", Err: errDoubted(caller)}
		}
	}
	return d.Desk.Ask(ctx, caller, identity)
}

// hold notes an identity for a person. Whether that succeeds makes no
// difference to the caller.
func (d *Desk) hold(ctx context.Context, caller, identity string) {
	if err := d.gap.store.Hold(ctx, duty.Held{Caller: caller, Identity: identity, At: time.Now()}); err != nil {
		d.log.Warn("an identity that a restoration holds can't be noted", "caller", caller, "error", err)
	}
}

// fault is an error of the database, before anything was done.
func fault(doing string, err error) error {
	if errors.Is(err, central.ErrBusy) {
		return &central.Error{Fault: central.TooMany, Message: "The central is busy; this call did nothing, try again", RetryAfter: time.Second, Err: err}
	}
	return &central.Error{Fault: central.Internal, Message: "Server error", Err: fmt.Errorf("%s: %w", doing, err)}
}

// Records are the records that the doors read, of a central whose database may
// have been put back: while new identities are held, an absent operation is not
// told as absent, nor the attempt before one that may be absent as the newest.
type Records struct {
	central.Store
	gap *Gap
}

// NewRecords makes the records.
func NewRecords(store central.Store, gap *Gap) *Records { return &Records{store, gap} }

// Operation implements central.Operations.
func (r *Records) Operation(ctx context.Context, id op.ID) (central.Operation, error) {
	o, err := r.Store.Operation(ctx, id)
	return r.doubt(ctx, o, err, false)
}

// ByIdentity implements central.Operations.
func (r *Records) ByIdentity(ctx context.Context, caller, identity string) (central.Operation, error) {
	o, err := r.Store.ByIdentity(ctx, caller, identity)
	return r.doubt(ctx, o, err, o.NameFree() && identity != string(o.ID))
}

// ByReference implements central.Operations.
func (r *Records) ByReference(ctx context.Context, party string, by central.ReferenceQuery) (central.Operation, error) {
	o, err := r.Store.ByReference(ctx, party, by)
	return r.doubt(ctx, o, err, o.NameFree() && by.CallerRef != "")
}

// doubt replaces the word that there is no such operation, and one of which a
// later attempt may be missing.
func (r *Records) doubt(ctx context.Context, o central.Operation, err error, free bool) (central.Operation, error) {
	if err == nil && !free || err != nil && !errors.Is(err, central.ErrNotFound) {
		return o, err
	}
	holds, lookErr := r.gap.Holds(ctx)
	switch {
	case lookErr != nil:
		return central.Operation{}, fault("look whether a restoration holds", lookErr)
	case holds:
		return central.Operation{}, errHeld()
	}
	return o, err
}
