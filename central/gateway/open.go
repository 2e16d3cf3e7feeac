package gateway

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"galla/central"
	"galla/shared/envelope"
	"galla/shared/op"
)

// Bounds of a message.
const (
	// maxTarget bounds path and query together; the door's headers are bounded
	// as a whole.
	maxTarget = 4 << 10
	// window is how far a message's time may be from this clock.
	window = 300 * time.Second
	// replayMargin is how long a message is remembered after its time ran out,
	// for nodes whose clocks differ.
	replayMargin = 60 * time.Second
)

// headerEncoding must not be sent; what Content-Type says counts for nothing.
const headerEncoding = "Content-Encoding"

// refusal is why a message is not authentic. Only its cause leaves, into the
// log and a counter.
type refusal struct {
	cause Cause
	why   string // for Explain; holds no value of the message
}

func (r *refusal) Error() string { return string(r.cause) + ": " + r.why }

func refused(cause Cause, why string) error { return &refusal{cause, why} }

// session is one message on its way.
type session struct {
	g       *Gateway
	m       central.GatewayMessage
	h       envelope.Headers
	payload string
	at      time.Time  // the message's, by its sender's clock
	known   *vendorKey // nil: unknown
	proven  bool       // the sender has the key, at this moment
	release func()     // of the vendor's share; nil: none taken
}

func (s *session) leave() {
	if s.release != nil {
		s.release()
		s.release = nil
	}
}

// serve takes a message through the checks to the dispatcher.
func (s *session) serve(ctx context.Context) (central.Reply, error) {
	if err := s.authenticate(ctx); err != nil {
		return central.Reply{}, err
	}
	if s.g.spent.holds(s.known.id, s.iv(), s.g.now()) {
		return central.Reply{}, replayed()
	}
	s.proven = true
	cancel, err := s.admit(ctx)
	if err != nil {
		return central.Reply{}, err
	}
	if err = s.spend(ctx); err == nil {
		err = s.still(ctx)
	}
	if err != nil {
		var not *refusal
		if s.proven = !errors.As(err, &not); !s.proven {
			cancel()
		}
		return central.Reply{}, err
	}
	path, query, _ := strings.Cut(s.m.Target, "?")
	route, sent, lost := s.g.routes.find(s.m.Method, path)
	if lost == nil && (route.Doors&op.Gateway == 0 || !route.Allows(op.Vendor)) {
		return central.Reply{}, central.Refuse(central.AccessDenied, "")
	}
	plain, err := s.open()
	if err != nil {
		s.proven = false
		return central.Reply{}, err
	}
	s.known.used.Store(s.g.now().UnixMilli())
	if lost != nil {
		return central.Reply{}, lost
	}
	params, err := unescaped(sent)
	if err != nil {
		return central.Reply{}, err
	}
	fields, err := readQuery(query)
	if err != nil {
		return central.Reply{}, err
	}
	if len(bytes.TrimLeft(plain, " \t\r\n")) == 0 {
		return central.Reply{}, invalid("body", "object", "must be one JSON object; {} where the route has no fields")
	}
	return s.g.dispatcher.Dispatch(ctx, central.Call{
		Principal: central.Principal{Role: op.Vendor, Vendor: s.known.vendor},
		Route:     route, Params: params, Query: fields, Body: plain,
		RequestID: s.h.RequestID, Identity: s.h.RequestID,
	}), nil
}

// authenticate makes the checks 1 to 4.
func (s *session) authenticate(ctx context.Context) error {
	if err := s.read(); err != nil {
		return err
	}
	key, known, err := s.g.ring.find(ctx, s.h.ClientID)
	if err != nil {
		return fmt.Errorf("read vendors' keys: %w", err)
	}
	// The unknown are checked like the known, with a key that nobody has.
	signed := key.key.SignsRequest(s.m.Method, s.m.Target, s.h, s.payload)
	if !known {
		return refused(CauseClient, "no live key belongs to this "+envelope.HeaderClientID)
	}
	s.known = key
	if !signed {
		return refused(CauseChecksum, envelope.HeaderChecksum+" is not the HMAC of the text under the key's checksum key")
	}
	if off := s.g.now().Sub(s.at); off > window || off < -window {
		return refused(CauseTime, fmt.Sprintf("%s is more than %g s from the central's clock", envelope.HeaderTimestamp, window.Seconds()))
	}
	return nil
}

