package store

import (
	"slices"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

// TestNotify: what concerns a terminal rings at every node that shares the
// database, when it is committed; nothing else does. A file has one node, which
// rings for itself.
func TestNotify(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		place := on.seeded(t)
		node := func(name string) (*DB, chan string) {
			heard := make(chan string, 100)
			cfg := testConfig()
			cfg.Node, cfg.OnNotify = name, func(name string) { heard <- name }
			return openAt(t, place, cfg), heard
		}
		here, heardHere := node("here")
		terminal, other := enrolled(t, here, 1), enrolled(t, here, 2)
		at := func(o *central.Operation) { o.Terminal = terminal.ID }
		inState(t, here, op.Succeeded, at) // the terminal waits for its reply
		inState(t, here, op.Reversed)      // no terminal's
		if on == onSQLite {
			inState(t, here, op.Reversed, at)
			wantErr(t, "revoke", here.RevokeTerminal(background, other.ID, t0), nil)
			if len(heardHere) != 0 || here.NodeNameLost() != nil {
				t.Errorf("a file rang: %q", <-heardHere)
			}
			if load, shared := here.PoolUsage(); shared {
				t.Errorf("a file has connections: %+v", load)
			}
			return
		}
		_, heardThere := node("there")
		inState(t, here, op.Reversed, at)
		wantErr(t, "finish again", step(here, inState(t, here, op.Reversed).ID, op.Failed), central.ErrState)
		wantErr(t, "revoke", here.RevokeTerminal(background, other.ID, t0), nil)
		want := []string{central.TerminalTopic(terminal.ID), central.TerminalTopic(other.ID)}
		for _, heard := range []chan string{heardHere, heardThere} {
			var got []string
			for len(got) < len(want) {
				select {
				case name := <-heard:
					got = append(got, name)
				case <-time.After(30 * time.Second):
					t.Fatalf("heard %q, want %q", got, want)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("heard %q, want %q", got, want)
			}
		}
		if here.NodeNameLost() == nil {
			t.Error("a node that shares its database could not tell that its name is lost")
		}
		if load, shared := here.PoolUsage(); !shared || load.Limit == 0 {
			t.Errorf("its load is %+v, %t", load, shared)
		}
	})
}
