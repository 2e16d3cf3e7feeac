package uplink

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/payments"
	"galla/shared/op"
	"galla/shared/wire"
)

// fakeCentral is the central behind its uplink: store and handler in memory. It
// survives the servers that use it, as a database does.
type fakeCentral struct {
	notifier *central.Notifier
	disk     *slowDisk // of the commits of hellos; nil: none

	mu         sync.Mutex
	random     *mathrand.Rand
	terminals  map[central.TerminalID]central.Terminal
	usedTokens map[string]bool
	events     map[central.TerminalID][]central.Event
	cursors    map[central.TerminalID]int64
	ops        map[string]*operation // by caller and identity
	working    sync.WaitGroup
}

type operation struct {
	central.Operation
	executed int // times that the bank did it
	done     chan struct{}
	calls    []central.Request
}

func newFakeCentral(seed uint64) *fakeCentral {
	return &fakeCentral{
		notifier: central.NewNotifier(), random: mathrand.New(mathrand.NewPCG(seed, 1)), terminals: map[central.TerminalID]central.Terminal{},
		usedTokens: map[string]bool{}, events: map[central.TerminalID][]central.Event{}, cursors: map[central.TerminalID]int64{},
		ops: map[string]*operation{},
	}
}

// Read gives randomness to a server, repeatable by the seed.
func (d *fakeCentral) Read(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range p {
		p[i] = byte(d.random.Uint32())
	}
	return len(p), nil
}

func (d *fakeCentral) enrol(id central.TerminalID, key ed25519.PublicKey) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.terminals[id] = central.Terminal{ID: id, Merchant: "m", PublicKey: key}
}

func (d *fakeCentral) revoke(id central.TerminalID, at time.Time) {
	d.mu.Lock()
	t := d.terminals[id]
	t.RevokedAt = at
	d.terminals[id] = t
	d.mu.Unlock()
	d.notifier.Notify(central.TerminalTopic(id))
}

func (d *fakeCentral) Terminal(_ context.Context, id central.TerminalID) (central.Terminal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.terminals[id]
	if !ok {
		return t, central.ErrNotFound
	}
	return t, nil
}

