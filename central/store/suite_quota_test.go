package store

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

func daily(key string, amount money.Paise, maxCount int, maxSum money.Paise) central.Quota {
	return central.Quota{Key: key, Period: "2026-11-21", Amount: amount, MaxCount: maxCount, MaxSum: maxSum, What: "test"}
}

// createWith begins a new operation with quotas.
func createWith(s *DB, quotas ...central.Quota) (central.Operation, error) {
	o, _, err := s.Create(background, newOperation(), quotas)
	return o, err
}

// wantUsed fails unless so much of a key is used on the day.
func wantUsed(t *testing.T, s *DB, key string, count int, sum money.Paise) {
	t.Helper()
	got, err := usage(s, []central.Quota{{Key: key, Period: "2026-11-21"}})
	wantErr(t, "used", err, nil)
	wantSame(t, "used of "+key, got, []central.Used{{Count: count, Sum: sum}})
}

func suiteQuotas(t *testing.T, s *DB) {
	wantUsed(t, s, "k", 0, 0)
	month := central.Quota{Key: "k", Period: "2026-11", Amount: 7, MaxSum: 20}
	o := newOperation()
	if _, isNew, err := s.Create(background, o, []central.Quota{daily("k", 5, 3, 15), daily("l", 0, 2, 0), month}); err != nil || !isNew {
		t.Fatalf("begin: new %v, error %v", isNew, err)
	}
	got, err := usage(s, []central.Quota{daily("l", 0, 0, 0), month, daily("k", 1, 1, 1), daily("m", 1, 1, 1)})
	wantErr(t, "used", err, nil)
	wantSame(t, "used", got, []central.Used{{Count: 1}, {Count: 1, Sum: 7}, {Count: 1, Sum: 5}, {}})

	// Beginning again counts nothing.
	if _, isNew, err := s.Create(background, o, []central.Quota{daily("k", 5, 1, 5)}); err != nil || isNew {
		t.Fatalf("begin again: new %v, error %v", isNew, err)
	}
	wantUsed(t, s, "k", 1, 5)

	// The first quota that does not hold is the one in the error, and nothing
	// of the operation is written.
	bad := newOperation()
	tight := daily("k", 11, 9, 15)
	_, _, err = s.Create(background, bad, []central.Quota{daily("l", 3, 2, 0), tight, {Key: "k", Period: "2026-11", Amount: 100, MaxSum: 20}})
	var refusal *central.QuotaError
	if !errors.As(err, &refusal) {
		t.Fatalf("over a quota: error %v", err)
	}
	wantSame(t, "refusal", *refusal, central.QuotaError{Quota: tight, Used: central.Used{Count: 1, Sum: 5}})
	_, err = s.ByIdentity(background, bad.Caller, bad.Identity)
	wantErr(t, "the refused one's identity", err, central.ErrNotFound)
	_, err = s.Operation(background, bad.ID)
	wantErr(t, "the refused one", err, central.ErrNotFound)
	wantUsed(t, s, "k", 1, 5)
	wantUsed(t, s, "l", 1, 0)

	// The same identity may come again with less.
	if _, isNew, err := s.Create(background, bad, []central.Quota{daily("k", 10, 9, 15)}); err != nil || !isNew {
		t.Fatalf("with less: new %v, error %v", isNew, err)
	}
	wantUsed(t, s, "k", 2, 15)

	// Several bounds on one count are one count.
	if _, err := createWith(s, daily("both", 0, 2, 0), daily("both", 6, 0, 10)); err != nil {
		t.Fatal(err)
	}
	wantUsed(t, s, "both", 1, 6)
	if _, err := createWith(s, daily("both", 0, 2, 0), daily("both", 6, 0, 10)); !errors.As(err, &refusal) || refusal.Quota.MaxSum != 10 {
		t.Fatalf("over the second bound of one count: %v", err)
	}
	if _, err := createWith(s, daily("neg", -1, 0, 0)); err == nil {
		t.Fatal("a negative amount was counted")
	}
	wantUsed(t, s, "neg", 0, 0)
}

