package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
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

// secretPrefix begins a secret as people see it; the rest is base64.
const secretPrefix = "whsec_"

// secretSize is the size of a secret, in bytes; the specification allows 24 to 64.
const secretSize = 32

// MessageID is the webhook-id of an operation's callback, the same at every attempt and
// replay. It has no full stop, which separates the parts that are signed.
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

// timestamp formats the time of an attempt as Unix seconds.
func timestamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

// formatSecret formats a secret for people.
func formatSecret(key secret.Key) secret.Token {
	return secret.NewToken(secretPrefix + base64.StdEncoding.EncodeToString(key.Reveal()))
}
