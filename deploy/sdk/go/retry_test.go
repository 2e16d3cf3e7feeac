package galla

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

var (
	doors    = []string{"direct", "gateway"}
	busy     = answer{status: 429, body: `{"statusCode":"07","message":"busy"}`}
	unsure   = answer{status: 500, body: `{"statusCode":"500","message":"Server error"}`}
	nobody   = answer{status: 503, body: "upstream"}
	bad      = answer{status: 502, body: "<html>"}
	tooSlow  = answer{status: 504}
	bank     = answer{status: 502, body: `{"statusCode":"10","message":"no answer"}`}
	bankStep = answer{status: 502, body: `{"statusCode":"10","message":"no answer","reference":"AEPS-NR-9"}`}
)

func TestRepeats(t *testing.T) {
	for _, door := range doors {
		for _, first := range []answer{broken, unsure, bad, nobody, tooSlow, busy} {
			f := newFake(t, first, first, approved)
			r, err := f.client(door).AepsWithdrawal(t.Context(), withdrawal())
			if err != nil || !r.OK() || len(f.got()) != 3 || len(f.pauses) != 2 || f.pauses[0] != 250*time.Millisecond || f.pauses[1] != 500*time.Millisecond {
				t.Fatalf("%s, %d: %v, %v, %d calls, %v", door, first.status, r, err, len(f.got()), f.pauses)
			}
			for _, c := range f.got() {
				if c.key != r.Key || c.body != f.got()[0].body || door == "gateway" && c.iv == f.got()[0].iv && c != f.got()[0] {
					t.Errorf("%s: attempts differ, or an IV is used twice", door)
				}
			}
		}
	}
}

