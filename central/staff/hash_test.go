package staff_test

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"galla/central/staff"
	"galla/shared/password"
	"galla/shared/secret"
)

func TestHashIsStrengthened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		factor := h.person("asha", staff.Admin)
		stored := func() string {
			t.Helper()
			r, err := h.db.MemberAccount(t.Context(), "asha")
			if err != nil {
				t.Fatal(err)
			}
			return r.Password
		}
		weak := stored()
		dearer := cheap
		dearer.Passes++
		service, err := staff.New(storeOf(h.db), h.vault, staff.Config{Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler), Cost: dearer})
		if err != nil {
			t.Fatal(err)
		}
		h.service = service
		time.Sleep(time.Minute)
		if _, err := service.SignIn(t.Context(), "asha", secret.NewToken("a wrong password"), h.code(factor), address); !errors.Is(err, staff.ErrWrong) || stored() != weak {
			t.Errorf("after a wrong password: %v", err)
		}
		time.Sleep(time.Minute)
		h.signsIn("asha", factor)
		strong := stored()
		if strong == weak || password.Weaker(strong, dearer) {
			t.Errorf("the hash is %.30s", strong)
		}
		time.Sleep(time.Minute)
		h.signsIn("asha", factor)
		if stored() != strong {
			t.Error("a strong hash was made anew")
		}
	})
}
