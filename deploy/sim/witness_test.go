package sim

import (
	"context"
	"crypto/sha256"

	"galla/central"
	"galla/shared/op"
)

// telling is what a central told of an operation that is final.
type telling struct {
	state op.State
	http  int
	body  [32]byte
}

// witness stands between a central's doors and its dispatcher and remembers
// what was told: a final word is never told otherwise, by either central.
type witness struct {
	central.Dispatcher
	house *house
}

func (w witness) Dispatch(ctx context.Context, c central.Call) central.Reply {
	r := w.Dispatcher.Dispatch(ctx, c)
	if c.ID != "" && c.Route.Class == op.Money {
		w.heard(string(c.ID), r)
	}
	return r
}

func (w witness) Ask(ctx context.Context, p central.Principal, id op.ID) (central.Reply, bool, error) {
	r, seen, err := w.Dispatcher.Ask(ctx, p, id)
	if err != nil {
		return r, seen, err
	}
	if seen {
		w.heard(string(id), r)
		return r, seen, err
	}
	w.house.mu.Lock()
	defer w.house.mu.Unlock()
	w.house.forsworn[string(id)] = true
	return r, seen, err
}

func (w witness) Outcome(o central.Operation) central.Reply {
	r := w.Dispatcher.Outcome(o)
	w.heard(o.Identity, r)
	return r
}

// heard compares a final word with what was told before. A refusal that left
// no record is not one of the operation's words.
func (w witness) heard(identity string, r central.Reply) {
	if !r.State.Final() || r.State == op.Refused {
		return
	}
	t := telling{r.State, r.HTTP, sha256.Sum256(r.Body)}
	w.house.mu.Lock()
	before, known := w.house.told[identity]
	w.house.told[identity] = t
	w.house.mu.Unlock()
	if known && before != t {
		w.house.complain("operation %s was told as %s (HTTP %d) and later as %s (HTTP %d), or in other bytes", identity, before.state, before.http, t.state, t.http)
	}
}
