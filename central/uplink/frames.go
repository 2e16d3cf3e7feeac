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
	"galla/shared/wsconn"
)

// A terminal's frames are read at no more than frameRate; the burst covers a
// reconnect, after which a terminal asks for each unresolved operation.
const (
	frameRate  = 200 // a second
	frameBurst = 2 * wire.MaxUnresolved
)

// readHello reads and answers the hello.
func (x *session) readHello() error {
	data, err := x.readMessage(helloWait)
	if err != nil {
		return err
	}
	hello, err := decodeFrame(data)
	if err != nil {
		return err
	}
	if err := x.handleHello(hello); err != nil {
		return err
	}
	x.conn.Established()
	x.feed.begin(hello.Cursor)
	x.recordCame()
	x.server.watcher.look(x.terminal)
	return nil
}

// readLoop reads the terminal's frames until the session ends. nil: something else
// ended it. An idle connection waits in it, so that its stack holds no frame.
func (x *session) readLoop() error {
	pace := rate.NewLimiter(frameRate, frameBurst)
	for {
		data, err := x.readMessage(wsconn.Silence)
		if err == nil {
			err = pace.Wait(x.ctx)
		}
		if err == nil {
			err = x.handle(data)
		}
		if err != nil {
			return x.unlessEnded(err)
		}
	}
}

// unlessEnded is nil if the session was ended before the reader got err.
func (x *session) unlessEnded(err error) error {
	if x.ctx.Err() != nil {
		return nil
	}
	return err
}

func (x *session) handle(data []byte) error {
	f, err := decodeFrame(data)
	if err != nil {
		return err
	}
	switch f.T {
	case wire.TOp:
		return x.startOperation(f)
	case wire.TAsk:
		// An enquiry that overtakes its operation on the way to the store would
		// make it a tombstone. The outcome is sent anyway.
		if !x.isRunning(f.ID) {
			x.enqueueAsk(f.ID, false)
		}
		return nil
	case wire.TSeen:
		return x.handleSeen(f.Cursor)
	}
	return protocolError("a frame of type %s from a terminal; after the hello come op, ask and seen", f.T)
}

// handleHello checks the hello and answers it.
func (x *session) handleHello(hello wire.Frame) error {
	received := time.Now()
	switch {
	case hello.T != wire.THello:
		return protocolError("the first frame is of type %s; it must be hello", hello.T)
	case hello.V != wire.Version:
		older := "the terminal's program: update it"
		if hello.V > wire.Version {
			older = "the central: wait for its update"
		}
		return &closeError{wire.CloseVersion, fmt.Sprintf(
			"the terminal speaks uplink protocol %d, the central %d; the older one is %s", hello.V, wire.Version, older)}
	case hello.Terminal != string(x.terminal):
		return protocolError("the hello names another terminal than the token")
	}
	for _, id := range hello.Unresolved {
		if _, err := op.ParseID(string(id)); err != nil {
			return protocolError("an unresolved id of the hello %v", err)
		}
	}
	outcomes, shop := x.knownOutcomes(hello.Unresolved), x.shop()
	checkpoint, key, proof := x.continueLog(hello.Log)
	// The middle of our part of the round trip, so that the edge's measurement
	// is not off by half of the time that we took.
	clock := received.Add(time.Since(received) / 2).UnixMilli()
	x.recordHello(hello, clock)
	x.queueUrgent(wire.Frame{T: wire.TWelcome, Clock: clock, Window: x.server.cfg.Window, Outcomes: outcomes, Shop: shop, Log: checkpoint, LogProof: proof, LogKey: key})
	x.log().Info("terminal connected", "version", cleanVersion(hello.Version), "cursor", hello.Cursor,
		"unresolved", len(hello.Unresolved), "known", len(outcomes), "clockAheadMs", hello.Clock-clock)
	return nil
}

// continueLog is the checkpoint that the welcome has for a terminal that keeps another one.
func (x *session) continueLog(kept string) (newest, key string, proof []string) {
	if x.server.cfg.Log == nil {
		return "", "", nil
	}
	ctx, cancel := context.WithTimeout(x.ctx, storeWait)
	defer cancel()
	newest, proof, err := x.server.cfg.Log.Continue(ctx, kept)
	if err != nil {
		x.server.counts.logFaults.Add(1)
		x.log().Error("the log does not continue what a terminal keeps, or can't be read: verify it (galla-central audit verify)", "error", err)
	}
	if newest != "" {
		key = x.server.cfg.Log.PublicKey()
	}
	return newest, key, proof
}

// shop is what the welcome tells of the terminal's shop; nil: it can't be read, and the
// terminal keeps what it knows.
func (x *session) shop() *wire.Shop {
	if x.server.cfg.Merchant == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(x.ctx, storeWait)
	defer cancel()
	m, err := x.server.cfg.Merchant(ctx, x.merchant)
	if err != nil {
		x.log().Warn("the terminal's shop can't be read at hello", "error", err)
		return nil
	}
	return &wire.Shop{Address: m.Address, Phone: m.Mobile}
}

