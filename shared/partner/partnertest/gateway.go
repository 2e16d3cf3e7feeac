// Package partnertest is the gateway in a partner's tests: serve Gateway with
// net/http/httptest and point a client in any language at it.
//
// It makes the gateway's checks of a message, in the same order, and answers a repeat of
// X-Request-Id with the stored reply. It has one API key, no routes, roles or merchants,
// and stores everything in memory: it is for tests only.
package partnertest

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

// prefix begins the gateway's path of a direct route.
const prefix = "/process"

// maxAge is how far a request's time may be from the fake's clock (gateway.md, section
// 5).
const maxAge = 300 * time.Second

// Config sets up a Gateway. ClientID, Key, Rand and Answer are needed.
type Config struct {
	ClientID string
	Key      secret.Key
	Rand     io.Reader        // for IVs: crypto/rand's Reader
	Now      func() time.Time // by default time.Now
	// Answer returns the reply to an authentic request: the HTTP status and the JSON
	// of the direct route. It runs once for each X-Request-Id.
	Answer func(method, route string, body []byte) (int, []byte)
}

// Gateway is the fake gateway.
type Gateway struct {
	cfg Config
	key *envelope.Key

	mu      sync.Mutex
	ivs     map[string]bool
	replies map[string]storedReply // by X-Request-Id
	refused error
}

type storedReply struct {
	route  string
	body   []byte
	status int
	reply  []byte
}

// New makes a Gateway.
func New(cfg Config) (*Gateway, error) {
	if cfg.ClientID == "" || cfg.Rand == nil || cfg.Answer == nil {
		return nil, errors.New("fake gateway: client id, randomness and answer must be given")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	key, err := envelope.New(cfg.Key)
	if err != nil {
		return nil, err
	}
	return &Gateway{cfg: cfg, key: key, ivs: map[string]bool{}, replies: map[string]storedReply{}}, nil
}

// Refused is why the last plain 401 was given; nil if the last request was authentic.
// The real gateway never says that.
func (g *Gateway) Refused() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.refused
}

// ServeHTTP answers one message.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	id, plain, err := g.open(r)
	if g.refused = err; err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"statusCode":"03","message":"Not authenticated"}`)
		return
	}
	status, reply := g.answer(r, id, plain)
	h, body, err := g.key.SealReply(status, id, g.cfg.Now(), reply, g.cfg.Rand)
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
func (g *Gateway) answer(r *http.Request, id string, plain []byte) (int, []byte) {
	route := r.Method + " " + r.RequestURI
	if s, ok := g.replies[id]; ok {
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
	status, reply := g.cfg.Answer(r.Method, strings.TrimPrefix(r.RequestURI, prefix), plain)
	g.replies[id] = storedReply{route, plain, status, reply}
	return status, reply
}

// open makes the checks of a message in the gateway's order.
func (g *Gateway) open(r *http.Request) (id string, plain []byte, err error) {
	h, err := envelope.ReadRequest(r.Header.Values)
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
	if h.ClientID != g.cfg.ClientID {
		return "", nil, errors.New("X-Client-Id is unknown")
	}
	if !g.key.SignsRequest(r.Method, r.RequestURI, h, payload) {
		return "", nil, errors.New("X-Checksum is wrong")
	}
	at, err := h.Time()
	if age := g.cfg.Now().Sub(at); err != nil || age.Abs() > maxAge {
		return "", nil, fmt.Errorf("X-Timestamp is %s from the clock", age.Abs().Round(time.Second))
	}
	if g.ivs[h.IV] {
		return "", nil, errors.New("X-IV was used before")
	}
	g.ivs[h.IV] = true
	if plain, err = g.key.Decrypt(h, payload); err != nil {
		return "", nil, err
	}
	return h.RequestID, plain, nil
}
