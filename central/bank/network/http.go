package network

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
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

// RequestChecksum is HMAC-SHA-256 under the shared key over the word request,
// method, path and body, each of the first three followed by a line feed.
func RequestChecksum(key secret.Key, method, path string, body []byte) string {
	return checksum(key, "request\n"+method+"\n"+path+"\n", body)
}

// ReplyChecksum is HMAC-SHA-256 under the shared key over the word reply, the
// HTTP status, the request's reference and the body, each of the first three
// followed by a line feed. A reply therefore passes for one reference only, and
// never for a request. The reference is empty where the request was unreadable.
func ReplyChecksum(key secret.Key, status int, reference string, body []byte) string {
	return checksum(key, "reply\n"+strconv.Itoa(status)+"\n"+reference+"\n", body)
}

func checksum(key secret.Key, head string, body []byte) string {
	mac := hmac.New(sha256.New, key.Reveal())
	_, _ = io.WriteString(mac, head) // a hash does not fail
	_, _ = mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// SameChecksum compares two checksums in constant time.
func SameChecksum(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// ErrTooLarge says that a body is longer than its limit.
var ErrTooLarge = errors.New("body is too large")

// ReadBody reads a body of at most max bytes; a longer one is ErrTooLarge.
func ReadBody(r io.Reader, max int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, int64(max)+1))
	if err != nil {
		return nil, err
	}
	if len(b) > max {
		return nil, ErrTooLarge
	}
	return b, nil
}

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