func TestOutcomeUnknown(t *testing.T) {
	for _, door := range doors {
		for _, last := range []answer{broken, bad, unsure} {
			f, key := newFake(t, last), NewKey()
			_, err := f.client(door).AepsWithdrawal(t.Context(), withdrawal(), WithKey(key))
			var e *Error
			if !errors.Is(err, ErrOutcomeUnknown) || !errors.As(err, &e) || e.Key != key || len(f.got()) != 4 || !strings.Contains(err.Error(), "same key") {
				t.Errorf("%s, %d: %v after %d calls", door, last.status, err, len(f.got()))
			}
		}
		// After an attempt in doubt nothing says that nothing ran.
		for _, then := range []answer{busy, {status: 403, body: `{"statusCode":"01","message":"Access denied"}`}, {status: 401, how: "plain"}, {status: 422, body: `{"statusCode":"05","message":"limit"}`}} {
			f := newFake(t, broken, then)
			_, err := f.client(door).AepsWithdrawal(t.Context(), withdrawal())
			if !errors.Is(err, ErrOutcomeUnknown) {
				t.Errorf("%s, %d: %v", door, then.status, err)
			}
		}
		f := newFake(t, broken, answer{status: 422, body: `{"statusCode":"05","message":"the bank"}`, header: map[string]string{"Idempotent-Replayed": "true"}})
		if _, err := f.client(door).AepsWithdrawal(t.Context(), withdrawal()); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: a stored refusal is %v", door, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, door := range doors {
		for _, c := range []struct {
			answer answer
			kind   error
		}{
			{answer{status: 400, body: `{"statusCode":"02","message":"Invalid request","data":{"errors":[{"field":"TxnAmount","rule":"decimals","message":"must have two"}]}}`}, ErrValidation},
			{answer{status: 403, body: `{"statusCode":"01","message":"Access denied"}`}, ErrRefused},
			{answer{status: 404, body: `{"statusCode":"01","message":"Merchant not found"}`}, ErrRefused},
			{answer{status: 409, body: `{"statusCode":"09","message":"used"}`}, ErrConflict},
			{answer{status: 422, body: `{"statusCode":"05","message":"limit"}`}, ErrRefused},
			{bank, ErrNotSent},
		} {
			f := newFake(t, c.answer)
			_, err := f.client(door).AepsWithdrawal(t.Context(), withdrawal())
			var e *Error
			if !errors.Is(err, c.kind) || !errors.As(err, &e) || e.HTTPStatus != c.answer.status || len(f.got()) != 1 {
				t.Errorf("%s, %d: %v after %d calls", door, c.answer.status, err, len(f.got()))
			}
			if c.kind == ErrValidation && (len(e.Fields) != 1 || e.Fields[0].Field != "TxnAmount" || !strings.Contains(err.Error(), "TxnAmount must have two")) {
				t.Errorf("the fields are %+v: %v", e.Fields, err)
			}
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for _, door := range doors {
		f := newFake(t, answer{status: 429, body: busy.body, header: map[string]string{"Retry-After": "7"}}, approved)
		if r, err := f.client(door).AepsWithdrawal(t.Context(), withdrawal()); err != nil || !r.OK() || f.pauses[0] != 7*time.Second {
			t.Errorf("%s: %v, %v, %v", door, r, err, f.pauses)
		}
		f = newFake(t, answer{status: 429, body: busy.body, header: map[string]string{"Retry-After": "31"}})
		var e *Error
		if _, err := f.client(door).AepsWithdrawal(t.Context(), withdrawal()); !errors.As(err, &e) || e.Kind != ErrRateLimit || e.RetryAfter != 31*time.Second || len(f.got()) != 1 {
			t.Errorf("%s: %v", door, err)
		}
	}
}

func TestRecordsAndSteps(t *testing.T) {
	slab := VendorCommissionCreateParams{VendorID: "v/1", PaymentMethod: "AEPS", Provider: "NSDL", TxnType: "WITHDRAWAL"}
	made := answer{status: 201, body: `{"statusCode":"00","message":"made","data":{"id":"s"}}`}
	for _, door := range doors {
		for _, last := range []answer{broken, unsure, bad} {
			f := newFake(t, last, made)
			if _, err := f.client(door).VendorCommissionCreate(t.Context(), slab); !errors.Is(err, ErrOutcomeUnknown) || len(f.got()) != 1 || !strings.HasSuffix(f.got()[0].url, "/vendor-commission/v%2F1/commission") {
				t.Errorf("%s, %d: %v, %+v", door, last.status, err, f.got())
			}
		}
		f := newFake(t, nobody, made)
		if r, err := f.client(door).VendorCommissionCreate(t.Context(), slab); err != nil || r.Data.ID != "s" {
			t.Errorf("%s: %v, %v", door, r, err)
		}
		f = newFake(t, bankStep)
		if r, err := f.client(door).AepsSubmit(t.Context(), AepsSubmitParams{}); err != nil || r.State != Pending || r.Reference != "AEPS-NR-9" || len(f.got()) != 4 {
			t.Errorf("%s: %v, %v", door, r, err)
		}
		f = newFake(t, bank)
		if _, err := f.client(door).AepsRequestOtp(t.Context(), AepsRequestOtpParams{}); !errors.Is(err, ErrNotSent) || len(f.got()) != 4 {
			t.Errorf("%s: %v after %d calls", door, err, len(f.got()))
		}
	}
}

func TestNothingListens(t *testing.T) {
	f := newFake(t, approved)
	g := f.gateway()
	f.Close()
	if _, err := g.AepsWithdrawal(t.Context(), withdrawal()); !errors.Is(err, ErrNotSent) || !strings.Contains(err.Error(), "nothing was sent") || len(f.pauses) != 3 {
		t.Errorf("%v, %v", err, f.pauses)
	}
}

func TestContextEnds(t *testing.T) {
	f := newFake(t, bad)
	ctx, cancel := context.WithCancel(t.Context())
	cfg := f.config()
	cfg.Sleep = func(context.Context, time.Duration) error { cancel(); return ctx.Err() }
	c, err := NewDirect(DirectConfig{Config: cfg, ClientID: "c", ClientSecret: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.AepsWithdrawal(ctx, withdrawal()); !errors.Is(err, ErrOutcomeUnknown) || len(f.got()) != 1 {
		t.Errorf("%v after %d calls", err, len(f.got()))
	}
}

func TestFalseReplies(t *testing.T) {
	for how, says := range map[string]string{"status": "checksum", "old": "time is not now", "other": "another call", "plain": "something else answered"} {
		f := newFake(t, answer{status: 200, body: approved.body, how: how})
		if _, err := f.gateway().AepsWithdrawal(t.Context(), withdrawal()); !errors.Is(err, ErrOutcomeUnknown) || !strings.Contains(err.Error(), says) || len(f.got()) != 1 {
			t.Errorf("%s: %v after %d calls", how, err, len(f.got()))
		}
	}
	f := newFake(t, answer{status: 401, body: `{}`, how: "plain"})
	if _, err := f.gateway().AepsWithdrawal(t.Context(), withdrawal()); !errors.Is(err, ErrAuthentication) || len(f.got()) != 1 {
		t.Errorf("%v after %d calls", err, len(f.got()))
	}
	f = newFake(t, answer{status: 429, how: "plain"})
	if _, err := f.gateway().AepsWithdrawal(t.Context(), withdrawal()); !errors.Is(err, ErrOutcomeUnknown) || len(f.got()) != 4 {
		t.Errorf("%v after %d calls", err, len(f.got()))
	}
}
