// Package upitest plays the central for tests of the sandbox bank: it receives
// notifications of payments, and confirms them or not.
package upitest

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central/bank/network"
)

// Received is a notification that reached the central.
type Received struct {
	Payment network.Payment
	At      time.Time
	Signed  bool // its checksum is right
}

// Central receives notifications. It may be used concurrently.
type Central struct {
	t    testing.TB
	sums network.Checksums

	mu       sync.Mutex
	answer   func(w http.ResponseWriter, n int, p network.Payment)
	received []Received
	total    int

	dials, underWay, most atomic.Int32
}

// New plays a central that confirms every notification whose checksum is right, and
// answers 401 to the others.
func New(t testing.TB, sums network.Checksums) *Central { return &Central{t: t, sums: sums} }

// Answer sets what writes the reply to the n-th notification with a right checksum, counted
// from 0 over all notifications; nil: each is confirmed.
func (c *Central) Answer(f func(w http.ResponseWriter, n int, p network.Payment)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = f
}

// Dial has the form of simbank.Config.DialNotify: it connects in memory.
func (c *Central) Dial(context.Context, string, string) (net.Conn, error) {
	c.dials.Add(1)
	near, far := net.Pipe()
	l := &oneConn{conns: make(chan net.Conn, 1)}
	l.conns <- far
	// The server ends with the second Accept, its connection with the other end.
	go func() { _ = (&http.Server{Handler: c}).Serve(l) }()
	return near, nil
}

// oneConn is a listener with one connection.
type oneConn struct{ conns chan net.Conn }

// Accept gives the connection, and then ends.
func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	default:
		return nil, net.ErrClosed
	}
}

// Close does nothing.
func (l *oneConn) Close() error { return nil }

// Addr is an address in memory.
func (l *oneConn) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "memory"} }

// ServeHTTP receives a notification.
func (c *Central) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := c.underWay.Add(1)
	defer c.underWay.Add(-1)
	for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); most = c.most.Load() {
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.URL.Path != network.PathNotifications || r.Header.Get("Content-Type") != network.ContentType {
		c.t.Errorf("%s %s, %s: %v", r.Method, r.URL, r.Header.Get("Content-Type"), err)
	}
	p, err := network.DecodePayment(body)
	if err != nil || p.InvalidMembers() != nil {
		c.t.Errorf("notification %s: %v, %v", body, err, p.InvalidMembers())
	}
	signed := c.sums.IsNotification(r.Header.Get(network.HeaderChecksum), network.PathNotifications, body)
	c.mu.Lock()
	n, answer := c.total, c.answer
	c.total++
	c.received = append(c.received, Received{p, time.Now(), signed})
	c.mu.Unlock()
	switch {
	case !signed:
		w.WriteHeader(http.StatusUnauthorized)
	case answer != nil:
		answer(w, n, p)
	default:
		c.Confirm(w, p.ID)
	}
}

// Confirm writes the reply that confirms a payment.
func (c *Central) Confirm(w http.ResponseWriter, id string) {
	body, err := network.EncodeReceipt(network.Receipt{ID: id})
	if err != nil {
		c.t.Error(err)
	}
	w.Header().Set(network.HeaderChecksum, string(c.sums.AppendReply(nil, http.StatusOK, id, body)))
	_, _ = w.Write(body) // a caller that is gone sends it again
}

// Took gives what was received since the last call.
func (c *Central) Took() []Received {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.received
	c.received = nil
	return out
}

// Dials is the number of connections so far.
func (c *Central) Dials() int { return int(c.dials.Load()) }

// Most is the largest number of notifications that were under way at once.
func (c *Central) Most() int { return int(c.most.Load()) }
