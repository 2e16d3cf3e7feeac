package uplink

import (
	"context"
	"errors"
	"fmt"
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

// memoryStore is a store in memory.
type memoryStore struct {
	mu         sync.Mutex
	terminals  map[central.TerminalID]central.Terminal
	spent      map[string]time.Time
	events     map[central.TerminalID][]central.Event
	operations map[op.ID]central.Operation
	payments   map[op.ID]payments.Payment
	saw        map[central.TerminalID]int
	met        map[central.TerminalID]accounts.Presence
	here       time.Time // since when the node serves; zero: it does not
	forgotten  map[central.TerminalID][]int64
	asked      int           // for a terminal
	checked    int           // calls of CheckTerminals
	recorded   int           // calls of RecordPresence
	readEvents int           // calls of EventsAfter
	spending   int           // calls of SpendTokens
	commit     time.Duration // how long a write takes
	fault      error         // of every call
	broken     string        // the call that panics, once
}

// mayPanic panics if it is this call's turn.
func (m *memoryStore) mayPanic(call string) {
	m.mu.Lock()
	broken := m.broken == call
	if broken {
		m.broken = ""
	}
	m.mu.Unlock()
	if broken {
		panic(call)
	}
}

func (m *memoryStore) lookups() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

func newMemoryStore() *memoryStore {
	return &memoryStore{
		terminals: map[central.TerminalID]central.Terminal{}, spent: map[string]time.Time{},
		events: map[central.TerminalID][]central.Event{}, operations: map[op.ID]central.Operation{}, payments: map[op.ID]payments.Payment{},
		saw: map[central.TerminalID]int{}, met: map[central.TerminalID]accounts.Presence{}, forgotten: map[central.TerminalID][]int64{},
	}
}

func (m *memoryStore) Terminal(_ context.Context, id central.TerminalID) (central.Terminal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	t, ok := m.terminals[id]
	if !ok {
		return t, errors.Join(m.fault, central.ErrNotFound)
	}
	return t, m.fault
}

func (m *memoryStore) TerminalKeys(_ context.Context, after central.TerminalID, limit int) (list []accounts.TerminalKey, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, t := range m.terminals {
		if id > after && t.RevokedAt.IsZero() {
			list = append(list, accounts.TerminalKey{ID: id, PublicKey: t.PublicKey})
		}
	}
	slices.SortFunc(list, func(a, b accounts.TerminalKey) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return list[:min(limit, len(list))], m.fault
}

func (m *memoryStore) CheckTerminals(_ context.Context, ids []central.TerminalID) (list []accounts.TerminalCheck, err error) {
	m.mayPanic("CheckTerminals")
	m.wait(10)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checked++
	for _, id := range ids {
		t, ok := m.terminals[id]
		if !ok {
			continue
		}
		c := accounts.TerminalCheck{Terminal: id, Merchant: t.Merchant, Revoked: !t.RevokedAt.IsZero()}
		for _, e := range m.events[id] {
			if c.OldestEvent == 0 {
				c.OldestEvent = e.Cursor
			}
			c.NewestEvent = e.Cursor
		}
		list = append(list, c)
	}
	return list, m.fault
}

// wait takes a part of the time of a commit.
func (m *memoryStore) wait(part time.Duration) {
	m.mu.Lock()
	commit := m.commit
	m.mu.Unlock()
	time.Sleep(commit / part)
}

func (m *memoryStore) RecordPresence(_ context.Context, came []accounts.Connected, left []accounts.Disconnected) error {
	m.mayPanic("RecordPresence")
	m.wait(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recorded++
	if m.fault != nil {
		return m.fault
	}
	for _, c := range came {
		m.saw[c.Terminal]++
		m.met[c.Terminal] = c.Presence
	}
	for _, d := range left {
		p := m.met[d.Terminal]
		if p.ConnectedAt.Equal(d.ConnectedAt) {
			p.LeftAt = d.At
		}
		if d.Fault != "" {
			p.Fault, p.FaultAt = d.Fault, d.At
		}
		m.met[d.Terminal] = p
	}
	return nil
}

func (m *memoryStore) NodeAlive(_ context.Context, since, _ time.Time, _ int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.here = since
	return m.fault
}

func (m *memoryStore) NodeStopped(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.here = time.Time{}
	return m.fault
}

// presence gives what is noted of a terminal.
func (m *memoryStore) presence(id central.TerminalID) accounts.Presence {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.met[id]
}

func (m *memoryStore) SpendTokens(_ context.Context, tokens []accounts.TokenUse) ([]bool, error) {
	m.wait(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spending++
	fresh := make([]bool, len(tokens))
	for i, t := range tokens {
		if _, known := m.spent[t.ID]; !known {
			fresh[i], m.spent[t.ID] = true, t.Expires
		}
	}
	return fresh, m.fault
}

func (m *memoryStore) EventsAfter(_ context.Context, t central.TerminalID, cursor int64, limit int) ([]central.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.readEvents++
	var out []central.Event
	for _, e := range m.events[t] {
		if e.Cursor > cursor && len(out) < limit {
			out = append(out, e)
		}
	}
	return out, m.fault
}

func (m *memoryStore) AcknowledgeEvents(_ context.Context, t central.TerminalID, cursor int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault != nil {
		return m.fault
	}
	m.forgotten[t] = append(m.forgotten[t], cursor)
	m.events[t] = slices.DeleteFunc(m.events[t], func(e central.Event) bool { return e.Cursor <= cursor })
	return nil
}

func (m *memoryStore) Operation(_ context.Context, id op.ID) (central.Operation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.operations[id]
	if !ok {
		return o, central.ErrNotFound
	}
	return o, m.fault
}

func (m *memoryStore) PaymentOf(_ context.Context, operation op.ID) (payments.Payment, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.payments[operation]
	if !ok {
		return p, central.ErrNotFound
	}
	return p, m.fault
}

func (m *memoryStore) ByIdentity(_ context.Context, caller, identity string) (central.Operation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, o := range m.operations {
		if o.Caller == caller && o.Identity == identity {
			return o, m.fault
		}
	}
	return central.Operation{}, errors.Join(m.fault, central.ErrNotFound)
}

func (m *memoryStore) setFault(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault = err
}

// event appends an outcome event of an operation in the given state.
func (m *memoryStore) event(t central.TerminalID, cursor int64, id op.ID, state op.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.operations[id] = operationRecord(t, id, state)
	m.events[t] = append(m.events[t], central.Event{Cursor: cursor, Terminal: t, Kind: string(wire.EventOutcome), Operation: id})
}

func (m *memoryStore) left(t central.TerminalID) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.events[t])
}

func operationRecord(t central.TerminalID, id op.ID, state op.State) central.Operation {
	return central.Operation{
		ID: id, Identity: string(id), Caller: "terminal:" + string(t), Terminal: t, State: state,
		HTTP: 200, Reply: fmt.Appendf(nil, `{"of":%q}`, t),
	}
}
