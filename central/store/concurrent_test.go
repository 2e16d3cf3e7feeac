package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// pair is two nodes on one database.
type pair [2]*DB

// together runs do n times at once, on one node and the other.
func (p pair) together(n int, do func(s *DB, i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = do(p[i%2], i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// wantTogether fails unless so many of the errors are nil and all others are one
// of the given ones.
func wantTogether(t *testing.T, what string, errs []error, done int, others ...error) {
	t.Helper()
	n := 0
	for _, err := range errs {
		known := err == nil
		for _, other := range others {
			known = known || errors.Is(err, other)
		}
		if !known {
			t.Errorf("%s: %v", what, err)
		}
		if err == nil {
			n++
		}
	}
	if n != done {
		t.Errorf("%s: %d of %d were done, want %d", what, n, len(errs), done)
	}
}

// TestTogether lets two nodes do at once, many times, what reads before it
// writes.
func TestTogether(t *testing.T) { onBoth(t, together) }

func together(t *testing.T, on kind) {
	for _, part := range []struct {
		name string
		test func(t *testing.T, p pair)
	}{
		{"quotas", togetherQuotas},
		{"steps", togetherSteps},
		{"pending references", togetherMarkPending},
		{"enquiries", togetherPostponeEnquiry},
		{"events", togetherEvents},
		{"refunds", togetherRefunds},
		{"attempts", togetherAttempts},
		{"onboarding", togetherKYC},
		{"slabs", togetherSlabs},
		{"vendor keys", togetherKeys},
		{"enrolment", togetherEnrol},
		{"terminal numbers", togetherSeed},
		{"spent", togetherSpent},
		{"access", togetherAccess},
	} {
		t.Run(part.name, func(t *testing.T) {
			place := on.seeded(t)
			part.test(t, pair{openAt(t, place, testConfig()), openAt(t, place, testConfig())})
		})
	}
}

// togetherQuotas: of many operations that meet on two counts, so many begin as
// the bounds allow, and what fails gives its own back.
func togetherQuotas(t *testing.T, p pair) {
	const many, bound = 40, 12
	quotas := []central.Quota{daily("b", 5, bound, 0), daily("a", 5, 0, 5*bound)}
	operations := make([]central.Operation, many)
	var refused atomic.Int64
	errs := p.together(many, func(s *DB, i int) error {
		operations[i] = newOperation()
		own := quotas
		if i%3 == 0 { // in the other order
			own = []central.Quota{quotas[1], quotas[0]}
		}
		_, _, err := s.Create(background, operations[i], own)
		if exhausted := new(central.QuotaError); errors.As(err, &exhausted) {
			refused.Add(1)
			return nil
		}
		return err
	})
	wantTogether(t, "begin", errs, many)
	if refused.Load() != many-bound {
		t.Errorf("%d operations were refused of %d, where %d fit", refused.Load(), many, bound)
	}
	wantUsed(t, p[0], "a", bound, 5*bound)
	wantUsed(t, p[1], "b", bound, 5*bound)
	wantTogether(t, "fail", p.together(many, func(s *DB, i int) error {
		return step(s, operations[i].ID, op.Refused)
	}), bound, central.ErrNotFound)
	wantUsed(t, p[0], "a", 0, 0)
	wantUsed(t, p[1], "b", 0, 0)
}

// togetherSteps: of those that take the same step, one does; and the history has
// one way.
func togetherSteps(t *testing.T, p pair) {
	for range 10 {
		o := created(t, p[0])
		wantTogether(t, "mark as sent", p.together(8, func(s *DB, _ int) error { return step(s, o.ID, op.Sent) }), 1, central.ErrState)
		ends := []op.State{op.Succeeded, op.Failed, op.Pending}
		errs := p.together(6, func(s *DB, i int) error { return step(s, o.ID, ends[i%3]) })
		done := 0
		for _, err := range errs {
			if err == nil {
				done++
			} else if !errors.Is(err, central.ErrState) {
				t.Errorf("end: %v", err)
			}
		}
		o, err := p[1].Operation(background, o.ID)
		wantErr(t, "read", err, nil)
		steps, err := p[0].History(background, o.ID)
		wantErr(t, "history", err, nil)
		if len(steps) != 2+done || done < 1 || done > 2 {
			t.Errorf("%d ends were acknowledged, and the history is %+v", done, steps)
		}
		for i, s := range steps[1:] {
			if s.From != steps[i].To || !central.CanTransition(s.From, s.To) {
				t.Errorf("the history has step %s to %s after %s", s.From, s.To, steps[i].To)
			}
		}
		if o.State != steps[len(steps)-1].To {
			t.Errorf("an operation is %s after step %+v", o.State, steps[len(steps)-1])
		}
	}
}

// togetherMarkPending: a bank that falls silent makes many pending in one
// millisecond.
func togetherMarkPending(t *testing.T, p pair) {
	const many = 60
	ids := make([]op.ID, many)
	wantTogether(t, "mark as sent", p.together(many, func(s *DB, i int) error {
		o := newOperation()
		ids[i] = o.ID
		_, _, err := s.Create(background, o, nil)
		return errors.Join(err, step(s, o.ID, op.Sent))
	}), many)
	wantTogether(t, "mark pending", p.together(many, func(s *DB, i int) error { return step(s, ids[i], op.Pending) }), many)
	seen := map[string]bool{}
	for _, id := range ids {
		o, err := p[0].Operation(background, id)
		wantErr(t, "read", err, nil)
		if o.State != op.Pending || seen[o.PendingReference] {
			t.Errorf("an operation is %s with reference %s, which is another's: %v", o.State, o.PendingReference, seen[o.PendingReference])
		}
		seen[o.PendingReference] = true
	}
}

func togetherPostponeEnquiry(t *testing.T, p pair) {
	const many = 20
	o := inState(t, p[0], op.Pending)
	wantTogether(t, "postpone", p.together(many, func(s *DB, i int) error {
		return s.PostponeEnquiry(background, o.ID, t0, t0.Add(time.Minute), "in progress", i == many/2)
	}), many)
	o, err := p[1].Operation(background, o.ID)
	wantErr(t, "read", err, nil)
	steps, err := p[1].History(background, o.ID)
	if err != nil || o.Enquiries != many || len(steps) != 3+many || o.StuckAt.IsZero() {
		t.Errorf("%d enquiries left %d attempts and %d steps, stuck since %v: %v", many, o.Enquiries, len(steps), o.StuckAt, err)
	}
}

func togetherEvents(t *testing.T, p pair) {
	const many = 20
	terminal := enrolled(t, p[0], 1)
	ids := make([]op.ID, many)
	for i := range ids {
		ids[i] = inState(t, p[0], op.Pending, func(o *central.Operation) { o.Terminal = terminal.ID }).ID
	}
	wantTogether(t, "finish", p.together(many, func(s *DB, i int) error { return step(s, ids[i], op.Succeeded) }), many)
	list, err := p[1].EventsAfter(background, terminal.ID, 0, 100)
	wantErr(t, "events", err, nil)
	reported := map[op.ID]bool{}
	for i, e := range list {
		reported[e.Operation] = true
		if e.Cursor != int64(i+1) {
			t.Errorf("event %d has cursor %d", i, e.Cursor)
		}
	}
	if len(list) != many || len(reported) != many {
		t.Errorf("%d outcomes made %d events of %d operations", many, len(list), len(reported))
	}
}

// togetherRefunds: of several refunds of one transfer that the bank carried out,
// one is written back.
func togetherRefunds(t *testing.T, p pair) {
	const many = 6
	transfer := earned(t, p[0], "TRANSFER", 1, t0)
	ids := make([]op.ID, many)
	for i := range ids {
		ids[i] = refundOf(t, p[i%2], transfer).ID
	}
	wantTogether(t, "refund", p.together(many, func(s *DB, i int) error { return step(s, ids[i], op.Succeeded) }), 1, central.ErrState)
	list, err := balances(p[0])
	wantErr(t, "balances", err, nil)
	for _, b := range list {
		if b.Debits != b.Credits || b.Debits == 0 {
			t.Errorf("after one refund: %+v", b)
		}
	}
}

func togetherKYC(t *testing.T, p pair) {
	states := central.KYCStates()
	ids := make([]op.ID, 2*len(states))
	for i := range ids {
		ids[i] = inState(t, p[0], op.Sent, func(o *central.Operation) {
			o.Merchant, o.KYC = merchant2, &central.KYCStep{Service: central.ServiceAEPS, To: states[i%len(states)]}
		}).ID
	}
	wantTogether(t, "finish", p.together(len(ids), func(s *DB, i int) error { return step(s, ids[i], op.Succeeded) }), len(ids))
	record, err := p[1].KYC(background, merchant2, central.ServiceAEPS)
	wantErr(t, "onboarding", err, nil)
	m, err := p[1].Merchant(background, merchant2)
	if err != nil || record.State != central.KYCApproved || !m.AEPSReady {
		t.Errorf("the onboarding came to %s, ready %v: %v", record.State, m.AEPSReady, err)
	}
}

func togetherSlabs(t *testing.T, p pair) {
	const many = 12
	for _, kind := range []string{"A", "B", "C", "D"} {
		wantTogether(t, "add to one place", p.together(many, func(s *DB, i int) error {
			x := newSlab(kind, 5, 100)
			if i%2 == 0 {
				x.Provider, x.TxnType = "nSdL", strings.ToLower(kind)
			}
			_, err := s.AddSlab(background, x)
			return err
		}), 1, central.ErrSameBand)
		wantTogether(t, "add beside each other", p.together(many, func(s *DB, i int) error {
			_, err := s.AddSlab(background, newSlab(kind, money.Paise(10+i), 100))
			return err
		}), many)
	}
	ids := make([]central.SlabID, many)
	wantTogether(t, "add defaults", p.together(many, func(s *DB, i int) error {
		x := newSlab("MANY", money.Paise(10*i), money.Paise(10*i+10))
		x.IsDefault, ids[i] = true, x.ID
		_, err := s.AddSlab(background, x)
		return err
	}), many)
	list, err := p[0].SlabsFor(background, vendor1, newSlab("MANY", 0, 1).Combination)
	if err != nil || len(list) != many || len(defaults(list)) != 1 {
		t.Errorf("%d slabs, of which %v are the default: %v", len(list), defaults(list), err)
	}
	// A slab that is changed and deleted at once is deleted.
	errs := p.together(2*many, func(s *DB, i int) error {
		if i < many {
			return s.RemoveSlab(background, vendor1, ids[i], t0)
		}
		rate := central.Rate(5)
		_, err := s.ChangeSlab(background, vendor1, ids[i-many], central.SlabChange{Rate: &rate}, t0)
		return err
	})
	wantTogether(t, "delete", errs[:many], many)
	for _, err := range errs[many:] {
		if err != nil && !errors.Is(err, central.ErrNotFound) {
			t.Errorf("change: %v", err)
		}
	}
	if list, err := p[1].SlabsFor(background, vendor1, newSlab("MANY", 0, 1).Combination); err != nil || len(list) != 0 {
		t.Errorf("%d slabs after all were deleted: %v", len(list), err)
	}
}

func togetherKeys(t *testing.T, p pair) {
	const many = 10
	keys := make([]central.VendorKey, many)
	wantTogether(t, "add", p.together(many, func(s *DB, i int) error {
		keys[i] = newVendorKey(vendor1, i)
		return s.AddVendorKey(background, keys[i])
	}), central.MaxLiveKeys, central.ErrState)
	live, err := p[1].LiveVendorKeys(background)
	if err != nil || len(live) != central.MaxLiveKeys {
		t.Fatalf("%d keys live: %v", len(live), err)
	}
	before, err := p[1].Revisions(background)
	wantErr(t, "revisions", err, nil)
	// One key, sent by a caller that repeats himself.
	k := newVendorKey(bareVendor, 50)
	wantTogether(t, "add one", p.together(many, func(s *DB, _ int) error { return s.AddVendorKey(background, k) }), 1, central.ErrTaken)
	if now, err := p[0].Revisions(background); err != nil || now.VendorKeys != before.VendorKeys+1 {
		t.Errorf("the revisions went from %+v to %+v: %v", before, now, err)
	}
	seen := map[central.KeyID]time.Time{k.ID: t0}
	for _, k := range live {
		seen[k.ID] = t0
	}
	wantTogether(t, "note", p.together(4*many, func(s *DB, i int) error {
		own := map[central.KeyID]time.Time{}
		for id := range seen {
			own[id] = t0.Add(time.Duration(i) * time.Second)
		}
		return s.RecordVendorKeyUse(background, own)
	}), 4*many)
	list, err := p[0].VendorKeysOf(background, bareVendor)
	if err != nil || len(list) != 1 || !list[0].UsedAt.Equal(truncateToMillis(t0.Add((4*many-1)*time.Second))) {
		t.Errorf("a key was last used at %+v: %v", list, err)
	}
	var sum atomic.Int64
	wantTogether(t, "lease", p.together(many, func(s *DB, _ int) error {
		uses, err := s.LeaseKeyUses(background, k.ID, 10, 50)
		sum.Add(uses)
		return err
	}), 5, central.ErrState)
	if sum.Load() != 10+20+30+40+50 {
		t.Errorf("the leases end at %d in all", sum.Load())
	}
}

func togetherEnrol(t *testing.T, p pair) {
	const many = 20
	hash := func(i int) [32]byte { return sha256.Sum256(fmt.Appendf(nil, "together %d", i)) }
	wantTogether(t, "add a code", p.together(many, func(s *DB, i int) error {
		return s.AddEnrolmentCode(background, hash(i/2), merchant1, central.Credential{}, t0, t0.Add(time.Hour))
	}), many/2, central.ErrTaken)
	terminals := make([]central.Terminal, many)
	wantTogether(t, "enrol", p.together(many, func(s *DB, i int) (err error) {
		terminals[i], err = s.EnrolTerminal(background, hash(i/2), newTerminal(i))
		return err
	}), many/2, central.ErrNotFound)
	numbers := map[string]bool{}
	for _, x := range terminals {
		if x.TID != "" && numbers[x.TID] {
			t.Errorf("two terminals have %s", x.TID)
		}
		numbers[x.TID] = true
	}
	list, err := p[0].TerminalsOf(background, merchant1)
	if err != nil || len(list) != many/2 {
		t.Errorf("%d terminals: %v", len(list), err)
	}
}

// togetherSeed: a merchant's own number and a terminal's are never the same.
func togetherSeed(t *testing.T, p pair) {
	const many = 10
	hash := func(i int) [32]byte { return sha256.Sum256(fmt.Appendf(nil, "seed %d", i)) }
	for i := range many {
		wantErr(t, "add a code", p[0].AddEnrolmentCode(background, hash(i), merchant1, central.Credential{}, t0, t0.Add(time.Hour)), nil)
	}
	numbers := make([]string, 2*many)
	errs := p.together(2*many, func(s *DB, i int) error {
		if i < many {
			terminal, err := s.EnrolTerminal(background, hash(i), newTerminal(i))
			numbers[i] = terminal.TID
			return err
		}
		number := fmt.Sprintf(tidFormat, 101+i-many)
		err := s.Seed(background, Seed{Merchants: []central.Merchant{{ID: central.MerchantID("seeded " + number), Status: central.MerchantPending, TID: number}}})
		if err == nil {
			numbers[i] = number
		}
		return err
	})
	wantTogether(t, "enrol", errs[:many], many)
	for i, err := range errs[many:] {
		if i != 1 && err != nil && !errors.Is(err, central.ErrTaken) { // the second is another merchant's
			t.Errorf("seed: %v", err)
		}
	}
	seen := map[string]bool{}
	for _, n := range numbers {
		if n != "" && seen[n] {
			t.Errorf("%s was given twice", n)
		}
		seen[n] = true
	}
}

// togetherSpent: what is spent is spent once, while what has expired is cleared
// away by everybody.
func togetherSpent(t *testing.T, p pair) {
	const many = 24
	k := newVendorKey(vendor1, 1)
	wantErr(t, "add a key", p[0].AddVendorKey(background, k), nil)
	old := time.Now().Add(-2 * tokenMargin)
	for round := range 3 {
		wantTogether(t, "fill", p.together(3*many, func(s *DB, i int) error {
			n := byte(round*3*many + i)
			return errors.Join(
				spendToken(s, fmt.Sprint("old ", n), old),
				s.SpendIV(background, k.ID, central.IV{n}, old),
				s.AddEnrolmentCode(background, [32]byte{n}, merchant1, central.Credential{}, old.Add(-time.Second), old))
		}), 3*many)
		wantTogether(t, "spend a token", p.together(many, func(s *DB, i int) error {
			return spendToken(s, fmt.Sprint("new ", round, i/4), time.Now().Add(time.Hour))
		}), many/4, central.ErrTaken)
		wantTogether(t, "forget old IVs", p.together(many, func(s *DB, _ int) error {
			_, err := s.ForgetIVs(background, time.Now())
			return err
		}), many)
		wantTogether(t, "spend an IV", p.together(many, func(s *DB, i int) error {
			return s.SpendIV(background, k.ID, central.IV{byte(round), byte(i / 4), 1}, time.Now().Add(time.Hour))
		}), many/4, central.ErrTaken)
		wantTogether(t, "open a session", p.together(many, func(s *DB, i int) error {
			return s.OpenSession(background, central.AgentSession{TID: "GAL00001", OpenedAt: t0, ExpiresAt: t0.Add(time.Duration(i+1) * time.Minute)})
		}), many)
		if session, err := p[1].Session(background, "GAL00001"); err != nil || !session.ExpiresAt.Equal(truncateToMillis(t0.Add(many*time.Minute))) {
			t.Errorf("the longest session is %+v: %v", session, err)
		}
	}
}
