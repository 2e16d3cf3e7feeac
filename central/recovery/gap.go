package recovery

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
	"galla/shared/op"
)

const (
	// maxClockError bounds how far ahead a counter's clock may have been when it created
	// an identity: counters' clocks are wrong by hours.
	maxClockError = 24 * time.Hour
	// recheckEvery is how often a central checks whether a person has released the
	// restoration.
	recheckEvery = time.Second
	// holdRetry is the Retry-After of a refused caller: a person works on it.
	holdRetry = time.Minute
)

// Gap is what may be missing in a database that was restored from a backup. The
// handler asks it before it creates an operation, declares one unseen or reports one
// as absent (operations.md, section 14). A nil Gap, and that of a database that was
// never restored, forbids nothing. It is safe for concurrent use.
type Gap struct {
	store      RestorationStore
	identities Identities
	log        *slog.Logger
	until      time.Time // the latest restoration with a gap; zero: none

	mu        sync.Mutex
	held      bool // not released at the last check
	checkedAt time.Time
}

// LoadGap reads the restorations. A database is restored while no central serves it, so
// the list does not grow later.
func LoadGap(ctx context.Context, store RestorationStore, identities Identities, log *slog.Logger) (*Gap, error) {
	g := &Gap{store: store, identities: identities, log: log}
	list, err := store.ListRestorations(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		if r.Gap && r.At.After(g.until) {
			g.until = r.At
		}
	}
	g.update(list)
	return g, nil
}

func (g *Gap) update(list []Restoration) {
	g.held, g.checkedAt = false, time.Now()
	for _, r := range list {
		g.held = g.held || r.Gap && r.ReleasedAt.IsZero()
	}
}

