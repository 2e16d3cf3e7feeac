package rdservice

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// MaxReply is the largest reply that is read, in bytes: a face reply is about
// 180 KB, and the interface's own limit for a body is 1 MiB.
const MaxReply = 1 << 20

// Bounds of a reply's shape. Real replies have a depth of 4, under 40 elements
// and under 20 attributes an element. Where the central reads captures too, its
// bounds must not be narrower, or a finger is taken in vain.
const (
	maxDepth      = 8
	maxElements   = 128
	maxAttributes = 64
)

// element is one XML element, without namespaces. Attribute values are
// trimmed; text is that of the element itself, untrimmed.
type element struct {
	qname    string // as written, with prefix: end tags must match it
	name     string
	attrs    []xml.Attr
	children []*element
	text     []byte
}

// attr gives an attribute by its name; where no spelling matches exactly,
// letter case is ignored. One with a prefix is of another vocabulary.
func (e *element) attr(name string) string {
	for _, same := range []func(a, b string) bool{equal, strings.EqualFold} {
		for _, a := range e.attrs {
			if a.Name.Space == "" && same(a.Name.Local, name) {
				return a.Value
			}
		}
	}
	return ""
}

// countAttr is how often an attribute occurs, whatever its letter case.
func (e *element) countAttr(name string) (n int) {
	for _, a := range e.attrs {
		if a.Name.Space == "" && strings.EqualFold(a.Name.Local, name) {
			n++
		}
	}
	return n
}

func equal(a, b string) bool { return a == b }

// descendants gives every element of that name below e, in document order.
func (e *element) descendants(name string) []*element {
	var found []*element
	for _, c := range e.children {
		if strings.EqualFold(c.name, name) {
			found = append(found, c)
		}
		found = append(found, c.descendants(name)...)
	}
	return found
}

// first is the first element of that name below e, or nil; e's own children come
// before theirs.
func (e *element) first(name string) *element {
	for _, found := range [][]*element{e.childrenNamed(name), e.descendants(name)} {
		if len(found) > 0 {
			return found[0]
		}
	}
	return nil
}

// childrenNamed gives e's children of that name.
func (e *element) childrenNamed(name string) []*element {
	var found []*element
	for _, c := range e.children {
		if strings.EqualFold(c.name, name) {
			found = append(found, c)
		}
	}
	return found
}

// parseXML reads one document whose root has the given name. Strict demands
// what XML demands; without it, makers' slips in quoting and unescaped
// ampersands pass. A DTD, UTF-16 and anything beyond the bounds never pass. The
// errors wrap ErrReply and do not quote the input.
func parseXML(b []byte, root string, strict bool) (*element, error) {
	b, err := textOf(b)
	if err != nil {
		return nil, err
	}
	dec := xml.NewDecoder(bytes.NewReader(b))
	dec.Strict = strict
	t := tree{root: root}
	for {
		tok, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			return t.finish()
		}
		if err != nil {
			line, _ := dec.InputPos()
			return nil, replyError("not well-formed XML at line %d", line)
		}
		if err := t.add(tok); err != nil {
			return nil, err
		}
	}
}

// padding are the characters that makers put before and behind a document: byte
// order marks, which string builders leave anywhere, blanks, and the zero byte
// of a text in C.
const padding = "\ufeff \t\r\n\x00"

// textOf gives the document without what makers put around it: byte order mark,
// declaration, trailing zero bytes. encoding/xml would refuse a declaration
// that names the wrong encoding, which some .NET services send.
func textOf(b []byte) ([]byte, error) {
	if len(b) > MaxReply {
		return nil, replyError("larger than %d bytes", MaxReply)
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "<\x00", "\x00<"} {
		if bytes.HasPrefix(b, []byte(mark)) {
			return nil, replyError("it is UTF-16; only UTF-8 is read")
		}
	}
	b = bytes.Trim(b, padding)
	if len(b) == 0 {
		return nil, replyError("it is empty")
	}
	if rest, ok := bytes.CutPrefix(b, []byte("<?xml")); ok {
		if end := bytes.Index(rest, []byte("?>")); end >= 0 {
			b = bytes.TrimLeft(rest[end+2:], padding)
		}
	}
	if !utf8.Valid(b) {
		b = latin1(b)
	}
	return b, nil
}

// latin1 reads bytes as ISO 8859-1: in the field only the words for people
// (info, errInfo) ever hold more than ASCII.
func latin1(b []byte) []byte {
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
	}
	return []byte(string(out))
}

// tree builds the elements out of the tokens.
type tree struct {
	root  string
	top   *element
	open  []*element
	count int
}

func (t *tree) add(tok xml.Token) error {
	switch tok := tok.(type) {
	case xml.Directive:
		return replyError("a DTD is not allowed")
	case xml.StartElement:
		return t.start(tok)
	case xml.EndElement:
		return t.end(tok)
	case xml.CharData:
		if len(t.open) > 0 {
			e := t.open[len(t.open)-1]
			e.text = append(e.text, tok...)
		} else if len(bytes.TrimSpace(tok)) > 0 {
			return replyError("text stands outside the root element")
		}
	}
	return nil
}

func (t *tree) start(tok xml.StartElement) error {
	if t.count++; t.count > maxElements || len(t.open) == maxDepth {
		return replyError("too many elements")
	}
	if len(tok.Attr) > maxAttributes {
		return replyError("too many attributes")
	}
	e := &element{qname: qname(tok.Name), name: tok.Name.Local, attrs: tok.Attr}
	seen := make(map[xml.Name]bool, len(e.attrs))
	for i, a := range e.attrs {
		if seen[a.Name] {
			return replyError("an attribute of %s occurs twice", clip(e.name))
		}
		seen[a.Name] = true
		e.attrs[i].Value = strings.TrimSpace(a.Value)
	}
	switch {
	case len(t.open) > 0:
		parent := t.open[len(t.open)-1]
		parent.children = append(parent.children, e)
	case t.top != nil:
		return replyError("there is more than one root element")
	case !strings.EqualFold(e.name, t.root):
		return replyError("the root element is %s and not %s", clip(e.name), t.root)
	default:
		t.top = e
	}
	t.open = append(t.open, e)
	return nil
}

func (t *tree) end(tok xml.EndElement) error {
	if len(t.open) == 0 || t.open[len(t.open)-1].qname != qname(tok.Name) {
		return replyError("an end tag does not match")
	}
	t.open = t.open[:len(t.open)-1]
	return nil
}

func (t *tree) finish() (*element, error) {
	if t.top == nil {
		return nil, replyError("it holds no XML element")
	}
	if len(t.open) > 0 {
		return nil, replyError("it is cut off")
	}
	return t.top, nil
}

func qname(n xml.Name) string { return n.Space + ":" + n.Local }

// maxShown bounds a foreign name in an error text.
const maxShown = 32

// clip makes an element's name fit for an error text.
func clip(name string) string { return clean(name, maxShown) }

// clean makes foreign words fit for people and logs: one line, printable,
// valid UTF-8, bounded.
func clean(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	for len(s) > limit {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}
