package gateway

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/envelope"
	"galla/shared/op"
)

// explainRequest is a message as its sender sent it. Headers are texts, or lists of
// texts if one was sent several times; a body is the text as sent, or the object
// itself.
type explainRequest struct {
	Method  string                    `json:"method"`
	Path    string                    `json:"path"`
	Headers map[string]jsontext.Value `json:"headers"`
	Body    jsontext.Value            `json:"body"`
}

// explanation says how far a message gets.
type explanation struct {
	Passes bool   `json:"passes"`
	Check  int    `json:"check"` // of gateway.md, section 5; 0: all passed
	Name   string `json:"name"`
	Why    string `json:"why"`
	// Text is what X-Checksum covers; absent if the message has no such text.
	Text        string   `json:"text,omitzero"`
	Hints       []string `json:"hints,omitzero"`
	CentralTime int64    `json:"centralTime"` // Unix milliseconds
}

// explainReply is the reply's envelope.
type explainReply struct {
	StatusCode string      `json:"statusCode"`
	Message    string      `json:"message"`
	Data       explanation `json:"data"`
}

// Explain says which check a message fails, and the text that its checksum covers,
// to help a partner's engineer. It works with the keys of Config.Explain only,
// changes nothing, calls no handler, and shows neither a key, nor a right
// checksum, nor a plaintext.
func (g *Gateway) Explain(ctx context.Context, body []byte) central.Reply {
	m, err := parseExplainRequest(body)
	if err != nil {
		return g.handler.ErrorReply(err, "")
	}
	s := &exchange{g: g, m: m}
	out, err := s.explain(ctx)
	if err != nil {
		return g.handler.ErrorReply(err, "")
	}
	out.CentralTime = g.now().UnixMilli()
	message := "The message passes"
	if !out.Passes {
		message = fmt.Sprintf("The message fails check %d: %s", out.Check, out.Name)
	}
	text, err := json.Marshal(explainReply{StatusCode: "00", Message: message, Data: out}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return g.handler.ErrorReply(fmt.Errorf("write an explanation: %w", err), "")
	}
	return central.Reply{HTTP: 200, Body: text}
}

func (s *exchange) explain(ctx context.Context) (explanation, error) {
	var plain jsontext.Value
	err := s.authenticate(ctx)
	if s.vendorKey != nil && !s.g.explain[s.vendorKey.id] {
		return explanation{}, central.NewError(central.AccessDenied, "Only messages under the sandbox's own keys are explained")
	}
	if err == nil {
		err = s.peekReplay(ctx)
	}
	if err == nil {
		plain, err = s.decrypt()
	}
	out := explanation{Passes: err == nil, Name: "passed", Why: "The message is authentic; what follows are the route's own checks"}
	if len(s.payload) > 0 || s.h.Request() == nil {
		out.Text = envelope.RequestText(s.m.Method, s.m.Target, s.h, s.payload)
	}
	var not *refusal
	switch {
	case errors.As(err, &not):
		out.Check, out.Name, out.Why = checkNumber(not.cause), string(not.cause), not.why
		out.Hints = s.hints(not.cause)
	case err != nil:
		return explanation{}, err
	default:
		out.Hints = s.laterFaults(plain)
		if plain.Kind() != '{' || !plain.IsValid() {
			out.Passes, out.Check, out.Name = false, 6, "plaintext"
			out.Why = "The plaintext is not one JSON object in UTF-8 without duplicate names: the sealed reply is 400"
		}
	}
	return out, nil
}

// laterFaults lists what an authentic message still fails at.
func (s *exchange) laterFaults(plain jsontext.Value) (list []string) {
	path, _, _ := strings.Cut(s.m.Target, "?")
	route, _, lost := s.g.routes.find(s.m.Method, path)
	switch {
	case lost != nil:
		list = append(list, "No route has this method and path: the sealed reply is 404 or 405.")
	case route.Entrances&op.Gateway == 0 || !route.Allows(op.Vendor):
		list = append(list, "This route is not for vendors at the gateway: the sealed reply is 403.")
	}
	if len(plain) > envelope.MaxPlain {
		list = append(list, fmt.Sprintf("The plaintext has more than %d bytes: the sealed reply is 413.", envelope.MaxPlain))
	}
	return list
}

// peekReplay makes check 5 without spending the message.
func (s *exchange) peekReplay(ctx context.Context) error {
	spent, err := s.g.store.IVSpent(ctx, s.vendorKey.id, s.iv())
	if err == nil && spent {
		return replayRefusal()
	}
	return err
}

