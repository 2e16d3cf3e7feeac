package envelope

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// First lines of the text that a checksum covers.
const (
	requestLine = "galla-v1"
	replyLine   = "galla-v1-response"
)

// Limits of the gateway, in bytes.
const (
	// MaxPlain limits a request's JSON, as in a direct route.
	MaxPlain = 1 << 20
	// MaxBody limits a request's body: base64 of MaxPlain, and twice as much again,
	// so that a message that is too long gets a sealed reply.
	MaxBody = 4 << 20
)

// ErrDecrypt says that a payload is no ciphertext under this key, IV and tag. It
// says no more on purpose.
var ErrDecrypt = errors.New("the payload does not decrypt")

// RequestText is the text that a request's checksum covers. The path is as sent, with
// its ?query; the payload is the base64 text.
func RequestText(method, path string, h Headers, payload []byte) string {
	return string(appendRequestLines(nil, method, path, h)) + string(payload)
}

// appendRequestLines appends the lines before the payload.
func appendRequestLines(to []byte, method, path string, h Headers) []byte {
	return appendLines(to, requestLine, method, path, h.ClientID, h.Timestamp, h.RequestID, h.IV, h.Tag)
}

// ReplyText is the text that a reply's checksum covers.
func ReplyText(status int, h Headers, payload []byte) string {
	return string(appendReplyLines(nil, status, h)) + string(payload)
}

// appendReplyLines appends the lines before the payload.
func appendReplyLines(to []byte, status int, h Headers) []byte {
	return appendLines(to, replyLine, strconv.Itoa(status), h.RequestID, h.Timestamp, h.IV, h.Tag)
}

func appendLines(to []byte, lines ...string) []byte {
	for _, line := range lines {
		to = append(append(to, line...), '\n')
	}
	return to
}

// SignsRequest reports whether a request's checksum is right, in constant time. The
// headers must have passed Request.
func (k *Key) SignsRequest(method, path string, h Headers, payload []byte) bool {
	c := k.macs.Get().(*checksum)
	defer k.macs.Put(c)
	c.lines = appendRequestLines(c.lines[:0], method, path, h)
	return c.is(h.Checksum, payload) && visible(method) && visible(path)
}

// SignsReply reports whether a reply's checksum is right, in constant time. The
// headers must have passed Reply.
func (k *Key) SignsReply(status int, h Headers, payload []byte) bool {
	c := k.macs.Get().(*checksum)
	defer k.macs.Put(c)
	c.lines = appendReplyLines(c.lines[:0], status, h)
	return c.is(h.Checksum, payload)
}

// Decrypt opens a payload whose checksum is right. It never panics, whatever the
// lengths. The only error is ErrDecrypt.
func (k *Key) Decrypt(h Headers, payload []byte) ([]byte, error) {
	var iv [IVSize]byte
	var tag [TagSize]byte
	if !decodeInto(iv[:], h.IV) || !decodeInto(tag[:], h.Tag) {
		return nil, ErrDecrypt
	}
	sealed := make([]byte, base64.StdEncoding.DecodedLen(len(payload)), base64.StdEncoding.DecodedLen(len(payload))+TagSize)
	n, ok := decodeTo(sealed, payload)
	if !ok {
		return nil, ErrDecrypt
	}
	sealed = append(sealed[:n], tag[:]...)
	plain, err := k.aead.Open(sealed[:0], iv[:], sealed, nil)
	if err != nil {
		return nil, ErrDecrypt
	}
	return plain, nil
}

// SealRequest makes a request's headers and its body {"payload": "…"}. The path is the
// one that will be sent, with its ?query, and plain is the route's JSON. The IV is
// read from rand, which must be the operating system's for every message that is
// really sent.
func (k *Key) SealRequest(method, path, clientID, requestID string, at time.Time, plain []byte, rand io.Reader) (Headers, []byte, error) {
	if !visible(method) || !visible(path) || path[0] != '/' {
		return Headers{}, nil, errors.New("seal request: method and path must be as sent, in visible ASCII, the path from its first slash")
	}
	h := Headers{ClientID: clientID, RequestID: requestID}
	c := k.macs.Get().(*checksum)
	defer k.macs.Put(c)
	body, err := k.seal(c, &h, at, plain, rand)
	if err != nil {
		return Headers{}, nil, fmt.Errorf("seal request: %w", err)
	}
	c.lines = appendRequestLines(c.lines[:0], method, path, h)
	h.Checksum = string(c.hexOf(payloadIn(body)))
	if err := h.Request(); err != nil {
		return Headers{}, nil, fmt.Errorf("seal request: %w", err)
	}
	return h, body, nil
}

// SealReply makes the headers and the body {"payload": "…"} of the reply to a request.
// The IV is read from rand.
func (k *Key) SealReply(status int, requestID string, at time.Time, plain []byte, rand io.Reader) (Headers, []byte, error) {
	h := Headers{RequestID: requestID}
	c := k.macs.Get().(*checksum)
	defer k.macs.Put(c)
	body, err := k.seal(c, &h, at, plain, rand)
	if err != nil {
		return Headers{}, nil, fmt.Errorf("seal reply: %w", err)
	}
	c.lines = appendReplyLines(c.lines[:0], status, h)
	h.Checksum = string(c.hexOf(payloadIn(body)))
	if err := h.Reply(); err != nil {
		return Headers{}, nil, fmt.Errorf("seal reply: %w", err)
	}
	return h, body, nil
}

const (
	bodyHead = `{"payload":"`
	bodyTail = `"}`
)

// seal encrypts, fills in the headers, and returns the body.
func (k *Key) seal(c *checksum, h *Headers, at time.Time, plain []byte, rand io.Reader) ([]byte, error) {
	var iv [IVSize]byte
	if _, err := io.ReadFull(rand, iv[:]); err != nil {
		return nil, fmt.Errorf("draw IV: %w", err)
	}
	sealed := k.aead.Seal(c.sealed[:0], iv[:], plain, nil)
	if cap(sealed) <= maxSealedBuffer {
		c.sealed = sealed
	}
	h.Timestamp = strconv.FormatInt(at.UnixMilli(), 10)
	h.IV = base64.StdEncoding.EncodeToString(iv[:])
	h.Tag = base64.StdEncoding.EncodeToString(sealed[len(plain):])
	body := make([]byte, 0, len(bodyHead)+base64.StdEncoding.EncodedLen(len(plain))+len(bodyTail))
	body = append(body, bodyHead...)
	body = base64.StdEncoding.AppendEncode(body, sealed[:len(plain)])
	return append(body, bodyTail...), nil
}

// maxSealedBuffer limits what is kept of a long reply, in bytes.
const maxSealedBuffer = 64 << 10

// payloadIn is the payload of a body made by seal.
func payloadIn(body []byte) []byte { return body[len(bodyHead) : len(body)-len(bodyTail)] }
