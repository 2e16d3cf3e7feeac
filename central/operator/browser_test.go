package operator_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central/operator"
	"galla/shared/secret"
)

// TestStrangersKeepNobodyOut: whoever tries a name again and again, from wherever,
// keeps its owner out only of browsers that nobody knows. The owner's own wrong
// tries wait all the same, and a mark is worth nothing for anybody else, nor for
// ever.
func TestStrangersKeepNobodyOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		place := filepath.Join(t.TempDir(), "central.db")
		h, other := openHouse(t, place, masterKey(1)), openHouse(t, place, masterKey(1))
		f := h.person("asha", operator.Admin)
		h.person("ravi", operator.Operator)
		mark, err := h.desk.Mark("asha")
		if err != nil {
			t.Fatal(err)
		}
		in := func(on *house, typed string, code secret.OTP, mark secret.Token) error {
			_, err := on.desk.SignInMarked(t.Context(), "Asha", secret.NewToken(typed), code, here, mark)
			return err
		}
		var waits *operator.WaitError
		flood := func(name string) {
			t.Helper()
			for n := range 200 { // from addresses of their own
				waits = nil
				_, err := h.desk.SignIn(t.Context(), name, secret.NewToken("wrong"), secret.OTP{}, fmt.Sprintf("192.0.2.%d", n))
				if n > 100 && !errors.As(err, &waits) {
					t.Fatalf("try %d of a stranger: %v", n, err)
				}
			}
		}
		flood("asha")
		if err := in(h, rightPassword, h.code(f), secret.Token{}); !errors.As(err, &waits) {
			t.Errorf("a browser that nobody knows: %v", err)
		}
		wait(t.Context(), 30*time.Second) // for a code that was not used
		flood("asha")
		if err := in(other, rightPassword, h.code(f), mark); err != nil {
			t.Errorf("her own browser, while strangers try: %v", err)
		}
		if err := in(h, rightPassword, h.code(f), secret.Token{}); !errors.As(err, &waits) {
			t.Errorf("her sign-in gave strangers their tries back: %v", err)
		}
		ravis, err := h.desk.Mark("ravi")
		if err != nil {
			t.Fatal(err)
		}
		for name, bad := range map[string]secret.Token{
			"another's": ravis, "nothing": secret.NewToken("x"), "a long one": secret.NewToken(strings.Repeat("A", 300)), "a changed one": secret.NewToken(mark.Reveal()[:20] + "AAAA" + mark.Reveal()[24:]),
		} {
			if err := in(h, rightPassword, h.code(f), bad); !errors.As(err, &waits) {
				t.Errorf("with %s mark: %v", name, err)
			}
		}
		for n := range 5 {
			if err := in(h, "wrong", secret.OTP{}, mark); !errors.Is(err, operator.ErrWrong) {
				t.Fatalf("wrong try %d with a mark: %v", n+1, err)
			}
		}
		if err := in(other, rightPassword, h.code(f), mark); !errors.As(err, &waits) {
			t.Errorf("after five wrong tries with a mark: %v", err)
		}
		wait(t.Context(), operator.BrowserLife)
		flood("asha")
		if err := in(h, rightPassword, h.code(f), mark); !errors.As(err, &waits) {
			t.Errorf("a mark that is over: %v", err)
		}
	})
}

// TestOneNetwork: a machine has as many addresses of IPv6 as it likes, and they
// count as one.
func TestOneNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		var waits *operator.WaitError
		n := 0
		for ; n < 50; n++ {
			_, err := h.desk.SignIn(t.Context(), fmt.Sprintf("name%d", n), secret.NewToken("wrong"), secret.OTP{}, fmt.Sprintf("2001:db8::%x", n+1))
			if errors.As(err, &waits) {
				break
			}
		}
		if n > 30 {
			t.Errorf("one machine tried %d names", n)
		}
		if _, err := h.desk.SignIn(t.Context(), "name", secret.NewToken("wrong"), secret.OTP{}, "2001:db8:0:1::1"); !errors.Is(err, operator.ErrWrong) {
			t.Errorf("another network: %v", err)
		}
	})
}
