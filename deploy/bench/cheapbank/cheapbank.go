// Package cheapbank is a bank network that answers at once and costs next to nothing: it
// speaks the protocol of central/bank/network with its checksums, approves every transaction
// and keeps no books. The sandbox's bank decrypts each PID block and syncs its own books,
// which would be most of what is measured on one machine.
package cheapbank

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"

	"github.com/valyala/fasthttp"

	"galla/central/bank/network"
	"galla/shared/money"
	"galla/shared/secret"
)

// Bank is the network. It may be held: then it answers no transaction until it is released.
type Bank struct {
	key      secret.Key
	listener net.Listener
	server   *fasthttp.Server
	served   chan error

	waiting  atomic.Int64
	enquired atomic.Int64
	mu       sync.Mutex
	gate     chan struct{} // nil: open
}

// Start starts a bank on a free port. key is shared with the central.
func Start(key secret.Key) (*Bank, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cheap bank: %w", err)
	}
	b := &Bank{key: key, listener: l, served: make(chan error, 1)}
	b.server = &fasthttp.Server{Handler: b.serve, NoDefaultServerHeader: true, NoDefaultDate: true, Concurrency: 20_000, MaxRequestBodySize: network.MaxBody}
	go func() { b.served <- b.server.Serve(l) }()
	return b, nil
}

// URL is the network's base address.
func (b *Bank) URL() string { return "http://" + b.listener.Addr().String() }

// Close ends the bank; held transactions are released.
func (b *Bank) Close() error {
	b.Release()
	return errors.Join(b.server.Shutdown(), <-b.served)
}

// Hold makes transactions wait for Release.
func (b *Bank) Hold() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gate == nil {
		b.gate = make(chan struct{})
	}
}

// Release answers what waits, and all that comes later.
func (b *Bank) Release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gate != nil {
		close(b.gate)
		b.gate = nil
	}
}

// Waiting is how many transactions are held.
func (b *Bank) Waiting() int { return int(b.waiting.Load()) }

// Enquired counts the enquiries so far.
func (b *Bank) Enquired() int { return int(b.enquired.Load()) }

func (b *Bank) wait() {
	b.mu.Lock()
	gate := b.gate
	b.mu.Unlock()
	if gate != nil {
		b.waiting.Add(1)
		defer b.waiting.Add(-1)
		<-gate
	}
}

// serve answers one request.
func (b *Bank) serve(c *fasthttp.RequestCtx) {
	body := c.PostBody()
	path := string(c.Path())
	sum := network.RequestChecksum(b.key, fasthttp.MethodPost, path, body)
	if !c.IsPost() || !network.SameChecksum(string(c.Request.Header.Peek(network.HeaderChecksum)), sum) {
		b.reply(c, fasthttp.StatusUnauthorized, "", []byte(`{"error":"the checksum is wrong"}`))
		return
	}
	a := network.Answer{
		Reference: member(body, "reference"), Status: network.Success, Code: network.CodeApproved, Message: "Approved",
		STAN: member(body, "stan"), RRN: "632510123456", AuthCode: "A1B2C3",
	}
	balance := money.Paise(2_500_000)
	switch path {
	case network.PathTransactions:
		a.Balance = &balance
		b.wait()
	case network.PathConsultations: // the central asks for the float by itself
		a.Data = []byte(`{"balance":100000.00}`)
	case network.PathEnquiries:
		a.Balance = &balance
		b.enquired.Add(1)
	default:
		b.reply(c, fasthttp.StatusNotFound, "", []byte(`{"error":"no such route here"}`))
		return
	}
	text, err := network.EncodeAnswer(a)
	if err != nil {
		b.reply(c, fasthttp.StatusBadRequest, "", []byte(`{"error":"the answer can't be written"}`))
		return
	}
	b.reply(c, fasthttp.StatusOK, a.Reference, text)
}

func (b *Bank) reply(c *fasthttp.RequestCtx, status int, reference string, body []byte) {
	c.SetStatusCode(status)
	c.SetContentType(network.ContentType)
	c.Response.Header.Set(network.HeaderChecksum, network.ReplyChecksum(b.key, status, reference, body))
	c.SetBody(body)
}

// member finds a text without escapes among the members of an object: the whole message need
// not be decoded for an answer. The central writes its reference and STAN before what
// callers have written.
func member(body []byte, name string) string {
	_, after, found := bytes.Cut(body, []byte(`"`+name+`":"`))
	if !found {
		return ""
	}
	value, _, _ := bytes.Cut(after, []byte(`"`))
	return string(value)
}
