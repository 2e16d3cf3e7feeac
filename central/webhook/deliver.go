package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"galla/central"
)

// reply is the outcome of an attempt.
type reply struct {
	status     int // zero: no reply
	detail     string
	final      bool          // another attempt would be useless
	gone       bool          // 410
	retryAfter time.Duration // Retry-After
}

func (r reply) delivered() bool { return r.status >= 200 && r.status <= 299 }

// attempt tries to deliver a callback once, and records the result.
func (t *Deliverer) attempt(ctx context.Context, c Callback) {
	// A request under way when the node stops has shutdownGrace to finish.
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), attemptTime)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(shutdownGrace, cancel) })
	defer stop()

	r, err := t.deliver(own, c)
	if err != nil {
		// Our fault, not the receiver's: the database can't be read.
		t.log.Error("a callback can't be prepared; it is tried again", "callback", MessageID(c.Operation), "operation", c.Operation, "merchant", c.Merchant, "error", err)
		r = reply{detail: "not sent: " + internalFault}
	}
	now := time.Now()
	a := Attempt{
		Operation: c.Operation, Receiver: c.Receiver(), Number: c.Attempts, At: now, HTTP: r.status, Detail: r.detail,
	}
	t.setResult(&a, c, r, ctx.Err() != nil && !r.delivered())
	t.report(a)
	if err := t.store.RecordAttempt(context.WithoutCancel(ctx), a); err != nil {
		if errors.Is(err, central.ErrState) {
			t.log.Warn("another node took over a callback during an attempt", "callback", MessageID(c.Operation), "operation", c.Operation, "attempt", c.Attempts)
			return
		}
		t.log.Error("an attempt of a callback can't be recorded; it is made again when its lease has ended", "callback", MessageID(c.Operation), "operation", c.Operation, "error", err)
	}
}

// internalFault is the detail of an attempt that failed by our fault; the log has the
// cause.
const internalFault = "the central could not read what it needed"

// setResult sets the result of an attempt.
func (t *Deliverer) setResult(a *Attempt, c Callback, r reply, stopped bool) {
	switch {
	case r.delivered():
		a.Result = ResultDelivered
		return
	case r.gone:
		a.Result = ResultGone
		return
	case r.final:
		a.Result = ResultGivenUp
		return
	case stopped && r.status == 0:
		a.Result, a.RetryAt, a.Interrupted = ResultRetry, a.At, true
		a.Detail = "interrupted: the node was stopping"
		return
	}
	next, again := nextAttempt(c.Since, a.At, c.Failures+1, r.retryAfter, t.cfg.Rand)
	a.Result, a.RetryAt = ResultRetry, next
	if !again {
		a.Result = ResultGivenUp
		a.Detail += "; its 24 hours are over"
	}
}

// report counts and logs an attempt.
func (t *Deliverer) report(a Attempt) {
	log := t.log.With("callback", MessageID(a.Operation), "operation", a.Operation, "receiver", a.Receiver, "attempt", a.Number, "http", a.HTTP)
	switch a.Result {
	case ResultDelivered:
		t.delivered.Add(1)
		log.Info("callback is delivered")
	case ResultRetry:
		t.failed.Add(1)
		log.Info("callback is not delivered; it is tried again", "detail", a.Detail, "next", a.RetryAt.UTC())
	case ResultGivenUp:
		t.givenUp.Add(1)
		log.Warn("callback is given up; galla-central callback replay sends it again", "detail", a.Detail)
	case ResultGone:
		t.gone.Add(1)
		log.Warn("the receiver of callbacks answered 410 Gone: the endpoint is disabled until it is set again", "detail", a.Detail)
	}
}

// deliver renders the message and sends it. An error is our own fault.
func (t *Deliverer) deliver(ctx context.Context, c Callback) (reply, error) {
	to, now := c.Receiver(), time.Now()
	e, err := t.store.Endpoint(ctx, to, now)
	if err != nil {
		return reply{}, err
	}
	switch {
	case e.URL == "":
		return reply{detail: "the " + string(to.Role()) + " has no endpoint any more", final: true}, nil
	case !e.DisabledAt.IsZero():
		return reply{detail: "the endpoint is disabled: its receiver answered 410 Gone", final: true}, nil
	}
	if err := CheckURL(e.URL, t.cfg.Sandbox); err != nil {
		return reply{detail: "not sent: " + err.Error()}, nil
	}
	keys := t.signingKeys(e)
	if len(keys) == 0 {
		return reply{detail: "not sent: the " + string(to.Role()) + " has no secret that could sign it"}, nil
	}
	o, err := t.store.Operation(ctx, c.Operation)
	if err != nil {
		return reply{}, err
	}
	body, err := renderBody(c, o)
	if err != nil {
		return reply{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(body))
	if err != nil {
		return reply{detail: "not sent: the endpoint's URL can't be used"}, nil
	}
	id := MessageID(c.Operation)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "Galla-Callback/1",
		headerID: id, headerTimestamp: timestamp(now), headerSignature: signature(keys, id, now, body),
	} {
		request.Header.Set(name, value)
	}
	return t.send(request), nil
}

// send sends the request and reads the reply's status.
func (t *Deliverer) send(request *http.Request) reply {
	response, err := t.client.Do(request)
	if err != nil {
		return reply{detail: errorDetail(err)}
	}
	defer response.Body.Close()
	// The body is not used; an error does not change the status.
	_, _ = io.CopyN(io.Discard, response.Body, maxReply)
	r := reply{status: response.StatusCode, detail: fmt.Sprintf("HTTP %d", response.StatusCode)}
	switch {
	case r.status >= 300 && r.status <= 399:
		r.detail += "; redirects are not followed"
	case r.status == http.StatusGone:
		r.gone = true
	case r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable:
		r.retryAfter = retryAfter(response.Header.Get("Retry-After"), time.Now())
	}
	return r
}

// errorDetail says why there was no reply, without the URL, which may contain a token, and
// without addresses.
func errorDetail(err error) string {
	var dns *net.DNSError
	var wrapped *url.Error
	switch {
	case errors.Is(err, errAddress):
		return "not sent: " + errAddress.Error()
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &wrapped) && wrapped.Timeout():
		return fmt.Sprintf("no reply within %s", attemptTime)
	case errors.As(err, &dns):
		return "the receiver's name can't be resolved"
	}
	var operation *net.OpError
	if errors.As(err, &operation) {
		if operation.Op == "dial" {
			return "no connection to the receiver"
		}
		return "the connection to the receiver failed"
	}
	if problem, ok := tlsErrorDetail(err); ok {
		return problem
	}
	return "the receiver's reply is not HTTP, or it closed the connection without a reply"
}

// tlsErrorDetail describes a failed TLS handshake.
func tlsErrorDetail(err error) (string, bool) {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &unknown):
		return "the receiver's certificate is signed by an unknown authority", true
	case errors.As(err, &name):
		return "the receiver's certificate is for another host", true
	case errors.As(err, &invalid):
		return "the receiver's certificate is not valid (any more)", true
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "the receiver does not speak TLS", true
	case errors.As(err, &alert):
		return "the receiver refused the TLS handshake", true
	}
	return "", false
}