// maxWelcome limits the outcomes in a welcome, in bytes, so that it fits into a
// frame; the terminal asks for the rest.
const maxWelcome = wire.MaxFrame / 2

// knownOutcomes returns the stored outcomes of the ids, without waiting.
func (x *session) knownOutcomes(ids []op.ID) []wire.Frame {
	caller := x.principal().Caller()
	checked := map[op.ID]bool{}
	var outcomes []wire.Frame
	size := 0
	for _, id := range ids {
		if checked[id] {
			continue
		}
		checked[id] = true
		ctx, cancel := context.WithTimeout(x.ctx, storeWait)
		o, err := x.server.store.ByIdentity(ctx, caller, string(id))
		cancel()
		if errors.Is(err, central.ErrNotFound) {
			continue
		}
		if err != nil {
			// The terminal asks for what the welcome does not have.
			x.log().Warn("unresolved operations can't be read at hello", "error", err)
			return outcomes
		}
		if o.Tombstone || (o.State != op.Pending && !o.State.Final()) {
			continue
		}
		f := wire.OutcomeFrame(id, outcomeOf(x.server.handler.CurrentReply(o)))
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
	return central.Principal{Role: op.Merchant, Merchant: x.merchant, Terminal: x.terminal}
}

// startOperation starts an operation. It goes on when the connection breaks.
func (x *session) startOperation(f wire.Frame) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.underWay >= x.server.cfg.Window {
		return protocolError("more than %d operations under way, which is the window", x.server.cfg.Window)
	}
	x.underWay++
	if x.running == nil {
		x.running = map[op.ID]int{}
	}
	x.running[f.ID]++
	x.server.under.Add(1)
	x.server.ops.Go(func() { x.runOperation(f) })
	return nil
}

// isRunning reports whether an operation of this connection is in progress.
func (x *session) isRunning(id op.ID) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.running[id] > 0
}

// runOperation runs one operation and sends its outcome if the connection is still
// open. After a panic it sends nothing: the terminal asks.
func (x *session) runOperation(f wire.Frame) {
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
	defer x.server.recoverPanic(func() *slog.Logger { return x.log().With("operation", f.ID) }, "operation", func() {})

	ctx, cancel := context.WithTimeout(x.server.baseCtx, x.server.cfg.OpWait)
	defer cancel()
	reply := x.execute(ctx, f)
	final := true
	if leftNoRecord(f.Route, reply) {
		reply, final = x.markTombstone(ctx, f.ID, reply)
	}
	// This comes before the outcome is sent: the terminal may answer it with its
	// next operation.
	done()
	if !final {
		return
	}
	if reply.State == op.Received {
		x.enqueueAsk(f.ID, false)
		return
	}
	x.queueUrgent(wire.OutcomeFrame(f.ID, outcomeOf(reply)))
	if isUnderWay(reply) {
		x.enqueueAsk(f.ID, true)
	}
}

// leftNoRecord reports whether a reply is a refusal without a record, of a route
// whose outcome the terminal takes as final for money or for a record.
func leftNoRecord(id op.RouteID, r central.Reply) bool {
	route, ok := op.Find(id)
	return ok && r.State == "" && r.HTTP >= 400 && (route.Class == op.Money || route.Class == op.Record)
}

// markTombstone makes a refusal without a record final: its id is refused from now
// on. If the id is on record, since another copy of the frame was accepted, that
// copy's outcome counts. If this can't be found out, no outcome is sent, and the
// terminal asks.
func (x *session) markTombstone(ctx context.Context, id op.ID, refusal central.Reply) (r central.Reply, final bool) {
	known, seen, err := x.server.handler.FindOrTombstone(ctx, x.principal(), id)
	switch {
	case err != nil:
		x.log().Error("a refused operation can't be read; no outcome is sent", "operation", id, "error", err)
		return central.Reply{}, false
	case seen:
		return known, true
	}
	return refusal, true
}

func (x *session) execute(ctx context.Context, f wire.Frame) central.Reply {
	s := x.server
	route, ok := op.Find(f.Route)
	if !ok || route.Entrances&op.Uplink == 0 {
		return s.handler.ErrorReply(central.NewError(central.NoRoute, "No such route on the uplink"), string(f.ID))
	}
	if s.under.Load() > int64(s.cfg.MaxOperations) {
		return s.handler.ErrorReply(&central.Error{
			Fault: central.TooMany, Message: "The central is busy; this call did nothing, try again", RetryAfter: time.Second,
		}, string(f.ID))
	}
	call := central.Request{
		Principal: x.principal(), Route: route, Body: f.Body, RequestID: string(f.ID),
		ID: f.ID, Identity: string(f.ID), NotAfter: timeOf(f.NotAfter), CapturedAt: timeOf(f.CapturedAt),
		OnAccepted: func(id op.ID) { x.queueUrgent(wire.Frame{T: wire.TAccepted, ID: id}) },
	}
	if route.Method == "GET" {
		call.Params, call.Query = splitParams(route, f.Body)
		call.Body = nil
	} else if strings.Contains(route.Path, ":") {
		call.Params, _ = splitParams(route, f.Body)
	}
	return s.handler.Handle(ctx, call)
}

