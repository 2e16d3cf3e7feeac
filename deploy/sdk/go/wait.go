package galla

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// Waiter is a client: what Wait asks.
type Waiter interface{ waiter() *caller }

func (r gatewayRoutes) waiter() *caller { return r.c }

// Wait asks until a pending result is final or the time is over; then it gives the newest
// pending one without an error. Where ctx ends, it gives that one with the context's error.
func Wait[T any](ctx context.Context, client Waiter, r *Result[T], timeout time.Duration) (*Result[T], error) {
	c := client.waiter()
	end, pause := c.cfg.Now().Add(timeout), time.Second
	for r.State == Pending {
		if r.call == nil {
			return r, errors.New("galla: Wait takes the result of a call")
		}
		left := end.Sub(c.cfg.Now())
		if left <= 0 {
			return r, nil
		}
		if err := c.cfg.Sleep(ctx, min(pause, left)); err != nil {
			return r, err
		}
		pause = min(2*pause, 10*time.Second)
		next, err := c.ask(ctx, r.call, r.Reference)
		switch {
		case err == nil:
			r = typed[T](next)
		case !passing(err, r.call.requeried()):
			return r, err
		}
	}
	return r, nil
}

// passing reports whether a later question may be answered. Where the call itself is
// repeated, HTTP 502 says that it was never sent to the bank, which is final for its key.
func passing(err error, requeried bool) bool {
	var e *Error
	if errors.As(err, &e) && e.Kind == ErrNotSent {
		return requeried || e.HTTPStatus == 0
	}
	return errors.Is(err, ErrOutcomeUnknown) || errors.Is(err, ErrRateLimit)
}

// ask asks once for the state of a call.
func (c *caller) ask(ctx context.Context, one *call, reference string) (*Result[json.RawMessage], error) {
	switch {
	case one.route.aeps && one.route.identity:
		by, err := c.name(ctx, one, reference)
		if err != nil {
			return nil, err
		}
		return c.question(ctx, one, routes["AepsRequery"], by, reference)
	case one.route.name == "DmtTransactionInstant":
		return c.question(ctx, one, routes["DmtTransactionRequery"], map[string]string{"refId": one.text("refId")}, reference)
	}
	return c.run(ctx, one, 1) // the same key and body: it runs nothing again
}

// requeried reports whether a requery asks for the state of a call. Otherwise the call itself
// is repeated.
func (one *call) requeried() bool {
	return one.route.aeps && one.route.identity || one.route.name == "DmtTransactionInstant"
}

// question asks a requery, and gives its answer as the result of the call itself.
func (c *caller) question(ctx context.Context, one *call, r *route, by map[string]string, reference string) (*Result[json.RawMessage], error) {
	if merchant := one.text("merchantId"); merchant != "" {
		by["merchantId"] = merchant
	}
	asked, err := c.prepare(r, by, nil)
	if err != nil {
		return nil, err
	}
	answer, err := c.run(ctx, asked, 1)
	if err != nil {
		return nil, err
	}
	answer.Key, answer.call = one.key, nil
	if answer.State == Pending {
		answer.call = one
		if answer.Reference == "" {
			answer.Reference = reference
		}
	}
	return answer, nil
}

// name is how a requery names an AEPS transaction.
func (c *caller) name(ctx context.Context, one *call, reference string) (map[string]string, error) {
	switch own := one.text("clientRefId"); {
	case own != "":
		return map[string]string{"clientRefId": own}, nil
	case strings.HasPrefix(reference, "GL"):
		return map[string]string{"RetailerReferenceNumber": reference}, nil
	case reference != "":
		return map[string]string{"reference": reference}, nil
	case c.sealed:
		return nil, &Error{Kind: ErrPending, Message: "the pending reply has no reference: repeat the call with the same key", Key: one.key}
	}
	asked, err := c.prepare(routes["OperationsGet"], map[string]string{"id": one.key}, nil)
	if err != nil {
		return nil, err
	}
	answer, err := c.run(ctx, asked, 1)
	if err != nil {
		return nil, err
	}
	operation, err := typed[Operation](answer).Get()
	if err != nil {
		return nil, err
	}
	return map[string]string{"RetailerReferenceNumber": operation.Reference}, nil
}
