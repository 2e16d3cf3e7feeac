package store

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/op"
)

func TestCustomers(t *testing.T) { onBoth(t, customers) }

// customers: a step with a customer counts under every name of the same customer, for
// the merchant that passed it; a transfer that succeeded is one, in its own
// transaction.
func customers(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	asha, ravi := accounts.CustomerKey{1}, accounts.CustomerKey{2}
	is := func(what string, m central.MerchantID, name accounts.CustomerName, want bool) {
		t.Helper()
		proven, err := s.CustomerProven(background, m, name)
		if err != nil || proven != want {
			t.Errorf("%s: %v, %v", what, proven, err)
		}
	}
	sender, enrolment := accounts.CustomerByRemitter("s1"), accounts.CustomerByEnrolment("e1")
	is("nobody", merchant1, sender, false)
	wantErr(t, "prove", s.ProveCustomer(background, merchant1, enrolment, t0), nil)
	wantErr(t, "prove again", s.ProveCustomer(background, merchant1, enrolment, t0), nil)
	is("the same name", merchant1, enrolment, true)
	is("a name of nobody", merchant1, sender, false)
	for range 2 {
		wantErr(t, "name", s.NameCustomer(background, enrolment, asha, t0), nil)
		wantErr(t, "name", s.NameCustomer(background, sender, asha, t0), nil)
		wantErr(t, "name", s.NameCustomer(background, accounts.CustomerByRemitter("s2"), ravi, t0), nil)
	}
	is("another name", merchant1, sender, true)
	is("another merchant", merchant2, sender, false)
	is("another customer", merchant1, accounts.CustomerByRemitter("s2"), false)
	wantErr(t, "alias of nothing", s.AliasCustomer(background, accounts.CustomerByRemitter("s3"), accounts.CustomerByRemitter("s9"), t0), nil)
	is("an alias of nothing", merchant1, accounts.CustomerByRemitter("s3"), false)
	wantErr(t, "alias", s.AliasCustomer(background, accounts.CustomerByRemitter("s3"), enrolment, t0), nil)
	is("an alias", merchant1, accounts.CustomerByRemitter("s3"), true)
	wantErr(t, "another number", s.NameCustomer(background, sender, ravi, t0), nil)
	is("the name is another customer's", merchant1, sender, false)

	unowned := newOperation()
	unowned.Kind, unowned.Route, unowned.Sender, unowned.Merchant = central.KindTransfer, op.Transfer, "s", ""
	_, _, err := s.Create(background, unowned, nil)
	wantErr(t, "begin", err, nil)
	wantErr(t, "mark as sent", s.MarkSent(background, central.SentUpdate{ID: unowned.ID, At: t0, BankNotAfter: t0.Add(time.Second)}), nil)
	_, err = finish(s, central.FinalOutcome{ID: unowned.ID, To: op.Succeeded, At: t0, Reason: "x", HTTP: 200, Reply: []byte(`{}`)})
	wantErr(t, "finish a transfer without a merchant", err, nil)

	for state, want := range map[op.State]bool{op.Succeeded: true, op.Failed: false} {
		o := newOperation()
		o.Kind, o.Route, o.Sender, o.Amount = central.KindTransfer, op.Transfer, "of "+string(state), 100
		_, _, err := s.Create(background, o, nil)
		wantErr(t, "begin", err, nil)
		wantErr(t, "mark as sent", s.MarkSent(background, central.SentUpdate{ID: o.ID, At: t0, BankNotAfter: t0.Add(time.Second)}), nil)
		_, err = finish(s, central.FinalOutcome{ID: o.ID, To: state, At: t0, Reason: "x", HTTP: 200, Reply: []byte(`{}`)})
		wantErr(t, "finish", err, nil)
		is("a transfer that "+string(state), o.Merchant, accounts.CustomerByRemitter(o.Sender), want)
	}
}

func TestLookups(t *testing.T) { onBoth(t, lookups) }

