package people

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge"
	"galla/shared/password"
)

// TestStrangersLockNobodyOut: wrong PINs that come from browsers in which no right
// one was typed before count together, and against no browser that is known; over a
// restart, too.
func TestStrangersLockNobodyOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		p := open(t, s)
		ctx := t.Context()
		agents, strangers := InBrowser(ctx, "the agent's browser"), InBrowser(ctx, "any other")
		if _, err := p.CheckPIN(agents, edge.AgentID, pin("2580")); err != nil {
			t.Fatal(err)
		}
		for i := range password.Tries {
			// A mark of one's own choosing is no known browser.
			if _, err := p.CheckPIN(InBrowser(ctx, fmt.Sprint("made up ", i)), edge.AgentID, pin("1111")); err == nil {
				t.Fatal("a wrong PIN was taken")
			}
		}
		var refused *edge.PINError
		for name, who := range map[string]struct{ wait, want time.Duration }{
			"a stranger":          {p.Working(strangers)[0].Wait, password.FirstWait},
			"one without a mark":  {p.Working(ctx)[0].Wait, password.FirstWait},
			"the agent's browser": {p.Working(agents)[0].Wait, 0},
		} {
			if who.wait != who.want {
				t.Errorf("%s waits %v, want %v", name, who.wait, who.want)
			}
		}
		if _, err := p.CheckPIN(strangers, edge.AgentID, pin("2580")); !errors.As(err, &refused) || refused.Wait == 0 {
			t.Errorf("the right PIN is looked at in a stranger's browser: %v", err)
		}
		p = open(t, s)
		if _, err := p.CheckPIN(agents, edge.AgentID, pin("2580")); err != nil {
			t.Errorf("the agent is kept out: %v", err)
		}
		if p.Working(strangers)[0].Wait == 0 {
			t.Error("the agent's right PIN ended the strangers' wait")
		}
		// A known browser guesses no better than strangers do.
		for range password.Tries {
			_, _ = p.CheckPIN(agents, edge.AgentID, pin("1111"))
		}
		if p.Working(agents)[0].Wait != password.FirstWait {
			t.Errorf("the known browser waits %v", p.Working(agents)[0].Wait)
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
		if strings.Contains(string(s.values[storedAs]), "the agent") {
			t.Error("the mark itself is kept")
		}
	})
}

// TestBrowsersAreBounded: the one that was used longest ago is forgotten.
func TestBrowsersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, &shelf{})
		for i := range maxBrowsers + 1 {
			if _, err := p.CheckPIN(InBrowser(t.Context(), fmt.Sprint(i)), edge.AgentID, pin("2580")); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		list := p.marks()
		if len(list) != maxBrowsers || known(list, hashOf(InBrowser(t.Context(), "0"))) != nil || known(list, hashOf(InBrowser(t.Context(), "1"))) == nil {
			t.Errorf("%d browsers are known", len(list))
		}
	})
}
