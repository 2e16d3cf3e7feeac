package rdservice

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"galla/shared/freeport"
)

// port serves each connection to a port of the real network until the test
// ends.
func port(t *testing.T, serve func(*net.TCPConn)) string {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.AcceptTCP()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return l.Addr().String()
}

// deaf gives a port that takes no further connection: the kernel drops them, as
// a firewall does.
func deaf(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	in, _ := name.(*syscall.SockaddrInet4)
	address := fmt.Sprintf("127.0.0.1:%d", in.Port)
	for range 4 { // more than it keeps waiting
		if c, err := net.DialTimeout("tcp", address, 50*time.Millisecond); err == nil {
			t.Cleanup(func() { _ = c.Close() })
		}
	}
	return address
}

// Twenty-one ports of the real network in the states of the field. In virtual
// time TestDiscoverEveryState holds the scan to three seconds; here it is that
// the sockets behave as they are played there.
func TestDiscoverOnTheRealNetwork(t *testing.T) {
	var strayed atomic.Int32
	elsewhere := port(t, func(*net.TCPConn) { strayed.Add(1) })
	reply := func(raw string) func(*net.TCPConn) {
		return func(c *net.TCPConn) {
			if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				_, _ = io.WriteString(c, raw)
			}
		}
	}
	silent := func(c *net.TCPConn) { _, _ = io.Copy(io.Discard, c) }
	cut := func(c *net.TCPConn) { _ = c.SetLinger(0) } // a reset, not an orderly end
	var at []string
	want := map[string]error{}
	add := func(kind error, addresses ...string) {
		for _, a := range addresses {
			at = append(at, a)
			want[a] = kind
		}
	}
	closed := freeport.For(t)
	unanswered, err := net.Listen("tcp", "127.0.0.1:0") // connections are made, and nobody takes them
	if err != nil {
		t.Fatal(err)
	}
	defer unanswered.Close()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `<RDService status="USED" info="secure"><Interface id="CAPTURE" path="/c"/></RDService>`)
	}))
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	defer secure.Close()
	late := func(c *net.TCPConn) {
		time.Sleep(time.Second)
		reply(rd("NOTREADY", "/late"))(c)
	}
	add(nil, port(t, reply(rd("NOTREADY", "/c"))), port(t, reply(rd("READY", " //c"))), strings.TrimPrefix(secure.URL, "https://"), port(t, late))
	add(ErrTimeout, deaf(t), unanswered.Addr().String(), port(t, silent), port(t, silent), port(t, func(c *net.TCPConn) {
		_, _ = http.ReadRequest(bufio.NewReader(c))
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		for err := error(nil); err == nil; _, err = io.WriteString(c, " ") {
			time.Sleep(50 * time.Millisecond)
		}
	}))
	add(ErrBroken, port(t, cut), port(t, cut), port(t, func(c *net.TCPConn) {
		_, _ = c.Read(make([]byte, 1))
		cut(c)
	}), port(t, func(*net.TCPConn) {}), port(t, reply("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n<RDService")))
	add(ErrStatus, port(t, reply("HTTP/1.1 405 No\r\n\r\n")), port(t, reply("HTTP/1.1 302 Found\r\nLocation: http://"+elsewhere+"/\r\n\r\n")))
	add(ErrReply, port(t, reply(ok("<html></html>"))), port(t, reply("220 mail.example ESMTP\r\n")))
	add(ErrForeignHost, port(t, reply(rd("READY", "http://192.0.2.1:11100/rd/capture"))))
	add(ErrRefused, closed)
	client, err := New(Config{FirstPort: 1, LastPort: 1, Extra: at}) // nothing listens at port 1
	if err != nil || len(client.addresses) != LastPort-FirstPort+1 {
		t.Fatalf("%d addresses, %v", len(client.addresses), err)
	}
	began := time.Now()
	scan, err := client.Discover(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the scan of %d ports took %v", len(client.addresses), time.Since(began).Round(time.Millisecond))
	var statuses []string
	for _, s := range scan.Services {
		statuses = append(statuses, string(s.Status)+" "+s.CapturePath)
	}
	if !slices.Equal(statuses, []string{"READY /c", "USED /c", "NOTREADY /c", "NOTREADY /late"}) {
		t.Errorf("found %q", statuses)
	}
	for _, f := range scan.Failures {
		address := strings.TrimPrefix(f.Address, "http://")
		if address != "127.0.0.1:1" && (want[address] == nil || !errors.Is(f, want[address])) {
			t.Errorf("%v, want %v", f, want[address])
		}
	}
	if n := len(scan.Services) + len(scan.Failures); n != LastPort-FirstPort+1 || strayed.Load() != 0 {
		t.Errorf("%d addresses were reported, and %d calls went where a redirect led", n, strayed.Load())
	}
}
