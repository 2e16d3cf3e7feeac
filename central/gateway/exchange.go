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

// Limits of a message.
const (
	// maxTarget limits path and query together; httpapi limits the headers as a
	// whole.
	maxTarget = 4 << 10
	// maxClockSkew is how far a message's time may be from this clock.
	maxClockSkew = 300 * time.Second
	// replayMargin is how long a message is remembered after its time ran out, for
	// nodes whose clocks differ.
	replayMargin = 60 * time.Second
)

// headerEncoding must not be sent. Content-Type is ignored.
const headerEncoding = "Content-Encoding"

// refusal is why a message is not authentic. Only its cause is logged and counted.
type refusal struct {
	cause Cause
	why   string // for Explain; holds no value of the message
}

func (r *refusal) Error() string { return string(r.cause) + ": " + r.why }

func newRefusal(cause Cause, why string) error { return &refusal{cause, why} }

// exchange is one message that is being handled.
type exchange struct {
	g             *Gateway
	m             central.GatewayMessage
	h             envelope.Headers
	payload       []byte
	at            time.Time              // the message's time, by its sender's clock
	vendorKey     *vendorKey             // nil: unknown
	message       *central.SealedMessage // nil: not yet checked
	authenticated bool                   // the sender has the key, at this moment
	releaseShare  func()                 // ends the vendor's request; nil: none was counted
}

func (s *exchange) close() {
	if s.releaseShare != nil {
		s.releaseShare()
		s.releaseShare = nil
	}
}

// process takes a message through the checks to the handler. Its IV is spent when there
// is an answer: by the transaction that records its operation, where the route has one,
// else by spend.
func (s *exchange) process(ctx context.Context) (central.Reply, error) {
	if err := s.authenticate(ctx); err != nil {
		return central.Reply{}, err
	}
	iv := s.iv()
	if s.g.replays.contains(s.vendorKey.id, iv, s.g.now()) {
		return central.Reply{}, replayRefusal()
	}
	s.authenticated = true
	cancel, err := s.applyLimits(ctx)
	if err != nil {
		return central.Reply{}, err
	}
	s.message = &central.SealedMessage{Key: s.vendorKey.id, IV: iv, Expires: s.at.Add(maxClockSkew + replayMargin)}
	path, query, _ := strings.Cut(s.m.Target, "?")
	route, sent, lost := s.g.routes.find(s.m.Method, path)
	if lost != nil || !route.AEPS {
		err = s.spend(ctx)
	}
	if err == nil {
		err = s.checkKeyAgain(ctx)
	}
	if err != nil {
		return central.Reply{}, s.withdraw(err, cancel)
	}
	reply, answerErr := s.answer(ctx, route, sent, query, lost)
	if err := s.spend(ctx); err != nil {
		return central.Reply{}, s.withdraw(err, cancel)
	}
	return reply, answerErr
}

// withdraw ends a message with an error. One that is not authentic is taken off its
// vendor's rate again, and its reply is plain.
func (s *exchange) withdraw(err error, cancel func()) error {
	var not *refusal
	if s.authenticated = !errors.As(err, &not); !s.authenticated {
		cancel()
	}
	return err
}

// answer opens a message and gives it to the handler. lost is why it has no route.
func (s *exchange) answer(ctx context.Context, route op.Route, sent map[string]string, query string, lost error) (central.Reply, error) {
	if lost == nil && (route.Entrances&op.Gateway == 0 || !route.Allows(op.Vendor)) {
		return central.Reply{}, central.NewError(central.AccessDenied, "")
	}
	plain, err := s.decrypt()
	if err != nil {
		s.authenticated = false
		return central.Reply{}, err
	}
	s.vendorKey.usedAt.Store(s.g.now().UnixMilli())
	if lost != nil {
		return central.Reply{}, lost
	}
	params, err := unescapeParams(sent)
	if err != nil {
		return central.Reply{}, err
	}
	fields, err := parseQuery(query)
	if err != nil {
		return central.Reply{}, err
	}
	if len(bytes.TrimLeft(plain, " \t\r\n")) == 0 {
		return central.Reply{}, central.NewFieldError("body", "object", "must be one JSON object; {} where the route has no fields")
	}
	in := central.Request{
		Principal: central.Principal{Role: op.Vendor, Vendor: s.vendorKey.vendor},
		Route:     route, Params: params, Query: fields, Body: plain,
		RequestID: s.h.RequestID, Identity: s.h.RequestID,
	}
	if s.message.Spent == central.NotSpent {
		in.Message = s.message
	}
	return s.g.handler.Handle(ctx, in), nil
}

// authenticate makes checks 1 to 4 of gateway.md, section 5.
func (s *exchange) authenticate(ctx context.Context) error {
	if err := s.parse(); err != nil {
		return err
	}
	key, known, err := s.g.keys.find(ctx, s.h.ClientID)
	if err != nil {
		return fmt.Errorf("read vendors' keys: %w", err)
	}
	// An unknown client is checked like a known one, with a key that nobody has.
	signed := key.key.SignsRequest(s.m.Method, s.m.Target, s.h, s.payload)
	if !known {
		return newRefusal(CauseClient, "no live key belongs to this "+envelope.HeaderClientID)
	}
	s.vendorKey = key
	if !signed {
		return newRefusal(CauseChecksum, envelope.HeaderChecksum+" is not the HMAC of the text under the key's checksum key")
	}
	if off := s.g.now().Sub(s.at); off > maxClockSkew || off < -maxClockSkew {
		return newRefusal(CauseTime, fmt.Sprintf("%s is more than %g s from the central's clock", envelope.HeaderTimestamp, maxClockSkew.Seconds()))
	}
	return nil
}