func (d *fakeCentral) TerminalKeys(_ context.Context, after central.TerminalID, limit int) (list []accounts.TerminalKey, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, t := range d.terminals {
		if id > after && t.RevokedAt.IsZero() {
			list = append(list, accounts.TerminalKey{ID: id, PublicKey: t.PublicKey})
		}
	}
	slices.SortFunc(list, func(a, b accounts.TerminalKey) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return list[:min(limit, len(list))], nil
}

func (d *fakeCentral) CheckTerminals(_ context.Context, ids []central.TerminalID) (list []accounts.TerminalCheck, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range ids {
		t, ok := d.terminals[id]
		if !ok {
			continue
		}
		c := accounts.TerminalCheck{Terminal: id, Merchant: t.Merchant, Revoked: !t.RevokedAt.IsZero()}
		if stored := d.events[id]; len(stored) > 0 {
			c.OldestEvent, c.NewestEvent = stored[0].Cursor, stored[len(stored)-1].Cursor
		}
		list = append(list, c)
	}
	return list, nil
}

func (d *fakeCentral) RecordPresence(context.Context, []accounts.Connected, []accounts.Disconnected) error {
	return nil
}

func (d *fakeCentral) NodeAlive(context.Context, time.Time, time.Time, int) error { return nil }
func (d *fakeCentral) NodeStopped(context.Context) error                          { return nil }

func (d *fakeCentral) SpendTokens(_ context.Context, tokens []accounts.TokenUse) ([]bool, error) {
	if d.disk != nil {
		d.disk.write(len(tokens))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	fresh := make([]bool, len(tokens))
	for i, t := range tokens {
		fresh[i] = !d.usedTokens[t.ID]
		d.usedTokens[t.ID] = true
	}
	return fresh, nil
}

func (d *fakeCentral) EventsAfter(_ context.Context, t central.TerminalID, cursor int64, limit int) ([]central.Event, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []central.Event
	for _, e := range d.events[t] {
		if e.Cursor > cursor && len(out) < limit {
			out = append(out, e)
		}
	}
	return out, nil
}

func (d *fakeCentral) AcknowledgeEvents(_ context.Context, t central.TerminalID, cursor int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events[t] = slices.DeleteFunc(d.events[t], func(e central.Event) bool { return e.Cursor <= cursor })
	return nil
}

// PaymentOf implements uplink.Store: there are none.
func (d *fakeCentral) PaymentOf(context.Context, op.ID) (payments.Payment, error) {
	return payments.Payment{}, central.ErrNotFound
}

func (d *fakeCentral) Operation(_ context.Context, id op.ID) (central.Operation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.ops {
		if o.ID == id && !o.Tombstone {
			return o.Operation, nil
		}
	}
	return central.Operation{}, central.ErrNotFound
}

func (d *fakeCentral) ByIdentity(_ context.Context, caller, identity string) (central.Operation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o := d.ops[caller+" "+identity]; o != nil {
		return o.Operation, nil
	}
	return central.Operation{}, central.ErrNotFound
}

// Handle records the operation, and lets the bank work on it.
func (d *fakeCentral) Handle(ctx context.Context, c central.Request) central.Reply {
	key := c.Principal.Caller() + " " + c.Identity
	d.mu.Lock()
	o := d.ops[key]
	if o != nil && o.Tombstone {
		d.mu.Unlock()
		return d.ErrorReply(central.NewError(central.FailedPrecondition, "declared never seen"), c.RequestID)
	}
	if o == nil {
		o = &operation{Operation: central.Operation{
			ID: c.ID, Identity: c.Identity, Caller: c.Principal.Caller(), Terminal: c.Principal.Terminal,
			State: op.Sent, HTTP: 200, Reply: fmt.Appendf(nil, `{"of":%q}`, c.Principal.Terminal),
		}, done: make(chan struct{})}
		d.ops[key] = o
		wait, late := time.Duration(d.random.IntN(3000))*time.Millisecond, d.random.IntN(3) == 0
		d.working.Go(func() { d.bank(o, wait, late) })
	}
	o.calls = append(o.calls, c)
	d.mu.Unlock()
	c.OnAccepted(c.ID)
	return d.await(ctx, o)
}

// bank executes the operation; late, it leaves it pending for a while first, and an
// event reports the end.
func (d *fakeCentral) bank(o *operation, wait time.Duration, late bool) {
	time.Sleep(wait)
	d.mu.Lock()
	o.executed++
	o.State = op.Succeeded
	if late {
		o.State = op.Pending
	}
	close(o.done)
	d.mu.Unlock()
	if !late {
		return
	}
	time.Sleep(7 * wait)
	d.mu.Lock()
	o.State = op.Succeeded
	d.cursors[o.Terminal]++
	d.events[o.Terminal] = append(d.events[o.Terminal], central.Event{
		Cursor: d.cursors[o.Terminal], Terminal: o.Terminal, Kind: string(wire.EventOutcome), Operation: o.ID,
	})
	d.mu.Unlock()
	d.notifier.Notify(central.TerminalTopic(o.Terminal))
}

func (d *fakeCentral) await(ctx context.Context, o *operation) central.Reply {
	select {
	case <-o.done:
	case <-ctx.Done():
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.CurrentReply(o.Operation)
}

func (d *fakeCentral) FindOrTombstone(ctx context.Context, p central.Principal, id op.ID) (central.Reply, bool, error) {
	key := p.Caller() + " " + string(id)
	d.mu.Lock()
	o := d.ops[key]
	if o == nil {
		o = &operation{Operation: central.Operation{ID: id, Identity: string(id), State: op.Refused, Tombstone: true}}
		d.ops[key] = o
	}
	d.mu.Unlock()
	if o.Tombstone {
		return central.Reply{}, false, nil
	}
	return d.await(ctx, o), true, nil
}

func (d *fakeCentral) CurrentReply(o central.Operation) central.Reply {
	return central.Reply{HTTP: o.HTTP, Body: o.Reply, State: o.State}
}

func (d *fakeCentral) ErrorReply(err error, _ string) central.Reply {
	e := central.AsError(err)
	status := map[central.Fault]int{central.Unauthenticated: 401, central.TooMany: 429, central.FailedPrecondition: 422}[e.Fault]
	if status == 0 {
		status = 500
	}
	return central.Reply{HTTP: status, Body: fmt.Appendf(nil, `{"statusCode":"x","message":%q}`, e.Message), State: ""}
}

// refusal is the cursor of a terminal's last event, once all are forgotten.
func (d *fakeCentral) refusal(t central.TerminalID) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.events[t]) > 0 {
		return -1
	}
	return d.cursors[t]
}

// executions gives how often the bank did each operation of a terminal.
func (d *fakeCentral) executions(t central.TerminalID) map[op.ID]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[op.ID]int{}
	for o := range maps.Values(d.ops) {
		if o.Terminal == t {
			out[o.ID] = o.executed
		}
	}
	return out
}
