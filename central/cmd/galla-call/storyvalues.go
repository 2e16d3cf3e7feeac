package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Strings of a story may have placeholders: ${name} is a variable, ${source} or
// ${source:argument} a value that is made when it is needed.
var (
	placeholder  = regexp.MustCompile(`\$\{([A-Za-z][A-Za-z0-9_]*)(?::([A-Za-z0-9_]+))?\}`)
	variableName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
)

// The sources.
const (
	sourceCapture = "capture" // PidData of the finger on the reader; :ekyc for steps of an onboarding
	sourceOTP     = "otp"     // the newest one-time password of a mobile number, from the sandbox's inbox
	sourceDigits  = "digits"  // so many random digits
	sourceID      = "id"      // a random UUID
	sourceEnv     = "env"     // a variable of the environment, for secrets
)

// captureEKYC is the argument of a capture for an onboarding.
const captureEKYC = "ekyc"

// maxDigits limits ${digits:n}.
const maxDigits = 18

func isSource(name string) bool {
	switch name {
	case sourceCapture, sourceOTP, sourceDigits, sourceID, sourceEnv:
		return true
	}
	return false
}

func checkName(name string) error {
	if !variableName.MatchString(name) || isSource(name) {
		return fmt.Errorf("%q can't be a variable's name: it must be letters, digits and _, and none of capture, otp, digits, id and env", name)
	}
	return nil
}

// checkText looks at the placeholders of a text; known are the variables that exist.
func checkText(text string, known map[string]bool) error {
	var faults []error
	for _, p := range placeholder.FindAllStringSubmatch(text, -1) {
		faults = append(faults, checkPlaceholder(p[1], p[2], known))
	}
	if strings.Contains(placeholder.ReplaceAllLiteralString(text, ""), "${") {
		faults = append(faults, errors.New("a ${ begins no placeholder: write ${name} or ${source:argument}"))
	}
	return errors.Join(faults...)
}

func checkPlaceholder(name, argument string, known map[string]bool) error {
	switch {
	case name == sourceCapture && (argument == "" || argument == captureEKYC), name == sourceID && argument == "",
		(name == sourceOTP || name == sourceEnv) && argument != "":
		return nil
	case name == sourceDigits:
		if n, err := strconv.Atoi(argument); err == nil && n >= 1 && n <= maxDigits {
			return nil
		}
		return fmt.Errorf("${digits:n} must have a number of 1 to %d", maxDigits)
	case isSource(name):
		return fmt.Errorf("the placeholder of %s must be ${capture}, ${capture:ekyc}, ${otp:mobile}, ${id} or ${env:NAME}", name)
	case argument != "" || !known[name]:
		return fmt.Errorf("${%s}: no variable of this name exists here", name)
	}
	return nil
}

// values has the variables of a story, and the sources.
type values struct {
	variables map[string]jsontext.Value
	sandbox   sandbox
	getenv    func(string) string
	rand      io.Reader
}

// sandbox is what a story needs beside the central.
type sandbox interface {
	// capture asks the reader for the finger on it; ekyc: for a step of an onboarding.
	capture(ctx context.Context, ekyc bool) (string, error)
	// otp reads the newest one-time password of a mobile number.
	otp(ctx context.Context, mobile string) (string, error)
	// placeFinger lays a person's finger on the simulated reader.
	placeFinger(ctx context.Context, aadhaar string) error
}

// make makes the value of a placeholder, as JSON.
func (v *values) make(ctx context.Context, name, argument string) (jsontext.Value, error) {
	var text string
	var err error
	switch name {
	case sourceCapture:
		text, err = v.sandbox.capture(ctx, argument == captureEKYC)
	case sourceOTP:
		mobile := argument
		if raw, found := v.variables[argument]; found {
			mobile = plain(raw)
		}
		text, err = v.sandbox.otp(ctx, mobile)
	case sourceDigits:
		text, err = randomDigits(v.rand, argument)
	case sourceID:
		text, err = newID(v.rand)
	case sourceEnv:
		if text = v.getenv(argument); text == "" {
			err = fmt.Errorf("the environment has no %s", argument)
		}
	default:
		raw, found := v.variables[name]
		if !found {
			err = fmt.Errorf("there is no variable %s", name)
		}
		return raw, err
	}
	if err != nil {
		return nil, err
	}
	return quote(text)
}

