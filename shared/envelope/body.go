package envelope

import (
	"bytes"
	"errors"
	"strconv"
)

// ErrBody says that a body is not {"payload": "…"}: one object with one
// member, a text of ASCII. It never quotes the body.
var ErrBody = errors.New(`the body must be {"payload": "<base64>"}, with no other member`)

// Payload reads the base64 text of a body, of which it is a part where it can be. White
// space and escapes are those of JSON (some languages write / as \/); anything but the one
// member is ErrBody. Decrypt checks the base64.
func Payload(body []byte) ([]byte, error) {
	s := scanner{rest: body}
	if !s.take('{') {
		return nil, ErrBody
	}
	if name, ok := s.text(); !ok || string(name) != "payload" || !s.take(':') {
		return nil, ErrBody
	}
	payload, ok := s.text()
	if !ok || !s.take('}') {
		return nil, ErrBody
	}
	if s.skip(); len(s.rest) > 0 {
		return nil, ErrBody
	}
	return payload, nil
}

// scanner reads the little JSON of a body.
type scanner struct{ rest []byte }

func (s *scanner) skip() { s.rest = bytes.TrimLeft(s.rest, " \t\r\n") }

// take reads one character, after white space.
func (s *scanner) take(c byte) bool {
	s.skip()
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// text reads a string of ASCII, after white space.
func (s *scanner) text() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	// Usually there are no escapes, and the text is a part of the body.
	if end := bytes.IndexByte(s.rest, '"'); end >= 0 && plain(s.rest[:end]) {
		out := s.rest[:end:end]
		s.rest = s.rest[end+1:]
		return out, true
	}
	var out []byte
	for len(s.rest) > 0 {
		c := s.rest[0]
		s.rest = s.rest[1:]
		switch {
		case c == '"':
			return out, true
		case c == '\\':
			char, ok := s.escaped()
			if !ok {
				return nil, false
			}
			out = append(out, char)
		case c < ' ' || c > '~':
			return nil, false
		default:
			out = append(out, c)
		}
	}
	return nil, false
}

// plain reports whether bytes stand for themselves in a JSON string.
func plain(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}

// escaped reads what follows a backslash. Control characters and everything beyond
// ASCII are refused: base64 has none.
func (s *scanner) escaped() (byte, bool) {
	if len(s.rest) == 0 {
		return 0, false
	}
	c := s.rest[0]
	s.rest = s.rest[1:]
	switch c {
	case '/', '\\', '"':
		return c, true
	case 'u':
		if len(s.rest) < 4 || !isHex(s.rest[:4]) {
			return 0, false
		}
		n, err := strconv.ParseUint(string(s.rest[:4]), 16, 16)
		s.rest = s.rest[4:]
		return byte(n), err == nil && n >= ' ' && n <= '~'
	}
	return 0, false
}

func isHex(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}
