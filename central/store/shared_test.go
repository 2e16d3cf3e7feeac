package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central"
	"galla/central/store/dbconn"
	"galla/shared/op"
)

// finish is Finish by a caller who has read the operation, as the engine has.
func finish(s *DB, x central.FinalOutcome) (central.Operation, error) {
	if o, err := s.Operation(background, x.ID); err == nil {
		x.Before = &o
	}
	return s.Finish(background, x)
}

// TestSharedWritesTheSame takes the same operations through shared statements and through
// transactions of their own, and compares every row.
func TestSharedWritesTheSame(t *testing.T) {
	rows := func(shared bool) string {
		s := onPostgres.open(t, testConfig())
		terminal := enrolled(t, s, 1)
		if !shared {
			s.shared = nil
		}
		own := &counted{DB: s.db}
		s.db = own
		for i, to := range []op.State{op.Received, op.Sent, op.Succeeded, op.Failed, op.Refused, op.Failed, op.Succeeded, op.Reversed, op.Failed} {
			o := sharedOperation(i)
			o.Terminal = terminal.ID
			var quotas []central.Quota
			if i%2 == 1 {
				quotas = []central.Quota{daily("a", 5, 9, 900_00), daily("b", 7, 0, 0), daily("a", 6, 8, 0)}
				withRef(fmt.Sprint("ref-", i))(&o)
			}
			if to != op.Refused && to != op.Received && i != 7 {
				o.State, o.SentAt, o.BankNotAfter = op.Sent, t0.Add(time.Millisecond), t0.Add(time.Second)
			}
			got, isNew, err := s.Create(background, o, quotas)
			if err != nil || !isNew {
				t.Fatalf("create: new %t, error %v", isNew, err)
			}
			wantStored(t, s, got)
			if to == op.Received || to == op.Sent {
				continue
			}
			if i >= 6 {
				got = throughPending(t, s, got, i%2 == 0)
			}
			x := finalOutcome(o.ID, to)
			x.Before = &got
			x.Answer.Charge = 3
			if to == op.Succeeded {
				x.Earning = earningOf(o, "IMPS", 1)
			}
			if i == 5 {
				x.Answer.Refusal = central.RefusedOTP
			}
			got, err = s.Finish(background, x)
			wantErr(t, "finish", err, nil)
			wantStored(t, s, got)
		}
		if want := map[bool]int64{true: 2, false: 22}[shared]; own.writes.Load() != want { // two postponed enquiries
			t.Errorf("shared statements %t, and %d other transactions, want %d", shared, own.writes.Load(), want)
		}
		return strings.ReplaceAll(tables(t, s), string(terminal.ID), "its terminal")
	}
	alone, shared := strings.Split(rows(false), "\n"), strings.Split(rows(true), "\n")
	for i := range min(len(alone), len(shared)) {
		wantSame(t, "a row of shared statements", shared[i], alone[i])
	}
	if len(alone) != len(shared) || len(alone) < 40 {
		t.Errorf("%d rows alone and %d shared, want the same number of at least 40", len(alone), len(shared))
	}
}

// throughPending takes an operation to the state pending, if need be through sent, and
// perhaps through an enquiry without an answer.
func throughPending(t *testing.T, s *DB, o central.Operation, enquiry bool) central.Operation {
	t.Helper()
	if o.State == op.Received {
		wantErr(t, "mark as sent", s.MarkSent(background, central.SentUpdate{ID: o.ID, Before: &o, At: t0.Add(time.Second), BankNotAfter: t0.Add(time.Minute)}), nil)
		o.State, o.SentAt, o.BankNotAfter = op.Sent, t0.Add(time.Second), t0.Add(time.Minute)
	}
	x := pendingUpdate(o.ID)
	x.Before = &o
	o, err := s.MarkPending(background, x)
	wantErr(t, "mark pending", err, nil)
	wantStored(t, s, o)
	if enquiry {
		wantErr(t, "an enquiry", s.PostponeEnquiry(background, o.ID, t0, t0.Add(time.Minute), "in progress", true), nil)
		o, err = s.Operation(background, o.ID)
		wantErr(t, "read", err, nil)
	}
	return o
}

// counted counts the transactions beside the shared statements.
type counted struct {
	dbconn.DB
	writes atomic.Int64
}

// Write implements dbconn.DB.
func (d *counted) Write(ctx context.Context, do func(dbconn.Conn) error) error {
	d.writes.Add(1)
	return d.DB.Write(ctx, do)
}

// sharedOperation is the same operation in every run.
func sharedOperation(i int) central.Operation {
	o := newOperation()
	o.ID = op.ID(fmt.Sprintf("0193519c-0000-7000-8000-a%011d", i))
	o.Identity, o.Reference = fmt.Sprint("identity-", i), central.Reference(fmt.Sprint("GLSHARED", i))
	o.Fingerprint = [32]byte{byte(i)}
	o.Party = party1
	return o
}

// wantStored compares an operation that a call returned with what is read.
func wantStored(t *testing.T, s *DB, got central.Operation) {
	t.Helper()
	read, err := s.Operation(background, got.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "returned", got, read)
}

// tables are all rows that an operation writes.
func tables(t *testing.T, s *DB) string {
	t.Helper()
	var text strings.Builder
	for _, table := range []string{"operations", "operation_names", "identities", "operation_steps", "quota_usage", "reservations", "commissions", "ledger_entries", "events", "callbacks"} {
		wantErr(t, "read "+table, s.read(background, func(c conn) error {
			return c.Each(`SELECT x::text FROM `+table+` AS x ORDER BY 1`, nil, func(r row) error {
				var line string
				err := r.Scan(&line)
				fmt.Fprintln(&text, table, line)
				return err
			})
		}), nil)
	}
	return text.String()
}

