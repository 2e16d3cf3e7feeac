package store

import (
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

func TestSeedAgain(t *testing.T) { onBoth(t, seedAgain) }

func seedAgain(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	seed := testSeed()
	seed.Merchants[0].LegalName, seed.Merchants[0].Status = "Changed", central.MerchantSuspended
	seed.Merchants = append(seed.Merchants, central.Merchant{ID: "new", LegalName: "New Store", Status: central.MerchantPending})
	wantErr(t, "seed again", s.Seed(background, seed), nil)
	m, err := s.Merchant(background, merchant1)
	wantErr(t, "read", err, nil)
	if m.LegalName != "Test Store" || m.Status != central.MerchantApproved {
		t.Errorf("seeding again changed a merchant: %+v", m)
	}
	m, err = s.Merchant(background, "new")
	wantErr(t, "read", err, nil)
	if age := time.Since(m.CreatedAt); age < 0 || age > time.Hour {
		t.Errorf("a merchant without a moment was created at %v", m.CreatedAt)
	}

	terminal := enrolled(t, s, 1)
	for name, bad := range map[string]Seed{
		"a terminal's number":     {Merchants: []central.Merchant{{ID: "x", Status: central.MerchantPending, TID: terminal.TID}}},
		"a merchant's number":     {Merchants: []central.Merchant{{ID: "x", Status: central.MerchantPending, TID: "GAL00001"}}},
		"a status that is none":   {Merchants: []central.Merchant{{ID: "x", Status: "OPEN"}}},
		"a vendor that is none":   {Merchants: []central.Merchant{{ID: "x", Status: central.MerchantPending, Vendor: "nobody"}}},
		"a secret in the clear":   {Clients: []central.Client{{ID: "x", SecretHash: "sandbox-merchant-1", Principal: central.Principal{Role: op.Merchant, Merchant: merchant1}}}},
		"a role without a party":  {Clients: []central.Client{{ID: "x", SecretHash: argon, Principal: central.Principal{Role: op.Vendor, Merchant: merchant1}}}},
		"a role that is none":     {Clients: []central.Client{{ID: "x", SecretHash: argon, Principal: central.Principal{Role: "bank"}}}},
		"no aggregator of its id": {Vendors: []central.Vendor{{ID: "x", Aggregator: "nobody"}}},
		"no aggregator id":        {Aggregators: []Aggregator{{LegalName: "x"}}},
	} {
		bad.Vendors = append([]central.Vendor{{ID: "first", LegalName: "of the same seed"}}, bad.Vendors...)
		if err := s.Seed(background, bad); err == nil {
			t.Errorf("seeded with %s", name)
		}
		_, err := s.Vendor(background, "first")
		wantErr(t, "what a refused seed began with", err, central.ErrNotFound)
	}
}

func TestBacklog(t *testing.T) { onBoth(t, backlog) }

func backlog(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	for _, state := range []op.State{op.Received, op.Sent, op.Pending, op.Pending, op.Succeeded, op.Reversed} {
		inState(t, s, state)
	}
	stuck := inState(t, s, op.Pending)
	wantErr(t, "give up", s.PostponeEnquiry(background, stuck.ID, t0, t0, "", true), nil)
	b, err := s.Backlog(background)
	if err != nil || b.Received.Count != 1 || b.Sent.Count != 1 || b.Pending.Count != 3 || b.Stuck.Count != 1 {
		t.Errorf("backlog: %+v, %v; want 1 received, 1 sent, 3 pending and of these 1 stuck", b, err)
	}
	for state, w := range map[op.State]BacklogCount{op.Received: b.Received, op.Sent: b.Sent, op.Pending: b.Pending, "stuck": b.Stuck} {
		if w.Oldest.IsZero() || w.Oldest.After(stuck.CreatedAt) {
			t.Errorf("the oldest operation that is %s is of %v; want a moment until %v", state, w.Oldest, stuck.CreatedAt)
		}
	}
}

func TestSchemaVersion(t *testing.T) { onBoth(t, schemaVersion) }

// schemaVersion: an open database has the program's version. Without the record of the
// last migration, it has an earlier one.
func schemaVersion(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	has, brings, err := s.SchemaVersion(background)
	if err != nil || has != brings || brings < 1 {
		t.Fatalf("schema %d of %d, %v", has, brings, err)
	}
	wantErr(t, "forget the last step", s.write(background, func(c conn) error {
		_, err := c.exec(`DELETE FROM schema_versions WHERE version_id = $1`, brings)
		return err
	}), nil)
	if has, _, err := s.SchemaVersion(background); err != nil || has >= brings {
		t.Errorf("without its last step the schema is %d, %v; want one before %d", has, err, brings)
	}
}

func TestRunsOutOfTerminalNumbers(t *testing.T) { onBoth(t, runsOutOfTerminalNumbers) }

func runsOutOfTerminalNumbers(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	wantErr(t, "set the counter", s.write(background, func(c conn) error {
		_, err := c.exec(`UPDATE counters SET value = $1 WHERE name = 'terminal'`, lastTID)
		return err
	}), nil)
	if last := enrolled(t, s, 1); last.TID != "GAL99999" {
		t.Fatalf("the last terminal has %s", last.TID)
	}
	hash := [32]byte{1}
	wantErr(t, "add a code", s.AddEnrolmentCode(background, hash, merchant1, central.Credential{}, t0, t0.Add(time.Hour)), nil)
	if _, err := s.EnrolTerminal(background, hash, newTerminal(2)); err == nil || !strings.Contains(err.Error(), "GAL99999 are allotted") {
		t.Errorf("one terminal too many: %v", err)
	}
}

// TestTwoOnOneDatabase lets two stores, as two programs would, work on one
// database.
func TestTwoOnOneDatabase(t *testing.T) { onBoth(t, twoOnOneDatabase) }

func twoOnOneDatabase(t *testing.T, on kind) {
	place := on.seeded(t)
	stores := []*DB{openAt(t, place, testConfig()), openAt(t, place, testConfig())}

	const each = 20
	shared := make([]central.Operation, each)
	for i := range shared {
		shared[i] = newOperation()
	}
	var mu sync.Mutex
	fresh, claims := 0, map[op.ID]int{}
	var wg sync.WaitGroup
	for _, s := range stores {
		for _, o := range shared {
			mine := newOperation()
			mine.Caller, mine.Identity = o.Caller, o.Identity
			wg.Go(func() {
				known, isNew, err := s.Create(background, mine, nil)
				wantNil(t, err)
				if isNew {
					wantNil(t, step(s, known.ID, op.Sent))
					wantNil(t, step(s, known.ID, op.Pending))
				}
				mu.Lock()
				defer mu.Unlock()
				if isNew {
					fresh++
				}
			})
		}
	}
	wg.Wait()
	if fresh != each {
		t.Errorf("%d identities began %d operations over two stores", each, fresh)
	}
	now := t0.Add(time.Hour)
	for _, s := range stores {
		wg.Go(func() {
			for range each {
				got, err := s.ClaimEnquiries(background, now, now.Add(time.Hour), 2)
				wantNil(t, err)
				mu.Lock()
				for _, o := range got {
					claims[o.ID]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for id, n := range claims {
		if n != 1 {
			t.Errorf("operation %s was claimed %d times", id, n)
		}
	}
	if len(claims) != each {
		t.Errorf("%d of %d operations were claimed", len(claims), each)
	}
}
