package uplink

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/time/rate"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
)

// A terminal's frames are read at no more than frameRate; the burst covers a
// reconnect, after which a counter asks for each of its unresolved operations.
const (
	frameRate  = 200 // a second
	frameBurst = 2 * wire.MaxUnresolved
)

// converse reads the terminal's frames until the session ends. nil: it was
// ended from elsewhere.
func (x *session) converse() error {
	hello, err := x.next(helloWait)
	if err != nil {
		return x.orEnded(err)
	}
	if err := x.greet(hello); err != nil {
		return x.orEnded(err)
	}
	x.greeted = true
	x.helped.Go(func() { x.guarded("feeder", func() { x.runFeed(hello.Cursor) }) })

	pace := rate.NewLimiter(frameRate, frameBurst)
	for {
		f, err := x.next(silence)
		if err == nil {
			err = pace.Wait(x.ctx)
		}
		if err == nil {
			err = x.handle(f)
		}
		if err != nil {
			return x.orEnded(err)
		}
	}
}

// orEnded is nil where the session was ended before the reader met err.
func (x *session) orEnded(err error) error {
	if x.ctx.Err() != nil {
		return nil
	}
	return err
}

func (x *session) handle(f wire.Frame) error {
	switch f.T {
	case wire.TOp:
		return x.perform(f)
	case wire.TAsk:
		// A question that overtook its operation on the way to the store would
		// make it one that was never seen. Its outcome is told by itself.
		if !x.isRunning(f.ID) {
			x.ask(f.ID, false)
		}
		return nil
	case wire.TSeen:
		return x.seen(f.Cursor)
	}
	return violation("a frame of type %s from a terminal; after the hello come op, ask and seen", f.T)
}

// greet judges the hello and answers it.
func (x *session) greet(hello wire.Frame) error {
	received := time.Now()
	switch {
	case hello.T != wire.THello:
		return violation("the first frame is of type %s; it must be hello", hello.T)
	case hello.V != wire.Version:
		older := "the terminal's program: update it"
		if hello.V > wire.Version {
			older = "the central: wait for its update"
		}
		return &closing{wire.CloseVersion, fmt.Sprintf(
			"the terminal speaks uplink protocol %d, the central %d; the older one is %s", hello.V, wire.Version, older)}
	case hello.Terminal != string(x.terminal.ID):
		return violation("the hello names another terminal than the token")
	}
	for _, id := range hello.Unresolved {
		if _, err := op.ParseID(string(id)); err != nil {
			return violation("an unresolved id of the hello %v", err)
		}
	}
	outcomes := x.known(hello.Unresolved)
	// The middle of our part of the round trip, so that the edge's measurement
	// is not off by half of the time that we took.
	clock := received.Add(time.Since(received) / 2).UnixMilli()
	x.note(hello, clock)
	x.tell(wire.Frame{T: wire.TWelcome, Clock: clock, Window: x.server.cfg.Window, Outcomes: outcomes})
	x.log.Info("terminal connected", "version", printable(hello.Version, maxVersion), "cursor", hello.Cursor,
		"unresolved", len(hello.Unresolved), "known", len(outcomes), "clockAheadMs", hello.Clock-clock)
	return nil
}

// printable is a foreign text that may stand in a log, cut to a length in bytes.
func printable(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	return s[:min(len(s), most)]
}

// maxWelcome bounds the outcomes in a welcome, in bytes, so that it fits a
// frame; the terminal asks for the rest.
const maxWelcome = wire.MaxFrame / 2

// known gives the outcomes that are on record for the ids, without waiting.
func (x *session) known(ids []op.ID) []wire.Frame {
	caller := x.principal().Caller()
	told := map[op.ID]bool{}
	var outcomes []wire.Frame
	size := 0
	for _, id := range ids {
		if told[id] {
			continue
		}
		told[id] = true
		ctx, cancel := context.WithTimeout(x.ctx, storeWait)
		o, err := x.server.store.ByIdentity(ctx, caller, string(id))
		cancel()
		if errors.Is(err, central.ErrNotFound) {
			continue
		}
		if err != nil {
			// The terminal asks for what the welcome leaves out.
			x.log.Warn("unresolved operations can't be looked up at hello", "error", err)
			return outcomes
		}
		if o.Forsworn || (o.State != op.Pending && !o.State.Final()) {
			continue
		}
		f := wire.OutcomeFrame(id, outcomeOf(x.server.dispatcher.Outcome(o)))
		data, err := wire.Encode(f)
		if err != nil || size+len(data) > maxWelcome {
			continue
		}
		size += len(data)
		outcomes = append(outcomes, f)
	}
	return outcomes
}

