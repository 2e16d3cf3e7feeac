package field

import "strings"

// This file reads the captures that readers' services really send: one element with a
// few others in it, ASCII, without comments, references, prefixes or CDATA. It needs no
// memory and a tenth of the time of encoding/xml, and it only ever accepts: what it
// does not know, or what is wrong, it leaves to scanPidData, which also says why. So
// nothing is read in two ways (FuzzScanPlainPidData).

// Classes of bytes. A byte without a class is not read here.
const (
	inName  = 1 << iota // letters, digits, '_', '-', '.'
	inFirst             // begins a name: letters, '_'
	inText              // content: printable ASCII and blanks but '<', '&' and ']'
	inValue             // an attribute's value: inText, and ']'
	inBlank             // ' ', tab, CR, LF
)

var classes = func() (t [256]uint8) {
	for c := range t {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		blank := c == ' ' || c == '\t' || c == '\r' || c == '\n'
		text := (blank || c > ' ' && c <= '~') && c != '<' && c != '&'
		for class, belongs := range map[uint8]bool{
			inName: letter || c >= '0' && c <= '9' || c == '-' || c == '.', inFirst: letter,
			inText: text && c != ']', inValue: text, inBlank: blank,
		} {
			if belongs {
				t[c] |= class
			}
		}
	}
	return t
}()

// plainScanner is a place in a capture.
type plainScanner struct {
	s  string
	at int
}

// run returns the bytes of a class from here on.
func (p *plainScanner) run(class uint8) string {
	rest := p.s[p.at:]
	n := 0
	for n < len(rest) && classes[rest[n]]&class != 0 {
		n++
	}
	p.at += n
	return rest[:n]
}

// skip reports whether one byte comes next, and passes it.
func (p *plainScanner) skip(c byte) bool {
	if p.at < len(p.s) && p.s[p.at] == c {
		p.at++
		return true
	}
	return false
}

// name returns a name; "" if there is none.
func (p *plainScanner) name() string {
	if p.at == len(p.s) || classes[p.s[p.at]]&inFirst == 0 {
		return ""
	}
	return p.run(inName)
}

// attribute returns an attribute with its value.
func (p *plainScanner) attribute() (name, value string, ok bool) {
	if name = p.name(); name == "" {
		return "", "", false
	}
	p.run(inBlank)
	if !p.skip('=') {
		return "", "", false
	}
	p.run(inBlank)
	if p.at == len(p.s) || p.s[p.at] != '"' && p.s[p.at] != '\'' {
		return "", "", false
	}
	rest := p.s[p.at+1:]
	n := strings.IndexByte(rest, p.s[p.at])
	if n < 0 {
		return "", "", false
	}
	value = rest[:n]
	for _, c := range []byte(value) {
		if classes[c]&inValue == 0 {
			return "", "", false
		}
	}
	p.at += n + 2
	return name, value, true
}

// scanPlainPidData reads a capture; ok is false if scanPidData must read it.
func scanPlainPidData(s string) (c capture, ok bool) {
	p := plainScanner{s: trimDocument(s)}
	var path [maxDepth]string
	depth, elements := 0, 0
	for {
		text := p.run(inText)
		if p.at == len(p.s) {
			return c, depth == 0 && elements > 0 && strings.TrimSpace(text) == ""
		}
		if !p.skip('<') {
			return c, false
		}
		if depth == 0 && (elements > 0 || text != "") {
			return c, false
		}
		if depth == 2 && len(text) > 0 && strings.TrimSpace(text) != "" {
			c.charData(path[:2])
		}
		if p.skip('/') {
			if depth == 0 || p.name() != path[depth-1] {
				return c, false
			}
			p.run(inBlank)
			if !p.skip('>') {
				return c, false
			}
			depth--
			continue
		}
		if elements++; elements > maxElements || depth == maxDepth {
			return c, false
		}
		path[depth] = p.name()
		depth++
		closed, ok := c.plainElement(&p, path[:depth])
		if !ok {
			return c, false
		}
		if closed {
			depth--
		}
	}
}

// plainElement records the element whose name was read; path names it and its
// ancestors. closed: it is empty, and ends here.
func (c *capture) plainElement(p *plainScanner, path []string) (closed, ok bool) {
	name := path[len(path)-1]
	if name == "" || len(path) == 1 && !strings.EqualFold(name, "PidData") {
		return false, false
	}
	isResp := len(path) == 2 && strings.EqualFold(name, "Resp")
	if isResp && c.resp {
		return false, false
	}
	c.resp = c.resp || isResp
	found := false
	for {
		p.run(inBlank)
		if p.skip('>') {
			return false, true
		}
		if p.skip('/') {
			return true, p.skip('>')
		}
		attribute, value, ok := p.attribute()
		if !ok {
			return false, false
		}
		if !isResp || !strings.EqualFold(attribute, "errCode") {
			continue
		}
		if found {
			return false, false
		}
		c.errCode, found = strings.TrimSpace(value), true
	}
}
