package aeps

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/edge/users"
	"galla/shared/secret"
)

// memoryStore is an in-memory users.Store.
type memoryStore map[string][]byte

func (d memoryStore) GetCache(name string) ([]byte, time.Time, bool, error) {
	v, ok := d[name]
	return v, time.Time{}, ok, nil
}

func (d memoryStore) PutCache(name string, value []byte, _ time.Time) error {
	d[name] = value
	return nil
}

// staffed is the fake counter with real users.
type staffed struct {
	*fake
	real *users.Service
}

func (s staffed) EnabledUsers(ctx context.Context) []edge.User { return s.real.EnabledUsers(ctx) }

func (s staffed) CheckPIN(ctx context.Context, operator string, pin secret.OTP) (edge.User, error) {
	return s.real.CheckPIN(ctx, operator, pin)
}

func (s staffed) ChangePIN(ctx context.Context, operator string, old, pin secret.OTP) error {
	return s.real.ChangePIN(ctx, operator, old, pin)
}

// TestRealUsersOverRestarts: after a restart the page still knows the own PIN and the
// wait after wrong ones.
func TestRealUsersOverRestarts(t *testing.T) {
	disk := memoryStore{}
	phc, err := users.HashPIN(secret.NewOTP(rightPIN), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	start := func() (*users.Service, *uitest.Client) {
		t.Helper()
		p, err := users.New(disk, users.Config{
			Agent: users.Agent{Name: "Fatima", PINHash: phc}, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := compose(staffed{newFake(), p}, testConfig())
		if err != nil {
			t.Fatal(err)
		}
		srv := uitest.Start(t, s.Handler())
		t.Cleanup(srv.Close)
		t.Cleanup(s.Close)
		return p, uitest.NewClient(t, srv.URL, srv.Client().Transport)
	}
	p, v := start()
	asha, err := p.Add(edge.AgentID, users.NewUser{Name: "Asha", Role: edge.RoleOperator, PIN: secret.NewOTP(initialPINValue)})
	if err != nil {
		t.Fatal(err)
	}
	v.Get("/unlock", http.StatusOK)
	uitest.Contains(t, v.Post("/unlock", http.StatusOK, "who", asha.ID, "pin", initialPINValue), "Choose your own PIN")
	v.Post("/unlock", http.StatusSeeOther, "who", asha.ID, "own", "8264", "again", "8264")
	_, v = start()
	v.Get("/unlock", http.StatusOK)
	for range 4 {
		v.Post("/unlock", http.StatusUnauthorized, "who", asha.ID, "pin", initialPINValue) // the initial PIN is wrong now
	}
	v.Post("/unlock", http.StatusTooManyRequests, "who", asha.ID, "pin", initialPINValue)
	_, v = start()
	uitest.Contains(t, v.Get("/unlock?who="+asha.ID, http.StatusOK), `class="said">Too many wrong PINs`, `data-waits="{&#34;`+asha.ID)
	v.Post("/unlock", http.StatusTooManyRequests, "who", asha.ID, "pin", "8264")
	v.Post("/unlock", http.StatusSeeOther, "who", edge.AgentID, "pin", rightPIN) // no other user has to wait
}
