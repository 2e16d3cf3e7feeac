package sim

import (
	"context"
	"crypto/sha256"

	"galla/central"
	"galla/shared/op"
)

// finalReply is what a central replied about a final operation.
type finalReply struct {
	state op.State
	http  int
	body  [32]byte
}

// replyChecker stands between a central's entrances and its handler and remembers the
// replies: a final outcome is never reported differently, by either central.
type replyChecker struct {
	central.Handler
	system *system
}

func (w replyChecker) Handle(ctx context.Context, c central.Request) central.Reply {
	r := w.Handler.Handle(ctx, c)
	if c.ID != "" && c.Route.Class == op.Money {
		w.check(string(c.ID), r)
	}
	return r
}

func (w replyChecker) FindOrTombstone(ctx context.Context, p central.Principal, id op.ID) (central.Reply, bool, error) {
	r, seen, err := w.Handler.FindOrTombstone(ctx, p, id)
	if err != nil {
		return r, seen, err
	}
	if seen {
		w.check(string(id), r)
		return r, seen, err
	}
	w.system.mu.Lock()
	defer w.system.mu.Unlock()
	w.system.tombstones[string(id)] = true
	return r, seen, err
}

func (w replyChecker) CurrentReply(o central.Operation) central.Reply {
	r := w.Handler.CurrentReply(o)
	w.check(o.Identity, r)
	return r
}

// check compares a final reply with the earlier ones. A refusal without a record does
// not count as a reply about the operation.
func (w replyChecker) check(identity string, r central.Reply) {
	if !r.State.Final() || r.State == op.Refused {
		return
	}
	t := finalReply{r.State, r.HTTP, sha256.Sum256(r.Body)}
	w.system.mu.Lock()
	before, known := w.system.finalReplies[identity]
	w.system.finalReplies[identity] = t
	w.system.mu.Unlock()
	if known && before != t {
		w.system.violation("operation %s was reported as %s (HTTP %d) and later as %s (HTTP %d), or in other bytes", identity, before.state, before.http, t.state, t.http)
	}
}
