package shop

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/web/webtest"
	"galla/shared/op"
)

// fake is a counter whose central answers as a test says.
type fake struct {
	*webtest.Counter
	mu       sync.Mutex
	ops      map[op.ID]*edge.View
	asked    []edge.Request
	answer   func(q edge.Request) (op.State, string) // state and reply
	refuse   error
	captures int
}

func newFake() *fake {
	return &fake{Counter: webtest.NewCounter(), ops: map[op.ID]*edge.View{}}
}

func (f *fake) Perform(_ context.Context, q edge.Request) (edge.View, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuse != nil {
		return edge.View{}, f.refuse
	}
	if q.Operator == "" || q.OperatorID == "" {
		return edge.View{}, errors.New("the request names no operator")
	}
	id, err := op.NewID(rand.Reader)
	if err != nil {
		return edge.View{}, err
	}
	v := edge.View{Record: edge.Record{ID: id, Route: q.Route, State: op.Queued, Operator: q.Operator, OperatorID: q.OperatorID, Title: q.Title, CreatedAt: webtest.Now()}, Stage: edge.StageSending}
	if q.Route == op.AgentUpdateBio {
		v.State, v.Stage = op.Reserved, edge.StageReady
	}
	f.asked, f.ops[id] = append(f.asked, q), &v
	if f.answer != nil && v.State == op.Queued {
		f.end(&v, q)
	}
	return v, nil
}

func (f *fake) end(v *edge.View, q edge.Request) {
	state, reply := f.answer(q)
	v.State, v.Reply = state, []byte(reply)
	if state.Final() {
		v.Stage, v.EndedAt = edge.StageNone, webtest.Now()
	}
	var said struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(v.Reply, &said) // a test's own text
	v.Result.Message = said.Message
}

func (f *fake) Await(ctx context.Context, id op.ID) (edge.View, error) {
	v, err := f.Operation(id)
	if err == nil && !v.State.Final() && v.State != op.Pending {
		return v, context.DeadlineExceeded
	}
	return v, err
}

func (f *fake) Capture(id op.ID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.ops[id]
	if v == nil {
		return edge.ErrNotFound
	}
	f.captures++
	f.end(v, edge.Request{Route: v.Route})
	return nil
}

func (f *fake) Abandon(id op.ID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.ops[id]
	if v == nil {
		return edge.ErrNotFound
	}
	v.State, v.Stage, v.EndedAt = op.Expired, edge.StageNone, webtest.Now()
	return nil
}

func (f *fake) Operation(id op.ID) (edge.View, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if v := f.ops[id]; v != nil {
		return *v, nil
	}
	return edge.View{}, edge.ErrNotFound
}

// memory is a memory that outlives the room.
type memory struct {
	mu     sync.Mutex
	values map[string][]byte
}

func newMemory() *memory { return &memory{values: map[string][]byte{}} }

func (m *memory) Cached(name string) ([]byte, time.Time, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.values[name]
	return b, webtest.Now(), ok, nil
}

func (m *memory) Cache(name string, value []byte, _ time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[name] = value
	return nil
}

// open serves the room over a counter and a memory, and enters.
func open(t *testing.T, f *fake, m *memory) *webtest.Visitor {
	t.Helper()
	s, err := New(f, m, Config{Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	v := webtest.Serve(t, f, s).Visitor(t)
	v.Enter()
	v.Get("/shop/aeps", http.StatusOK)
	return v
}

// settle answers what waits, and rings.
func (f *fake) settle(answer func(edge.Request) (op.State, string)) {
	f.mu.Lock()
	f.answer = answer
	for _, v := range f.ops {
		if !v.State.Final() {
			f.end(v, edge.Request{Route: v.Route})
		}
	}
	f.answer = nil
	f.mu.Unlock()
	f.Change(func(*edge.Status) {})
}