func quote(text string) (jsontext.Value, error) {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return nil, errors.New("a value is not UTF-8")
	}
	return quoted, nil
}

// plain is the text of a string, or the JSON of another value.
func plain(v jsontext.Value) string {
	var text string
	if v.Kind() == '"' && json.Unmarshal(v, &text) == nil {
		return text
	}
	return string(v)
}

// randomDigits draws so many digits. The first is not 0.
func randomDigits(rand io.Reader, argument string) (string, error) {
	n, err := strconv.Atoi(argument)
	if err != nil || n < 1 || n > maxDigits {
		return "", fmt.Errorf("%s is no number of digits", argument)
	}
	raw := make([]byte, n)
	if _, err := io.ReadFull(rand, raw); err != nil {
		return "", fmt.Errorf("draw digits: %w", err)
	}
	for i, b := range raw {
		raw[i] = '0' + b%10
	}
	if raw[0] == '0' {
		raw[0] = '1'
	}
	return string(raw), nil
}

// text replaces the placeholders of a text.
func (v *values) text(ctx context.Context, text string) (string, error) {
	raw, err := v.value(ctx, text)
	return plain(raw), err
}

// value replaces the placeholders of a text. A text that is one placeholder becomes its
// value, so that a kept number stays a number.
func (v *values) value(ctx context.Context, text string) (jsontext.Value, error) {
	if p := placeholder.FindStringSubmatch(text); p != nil && p[0] == text {
		return v.make(ctx, p[1], p[2])
	}
	var failed error
	out := placeholder.ReplaceAllStringFunc(text, func(found string) string {
		p := placeholder.FindStringSubmatch(found)
		made, err := v.make(ctx, p[1], p[2])
		failed = errors.Join(failed, err)
		return plain(made)
	})
	if failed != nil {
		return nil, failed
	}
	return quote(out)
}

// json replaces the placeholders in the strings of a JSON value. Everything else stays as
// it is written: 49.50 remains 49.50.
func (v *values) json(ctx context.Context, in jsontext.Value) (jsontext.Value, error) {
	var out bytes.Buffer
	d, e := jsontext.NewDecoder(bytes.NewReader(in)), jsontext.NewEncoder(&out)
	for {
		if d.PeekKind() != '"' || expectsName(d) {
			token, err := d.ReadToken()
			if errors.Is(err, io.EOF) {
				return bytes.TrimSpace(out.Bytes()), nil
			}
			if err == nil {
				err = e.WriteToken(token)
			}
			if err != nil {
				return nil, errors.New("a body is no JSON")
			}
			continue
		}
		token, err := d.ReadToken()
		if err != nil {
			return nil, errors.New("a body is no JSON")
		}
		made, err := v.value(ctx, token.String())
		if err == nil {
			err = e.WriteValue(made)
		}
		if err != nil {
			return nil, err
		}
	}
}

// find returns the value of a path such as data.list.0.name, or nil.
func find(in jsontext.Value, path string) jsontext.Value {
	for _, name := range strings.Split(path, ".") {
		var object map[string]jsontext.Value
		var list []jsontext.Value
		i, err := strconv.Atoi(name)
		switch {
		case json.Unmarshal(in, &object) == nil:
			in = object[name]
		case err == nil && json.Unmarshal(in, &list) == nil && i >= 0 && i < len(list):
			in = list[i]
		default:
			return nil
		}
	}
	return in
}

// same reports whether two JSON values mean the same: 1200 and 1200.00 do.
func same(a, b jsontext.Value) bool {
	x, y := a.Clone(), b.Clone()
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}
