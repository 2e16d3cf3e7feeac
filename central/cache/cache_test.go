package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
)

// fakeStore is a database in memory.
type fakeStore struct {
	mu        sync.Mutex
	revisions Revisions
	changes   atomic.Int64
	merchant  central.Merchant
	slabs     []central.Slab
	polls     int
	reads     int
	fails     error
	slow      time.Duration // of each reading of the revisions
}

func (s *fakeStore) Revisions(ctx context.Context) (Revisions, error) {
	s.mu.Lock()
	r, err := s.revisions, s.fails
	s.polls++
	s.mu.Unlock()
	if s.slow > 0 {
		select {
		case <-time.After(s.slow):
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return r, err
}

func (s *fakeStore) Changes() int64 { return s.changes.Load() }

// set changes the database; own tells whether this process does.
func (s *fakeStore) set(own bool, change func()) {
	s.mu.Lock()
	change()
	s.mu.Unlock()
	if own {
		s.changes.Add(1)
	}
}

func read[T any](s *fakeStore, found bool, v T) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if !found {
		var none T
		return none, central.ErrNotFound
	}
	return v, s.fails
}

func (s *fakeStore) Merchant(_ context.Context, id central.MerchantID) (central.Merchant, error) {
	s.mu.Lock()
	m := s.merchant
	s.mu.Unlock()
	return read(s, id == m.ID, m)
}

func (s *fakeStore) Vendor(_ context.Context, id central.VendorID) (central.Vendor, error) {
	return read(s, true, central.Vendor{ID: id})
}

func (s *fakeStore) Terminal(_ context.Context, id central.TerminalID) (central.Terminal, error) {
	return read(s, true, central.Terminal{ID: id})
}

func (s *fakeStore) Client(_ context.Context, id string) (central.Client, error) {
	return read(s, true, central.Client{ID: id})
}

func (s *fakeStore) SlabsFor(context.Context, central.VendorID, central.Combination) ([]central.Slab, error) {
	s.mu.Lock()
	list := s.slabs
	s.mu.Unlock()
	return read(s, true, list)
}

// suspend suspends the merchant.
func (s *fakeStore) suspend() {
	s.merchant.Status = central.MerchantSuspended
	s.revisions.Accounts++
}

func newFake() (*fakeStore, *Parties) {
	s := &fakeStore{merchant: central.Merchant{ID: "m", Status: central.MerchantApproved}, revisions: Revisions{1, 1, 1}}
	return s, NewParties(s, NewWatch(s))
}

// status is the merchant's status as the cache has it.
func status(t *testing.T, p *Parties) central.MerchantStatus {
	t.Helper()
	m, err := p.Merchant(t.Context(), "m")
	if err != nil {
		t.Fatal(err)
	}
	return m.Status
}

// TestMemorySavesReads: records are read once, and the revisions a few times a second.
func TestMemorySavesReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newFake()
		for range 1000 {
			for _, err := range []error{
				second(p.Merchant(t.Context(), "m")), second(p.Vendor(t.Context(), "v")), second(p.Terminal(t.Context(), "t")),
				second(p.Client(t.Context(), "c")), second(p.SlabsFor(t.Context(), "v", central.Combination{})),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Millisecond)
		}
		if s.reads != 5 || s.polls != 4 {
			t.Errorf("%d reads, %d polls", s.reads, s.polls)
		}
		time.Sleep(time.Hour)
		if s.polls != 4 {
			t.Errorf("%d polls without requests", s.polls)
		}
		if _, err := p.FreshClient(t.Context(), "c"); err != nil || s.reads != 6 {
			t.Errorf("a client as it is now: %d reads, %v", s.reads, err)
		}
	})
}

func second[T any](_ T, err error) error { return err }

// TestChangesOfOthers take effect within a second, and those of this process at once.
func TestChangesOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newFake()
		for range 100 { // whatever the time of the change
			s.set(true, func() { s.merchant.Status = central.MerchantApproved; s.revisions.Accounts++ })
			if got := status(t, p); got != central.MerchantApproved {
				t.Fatalf("after a change of this process: %s", got)
			}
			time.Sleep(7 * time.Millisecond)
			s.set(false, s.suspend)
			for range 10 {
				time.Sleep(validFor / 10)
				_ = status(t, p)
			}
			if got := status(t, p); got != central.MerchantSuspended {
				t.Fatalf("a second after another process's change: %s", got)
			}
		}
		s.set(false, func() { s.slabs = []central.Slab{{ID: "s"}}; s.revisions.Slabs++ })
		time.Sleep(validFor)
		if list, err := p.SlabsFor(t.Context(), "v", central.Combination{}); err != nil || len(list) != 1 {
			t.Errorf("%d slabs, %v", len(list), err)
		}
	})
}

