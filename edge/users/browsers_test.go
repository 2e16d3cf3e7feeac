package users

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge"
	"galla/shared/password"
)

// TestUnknownBrowsersLockNobodyOut: wrong PINs that come from browsers in which no right
// one was typed before count together, and against no browser that is known; over a
// restart, too.
func TestUnknownBrowsersLockNobodyOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &memoryStorage{}
		p := open(t, s)
		ctx := t.Context()
		agents, unknown := WithBrowser(ctx, "the agent's browser"), WithBrowser(ctx, "any other")
		if _, err := p.CheckPIN(agents, edge.AgentID, pin("2580")); err != nil {
			t.Fatal(err)
		}
		for i := range password.FreeAttempts {
			// A mark of one's own choosing is no known browser.
			if _, err := p.CheckPIN(WithBrowser(ctx, fmt.Sprint("made up ", i)), edge.AgentID, pin("1111")); err == nil {
				t.Fatal("a wrong PIN was taken")
			}
		}
		var refused *edge.PINError
		for name, who := range map[string]struct{ wait, want time.Duration }{
			"unknown":             {p.EnabledUsers(unknown)[0].Wait, password.FirstWait},
			"one without a mark":  {p.EnabledUsers(ctx)[0].Wait, password.FirstWait},
			"the agent's browser": {p.EnabledUsers(agents)[0].Wait, 0},
		} {
			if who.wait != who.want {
				t.Errorf("%s waits %v, want %v", name, who.wait, who.want)
			}
		}
		if _, err := p.CheckPIN(unknown, edge.AgentID, pin("2580")); !errors.As(err, &refused) || refused.Wait == 0 {
			t.Errorf("the right PIN is looked at in an unknown browser: %v", err)
		}
		p = open(t, s)
		if _, err := p.CheckPIN(agents, edge.AgentID, pin("2580")); err != nil {
			t.Errorf("the agent is kept out: %v", err)
		}
		if p.EnabledUsers(unknown)[0].Wait == 0 {
			t.Error("the agent's right PIN ended the wait in unknown browsers")
		}
		// A known browser guesses no better than an unknown one.
		for range password.FreeAttempts {
			_, _ = p.CheckPIN(agents, edge.AgentID, pin("1111"))
		}
		if p.EnabledUsers(agents)[0].Wait != password.FirstWait {
			t.Errorf("the known browser waits %v", p.EnabledUsers(agents)[0].Wait)
		}
		p = open(t, s)
		if _, err := p.CheckPIN(agents, edge.AgentID, pin("2580")); !errors.As(err, &refused) {
			t.Errorf("a restart ended the known browser's wait: %v", err)
		}
		// The wait is that of one PIN: another ends it.
		if err := p.RestoreAgent(pin("8264")); err != nil {
			t.Fatal(err)
		}
		if _, err := p.CheckPIN(agents, edge.AgentID, pin("8264")); err != nil {
			t.Errorf("the new PIN waits for the old one's tries: %v", err)
		}
		if strings.Contains(string(s.values[storageKey]), "the agent") {
			t.Error("the mark itself is kept")
		}
	})
}

// TestBrowsersAreBounded: the one that was used longest ago is forgotten.
func TestBrowsersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, &memoryStorage{})
		for i := range maxBrowsers + 1 {
			if _, err := p.CheckPIN(WithBrowser(t.Context(), fmt.Sprint(i)), edge.AgentID, pin("2580")); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		list, agent := p.knownBrowsers(), find(p.snapshot(), edge.AgentID)
		if len(list) != maxBrowsers || agent.knownBrowser(list, browserHash(WithBrowser(t.Context(), "0"))) != nil || agent.knownBrowser(list, browserHash(WithBrowser(t.Context(), "1"))) == nil {
			t.Errorf("%d browsers are known", len(list))
		}
	})
}

