package callback

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"galla/shared/op"
	"galla/shared/secret"
)

// Headers of Standard Webhooks.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
)

// secretPrefix begins a secret as people are shown it; the rest is base64.
const secretPrefix = "whsec_"

// Sizes of a secret in bytes: ours, and what the specification allows.
const (
	secretSize    = 32
	minSecretSize = 24
	maxSecretSize = 64
)

// MessageID is the webhook-id of an operation's callback: the same with every
// attempt and every replay. It has no full stop, which parts what is signed.
func MessageID(id op.ID) string { return "evt_" + string(id) }

// signature is the webhook-signature of a message: one for each secret,
// separated by spaces.
func signature(secrets []secret.Key, id string, at time.Time, body []byte) string {
	list := make([]string, len(secrets))
	for i, key := range secrets {
		mac := hmac.New(sha256.New, key.Reveal())
		mac.Write([]byte(id + "." + timestamp(at) + "."))
		mac.Write(body)
		list[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(list, " ")
}

// timestamp is the moment of an attempt, in seconds since 1970.
func timestamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

// formatSecret writes a secret for people.
func formatSecret(key secret.Key) secret.Token {
	return secret.NewToken(secretPrefix + base64.StdEncoding.EncodeToString(key.Reveal()))
}

// ParseSecret reads a secret as people have it. The error quotes nothing.
func ParseSecret(text string) (secret.Key, error) {
	rest, ok := strings.CutPrefix(text, secretPrefix)
	if !ok {
		return secret.Key{}, errors.New("a callback secret begins with " + secretPrefix)
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(rest)
	if err != nil || strings.ContainsAny(rest, "\r\n") || len(raw) < minSecretSize || len(raw) > maxSecretSize {
		return secret.Key{}, fmt.Errorf("a callback secret is %s and %d to %d bytes in base64", secretPrefix, minSecretSize, maxSecretSize)
	}
	return secret.NewKey(raw), nil
}