// timeOf reads a frame's time; zero: none.
func timeOf(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// splitParams takes from a frame's body what HTTP has in the path and in the query:
// top-level texts and numbers; params are those that the path names.
func splitParams(route op.Route, body jsontext.Value) (params, query map[string]string) {
	var fields map[string]jsontext.Value
	if json.Unmarshal(body, &fields) != nil {
		return nil, nil // the handler reports what is missing
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

// maxAskers limits a terminal's enquiries in progress; each may wait for an
// operation.
const maxAskers = 16

// askInterval is the least time between two reads of one operation.
const askInterval = time.Second

// askRetry is how long an enquiry waits after an error of the store.
const askRetry = 5 * time.Second

// asks are the terminal's open enquiries.
type asks struct {
	mu     sync.Mutex
	queue  []op.ID
	open   map[op.ID]bool // queued or in progress; true: 'pending' was sent
	askers int
}

// enqueueAsk queues an enquiry. One that is open already is not queued again; beyond
// what a hello could name they are dropped: the terminal asks again. pendingSent says that
// the terminal got 'pending' for it.
func (x *session) enqueueAsk(id op.ID, pendingSent bool) {
	a := &x.asks
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = map[op.ID]bool{}
	}
	if _, open := a.open[id]; open {
		a.open[id] = a.open[id] || pendingSent
		return
	}
	if len(a.open) >= wire.MaxUnresolved {
		x.log().Warn("a terminal has too many open enquiries", "open", len(a.open))
		return
	}
	a.open[id] = pendingSent
	a.queue = append(a.queue, id)
	if a.askers < maxAskers && x.startWorker("asker", x.runAsker) {
		a.askers++
	}
}

// runAsker answers enquiries until there are none.
func (x *session) runAsker() {
	a := &x.asks
	for {
		a.mu.Lock()
		if len(a.queue) == 0 || x.ctx.Err() != nil {
			a.askers--
			a.mu.Unlock()
			return
		}
		id := a.queue[0]
		a.queue = a.queue[1:]
		pendingSent := a.open[id]
		a.mu.Unlock()

		final, pendingSent := x.answerAsk(id, pendingSent)

		a.mu.Lock()
		if final {
			delete(a.open, id)
		} else {
			a.open[id] = a.open[id] || pendingSent
			a.queue = append(a.queue, id)
		}
		a.mu.Unlock()
	}
}

// answerAsk sends the outcome of an operation. If it is still in progress after the
// wait, 'pending' is sent and final is false, so that it is read again: no event
// reports a late answer of the bank. pendingSent says that the terminal got 'pending'
// before, since it asks only once. After an error nothing is sent, and it is read
// again, too.
func (x *session) answerAsk(id op.ID, pendingSent bool) (final, pendingNow bool) {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(x.ctx, x.server.cfg.OpWait)
	defer cancel()
	reply, seen, err := x.server.handler.FindOrTombstone(ctx, x.principal(), id)
	switch {
	case err != nil && x.ctx.Err() != nil:
		return true, pendingSent
	case err != nil:
		x.log().Error("a terminal's enquiry can't be answered yet", "operation", id, "error", err)
		x.sleep(askRetry)
		return false, pendingSent
	case !seen:
		x.queue(wire.Frame{T: wire.TUnseen, ID: id})
	case reply.State == op.Received:
		// Nothing was sent to the bank so far, and it may still be refused, which
		// pending excludes. The terminal knows that it was accepted.
		x.sleep(askInterval - time.Since(begun))
		return false, pendingSent
	case isUnderWay(reply):
		if !pendingSent {
			x.queue(wire.OutcomeFrame(id, outcomeOf(reply)))
		}
		x.sleep(askInterval - time.Since(begun))
		return false, true
	default:
		x.queue(wire.OutcomeFrame(id, outcomeOf(reply)))
	}
	return true, pendingSent
}

// sleep waits, or returns when the session ends.
func (x *session) sleep(d time.Duration) {
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

// recoverPanic is deferred in a goroutine: a panic is logged and counted, then `then`
// runs.
func (s *Server) recoverPanic(log func() *slog.Logger, name string, then func()) {
	v := recover()
	if v == nil {
		return
	}
	s.counts.panics.Add(1)
	what := fmt.Sprintf("a value of type %T", v) // its text could hold secrets
	if known, ok := v.(runtime.Error); ok {
		what = known.Error()
	}
	log().Error("a goroutine of the uplink panicked", "goroutine", name, "panic", what, "stack", string(debug.Stack()))
	then()
}

// try runs a part of the work for many terminals: if it panics, that is its error, and the
// work goes on.
func (s *Server) try(name string, run func() error) (err error) {
	defer s.recoverPanic(func() *slog.Logger { return s.log }, name, func() { err = fmt.Errorf("the %s panicked", name) })
	return run()
}
