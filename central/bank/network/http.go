package network

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"slices"
	"strconv"

	"galla/shared/secret"
)

// The protocol's three routes; all are POST.
const (
	PathTransactions  = "/v1/transactions"
	PathConsultations = "/v1/consultations" // kinds that Consult; the body is a Transaction
	PathEnquiries     = "/v1/enquiries"
)

// HeaderChecksum has the checksum of a request and of a reply, 64
// lower-case hex digits.
const HeaderChecksum = "X-Checksum"

// ContentType of every body.
const ContentType = "application/json"

// Checksums makes the checksums of one shared key. It is safe for concurrent use.
type Checksums struct{ mac *secret.MAC }

// NewChecksums makes checksums under a key.
func NewChecksums(key secret.Key) Checksums { return Checksums{secret.NewMAC(key)} }

// AppendRequest appends the checksum of a request: HMAC-SHA-256 over the word
// request, method, path and body, each of the first three followed by a line feed.
func (c Checksums) AppendRequest(dst []byte, method, path string, body []byte) []byte {
	sum := c.mac.Sum(func(h hash.Hash) {
		_, _ = io.WriteString(h, "request\n") // a hash does not fail
		_, _ = io.WriteString(h, method)
		_, _ = io.WriteString(h, "\n")
		_, _ = io.WriteString(h, path)
		_, _ = io.WriteString(h, "\n")
		_, _ = h.Write(body)
	})
	return hex.AppendEncode(dst, sum[:])
}

// AppendReply appends the checksum of a reply: HMAC-SHA-256 over the word reply, the
// HTTP status, the request's reference and the body, each of the first three
// followed by a line feed. A reply therefore passes for one reference only, and
// never for a request. The reference is empty where the request was unreadable.
func (c Checksums) AppendReply(dst []byte, status int, reference string, body []byte) []byte {
	sum := c.mac.Sum(func(h hash.Hash) {
		_, _ = io.WriteString(h, "reply\n")
		_, _ = io.WriteString(h, strconv.Itoa(status))
		_, _ = io.WriteString(h, "\n")
		_, _ = io.WriteString(h, reference)
		_, _ = io.WriteString(h, "\n")
		_, _ = h.Write(body)
	})
	return hex.AppendEncode(dst, sum[:])
}

// AppendNotification appends the checksum of a notification, which the network sends:
// HMAC-SHA-256 over the word notification, path and body, each of the first two followed
// by a line feed. It never passes for a request or a reply. The reply to it has
// AppendReply's, with the payment's id as the reference.
func (c Checksums) AppendNotification(dst []byte, path string, body []byte) []byte {
	sum := c.mac.Sum(func(h hash.Hash) {
		_, _ = io.WriteString(h, "notification\n")
		_, _ = io.WriteString(h, path)
		_, _ = io.WriteString(h, "\n")
		_, _ = h.Write(body)
	})
	return hex.AppendEncode(dst, sum[:])
}

// IsNotification tells whether a checksum is the one of a notification, in constant time.
func (c Checksums) IsNotification(sum, path string, body []byte) bool {
	var want [checksumLength]byte
	return SameChecksum(sum, string(c.AppendNotification(want[:0], path, body)))
}

// checksumLength is the length of a checksum in bytes.
const checksumLength = 2 * sha256.Size

// IsReply tells whether a checksum is the one of a reply, in constant time.
func (c Checksums) IsReply(sum string, status int, reference string, body []byte) bool {
	var want [checksumLength]byte
	return SameChecksum(sum, string(c.AppendReply(want[:0], status, reference, body)))
}

// IsRequest tells whether a checksum is the one of a request, in constant time.
func (c Checksums) IsRequest(sum, method, path string, body []byte) bool {
	var want [checksumLength]byte
	return SameChecksum(sum, string(c.AppendRequest(want[:0], method, path, body)))
}

// RequestChecksum is Checksums.AppendRequest with a key that is used once.
func RequestChecksum(key secret.Key, method, path string, body []byte) string {
	return string(NewChecksums(key).AppendRequest(nil, method, path, body))
}

// ReplyChecksum is Checksums.AppendReply with a key that is used once.
func ReplyChecksum(key secret.Key, status int, reference string, body []byte) string {
	return string(NewChecksums(key).AppendReply(nil, status, reference, body))
}

// SameChecksum compares two checksums in constant time.
func SameChecksum(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// ErrTooLarge says that a body is longer than its limit.
var ErrTooLarge = errors.New("body is too large")

// ReadBody reads a body of at most max bytes; a longer one is ErrTooLarge.
func ReadBody(r io.Reader, max int) ([]byte, error) { return AppendBody(nil, r, max) }

// AppendBody is ReadBody into a buffer of the caller, which it may replace by a
// larger one. What it returns is for the next call, too, after an error as well.
func AppendBody(b []byte, r io.Reader, max int) ([]byte, error) {
	for start := len(b); ; {
		if len(b) == cap(b) {
			b = slices.Grow(b, minBody)
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b)-start > max:
			return b, ErrTooLarge
		case err == io.EOF: //nolint:errorlint // as io.Reader promises it
			return b, nil
		case err != nil:
			return b, err
		}
	}
}

// minBody is the first size of a body's buffer: an AEPS reply has 300 bytes.
const minBody = 1 << 10

// NetworkAddr is the default address of the network: the
// host of the sandbox bank's public address, one port above it.
func NetworkAddr(public string) (string, error) {
	host, port, err := net.SplitHostPort(public)
	if err != nil {
		return "", fmt.Errorf("address %q: must be host:port", public)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || n == 65535 {
		return "", fmt.Errorf("address %q: the port must be a number from 1 to 65534, the network listens one above it", public)
	}
	return net.JoinHostPort(host, strconv.FormatUint(n+1, 10)), nil
}