// checkNumber numbers the checks as in gateway.md, section 5.
func checkNumber(c Cause) int {
	switch c {
	case CauseClient, CauseExhausted:
		return 2
	case CauseChecksum:
		return 3
	case CauseTime:
		return 4
	case CauseReplay:
		return 5
	case CauseDecryption:
		return 6
	}
	return 1
}

// hints lists the common mistakes that the message may have.
func (s *exchange) hints(c Cause) (list []string) {
	switch c {
	case CauseChecksum:
		list = append(s.checksumHints(), "The checksum's key is HMAC-SHA-256(key, \"galla/gateway/checksum/v1\"), not the key itself.",
			"Compare your text with the one given here, byte by byte: nine lines joined by \\n, none after the last.")
	case CauseTime:
		if off := s.g.now().Sub(time.Unix(s.at.UnixMilli(), 0)); off < maxClockSkew && off > -maxClockSkew {
			list = append(list, envelope.HeaderTimestamp+" is in seconds; milliseconds are wanted.")
		} else {
			list = append(list, fmt.Sprintf("The message's time is %d ms away from the central's: set the clock, and make the timestamp anew for every message.", s.g.now().Sub(s.at).Milliseconds()))
		}
	case CauseReplay:
		list = append(list, "Draw a new IV for every message, retries included; "+envelope.HeaderRequestID+" stays the same.")
	case CauseDecryption:
		raw, err := base64.StdEncoding.DecodeString(string(s.payload))
		if err != nil {
			list = append(list, "The payload is not padded base64 of the standard alphabet.")
		} else if n := len(raw) - envelope.TagSize; n >= 0 && base64.StdEncoding.EncodeToString(raw[n:]) == s.h.Tag {
			list = append(list, "The tag stands at the end of the payload, too: it belongs into "+envelope.HeaderTag+" only.")
		}
		list = append(list, "AES-256-GCM, a 12-byte IV, a 16-byte tag, no additional data.")
	}
	return list
}

// checksumHints compares the checksum with those of common mistakes.
func (s *exchange) checksumHints() (list []string) {
	path, _, hasQuery := strings.Cut(s.m.Target, "?")
	for _, try := range []struct {
		when         bool
		method, path string
		payload      []byte
		hint         string
	}{
		{true, s.m.Method, s.m.Target, append(slices.Clip(s.payload), '\n'), "Your text ends with a line break: there is none after the payload."},
		{true, s.m.Method, s.m.Target, s.m.Body, "You signed the whole body: the last line is the payload's base64 text."},
		{true, strings.ToLower(s.m.Method), s.m.Target, s.payload, "You signed the method in lower case."},
		{hasQuery, s.m.Method, path, s.payload, "You left the query out of the path."},
		{true, s.m.Method, strings.TrimPrefix(s.m.Target, Prefix), s.payload, "You signed the direct route's path: " + Prefix + " belongs to it."},
		{true, s.m.Method, s.m.Target, nil, "You signed an empty payload."},
	} {
		if try.when && try.path != "" && s.vendorKey.key.SignsRequest(try.method, try.path, s.h, try.payload) {
			list = append(list, try.hint)
		}
	}
	return list
}

// parseExplainRequest reads the request of Explain.
func parseExplainRequest(body []byte) (central.GatewayMessage, error) {
	var q explainRequest
	if err := json.Unmarshal(body, &q); err != nil {
		return central.GatewayMessage{}, central.NewFieldError("body", "form", "must be a JSON object {method, path, headers, body}")
	}
	headers := map[string][]string{}
	for name, value := range q.Headers {
		var one string
		var many []string
		if json.Unmarshal(value, &one) == nil {
			many = []string{one}
		} else if json.Unmarshal(value, &many) != nil {
			return central.GatewayMessage{}, central.NewFieldError("headers", "form", "must be texts, or lists of texts")
		}
		name = strings.ToLower(name)
		headers[name] = append(headers[name], many...)
	}
	m := central.GatewayMessage{
		Method: q.Method, Target: q.Path, Body: q.Body,
		Header: func(name string) []string { return headers[strings.ToLower(name)] },
	}
	if q.Body.Kind() == '"' {
		var text string
		if err := json.Unmarshal(q.Body, &text); err != nil {
			return central.GatewayMessage{}, central.NewFieldError("body", "form", "must be a text or an object")
		}
		m.Body = []byte(text)
	}
	return m, nil
}