// testUsers takes in an operator with an own PIN, chosen in the browser of ctx.
func testUsers(t *testing.T, p *Service, ctx context.Context, name, own string) edge.User {
	t.Helper()
	o, err := p.Add(edge.AgentID, NewUser{Name: name, Role: edge.RoleOperator, PIN: pin("7391")})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.ChangePIN(ctx, o.ID, pin("7391"), pin(own)); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestAnOwnPINOpensNoTriesForAnothers: an operator who makes one browser after the
// other known for the own PIN guesses the owner's no better than an unknown browser, and
// puts no browser of the owner's out.
func TestAnOwnPINOpensNoTriesForAnothers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &memoryStorage{}
		p := open(t, s)
		ctx := t.Context()
		agents := WithBrowser(ctx, "the agent's browser")
		if _, err := p.CheckPIN(agents, edge.AgentID, pin("2580")); err != nil {
			t.Fatal(err)
		}
		o := testUsers(t, p, ctx, "Ravi", "8264")
		looked := 0
		for m := range 10 * maxBrowsers {
			fresh := WithBrowser(ctx, fmt.Sprint("fresh ", m))
			if _, err := p.CheckPIN(fresh, o.ID, pin("8264")); err != nil {
				t.Fatal(err)
			}
			for range password.FreeAttempts - 1 {
				var refused *edge.PINError
				if _, err := p.CheckPIN(fresh, edge.AgentID, pin("1111")); !errors.As(err, &refused) {
					t.Fatal(err)
				}
				if refused.Wait == 0 || refused.TriesLeft > 0 {
					looked++
				}
			}
			if m%7 == 0 {
				p = open(t, s)
			}
		}
		if looked >= password.FreeAttempts {
			t.Errorf("%d wrong PINs of the owner were looked at without a wait", looked)
		}
		var refused *edge.PINError
		if _, err := p.CheckPIN(WithBrowser(ctx, "fresh 0"), edge.AgentID, pin("2580")); !errors.As(err, &refused) || refused.Wait == 0 {
			t.Errorf("the owner's right PIN was looked at after them: %v", err)
		}
		if _, err := p.CheckPIN(agents, edge.AgentID, pin("2580")); err != nil {
			t.Errorf("the owner is kept out of the own browser: %v", err)
		}
	})
}

// TestANewPINIsKnownWhereItWasChosen: whoever had the old one may have typed it in
// any browser, and none of them has tries of its own at the new one; nor has that of
// an owner who set the first.
func TestANewPINIsKnownWhereItWasChosen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, &memoryStorage{})
		ctx := t.Context()
		o := testUsers(t, p, ctx, "Ravi", "8264")
		own, thiefs := WithBrowser(ctx, "Ravi's"), WithBrowser(ctx, "the thief's")
		for _, b := range []context.Context{own, thiefs} {
			if _, err := p.CheckPIN(b, o.ID, pin("8264")); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.ChangePIN(own, o.ID, pin("8264"), pin("9375")); err != nil {
			t.Fatal(err)
		}
		for range password.FreeAttempts {
			_, _ = p.CheckPIN(thiefs, o.ID, pin("1111"))
		}
		wait := func(b context.Context) time.Duration {
			list := p.EnabledUsers(b)
			return list[len(list)-1].Wait
		}
		if wait(own) != 0 || wait(thiefs) != password.FirstWait || wait(ctx) != password.FirstWait {
			t.Errorf("own browser %v, thief's %v, unknown %v", wait(own), wait(thiefs), wait(ctx))
		}
		if _, err := p.CheckPIN(own, o.ID, pin("9375")); err != nil {
			t.Error(err)
		}
		if err := p.Disable(edge.AgentID, o.ID); err != nil {
			t.Fatal(err)
		}
		if n := len(p.knownBrowsers()); n != 0 {
			t.Errorf("%d browsers are known for somebody who left", n)
		}
	})
}

// TestMarksOfNobodyAreForgotten: a browser that an older program knew for everybody is
// known for nobody, and the list is read.
func TestMarksOfNobodyAreForgotten(t *testing.T) {
	s := &memoryStorage{}
	open(t, s)
	agents := WithBrowser(t.Context(), "the agent's browser")
	old := fmt.Sprintf(`"browsers":[{"hash":%q,"used":1795250109123,"try":{"agent":{"of":"0011223344556677","failures":4}}}],`, browserHash(agents))
	s.values[storageKey] = []byte(strings.Replace(string(s.values[storageKey]), "{", "{"+old, 1))
	p := open(t, s)
	if n := len(p.knownBrowsers()); n != 0 {
		t.Errorf("%d browsers are known", n)
	}
	if _, err := p.CheckPIN(agents, edge.AgentID, pin("2580")); err != nil {
		t.Error(err)
	}
	if find(p.snapshot(), edge.AgentID).knownBrowser(p.knownBrowsers(), browserHash(agents)) == nil {
		t.Error("the right PIN did not make the browser known")
	}
}
