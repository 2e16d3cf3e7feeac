package gateway

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"galla/central/httpapi"
	"galla/shared/envelope"
)

// TestBadHeaders spoils every header in every way: missing, empty, malformed,
// too long, repeated. Each has the one refusal.
func TestBadHeaders(t *testing.T) {
	h := startGateway(t, nil)
	names := []string{"X-Client-Id", "X-Timestamp", "X-Request-Id", "X-IV", "X-Tag", "X-Checksum"}
	good := h.seal(t, "POST", withdrawal, money)
	spoil := func(what string, m message) {
		t.Helper()
		refusedPlain(t, what, h.send(t, m))
	}
	for _, name := range names {
		value := good.header(name)
		spoil(name+" missing", good.with(name, ""))
		spoil(name+" empty", good.with(name, " "))
		spoil(name+" twice", good.and(name, value))
		spoil(name+" twice, in another case", good.and(strings.ToLower(name), value))
		spoil(name+" twice, first wrong", message{good.method, good.path, append([][2]string{{name, "x"}}, good.headers...), good.body, good.id})
		spoil(name+" too long", good.with(name, value+strings.Repeat("A", 8<<10)))
		spoil(name+" much too long", good.with(name, value+strings.Repeat("A", 64<<10)))
		spoil(name+" with a space inside", good.with(name, value[:1]+" "+value[1:]))
		spoil(name+" in a list", good.with(name, value+", "+value))
		spoil(name+" with bytes beyond ASCII", good.with(name, value+"\xff"))
		spoil(name+" with NUL", good.with(name, value+"\x00"))
	}
	for what, m := range map[string]message{
		"signed time":                   good.with("X-Timestamp", "+"+good.header("X-Timestamp")),
		"negative time":                 good.with("X-Timestamp", "-"+good.header("X-Timestamp")),
		"time with a leading zero":      good.with("X-Timestamp", "0"+good.header("X-Timestamp")),
		"time in seconds":               good.with("X-Timestamp", good.header("X-Timestamp")[:10]),
		"time with a fraction":          good.with("X-Timestamp", good.header("X-Timestamp")+".0"),
		"time as a power":               good.with("X-Timestamp", "1e12"),
		"time beyond 64 bits":           good.with("X-Timestamp", "99999999999999999999"),
		"time in other digits":          good.with("X-Timestamp", "١٧٦٧٢٢٥٦٠٠٠٠٠"),
		"UUID in upper case":            good.with("X-Request-Id", strings.ToUpper(good.id)),
		"UUID in braces":                good.with("X-Request-Id", "{"+good.id+"}"),
		"UUID without hyphens":          good.with("X-Request-Id", strings.ReplaceAll(good.id, "-", "")),
		"UUID as URN":                   good.with("X-Request-Id", "urn:uuid:"+good.id),
		"IV of 11 bytes":                good.with("X-IV", "AAAAAAAAAAAAAAA="),
		"IV of 13 bytes":                good.with("X-IV", "AAAAAAAAAAAAAAAAAA=="),
		"IV of 16 bytes":                good.with("X-IV", "AAAAAAAAAAAAAAAAAAAAAA=="),
		"IV in the URL alphabet":        good.with("X-IV", "__--AAAAAAAAAAAA"),
		"IV in hex":                     good.with("X-IV", "000102030405060708090a0b"),
		"truncated tag":                 good.with("X-Tag", "AAAAAAAAAAAAAAAA"),
		"tag of 15 bytes":               good.with("X-Tag", "AAAAAAAAAAAAAAAAAAAA"),
		"tag of 4 bytes":                good.with("X-Tag", "AAAAAA=="),
		"tag without padding":           good.with("X-Tag", strings.TrimRight(good.header("X-Tag"), "=")),
		"tag with bits beyond the last": good.with("X-Tag", "AAAAAAAAAAAAAAAAAAAAAB=="),
		"checksum in upper case":        good.with("X-Checksum", strings.ToUpper(good.header("X-Checksum"))),
		"checksum in base64":            good.with("X-Checksum", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
		"truncated checksum":            good.with("X-Checksum", good.header("X-Checksum")[:63]),
		"gzip":                          good.and("Content-Encoding", "gzip"),
		"identity":                      good.and("Content-Encoding", "identity"),
		"another method":                {"PUT", good.path, good.headers, good.body, good.id},
		"another path":                  {good.method, "/process/aeps/purchase", good.headers, good.body, good.id},
		"a query that was not signed":   {good.method, good.path + "?x=1", good.headers, good.body, good.id},
		"a path that is long":           {good.method, good.path + "?" + strings.Repeat("x", 6<<10), good.headers, good.body, good.id},
		"a path that is much too long":  {good.method, good.path + "?" + strings.Repeat("x", 64<<10), good.headers, good.body, good.id},
	} {
		spoil(what, m)
	}
	if h.calls.Load() != 0 {
		t.Error("something reached the handler")
	}
	sealedAs(t, "the message itself", h.send(t, good), 200, "00")
}

func TestBadBodies(t *testing.T) {
	h := startGateway(t, nil)
	good := h.seal(t, "POST", withdrawal, money)
	payload := strings.TrimSuffix(strings.TrimPrefix(string(good.body), `{"payload":"`), `"}`)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := w.Write(good.body)
	must(t, err)
	must(t, w.Close())
	for what, body := range map[string]string{
		"nothing":                  "",
		"no JSON":                  payload,
		"a text":                   `"` + payload + `"`,
		"an array":                 `["` + payload + `"]`,
		"another name":             `{"Payload":"` + payload + `"}`,
		"no text":                  `{"payload":1}`,
		"null":                     `{"payload":null}`,
		"payload twice":            `{"payload":"` + payload + `","payload":"` + payload + `"}`,
		"one more member":          `{"payload":"` + payload + `","tag":"x"}`,
		"something after it":       string(good.body) + "x",
		"a second object":          string(good.body) + "{}",
		"a byte order mark":        "\ufeff" + string(good.body),
		"a line break inside":      `{"payload":"` + payload[:76] + `\n` + payload[76:] + `"}`,
		"a bare line break inside": `{"payload":"` + payload[:76] + "\n" + payload[76:] + `"}`,
		"a space inside":           `{"payload":"` + payload[:8] + " " + payload[8:] + `"}`,
		"a space at the end":       `{"payload":"` + payload + ` "}`,
		"the URL alphabet":         `{"payload":"-_` + payload[2:] + `"}`,
		"no padding":               `{"payload":"` + strings.TrimRight(payload[:len(payload)-4], "=") + `AA"}`,
		"cut short":                `{"payload":"` + payload[:len(payload)-8] + `"}`,
		"half an object":           `{"payload":"` + payload,
		"compressed":               zipped.String(),
		"bad UTF-8":                "{\"payload\":\"\xff\xfe\"}",
		"deep":                     strings.Repeat("[", 100_000),
		"one byte too many":        `{"payload":"` + strings.Repeat("A", envelope.MaxBody+1-len(`{"payload":""}`)) + `"}`,
		"eight MiB":                strings.Repeat("A", 8<<20),
	} {
		m := message{good.method, good.path, good.headers, []byte(body), good.id}
		refusedPlain(t, what, h.send(t, m))
		refusedPlain(t, what+", signed", h.send(t, h.resign(t, m)))
		if what == "compressed" {
			refusedPlain(t, "compressed, and says so", h.send(t, m.and("Content-Encoding", "gzip")))
		}
	}
}

// TestEveryBitCounts flips every single bit of one message, header by header and
// byte by byte, and sends each through the real entrance.
func TestEveryBitCounts(t *testing.T) {
	h := startGateway(t, func(_ *Config, cfg *httpapi.Config) { cfg.UnknownRate = float64(rate.Inf) })
	good := h.seal(t, "POST", withdrawal, `{"merchantId":"`+m1+`"}`)
	flips := 0
	flip := func(what string, bit int, m message) {
		flips++
		a := h.send(t, m)
		// A flip may make HTTP that is none: then the reply is still this one, or,
		// where the path no longer is the gateway's, that of an unknown path.
		if a.status == 404 && what == "path" && !strings.HasPrefix(strings.ToLower(m.path), "/process/") || what == "path" && a.status == 400 {
			return
		}
		refusedPlain(t, fmt.Sprintf("%s, bit %d", what, bit), a)
	}
	spoil := func(text string, bit int) string {
		raw := []byte(text)
		raw[bit/8] ^= 1 << (bit % 8)
		return string(raw)
	}
	for i, head := range good.headers {
		if head[0] == "Content-Type" {
			continue // not signed: nothing of the message hangs on it
		}
		for bit := range 8 * len(head[1]) {
			m := good
			m.headers = append([][2]string{}, good.headers...)
			m.headers[i][1] = spoil(head[1], bit)
			if c := m.headers[i][1][bit/8]; c == '\n' || c == '\r' {
				continue // no longer the same request
			}
			flip(head[0], bit, m)
		}
	}
	payload := string(good.body)
	for bit := range 8 * len(payload) {
		m := good
		m.body = []byte(spoil(payload, bit))
		flip("body", bit, m)
	}
	for bit := range 8 * len(good.path) {
		m := good
		m.path = spoil(good.path, bit)
		if c := m.path[bit/8]; c <= ' ' || c == 0x7f {
			continue // no longer the same request line
		}
		flip("path", bit, m)
	}
	if h.calls.Load() != 0 {
		t.Error("a spoiled message reached the handler")
	}
	sealedAs(t, "the message itself", h.send(t, good), 400, "02")
	t.Logf("%d flips", flips)
}

// TestSmuggling sends messages that two readers of HTTP could understand
// differently: one reply each, the one refusal, nothing reaches the handler.
func TestSmuggling(t *testing.T) {
	h := startGateway(t, nil)
	good := h.seal(t, "POST", withdrawal, money)
	var head strings.Builder
	for _, x := range good.headers {
		fmt.Fprintf(&head, "%s: %s\r\n", x[0], x[1])
	}
	length := fmt.Sprintf("Content-Length: %d\r\n", len(good.body))
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(good.body), good.body)
	start := "POST " + withdrawal + " HTTP/1.1\r\n"
	for what, text := range map[string]string{
		"two lengths":              start + "Host: g\r\n" + head.String() + length + "Content-Length: 0\r\n\r\n" + string(good.body),
		"length and chunks":        start + "Host: g\r\n" + head.String() + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked,
		"chunks and length":        start + "Host: g\r\n" + head.String() + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + chunked,
		"unknown coding":           start + "Host: g\r\n" + head.String() + "Transfer-Encoding: xchunked\r\n\r\n" + chunked,
		"no host":                  start + head.String() + length + "\r\n" + string(good.body),
		"two hosts":                start + "Host: g\r\nHost: h\r\n" + head.String() + length + "\r\n" + string(good.body),
		"a space before the colon": start + "Host: g\r\n" + head.String() + length + "X-Y : z\r\n\r\n" + string(good.body),
		"a folded header":          start + "Host: g\r\n" + head.String() + length + "X-Y: a\r\n b\r\n\r\n" + string(good.body),
		"lone line feeds":          strings.ReplaceAll(start+"Host: g\r\n"+head.String()+length+"\r\n", "\r\n", "\n") + string(good.body),
		"a header without a colon": start + "Host: g\r\n" + head.String() + length + "nonsense\r\n\r\n" + string(good.body),
		"a negative length":        start + "Host: g\r\n" + head.String() + "Content-Length: -1\r\n\r\n" + string(good.body),
		"an absolute target":       "POST http://galla" + withdrawal + " HTTP/1.1\r\nHost: galla\r\n" + head.String() + length + "\r\n" + string(good.body),
		"another's absolute":       "POST http://galla/x/.." + withdrawal + " HTTP/1.1\r\nHost: galla\r\n" + head.String() + length + "\r\n" + string(good.body),
	} {
		refusedPlain(t, what, h.raw(t, []byte(text), "POST"))
	}
	if h.calls.Load() != 0 {
		t.Error("something reached the handler")
	}
	sealedAs(t, "chunks alone", h.raw(t, []byte(start+"Host: g\r\n"+head.String()+"Transfer-Encoding: chunked\r\n\r\n"+chunked), "POST"), 200, "00")
	m := h.seal(t, "GET", "/process/aeps/banks", "{}")
	refusedPlain(t, "nothing but a path", h.raw(t, []byte("GET /process/aeps/banks HTTP/1.1\r\nHost: g\r\n\r\n"), "GET"))
	sealedAs(t, "a GET with a body", h.send(t, m), 200, "00")
}

