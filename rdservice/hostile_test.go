package rdservice

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"
)

// call is one of the three calls to the service on port 11100, with the longest
// that it may take.
type call struct {
	name string
	good string // the body of a right answer
	do   func(ctx context.Context, c *Client) error
	wait time.Duration
}

func calls() []call {
	s := Service{Address: "http://127.0.0.1:11100", InfoPath: "/i", CapturePath: "/c"}
	return []call{
		{"RDSERVICE", `<RDService status="READY" info="CANARY"><Interface id="CAPTURE" path="/c"/></RDService>`,
			func(ctx context.Context, c *Client) error { _, err := c.Probe(ctx, s.Address); return err }, probeWait},
		{"DEVICEINFO", `<DeviceInfo dpId="SIM.T" mi="CANARY" dc="d"></DeviceInfo>`,
			func(ctx context.Context, c *Client) error { _, err := c.Info(ctx, s); return err }, infoWait},
		{"CAPTURE", pidData(`errCode="0" errInfo="CANARY"`, someData),
			func(ctx context.Context, c *Client) error { _, err := c.Capture(ctx, s, Options{}); return err }, DefaultTimeout + captureGrace},
	}
}

func utf16LE(s string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return string(out)
}

// Each line of the list of bad replies, at each of the three calls: a clear
// error that does not quote the reply, in the time of the call, and with no more
// read than a reply may have.
func TestBadReplies(t *testing.T) {
	const kept = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=600\r\n"
	// Bodies, from the right one.
	bodies := map[string]struct {
		spoil func(good string) string
		want  error
	}{
		"cut off":     {func(s string) string { return s[:len(s)*2/3] }, ErrReply},
		"empty":       {func(string) string { return "" }, ErrReply},
		"10 MB":       {func(s string) string { return s + strings.Repeat(" ", 10<<20) }, ErrTooLarge},
		"UTF-16":      {utf16LE, ErrReply},
		"DTD":         {func(s string) string { return `<!DOCTYPE a SYSTEM "http://evil.example/x">` + s }, ErrReply},
		"entity bomb": {func(s string) string { return bomb() + strings.Replace(s, "CANARY", "&z;", 1) }, ErrReply},
		"wrong root":  {func(string) string { return `<Answer status="READY" errCode="0"/>` }, ErrReply},
		"HTML":        {func(string) string { return "<html><body>It works CANARY</body></html>" }, ErrReply},
		"no XML":      {func(string) string { return "CANARY" }, ErrReply},
		"attribute twice": {func(s string) string {
			return strings.Replace(s, " ", ` status="READY" dpId="X" status="X" dpId="Y" `, 1)
		}, ErrReply},
		"elements without end": {func(s string) string { return strings.Replace(s, "><", ">"+strings.Repeat("<a>", 4096)+"<", 1) }, ErrReply},
	}
	// Whole connections.
	raw := map[string]struct {
		serve func(good string) func(net.Conn)
		want  error
	}{
		"endless body": {func(string) func(net.Conn) { return endlessly("HTTP/1.1 200 OK\r\n\r\n", "<!-- CANARY -->") }, ErrTooLarge},
		"endless chunks": {func(string) func(net.Conn) {
			return endlessly("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "600\r\n"+strings.Repeat("CANARY", 256)+"\r\n")
		}, ErrTooLarge},
		"endless head":     {func(string) func(net.Conn) { return endlessly("HTTP/1.1 200 OK\r\n", "X: CANARY\r\n") }, ErrBroken},
		"drop by drop":     {func(string) func(net.Conn) { return dripping }, ErrTimeout},
		"silent":           {func(string) func(net.Conn) { return silence }, ErrTimeout},
		"reset":            {func(string) func(net.Conn) { return func(net.Conn) {} }, ErrBroken},
		"length too long":  {func(s string) func(net.Conn) { return answer("HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n" + s) }, ErrBroken},
		"length too short": {func(s string) func(net.Conn) { return answer("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n" + s) }, ErrReply},
		"length negative":  {func(s string) func(net.Conn) { return answer("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n" + s) }, ErrBroken},
		"405": {func(string) func(net.Conn) {
			return answer("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n")
		}, ErrStatus},
		"500": {func(s string) func(net.Conn) { return answer("HTTP/1.1 500 Internal Server Error\r\n\r\n" + s) }, ErrStatus},
		"204": {func(string) func(net.Conn) { return answer("HTTP/1.1 204 No Content\r\n\r\n") }, ErrStatus},
		"redirect": {func(string) func(net.Conn) {
			return answer("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://evil.example/CANARY\r\nContent-Length: 0\r\n\r\n")
		}, ErrStatus},
		"kept, no length": {func(s string) func(net.Conn) { return keeping(kept + "\r\n" + s) }, ErrTimeout},
		"kept, too long":  {func(s string) func(net.Conn) { return keeping(kept + "Content-Length: 90000\r\n\r\n" + s) }, ErrTimeout},
		"kept, and right": {func(s string) func(net.Conn) {
			return keeping(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", kept, len(s), s))
		}, nil},
		"kept, two replies": {func(s string) func(net.Conn) { return keeping(ok(s) + ok("<CANARY/>")) }, nil},
		"no HTTP":           {func(s string) func(net.Conn) { return answer(s + "\r\n") }, ErrReply},
	}
	for _, one := range calls() {
		for name, b := range bodies {
			t.Run(one.name+"/"+name, func(t *testing.T) { meets(t, one, answer(ok(b.spoil(one.good))), b.want) })
		}
		for name, r := range raw {
			t.Run(one.name+"/"+name, func(t *testing.T) { meets(t, one, r.serve(one.good), r.want) })
		}
	}
	t.Run("CAPTURE/no Resp", func(t *testing.T) {
		meets(t, calls()[2], answer(ok("<PidData><Skey>CANARY</Skey></PidData>")), ErrReply)
	})
}

// Codes below zero and numbers in odd forms are read, not refused.
func TestOddNumbers(t *testing.T) {
	for resp, want := range map[string]Action{
		`errCode="-1307"`:                                        RetryDevice,
		`errCode=" -1307 " nmPoints="" qScore=""`:                RetryDevice,
		`errCode="-7777" nmPoints="-1" qScore="x"`:               CallSupport,
		`errCode="730" nmPoints="0,0" qScore="0,"`:               RetryCustomer,
		`errCode="99999999999999999999"`:                         CallSupport,
		`errCode="0" nmPoints="40,41" qScore="70, 20"`:           RetryCustomer, // the lowest counts
		`errCode="0" nmPoints=" " qScore=" "`:                    Accept,
		`errCode="0" nmPoints="50" qScore="80" fCount="" fType`:  CallSupport, // no XML
		`errCode="0" nmPoints="1e99" qScore="99999999999999999"`: Accept,
	} {
		synctest.Test(t, func(t *testing.T) {
			client := newClient(t, counter{11100: answer(ok(fresh(time.Now(), resp)))}, Config{})
			got, err := client.Capture(t.Context(), Service{Address: "http://127.0.0.1:11100", CapturePath: "/c"}, Options{})
			if err != nil {
				got.Judgement = Explain(err)
			}
			if got.Judgement.Action != want {
				t.Errorf("%s: %+v, %v", resp, got.Judgement, err)
			}
		})
	}
}

// bomb declares entities of which one would grow to gigabytes.
func bomb() string {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE x [<!ENTITY a "CANARY">`)
	for c := 'b'; c <= 'z'; c++ {
		fmt.Fprintf(&b, `<!ENTITY %c "%s">`, c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
	}
	b.WriteString("]>")
	return b.String()
}

// endlessly answers with a head and then the same for ever.
func endlessly(head, more string) func(net.Conn) {
	return func(conn net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(conn))
		_, err := io.WriteString(conn, head)
		for more = strings.Repeat(more, 512); err == nil; {
			_, err = io.WriteString(conn, more)
		}
	}
}

func dripping(conn net.Conn) {
	_, _ = http.ReadRequest(bufio.NewReader(conn))
	_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
	for err == nil {
		time.Sleep(100 * time.Millisecond)
		_, err = io.WriteString(conn, " ")
	}
}

// keeping answers and keeps the connection until the client has gone.
func keeping(raw string) func(net.Conn) {
	return func(conn net.Conn) {
		answer(raw)(conn)
		_, _ = io.Copy(io.Discard, conn)
	}
}

// counted counts what is written to a connection and read by the other side.
type counted struct {
	net.Conn
	n int
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.n += n
	return n, err
}

// meets makes a call to a service and judges its end.
func meets(t *testing.T, one call, serve func(net.Conn), want error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var read atomic.Int64
		client := newClient(t, counter{11100: func(conn net.Conn) {
			c := &counted{Conn: conn}
			serve(c)
			for most := read.Load(); int64(c.n) > most && !read.CompareAndSwap(most, int64(c.n)); most = read.Load() {
			}
		}}, Config{})
		began := time.Now()
		err := one.do(t.Context(), client)
		if took := time.Since(began); took > one.wait {
			t.Errorf("it took %s of virtual time", took)
		}
		switch {
		case want == nil && err != nil, !errors.Is(err, want):
			t.Fatalf("got %v, want %v", err, want)
		case err != nil && strings.Contains(err.Error(), "CANARY"):
			t.Errorf("the error quotes the reply: %v", err)
		case err != nil && (Explain(err).Usable || Explain(err).Text == "" || !strings.Contains(err.Error(), "http://127.0.0.1:11100")):
			t.Errorf("%v is explained as %+v", err, Explain(err))
		}
		time.Sleep(time.Second) // the service notices that nobody listens
		if most := int64(MaxReply + maxHeader + 64<<10); read.Load() > most {
			t.Errorf("%d bytes were read, more than %d", read.Load(), most)
		}
	})
}
