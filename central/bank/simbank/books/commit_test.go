package books

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/shared/money"
)

// TestChangesShareACommit: what comes during a commit shares the next one. A change
// that fails, or panics, takes only itself back.
func TestChangesShareACommit(t *testing.T) {
	b := openBooks(t, testConfig(t))
	began, finish := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	var made []string
	errs := map[string]error{}
	write := func(name string, end func() error) func(ledger) error {
		return func(k ledger) error {
			mu.Lock()
			made = append(made, name)
			mu.Unlock()
			return errors.Join(k.addMessage("9000000001", time.UnixMilli(1), name), end())
		}
	}
	var all sync.WaitGroup
	commit := func(name string, end func() error) {
		all.Go(func() {
			err := b.db.commit(t.Context(), write(name, end))
			mu.Lock()
			defer mu.Unlock()
			errs[name] = err
			if name == "good" && len(made) != 5 {
				t.Errorf("a change returned before those beside it were made: %v", made)
			}
		})
	}
	fine := func() error { return nil }
	commit("first", func() error { close(began); <-finish; return nil })
	<-began
	wrong := errors.New("a wrong change")
	left, cancel := context.WithCancel(t.Context())
	cancel() // a caller that leaves does not interrupt
	all.Go(func() {
		if err := b.db.commit(left, write("left", fine)); err != nil {
			t.Errorf("left: %v", err)
		}
	})
	commit("good", fine)
	commit("wrong", func() error { return wrong })
	commit("panics", func() error { panic("a panic") })
	for waiting := 0; waiting < 4; time.Sleep(time.Millisecond) {
		b.db.queue.mu.Lock()
		waiting = len(b.db.queue.waiting)
		b.db.queue.mu.Unlock()
	}
	close(finish)
	all.Wait()
	if errs["first"] != nil || errs["good"] != nil || !errors.Is(errs["wrong"], wrong) || errs["panics"] == nil || !strings.Contains(errs["panics"].Error(), "a panic") {
		t.Errorf("errors: %v", errs)
	}
	var kept []string
	err := b.db.committed(t.Context()).rows("read", `SELECT text FROM messages`, nil, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		kept = append(kept, text)
		return err
	})
	slices.Sort(kept)
	if err != nil || !slices.Equal(kept, []string{"first", "good", "left"}) {
		t.Errorf("the books have %v, %v", kept, err)
	}
	if b.db.queue.busy || len(b.db.queue.waiting) != 0 {
		t.Error("the queue is not empty")
	}
}

// TestABrokenTransactionIsNobodysSuccess: where the database ends the transaction in
// the middle, no change of it may count as made.
func TestABrokenTransactionIsNobodysSuccess(t *testing.T) {
	b := openBooks(t, testConfig(t))
	shared := []*change{
		{fn: func(k ledger) error { return k.addMessage("9000000001", time.UnixMilli(1), "before") }},
		{fn: func(k ledger) error { return k.exec("end it", `ROLLBACK`) }},
		{fn: func(k ledger) error { return k.addMessage("9000000001", time.UnixMilli(1), "after") }},
	}
	b.db.commitAll(t.Context(), shared)
	for i, c := range shared {
		if c.err == nil {
			t.Errorf("change %d counts as made", i)
		}
	}
	var n int
	if _, err := b.db.committed(t.Context()).row("count", `SELECT count(*) FROM messages`, nil, &n); err != nil || n != 0 {
		t.Errorf("%d messages, %v", n, err)
	}
	if a := withdraw(t, b, "AFTER1", 100*money.Rupee); a.Code != codeApproved {
		t.Errorf("the books do not go on: %+v", a)
	}
}

// TestManyChangesAtOnce: each of many commits is made once, and none is forgotten.
func TestManyChangesAtOnce(t *testing.T) {
	b := openBooks(t, testConfig(t))
	var all sync.WaitGroup
	const callers, each = 100, 5
	for c := range callers {
		all.Go(func() {
			for i := range each {
				if a := withdraw(t, b, fmt.Sprintf("M%d-%d", c, i), money.Rupee); a.Code != codeApproved {
					t.Errorf("%+v", a)
				}
			}
		})
	}
	all.Wait()
	trial, err := b.Trial(t.Context())
	if err != nil || trial.Debits != trial.Credits {
		t.Errorf("%+v, %v", trial, err)
	}
	found, err := b.Executions(t.Context(), Filter{To: time.Now().Add(time.Hour)})
	if err != nil || len(found) != callers*each {
		t.Errorf("%d executions, %v", len(found), err)
	}
}