// TestNothingIsKnownWithoutTheDatabase: what is in memory is used for a second at most
// while the revisions can't be read, and not at all after a change of this process.
func TestNothingIsKnownWithoutTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newFake()
		_ = status(t, p)
		broken := errors.New("disk on fire")
		s.set(false, func() { s.fails = broken })
		time.Sleep(validFor - time.Millisecond)
		_ = status(t, p)
		time.Sleep(time.Millisecond)
		if _, err := p.Merchant(t.Context(), "m"); !errors.Is(err, broken) {
			t.Errorf("a second later: %v", err)
		}
		s.set(false, func() { s.fails = nil })
		_ = status(t, p)
		s.set(true, func() { s.fails = broken })
		for _, err := range []error{
			second(p.Merchant(t.Context(), "m")), second(p.Vendor(t.Context(), "v")), second(p.Terminal(t.Context(), "t")),
			second(p.Client(t.Context(), "c")), second(p.FreshClient(t.Context(), "c")), second(p.SlabsFor(t.Context(), "v", central.Combination{})),
		} {
			if !errors.Is(err, broken) {
				t.Errorf("after a change of this process: %v", err)
			}
		}
	})
}

// TestWhatDoesNotExistIsNotRemembered.
func TestWhatDoesNotExistIsNotRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newFake()
		if _, err := p.Merchant(t.Context(), "new"); !errors.Is(err, central.ErrNotFound) {
			t.Errorf("err = %v", err)
		}
		s.set(false, func() { s.merchant.ID = "new" })
		if _, err := p.Merchant(t.Context(), "new"); err != nil {
			t.Errorf("err = %v", err)
		}
	})
}

// TestASlowReadingOfTheRevisions: while one request reads them, the others use what is
// known, and wait when that is too old; a request that goes away takes nobody with it.
func TestASlowReadingOfTheRevisions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newFake()
		_ = status(t, p)
		time.Sleep(pollEvery)
		s.slow = 2 * time.Second
		began := time.Now()
		leaving, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := p.Merchant(leaving, "m"); err != nil {
				t.Errorf("what was known when its reading ended: %v", err)
			}
		})
		synctest.Wait()
		_ = status(t, p)
		if took := time.Since(began); took != 0 {
			t.Errorf("a request waited %v, although the revisions are known", took)
		}
		time.Sleep(validFor)
		wg.Go(func() {
			if _, err := p.Merchant(t.Context(), "m"); err != nil {
				t.Error(err)
			}
		})
		impatient, giveUp := context.WithTimeout(t.Context(), time.Millisecond)
		defer giveUp()
		if _, err := p.Merchant(impatient, "m"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v", err)
		}
		leave()
		wg.Wait()
		if s.polls != 3 {
			t.Errorf("%d polls", s.polls)
		}
	})
}

// TestRequestsShareASlowReading: of many requests that wait, those that asked before a
// reading began use it, however long it took.
func TestRequestsShareASlowReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newFake()
		s.slow = 2 * validFor
		began := time.Now()
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if _, err := p.Merchant(t.Context(), "m"); err != nil {
					t.Error(err)
				}
			})
			time.Sleep(time.Millisecond)
		}
		wg.Wait()
		if took := time.Since(began); s.polls != 2 || took > 3*s.slow {
			t.Errorf("%d polls in %v", s.polls, took)
		}
	})
}

// TestAnOldRevisionKeepsNothing: a record that was read before a change is not kept
// after it.
func TestAnOldRevisionKeepsNothing(t *testing.T) {
	var x table[string, int]
	value := 1
	readValue := func(context.Context, string) (int, error) { return value, nil }
	get := func(revision int64) int {
		v, _ := x.get(t.Context(), revision, "k", readValue)
		return v
	}
	if get(1) != 1 {
		t.Error("not what was read")
	}
	// A request of revision 1 reads, and meanwhile another one of revision 2 has read.
	v, _ := x.get(t.Context(), 2, "k", func(context.Context, string) (int, error) {
		old := value
		value = 3
		if got := get(3); got != 3 {
			t.Errorf("revision 3 has %d", got)
		}
		return old, nil
	})
	if v != 1 || get(3) != 3 {
		t.Errorf("revision 2 gave %d, and now revision 3 gives %d", v, get(3))
	}
	value = 4
	if got := get(2); got != 4 {
		t.Errorf("an older revision gives %d from memory", got)
	}
	if got := get(3); got != 3 {
		t.Errorf("revision 3 gives %d", got)
	}
}

// TestMemoryIsBounded, and what is in use stays.
func TestMemoryIsBounded(t *testing.T) {
	var x table[string, int]
	reads := 0
	readValue := func(context.Context, string) (int, error) { reads++; return 1, nil }
	for i := range 5 * maxEntries {
		for _, key := range []string{"always", fmt.Sprint(i)} {
			_, _ = x.get(t.Context(), 1, key, readValue)
		}
	}
	if n := len(x.current) + len(x.previous); n > 2*maxEntries || reads != 5*maxEntries+1 {
		t.Errorf("%d entries, %d reads", n, reads)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = x.get(t.Context(), 1, "always", readValue) }); n > 0 {
		t.Errorf("a hit allocates %v times", n)
	}
}
