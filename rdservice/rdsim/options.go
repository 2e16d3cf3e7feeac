package rdsim

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"galla/rdservice"
	"galla/rdservice/rdcrypto"
)

// maxOptions is the largest PidOptions that is read, in bytes; real ones have
// under 500.
const maxOptions = 16 << 10

// The time that a request may give the person (specification, timeout).
const (
	minTimeout = time.Second
	maxTimeout = 120 * time.Second
)

// maxFingers is the most fingers one capture may ask for.
const maxFingers = 10

// wanted is what a valid PidOptions asks for.
type wanted struct {
	fingers int // one of the three is not zero
	irises  int
	faces   int
	image   bool // FIR instead of FMR
	timeout time.Duration
	wadh    string
	posh    []string // names of fingers, irises or the face; empty for UNKNOWN
}

// count is how many biometrics are asked for.
func (w wanted) count() int { return w.fingers + w.irises + w.faces }

// refusal is an answer by errCode, with the maker's words.
type refusal struct{ code, info string }

// optsDocument is PidOptions as sent.
type optsDocument struct {
	opts map[string]string // attributes of Opts; nil: there is no Opts
	demo bool              // a Demo element with content
}

// readOptions checks PidOptions as strictly as a certified service does whose
// device reads one family. The refusal is nil where they are right.
func readOptions(body []byte, reads rdservice.Family) (wanted, *refusal) {
	doc, err := parseOptions(body)
	if err != nil {
		return wanted{}, &refusal{"100", "Invalid PidOptions input: " + err.Error()}
	}
	if doc.demo {
		return wanted{}, &refusal{"200", "Demo structure is not supported"}
	}
	o := doc.opts
	w := wanted{}
	var ok bool
	if w.fingers, ok = count(o["fCount"], maxFingers); !ok {
		return w, &refusal{"120", "Invalid value for fCount"}
	}
	if !slices.Contains([]string{"0", "1", "2"}, orElse(o["fType"], "0")) {
		return w, &refusal{"110", "Invalid value for fType"}
	}
	if w.irises, ok = count(orElse(o["iCount"], "0"), len(rdcrypto.Irises())); !ok {
		return w, &refusal{"140", "Invalid value for iCount"}
	}
	if orElse(o["iType"], "0") != "0" {
		return w, &refusal{"130", "Invalid value for iType"}
	}
	w.faces, ok = count(orElse(o["pCount"], "0"), 1)
	switch {
	case !ok || w.faces > 0 && reads != rdservice.Face:
		return w, &refusal{"180", "Face capture is not supported"}
	case o["format"] == "1":
		return w, &refusal{"210", "Protobuf format is not supported"}
	case o["format"] != "0":
		return w, &refusal{"190", "Invalid value for format"}
	case o["pidVer"] != "2.0":
		return w, &refusal{"150", "Invalid value for pidVer"}
	case !slices.Contains([]string{"P", "PP", "S"}, orElse(o["env"], "P")):
		return w, &refusal{"220", "Invalid value for env"}
	}
	ms, err := strconv.Atoi(o["timeout"])
	w.timeout = time.Duration(ms) * time.Millisecond
	if err != nil || w.timeout < minTimeout || w.timeout > maxTimeout {
		return w, &refusal{"160", "Invalid value for timeout"}
	}
	if w.posh, ok = positions(o["posh"], reads, w.count()); !ok {
		return w, &refusal{"170", "Invalid value for posh"}
	}
	w.wadh = o["wadh"]
	if sum, err := base64.StdEncoding.DecodeString(w.wadh); w.wadh != "" && (err != nil || len(sum) != 32) {
		return w, &refusal{"100", "Invalid PidOptions input: wadh is no base64 of a SHA-256"}
	}
	w.image = o["fType"] == "1"
	return w, w.beyond(reads)
}

