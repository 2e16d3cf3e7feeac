package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/store/postgres"
	"galla/shared/op"
)

// sentOperation is a new operation that is created as sent.
func sentOperation() central.Operation {
	o := newOperation()
	o.State, o.SentAt, o.BankNotAfter = op.Sent, t0, t0.Add(15*time.Second)
	return o
}

// TestCreateAfterLoss looks for an operation whose statement was not answered: in every
// case it is created once, and only one call gets it as new.
func TestCreateAfterLoss(t *testing.T) {
	s := onPostgres.open(t, testConfig())
	quotas := []central.Quota{daily("a", 1, 0, 0)}
	served := func(o central.Operation) postgres.Answer {
		t.Helper()
		counts, _ := countsOf(quotas)
		answer, err := s.shared.create.Do(background, newCall{asCreated(o), counts, o.Message})
		wantErr(t, "the statement", err, nil)
		return answer
	}

	recorded := sentOperation()
	if served(recorded) != postgres.Served {
		t.Fatal("the statement does not serve an ordinary operation")
	}
	got, isNew, err := s.createAfterLoss(background, asCreated(recorded), quotas)
	if err != nil || !isNew {
		t.Errorf("it was recorded: new %t, error %v", isNew, err)
	}
	wantSame(t, "it was recorded", got, asCreated(recorded))

	late := sentOperation()
	got, isNew, err = s.createAfterLoss(background, asCreated(late), quotas)
	if err != nil || !isNew {
		t.Errorf("it was not recorded: new %t, error %v", isNew, err)
	}
	before := tables(t, s)
	if answer := served(late); answer != postgres.NotServed {
		t.Errorf("the statement comes late: %v", answer)
	}
	wantSame(t, "after a late statement", tables(t, s), before)
	wantStored(t, s, got)

	// Another call had the same id, as a terminal may send one twice, to two nodes.
	twice := recorded
	twice.Reference += "X"
	got, isNew, err = s.createAfterLoss(background, asCreated(twice), quotas)
	if err != nil || isNew || got.Reference != recorded.Reference {
		t.Errorf("another call's operation: new %t, reference %s, error %v", isNew, got.Reference, err)
	}
	// It went on meanwhile: another node found it, and nobody may send it now.
	wantErr(t, "pending", step(s, recorded.ID, op.Pending), nil)
	if got, isNew, err = s.createAfterLoss(background, asCreated(recorded), quotas); err != nil || isNew || got.State != op.Pending {
		t.Errorf("an operation that went on: new %t, state %s, error %v", isNew, got.State, err)
	}
	// The statement may still come when there is room again.
	full := []central.Quota{daily("a", 1, 1, 0)}
	_, _, err = s.createAfterLoss(background, asCreated(sentOperation()), full)
	wantErr(t, "no room", err, postgres.ErrUnknown)
	if refusal := new(central.QuotaError); errors.As(err, &refusal) || errors.Is(err, central.ErrTaken) || errors.Is(err, central.ErrBusy) {
		t.Errorf("the caller would learn that nothing was done: %v", err)
	}
}

// TestMessageAfterLoss: a call whose statement was not answered is no replay of itself.
func TestMessageAfterLoss(t *testing.T) {
	s := onPostgres.open(t, testConfig())
	messages := messagesOf(t, s)
	recorded := sentOperation()
	recorded.Message = messages(1)
	answer, err := s.shared.create.Do(background, newCall{asCreated(recorded), nil, recorded.Message})
	if err != nil || answer != postgres.Served {
		t.Fatalf("the statement: %v, %v", answer, err)
	}
	if _, isNew, err := s.createAfterLoss(background, recorded, nil); err != nil || !isNew {
		t.Errorf("it was recorded: new %t, error %v", isNew, err)
	}
	late := sentOperation()
	late.Message = messages(2)
	if _, isNew, err := s.createAfterLoss(background, late, nil); err != nil || !isNew {
		t.Errorf("it was not recorded: new %t, error %v", isNew, err)
	}
	before := tables(t, s)
	for what, o := range map[string]central.Operation{"the statement comes late": late, "another operation's message": sentOperation()} {
		answer, err := s.shared.create.Do(background, newCall{asCreated(o), nil, messages(2)})
		if err != nil || answer != postgres.NotServed {
			t.Errorf("%s: %v, %v", what, answer, err)
		}
	}
	replay := sentOperation()
	replay.Message = messages(1)
	if _, _, err := s.createAfterLoss(background, replay, nil); !errors.Is(err, central.ErrReplayed) {
		t.Errorf("a replay: %v", err)
	}
	wantSame(t, "rows", tables(t, s), before)
}

