package load

import (
	"bytes"
	"fmt"
	"strconv"
	"sync/atomic"
)

// Mark stands in a request where each one has a number of its own, of as many digits.
const Mark = "000000000000"

// Post writes a POST request with a JSON body.
func Post(addr, path, body string, header ...string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", path, addr, len(body))
	for i := 0; i < len(header); i += 2 {
		fmt.Fprintf(&b, "%s: %s\r\n", header[i], header[i+1])
	}
	b.WriteString("\r\n" + body)
	return b.String()
}

// Numbered gives one connection's requests from a text that has the Mark once: the next number
// of the counter is written into the bytes, nothing is copied.
func Numbered(text string, counter *atomic.Int64) Requests {
	b := []byte(text)
	at := bytes.Index(b, []byte(Mark))
	if at < 0 {
		panic("load: the request has no mark")
	}
	return func() []byte {
		PutNumber(b[at:at+len(Mark)], counter.Add(1))
		return b
	}
}

// PutNumber writes a number with leading zeros that fill the place.
func PutNumber(place []byte, n int64) {
	var digits [20]byte
	text := strconv.AppendInt(digits[:0], n, 10)
	for i := range place {
		place[i] = '0'
	}
	if len(text) > len(place) {
		panic("load: the number needs more digits")
	}
	copy(place[len(place)-len(text):], text)
}