// beyond refuses what the device can't read, and a request for nothing.
func (w wanted) beyond(reads rdservice.Family) *refusal {
	switch {
	case reads == rdservice.Face && w.count() != w.faces, reads == rdservice.Face && w.faces == 0:
		return &refusal{"100", "Invalid PidOptions input: this device captures a face"} // its family has no 750
	case reads == rdservice.Iris && w.fingers > 0:
		return &refusal{"750", "Fingerprint capture is not supported"}
	case reads == rdservice.Iris && w.irises == 0:
		return &refusal{"140", "Invalid value for iCount"}
	case reads == rdservice.Finger && w.irises > 0:
		return &refusal{"760", "Iris capture is not supported"}
	case reads == rdservice.Finger && w.fingers == 0:
		return &refusal{"120", "Invalid value for fCount"}
	}
	return nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func count(s string, most int) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && n <= most
}

// positions reads posh: UNKNOWN, or names of what the device reads, one for each
// asked for.
func positions(s string, reads rdservice.Family, wanted int) ([]string, bool) {
	if s == "" || s == "UNKNOWN" {
		return nil, true
	}
	all := map[rdservice.Family][]string{
		rdservice.Finger: rdcrypto.Fingers(), rdservice.Iris: rdcrypto.Irises(), rdservice.Face: {rdcrypto.FacePosition},
	}[reads]
	names := strings.Split(s, ",")
	for i, n := range names {
		if !slices.Contains(all, n) || slices.Contains(names[:i], n) {
			return nil, false
		}
	}
	return names, len(names) == wanted
}

// parseOptions reads the document's shape. Its errors quote nothing but names.
func parseOptions(body []byte) (optsDocument, error) {
	var doc optsDocument
	dec := xml.NewDecoder(bytes.NewReader(body))
	var path []string
	roots := 0
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) && roots == 1 && doc.opts != nil {
			return doc, nil
		}
		if errors.Is(err, io.EOF) {
			return doc, errors.New("there is no PidOptions with Opts")
		}
		if err != nil {
			return doc, errors.New("not well-formed XML")
		}
		switch t := tok.(type) {
		case xml.Directive:
			return doc, errors.New("a DTD is not allowed")
		case xml.StartElement:
			if len(path) == 0 {
				if roots++; roots > 1 || t.Name.Local != "PidOptions" {
					return doc, errors.New("the root must be one PidOptions")
				}
			}
			path = append(path, t.Name.Local)
			if err := doc.element(strings.Join(path, "/"), t.Attr); err != nil {
				return doc, err
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			if len(bytes.TrimSpace(t)) == 0 {
				continue
			}
			if len(path) != 2 || path[1] != "Demo" {
				return doc, errors.New("text where none belongs")
			}
			doc.demo = true
		}
	}
}

// element takes one element by its place in the document.
func (d *optsDocument) element(path string, attrs []xml.Attr) error {
	known := []string{"env", "fCount", "fType", "format", "iCount", "iType", "otp", "pCount", "pType", "pgCount", "pTimeout", "pidVer", "posh", "timeout", "wadh"}
	switch path {
	case "PidOptions":
		for _, a := range attrs {
			if a.Name.Local == "ver" && a.Value != "1.0" {
				return errors.New("ver must be 1.0")
			}
		}
		return nil
	case "PidOptions/Demo", "PidOptions/CustOpts", "PidOptions/CustOpts/Param":
		return nil
	case "PidOptions/Opts":
		if d.opts != nil {
			return errors.New("there are two Opts")
		}
	default:
		if strings.HasPrefix(path, "PidOptions/Demo/") {
			d.demo = true
			return nil
		}
		return errors.New("an element that does not belong there")
	}
	d.opts = map[string]string{}
	for _, a := range attrs {
		name := a.Name.Local
		if !slices.Contains(known, name) {
			return errors.New("an attribute of Opts is not known")
		}
		if _, twice := d.opts[name]; twice {
			return errors.New("an attribute of Opts occurs twice")
		}
		d.opts[name] = a.Value
	}
	return nil
}
