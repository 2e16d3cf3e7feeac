package crew_test

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/crew"
	"galla/edge/people"
	"galla/edge/web/webtest"
	"galla/shared/secret"
)

// shelf is people.Store in memory.
type shelf map[string][]byte

func (s shelf) Cached(name string) ([]byte, time.Time, bool, error) {
	v, ok := s[name]
	return v, time.Time{}, ok, nil
}

func (s shelf) Cache(name string, value []byte, _ time.Time) error {
	s[name] = value
	return nil
}

// serve gives the pages over the real operators.
func serve(t *testing.T) (*people.People, *webtest.House, *webtest.Visitor) {
	t.Helper()
	phc, err := people.HashPIN(secret.NewOTP("2580"), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	number, err := secret.ParseAadhaar(webtest.AgentAadhaar)
	if err != nil {
		t.Fatal(err)
	}
	p, err := people.New(shelf{}, people.Config{
		Agent: people.Agent{Name: "Fatima", PINHash: phc, Aadhaar: number}, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	room, err := crew.New(p)
	if err != nil {
		t.Fatal(err)
	}
	h := webtest.Serve(t, webtest.NewCounter(), room)
	v := h.Visitor(t)
	v.Enter()
	return p, h, v
}

// TestAnOwnerManages takes every step on the pages.
func TestAnOwnerManages(t *testing.T) {
	p, h, v := serve(t)
	webtest.Has(t, v.Get("/people", http.StatusOK), "Fatima", "Owner")
	page := v.Post("/people/add", http.StatusUnprocessableEntity, "name", "Asha", "role", "operator", "pin", "1234")
	webtest.Has(t, page, "easy to guess", `value="Asha"`)
	webtest.HasNot(t, page, "1234")
	v.Post("/people/add", http.StatusUnprocessableEntity, "name", "Asha", "role", "operator", "pin", "7391", "number", "1111")
	v.Post("/people/add", http.StatusSeeOther, "name", "Asha", "role", "operator", "pin", "7391", "number", webtest.CustomerAadhaar)
	asha := p.Working(t.Context())[1]
	at := "/people/" + asha.ID
	webtest.Has(t, v.Get(at, http.StatusOK), "XXXXXXXX7058")
	other := h.Visitor(t)
	other.Leads("/enter?operator=" + asha.ID + "&name=Asha&role=operator")
	other.Get("/pin", http.StatusOK)
	v.Post(at+"/pin", http.StatusSeeOther, "pin", "8264")
	if to := other.Leads("/pin"); !strings.HasPrefix(to, "/unlock") {
		t.Errorf("Asha's page is open after another PIN was set: %s", to)
	}
	if _, err := p.CheckPIN(t.Context(), asha.ID, secret.NewOTP("8264")); !errors.Is(err, people.ErrPINGiven) {
		t.Error(err)
	}
	webtest.Has(t, v.Get("/people", http.StatusOK), "own PIN not chosen yet")
	v.Post(at+"/name", http.StatusSeeOther, "name", "Usha")
	webtest.Has(t, v.Post(at+"/out", http.StatusOK), "Put out Usha?", "locked out at once", `name="sure" value="yes"`)
	webtest.HasNot(t, v.Get("/people", http.StatusOK), "Left")
	v.Post(at+"/out", http.StatusSeeOther, "sure", "yes")
	webtest.Has(t, v.Get("/people", http.StatusOK), "Usha", "Left")
	v.Post(at+"/name", http.StatusUnprocessableEntity, "name", "Asha")
	v.Post(at+"/in", http.StatusSeeOther, "pin", "7391")
	webtest.Has(t, v.Post("/people/agent/out", http.StatusUnprocessableEntity, "sure", "yes"), "needs an owner")
	webtest.Has(t, v.Get("/people/agent", http.StatusOK), `href="/pin"`)
	webtest.Has(t, v.Post("/people/agent/pin", http.StatusUnprocessableEntity, "pin", "8264"), "under My PIN")
	v.Post(at+"/role", http.StatusSeeOther, "role", "operator") // as it is: nothing to ask
	webtest.Has(t, v.Post(at+"/role", http.StatusOK, "role", "owner"), "Make Usha an owner?", `name="role" value="owner"`)
	v.Post(at+"/role", http.StatusUnprocessableEntity, "role", "king")
	v.Post(at+"/role", http.StatusSeeOther, "role", "owner", "sure", "yes")
	if got := p.Working(t.Context())[1].Role; got != edge.RoleOwner {
		t.Errorf("Usha is %s", got)
	}
	webtest.Has(t, v.Post(at+"/role", http.StatusOK, "role", "operator"), "Make Usha an operator?")
	v.Get("/people/nobody", http.StatusNotFound)
	v.Post(at+"/fire", http.StatusNotFound)
}

// TestAnOperatorManagesNobody: the pages and steps of an owner are closed, the
// own PIN is not.
func TestAnOperatorManagesNobody(t *testing.T) {
	p, _, v := serve(t)
	asha, err := p.Add(edge.AgentID, people.NewPerson{Name: "Asha", Role: edge.RoleOperator, PIN: secret.NewOTP("7391")})
	if err != nil {
		t.Fatal(err)
	}
	v.Leads("/enter?operator=" + asha.ID + "&name=Asha&role=operator")
	v.Get("/people", http.StatusForbidden)
	v.Get("/pin", http.StatusOK)
	v.Post("/people/agent/out", http.StatusForbidden)
	v.Post("/people/add", http.StatusForbidden, "name", "Ravi", "role", "owner", "pin", "8264")
	v.Post("/pin", http.StatusForbidden, "old", "0000", "pin", "8264", "again", "8264")
	v.Post("/pin", http.StatusUnprocessableEntity, "old", "7391", "pin", "1234", "again", "1234")
	webtest.Has(t, v.Post("/pin", http.StatusUnprocessableEntity, "old", "7391", "pin", "8264", "again", "8265"), "differ")
	webtest.Has(t, v.Post("/pin", http.StatusUnprocessableEntity, "old", "7391", "pin", "7391", "again", "7391"), "Choose another")
	v.Post("/pin", http.StatusSeeOther, "old", "7391", "pin", "8264", "again", "8264")
	if _, err := p.CheckPIN(t.Context(), asha.ID, secret.NewOTP("8264")); err != nil {
		t.Error(err)
	}
}
