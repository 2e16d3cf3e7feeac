package rdservice

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

// WadhEKYC is the wadh of an e-KYC step: base64(SHA-256("2.5FYNNN")). Every
// other capture has none.
const WadhEKYC = "E0jzJ/P8UopUHAieZn8CKqS4WPMi5ZSYXgfnlfkWjrc="

// Bounds of a capture's options, from the specification.
const (
	DefaultTimeout = 10 * time.Second
	MinTimeout     = time.Second
	MaxTimeout     = 120 * time.Second
	MaxFingers     = 10
	MaxIrises      = 2
	MaxFaces       = 1
)

// Family is the kind of biometric a device reads; error codes mean different
// things in each.
type Family string

// The families of the specification.
const (
	Finger Family = "finger"
	Iris   Family = "iris"
	Face   Family = "face"
)

// Form is how a fingerprint is to be recorded (fType).
type Form int

// The forms; FormBoth is what every maker accepts.
const (
	FormBoth     Form = iota // fType 2: minutiae and image
	FormMinutiae             // fType 0: FMR
	FormImage                // fType 1: FIR
)

func (f Form) code() string { return [...]string{"2", "0", "1"}[f] }

// Options says what to capture. The zero value asks for one finger in the form
// that every maker accepts, within ten seconds.
type Options struct {
	Fingers int           // fCount; one where all three counts are zero
	Form    Form          // fType
	Irises  int           // iCount
	Faces   int           // pCount
	Timeout time.Duration // how long the person has; DefaultTimeout where zero
	Wadh    string        // WadhEKYC for e-KYC, otherwise empty
	Env     string        // P (production) where empty, PP or S
	// Custom are CustOpts. Where nil, Client.Capture sends those that the
	// service's Maker needs, which mostly are none.
	Custom []Param
}

// withDefaults fills in what the zero value leaves out.
func (o Options) withDefaults() Options {
	if o.Fingers == 0 && o.Irises == 0 && o.Faces == 0 {
		o.Fingers = 1
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Env == "" {
		o.Env = "P"
	}
	return o
}

// Family is the kind of device that these options are for.
func (o Options) Family() Family {
	o = o.withDefaults()
	switch {
	case o.Fingers > 0:
		return Finger
	case o.Irises > 0:
		return Iris
	default:
		return Face
	}
}

// Validate reports everything that is wrong with the options at once, wrapping
// ErrOptions.
func (o Options) Validate() error {
	o = o.withDefaults()
	var wrong []string
	limits := []struct {
		name     string
		got, max int
	}{{"Fingers", o.Fingers, MaxFingers}, {"Irises", o.Irises, MaxIrises}, {"Faces", o.Faces, MaxFaces}}
	for _, l := range limits {
		if l.got < 0 || l.got > l.max {
			wrong = append(wrong, fmt.Sprintf("%s must be 0 to %d", l.name, l.max))
		}
	}
	if o.Form < FormBoth || o.Form > FormImage {
		wrong = append(wrong, "Form is unknown")
	}
	if o.Timeout < MinTimeout || o.Timeout > MaxTimeout {
		wrong = append(wrong, fmt.Sprintf("Timeout must be %s to %s", MinTimeout, MaxTimeout))
	}
	if sum, err := base64.StdEncoding.DecodeString(o.Wadh); o.Wadh != "" && (err != nil || len(sum) != 32) {
		wrong = append(wrong, "Wadh must be base64 of a SHA-256")
	}
	switch o.Env {
	case "P", "PP", "S":
	default:
		wrong = append(wrong, "Env must be P, PP or S")
	}
	if !validCustom(o.Custom) {
		wrong = append(wrong, fmt.Sprintf("Custom must be at most %d params, each with a name and up to %d printable bytes", maxCustom, maxCustomBytes))
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%w: %s", ErrOptions, strings.Join(wrong, "; "))
	}
	return nil
}

// XML is the PidOptions document in the form that every maker accepts: one
// line, no declaration, and CustOpts only where Custom has any. Errors are
// those of Validate.
func (o Options) XML() ([]byte, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	wadh := ""
	if o.Wadh != "" {
		wadh = ` wadh="` + o.Wadh + `"` // base64 needs no escaping
	}
	var custom strings.Builder
	if len(o.Custom) > 0 {
		custom.WriteString("<CustOpts>")
		for _, p := range o.Custom {
			custom.WriteString(`<Param name="` + attribute(p.Name) + `" value="` + attribute(p.Value) + `"/>`)
		}
		custom.WriteString("</CustOpts>")
	}
	return fmt.Appendf(nil, `<PidOptions ver="1.0"><Opts fCount="%d" fType="%s" iCount="%d" pCount="%d"`+
		` format="0" pidVer="2.0" timeout="%d"%s posh="UNKNOWN" env="%s"/>%s</PidOptions>`,
		o.Fingers, o.Form.code(), o.Irises, o.Faces, o.Timeout.Milliseconds(), wadh, o.Env, custom.String()), nil
}

// attribute escapes a text for an attribute in double quotes.
func attribute(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}
