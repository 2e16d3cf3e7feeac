package operator_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"galla/central/duty"
	"galla/central/operator"
	"galla/central/store"
	"galla/shared/secret"
)

// listening is a database that tells which work a sign-in has it do.
type listening struct {
	*store.DB
	told func(string)
}

func (l listening) LeaseRate(ctx context.Context, name string, r duty.Rate, n int, now time.Time) (int, time.Duration, error) {
	l.told("rate")
	return l.DB.LeaseRate(ctx, name, r, n, now)
}

func (l listening) Operator(ctx context.Context, login string) (operator.Record, error) {
	l.told("read")
	return l.DB.Operator(ctx, login)
}

func (l listening) TryOperator(ctx context.Context, name string, now time.Time, wait func(int) time.Duration) (time.Duration, error) {
	l.told("count")
	return l.DB.TryOperator(ctx, name, now, wait)
}

func (l listening) OpenOperatorSession(ctx context.Context, r operator.Record, step int64, s operator.Session, e operator.Entry) error {
	l.told("open")
	return l.DB.OpenOperatorSession(ctx, r, step, s, e)
}

func (l listening) NoteTrail(ctx context.Context, e operator.Entry) error {
	l.told("note")
	return l.DB.NoteTrail(ctx, e)
}

// TestRefusalsCostTheSame: whatever is wrong with a sign-in, and whether anybody
// has the name or not, the same work is done in the same order, so that the time
// which it takes tells nothing.
func TestRefusalsCostTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openHouse(t, filepath.Join(t.TempDir(), "central.db"), masterKey(1))
		right := h.person("asha", operator.Admin)
		h.person("gone", operator.Viewer)
		if err := h.desk.Disable(t.Context(), "gone", boss); err != nil {
			t.Fatal(err)
		}
		if _, err := h.desk.Add(t.Context(), "coming", "Meera", operator.Viewer, boss); err != nil {
			t.Fatal(err)
		}
		var did []string
		told := func(work string) { did = append(did, work) }
		desk, err := operator.New(listening{h.db, told}, h.safe, operator.Config{Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler), Cost: cheap})
		if err != nil {
			t.Fatal(err)
		}
		desk.Watch(told)
		want := []string{"rate", "rate", "read", "count", "hash $argon2id$v=19$m=8,t=1,p=1", "code of 20 bytes", "note"}
		for name, c := range map[string]struct {
			login, password string
			code            func() secret.OTP
		}{
			"an unknown name":                 {"nobody", rightPassword, func() secret.OTP { return h.next(right) }},
			"a wrong password":                {"asha", "wrong", func() secret.OTP { return h.next(right) }},
			"a wrong code":                    {"asha", rightPassword, func() secret.OTP { return secret.NewOTP("000000") }},
			"both":                            {"asha", "wrong", func() secret.OTP { return secret.NewOTP("000000") }},
			"nothing typed":                   {"asha", "", func() secret.OTP { return secret.OTP{} }},
			"nothing typed, an unknown name":  {"nobody", "", func() secret.OTP { return secret.OTP{} }},
			"a person who was put out":        {"gone", rightPassword, func() secret.OTP { return h.next(right) }},
			"a person who has not set up yet": {"coming", rightPassword, func() secret.OTP { return h.next(right) }},
			"more than a password can have":   {"asha", string(make([]byte, 10_000)), func() secret.OTP { return h.next(right) }},
		} {
			code := c.code()
			wait(t.Context(), time.Hour) // after wrong tries names wait
			if name == "a wrong password" || name == "an unknown name" {
				code = h.code(right)
			}
			did = nil
			if _, err := desk.SignIn(t.Context(), c.login, secret.NewToken(c.password), code, here); !errors.Is(err, operator.ErrWrong) {
				t.Errorf("%s: %v", name, err)
			}
			if !slices.Equal(did, want) {
				t.Errorf("%s did %q, want %q", name, did, want)
			}
		}
		wait(t.Context(), time.Hour)
		did = nil
		if _, err := desk.SignIn(t.Context(), "asha", secret.NewToken(rightPassword), h.code(right), here); err != nil {
			t.Fatal(err)
		}
		if want := append(want[:6:6], "open"); !slices.Equal(did, want) {
			t.Errorf("what is right did %q, want %q", did, want)
		}
		if got := desk.SignIns(); got != (operator.SignIns{Opened: 1, Refused: 9}) {
			t.Errorf("counted %+v", got)
		}
	})
}
