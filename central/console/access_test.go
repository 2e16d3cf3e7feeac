package console_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/google/uuid"

	"galla/central"
	"galla/central/staff"
)

// minted requests an enrolment code with a token, and returns it where there is one.
func (h *system) minted(t testing.TB, bearer string) (code string, status int) {
	t.Helper()
	status, text := h.as(t, bearer, "POST", "/terminals", "{}")
	var reply struct{ Data struct{ Code string } }
	if err := json.Unmarshal([]byte(text), &reply); err != nil {
		t.Fatal(err)
	}
	return reply.Data.Code, status
}

// enrolWith enrols a terminal with a code, over HTTP.
func (h *system) enrolWith(t testing.TB, code, name string) (id central.TerminalID, status int) {
	t.Helper()
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]string{"code": code, "publicKey": base64.StdEncoding.EncodeToString(public), "name": name})
	if err != nil {
		t.Fatal(err)
	}
	status, text := h.as(t, "none", "POST", "/terminals/enrol", string(body))
	var reply struct {
		Data struct{ TerminalID central.TerminalID }
	}
	if err := json.Unmarshal([]byte(text), &reply); err != nil {
		t.Fatal(err)
	}
	return reply.Data.TerminalID, status
}

// out waits until a token is not accepted any more: within a second, while nodes still
// use what they read of a client.
func (h *system) out(t testing.TB, what, bearer string) {
	t.Helper()
	for ends := time.Now().Add(30 * time.Second); ; {
		status, text := h.as(t, bearer, "GET", "/aeps/authStatus", "")
		if status == http.StatusUnauthorized {
			return
		}
		if time.Now().After(ends) {
			t.Fatalf("%s: the token still opens: HTTP %d %s", what, status, text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// TestASuspendedProgramIsOut: a suspension or a new secret ends a program's tokens,
// its unused enrolment codes and its way to make new codes. The terminals that its
// codes enrolled are shown, so that people decide on them.
func TestASuspendedProgramIsOut(t *testing.T) {
	h := newSystem(t)
	asha := h.enter(t, staff.Admin)
	here := "/console/merchants/" + shop
	credential := func(page string) (id, key string) {
		t.Helper()
		all := shownKey.FindAllStringSubmatch(page, -1)
		if len(all) != 2 {
			t.Fatalf("no credential on the page: %s", page)
		}
		return all[0][1], all[1][1]
	}
	id, key := credential(asha.post(here+"/clients", http.StatusOK))
	for _, c := range []struct {
		what string
		end  func()
	}{
		{"suspended", func() {
			if to := asha.post(here+"/clients/"+id+"/active", http.StatusSeeOther, "to", "suspended", "confirmed", "yes"); to != here+"/clients/"+id+"?done=client-off" {
				t.Errorf("leads to %s", to)
			}
		}},
		{"with another secret", func() {
			page := asha.post(here+"/clients/"+id+"/secret", http.StatusOK, "confirmed", "yes")
			has(t, page, here+"/clients/"+id)
			_, key = credential(page)
		}},
	} {
		bearer, _, text := h.token(t, id, key)
		if bearer == "" {
			t.Fatalf("%s: no token to begin with: %s", c.what, text)
		}
		used, status := h.minted(t, bearer)
		if status != http.StatusCreated {
			t.Fatalf("%s: no code to begin with: HTTP %d", c.what, status)
		}
		terminal, status := h.enrolWith(t, used, "Enrolled, then "+c.what)
		if status != http.StatusCreated {
			t.Fatalf("%s: not enrolled to begin with: HTTP %d", c.what, status)
		}
		open, _ := h.minted(t, bearer)
		has(t, asha.get(here+"/clients/"+id, http.StatusOK), "1 open")
		c.end()
		if code, status := h.minted(t, bearer); code != "" || status != http.StatusUnauthorized {
			t.Errorf("%s: it makes another code: HTTP %d", c.what, status)
		}
		if _, status := h.enrolWith(t, open, "Too late"); status != http.StatusUnauthorized {
			t.Errorf("%s: the code that was open enrols: HTTP %d", c.what, status)
		}
		h.out(t, c.what, bearer)
		page := asha.get(here+"/clients/"+id, http.StatusOK)
		has(t, page, "Enrolled, then "+c.what, "/console/terminals/"+string(terminal), "none open")
		hasNot(t, page, "Too late")
		has(t, asha.get("/console/terminals/"+string(terminal), http.StatusOK), id, here+"/clients/"+id)
		if c.what == "suspended" {
			asha.post(here+"/clients/"+id+"/active", http.StatusSeeOther, "to", "active")
			h.out(t, "let in again", bearer)
		}
	}
	has(t, asha.get(here, http.StatusOK), here+"/clients/"+id, "2 terminals")
	asha.get("/console/vendors/"+vendor+"/clients/"+id, http.StatusNotFound)
}

// TestTheNewestTerminalsAreSeen: of a program with more terminals than a page lists,
// its page and the merchant's show the newest first, say how many there are, and lead
// to all of them.
func TestTheNewestTerminalsAreSeen(t *testing.T) {
	h := newSystem(t)
	ravi := h.enter(t, staff.Operator)
	const all = 107
	at := time.Now()
	var newest, oldest central.TerminalID
	for i := range all {
		hash := [32]byte{byte(i), 1}
		at = at.Add(time.Millisecond)
		if err := h.db.AddEnrolmentCode(t.Context(), hash, shop, central.Credential{Client: "merchant-lakshmi"}, at, at.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		x, err := h.db.EnrolTerminal(t.Context(), hash, central.Terminal{ID: central.TerminalID(uuid.Must(uuid.NewV7()).String()), Name: fmt.Sprintf("Counter %d", i), PublicKey: make([]byte, 32), CreatedAt: at})
		if err != nil {
			t.Fatal(err)
		}
		if newest = x.ID; i == 0 {
			oldest = x.ID
		}
	}
	if err := h.db.RevokeTerminal(t.Context(), oldest, at); err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`href="/console/terminals/([^"]+)"`)
	next := regexp.MustCompile(`href="([^"]+)">Next page of terminals<`)
	for _, from := range []string{"/console/merchants/" + shop + "/clients/merchant-lakshmi", "/console/merchants/" + shop, "/console/terminals?merchant=" + shop} {
		seen := map[string]bool{}
		var last string
		for page := ravi.get(from, http.StatusOK); ; {
			if len(seen) == 0 {
				has(t, page, fmt.Sprintf("%d live and 1 revoked, of which this page shows 50", all-1))
				if first := row.FindStringSubmatch(page); first == nil || first[1] != string(newest) {
					t.Errorf("%s begins with %q, want %s", from, first, newest)
				}
			}
			for _, m := range row.FindAllStringSubmatch(page, -1) {
				last = m[1]
				if seen[last] {
					t.Fatalf("%s lists %s again", from, last)
				}
				seen[last] = true
			}
			to := next.FindStringSubmatch(page)
			if to == nil {
				break
			}
			page = ravi.get(html.UnescapeString(to[1]), http.StatusOK)
		}
		if len(seen) != all || last != string(oldest) {
			t.Errorf("%s leads to %d of %d terminals, at last to %s, want the revoked %s", from, len(seen), all, last, oldest)
		}
	}
	ravi.get("/console/terminals?merchant="+shop+"&after=none", http.StatusNotFound)
}

// TestASuspendedPartyIsOut: tokens are checked with every request, and the enrolment
// codes that a vendor's program made end with the vendor.
func TestASuspendedPartyIsOut(t *testing.T) {
	h := newSystem(t)
	asha := h.enter(t, staff.Admin)
	merchant, _, _ := h.token(t, "merchant-lakshmi", "sandbox-merchant-1")
	asha.post("/console/merchants/"+shop+"/status", http.StatusSeeOther, "from", "APPROVED", "to", "SUSPENDED", "confirmed", "yes")
	if status, text := h.as(t, merchant, "GET", "/aeps/authStatus", ""); status != http.StatusUnprocessableEntity {
		t.Errorf("a suspended merchant: HTTP %d %s", status, text)
	}
	asha.post("/console/merchants/"+shop+"/status", http.StatusSeeOther, "from", "SUSPENDED", "to", "APPROVED", "confirmed", "yes")

	partner, _, _ := h.token(t, "vendor-sahyadri", "sandbox-vendor-1")
	status, text := h.as(t, partner, "POST", "/terminals", `{"merchantId":"`+shop+`"}`)
	var reply struct{ Data struct{ Code string } }
	if err := json.Unmarshal([]byte(text), &reply); err != nil || status != http.StatusCreated {
		t.Fatalf("a vendor's code: HTTP %d %s", status, text)
	}
	asha.post("/console/vendors/"+vendor+"/active", http.StatusSeeOther, "to", "suspended", "confirmed", "yes")
	if status, text := h.as(t, partner, "GET", "/vendor/me", ""); status != http.StatusUnprocessableEntity {
		t.Errorf("a suspended vendor: HTTP %d %s", status, text)
	}
	if _, status := h.enrolWith(t, reply.Data.Code, "Too late"); status != http.StatusUnauthorized {
		t.Errorf("a suspended vendor's code enrols: HTTP %d", status)
	}
}
