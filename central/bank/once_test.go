package bank

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central"
	"galla/central/bank/network"
)

// TestAtMostOnceOverKeptConnections lets a network misbehave in every way on many
// connections at once. Whatever it does, each request arrives at most once, none
// arrives that counts as not sent, and each answer is the request's own.
func TestAtMostOnceOverKeptConnections(t *testing.T) {
	both(t, func(t *testing.T, secure bool) {
		var mu sync.Mutex
		arrived := map[string]int{}
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		draw := func(n int) int {
			mu.Lock()
			defer mu.Unlock()
			return random.IntN(n)
		}
		c, _ := clientOf(t, secure, func(c net.Conn) {
			for in := bufio.NewReader(c); draw(12) != 0; {
				ref, ok := readReference(in)
				if !ok {
					return
				}
				mu.Lock()
				arrived[ref]++
				mu.Unlock()
				if !misbehave(c, draw, replyTo(ref)) {
					return
				}
			}
		}, Config{Timeout: 200 * time.Millisecond})
		var senders sync.WaitGroup
		var answered atomic.Int64
		for w := range 8 {
			senders.Go(func() {
				for i := range 50 {
					req := aRequest(t)
					req.Reference = central.Reference(reference[:14] + string(rune('A'+w)) + string(rune('A'+i/26)) + string(rune('A'+i%26)))
					a, err := c.Send(t.Context(), req)
					mu.Lock()
					n := arrived[string(req.Reference)]
					mu.Unlock()
					switch {
					case n > 1, err == nil && n != 1, central.NotSent(err) && n != 0:
						t.Errorf("%s arrived %d times: %v", req.Reference, n, err)
					case err == nil && a.Message != string(req.Reference):
						t.Errorf("%s got the answer to %s", req.Reference, a.Message)
					case err == nil:
						answered.Add(1)
					}
				}
			})
		}
		senders.Wait()
		if _, reused := c.Connections(); reused == 0 || answered.Load() == 0 {
			t.Errorf("%d exchanges used a connection again, %d were answered", reused, answered.Load())
		}
	})
}

// readReference reads one request and gives its reference.
func readReference(in *bufio.Reader) (string, bool) {
	r, err := http.ReadRequest(in)
	if err != nil {
		return "", false
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", false
	}
	req, err := network.DecodeTransaction(body)
	return req.Reference, err == nil
}

// replyTo is a signed reply whose message is the reference.
func replyTo(ref string) string {
	body := strings.Replace(strings.Replace(approvedBody, reference, ref, 1), `"message":"SUCCESS"`, `"message":"`+ref+`"`, 1)
	return strings.Replace(signed(200, body), network.ReplyChecksum(testKey(), 200, reference, []byte(body)),
		network.ReplyChecksum(testKey(), 200, ref, []byte(body)), 1)
}

// misbehave answers a request, well or badly; false: the connection ends.
func misbehave(c net.Conn, draw func(int) int, reply string) bool {
	write := func(s string) bool {
		_, err := io.WriteString(c, s)
		return err == nil
	}
	switch draw(10) {
	case 0:
		return false
	case 1:
		reset(c)
		return false
	case 2:
		return write(reply[:draw(len(reply))]) && false
	case 3:
		return write(reply+reply) && true
	case 4:
		return write(reply) && draw(2) == 0 && write("\r\n")
	case 5:
		// Around the client's time-out.
		_ = c.SetReadDeadline(time.Now().Add(time.Duration(draw(300)) * time.Millisecond))
		_, _ = io.Copy(io.Discard, c)
		_ = c.SetReadDeadline(time.Time{})
		return write(reply)
	}
	return write(reply)
}
