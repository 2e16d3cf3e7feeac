package envelope

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Names of the headers.
const (
	HeaderClientID  = "X-Client-Id"
	HeaderTimestamp = "X-Timestamp"
	HeaderRequestID = "X-Request-Id"
	HeaderIV        = "X-IV"
	HeaderTag       = "X-Tag"
	HeaderChecksum  = "X-Checksum"
)

const (
	// MaxClientID limits an API key in bytes; ours have 20.
	MaxClientID = 128
	// maxTimestamp limits the digits of a time in milliseconds: 13 are enough until
	// the year 2286, and 15 never overflow.
	maxTimestamp = 15
	checksumSize = 64 // hex characters
	uuidSize     = 36
)

// Headers are a message's headers as sent. ClientID is empty in replies.
type Headers struct {
	ClientID  string // the vendor's API key
	Timestamp string // Unix time in milliseconds
	RequestID string // UUID: the operation's identity
	IV        string // base64 of IVSize bytes
	Tag       string // base64 of TagSize bytes
	Checksum  string // lower-case hex
}

// ReadRequest reads a request's headers and checks their form. values returns all
// values of a header as sent. The error names the first header that is wrong, and never
// its value.
func ReadRequest(values func(name string) []string) (h Headers, err error) {
	for _, header := range []struct {
		name string
		to   *string
	}{
		{HeaderClientID, &h.ClientID}, {HeaderTimestamp, &h.Timestamp}, {HeaderRequestID, &h.RequestID},
		{HeaderIV, &h.IV}, {HeaderTag, &h.Tag}, {HeaderChecksum, &h.Checksum},
	} {
		sent := values(header.name)
		if len(sent) != 1 {
			return h, errors.New(header.name + ": must be sent exactly once")
		}
		*header.to = sent[0]
	}
	return h, h.Request()
}

// Request checks the form of a request's headers. The error names the first header
// that is wrong, and never its value.
func (h Headers) Request() error {
	if !visible(h.ClientID) || len(h.ClientID) > MaxClientID {
		return fmt.Errorf("%s: must be 1 to %d visible ASCII characters", HeaderClientID, MaxClientID)
	}
	return h.common()
}

// Reply checks the form of a reply's headers. The error names the first header that
// is wrong, and never its value.
func (h Headers) Reply() error {
	if h.ClientID != "" {
		return errors.New(HeaderClientID + ": replies have none")
	}
	return h.common()
}

func (h Headers) common() error {
	if _, err := h.Time(); err != nil {
		return err
	}
	if !isUUID(h.RequestID) {
		return errors.New(HeaderRequestID + ": must be a UUID in lower case")
	}
	var iv [IVSize]byte
	if !decodeInto(iv[:], h.IV) {
		return fmt.Errorf("%s: must be %d bytes in padded base64 of the standard alphabet", HeaderIV, IVSize)
	}
	var tag [TagSize]byte
	if !decodeInto(tag[:], h.Tag) {
		return fmt.Errorf("%s: must be %d bytes in padded base64 of the standard alphabet", HeaderTag, TagSize)
	}
	if len(h.Checksum) != checksumSize || !lowerHex(h.Checksum) {
		return fmt.Errorf("%s: must be %d lower-case hex characters", HeaderChecksum, checksumSize)
	}
	return nil
}

// Time reads the timestamp: decimal digits, without sign or leading zeros. The
// error names the header, and never its value.
func (h Headers) Time() (time.Time, error) {
	t := h.Timestamp
	ok := t != "" && len(t) <= maxTimestamp && (t[0] != '0' || t == "0")
	for i := range len(t) {
		ok = ok && t[i] >= '0' && t[i] <= '9'
	}
	ms, err := strconv.ParseInt(t, 10, 64)
	if !ok || err != nil {
		return time.Time{}, errors.New(HeaderTimestamp + ": must be Unix time in milliseconds, in decimal digits without leading zeros")
	}
	return time.UnixMilli(ms), nil
}

var strictBase64 = base64.StdEncoding.Strict()

// visible reports whether a text is not empty and has visible ASCII only.
func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != ""
}

func lowerHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// isUUID accepts every version of UUID, written in lower case.
func isUUID(s string) bool {
	if len(s) != uuidSize || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return false
	}
	return lowerHex(s[:8]) && lowerHex(s[9:13]) && lowerHex(s[14:18]) && lowerHex(s[19:23]) && lowerHex(s[24:])
}

// decodeInto is decodeTo for a value of known size.
func decodeInto(out []byte, s string) bool {
	if len(s) != base64.StdEncoding.EncodedLen(len(out)) {
		return false
	}
	var buffer [24]byte // the longest is a tag: 24 characters, at most 18 bytes
	n, ok := decodeTo(buffer[:], []byte(s))
	if !ok || n != len(out) {
		return false
	}
	copy(out, buffer[:n])
	return true
}

// decodeTo reads base64 only as it would be written again: padded, standard alphabet, no
// bits beyond the last byte, no line breaks, which the decoder of the standard library skips
// even if it is strict. out has DecodedLen bytes.
func decodeTo(out, s []byte) (int, bool) {
	if bytes.IndexByte(s, '\n') >= 0 || bytes.IndexByte(s, '\r') >= 0 {
		return 0, false
	}
	n, err := strictBase64.Decode(out, s)
	return n, err == nil
}