// parse makes check 1: the form of the message, before anything else.
func (s *exchange) parse() error {
	if s.m.Malformed != "" {
		return newRefusal(CauseHTTP, s.m.Malformed)
	}
	if len(s.m.Target) > maxTarget {
		return newRefusal(CauseForm, fmt.Sprintf("the path has more than %d bytes", maxTarget))
	}
	if len(s.m.Body) > envelope.MaxBody {
		return newRefusal(CauseForm, fmt.Sprintf("the body has more than %d bytes", envelope.MaxBody))
	}
	if len(s.m.Header(headerEncoding)) > 0 {
		return newRefusal(CauseForm, headerEncoding+": must not be sent, bodies are plain")
	}
	var err error
	if s.h, err = envelope.ReadRequest(s.m.Header); err != nil {
		return newRefusal(CauseForm, err.Error())
	}
	if s.at, err = s.h.Time(); err != nil {
		return newRefusal(CauseForm, err.Error())
	}
	if s.payload, err = envelope.Payload(s.m.Body); err != nil {
		return newRefusal(CauseForm, err.Error())
	}
	return nil
}

// applyLimits checks the vendor's limits. cancel takes the message off the vendor's
// rate again.
func (s *exchange) applyLimits(ctx context.Context) (cancel func(), err error) {
	s.releaseShare, cancel, err = s.g.limits.acquire(ctx, s.vendorKey.vendor)
	if err != nil && central.AsError(err).Fault == central.TooMany {
		s.g.counts.limited.Add(1)
	}
	return cancel, err
}

// usesPerMessage: a request, and the reply that is sealed under the same key.
const usesPerMessage = 2

// checkKeyAgain counts the key's uses, and repeats check 2: waiting for its turn, a
// message may wait longer than a revoked key may be used.
func (s *exchange) checkKeyAgain(ctx context.Context) error {
	err := s.vendorKey.uses.consume(ctx, s.g.store, usesPerMessage, s.g.log)
	if errors.Is(err, central.ErrState) {
		return newRefusal(CauseExhausted, "the key was used for as many messages as random IVs allow, or was revoked a moment ago")
	}
	if err != nil {
		return storeError(err)
	}
	key, known, err := s.g.keys.find(ctx, s.h.ClientID)
	if err != nil {
		return fmt.Errorf("read vendors' keys: %w", err)
	}
	if !known || key.id != s.vendorKey.id {
		return newRefusal(CauseClient, "the key was revoked while the message waited")
	}
	s.vendorKey = key // it may have been sealed again
	return nil
}

// spendTimeout limits the write of an IV whose call has ended.
const spendTimeout = 3 * time.Second

// spend makes check 5, unless the transaction of an operation has made it. Without it
// there is no reply but an error of ours.
func (s *exchange) spend(ctx context.Context) error {
	m := s.message
	perhaps := m.Spent == central.SpentPerhaps
	if perhaps || m.Spent == central.NotSpent {
		writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), spendTimeout)
		defer cancel()
		switch err := s.g.store.SpendIV(writing, m.Key, m.IV, m.Expires); {
		case err == nil:
			m.Spent = central.SpentNow
		case errors.Is(err, central.ErrTaken) && !perhaps:
			m.Spent = central.SpentBefore
		case errors.Is(err, central.ErrTaken): // by the operation that could not be recorded for sure
			m.Spent = central.SpentNow
		case perhaps: // nobody knows whether anything was done
			return fmt.Errorf("spend the message of an operation: %w", err)
		default:
			return storeError(err)
		}
	}
	s.g.spent.Store(true)
	s.g.replays.add(m.Key, m.IV, m.Expires)
	if m.Spent == central.SpentBefore {
		return replayRefusal()
	}
	return nil
}

func replayRefusal() error {
	return newRefusal(CauseReplay, "a message with this "+envelope.HeaderIV+" was accepted before")
}

// iv returns the bytes of a header whose form was checked.
func (s *exchange) iv() (iv central.IV) {
	raw, _ := base64.StdEncoding.DecodeString(s.h.IV)
	copy(iv[:], raw)
	return iv
}

// storeError is the reply to a failure of the store: nothing was done, and the same
// request may be sent again as a new message.
func storeError(err error) error {
	if errors.Is(err, central.ErrBusy) {
		return &central.Error{Fault: central.TooMany, Message: "Too many calls; try again later", RetryAfter: time.Second, Err: err}
	}
	return err
}

// decrypt makes check 6. The handler checks the plaintext.
func (s *exchange) decrypt() ([]byte, error) {
	plain, err := s.vendorKey.key.Decrypt(s.h, s.payload)
	if err != nil {
		return nil, newRefusal(CauseDecryption, "the payload does not decrypt under the key, IV and tag")
	}
	return plain, nil
}

// parseQuery reads the query as the direct routes do. A name that occurs twice is
// refused, since readers would not agree on the value.
func parseQuery(query string) (map[string]string, error) {
	if query == "" {
		return nil, nil
	}
	values, err := url.ParseQuery(query)
	fields := make(map[string]string, len(values))
	for name, all := range values {
		if len(all) > 1 {
			return nil, central.NewFieldError("query", "once", "must not contain the same name twice")
		}
		if err == nil && !(utf8.ValidString(name) && utf8.ValidString(all[0])) {
			err = errors.New("it is not UTF-8")
		}
		fields[name] = all[0]
	}
	if err != nil {
		return nil, central.NewFieldError("query", "form", "must be well-formed and in UTF-8")
	}
	return fields, nil
}
