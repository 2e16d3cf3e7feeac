package rdcrypto

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"slices"
)

// The ten fingers, by the names that the specification's posh attribute uses.
const (
	LeftThumb   = "LEFT_THUMB"
	LeftIndex   = "LEFT_INDEX"
	LeftMiddle  = "LEFT_MIDDLE"
	LeftRing    = "LEFT_RING"
	LeftLittle  = "LEFT_LITTLE"
	RightThumb  = "RIGHT_THUMB"
	RightIndex  = "RIGHT_INDEX"
	RightMiddle = "RIGHT_MIDDLE"
	RightRing   = "RIGHT_RING"
	RightLittle = "RIGHT_LITTLE"
)

// templateSalt separates the sandbox's synthetic fingers from any other use of
// the same numbers. It is public: nothing here belongs to a living person.
const templateSalt = "galla sandbox finger template v1"

// minutiae is the number of minutiae in a synthetic template: within the 40 to
// 80 of a well placed finger, and the record comes to 396 bytes.
const minutiae = 61

// Lengths of the parts of a finger minutiae record, ISO/IEC 19794-2:2005.
const (
	fmrHeader   = 24
	fmrView     = 4
	fmrMinutia  = 6
	fmrTrailer  = 2
	templateLen = fmrHeader + fmrView + minutiae*fmrMinutia + fmrTrailer
)

// Size and resolution of the imagined sensor: 300 × 400 pixels at 500 dpi.
const (
	sensorWidth  = 300
	sensorHeight = 400
	sensorPerCM  = 197
)

// Fingers lists the ten finger names, left hand first, thumb first.
func Fingers() []string {
	return []string{
		LeftThumb, LeftIndex, LeftMiddle, LeftRing, LeftLittle,
		RightThumb, RightIndex, RightMiddle, RightRing, RightLittle,
	}
}

// isoPosition is the finger position code of ISO/IEC 19794-2, table 2; 0 for a
// name that is no finger.
func isoPosition(finger string) byte {
	order := []string{
		RightThumb, RightIndex, RightMiddle, RightRing, RightLittle,
		LeftThumb, LeftIndex, LeftMiddle, LeftRing, LeftLittle,
	}
	return byte(slices.Index(order, finger) + 1)
}

// Template is the synthetic biometric of one finger of one sandbox resident: a
// finger minutiae record in the form of ISO/IEC 19794-2:2005 whose minutiae
// follow from the Aadhaar number and the finger's name alone. The simulator
// captures it and the bank matches against it. The same arguments give the same
// bytes on every machine; a name that is not in Fingers gives nil.
func Template(aadhaar, finger string) []byte {
	position := isoPosition(finger)
	if position == 0 {
		return nil
	}
	b := make([]byte, 0, templateLen)
	b = append(b, "FMR\x00 20\x00"...)
	b = binary.BigEndian.AppendUint32(b, templateLen)
	b = append(b, 0, 0) // no certified capture equipment
	for _, n := range []uint16{sensorWidth, sensorHeight, sensorPerCM, sensorPerCM} {
		b = binary.BigEndian.AppendUint16(b, n)
	}
	b = append(b, 1, 0)                      // one view, reserved
	b = append(b, position, 0, 80, minutiae) // live plain scan, view 0
	noise := expand(aadhaar, finger, minutiae*fmrMinutia)
	for m := range minutiae {
		r := noise[m*fmrMinutia:]
		kind := uint16(1 + r[0]%2) // ridge ending or bifurcation
		x := binary.BigEndian.Uint16(r[0:]) % sensorWidth
		y := binary.BigEndian.Uint16(r[2:]) % sensorHeight
		b = binary.BigEndian.AppendUint16(b, kind<<14|x)
		b = binary.BigEndian.AppendUint16(b, y)
		b = append(b, r[4]%180, 40+r[5]%61) // angle in 2° steps, quality
	}
	return append(b, 0, 0) // no extended data
}

// expand gives n bytes that follow from the two names, by HMAC-SHA-256 in
// counter mode.
func expand(aadhaar, finger string, n int) []byte {
	var out []byte
	for counter := uint32(1); len(out) < n; counter++ {
		mac := hmac.New(sha256.New, []byte(templateSalt))
		mac.Write(binary.BigEndian.AppendUint32(nil, counter))
		mac.Write([]byte(aadhaar + "|" + finger))
		out = mac.Sum(out)
	}
	return out[:n]
}

// Match tells which finger of the resident a captured biometric is. A device
// does not know which finger lies on it (posh is mostly UNKNOWN), so all ten
// are compared, in constant time. It reports false for another resident's
// finger and for bytes that are no template.
func Match(aadhaar string, raw []byte) (finger string, ok bool) {
	for _, name := range Fingers() {
		if subtle.ConstantTimeCompare(Template(aadhaar, name), raw) == 1 {
			finger, ok = name, true
		}
	}
	return finger, ok
}
