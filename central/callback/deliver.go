package callback

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
	"galla/central/duty"
)

// result is what came of an attempt.
type result struct {
	http  int // zero: no reply
	said  string
	over  bool          // another attempt is of no use
	gone  bool          // 410
	asked time.Duration // Retry-After
}

func (r result) delivered() bool { return r.http >= 200 && r.http <= 299 }

// attempt tries to deliver a callback once, and writes down what came of it.
func (t *Teller) attempt(ctx context.Context, c duty.Callback) {
	// What is on its way when the node is being stopped has a moment to arrive.
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), attemptTime)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(stopTime, cancel) })
	defer stop()

	r, err := t.deliver(own, c)
	if err != nil {
		// Ours, not the receiver's: a database that can't be read.
		t.log.Error("a callback can't be made ready; it is tried again", "callback", MessageID(c.Operation), "operation", c.Operation, "merchant", c.Merchant, "error", err)
		r = result{said: "not sent: " + internalFault}
	}
	now := time.Now()
	note := duty.Attempt{
		Operation: c.Operation, Merchant: c.Merchant, Number: c.Attempts, At: now, HTTP: r.http, Said: r.said,
	}
	t.judge(&note, c, r, ctx.Err() != nil && !r.delivered())
	t.tell(note)
	if err := t.store.NoteAttempt(context.WithoutCancel(ctx), note); err != nil {
		if errors.Is(err, central.ErrState) {
			t.log.Warn("a callback was taken over by another node while an attempt went on", "callback", MessageID(c.Operation), "operation", c.Operation, "attempt", c.Attempts)
			return
		}
		t.log.Error("an attempt of a callback can't be recorded; it is made again when its lease has ended", "callback", MessageID(c.Operation), "operation", c.Operation, "error", err)
	}
}

// internalFault is what a merchant's history says where we are at fault; the
// cause is in the log.
const internalFault = "the central could not read what it needed"

// judge decides how it goes on.
func (t *Teller) judge(note *duty.Attempt, c duty.Callback, r result, stopped bool) {
	switch {
	case r.delivered():
		note.Verdict = duty.Delivered
		return
	case r.gone:
		note.Verdict = duty.Gone
		return
	case r.over:
		note.Verdict = duty.GivenUp
		return
	case stopped && r.http == 0:
		note.Verdict, note.Next, note.Interrupted = duty.Again, note.At, true
		note.Said = "cut off: the node was being stopped"
		return
	}
	next, again := nextAttempt(c.Since, note.At, c.Failures+1, r.asked, t.cfg.Rand)
	note.Verdict, note.Next = duty.Again, next
	if !again {
		note.Verdict = duty.GivenUp
		note.Said += "; its 24 hours are over"
	}
}

// tell counts and logs an attempt.
func (t *Teller) tell(a duty.Attempt) {
	log := t.log.With("callback", MessageID(a.Operation), "operation", a.Operation, "merchant", a.Merchant, "attempt", a.Number, "http", a.HTTP)
	switch a.Verdict {
	case duty.Delivered:
		t.delivered.Add(1)
		log.Info("callback is delivered")
	case duty.Again:
		t.failed.Add(1)
		log.Info("callback is not delivered; it is tried again", "said", a.Said, "next", a.Next.UTC())
	case duty.GivenUp:
		t.givenUp.Add(1)
		log.Warn("callback is given up; galla-central callback replay sends it again", "said", a.Said)
	case duty.Gone:
		t.gone.Add(1)
		log.Warn("the receiver of callbacks answered 410 Gone: the endpoint is disabled; galla-central callback set puts it into use again", "said", a.Said)
	}
}

// deliver makes the message and sends it. An error is the central's own fault.
func (t *Teller) deliver(ctx context.Context, c duty.Callback) (result, error) {
	e, err := t.store.Endpoint(ctx, c.Merchant)
	if err != nil {
		return result{}, err
	}
	switch {
	case e.URL == "":
		return result{said: "the merchant has no endpoint any more", over: true}, nil
	case !e.DisabledAt.IsZero():
		return result{said: "the endpoint is disabled: its receiver answered 410 Gone", over: true}, nil
	}
	if err := CheckURL(e.URL, t.cfg.Sandbox); err != nil {
		return result{said: "not sent: " + err.Error()}, nil
	}
	keys := t.keys(e)
	if len(keys) == 0 {
		return result{said: "not sent: the merchant has no secret that could sign it (galla-central callback secret mint)"}, nil
	}
	o, err := t.store.Operation(ctx, c.Operation)
	if err != nil {
		return result{}, err
	}
	body, err := render(c, o)
	if err != nil {
		return result{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(body))
	if err != nil {
		return result{said: "not sent: the endpoint's URL can't be used"}, nil
	}
	now := time.Now()
	id := MessageID(c.Operation)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "Galla-Callback/1",
		headerID: id, headerTimestamp: timestamp(now), headerSignature: signature(keys, id, now, body),
	} {
		request.Header.Set(name, value)
	}
	return t.send(request), nil
}

// send makes the request and reads the reply's status.
func (t *Teller) send(request *http.Request) result {
	response, err := t.client.Do(request)
	if err != nil {
		return result{said: wentWrong(err)}
	}
	defer response.Body.Close()
	// Nobody reads it; an error of it changes nothing of the status.
	_, _ = io.CopyN(io.Discard, response.Body, maxReply)
	r := result{http: response.StatusCode, said: fmt.Sprintf("HTTP %d", response.StatusCode)}
	switch {
	case r.http >= 300 && r.http <= 399:
		r.said += "; redirects are not followed"
	case r.http == http.StatusGone:
		r.gone = true
	case r.http == http.StatusTooManyRequests || r.http == http.StatusServiceUnavailable:
		r.asked = retryAfter(response.Header.Get("Retry-After"), time.Now())
	}
	return r
}

// wentWrong says why there was no reply. The URL, which may hold a merchant's
// token, and the addresses that its name has are left out.
func wentWrong(err error) string {
	var dns *net.DNSError
	var wrapped *url.Error
	switch {
	case errors.Is(err, errAddress):
		return "not sent: " + errAddress.Error()
	case errors.Is(err, context.Canceled):
		return "cut off"
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
		return "the connection to the receiver broke"
	}
	if problem, ok := tlsFault(err); ok {
		return problem
	}
	return "the receiver's reply is no HTTP, or its connection was closed without one"
}

// tlsFault says what is wrong with a receiver's certificate.
func tlsFault(err error) (string, bool) {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &unknown):
		return "the receiver's certificate is signed by an authority that is not known here", true
	case errors.As(err, &name):
		return "the receiver's certificate is another host's", true
	case errors.As(err, &invalid):
		return "the receiver's certificate is not valid (any more)", true
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "the receiver does not speak TLS", true
	case errors.As(err, &alert):
		return "the receiver refused the TLS handshake", true
	}
	return "", false
}