// TestSharedServesMany: one statement serves the ordinary ones of several calls, and
// leaves the others as if they had not come.
func TestSharedServesMany(t *testing.T) {
	s := onPostgres.open(t, testConfig())
	known := created(t, s, withRef("known"))
	_, _, err := s.Create(background, newOperation(), []central.Quota{daily("full", 1, 1, 0)})
	wantErr(t, "fill a quota", err, nil)
	before := tables(t, s)
	sameIdentity, sameName, full := newOperation(), newOperation(), newOperation()
	sameIdentity.Identity = known.Identity
	withRef("known")(&sameName)
	calls := []newCall{{operation: newOperation()}, {operation: sameIdentity}, {operation: sameName},
		{operation: full, counts: []quotaCount{{at: usageKey{"full", "2026-11-21"}, amount: 1, maxCount: 1}}}, {operation: newOperation()}}
	calls[3].counts, _ = countsOf([]central.Quota{daily("full", 1, 1, 0)})
	served := make([]bool, len(calls))
	wantErr(t, "serve", s.runShared(sharedCreate, argsOfNew(testNode, calls), served), nil)
	wantSame(t, "served", served, []bool{true, false, false, false, true})
	wantStored(t, s, asCreated(calls[0].operation))
	wantStored(t, s, asCreated(calls[4].operation))
	if a, b := strings.Count(tables(t, s), "\n"), strings.Count(before, "\n"); a != b+2*4 {
		t.Errorf("two new operations have %d rows in all, want 8:\n%s", a-b, tables(t, s))
	}

	// What fails leaves nothing of its neighbours.
	before = tables(t, s)
	taken := newOperation()
	taken.Reference = known.Reference
	if err := s.runShared(sharedCreate, argsOfNew(testNode, []newCall{{operation: newOperation()}, {operation: taken}}), served); err == nil {
		t.Error("a reference was given twice")
	}
	wantSame(t, "after a failure", tables(t, s), before)

	// Operations of one quota are counted together. Where only some have room, none is
	// created.
	both := func() []newCall {
		counts, _ := countsOf([]central.Quota{daily("both", 3, 3, 0)})
		return []newCall{{operation: newOperation(), counts: counts}, {operation: newOperation(), counts: counts}}
	}
	pair := make([]bool, 2)
	wantErr(t, "two of one quota", s.runShared(sharedCreate, argsOfNew(testNode, both()), pair), nil)
	wantSame(t, "served", pair, []bool{true, true})
	after := tables(t, s)
	if !strings.Contains(after, "quota_usage (both,2026-11-21,2,6)") {
		t.Errorf("two of one quota are not counted as two:\n%s", after)
	}
	if err := s.runShared(sharedCreate, argsOfNew(testNode, both()), pair); err == nil {
		t.Error("two got the room of one")
	}
	wantSame(t, "after two for one", tables(t, s), after)

	calls2 := []finalCall{}
	for i, to := range []op.State{op.Refused, op.Failed, op.Succeeded} {
		o := calls[0].operation
		if i == 2 {
			o.State = op.Sent // it is not
		}
		if i == 1 {
			o = calls[4].operation
		}
		calls2 = append(calls2, finalCall{o, finalOutcome(o.ID, to)})
	}
	calls2[2].outcome.ID = known.ID
	calls2[2].before = known
	calls2[2].before.State = op.Sent
	served = make([]bool, 3)
	wantErr(t, "serve", s.runShared(ofMonth(sharedFinish, "2026-11"), argsOfFinal(testNode, calls2), served), nil)
	wantSame(t, "served", served, []bool{true, true, false})
	wantStored(t, s, known)
}

// runShared runs a shared statement for given calls.
func (s *DB) runShared(text string, args []any, served []bool) error {
	return s.write(background, func(c conn) error {
		if err := c.Each(`SELECT set_config('galla.names', 'written', true)`, nil, func(row) error { return nil }); err != nil {
			return err
		}
		return c.Conn.Each(text, args, func(r dbconn.Row) error {
			var place int
			err := r.Scan(&place)
			served[place-1] = true
			return err
		})
	})
}

// TestSharedQuotas: of many callers at once, as many get a quota's room as it has.
func TestSharedQuotas(t *testing.T) {
	s := onPostgres.open(t, testConfig())
	const callers, room = 40, 7
	var mu sync.Mutex
	created := 0
	var wg sync.WaitGroup
	for range callers {
		o := newOperation()
		wg.Go(func() {
			_, isNew, err := s.Create(background, o, []central.Quota{daily("shared", 10, room, 0), daily(string(o.ID), 1, 0, 0)})
			mu.Lock()
			defer mu.Unlock()
			if isNew {
				created++
			} else if refusal := new(central.QuotaError); !errors.As(err, &refusal) {
				t.Errorf("refused with %v", err)
			}
		})
	}
	wg.Wait()
	if created != room {
		t.Errorf("%d of %d have got room for %d", created, callers, room)
	}
}

// TestSharedWithoutPreparing runs a withdrawal in every way in which the driver sends
// statements, such as without prepared ones behind a pool by transaction.
func TestSharedWithoutPreparing(t *testing.T) {
	place := onPostgres.seeded(t)
	for _, mode := range []string{"cache_statement", "cache_describe", "describe_exec", "exec"} {
		s := openAt(t, place+"?default_query_exec_mode="+mode, testConfig())
		own := &counted{DB: s.db}
		s.db = own
		for range 3 {
			if err := withdrawInTwo(s); err != nil || own.writes.Load() != 0 {
				t.Fatalf("%s: error %v, and %d other transactions", mode, err, own.writes.Load())
			}
		}
	}
}
