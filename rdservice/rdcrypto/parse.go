package rdcrypto

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// MaxPidData is the largest PidData that Open reads: a face reply is about
// 180 KB, and the interface's own body limit is 1 MiB.
const MaxPidData = 1 << 20

// maxDepth and maxElements bound a document's shape; PidData has depth 4 and
// under twenty elements, a PID block of MaxBios fewer still.
const (
	maxDepth    = 8
	maxElements = 128
)

// envelope is PidData with its base64 undone, nothing decrypted.
type envelope struct {
	data, hmac, skey []byte
	ci               string
	mc               []byte // still base64
	dev              Device
}

// clearBlock is the PID block in clear, its base64 still on.
type clearBlock struct {
	ts, ver, wadh string
	bios          []clearBio
}

type clearBio struct {
	kind, posh string
	bs, text   []byte
}

// node is one element as walk hands it out: when it ends.
type node struct {
	name  string
	attrs map[string]string
	text  []byte
}

func parseEnvelope(b []byte) (envelope, error) {
	var e envelope
	seen := map[string]bool{}
	err := walk(b, "PidData", func(n node) error {
		switch n.name {
		case "Data", "Hmac", "Skey", "DeviceInfo":
			if seen[n.name] {
				return fmt.Errorf("element %s occurs twice", n.name)
			}
			seen[n.name] = true
		}
		var err error
		switch n.name {
		case "Data":
			e.data, err = decode64(n.text)
		case "Hmac":
			e.hmac, err = decode64(n.text)
		case "Skey":
			e.ci = n.attrs["ci"]
			e.skey, err = decode64(n.text)
		case "DeviceInfo":
			e.mc = []byte(n.attrs["mc"])
			e.dev = Device{
				DPID: n.attrs["dpId"], RDSID: n.attrs["rdsId"], RDSVer: n.attrs["rdsVer"],
				MI: n.attrs["mi"], DC: n.attrs["dc"],
			}
		}
		if err != nil {
			return fmt.Errorf("%s is no base64", n.name)
		}
		return nil
	})
	if err != nil {
		return e, err
	}
	for _, name := range []string{"Data", "Hmac", "Skey", "DeviceInfo"} {
		if !seen[name] {
			return e, fmt.Errorf("element %s is missing", name)
		}
	}
	return e, nil
}

func parseBlock(b []byte) (clearBlock, error) {
	var c clearBlock
	err := walk(b, "Pid", func(n node) error {
		switch n.name {
		case "Pid":
			c.ts, c.ver, c.wadh = n.attrs["ts"], n.attrs["ver"], n.attrs["wadh"]
		case "Bio":
			if len(c.bios) == MaxBios {
				return fmt.Errorf("more than %d biometrics", MaxBios)
			}
			c.bios = append(c.bios, clearBio{
				kind: n.attrs["type"], posh: n.attrs["posh"],
				bs: []byte(n.attrs["bs"]), text: n.text,
			})
		}
		return nil
	})
	if err == nil && len(c.bios) == 0 {
		err = errors.New("the PID block holds no biometric")
	}
	return c, err
}

// padding are the characters that services put before and behind a document:
// byte order marks, blanks, and the zero byte of a text in C.
const padding = "\ufeff \t\r\n\x00"

// document gives a document without what stands around it, and without its
// declaration: some services name an encoding there that it has not.
func document(b []byte) []byte {
	b = bytes.Trim(b, padding)
	if rest, ok := bytes.CutPrefix(b, []byte("<?xml")); ok {
		if _, behind, ok := bytes.Cut(rest, []byte("?>")); ok {
			b = bytes.TrimLeft(behind, padding)
		}
	}
	return b
}

// walk reads one document with the given root and hands out each element as it
// ends, with its own text. Its errors never quote the input.
func walk(b []byte, root string, each func(node) error) error {
	if len(b) > MaxPidData {
		return fmt.Errorf("larger than %d bytes", MaxPidData)
	}
	dec := xml.NewDecoder(bytes.NewReader(document(b)))
	var open []node
	elements := 0
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) && elements > 0 {
			return nil
		}
		if err != nil {
			line, _ := dec.InputPos()
			return fmt.Errorf("not well-formed XML at line %d", line)
		}
		switch t := tok.(type) {
		case xml.Directive:
			return errors.New("a DTD is not allowed")
		case xml.StartElement:
			if elements++; elements > maxElements || len(open) == maxDepth {
				return errors.New("too many elements")
			}
			if len(open) == 0 && (elements > 1 || t.Name.Local != root) {
				return fmt.Errorf("the root must be one %s element", root)
			}
			n := node{name: t.Name.Local, attrs: map[string]string{}}
			for _, a := range t.Attr {
				if _, twice := n.attrs[a.Name.Local]; twice && a.Name.Space == "" {
					return errors.New("an attribute occurs twice")
				}
				n.attrs[a.Name.Local] = string(bytes.TrimSpace([]byte(a.Value)))
			}
			open = append(open, n)
		case xml.CharData:
			if len(open) > 0 {
				top := &open[len(open)-1]
				top.text = append(top.text, t...)
			}
		case xml.EndElement:
			top := open[len(open)-1]
			open = open[:len(open)-1]
			if err := each(top); err != nil {
				return err
			}
		}
	}
}
