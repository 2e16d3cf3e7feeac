package rdsim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
)

// fault is one wrong field of a request.
type fault struct {
	Field string `json:"field"`
	Error string `json:"error"`
}

// form reads the fields of a request one by one and gathers all faults, so
// that a caller learns everything that is wrong at once.
type form struct {
	prefix string // in front of a field's name in faults
	fields map[string]json.RawMessage
	read   []string
	faults []fault
}

// jsonForm reads one JSON object.
func jsonForm(raw []byte, prefix string) *form {
	f := &form{prefix: prefix}
	if err := json.Unmarshal(raw, &f.fields); err != nil || f.fields == nil {
		f.fault("body", "must be a JSON object")
	}
	return f
}

// pageForm reads the fields of the page; an empty one counts as absent.
func pageForm(values url.Values, numbers ...string) *form {
	f := &form{fields: map[string]json.RawMessage{}}
	for name := range values {
		value := values.Get(name)
		quoted, err := json.Marshal(value)
		if value == "" || err != nil {
			continue
		}
		f.fields[name] = quoted
		if _, err := strconv.Atoi(value); err == nil && slices.Contains(numbers, name) {
			f.fields[name] = json.RawMessage(value)
		}
	}
	return f
}

func (f *form) fault(field, format string, args ...any) {
	f.faults = append(f.faults, fault{f.prefix + field, fmt.Sprintf(format, args...)})
}

// field gives a field that is there and not null.
func (f *form) field(name string) (json.RawMessage, bool) {
	f.read = append(f.read, name)
	raw, ok := f.fields[name]
	return raw, ok && string(raw) != "null"
}

// text sets target where the field is there.
func (f *form) text(name string, limit int, target *string) {
	raw, ok := f.field(name)
	if !ok {
		return
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		f.fault(name, "must be a string")
	} else if len(s) > limit {
		f.fault(name, "must have at most %d bytes", limit)
	} else {
		*target = s
	}
}

// choice sets target where the field is there; it must be one of the words.
func (f *form) choice(name string, words []string, target *string) {
	s := *target
	f.text(name, maxText, &s)
	if !slices.Contains(words, s) {
		f.fault(name, "must be one of %v", words)
		return
	}
	*target = s
}

// number sets target where the field is there.
func (f *form) number(name string, least, most int, target *int) {
	raw, ok := f.field(name)
	if !ok {
		return
	}
	var n int
	if json.Unmarshal(raw, &n) != nil || n < least || n > most {
		f.fault(name, "must be a whole number from %d to %d", least, most)
		return
	}
	*target = n
}

// loose takes a string or a number, as it is written.
func (f *form) loose(name string, target *string) {
	raw, ok := f.field(name)
	if !ok {
		return
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil && len(raw) > 0 && raw[0] != '"' {
		*target = n.String()
		return
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		f.fault(name, "must be a string or a number")
	} else if len(s) > maxText {
		f.fault(name, "must have at most %d bytes", maxText)
	} else {
		*target = s
	}
}

func (f *form) yes(name string, target *bool) {
	if raw, ok := f.field(name); ok && json.Unmarshal(raw, target) != nil {
		f.fault(name, "must be true or false")
	}
}

// end adds the fields that nobody asked for and gives all faults.
func (f *form) end() []fault {
	for name := range f.fields {
		if !slices.Contains(f.read, name) {
			f.fault(clip(name), "is not known")
		}
	}
	slices.SortStableFunc(f.faults, func(a, b fault) int { return bytes.Compare([]byte(a.Field), []byte(b.Field)) })
	return f.faults
}

// Limits of the interface for tests.
const (
	maxBody   = 256 << 10 // a script of maxScript outcomes
	maxScript = 1000      // outcomes waiting for captures
	maxText   = 256       // bytes of one text field
	maxWarmup = 1000
)

func clip(s string) string {
	if len(s) > 64 {
		return s[:64]
	}
	return s
}

// readGlass takes aadhaar, finger and quality over what lies on the glass now.
func readGlass(f *form, now sensor) (sensor, []fault) {
	if raw, given := f.field("aadhaar"); given {
		var aadhaar string
		who, ok := resident{}, json.Unmarshal(raw, &aadhaar) == nil
		if ok {
			who, ok = parseResident(aadhaar)
		}
		if ok {
			now.resident = who
		} else {
			f.fault("aadhaar", "must be a string of 12 digits that pass the Verhoeff check")
		}
	}
	f.choice("finger", fingerNames(), &now.finger)
	f.number("quality", 0, 100, &now.quality)
	return now, f.end()
}

// readOutcome takes one entry of a script.
func readOutcome(f *form) (Outcome, []fault) {
	var o Outcome
	f.loose("errCode", &o.ErrCode)
	f.text("errInfo", maxText, &o.ErrInfo)
	f.loose("qScore", &o.QScore)
	f.loose("nmPoints", &o.NmPoints)
	f.number("delayMs", 0, int(maxHang.Milliseconds()), &o.DelayMs)
	f.yes("hang", &o.Hang)
	f.yes("reset", &o.Reset)
	var cut bool
	if raw, ok := f.field("truncate"); ok && json.Unmarshal(raw, &cut) == nil {
		if cut {
			o.Truncate = -1
		}
	} else {
		f.number("truncate", 0, 1<<20, &o.Truncate)
	}
	if _, ok := f.field("httpStatus"); ok {
		f.number("httpStatus", 200, 599, &o.HTTPStatus)
	}
	return o, f.end()
}

// readScript takes a list of outcomes.
func readScript(raw []byte) ([]Outcome, []fault) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return nil, []fault{{"body", "must be a JSON list of outcomes"}}
	}
	if len(list) > maxScript {
		return nil, []fault{{"body", fmt.Sprintf("must have at most %d outcomes", maxScript)}}
	}
	script := []Outcome{}
	var faults []fault
	for i, raw := range list {
		o, wrong := readOutcome(jsonForm(raw, fmt.Sprintf("[%d].", i)))
		script, faults = append(script, o), append(faults, wrong...)
	}
	return script, faults
}

// readBody reads a bounded request body.
func readBody(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err != nil {
		return nil, errors.New("the request was cut off")
	}
	if len(body) > maxBody {
		return nil, fmt.Errorf("the request must have at most %d bytes", maxBody)
	}
	return body, nil
}
