package form

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of a capture's shape: PidData has depth 4 and under twenty elements.
const (
	maxDepth    = 8
	maxElements = 128
)

// checkPidData tells what is wrong with a capture, or gives an empty rule. It
// sees to the shape only: the PID block is encrypted, and the bank judges it.
// Nothing of the capture is quoted but its errCode.
func checkPidData(s string) (rule, message string) {
	seen, err := scanPidData(s)
	if err != nil {
		return "piddata", err.Error()
	}
	if !seen.resp {
		return "piddata", "must contain the element Resp"
	}
	if seen.errCode != "0" {
		return "capture", "must be of a successful capture, but its errCode is " + shownCode(seen.errCode)
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

// shownCode names a device's error code, if it is one: digits, perhaps with a
// minus. Anything else is foreign text.
func shownCode(code string) string {
	if n := strings.TrimPrefix(code, "-"); len(n) > 6 || !digits(n) {
		return "no number"
	}
	return code
}

// capture is what the check needs to know of a PidData.
type capture struct {
	resp             bool
	errCode          string
	skey, hmac, data bool // present with content
}

// around are the characters that readers' services put before and behind a
// capture: byte order marks, blanks, and the zero byte of a text in C.
const around = "\ufeff \t\r\n\x00"

// document gives a capture without what stands around it, and without its XML
// declaration: a text in JSON has characters, whatever encoding it once named
// (services on .NET name UTF-16 and send UTF-8).
func document(s string) string {
	s = strings.Trim(s, around)
	if rest, ok := strings.CutPrefix(s, "<?xml"); ok {
		if _, behind, ok := strings.Cut(rest, "?>"); ok {
			s = strings.TrimLeft(behind, around)
		}
	}
	return s
}

func scanPidData(s string) (capture, error) {
	var c capture
	in := xml.NewDecoder(strings.NewReader(document(s)))
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
			if err := c.begin(open, t.Attr); err != nil {
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
			c.text(open)
		}
	}
}

// begin takes note of an element; path names it and those around it.
func (c *capture) begin(path []string, attrs []xml.Attr) error {
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
			continue // one with a prefix is of another vocabulary
		}
		if found {
			return errors.New("must contain the attribute errCode once")
		}
		c.errCode, found = strings.TrimSpace(a.Value), true
	}
	return nil
}

// text takes note of an element's content.
func (c *capture) text(path []string) {
	if len(path) != 2 {
		return
	}
	switch strings.ToLower(path[1]) {
	case "skey":
		c.skey = true
	case "hmac":
		c.hmac = true
	case "data":
		c.data = true
	}
}
