package rdcrypto

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"
)

// mask is what stands in place of anything secret in print.
const mask = "[biometric]"

// Raw is a biometric in clear. It prints as a mask in every way Go has for
// printing. The value stands behind a pointer to a string: of that, unlike
// of a pointer to a slice, fmt shows an address at most where it cannot ask
// the methods (a wrong verb on a struct that holds it). The bytes leave through
// Reveal only.
type Raw struct{ p *string }

func newRaw(b []byte) Raw {
	s := string(b)
	return Raw{&s}
}

// Reveal gives a copy of the biometric record. Callers compare it and forget it.
func (r Raw) Reveal() []byte {
	if r.p == nil {
		return nil
	}
	return []byte(*r.p)
}

// Len is the record's length in bytes.
func (r Raw) Len() int { return len(r.Reveal()) }

func (Raw) String() string               { return mask }
func (Raw) GoString() string             { return mask }
func (Raw) Format(f fmt.State, _ rune)   { _, _ = io.WriteString(f, mask) }
func (Raw) MarshalText() ([]byte, error) { return []byte(mask), nil }
func (Raw) MarshalJSON() ([]byte, error) { return json.Marshal(mask) }
func (Raw) LogValue() slog.Value         { return slog.StringValue(mask) }

// Bio is one biometric of an opened PID block; its signature was checked.
type Bio struct {
	Type string // FMR, FIR, IIR or FID
	Posh string // mostly UNKNOWN: a device does not know which finger it sees
	Raw  Raw
}

// Device is what PidData says about the device that captured.
type Device struct {
	DPID, RDSID, RDSVer, MI string
	DC                      string            // device code
	Certificate             *x509.Certificate // mc; the caller judges its validity at Pid.Time
}

// Pid is an opened and checked PID block.
type Pid struct {
	Time    time.Time // the capture's time, in Asia/Kolkata, whole seconds
	Version string    // of the PID block: 2.0
	Wadh    string    // empty except for e-KYC
	Bios    []Bio     // at least one
	Device  Device
	// Digest is SHA-256 of the whole sealed Data: equal digests are the same
	// capture sent twice. It reveals nothing and may be stored.
	Digest [32]byte
}
