// Package load makes requests over connections that are kept, as cheaply as it can: callers
// and what they call share the processors. A request is written as bytes that were prepared
// before; only the reply's head is parsed.
package load

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// replyTimeout bounds one exchange: longer than any server here waits.
const replyTimeout = 60 * time.Second

// Requests gives a connection's requests: each call returns a whole HTTP/1.1 request, which
// is used until the next call. nil: the caller has no more.
type Requests func() []byte

// Plan is what a run does.
type Plan struct {
	Addr        string // host:port
	Connections int
	For         time.Duration                   // 0: until all callers have no more requests
	Next        func(caller int) Requests       // the requests of one connection
	Good        func(r *fasthttp.Response) bool // whether a reply is a success
}

// Result is what a run achieved.
type Result struct {
	Done, Failed int
	Span         time.Duration
	Took         []time.Duration // of those done, sorted
	First        error           // why the first failed
}

// Rate is how many were done in a second.
func (r Result) Rate() float64 { return float64(r.Done) / r.Span.Seconds() }

// Quantile is within which time a share of the calls was answered.
func (r Result) Quantile(share float64) time.Duration {
	if len(r.Took) == 0 {
		return 0
	}
	return r.Took[min(len(r.Took)-1, int(share*float64(len(r.Took))))]
}

// And is what two runs at the same time achieved together.
func (r Result) And(other Result) Result {
	sum := Result{
		Done: r.Done + other.Done, Failed: r.Failed + other.Failed, Span: max(r.Span, other.Span),
		Took: slices.Concat(r.Took, other.Took), First: cmp.Or(r.First, other.First),
	}
	slices.Sort(sum.Took)
	return sum
}

// Check is an error unless all calls succeeded.
func (r Result) Check() error {
	switch {
	case r.Failed > 0:
		return fmt.Errorf("%d calls of %d failed; the first: %w", r.Failed, r.Failed+r.Done, r.First)
	case r.Done == 0:
		return errors.New("no call was answered")
	}
	return nil
}

// Run makes requests until the time is over. Requests that are under way then are still
// answered and counted.
func Run(ctx context.Context, p Plan) Result {
	if p.For > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, p.For)
		defer stop()
	}
	var over atomic.Bool
	defer context.AfterFunc(ctx, func() { over.Store(true) })()
	callers := make([]caller, p.Connections)
	began := time.Now()
	var work sync.WaitGroup
	for n := range callers {
		callers[n].plan = &p
		work.Go(func() { callers[n].run(p.Next(n), &over) })
	}
	work.Wait()
	r := Result{Span: time.Since(began)}
	for i := range callers {
		c := &callers[i]
		r.Failed += c.failed
		r.Took = append(r.Took, c.took...)
		if r.First == nil {
			r.First = c.first
		}
	}
	r.Done = len(r.Took)
	slices.Sort(r.Took)
	return r
}

// caller is one connection.
type caller struct {
	plan   *Plan
	conn   net.Conn
	in     *bufio.Reader
	took   []time.Duration
	failed int
	first  error
}

func (c *caller) run(next Requests, over *atomic.Bool) {
	defer c.hangUp()
	reply := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(reply)
	for !over.Load() {
		request := next()
		if request == nil {
			return
		}
		began := time.Now()
		err := c.exchange(request, reply)
		if err == nil && !c.plan.Good(reply) {
			err = fmt.Errorf("HTTP %d: %.300s", reply.StatusCode(), reply.Body())
		}
		if err == nil {
			c.took = append(c.took, time.Since(began))
			continue
		}
		if c.failed++; c.first == nil {
			c.first = err
		}
	}
}

// exchange sends a request and reads the reply. After an error the next one dials.
func (c *caller) exchange(request []byte, reply *fasthttp.Response) error {
	if c.conn == nil {
		conn, err := net.Dial("tcp", c.plan.Addr)
		if err != nil {
			return err
		}
		c.conn, c.in = conn, bufio.NewReaderSize(conn, 8<<10)
	}
	err := c.conn.SetDeadline(time.Now().Add(replyTimeout))
	if err == nil {
		_, err = c.conn.Write(request)
	}
	if err == nil {
		err = reply.Read(c.in)
	}
	if err != nil || reply.ConnectionClose() {
		c.hangUp()
	}
	return err
}

func (c *caller) hangUp() {
	if c.conn != nil {
		_ = c.conn.Close() // what came over it is read
		c.conn = nil
	}
}