// read makes check 1: what the message consists of, before any of it counts.
func (s *session) read() error {
	if s.m.Malformed != "" {
		return refused(CauseHTTP, s.m.Malformed)
	}
	if len(s.m.Target) > maxTarget {
		return refused(CauseForm, fmt.Sprintf("the path has more than %d bytes", maxTarget))
	}
	if len(s.m.Body) > envelope.MaxBody {
		return refused(CauseForm, fmt.Sprintf("the body has more than %d bytes", envelope.MaxBody))
	}
	if len(s.m.Header(headerEncoding)) > 0 {
		return refused(CauseForm, headerEncoding+": must not be sent, bodies are plain")
	}
	for _, header := range []struct {
		name string
		to   *string
	}{
		{envelope.HeaderClientID, &s.h.ClientID}, {envelope.HeaderTimestamp, &s.h.Timestamp},
		{envelope.HeaderRequestID, &s.h.RequestID}, {envelope.HeaderIV, &s.h.IV}, {envelope.HeaderTag, &s.h.Tag},
		{envelope.HeaderChecksum, &s.h.Checksum},
	} {
		values := s.m.Header(header.name)
		if len(values) != 1 {
			return refused(CauseForm, header.name+": must be sent exactly once")
		}
		*header.to = values[0]
	}
	if err := s.h.Request(); err != nil {
		return refused(CauseForm, err.Error())
	}
	var err error
	if s.at, err = s.h.Time(); err != nil {
		return refused(CauseForm, err.Error())
	}
	if s.payload, err = envelope.Payload(s.m.Body); err != nil {
		return refused(CauseForm, err.Error())
	}
	return nil
}

// admit holds the vendor to its limits. What it gives takes the message off the
// vendor's account again.
func (s *session) admit(ctx context.Context) (cancel func(), err error) {
	s.release, cancel, err = s.g.vendors.enter(ctx, s.known.vendor)
	if err != nil && central.AsError(err).Fault == central.TooMany {
		s.g.counts.limited.Add(1)
	}
	return cancel, err
}

// usesOfMessage: a request, and the reply that is sealed under the same key.
const usesOfMessage = 2

// spend makes check 5, and counts the key's uses.
func (s *session) spend(ctx context.Context) error {
	until := s.at.Add(window + replayMargin)
	err := s.g.store.SpendIV(ctx, s.known.id, s.iv(), s.g.now(), until)
	if taken := errors.Is(err, central.ErrTaken); taken || err == nil {
		s.g.spent.add(s.known.id, s.iv(), until)
		if taken {
			return replayed()
		}
	}
	if err != nil {
		return inStore(err)
	}
	err = s.known.meter.take(ctx, s.g.store, usesOfMessage, s.g.log)
	if errors.Is(err, central.ErrState) {
		return refused(CauseWorn, "the key was used for as many messages as random IVs allow, or was revoked a moment ago")
	}
	return inStore(err)
}

// still makes check 2 again. Between the two a message waits for its turn and for the
// database, longer than a key that is revoked may serve.
func (s *session) still(ctx context.Context) error {
	key, known, err := s.g.ring.find(ctx, s.h.ClientID)
	if err != nil {
		return fmt.Errorf("read vendors' keys: %w", err)
	}
	if !known || key.id != s.known.id {
		return refused(CauseClient, "the key was revoked while the message waited")
	}
	s.known = key // which may have been sealed anew
	return nil
}

func replayed() error {
	return refused(CauseReplay, "a message with this "+envelope.HeaderIV+" was accepted before")
}

// iv gives the bytes of a header whose form was checked.
func (s *session) iv() (iv central.IV) {
	raw, _ := base64.StdEncoding.DecodeString(s.h.IV)
	copy(iv[:], raw)
	return iv
}

// inStore says what a failure of the store means to the vendor: nothing was
// done, and the same call may be sent again as a new message.
func inStore(err error) error {
	if errors.Is(err, central.ErrBusy) {
		return &central.Error{Fault: central.TooMany, Message: "Too many calls; try again later", RetryAfter: time.Second, Err: err}
	}
	return err
}

// open makes check 6. What the plaintext must be, the dispatcher says.
func (s *session) open() ([]byte, error) {
	plain, err := s.known.key.Decrypt(s.h, s.payload)
	if err != nil {
		return nil, refused(CauseDecryption, "the payload does not decrypt under the key, IV and tag")
	}
	return plain, nil
}

// readQuery reads the query as the direct routes do: a name that stands twice
// is refused, since its readers would not agree on the value.
func readQuery(query string) (map[string]string, error) {
	values, err := url.ParseQuery(query)
	fields := make(map[string]string, len(values))
	for name, all := range values {
		if len(all) > 1 {
			return nil, invalid("query", "once", "must not contain the same name twice")
		}
		if err == nil && !(utf8.ValidString(name) && utf8.ValidString(all[0])) {
			err = errors.New("it is not UTF-8")
		}
		fields[name] = all[0]
	}
	if err != nil {
		return nil, invalid("query", "form", "must be well-formed and in UTF-8")
	}
	return fields, nil
}

func invalid(field, rule, message string) error {
	return &central.Error{Fault: central.Invalid, Message: "Invalid request",
		Fields: []central.FieldError{{Field: field, Rule: rule, Message: message}}}
}