// TestFinishAfterLoss looks for an outcome whose statement was not answered.
func TestFinishAfterLoss(t *testing.T) {
	s := onPostgres.open(t, testConfig())
	started := func() (central.Operation, central.FinalOutcome) {
		o, isNew, err := s.Create(background, sentOperation(), nil)
		if err != nil || !isNew {
			t.Fatalf("create: new %t, error %v", isNew, err)
		}
		x := finalOutcome(o.ID, op.Succeeded)
		x.Before, x.Earning = &o, earningOf(o, "W", 1)
		return o, x
	}
	serve := func(x central.FinalOutcome) postgres.Answer {
		t.Helper()
		answer, err := s.shared.finish.Do(background, finalCall{*x.Before, x})
		wantErr(t, "the statement", err, nil)
		return answer
	}

	o, x := started()
	if serve(x) != postgres.Served {
		t.Fatal("the statement does not serve an ordinary outcome")
	}
	before := tables(t, s)
	got, err := s.finishAfterLoss(background, x)
	wantErr(t, "it was recorded", err, nil)
	wantSame(t, "it was recorded", got, asFinished(x))
	wantSame(t, "its rows", tables(t, s), before)
	other := x
	other.Reply = []byte(`{"another":1}`)
	_, err = s.finishAfterLoss(background, other)
	wantErr(t, "another outcome was recorded", err, central.ErrState)
	if errors.Is(err, postgres.ErrUnknown) {
		t.Errorf("it is known that this outcome never comes: %v", err)
	}
	wantStored(t, s, asFinished(x))

	o, x = started()
	got, err = s.finishAfterLoss(background, x)
	wantErr(t, "it was not recorded", err, nil)
	wantSame(t, "it was not recorded", got, asFinished(x))
	before = tables(t, s)
	if answer := serve(x); answer != postgres.NotServed {
		t.Errorf("the statement comes late: %v", answer)
	}
	wantSame(t, "after a late statement", tables(t, s), before)
	wantStored(t, s, got)

	x.ID, o.ID = newID(), newID()
	x.Before = &o
	_, err = s.finishAfterLoss(background, x)
	wantErr(t, "of nothing", err, postgres.ErrUnknown)
}

