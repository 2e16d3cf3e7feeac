package users_test

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/ui/uitest"
	uiusers "galla/edge/ui/users"
	"galla/edge/users"
	"galla/shared/secret"
)

// memoryStore is an in-memory users.Store.
type memoryStore map[string][]byte

func (s memoryStore) GetCache(name string) ([]byte, time.Time, bool, error) {
	v, ok := s[name]
	return v, time.Time{}, ok, nil
}

func (s memoryStore) PutCache(name string, value []byte, _ time.Time) error {
	s[name] = value
	return nil
}

// serve serves the pages over the real users.
func serve(t *testing.T) (*users.Service, *uitest.Server, *uitest.Client) {
	t.Helper()
	phc, err := users.HashPIN(secret.NewOTP("2580"), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	number, err := secret.ParseAadhaar(uitest.AgentAadhaar)
	if err != nil {
		t.Fatal(err)
	}
	p, err := users.New(memoryStore{}, users.Config{
		Agent: users.Agent{Name: "Fatima", PINHash: phc, Aadhaar: number}, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := uiusers.New(p, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h := uitest.Serve(t, uitest.NewCounter(), pages)
	v := h.NewClient(t)
	v.Login()
	return p, h, v
}

// TestAnOwnerManages takes every step on the pages.
func TestAnOwnerManages(t *testing.T) {
	p, h, v := serve(t)
	uitest.Contains(t, v.Get("/users", http.StatusOK), "Fatima", "Owner")
	page := v.Post("/users/add", http.StatusUnprocessableEntity, "name", "Asha", "role", "operator", "pin", "1234")
	uitest.Contains(t, page, "easy to guess", `value="Asha"`)
	uitest.NotContains(t, page, "1234")
	v.Post("/users/add", http.StatusUnprocessableEntity, "name", "Asha", "role", "operator", "pin", "7391", "number", "1111")
	v.Post("/users/add", http.StatusSeeOther, "name", "Asha", "role", "operator", "pin", "7391", "number", uitest.CustomerAadhaar)
	asha := p.EnabledUsers(t.Context())[1]
	at := "/users/" + asha.ID
	uitest.Contains(t, v.Get(at, http.StatusOK), "XXXXXXXX7058")
	other := h.NewClient(t)
	other.GetRedirect("/enter?operator=" + asha.ID + "&name=Asha&role=operator")
	other.Get("/pin", http.StatusOK)
	v.Post(at+"/pin", http.StatusSeeOther, "pin", "8264")
	if to := other.GetRedirect("/pin"); !strings.HasPrefix(to, "/unlock") {
		t.Errorf("Asha's page is open after another PIN was set: %s", to)
	}
	if _, err := p.CheckPIN(t.Context(), asha.ID, secret.NewOTP("8264")); !errors.Is(err, users.ErrPINMustChange) {
		t.Error(err)
	}
	uitest.Contains(t, v.Get("/users", http.StatusOK), "own PIN not set yet")
	v.Post(at+"/name", http.StatusSeeOther, "name", "Usha")
	uitest.Contains(t, v.Post(at+"/disable", http.StatusOK), "Remove Usha&#39;s access?", "signed out at once", `name="sure" value="yes"`)
	uitest.NotContains(t, v.Get("/users", http.StatusOK), "No access")
	v.Post(at+"/disable", http.StatusSeeOther, "sure", "yes")
	uitest.Contains(t, v.Get("/users", http.StatusOK), "Usha", "No access")
	v.Post(at+"/name", http.StatusUnprocessableEntity, "name", "Asha")
	v.Post(at+"/enable", http.StatusSeeOther, "pin", "7391")
	uitest.Contains(t, v.Post("/users/agent/disable", http.StatusUnprocessableEntity, "sure", "yes"), "needs an owner")
	uitest.Contains(t, v.Get("/users/agent", http.StatusOK), `href="/pin"`)
	uitest.Contains(t, v.Post("/users/agent/pin", http.StatusUnprocessableEntity, "pin", "8264"), "under My PIN")
	v.Post(at+"/role", http.StatusSeeOther, "role", "operator") // unchanged: nothing to confirm
	uitest.Contains(t, v.Post(at+"/role", http.StatusOK, "role", "owner"), "Make Usha an owner?", `name="role" value="owner"`)
	v.Post(at+"/role", http.StatusUnprocessableEntity, "role", "king")
	v.Post(at+"/role", http.StatusSeeOther, "role", "owner", "sure", "yes")
	if got := p.EnabledUsers(t.Context())[1].Role; got != edge.RoleOwner {
		t.Errorf("Usha is %s", got)
	}
	uitest.Contains(t, v.Post(at+"/role", http.StatusOK, "role", "operator"), "Make Usha an operator?")
	v.Get("/users/nobody", http.StatusNotFound)
	v.Post(at+"/fire", http.StatusNotFound)
}

// TestAnOperatorManagesNobody: an owner's pages and steps are closed to an operator, the
// own PIN is not.
func TestAnOperatorManagesNobody(t *testing.T) {
	p, _, v := serve(t)
	asha, err := p.Add(edge.AgentID, users.NewUser{Name: "Asha", Role: edge.RoleOperator, PIN: secret.NewOTP("7391")})
	if err != nil {
		t.Fatal(err)
	}
	v.GetRedirect("/enter?operator=" + asha.ID + "&name=Asha&role=operator")
	v.Get("/users", http.StatusForbidden)
	v.Get("/pin", http.StatusOK)
	v.Post("/users/agent/disable", http.StatusForbidden)
	v.Post("/users/add", http.StatusForbidden, "name", "Ravi", "role", "owner", "pin", "8264")
	v.Post("/pin", http.StatusForbidden, "old", "0000", "pin", "8264", "again", "8264")
	v.Post("/pin", http.StatusUnprocessableEntity, "old", "7391", "pin", "1234", "again", "1234")
	uitest.Contains(t, v.Post("/pin", http.StatusUnprocessableEntity, "old", "7391", "pin", "8264", "again", "8265"), "differ")
	uitest.Contains(t, v.Post("/pin", http.StatusUnprocessableEntity, "old", "7391", "pin", "7391", "again", "7391"), "Choose another")
	v.Post("/pin", http.StatusSeeOther, "old", "7391", "pin", "8264", "again", "8264")
	if _, err := p.CheckPIN(t.Context(), asha.ID, secret.NewOTP("8264")); err != nil {
		t.Error(err)
	}
}
