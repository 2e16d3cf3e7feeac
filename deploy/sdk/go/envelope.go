package galla

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The sizes of the envelope's parts, in bytes.
const (
	keySize = 32
	ivSize  = 12
	tagSize = 16
)

// Key is a vendor's encryption key. Nothing prints it.
type Key struct{ secret []byte }

// Format writes nothing of the key, for every verb.
func (Key) Format(f fmt.State, _ rune) { writeName(f, "Key") }

// ParseKey reads a key: 64 hex or 44 base64 characters. The error never shows it.
func ParseKey(text string) (Key, error) {
	if len(text) == hex.EncodedLen(keySize) {
		if b, err := hex.DecodeString(text); err == nil {
			return Key{b}, nil
		}
	}
	if b, err := decodeBase64(text); err == nil && len(b) == keySize {
		return Key{b}, nil
	}
	return Key{}, errors.New("a key is 32 bytes: 64 hex or 44 base64 characters")
}

// Sealed is a message of the gateway, without its method and path. In a reply ClientID is
// empty.
type Sealed struct {
	ClientID, RequestID, Timestamp, IV, Tag, Payload, Checksum string
}

// SealRequest seals the text of a JSON object. iv is 12 random bytes, new for every message;
// timestamp is Unix time in milliseconds. A retry has the same requestID and json.
func (k Key) SealRequest(method, path, clientID, requestID, timestamp string, iv, json []byte) (Sealed, error) {
	m := Sealed{ClientID: clientID, RequestID: requestID, Timestamp: timestamp}
	if err := k.encrypt(&m, iv, json); err != nil {
		return Sealed{}, err
	}
	m.Checksum = k.checksum("galla-v1", method, path, m.ClientID, m.Timestamp, m.RequestID, m.IV, m.Tag, m.Payload)
	return m, nil
}

// OpenReply opens a reply with its HTTP status. Nothing is decrypted before the checksum is
// right.
func (k Key) OpenReply(status int, m Sealed) ([]byte, error) {
	want := k.checksum("galla-v1-response", strconv.Itoa(status), m.RequestID, m.Timestamp, m.IV, m.Tag, m.Payload)
	if !hmac.Equal([]byte(want), []byte(m.Checksum)) {
		return nil, errors.New("the checksum is wrong")
	}
	return k.decrypt(m)
}

// checksum is the HMAC over lines, under a key of its own, in lower-case hex.
func (k Key) checksum(lines ...string) string {
	derived := hmac.New(sha256.New, k.secret)
	derived.Write([]byte("galla/gateway/checksum/v1"))
	sum := hmac.New(sha256.New, derived.Sum(nil))
	sum.Write([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum.Sum(nil))
}

func (k Key) gcm() (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.secret)
	if err != nil {
		return nil, errors.New("the key has not 32 bytes")
	}
	return cipher.NewGCM(block)
}

// encrypt fills in what encryption gives. The tag travels in its own header: it is not part
// of the payload.
func (k Key) encrypt(m *Sealed, iv, json []byte) error {
	aead, err := k.gcm()
	if err != nil {
		return err
	}
	if len(iv) != ivSize {
		return errors.New("an IV has 12 bytes")
	}
	sealed := aead.Seal(nil, iv, json, nil)
	cut := len(sealed) - tagSize
	m.IV, m.Tag, m.Payload = encodeBase64(iv), encodeBase64(sealed[cut:]), encodeBase64(sealed[:cut])
	return nil
}

func (k Key) decrypt(m Sealed) ([]byte, error) {
	iv, err1 := decodeBase64(m.IV)
	tag, err2 := decodeBase64(m.Tag)
	payload, err3 := decodeBase64(m.Payload)
	if err := errors.Join(err1, err2, err3); err != nil || len(iv) != ivSize || len(tag) != tagSize {
		return nil, errors.New("X-IV must have 12 bytes and X-Tag 16, in padded base64")
	}
	aead, err := k.gcm()
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, iv, append(payload, tag...), nil)
	if err != nil {
		return nil, errors.New("the payload does not decrypt")
	}
	return plain, nil
}

func encodeBase64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// decodeBase64 takes the one way to write bytes only: padded, standard alphabet.
func decodeBase64(text string) ([]byte, error) {
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || encodeBase64(b) != text {
		return nil, errors.New("no padded base64 of the standard alphabet")
	}
	return b, nil
}
