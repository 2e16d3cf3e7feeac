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

// Options says what to capture. The zero value asks for one finger within
// ten seconds.
type Options struct {
	Fingers int           // fCount; one where all three counts are zero
	Irises  int           // iCount
	Faces   int           // pCount
	Timeout time.Duration // how long the person has; DefaultTimeout where zero
	Wadh    string        // WadhEKYC for e-KYC, otherwise empty
}

// withDefaults fills in what the zero value leaves out.
func (o Options) withDefaults() Options {
	if o.Fingers == 0 && o.Irises == 0 && o.Faces == 0 {
		o.Fingers = 1
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
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
	if o.Timeout < MinTimeout || o.Timeout > MaxTimeout {
		wrong = append(wrong, fmt.Sprintf("Timeout must be %s to %s", MinTimeout, MaxTimeout))
	}
	if sum, err := base64.StdEncoding.DecodeString(o.Wadh); o.Wadh != "" && (err != nil || len(sum) != 32) {
		wrong = append(wrong, "Wadh must be base64 of a SHA-256")
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%w: %s", ErrOptions, strings.Join(wrong, "; "))
	}
	return nil
}

// XML is the PidOptions document in the form that every maker accepts: one
// line, no declaration, no CustOpts, and minutiae and image (fType 2). Errors
// are those of Validate.
func (o Options) XML() ([]byte, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	wadh := ""
	if o.Wadh != "" {
		wadh = ` wadh="` + o.Wadh + `"` // base64 needs no escaping
	}
	return fmt.Appendf(nil, `<PidOptions ver="1.0"><Opts fCount="%d" fType="2" iCount="%d" pCount="%d"`+
		` format="0" pidVer="2.0" timeout="%d"%s posh="UNKNOWN" env="P"/></PidOptions>`,
		o.Fingers, o.Irises, o.Faces, o.Timeout.Milliseconds(), wadh), nil
}
