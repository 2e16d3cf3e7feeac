package field

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits of a capture: PidData has depth 4 and under twenty elements.
const (
	maxDepth    = 8
	maxElements = 128
)

// checkPidData returns what is wrong with a capture, or an empty rule. It checks
// the form only: the PID block is encrypted, and the bank checks it. Only the
// capture's errCode is quoted.
func checkPidData(s string) (rule, message string) {
	seen, plain := scanPlainPidData(s)
	if !plain {
		var err error
		if seen, err = scanPidData(s); err != nil {
			return "piddata", err.Error()
		}
	}
	if !seen.resp {
		return "piddata", "must contain the element Resp"
	}
	if seen.errCode != "0" {
		return "capture", "must be of a successful capture, but its errCode is " + displayCode(seen.errCode)
	}
	for _, part := range []struct {
		name  string
		found bool
	}{{"Skey", seen.skey}, {"Hmac", seen.hmac}, {"Data", seen.data}} {
		if !part.found {
			return "piddata", "must contain the element " + part.name + " with content"
		}
	}
	return "", ""
}

// displayCode returns a device's error code if it is one: digits, perhaps with a
// minus. Other text is not repeated.
func displayCode(code string) string {
	if n := strings.TrimPrefix(code, "-"); len(n) > 6 || !allDigits(n) {
		return "no number"
	}
	return code
}

// capture is what the check has seen of a PidData.
type capture struct {
	resp             bool
	errCode          string
	skey, hmac, data bool // present, with content
}

// surroundings are characters that readers' services put around a capture: byte
// order marks, blanks, and the zero byte that ends a text in C.
const surroundings = "\ufeff \t\r\n\x00"

// trimDocument returns a capture without surroundings and without its XML
// declaration: the encoding that it names no longer applies (services on .NET name
// UTF-16 and send UTF-8).
func trimDocument(s string) string {
	s = strings.Trim(s, surroundings)
	if rest, ok := strings.CutPrefix(s, "<?xml"); ok {
		if _, behind, ok := strings.Cut(rest, "?>"); ok {
			s = strings.TrimLeft(behind, surroundings)
		}
	}
	return s
}

// scanPidData reads a capture by encoding/xml, which decides what is well-formed XML.
func scanPidData(s string) (capture, error) {
	var c capture
	in := xml.NewDecoder(strings.NewReader(trimDocument(s)))
	var open []string
	elements := 0
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) && elements > 0 {
			return c, nil
		}
		if err != nil {
			line, _ := in.InputPos()
			return c, fmt.Errorf("must be well-formed PidData XML; it is not at line %d", line)
		}
		switch t := token.(type) {
		case xml.Directive:
			return c, errors.New("must not contain a DTD")
		case xml.StartElement:
			if elements++; elements > maxElements || len(open) == maxDepth {
				return c, errors.New("must be PidData XML; it has too many elements")
			}
			if len(open) == 0 && (elements > 1 || !strings.EqualFold(t.Name.Local, "PidData")) {
				return c, errors.New("must be one PidData element")
			}
			open = append(open, t.Name.Local)
			if err := c.startElement(open, t.Attr); err != nil {
				return c, err
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if strings.TrimSpace(string(t)) == "" {
				continue
			}
			if len(open) == 0 {
				return c, errors.New("must be one PidData element and nothing else")
			}
			c.charData(open)
		}
	}
}

// startElement records an element; path names it and its ancestors.
func (c *capture) startElement(path []string, attrs []xml.Attr) error {
	if len(path) != 2 || !strings.EqualFold(path[1], "Resp") {
		return nil
	}
	if c.resp {
		return errors.New("must contain the element Resp once")
	}
	c.resp = true
	found := false
	for _, a := range attrs {
		if a.Name.Space != "" || !strings.EqualFold(a.Name.Local, "errCode") {
			continue // an attribute with a prefix belongs to another vocabulary
		}
		if found {
			return errors.New("must contain the attribute errCode once")
		}
		c.errCode, found = strings.TrimSpace(a.Value), true
	}
	return nil
}

// charData records an element's content.
func (c *capture) charData(path []string) {
	if len(path) != 2 {
		return
	}
	name := path[1]
	switch {
	case strings.EqualFold(name, "skey"):
		c.skey = c.skey || !strings.Contains(name, "ſ") // which is no capital or small s
	case strings.EqualFold(name, "hmac"):
		c.hmac = true
	case strings.EqualFold(name, "data"):
		c.data = true
	}
}