// lookups: distinct unknown customers count for an hour each, whoever counts at the same time;
// who is known counts nothing.
func lookups(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	const most = 5
	look := func(m central.MerchantID, n byte, after time.Duration) *accounts.LookupError {
		t.Helper()
		err := s.CountLookup(background, m, accounts.CustomerKey{n}, most, t0.Add(after))
		var over *accounts.LookupError
		if err != nil && !errors.As(err, &over) {
			t.Error(err)
		}
		return over
	}
	var let atomic.Int64
	var all sync.WaitGroup
	for n := range byte(40) {
		all.Go(func() {
			if look(merchant1, n, 0) == nil {
				let.Add(1)
			}
		})
	}
	all.Wait()
	if let.Load() != most {
		t.Errorf("%d of 40 at the same time, want %d", let.Load(), most)
	}
	for n := range byte(most) {
		if over := look(merchant2, n, time.Duration(n)*time.Minute); over != nil {
			t.Errorf("customer %d of another merchant: %v", n, over)
		}
	}
	if over := look(merchant2, 3, 30*time.Minute); over != nil {
		t.Errorf("the same customer again: %v", over)
	}
	if over := look(merchant2, 9, 30*time.Minute); over == nil || over.Wait.Round(time.Second) != 30*time.Minute {
		t.Errorf("one more: %+v", over)
	}
	wantErr(t, "name", s.NameCustomer(background, accounts.CustomerByRemitter("s"), accounts.CustomerKey{10}, t0), nil)
	wantErr(t, "prove", s.ProveCustomer(background, merchant2, accounts.CustomerByRemitter("s"), t0), nil)
	if over := look(merchant2, 10, 30*time.Minute); over != nil {
		t.Errorf("one who gave an OTP: %v", over)
	}
	if over := look(merchant2, 11, time.Hour); over != nil {
		t.Errorf("when the first was an hour ago: %v", over)
	}
	if over := look(merchant2, 12, time.Hour); over == nil || over.Wait.Round(time.Second) != time.Minute {
		t.Errorf("then one more: %+v", over)
	}
	l, err := s.LookupsOf(background, merchant2, t0.Add(time.Hour))
	if err != nil || l.LastHour != most || l.Refused != 2 || !l.RefusedAt.Equal(truncateToMillis(t0.Add(time.Hour))) {
		t.Errorf("for people: %+v, %v", l, err)
	}
	if n, err := s.LookupsLimited(background, t0.Add(-time.Minute)); err != nil || n != 2 {
		t.Errorf("%d merchants at their limit, %v", n, err)
	}
	if n, err := s.LookupsLimited(background, t0.Add(time.Minute)); err != nil || n != 1 {
		t.Errorf("%d merchants at their limit lately, %v", n, err)
	}
}

func TestCorrespondents(t *testing.T) { onBoth(t, correspondents) }

// correspondents: a registration that succeeded records whose the id is, and nobody
// takes it over.
func correspondents(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	register := func(k central.Kind, party, data string, to op.State) {
		t.Helper()
		o := newOperation()
		o.Kind, o.Party, o.Merchant, o.Amount = k, party, "", 0
		_, _, err := s.Create(background, o, nil)
		wantErr(t, "begin", err, nil)
		wantErr(t, "mark as sent", s.MarkSent(background, central.SentUpdate{ID: o.ID, At: t0, BankNotAfter: t0.Add(time.Second)}), nil)
		_, err = finish(s, central.FinalOutcome{ID: o.ID, To: to, At: t0, Reason: "x", HTTP: 200, Reply: []byte(`{}`), Answer: central.BankAnswer{Data: []byte(data)}})
		wantErr(t, "finish", err, nil)
	}
	register(central.KindBCRegister, "aggregator:a", `{"bcId":"1"}`, op.Succeeded)
	register(central.KindBCRegister, "aggregator:b", `{"bcId":"1"}`, op.Succeeded)
	register(central.KindBCAgentRegister, "vendor:v", `{"agentId":"1"}`, op.Succeeded)
	register(central.KindBCAgentRegister, "vendor:v", `{"agentId":"2"}`, op.Failed)
	for _, none := range []string{``, `{}`, `[]`, `{"agentId":""}`} {
		register(central.KindBCAgentRegister, "vendor:v", none, op.Succeeded)
	}
	for _, c := range []struct {
		kind      accounts.CorrespondentKind
		id, owner string
	}{{accounts.BusinessCorrespondent, "1", "aggregator:a"}, {accounts.CorrespondentAgent, "1", "vendor:v"}, {accounts.CorrespondentAgent, "2", ""}, {accounts.BusinessCorrespondent, "", ""}} {
		owner, err := s.CorrespondentOwner(background, c.kind, c.id)
		if owner != c.owner || (err == nil) != (c.owner != "") || err != nil && !errors.Is(err, central.ErrNotFound) {
			t.Errorf("%s %s is of %q, %v; want %q", c.kind, c.id, owner, err, c.owner)
		}
	}
	// One of before is recorded by hand, and only where nobody is known.
	wantErr(t, "assign", s.AssignCorrespondent(background, accounts.BusinessCorrespondent, "old", "aggregator:a", t0), nil)
	wantErr(t, "assign to another", s.AssignCorrespondent(background, accounts.BusinessCorrespondent, "old", "aggregator:b", t0), central.ErrState)
	wantErr(t, "assign what is registered", s.AssignCorrespondent(background, accounts.CorrespondentAgent, "1", "vendor:w", t0), central.ErrState)
	register(central.KindBCRegister, "aggregator:c", `{"bcId":"old"}`, op.Succeeded)
	owner, err := s.CorrespondentOwner(background, accounts.BusinessCorrespondent, "old")
	if err != nil || owner != "aggregator:a" {
		t.Errorf("the old one is of %q, %v", owner, err)
	}
	wantErr(t, "forget", s.ForgetCorrespondent(background, accounts.BusinessCorrespondent, "old"), nil)
	wantErr(t, "forget again", s.ForgetCorrespondent(background, accounts.BusinessCorrespondent, "old"), central.ErrNotFound)
	_, err = s.CorrespondentOwner(background, accounts.BusinessCorrespondent, "old")
	wantErr(t, "look", err, central.ErrNotFound)
	if err := tryWrite(s, fmt.Sprintf("UPDATE correspondents SET party = '%s'", party1)); err == nil {
		t.Error("the schema lets a correspondent change hands")
	}
}
