package postgres

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proxy stands between a DB and its server. It reads the messages of the
// protocol that pass, and loses one connection at a chosen one.
type proxy struct {
	t      *testing.T
	target string
	l      net.Listener
	wg     sync.WaitGroup

	mu     sync.Mutex
	open   map[net.Conn]bool
	left   map[net.Conn]bool // clients whose servers do not learn of their end
	done   chan struct{}     // closed when the proxy closes
	late   chan struct{}     // receives when late messages may arrive, and again when they have been answered
	refuse bool              // no new connections
	armed  bool
	plan   plan
	n      int      // messages to the server since it was armed
	said   []string // what they were
	struck bool
}

// fault is what happens to a connection.
type fault int

const (
	cutBefore fault = iota // the message does not reach the server
	cutAfter               // it does, at once followed by the end of the connection
	cutAnswer              // the server has answered it, and the answer is lost
	silence                // it is lost, and the connection stays open without a word
	late                   // the client loses the connection, and the server gets the messages when the test lets it
)

func (f fault) String() string {
	return [...]string{"before", "after", "answer lost", "silence", "late"}[f]
}

// plan says when what happens: at the nth message, or at the first that contains
// a text.
type plan struct {
	nth     int
	text    string
	fault   fault
	onwards bool // no connection is taken afterwards
}

func newProxy(t *testing.T, server string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, target: u.Host, l: l, open: map[net.Conn]bool{}, left: map[net.Conn]bool{}, done: make(chan struct{}), late: make(chan struct{})}
	p.wg.Go(p.accept)
	t.Cleanup(p.close)
	u.Host = l.Addr().String()
	u.RawQuery = "sslmode=disable"
	return p, u.String()
}

func (p *proxy) close() {
	_ = p.l.Close()
	close(p.done)
	p.mu.Lock()
	for c := range p.open {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.wg.Wait()
}

// arm sets the next fault and gives what happened since the last.
func (p *proxy) arm(next plan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed, p.plan, p.n, p.said, p.struck, p.refuse = true, next, 0, nil, false, false
}

// disarm ends the faults and tells whether there was one, and what passed.
func (p *proxy) disarm() (struck bool, said []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed, p.refuse = false, false
	return p.struck, slices.Clone(p.said)
}

func (p *proxy) accept() {
	for {
		client, err := p.l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		refuse := p.refuse
		if !refuse {
			p.open[client], p.open[server] = true, true
		}
		p.mu.Unlock()
		if refuse {
			_, _ = client.Close(), server.Close()
			continue
		}
		p.wg.Go(func() { p.forward(client, server) })
	}
}

// forward passes messages until one of the ends is gone or the plan strikes.
func (p *proxy) forward(client, server net.Conn) {
	answers := make(chan struct{})  // closed when the server's side ended
	dropping := make(chan struct{}) // closed when answers are to be lost
	var silent atomic.Bool          // the client gets nothing, not even an end
	ready := make(chan struct{}, 1)
	p.wg.Go(func() {
		defer close(answers)
		pass(server, client, dropping, ready)
		if !silent.Load() {
			_ = client.Close()
		}
	})
	defer func() {
		_ = client.Close()
		p.mu.Lock()
		left := p.left[client]
		p.mu.Unlock()
		if left {
			<-p.done
		}
		_ = server.Close()
		<-answers
		p.mu.Lock()
		delete(p.open, client)
		delete(p.open, server)
		p.mu.Unlock()
	}()
	for first := true; ; first = false {
		m, err := message(client, first)
		if err != nil {
			return
		}
		strike, f := false, cutBefore
		if !first {
			strike, f = p.judge(m)
		}
		switch {
		case !strike:
			if _, err := server.Write(m); err != nil {
				return
			}
		case f == cutBefore:
			return
		case f == cutAfter:
			_, _ = server.Write(m)
			_ = server.(*net.TCPConn).CloseWrite() // what was sent still arrives
			close(dropping)
			<-answers
			return
		case f == cutAnswer:
			drain(ready)
			close(dropping)
			_, _ = server.Write(m)
			if m[0] == 'Q' || m[0] == 'S' {
				select { // the server has done what was asked
				case <-ready:
				case <-time.After(10 * time.Second):
				}
			}
			return
		case f == late:
			close(dropping)
			p.deliverLate(m, client, server)
			<-answers
			p.late <- struct{}{}
			return
		case f == silence:
			silent.Store(true)
			close(dropping)
			_, _ = io.Copy(io.Discard, client)
			return
		}
	}
}

// deliverLate takes the messages up to the next Sync from a client, ends its connection, and
// delivers them when the test lets it.
func (p *proxy) deliverLate(m []byte, client, server net.Conn) {
	list := slices.Clone(m)
	for m[0] != 'S' {
		next, err := message(client, false)
		if err != nil {
			break
		}
		list, m = append(list, next...), next
	}
	_ = client.Close()
	<-p.late
	_, _ = server.Write(list)
	_ = server.(*net.TCPConn).CloseWrite()
}

func drain(ready chan struct{}) {
	select {
	case <-ready:
	default:
	}
}

// judge counts a message and says whether the fault is due. A Terminate does not
// count: whoever closes a connection does it beside the change, at any time.
func (p *proxy) judge(m []byte) (bool, fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.armed || p.struck || m[0] == 'X' {
		return false, 0
	}
	p.said = append(p.said, string(m[:1])+" "+strings.Trim(string(m[5:]), "\x00"))
	p.n++
	if p.n != p.plan.nth && (p.plan.text == "" || !strings.Contains(string(m), p.plan.text)) {
		return false, 0
	}
	p.struck, p.refuse = true, p.plan.onwards
	return true, p.plan.fault
}

// message reads one message of a client; the first has no type.
func message(r io.Reader, first bool) ([]byte, error) {
	head := make([]byte, 5)
	if first {
		head = head[:4]
	}
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	m := make([]byte, len(head)-4+int(binary.BigEndian.Uint32(head[len(head)-4:])))
	copy(m, head)
	_, err := io.ReadFull(r, m[len(head):])
	return m, err
}

// pass hands a server's messages on until dropping is closed, and then only
// reads them. It reports each ReadyForQuery.
func pass(server io.Reader, client io.Writer, dropping chan struct{}, ready chan struct{}) {
	for {
		m, err := message(server, false)
		if err != nil {
			return
		}
		if m[0] == 'Z' {
			select {
			case ready <- struct{}{}:
			default:
			}
		}
		select {
		case <-dropping:
			continue
		default:
		}
		if _, err := client.Write(m); err != nil {
			return
		}
	}
}

// cutAll cuts every connection that is open.
func (p *proxy) cutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
}

// refuseAll takes no connection until disarm.
func (p *proxy) refuseAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = true
}

// leaveServers cuts every client, whose servers learn nothing until the
// proxy closes.
func (p *proxy) leaveServers() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		if c.LocalAddr().String() != p.l.Addr().String() {
			continue // the server's half
		}
		p.left[c] = true
		_ = c.Close()
	}
}