// HoldsNewIdentities reports whether new identities of the direct routes and the gateway
// are refused.
func (g *Gap) HoldsNewIdentities(ctx context.Context) (bool, error) {
	if g == nil || g.until.IsZero() {
		return false, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.held || time.Since(g.checkedAt) < recheckEvery {
		return g.held, nil
	}
	list, err := g.store.ListRestorations(ctx)
	if err != nil {
		return true, err
	}
	g.update(list)
	return g.held, nil
}

// MayContain reports whether an identity that the database does not know may have been used
// in a gap. A terminal's identity contains the time at which it was created.
func (g *Gap) MayContain(identity string) bool {
	if g == nil || g.until.IsZero() {
		return false
	}
	createdAt, ok := idTime(identity)
	return !ok || createdAt.Before(g.until.Add(maxClockError))
}

// idTime returns the time at the start of a UUIDv7.
func idTime(identity string) (time.Time, bool) {
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

// errHeld is the reply to a request with an identity that may have been used in a gap. It
// says what this request did, and nothing about an earlier one.
func errHeld() *central.Error {
	return &central.Error{Fault: central.TooMany, RetryAfter: holdRetry,
		Message: "The central was restored from a backup and can't tell what became of an earlier call with this identity or reference; this call did nothing. Keep the identity and repeat it later"}
}

// errUnknownOutcome says why a terminal's question is not answered.
func errUnknownOutcome(caller string) error {
	return fmt.Errorf("the database was restored from a backup, and an identity of %s may have been used after it: a person must find out its outcome (galla-central restore held)", caller)
}

// Identities reads the recorded identities.
type Identities interface {
	ByIdentity(ctx context.Context, caller, identity string) (central.Operation, error)
	ByReference(ctx context.Context, party string, by central.ReferenceQuery) (central.Operation, error)
	RefundOf(ctx context.Context, original central.Reference) (central.Operation, error)
	// HasTombstone reports whether an identity has a tombstone.
	HasTombstone(ctx context.Context, caller, identity string) (bool, error)
}

// Admit checks a submission before it is given to the engine. While new identities are
// held, a submission with an unknown identity is refused; a terminal's is admitted,
// since a terminal never sends an operation twice. A known name may become free before
// the engine looks, so that an admitted submission may create nothing (RefuseNew).
func (g *Gap) Admit(ctx context.Context, s *central.Submission) error {
	if cmp.Or(s.Identity, s.CallerRef, refundedTransfer(*s)) == "" {
		return nil
	}
	holds, err := g.HoldsNewIdentities(ctx)
	if err != nil {
		return storeError("read the restorations", err)
	}
	if !holds {
		return nil
	}
	if err := g.checkRecorded(ctx, *s); err != nil {
		return err
	}
	if s.Terminal == "" {
		s.RefuseNew = errHeld()
	}
	return nil
}

// refundedTransfer returns the transfer that identifies a refund; empty: not a refund.
func refundedTransfer(s central.Submission) string {
	if s.Request.Kind != central.KindRefund || s.Terminal != "" {
		return ""
	}
	return s.Request.Particulars.Original
}

// checkRecorded fails unless one of a submission's names belongs to a recorded operation.
// An attempt that was refused for its OTP leaves its name reusable, and the next attempt
// may be in the gap.
func (g *Gap) checkRecorded(ctx context.Context, s central.Submission) error {
	free := false
	check := func(o central.Operation, known bool, err error) (bool, error) {
		own := s.ID != "" && o.ID == s.ID // an id identifies one attempt
		free = free || known && o.NameReusable() && !own
		return known && (own || !o.NameReusable()), err
	}
	if s.Identity != "" {
		if known, err := check(g.findIdentity(ctx, s.Caller, s.Identity)); err != nil || known {
			return err
		}
	}
	if s.CallerRef != "" {
		if known, err := check(optional(g.identities.ByReference(ctx, s.Party, central.ReferenceQuery{CallerRef: s.CallerRef}))); err != nil || known {
			return err
		}
	}
	if original := refundedTransfer(s); original != "" {
		o, known, err := optional(g.identities.RefundOf(ctx, central.Reference(original)))
		if known, err := check(o, known && o.State != op.Reversed, err); err != nil || known {
			return err
		}
	}
	if s.Terminal != "" && !free {
		return nil
	}
	g.holdIdentity(ctx, s.Caller, cmp.Or(s.Identity, s.CallerRef, refundedTransfer(s)))
	return errHeld()
}

// optional turns central.ErrNotFound into known = false.
func optional(o central.Operation, err error) (central.Operation, bool, error) {
	switch {
	case err == nil:
		return o, true, nil
	case errors.Is(err, central.ErrNotFound):
		return o, false, nil
	}
	return o, false, storeError("read an earlier operation", err)
}

// findIdentity returns the operation of an identity; known without an operation: a
// tombstone.
func (g *Gap) findIdentity(ctx context.Context, caller, identity string) (o central.Operation, known bool, err error) {
	o, known, err = optional(g.identities.ByIdentity(ctx, caller, identity))
	if err != nil || known {
		return o, known, err
	}
	if known, err = g.identities.HasTombstone(ctx, caller, identity); err != nil {
		return o, false, storeError("read a tombstone", err)
	}
	return o, known, nil
}

// MayDeclareUnseen fails if an identity may have been used in the gap: it must not be
// declared unseen, and the terminal asks again.
func (g *Gap) MayDeclareUnseen(ctx context.Context, caller, identity string) error {
	if !g.MayContain(identity) {
		return nil
	}
	_, known, err := g.findIdentity(ctx, caller, identity)
	if err != nil || known {
		return err
	}
	g.holdIdentity(ctx, caller, identity)
	return &central.Error{Fault: central.Internal, Message: "Server error", Err: errUnknownOutcome(caller)}
}

// holdIdentity records an identity for a person. A failure makes no difference to the
// caller.
func (g *Gap) holdIdentity(ctx context.Context, caller, identity string) {
	if err := g.store.HoldIdentity(ctx, HeldIdentity{Caller: caller, Identity: identity, At: time.Now()}); err != nil {
		g.log.Warn("an identity of the gap can't be recorded", "caller", caller, "error", err)
	}
}

// storeError is an error of the database before anything was done.
func storeError(doing string, err error) error {
	if errors.Is(err, central.ErrBusy) {
		return &central.Error{Fault: central.TooMany, Message: "The central is busy; this call did nothing, try again", RetryAfter: time.Second, Err: err}
	}
	return &central.Error{Fault: central.Internal, Message: "Server error", Err: fmt.Errorf("%s: %w", doing, err)}
}

// Confirm gives the result of a look for an operation, unless the gap may have a newer
// one: while new identities are held, an operation is not reported as absent, and an
// attempt whose name is free is not reported as the newest of that name.
func (g *Gap) Confirm(ctx context.Context, o central.Operation, err error, free bool) (central.Operation, error) {
	if err == nil && !free || err != nil && !errors.Is(err, central.ErrNotFound) {
		return o, err
	}
	holds, lookErr := g.HoldsNewIdentities(ctx)
	switch {
	case lookErr != nil:
		return central.Operation{}, storeError("read the restorations", lookErr)
	case holds:
		return central.Operation{}, errHeld()
	}
	return o, err
}
