package staff_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central/staff"
	"galla/shared/secret"
)

// TestUnknownCallersLockNobodyOut: attempts from elsewhere lock a login only for
// unknown browsers. Wrong attempts with a browser token make that browser wait, and a
// token is of no use for another login, nor after its expiry.
func TestUnknownCallersLockNobodyOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		place := filepath.Join(t.TempDir(), "central.db")
		h, other := openFixture(t, place, masterKey(1)), openFixture(t, place, masterKey(1))
		f := h.person("asha", staff.Admin)
		h.person("ravi", staff.Operator)
		token, err := h.service.NewBrowserToken("asha")
		if err != nil {
			t.Fatal(err)
		}
		in := func(on *fixture, typed string, code secret.OTP, token secret.Token) error {
			_, err := on.service.SignInWithBrowserToken(t.Context(), "Asha", secret.NewToken(typed), code, address, token)
			return err
		}
		var waits *staff.WaitError
		flood := func(name string) {
			t.Helper()
			for n := range 200 { // each from another address
				waits = nil
				_, err := h.service.SignIn(t.Context(), name, secret.NewToken("wrong"), secret.OTP{}, fmt.Sprintf("192.0.2.%d", n))
				if n > 100 && !errors.As(err, &waits) {
					t.Fatalf("attempt %d of an unknown caller: %v", n, err)
				}
			}
		}
		flood("asha")
		if err := in(h, rightPassword, h.code(f), secret.Token{}); !errors.As(err, &waits) {
			t.Errorf("an unknown browser: %v", err)
		}
		wait(t.Context(), 30*time.Second) // for a code that was not used
		flood("asha")
		if err := in(other, rightPassword, h.code(f), token); err != nil {
			t.Errorf("a known browser, while others try: %v", err)
		}
		if err := in(h, rightPassword, h.code(f), secret.Token{}); !errors.As(err, &waits) {
			t.Errorf("the sign-in cleared the unknown callers' attempts: %v", err)
		}
		ravis, err := h.service.NewBrowserToken("ravi")
		if err != nil {
			t.Fatal(err)
		}
		for name, bad := range map[string]secret.Token{
			"another's": ravis, "nothing": secret.NewToken("x"), "a long one": secret.NewToken(strings.Repeat("A", 300)), "a changed one": secret.NewToken(token.Reveal()[:20] + "AAAA" + token.Reveal()[24:]),
		} {
			if err := in(h, rightPassword, h.code(f), bad); !errors.As(err, &waits) {
				t.Errorf("token is %s: %v", name, err)
			}
		}
		for n := range 5 {
			if err := in(h, "wrong", secret.OTP{}, token); !errors.Is(err, staff.ErrWrong) {
				t.Fatalf("wrong attempt %d with a token: %v", n+1, err)
			}
		}
		if err := in(other, rightPassword, h.code(f), token); !errors.As(err, &waits) {
			t.Errorf("after five wrong attempts with a token: %v", err)
		}
		wait(t.Context(), staff.BrowserLife)
		flood("asha")
		if err := in(h, rightPassword, h.code(f), token); !errors.As(err, &waits) {
			t.Errorf("an expired token: %v", err)
		}
	})
}

// TestOneNetwork: all IPv6 addresses of a /64 count as one.
func TestOneNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		var waits *staff.WaitError
		n := 0
		for ; n < 50; n++ {
			_, err := h.service.SignIn(t.Context(), fmt.Sprintf("name%d", n), secret.NewToken("wrong"), secret.OTP{}, fmt.Sprintf("2001:db8::%x", n+1))
			if errors.As(err, &waits) {
				break
			}
		}
		if n > 30 {
			t.Errorf("one machine tried %d names", n)
		}
		if _, err := h.service.SignIn(t.Context(), "name", secret.NewToken("wrong"), secret.OTP{}, "2001:db8:0:1::1"); !errors.Is(err, staff.ErrWrong) {
			t.Errorf("another network: %v", err)
		}
	})
}