func suiteQuotaBounds(t *testing.T, s *DB) {
	const most = money.Paise(1<<63 - 1)
	for i, c := range []struct {
		maxCount int
		maxSum   money.Paise
		amounts  []money.Paise
		fits     int // so many of them
	}{
		{0, 0, []money.Paise{1, 2, 3}, 3},
		{1, 0, []money.Paise{1, 1}, 1},
		{3, 0, []money.Paise{0, 0, 0, 0}, 3},
		{0, 10, []money.Paise{4, 6, 1}, 2},
		{0, 10, []money.Paise{10, 0, 1}, 2},
		{0, 10, []money.Paise{11}, 0},
		{2, 100, []money.Paise{1, 1, 1}, 2},
		{0, most, []money.Paise{most, 1}, 1},
		{0, 1, []money.Paise{most}, 0},
	} {
		key := fmt.Sprint("bounds ", i)
		fits := 0
		for _, amount := range c.amounts {
			_, err := createWith(s, daily(key, amount, c.maxCount, c.maxSum))
			if err != nil {
				break
			}
			fits++
		}
		if fits != c.fits {
			t.Errorf("count %d, sum %d: %d of %v fit, want %d", c.maxCount, c.maxSum, fits, c.amounts, c.fits)
		}
	}

	// Two never share the last place.
	const callers, places = 32, 5
	var wg sync.WaitGroup
	var mu sync.Mutex
	fit := 0
	for range callers {
		wg.Go(func() {
			_, err := createWith(s, daily("places", 3, 0, 3*places+1))
			var refusal *central.QuotaError
			if err != nil && !errors.As(err, &refusal) {
				t.Errorf("begin: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				fit++
			}
		})
	}
	wg.Wait()
	if fit != places {
		t.Fatalf("%d of %d found one of %d places", fit, callers, places)
	}
	wantUsed(t, s, "places", places, 3*places)
}

func suiteGivenBack(t *testing.T, s *DB) {
	ends := []struct {
		path []op.State
		back bool
	}{
		{[]op.State{op.Refused}, true},
		{[]op.State{op.Failed}, true},
		{[]op.State{op.Sent, op.Failed}, true},
		{[]op.State{op.Sent, op.Succeeded}, false},
		{[]op.State{op.Sent, op.Pending, op.Succeeded}, false},
		{[]op.State{op.Sent, op.Pending, op.Failed}, true},
		{[]op.State{op.Sent, op.Pending, op.Reversed}, true},
	}
	for i, end := range ends {
		key := fmt.Sprint("back ", i)
		stays, err := createWith(s, daily(key, 100, 0, 0))
		wantErr(t, "begin", err, nil)
		o, err := createWith(s, daily(key, 7, 0, 0), daily(key+" too", 1, 0, 0))
		wantErr(t, "begin", err, nil)
		for _, to := range end.path {
			wantUsed(t, s, key, 2, 107)
			wantErr(t, "step", step(s, o.ID, to), nil)
		}
		for range 2 { // and once only
			if end.back {
				wantUsed(t, s, key, 1, 100)
				wantUsed(t, s, key+" too", 0, 0)
			} else {
				wantUsed(t, s, key, 2, 107)
				wantUsed(t, s, key+" too", 1, 1)
			}
			for _, to := range []op.State{op.Failed, op.Refused, op.Reversed} {
				wantErr(t, "finish again", step(s, o.ID, to), central.ErrState)
			}
		}
		wantErr(t, "the other", step(s, stays.ID, op.Refused), nil)
	}
}

// usage reads for each quota how much of it is used. An unused one is zero.
func usage(s *DB, quotas []central.Quota) ([]central.Used, error) {
	list := make([]central.Used, len(quotas))
	return list, s.read(background, func(c conn) error {
		for i, q := range quotas {
			list[i] = central.Used{}
			err := c.one(`SELECT count, sum FROM quota_usage WHERE key = $1 AND period = $2`, []any{q.Key, q.Period}, &list[i].Count, &list[i].Sum)
			if err != nil && !errors.Is(err, central.ErrNotFound) {
				return err
			}
		}
		return nil
	})
}
