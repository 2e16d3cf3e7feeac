package central

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
)

func TestInlineAuthentication(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		s := submission(t, "k1")
		s.NeedsSession = true
		o, _, err := d.submit(s)
		if err != nil || o.State != op.Succeeded {
			t.Fatalf("Submit = %s, %v", o.State, err)
		}
		auth, tx := d.bank.requests[0], d.bank.requests[1]
		if auth.Kind != KindAgentAuth || auth.InlineFor != o.Reference || auth.Reference == tx.Reference || auth.Amount != 0 || tx.InlineFor != "" {
			t.Errorf("inline authentication: %v for %s", auth.Kind, auth.InlineFor)
		}
		second := submission(t, "k2")
		second.NeedsSession = true
		if _, _, err := d.submit(second); err != nil || d.bank.count(KindAgentAuth) != 1 {
			t.Errorf("the session is not used: %d authentications, %v", d.bank.count(KindAgentAuth), err)
		}
		if d.store.asked != 2 { // before the record of the first, and before its authentication
			t.Errorf("the session was read %d times", d.store.asked)
		}
		time.Sleep(SessionLife)
		third := submission(t, "k3")
		third.NeedsSession = true
		if _, _, err := d.submit(third); err != nil || d.bank.count(KindAgentAuth) != 2 {
			t.Errorf("after 24 hours: %d authentications, %v", d.bank.count(KindAgentAuth), err)
		}
	})
}

// TestASessionOfAnotherNode is read once, and remembered until it expires.
func TestASessionOfAnotherNode(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		d.store.sessions["GAL00001"] = AgentSession{TID: "GAL00001", OpenedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour)}
		do := func(identity string) {
			s := submission(t, identity)
			s.NeedsSession = true
			if o, _, err := d.submit(s); err != nil || o.State != op.Succeeded {
				t.Fatalf("Submit = %s, %v", o.State, err)
			}
		}
		do("k1")
		do("k2")
		if n := d.bank.count(KindAgentAuth); n != 0 || d.store.asked != 1 {
			t.Errorf("%d authentications, the session was read %d times", n, d.store.asked)
		}
		time.Sleep(time.Hour)
		do("k3")
		if n := d.bank.count(KindAgentAuth); n != 1 {
			t.Errorf("%d authentications after it expired", n)
		}
	})
}

func TestRememberedSessionsAreBounded(t *testing.T) {
	a, until := newActiveSessions(), time.Now().Add(time.Hour)
	for n := range maxSessions + 1 {
		a.remember(AgentSession{TID: fmt.Sprint(n), ExpiresAt: until})
	}
	if len(a.until) > maxSessions || !a.active(fmt.Sprint(maxSessions), time.Now()) {
		t.Errorf("%d sessions are remembered, and the newest: %v", len(a.until), a.active(fmt.Sprint(maxSessions), time.Now()))
	}
}

func TestInlineAuthenticationThatFailsSendsNothing(t *testing.T) {
	tests := []struct {
		name   string
		answer BankAnswer
		err    error
	}{
		{"declined", BankAnswer{Status: BankDeclined, Code: "U3"}, nil},
		{"silent", BankAnswer{}, errSilent},
		{"unreachable", BankAnswer{}, MarkNotSent(errSilent)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				bank := &fakeAuthBank{fakeBank: fakeBank{executed: map[Reference]int{}}, answer: tt.answer, err: tt.err}
				d := startAt(t, newMemoryStore(), bank, &bank.fakeBank, EngineConfig{})
				defer d.stop()
				s := submission(t, "k1")
				s.NeedsSession = true
				o, _, err := d.submit(s)
				if err != nil || o.State != op.Failed || bank.count(KindWithdrawal) != 0 {
					t.Errorf("Submit = %s, %v; %d transactions sent", o.State, err, bank.count(KindWithdrawal))
				}
			})
		})
	}
}

// fakeAuthBank has a scripted answer to agent authentications.
type fakeAuthBank struct {
	fakeBank
	answer BankAnswer
	err    error
}

func (b *fakeAuthBank) Send(ctx context.Context, r BankRequest) (BankAnswer, error) {
	if r.Kind == KindAgentAuth {
		return b.answer, b.err
	}
	return b.fakeBank.Send(ctx, r)
}

func TestReqAuthOpensTheSession(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		s := submission(t, "k1")
		s.Route, s.Request.Kind, s.Request.Amount = op.ReqAuth, KindAgentAuth, 0
		if _, _, err := d.submit(s); err != nil {
			t.Fatal(err)
		}
		session, err := d.store.Session(t.Context(), "GAL00001")
		if err != nil || session.ExpiresAt.Sub(session.OpenedAt) != SessionLife {
			t.Errorf("session = %+v, %v", session, err)
		}
	})
}