func (x *session) principal() central.Principal {
	return central.Principal{Role: op.Merchant, Merchant: x.terminal.Merchant, Terminal: x.terminal.ID}
}

// perform starts an operation. It goes on when the connection breaks.
func (x *session) perform(f wire.Frame) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.underWay >= x.server.cfg.Window {
		return violation("more than %d operations under way, which is the window", x.server.cfg.Window)
	}
	x.underWay++
	x.running[f.ID]++
	x.server.under.Add(1)
	x.server.ops.Go(func() { x.operate(f) })
	return nil
}

// isRunning tells whether an operation that came on this connection is worked on.
func (x *session) isRunning(id op.ID) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.running[id] > 0
}

// operate runs one operation and tells its outcome, if anybody is there to
// hear it. A panic tells nothing: the terminal asks, and the record answers.
func (x *session) operate(f wire.Frame) {
	done := sync.OnceFunc(func() {
		x.server.under.Add(-1)
		x.mu.Lock()
		defer x.mu.Unlock()
		x.underWay--
		if x.running[f.ID]--; x.running[f.ID] == 0 {
			delete(x.running, f.ID)
		}
	})
	defer done()
	defer x.server.caught(x.log.With("operation", f.ID), "operation", func() {})

	ctx, cancel := context.WithTimeout(x.server.life, x.server.cfg.OpWait)
	defer cancel()
	reply := x.dispatch(ctx, f)
	told := true
	if unrecorded(f.Route, reply) {
		reply, told = x.forswear(ctx, f.ID, reply)
	}
	// Before the outcome is told: the terminal may answer it with its next
	// operation.
	done()
	if !told {
		return
	}
	if reply.State == op.Received {
		x.ask(f.ID, false)
		return
	}
	x.tell(wire.OutcomeFrame(f.ID, outcomeOf(reply)))
	if underWay(reply) {
		x.ask(f.ID, true)
	}
}

// unrecorded tells of a refusal that left no record, of a route whose outcome a
// terminal takes for the last word on money or on a record.
func unrecorded(id op.RouteID, r central.Reply) bool {
	route, ok := op.Find(id)
	return ok && r.State == "" && r.HTTP >= 400 && (route.Class == op.Money || route.Class == op.Record)
}

// forswear makes a refusal that left no record the last word on an operation:
// from here on its id is refused for ever. Where the id is on record, since
// another copy of the frame was let in, that copy's outcome is the word; where
// this can't be found out, none is told, and the terminal asks.
func (x *session) forswear(ctx context.Context, id op.ID, refusal central.Reply) (r central.Reply, told bool) {
	known, seen, err := x.server.dispatcher.Ask(ctx, x.principal(), id)
	switch {
	case err != nil:
		x.log.Error("a refused operation can't be looked up; nothing is told, and the terminal asks", "operation", id, "error", err)
		return central.Reply{}, false
	case seen:
		return known, true
	}
	return refusal, true
}

func (x *session) dispatch(ctx context.Context, f wire.Frame) central.Reply {
	s := x.server
	route, ok := op.Find(f.Route)
	if !ok || route.Doors&op.Uplink == 0 {
		return s.dispatcher.Refusal(central.Refuse(central.NoRoute, "No such route on the uplink"), string(f.ID))
	}
	if s.under.Load() > int64(s.cfg.MaxOperations) {
		return s.dispatcher.Refusal(&central.Error{
			Fault: central.TooMany, Message: "The central is busy; this call did nothing, try again", RetryAfter: time.Second,
		}, string(f.ID))
	}
	call := central.Call{
		Principal: x.principal(), Route: route, Body: f.Body, RequestID: string(f.ID),
		ID: f.ID, Identity: string(f.ID), NotAfter: moment(f.NotAfter), CapturedAt: moment(f.CapturedAt),
		Accepted: func(id op.ID) { x.tell(wire.Frame{T: wire.TAccepted, ID: id}) },
	}
	if route.Method == "GET" {
		call.Params, call.Query = addressed(route, f.Body)
		call.Body = nil
	} else if strings.Contains(route.Path, ":") {
		call.Params, _ = addressed(route, f.Body)
	}
	return s.dispatcher.Dispatch(ctx, call)
}