// TestStepsAfterLoss looks for an operation that became sent, and one that became pending, by
// a statement that was not answered, or by nobody, or by another call.
func TestStepsAfterLoss(t *testing.T) {
	s := onPostgres.open(t, testConfig())
	received := func() (central.Operation, central.SentUpdate) {
		o := created(t, s)
		return o, central.SentUpdate{ID: o.ID, Before: &o, At: t0.Add(time.Second), BankNotAfter: t0.Add(16 * time.Second)}
	}
	serveSent := func(x central.SentUpdate) postgres.Answer {
		t.Helper()
		answer, err := s.shared.sent.Do(background, x)
		wantErr(t, "the statement", err, nil)
		return answer
	}
	servePending := func(c pendingCall) postgres.Answer {
		t.Helper()
		answer, err := s.shared.pending.Do(background, c)
		wantErr(t, "the statement", err, nil)
		return answer
	}
	pendingOf := func(o central.Operation, number int) pendingCall {
		x := pendingUpdate(o.ID)
		x.Before = &o
		return pendingCall{x, fmt.Sprint("AEPS-NR-", number)}
	}

	o, x := received()
	if serveSent(x) != postgres.Served {
		t.Fatal("the statement does not mark an operation as sent")
	}
	before := tables(t, s)
	wantErr(t, "it was sent", s.markSentAfterLoss(background, x), nil)
	wantSame(t, "its rows", tables(t, s), before)
	other := x
	other.At = other.At.Add(time.Millisecond)
	wantErr(t, "another was sent", s.markSentAfterLoss(background, other), central.ErrState)

	o, err := s.Operation(background, o.ID)
	wantErr(t, "read", err, nil)
	call := pendingOf(o, 1)
	if servePending(call) != postgres.Served {
		t.Fatal("the statement does not make an operation pending")
	}
	before = tables(t, s)
	got, err := s.markPendingAfterLoss(background, call)
	wantErr(t, "it became pending", err, nil)
	wantSame(t, "it became pending", got, asPending(call))
	wantStored(t, s, got)
	wantSame(t, "its rows", tables(t, s), before)
	_, err = s.markPendingAfterLoss(background, pendingOf(o, 2))
	wantErr(t, "another made it pending", err, central.ErrState)

	_, x = received()
	wantErr(t, "nobody sent it", s.markSentAfterLoss(background, x), nil)
	o, err = s.Operation(background, x.ID)
	wantErr(t, "read", err, nil)
	call = pendingOf(o, 1) // taken
	if servePending(call) != postgres.NotServed {
		t.Error("a reference was given twice")
	}
	got, err = s.markPendingAfterLoss(background, call)
	wantErr(t, "nobody made it pending", err, nil)
	wantStored(t, s, got)
	before = tables(t, s)
	if serveSent(x) != postgres.NotServed || servePending(pendingOf(o, 3)) != postgres.NotServed {
		t.Error("a statement that comes late serves somebody")
	}
	wantSame(t, "after late statements", tables(t, s), before)

	// What was pending ends once, and not if it went on since it was read.
	outcome := finalOutcome(got.ID, op.Succeeded)
	outcome.Before = &got
	wantErr(t, "an enquiry", s.PostponeEnquiry(background, got.ID, t0, t0.Add(time.Minute), "in progress", false), nil)
	answer, err := s.shared.finish.Do(background, finalCall{got, outcome})
	if err != nil || answer != postgres.NotServed {
		t.Errorf("an operation that went on: %v, error %v", answer, err)
	}
	fresh, err := s.Operation(background, got.ID)
	wantErr(t, "read", err, nil)
	outcome.Before = &fresh
	if answer, err = s.shared.finish.Do(background, finalCall{fresh, outcome}); err != nil || answer != postgres.Served {
		t.Errorf("what was pending: %v, error %v", answer, err)
	}
	finished, err := s.finishAfterLoss(background, outcome)
	wantErr(t, "it was finished", err, nil)
	wantSame(t, "it was finished", finished, asFinished(outcome))
	wantStored(t, s, finished)
}

