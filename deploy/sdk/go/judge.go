package galla

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// reply is a reply of the central. One through the gateway is genuine if it was sealed.
type reply struct {
	status  int
	header  http.Header
	text    []byte
	genuine bool
}

// failure is an attempt without a genuine reply.
type failure struct {
	err   error
	sent  bool // the other side may have got the request
	final bool // a repeat would not help
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// verdict is what is done after one attempt.
type verdict struct {
	result *Result[json.RawMessage] // what the caller gets if it is not repeated,
	err    error                    // or this
	repeat bool                     // the same call with the same key is safe, and may help
	after  time.Duration            // to wait first, where the other side said it; otherwise negative
	doubt  bool                     // the call may have run
}

// judge is the retry rule. doubt: an earlier attempt of the same call may have run.
func judge(c *call, p *reply, failed error, doubt bool) verdict {
	if failed != nil {
		return judgeFailure(c, failed, doubt)
	}
	body, isJSON := read(p.text)
	e := errorOf(c, p, body)
	unknown := func(why string) *Error {
		e.Kind, e.Message = ErrOutcomeUnknown, why+": it is not known whether the call ran; repeat it with the same key"
		return e
	}
	after := retryAfter(p.header)
	switch {
	case !p.genuine && p.status != http.StatusUnauthorized:
		// At the gateway, what is not sealed proves nothing.
		busy := p.status == http.StatusTooManyRequests || p.status >= 500
		why := fmt.Sprintf("HTTP %d without the gateway's headers: something else answered", p.status)
		return verdict{err: unknown(why), repeat: busy && c.route.repeatable, after: after, doubt: true}
	case p.status == http.StatusOK && isFile(p.header):
		return verdict{result: resultOf(c, p, body, Success)}
	case p.status == http.StatusOK || p.status == http.StatusCreated:
		if !isJSON {
			return verdict{err: unknown(fmt.Sprintf("HTTP %d with a body that is no JSON object", p.status)), doubt: true}
		}
		return verdict{result: resultOf(c, p, body, "")}
	case p.status == http.StatusBadGateway && e.StatusCode == "10":
		return judgeBank(c, p, body, e)
	case p.status >= 500:
		return verdict{err: unknown(e.Message), repeat: c.route.repeatable || p.status == http.StatusServiceUnavailable, after: after, doubt: true}
	case p.status >= 400:
		return judgeRefusal(c, p, e, doubt, after)
	}
	return verdict{err: unknown(fmt.Sprintf("HTTP %d", p.status)), doubt: true}
}

// judgeRefusal judges HTTP 4xx. What is only true of this attempt, such as a token that was
// refused, says nothing of an earlier one; a stored reply does.
func judgeRefusal(c *call, p *reply, e *Error, doubt bool, after time.Duration) verdict {
	v := verdict{err: e, after: -1}
	thisOnly := p.header.Get("Idempotent-Replayed") != "true"
	switch p.status {
	case http.StatusBadRequest:
		e.Kind, thisOnly = ErrValidation, false
	case http.StatusUnauthorized:
		e.Kind = ErrAuthentication
		if c.sealed {
			e.Message = "look at the client id, the key, the clock, and what the checksum covers"
		}
	case http.StatusConflict:
		e.Kind, thisOnly = ErrConflict, false
	case http.StatusTooManyRequests:
		e.Kind = ErrRateLimit
		e.RetryAfter = max(after, 0)
		v.repeat, v.after = true, after
	}
	if doubt && thisOnly {
		v.doubt = true
		v.err = &Error{
			Kind: ErrOutcomeUnknown, Message: e.Message + ", after an attempt whose outcome is not known: repeat the call with the same key",
			HTTPStatus: e.HTTPStatus, StatusCode: e.StatusCode, RequestID: e.RequestID, Key: e.Key, Reply: e.Reply, Cause: e,
		}
	}
	return v
}

// judgeBank judges HTTP 502, 10: the bank network was not reached, or has not answered a
// step that moves no money.
func judgeBank(c *call, p *reply, body envelope, e *Error) verdict {
	if c.route.identity && body.Reference != "" {
		return verdict{result: resultOf(c, p, body, Pending), repeat: true, after: -1}
	}
	e.Kind = ErrNotSent
	if c.route.identity {
		e.Message += " (this key is used up: a new call needs a new one)"
	}
	return verdict{err: e, repeat: !c.route.identity && c.route.repeatable, after: -1}
}

func judgeFailure(c *call, failed error, doubt bool) verdict {
	var e *Error
	if errors.As(failed, &e) && !doubt {
		e.Key = c.key
		return verdict{err: e}
	}
	var f *failure
	if !errors.As(failed, &f) {
		f = &failure{err: failed}
	}
	out := &Error{Kind: ErrOutcomeUnknown, Key: c.key, Cause: failed}
	switch {
	case f.sent || doubt:
		out.Message = failed.Error()
		if !f.sent {
			out.Message += ", after an attempt whose outcome is not known"
		}
		out.Message += ": it is not known whether the call ran; repeat it with the same key"
		return verdict{err: out, repeat: c.route.repeatable && !f.final, after: -1, doubt: true}
	}
	out.Kind, out.Message = ErrNotSent, "the central could not be reached, and nothing was sent: "+failed.Error()
	return verdict{err: out, repeat: !f.final, after: -1}
}

// errorOf is the error of a reply, of kind ErrRefused; its callers set a narrower kind.
func errorOf(c *call, p *reply, body envelope) *Error {
	e := &Error{Kind: ErrRefused, Message: body.Message, HTTPStatus: p.status, RequestID: p.header.Get("X-Request-Id"), Key: c.key, Reply: p.text}
	if e.Message == "" {
		e.Message = fmt.Sprintf("HTTP %d", p.status)
	}
	if body.StatusCode != nil {
		e.StatusCode = *body.StatusCode
	}
	var faults struct {
		Errors []FieldFault `json:"errors"`
	}
	if p.status == http.StatusBadRequest && json.Unmarshal(body.Data, &faults) == nil {
		e.Fields = faults.Errors
	}
	return e
}

// retryAfter is what the other side asks to wait; negative where it does not say so.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if !regexp.MustCompile(`^[0-9]{1,6}$`).MatchString(text) {
		return -1
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return time.Duration(n) * time.Second
}
