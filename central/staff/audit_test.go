package staff_test

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

	"galla/central/ratelimit"
	"galla/central/staff"
	"galla/central/store"
	"galla/shared/secret"
)

// storeOf makes a Store of a database that a test wraps.
func storeOf(db interface {
	staff.MemberStore
	staff.SessionStore
	staff.AttemptStore
	staff.AuditStore
	staff.ViewStore
	ratelimit.Buckets
}) staff.Store {
	return staff.Store{MemberStore: db, SessionStore: db, AttemptStore: db, AuditStore: db, ViewStore: db, Buckets: db}
}

// listening records which work a sign-in does in the database.
type listening struct {
	*store.DB
	record func(string)
}

func (l listening) TakeRateTokens(ctx context.Context, name string, r ratelimit.Rate, n int, now time.Time) (int, time.Duration, error) {
	l.record("rate")
	return l.DB.TakeRateTokens(ctx, name, r, n, now)
}

func (l listening) MemberAccount(ctx context.Context, login string) (staff.Account, error) {
	l.record("read")
	return l.DB.MemberAccount(ctx, login)
}

func (l listening) CountStaffAttempt(ctx context.Context, name string, now time.Time, wait func(int) time.Duration) (time.Duration, error) {
	l.record("count")
	return l.DB.CountStaffAttempt(ctx, name, now, wait)
}

func (l listening) OpenStaffSession(ctx context.Context, r staff.Account, step int64, s staff.Session, e staff.AuditEntry) error {
	l.record("open")
	return l.DB.OpenStaffSession(ctx, r, step, s, e)
}

func (l listening) AddAuditEntry(ctx context.Context, e staff.AuditEntry) error {
	l.record("note")
	return l.DB.AddAuditEntry(ctx, e)
}

// TestRefusalsCostTheSame: whatever is wrong with a sign-in, and whether the login
// exists or not, the same work is done in the same order, so that its time says
// nothing.
func TestRefusalsCostTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openFixture(t, filepath.Join(t.TempDir(), "central.db"), masterKey(1))
		right := h.person("asha", staff.Admin)
		h.person("gone", staff.Viewer)
		if err := h.service.Disable(t.Context(), "gone", admin); err != nil {
			t.Fatal(err)
		}
		if _, err := h.service.Add(t.Context(), "coming", "Meera", staff.Viewer, admin); err != nil {
			t.Fatal(err)
		}
		var did []string
		record := func(work string) { did = append(did, work) }
		service, err := staff.New(storeOf(listening{h.db, record}), h.vault, staff.Config{Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler), Cost: cheap})
		if err != nil {
			t.Fatal(err)
		}
		service.OnVerify(record)
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
			"a person who was disabled":       {"gone", rightPassword, func() secret.OTP { return h.next(right) }},
			"a person who has not set up yet": {"coming", rightPassword, func() secret.OTP { return h.next(right) }},
			"more than a password can have":   {"asha", string(make([]byte, 10_000)), func() secret.OTP { return h.next(right) }},
		} {
			code := c.code()
			wait(t.Context(), time.Hour) // until the waits after wrong attempts are over
			if name == "a wrong password" || name == "an unknown name" {
				code = h.code(right)
			}
			did = nil
			if _, err := service.SignIn(t.Context(), c.login, secret.NewToken(c.password), code, address); !errors.Is(err, staff.ErrWrong) {
				t.Errorf("%s: %v", name, err)
			}
			if !slices.Equal(did, want) {
				t.Errorf("%s did %q, want %q", name, did, want)
			}
		}
		wait(t.Context(), time.Hour)
		did = nil
		if _, err := service.SignIn(t.Context(), "asha", secret.NewToken(rightPassword), h.code(right), address); err != nil {
			t.Fatal(err)
		}
		if want := append(want[:6:6], "open"); !slices.Equal(did, want) {
			t.Errorf("what is right did %q, want %q", did, want)
		}
		if got := service.SignIns(); got != (staff.SignIns{Opened: 1, Refused: 9}) {
			t.Errorf("counted %+v", got)
		}
	})
}
