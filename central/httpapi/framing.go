package httpapi

import (
	"bytes"
	"strings"

	"github.com/valyala/fasthttp"
)

// ambiguous returns what readers of HTTP/1.1 could understand differently in a
// request's headers, or "". last says that nothing more may be read from the
// connection. fasthttp refuses many such shapes itself and reads others in its own
// way: both a length and chunks (it follows the chunks), a space before a colon, a
// folded line. A proxy in front may read them differently, and then the two
// disagree on where a request ends.
func ambiguous(h *fasthttp.RequestHeader) (shape string, last bool) {
	if h.IsHTTP11() && len(h.Host()) == 0 {
		return "must name one Host", true
	}
	var hosts, lengths, encodings int
	rest := h.RawHeaders()
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		rest = after
		line, ended := bytes.CutSuffix(line, []byte("\r"))
		if !ended {
			return "must end each line with CR LF", true
		}
		if len(line) == 0 {
			continue // end of the headers
		}
		name, value, colon := bytes.Cut(line, []byte(":"))
		if !colon || !isToken(name) {
			return "must consist of lines 'name: value', without a space before the colon and without folding", true
		}
		for _, c := range value {
			if c < ' ' && c != '\t' || c == 0x7f {
				return "must not contain control characters", true
			}
		}
		switch {
		case bytes.EqualFold(name, []byte("host")):
			hosts++
		case bytes.EqualFold(name, []byte("content-length")):
			lengths++
		case bytes.EqualFold(name, []byte("transfer-encoding")):
			encodings++
			if !bytes.EqualFold(bytes.Trim(value, " \t"), []byte("chunked")) {
				return "must have no Transfer-Encoding but chunked", true
			}
		}
	}
	switch {
	case hosts > 1:
		return "must name one Host", true
	case lengths+encodings > 1:
		return "must state the body's length once: Content-Length or Transfer-Encoding", true
	case encodings > 0 && !h.IsHTTP11():
		return "must not have a Transfer-Encoding in HTTP/1.0", true
	}
	// Without a length a request has no body, but what follows on the connection
	// may be the body that its sender meant.
	return "", !h.IsGet() && !h.IsHead() && lengths+encodings == 0
}

// isToken reports whether b may be a header's name (RFC 9110 §5.6.2).
func isToken(b []byte) bool {
	for _, c := range b {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return len(b) > 0
}
