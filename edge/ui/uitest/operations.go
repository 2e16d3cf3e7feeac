package uitest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

// Operations is a counter whose operations end as the test answers.
type Operations struct {
	*Counter

	mu       sync.Mutex
	answer   func(q edge.Request) (state op.State, reply string)
	refusal  error
	payments []edge.Record
	byID     map[op.ID]*edge.View
	requests []edge.Request
	captures int
}

// NewOperations returns a counter without operations; until Answer is called, they stay
// in progress.
func NewOperations() *Operations {
	return &Operations{Counter: NewCounter(), byID: map[op.ID]*edge.View{}}
}

// Answer sets the state and reply of all further operations; nil: they stay in progress.
func (o *Operations) Answer(answer func(q edge.Request) (op.State, string)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answer = answer
}

// AnswerAll answers all operations in progress, and notifies. Further ones stay in
// progress.
func (o *Operations) AnswerAll(answer func(q edge.Request) (op.State, string)) {
	o.mu.Lock()
	o.answer = answer
	for _, v := range o.byID {
		if !v.State.Final() {
			o.end(v, edge.Request{Route: v.Route})
		}
	}
	o.answer = nil
	o.mu.Unlock()
	o.Update(func(*edge.Status) {})
}

// Pay adds a payment of an order, or its return, which nobody has seen, and notifies.
func (o *Operations) Pay(r edge.Record) {
	o.mu.Lock()
	o.payments = append(o.payments, r)
	o.mu.Unlock()
	o.Receive(r)
}

// Bounds implements the sections' Counter: those of UPI (domain.md).
func (o *Operations) Bounds(op.RouteID) edge.Bounds { return edge.Bounds{Max: 1_00_000 * money.Rupee} }

// PaymentsOf implements the sections' Counter.
func (o *Operations) PaymentsOf(order string) (list []edge.Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.payments {
		if r.PaymentOrder() == order {
			list = append(list, r)
		}
	}
	return list
}

// Refuse makes Create fail.
func (o *Operations) Refuse(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refusal = err
}

// Forget removes all operations, as a restart does with enquiries.
func (o *Operations) Forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.byID = map[op.ID]*edge.View{}
}

// Requests returns the requests of all operations.
func (o *Operations) Requests() []edge.Request {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]edge.Request(nil), o.requests...)
}

// Captures is the number of captured fingers.
func (o *Operations) Captures() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.captures
}

// Start implements the sections' Counter.
func (o *Operations) Start(q edge.Request) (edge.View, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refusal != nil {
		return edge.View{}, o.refusal
	}
	if q.User == "" || q.UserID == "" {
		return edge.View{}, errors.New("the request names no user")
	}
	o.requests = append(o.requests, q)
	id := op.ID(fmt.Sprintf("019cb8d5-0000-7000-8000-%012x", len(o.requests)))
	v := edge.View{Record: edge.Record{ID: id, Route: q.Route, State: op.Queued, User: q.User, UserID: q.UserID, Title: q.Title, CreatedAt: Now()}, Stage: edge.StageSending}
	if q.Route == op.AgentUpdateBio {
		v.State, v.Stage = op.Reserved, edge.StageReady
	}
	o.byID[id] = &v
	if o.answer != nil && v.State == op.Queued {
		o.end(&v, q)
	}
	return v, nil
}

func (o *Operations) end(v *edge.View, q edge.Request) {
	state, reply := o.answer(q)
	v.State, v.Reply = state, []byte(reply)
	if state.Final() {
		v.Stage, v.EndedAt = edge.StageNone, Now()
	}
	var parsed struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(v.Reply, &parsed) // the test's own text, possibly none
	v.Result.Message = parsed.Message
}

// Await implements the sections' Counter without waiting.
func (o *Operations) Await(_ context.Context, id op.ID) (edge.View, error) {
	v, err := o.Operation(id)
	if err == nil && !v.State.Final() && v.State != op.Pending {
		return v, context.DeadlineExceeded
	}
	return v, err
}

// Capture implements the sections' Counter.
func (o *Operations) Capture(id op.ID) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := o.byID[id]
	if v == nil {
		return edge.ErrNotFound
	}
	o.captures++
	o.end(v, edge.Request{Route: v.Route})
	return nil
}

// Cancel implements the sections' Counter.
func (o *Operations) Cancel(id op.ID) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := o.byID[id]
	if v == nil {
		return edge.ErrNotFound
	}
	v.State, v.Stage, v.EndedAt = op.Expired, edge.StageNone, Now()
	return nil
}

// Operation implements the sections' Counter.
func (o *Operations) Operation(id op.ID) (edge.View, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if v := o.byID[id]; v != nil {
		return *v, nil
	}
	return edge.View{}, edge.ErrNotFound
}

// Cache is an in-memory cache that outlives the section.
type Cache struct {
	mu     sync.Mutex
	values map[string][]byte
}

// NewCache returns an empty cache.
func NewCache() *Cache { return &Cache{values: map[string][]byte{}} }

// GetCache implements the sections' Cache.
func (c *Cache) GetCache(name string) ([]byte, time.Time, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, ok := c.values[name]
	return b, Now(), ok, nil
}

// PutCache implements the sections' Cache.
func (c *Cache) PutCache(name string, value []byte, _ time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values[name] = value
	return nil
}
