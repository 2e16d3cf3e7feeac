package partner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"galla/shared/envelope"
	"galla/shared/secret"
)

// maxAge is how far a request's time may be from the double's clock
// (gateway.md).
const maxAge = 300 * time.Second

// DoubleConfig says what a Double knows and answers.
type DoubleConfig struct {
	ClientID string
	Key      secret.Key
	Rand     io.Reader        // gives IVs: crypto/rand's Reader
	Now      func() time.Time // by default time.Now
	// Answer gives the reply to an authentic request: the HTTP status and the
	// JSON of the direct route. It runs once for each X-Request-Id.
	Answer func(method, route string, body []byte) (int, []byte)
}

// Double plays the gateway in a partner's tests: put it behind net/http/httptest
// and point a client at it, in any language. It checks what the gateway checks
// of a message, in the same order, and answers a repeat of X-Request-Id with
// the stored reply. It knows one API key, no routes, roles or merchants, and
// keeps what it saw in memory: it is for tests, and nothing else.
type Double struct {
	cfg DoubleConfig
	key *envelope.Key

	mu      sync.Mutex
	ivs     map[string]bool
	replies map[string]stored // by X-Request-Id
	refused error
}

type stored struct {
	route  string
	body   []byte
	status int
	reply  []byte
}

// NewDouble makes a double.
func NewDouble(cfg DoubleConfig) (*Double, error) {
	if cfg.ClientID == "" || cfg.Rand == nil || cfg.Answer == nil {
		return nil, errors.New("double of the gateway: client id, randomness and answer must be given")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	key, err := envelope.New(cfg.Key)
	if err != nil {
		return nil, err
	}
	return &Double{cfg: cfg, key: key, ivs: map[string]bool{}, replies: map[string]stored{}}, nil
}

// Refused says why the last plain 401 was given; nil if the last request was
// authentic. The gateway never says that.
func (d *Double) Refused() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.refused
}

// ServeHTTP answers one message.
func (d *Double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, plain, err := d.open(r)
	if d.refused = err; err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"statusCode":"03","message":"Not authenticated"}`)
		return
	}
	status, reply := d.answer(r, id, plain)
	h, body, err := d.key.SealReply(status, id, d.cfg.Now(), reply, d.cfg.Rand)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for name, value := range map[string]string{
		envelope.HeaderTimestamp: h.Timestamp, envelope.HeaderRequestID: h.RequestID, envelope.HeaderIV: h.IV,
		envelope.HeaderTag: h.Tag, envelope.HeaderChecksum: h.Checksum, "Content-Type": "application/json",
	} {
		w.Header().Set(name, value)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// answer runs an operation once, and repeats its reply.
func (d *Double) answer(r *http.Request, id string, plain []byte) (int, []byte) {
	route := r.Method + " " + r.RequestURI
	if s, ok := d.replies[id]; ok {
		if s.route != route || !bytes.Equal(s.body, plain) {
			return http.StatusConflict, []byte(`{"statusCode":"09","message":"The same identity was used before with another body or route; nothing was done"}`)
		}
		return s.status, s.reply
	}
	var object map[string]json.RawMessage
	switch {
	case len(plain) > envelope.MaxPlain:
		return http.StatusRequestEntityTooLarge, []byte(`{"statusCode":"06","message":"The body is over the limit of 1 MiB"}`)
	case json.Unmarshal(plain, &object) != nil || object == nil:
		return http.StatusBadRequest, []byte(`{"statusCode":"02","message":"Invalid request","data":{"errors":[{"field":"body","rule":"object","message":"must be one JSON object"}]}}`)
	}
	status, reply := d.cfg.Answer(r.Method, strings.TrimPrefix(r.RequestURI, prefix), plain)
	d.replies[id] = stored{route, plain, status, reply}
	return status, reply
}

// open makes the checks of a message in the gateway's order.
func (d *Double) open(r *http.Request) (id string, plain []byte, err error) {
	h, err := requestHeaders(r.Header)
	if err != nil {
		return "", nil, err
	}
	if r.Header.Get("Content-Encoding") != "" {
		return "", nil, errors.New("there must be no Content-Encoding")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, envelope.MaxBody+1))
	if err != nil || len(body) > envelope.MaxBody {
		return "", nil, errors.Join(fmt.Errorf("the body must have at most %d bytes", envelope.MaxBody), err)
	}
	payload, err := envelope.Payload(body)
	if err != nil {
		return "", nil, err
	}
	if h.ClientID != d.cfg.ClientID {
		return "", nil, errors.New("X-Client-Id is unknown")
	}
	if !d.key.SignsRequest(r.Method, r.RequestURI, h, payload) {
		return "", nil, errors.New("X-Checksum is wrong")
	}
	at, err := h.Time()
	if age := d.cfg.Now().Sub(at); err != nil || age.Abs() > maxAge {
		return "", nil, fmt.Errorf("X-Timestamp is %s from the clock", age.Abs().Round(time.Second))
	}
	if d.ivs[h.IV] {
		return "", nil, errors.New("X-IV was used before")
	}
	d.ivs[h.IV] = true
	if plain, err = d.key.Decrypt(h, payload); err != nil {
		return "", nil, err
	}
	return h.RequestID, plain, nil
}

func requestHeaders(header http.Header) (h envelope.Headers, err error) {
	for _, part := range []struct {
		name string
		to   *string
	}{
		{envelope.HeaderClientID, &h.ClientID}, {envelope.HeaderTimestamp, &h.Timestamp}, {envelope.HeaderRequestID, &h.RequestID},
		{envelope.HeaderIV, &h.IV}, {envelope.HeaderTag, &h.Tag}, {envelope.HeaderChecksum, &h.Checksum},
	} {
		values := header.Values(part.name)
		if len(values) != 1 {
			return h, fmt.Errorf("%s stands %d times in the request", part.name, len(values))
		}
		*part.to = values[0]
	}
	return h, h.Request()
}
