package rdsim

import (
	"fmt"
	"io"
	"log/slog"

	"galla/rdservice/rdcrypto"
)

// NoFinger is the finger's name for an empty glass: a capture then waits for
// the time it was given and answers 700.
const NoFinger = "NONE"

// What lies on the glass when a device starts (sandbox.md).
const (
	startAadhaar = "999941057058"
	startFinger  = rdcrypto.RightIndex
	startQuality = 80
)

// customer is one of the sandbox bank's customers, by UIDAI's public demo
// numbers (sandbox.md, 'The bank's customers').
type customer struct {
	Name    string
	Aadhaar resident
}

func customers() []customer {
	return []customer{
		{"Shivshankar Choudhury", newResident(startAadhaar)},
		{"Kumar Agarwal", newResident("999971658847")},
		{"Fatima Bedi", newResident("999933119405")},
		{"Rohit Pandey", newResident("999955183433")},
		{"Anisha Jay Kapoor", newResident("999990501894")},
	}
}

// sensor is what lies on the sensor.
type sensor struct {
	resident resident
	finger   string // one of rdcrypto.Fingers, or NoFinger
	quality  int    // qScore of a capture, 0 to 100
}

// minutiaeOf makes a believable nmPoints out of a quality: 50 at 80, under 23
// where a capture is refused.
func minutiaeOf(quality int) int { return 10 + quality/2 }

// resident is an Aadhaar number that prints masked.
type resident struct{ p *string }

func newResident(aadhaar string) resident { return resident{&aadhaar} }

func (r resident) reveal() string { return *r.p }

func (r resident) equal(o resident) bool { return *r.p == *o.p }

func (r resident) String() string {
	if r.p == nil {
		return ""
	}
	return "XXXXXXXX" + (*r.p)[len(*r.p)-4:]
}

func (r resident) GoString() string           { return r.String() }
func (r resident) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, r.String()) }
func (r resident) LogValue() slog.Value       { return slog.StringValue(r.String()) }

// parseResident accepts twelve digits with a right Verhoeff check digit.
func parseResident(s string) (resident, bool) {
	if len(s) != 12 {
		return resident{}, false
	}
	var check byte
	for i := range len(s) {
		c := s[len(s)-1-i]
		if c < '0' || c > '9' {
			return resident{}, false
		}
		check = dihedral(check, permuted(i, c-'0'))
	}
	return newResident(s), check == 0
}

// dihedral multiplies in D5, the group of the Verhoeff scheme: digits below
// five are turns, the others are mirrored ones.
func dihedral(a, b byte) byte {
	switch {
	case a < 5 && b < 5:
		return (a + b) % 5
	case a < 5:
		return 5 + (a+b)%5
	case b < 5:
		return 5 + (a-b)%5
	default:
		return (a - b + 5) % 5
	}
}

// permuted applies the scheme's permutation as often as the digit's place says.
func permuted(place int, digit byte) byte {
	for range place % 8 {
		digit = [10]byte{1, 5, 7, 6, 2, 8, 3, 0, 9, 4}[digit]
	}
	return digit
}