// TestSharedPlans: the plans of shared statements, whatever the arguments and while the
// tables are still empty, reach each row by an index and open no month but the
// operation's own.
func TestSharedPlans(t *testing.T) {
	s := onPostgres.open(t, testConfig())
	wantErr(t, "make months", s.EnsurePartitions(background, t0, 24), nil)
	for name, text := range map[string]string{
		"create": sharedCreate, "sent": ofMonth(sharedSent, "2026-11"), "pending": ofMonth(sharedPending, "2026-11"),
		"finish": ofMonth(sharedFinish, "2026-11"), "finish after pending": ofMonth(sharedFinishPending, "2026-11"),
	} {
		plan := sharedPlan(t, s, text)
		for line := range strings.Lines(plan) {
			if strings.Contains(line, "Seq Scan") || strings.Contains(line, "Scan") && strings.Contains(line, " on operations_20") && !strings.Contains(line, " on operations_2026_11 ") {
				t.Errorf("%s: %s in\n%s", name, strings.TrimSpace(line), plan)
			}
		}
		if strings.Count(plan, "Index Cond") < 1 {
			t.Errorf("%s: the plan has too few indexes:\n%s", name, plan)
		}
	}
	// What an insertion of a new operation opens beside its own month.
	o := sentOperation()
	o.Merchant = merchant2 // without an endpoint: the trigger of a callback opens every month
	becomesPending := pendingCall{pendingUpdate(o.ID), "AEPS-NR-1"}
	becomesPending.update.Before = &o
	locked := []string{}
	err := s.write(background, func(c conn) error {
		locked = locked[:0]
		if _, err := c.exec(`SELECT set_config('galla.names', 'written', true)`); err != nil {
			return err
		}
		for _, run := range []struct {
			text string
			args []any
		}{
			{sharedCreate, argsOfNew(testNode, []newCall{{operation: asCreated(o)}})},
			{ofMonth(sharedPending, "2026-11"), argsOfPending(testNode, []pendingCall{becomesPending})},
			{ofMonth(sharedFinishPending, "2026-11"), argsOfFinal(testNode, []finalCall{{asPending(becomesPending), finalOutcome(o.ID, op.Failed)}})},
			{ofMonth(sharedSent, "2026-11"), argsOfSent(testNode, []central.SentUpdate{{ID: o.ID, Before: &o, At: t0, BankNotAfter: t0}})},
			{ofMonth(sharedFinish, "2026-11"), argsOfFinal(testNode, []finalCall{{asCreated(o), finalOutcome(o.ID, op.Failed)}})},
		} {
			if _, err := c.Exec(run.text, run.args); err != nil {
				return err
			}
		}
		err := c.Each(`SELECT DISTINCT relation::regclass::text FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'operations'::regclass)`, nil, func(r row) error {
			var name string
			err := r.Scan(&name)
			locked = append(locked, name)
			return err
		})
		return errors.Join(err, errInVain)
	})
	wantErr(t, "run both", err, errInVain)
	wantSame(t, "months that were opened", locked, []string{"operations_2026_11"})
}

// sharedPlan is the plan of a shared statement for any arguments.
func sharedPlan(t *testing.T, s *DB, text string) string {
	t.Helper()
	var plan strings.Builder
	err := s.write(background, func(c conn) error {
		plan.Reset()
		for _, line := range []string{postgres.PlanSettings, "SET LOCAL plan_cache_mode = force_generic_plan", "PREPARE planned AS " + text} {
			if _, err := c.exec(line); err != nil {
				return err
			}
		}
		args := strings.TrimSuffix(strings.Repeat("NULL, ", len(numbers(text))), ", ")
		err := c.Each("EXPLAIN EXECUTE planned("+args+")", nil, func(r row) error {
			var line string
			err := r.Scan(&line)
			fmt.Fprintln(&plan, line)
			return err
		})
		_, freeErr := c.exec("DEALLOCATE planned")
		return errors.Join(err, freeErr, errInVain)
	})
	wantErr(t, "plan", err, errInVain)
	return plan.String()
}

// TestParametersOfShared: the statements have as many parameters as arguments.
func TestParametersOfShared(t *testing.T) {
	for name, got := range map[string][2]int{
		"create":               {len(numbers(sharedCreate)), len(argsOfNew("", nil))},
		"sent":                 {len(numbers(sharedSent)), len(argsOfSent("", nil))},
		"pending":              {len(numbers(sharedPending)), len(argsOfPending("", nil))},
		"finish":               {len(numbers(sharedFinish)), len(argsOfFinal("", nil))},
		"finish after pending": {len(numbers(sharedFinishPending)), len(argsOfFinal("", []finalCall{{before: central.Operation{State: op.Pending}}}))},
	} {
		if got[0] != got[1] || got[0] < 5 {
			t.Errorf("%s has %d parameters and gets %d arguments", name, got[0], got[1])
		}
	}
}
