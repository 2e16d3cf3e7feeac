package screen

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/people"
	"galla/edge/web/webtest"
	"galla/shared/secret"
)

// drawer is people.Store in memory.
type drawer map[string][]byte

func (d drawer) Cached(name string) ([]byte, time.Time, bool, error) {
	v, ok := d[name]
	return v, time.Time{}, ok, nil
}

func (d drawer) Cache(name string, value []byte, _ time.Time) error {
	d[name] = value
	return nil
}

// staffed is the fake counter with real operators.
type staffed struct {
	*fake
	real *people.People
}

func (s staffed) Working(ctx context.Context) []edge.Operator { return s.real.Working(ctx) }

func (s staffed) CheckPIN(ctx context.Context, operator string, pin secret.OTP) (edge.Operator, error) {
	return s.real.CheckPIN(ctx, operator, pin)
}

func (s staffed) ChangePIN(ctx context.Context, operator string, old, pin secret.OTP) error {
	return s.real.ChangePIN(ctx, operator, old, pin)
}

// TestRealOperatorsOverRestarts: the own PIN in place of the owner's, and the wait
// after wrong ones, are what the page says after the program was started again.
func TestRealOperatorsOverRestarts(t *testing.T) {
	disk := drawer{}
	phc, err := people.HashPIN(secret.NewOTP(rightPIN), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	start := func() (*people.People, *webtest.Visitor) {
		t.Helper()
		p, err := people.New(disk, people.Config{
			Agent: people.Agent{Name: "Fatima", PINHash: phc}, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(staffed{newFake(), p}, testConfig())
		if err != nil {
			t.Fatal(err)
		}
		srv := webtest.Start(t, s.Handler())
		t.Cleanup(srv.Close)
		t.Cleanup(s.Close)
		return p, webtest.Visit(t, srv.URL, srv.Client().Transport)
	}
	p, v := start()
	asha, err := p.Add(edge.AgentID, people.NewPerson{Name: "Asha", Role: edge.RoleOperator, PIN: secret.NewOTP(givenPIN)})
	if err != nil {
		t.Fatal(err)
	}
	v.Get("/unlock", http.StatusOK)
	webtest.Has(t, v.Post("/unlock", http.StatusOK, "who", asha.ID, "pin", givenPIN), "Choose your own PIN")
	v.Post("/unlock", http.StatusSeeOther, "who", asha.ID, "own", "8264", "again", "8264")
	_, v = start()
	v.Get("/unlock", http.StatusOK)
	for range 4 {
		v.Post("/unlock", http.StatusUnauthorized, "who", asha.ID, "pin", givenPIN) // the owner's is wrong now
	}
	v.Post("/unlock", http.StatusTooManyRequests, "who", asha.ID, "pin", givenPIN)
	_, v = start()
	webtest.Has(t, v.Get("/unlock?who="+asha.ID, http.StatusOK), `class="said">Too many wrong PINs`, `data-waits="{&#34;`+asha.ID)
	v.Post("/unlock", http.StatusTooManyRequests, "who", asha.ID, "pin", "8264")
	v.Post("/unlock", http.StatusSeeOther, "who", edge.AgentID, "pin", rightPIN) // nobody else waits
}
