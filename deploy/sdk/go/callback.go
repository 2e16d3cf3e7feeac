package galla

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how far a callback's time may be from the clock, where a Verifier says
// nothing else.
const Tolerance = 5 * time.Minute

// The reasons why a callback must not be believed.
var (
	ErrMissingHeader = errors.New("webhook-id, webhook-timestamp or webhook-signature is missing")
	ErrBadTimestamp  = errors.New("webhook-timestamp is no time in seconds")
	ErrTooOld        = errors.New("webhook-timestamp is too far from now: an old message, or a wrong clock")
	ErrBadSignature  = errors.New("no signature is that of the body under a secret given")
	ErrBadBody       = errors.New("the body is no event")
)

// Event is a pending operation that ended.
type Event struct {
	WebhookID string            `json:"-"` // the same at each delivery: remember it
	Type      string            `json:"type"`
	Timestamp time.Time         `json:"timestamp"`
	Data      FinishedOperation `json:"data"`
}

// Verifier verifies callbacks, as Standard Webhooks has them.
type Verifier struct {
	secrets [][]byte
	// Tolerance and Now are for tests and for clocks that are far off.
	Tolerance time.Duration
	Now       func() time.Time
}

// NewVerifier takes the secret, whsec_…, or two while it is changed. The error never shows one.
func NewVerifier(secrets ...string) (*Verifier, error) {
	v := &Verifier{Tolerance: Tolerance, Now: time.Now}
	if len(secrets) == 0 {
		return nil, errors.New("a callback is verified with at least one secret")
	}
	for _, text := range secrets {
		b, err := decodeBase64(strings.TrimPrefix(text, "whsec_"))
		if err != nil || !strings.HasPrefix(text, "whsec_") || len(b) < 24 || len(b) > 64 {
			return nil, errors.New("a callback secret is whsec_ and the base64 of 24 to 64 bytes")
		}
		v.secrets = append(v.secrets, b)
	}
	return v, nil
}

// Format writes nothing of the secrets, for every verb.
func (*Verifier) Format(f fmt.State, _ rune) { writeName(f, "Verifier") }

// Verify gives the event of a callback. body is the body as it arrived, not parsed and
// written again. After ErrMissingHeader, ErrBadTimestamp, ErrTooOld, ErrBadSignature or
// ErrBadBody the answer is 401, and nothing is done.
func (v *Verifier) Verify(header http.Header, body []byte) (Event, error) {
	id, at := header.Get("webhook-id"), header.Get("webhook-timestamp")
	given := strings.Join(header.Values("webhook-signature"), " ")
	if id == "" || at == "" || given == "" {
		return Event{}, ErrMissingHeader
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || seconds < 0 || len(at) > 12 {
		return Event{}, ErrBadTimestamp
	}
	genuine := false
	for _, secret := range v.secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(id + "." + at + "."))
		mac.Write(body)
		want := []byte("v1," + encodeBase64(mac.Sum(nil)))
		for _, one := range strings.Fields(given) {
			genuine = hmac.Equal([]byte(one), want) || genuine
		}
	}
	if !genuine {
		return Event{}, ErrBadSignature
	}
	if off := v.Now().Sub(time.Unix(seconds, 0)); off > v.Tolerance || off < -v.Tolerance {
		return Event{}, ErrTooOld
	}
	var whole struct {
		Type      string          `json:"type"`
		Timestamp time.Time       `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}
	if json.Unmarshal(body, &whole) != nil || whole.Type == "" || len(whole.Data) == 0 || whole.Data[0] != '{' {
		return Event{}, ErrBadBody
	}
	e := Event{WebhookID: id, Type: whole.Type, Timestamp: whole.Timestamp}
	if json.Unmarshal(whole.Data, &e.Data) != nil {
		return Event{}, ErrBadBody
	}
	return e, nil
}