// moment reads a frame's time; zero: none.
func moment(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// addressed reads from a frame's body what over HTTP stands in the path and in
// the query: top-level texts and numbers, those that the path names apart.
func addressed(route op.Route, body jsontext.Value) (params, query map[string]string) {
	var fields map[string]jsontext.Value
	if json.Unmarshal(body, &fields) != nil {
		return nil, nil // the dispatcher finds what it needs missing
	}
	params, query = map[string]string{}, map[string]string{}
	for name, value := range fields {
		var text string
		switch value.Kind() {
		case '"':
			if json.Unmarshal(value, &text) != nil {
				continue
			}
		case '0':
			text = string(value)
		default:
			continue
		}
		if strings.Contains(route.Path+"/", "/:"+name+"/") {
			params[name] = text
		} else {
			query[name] = text
		}
	}
	return params, query
}

// maxAskers bounds the questions of one terminal that are worked on at one
// time; each may wait for an operation that is under way.
const maxAskers = 16

// askAgain is the least time between two looks at one operation.
const askAgain = time.Second

// askRetry is how long a question waits after the store failed it.
const askRetry = 5 * time.Second

// asks are the terminal's questions that were not answered yet.
type asks struct {
	mu     sync.Mutex
	queue  []op.ID
	open   map[op.ID]bool // queued or worked on; true: 'pending' was told
	askers int
	closed bool // the session joins its goroutines
}

// ask queues a question. One that is open already is not asked twice; beyond
// what a hello could name they are dropped: the terminal asks again. told says
// that the terminal has heard 'pending' of it.
func (x *session) ask(id op.ID, told bool) {
	a := &x.asks
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = map[op.ID]bool{}
	}
	if _, open := a.open[id]; open || a.closed {
		a.open[id] = a.open[id] || told
		return
	}
	if len(a.open) >= wire.MaxUnresolved {
		x.log.Warn("a terminal asks for too many operations at once", "open", len(a.open))
		return
	}
	a.open[id] = told
	a.queue = append(a.queue, id)
	if a.askers < maxAskers {
		a.askers++
		x.helped.Go(func() { x.guarded("asker", x.runAsker) })
	}
}

// close ends the questions; goroutines are joined after it.
func (a *asks) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
}

// runAsker answers questions until there are none.
func (x *session) runAsker() {
	a := &x.asks
	for {
		a.mu.Lock()
		if len(a.queue) == 0 || a.closed || x.ctx.Err() != nil {
			a.askers--
			a.mu.Unlock()
			return
		}
		id := a.queue[0]
		a.queue = a.queue[1:]
		told := a.open[id]
		a.mu.Unlock()

		settled, told := x.answer(id, told)

		a.mu.Lock()
		if settled {
			delete(a.open, id)
		} else {
			a.open[id] = a.open[id] || told
			a.queue = append(a.queue, id)
		}
		a.mu.Unlock()
	}
}

// answer says what became of an operation. One that is still under way after
// the wait is told as pending, and settled is false, so that it is looked at
// again: where the bank's answer comes late, no event tells of it. told says
// that the terminal has heard 'pending'; it then asks once only. An error says
// nothing about the operation, so nothing is said, and it is looked at again as
// well.
func (x *session) answer(id op.ID, told bool) (settled, toldNow bool) {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(x.ctx, x.server.cfg.OpWait)
	defer cancel()
	reply, seen, err := x.server.dispatcher.Ask(ctx, x.principal(), id)
	switch {
	case err != nil && x.ctx.Err() != nil:
		return true, told
	case err != nil:
		x.log.Error("a terminal's question can't be answered; it is looked at again", "operation", id, "error", err)
		x.pause(askRetry)
		return false, told
	case !seen:
		x.offer(wire.Frame{T: wire.TUnseen, ID: id})
	case reply.State == op.Received:
		// Nothing was sent so far, and it may end as refused, which pending
		// never does. The terminal knows that it was accepted.
		x.pause(askAgain - time.Since(begun))
		return false, told
	case underWay(reply):
		if !told {
			x.offer(wire.OutcomeFrame(id, outcomeOf(reply)))
		}
		x.pause(askAgain - time.Since(begun))
		return false, true
	default:
		x.offer(wire.OutcomeFrame(id, outcomeOf(reply)))
	}
	return true, told
}

// pause waits, or returns when the session ends.
func (x *session) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.ctx.Done():
	}
}

// caught is deferred at a goroutine's top: a panic is logged and counted, and
// then takes the given end.
func (s *Server) caught(log *slog.Logger, name string, then func()) {
	v := recover()
	if v == nil {
		return
	}
	s.counts.panics.Add(1)
	what := fmt.Sprintf("a value of type %T", v) // its text could hold anything
	if known, ok := v.(runtime.Error); ok {
		what = known.Error()
	}
	log.Error("a goroutine of the uplink panicked", "goroutine", name, "panic", what, "stack", string(debug.Stack()))
	then()
}