// TestUnreadableAfterAnother: which request could not be read is known on a
// connection that is kept, too.
func TestUnreadableAfterAnother(t *testing.T) {
	h := startGateway(t, nil)
	const malformed = "Host: g\r\nContent-Length: -1\r\n\r\n"
	for _, c := range []struct {
		first, second string
		status        int
	}{
		{"GET /none", "POST " + withdrawal, 401},
		{"GET /process/none", "POST /aeps/withdrawal", 400},
	} {
		conn, err := net.Dial("tcp", h.addr)
		must(t, err)
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		in := bufio.NewReader(conn)
		var last *http.Response
		for _, text := range []string{c.first + " HTTP/1.1\r\nHost: g\r\n\r\n", c.second + " HTTP/1.1\r\n" + malformed} {
			_, err = io.WriteString(conn, text)
			must(t, err)
			last, err = http.ReadResponse(in, nil)
			must(t, err)
			body, err := io.ReadAll(last.Body)
			must(t, err)
			if strings.Contains(text, withdrawal) {
				refusedPlain(t, c.second, h.opened(t, last, body))
			}
		}
		if last.StatusCode != c.status {
			t.Errorf("%s after %s: HTTP %d, want %d", c.second, c.first, last.StatusCode, c.status)
		}
		_ = conn.Close()
	}
}
