package console

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/keys"
	"galla/central/selfservice"
	"galla/central/staff"
	"galla/central/store"
	"galla/central/webhook"
	"galla/shared/op"
	"galla/shared/password"
	"galla/shared/secret"
)

const (
	vendorOne central.VendorID   = "b0000000-0000-4000-8000-000000000001"
	vendorTwo central.VendorID   = "b0000000-0000-4000-8000-000000000002"
	shopTwo   central.MerchantID = "c0000000-0000-4000-8000-000000000009"
)

// portalHarness is a portal over the database of a console, served over TLS. Vendor one has
// an owner, a member, two keys, a program, a shop with a callback; vendor two an owner only.
type portalHarness struct {
	*harness // whose server is the portal's
	portal   *Portal
	people   *staff.Service
	own      *selfservice.Service
	key      keys.Issued
	secret   webhook.NewSecret
	late     op.ID
}

// cheapSecret hashes a program's secret with little work.
func cheapSecret(s secret.Key, random io.Reader) (string, error) {
	return password.Hash(secret.NewToken(string(s.Reveal())), random, cheap)
}

func newPortalHarness(t testing.TB) *portalHarness {
	t.Helper()
	p := &portalHarness{harness: newHarness(t)}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	db := p.db
	must(db.Seed(t.Context(), store.Seed{
		Vendors: []central.Vendor{{ID: vendorOne, LegalName: "Sahyadri Fintech", Active: true}, {ID: vendorTwo, LegalName: "Deccan Pay", Active: true}},
		Merchants: []central.Merchant{
			{ID: shop, MID: "GAL0000001", LegalName: "Lakshmi Kirana Store", Vendor: vendorOne, Status: central.MerchantApproved, HasInfo: true, AEPSReady: true, TID: "GAL00001", Mobile: mobile},
			{ID: shopTwo, MID: "GAL0000009", LegalName: "Charminar General", Vendor: vendorTwo, Status: central.MerchantApproved, HasInfo: true, TID: "GAL00009", Mobile: "9800000009"},
		},
	}))
	sum := sha256.Sum256([]byte("master"))
	masters := []secret.Key{secret.NewKey(sum[:])}
	ring, err := keys.NewVendorKeys(db, masters, rand.Reader)
	must(err)
	secrets, err := webhook.NewVault(db, masters, rand.Reader)
	must(err)
	log := p.staff.AuditLog
	issuer := accounts.NewClientIssuer(db, cheapSecret, rand.Reader)
	p.own, err = selfservice.New(selfservice.Parts{
		Keys: keys.NewAudited(ring, log), Clients: db, Secrets: accounts.NewAudited(issuer, db, nil, log), Callbacks: webhook.NewAudited(db, secrets, log, true), Merchants: db, Operations: db,
	})
	must(err)
	logger := slog.New(slog.NewTextHandler(&p.log, nil))
	p.people, err = staff.New(db.ForStaff(), p.vault, staff.Config{Realm: staff.Portal(), Rand: rand.Reader, Logger: logger, Cost: cheap})
	must(err)
	for _, one := range []struct {
		login  string
		role   staff.Role
		vendor central.VendorID
	}{{"owner-one", staff.Owner, vendorOne}, {"member-one", staff.PortalMember, vendorOne}, {"owner-two", staff.Owner, vendorTwo}} {
		must(p.people.Within(one.vendor).EnsurePreset(t.Context(), staff.Preset{
			Login: one.login, Name: "Meera Joshi", Role: one.role, Password: secret.NewToken(rightPassword), Factor: key(one.login),
		}, staff.Actor{From: "test"}))
	}
	by := staff.Actor{From: "test"}
	p.key, err = p.own.AddKey(t.Context(), by, vendorOne)
	must(err)
	made, err := issuer.NewClient(t.Context(), central.Principal{Role: op.Vendor, Vendor: vendorOne})
	must(err)
	_, err = p.own.AddSecret(t.Context(), by, vendorOne, made.ID, time.Time{})
	must(err)
	must(p.own.SetEndpoint(t.Context(), by, vendorOne, shop, "http://127.0.0.1:9/galla"))
	p.secret, err = p.own.AddCallbackSecret(t.Context(), by, vendorOne, shop, time.Time{})
	must(err)
	p.operation(t, 1, time.Minute, op.Succeeded)
	p.late = p.operation(t, 2, time.Hour, op.Pending).ID
	_, err = db.Finish(t.Context(), central.FinalOutcome{ID: p.late, To: op.Reversed, At: time.Now(), Reason: "asked", Answer: central.BankAnswer{Code: "22"}, HTTP: 200, Reply: []byte("{}")})
	must(err)
	p.portal, err = NewPortal(PortalParts{People: p.people, Own: p.own, Vendors: db}, Config{Node: "central-1", LocalName: localName, Rand: rand.Reader, Logger: logger})
	must(err)
	p.server = httptest.NewTLSServer(p.portal.Handler())
	p.server.URL = "https://example.com:443"
	t.Cleanup(p.server.Close)
	return p
}

// enters signs a person of a vendor in, and types a code for privileged forms.
func (p *portalHarness) enters(t testing.TB, login string) *browser {
	t.Helper()
	v := p.browser(t)
	v.get("/portal/sign-in", http.StatusOK)
	code, err := staff.NewFactor(login, key(login)).CodeAt(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if to := v.post("/portal/sign-in", http.StatusSeeOther, "login", login, "password", rightPassword, "code", code.Reveal()); to != "/portal/" {
		t.Fatalf("signing in leads to %s", to)
	}
	v.get("/portal/me", http.StatusOK)
	if to := v.post("/portal/step-up", http.StatusSeeOther, "step_up", v.nextCode(login), "next", "/portal/me"); to != "/portal/me" {
		t.Fatalf("the step-up leads to %s", to)
	}
	return v
}

// client is vendor one's program.
func (p *portalHarness) client(t testing.TB) accounts.Client {
	t.Helper()
	list, err := p.own.Clients(t.Context(), vendorOne)
	if err != nil || len(list) != 1 {
		t.Fatalf("the programs of vendor one: %+v, %v", list, err)
	}
	return list[0]
}

var wildcard = regexp.MustCompile(`\{(\w+)\}`)

// TestPortalTenants walks every route of the portal with vendor one's ids as an owner of
// vendor two: each is answered as an id that does not exist, and nothing changes.
func TestPortalTenants(t *testing.T) {
	p := newPortalHarness(t)
	two := p.enters(t, "owner-two")
	ids := map[string]string{
		"operation": string(p.late), "merchant": string(shop), "secret": string(p.secret.ID), "key": string(p.key.ID), "client": p.client(t).ID, "login": "member-one",
	}
	none := map[string]string{
		"operation": "0193519c-0000-7000-8000-999999999999", "merchant": "c0000000-0000-4000-8000-0000000000ff", "secret": "0190e000-0000-7000-8000-0000000000ff",
		"key": "d0000000-0000-4000-8000-0000000000ff", "client": "vendor-none", "login": "nobody",
	}
	before, walked := p.state(t), 0
	for _, r := range p.portal.routes {
		method, path, _ := strings.Cut(r.pattern, " ")
		if !strings.Contains(path, "{") {
			continue
		}
		walked++
		ask := func(ids map[string]string) (int, string) {
			at := wildcard.ReplaceAllStringFunc(path, func(name string) string {
				if name == "{secret}" && strings.Contains(path, "/clients/") {
					return "1"
				}
				return ids[strings.Trim(name, "{}")]
			})
			request := two.request(method, at, nil)
			if method == http.MethodPost {
				request = two.form(at, "url", "http://127.0.0.1:9/stolen", "days", "0", "role", string(staff.Owner), "confirmed", "yes")
			}
			reply, body := two.do(request)
			for _, id := range ids {
				body = strings.ReplaceAll(body, id, "ID")
			}
			return reply.StatusCode, token.ReplaceAllString(body, "")
		}
		status, foreign := ask(ids)
		_, missing := ask(none)
		if status != http.StatusNotFound || foreign != missing {
			t.Errorf("%s: HTTP %d; as one that does not exist: %v\n%s", r.pattern, status, foreign == missing, foreign)
		}
		hasNot(t, foreign, "Lakshmi", "member-one", "Sahyadri")
	}
	if walked < 12 {
		t.Errorf("only %d routes name something", walked)
	}
	if after := p.state(t); after != before {
		t.Errorf("vendor one's state was\n%s\nand is\n%s", before, after)
	}
	// Lists have nothing of vendor one, also where they are told its ids.
	for _, list := range []string{"home", "operations?merchant=" + string(shop), "operations.csv?merchant=" + string(shop), "merchants?text=" + string(shop), "callbacks?merchant=" + string(shop), "keys", "clients", "people"} {
		page := two.get("/portal/"+list, http.StatusOK)
		hasNot(t, page, "Lakshmi", "GL261121", string(p.late), string(p.key.ID), ids["client"], "member-one")
	}
	for _, list := range []string{"operations", "callbacks"} {
		two.get("/portal/"+list+"?after="+string(p.late), http.StatusNotFound)
	}
	for _, entry := range p.did(t) {
		if strings.Contains(entry, "owner-two/"+string(shop)) || strings.Contains(entry, "owner-two/member-one") && !strings.HasSuffix(entry, "refused") {
			t.Errorf("the audit log has %s", entry)
		}
	}
}

// state is what vendor one has, as text.
func (p *portalHarness) state(t testing.TB) string {
	t.Helper()
	all, err := p.own.Keys(t.Context(), vendorOne)
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.own.Endpoint(t.Context(), vendorOne, shop)
	if err != nil {
		t.Fatal(err)
	}
	own, err := p.own.Endpoint(t.Context(), vendorOne, "")
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := p.own.Callback(t.Context(), vendorOne, p.late)
	if err != nil {
		t.Fatal(err)
	}
	people, err := p.people.Within(vendorOne).Members(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%+v\n%+v\n%+v\n%+v\n%+v\n%+v", all, e, own, c, people, p.client(t))
}

// TestPortalAndConsoleAreApart: an account and a session of one are nobody's in the other.
func TestPortalAndConsoleAreApart(t *testing.T) {
	p := newPortalHarness(t)
	code := func(login string) string {
		c, err := staff.NewFactor(login, key(login)).CodeAt(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return c.Reveal()
	}
	v := p.browser(t)
	v.get("/portal/sign-in", http.StatusOK)
	v.post("/portal/sign-in", http.StatusUnauthorized, "login", "asha", "password", rightPassword, "code", code("asha"))
	atConsole := secret.NewOTP(code("owner-one"))
	if _, err := p.staff.SignIn(t.Context(), "owner-one", secret.NewToken(rightPassword), atConsole, "127.0.0.1"); err == nil {
		t.Error("an owner signed in to the console")
	}
	in, err := p.people.SignIn(t.Context(), "member-one", secret.NewToken(rightPassword), secret.NewOTP(code("member-one")), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.staff.Session(t.Context(), in.Token, false); err == nil {
		t.Error("a session of the portal opens the console")
	}
	admin, err := p.staff.SignIn(t.Context(), "asha", secret.NewToken(rightPassword), secret.NewOTP(code("asha")), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.people.Session(t.Context(), admin.Token, false); err == nil {
		t.Error("a session of the console opens the portal")
	}
	for _, one := range []struct {
		service *staff.Service
		login   string
	}{{p.staff, "owner-one"}, {p.people, "asha"}, {p.people.Within(vendorTwo), "member-one"}} {
		by := staff.Actor{Login: "x", From: "test"}
		if err := one.service.Disable(t.Context(), one.login, by); err == nil {
			t.Errorf("%s was disabled from another realm", one.login)
		}
		if _, err := one.service.Reset(t.Context(), one.login, by); err == nil {
			t.Errorf("%s was reset from another realm", one.login)
		}
		if err := one.service.SetRole(t.Context(), one.login, staff.Operator, by); err == nil {
			t.Errorf("the role of %s was set from another realm", one.login)
		}
	}
	list, err := p.staff.Members(t.Context())
	if err != nil || len(list) != 4 {
		t.Errorf("the console lists %+v, %v", list, err)
	}
}

// TestPortalPayments: a vendor's people see what its merchants received by UPI and what was
// returned, in the list, as a file, and one by one; another vendor's people do not.
func TestPortalPayments(t *testing.T) {
	p := newPortalHarness(t)
	paid := p.payment(t, 1, returned)
	member := p.enters(t, "member-one")
	page := member.get("/portal/operations", http.StatusOK)
	has(t, page, `<option value="UPI_PAYMENT">UPI payment</option>`, `<option value="UPI_REFUND">UPI payment returned</option>`, paid.ID, paid.Refund.ID)
	page = member.get("/portal/operations?type=UPI_PAYMENT", http.StatusOK)
	has(t, page, `<a href="/portal/operations/`+string(paid.Operation)+`">`+paid.ID+"</a>", "₹12.50", paid.RRN)
	hasNot(t, page, paid.Refund.ID, "GL261121")
	file := member.get("/portal/operations.csv?type=UPI_REFUND", http.StatusOK)
	has(t, file, string(paid.RefundOperation)+",", ",UPI_REFUND,succeeded,12.50,"+paid.Refund.ID+",,,"+paid.Refund.RRN+",00,,")
	page = member.get("/portal/operations/"+string(paid.Operation), http.StatusOK)
	has(t, page, "The network received it by UPI.", "UPI payment", paid.RRN)
	hasNot(t, page, "STAN", "<dt>Sent</dt>")
	has(t, member.get("/portal/operations/"+string(paid.RefundOperation), http.StatusOK), "The bank returned the payment to its payer.")
	other := p.enters(t, "owner-two")
	hasNot(t, other.get("/portal/operations", http.StatusOK), paid.ID)
	other.get("/portal/operations/"+string(paid.Operation), http.StatusNotFound)
}

// TestPortalForms: a member and an owner do what they are there for. A member manages nobody,
// and a suspended vendor's people nothing.
func TestPortalForms(t *testing.T) {
	p := newPortalHarness(t)
	member := p.enters(t, "member-one")
	has(t, member.get("/portal/home", http.StatusOK), "Sahyadri Fintech", "Operations", "₹500")
	has(t, member.get("/portal/operations", http.StatusOK), "GL261121000001", "XXXXXXXX7058", "Download CSV")
	has(t, member.get("/portal/operations/"+string(p.late), http.StatusOK), "reversed", "AEPS-NR-")
	file := member.get("/portal/operations.csv", http.StatusOK)
	if lines := strings.Count(strings.TrimSpace(file), "\n"); lines != 2 {
		t.Errorf("the file has %d operations:\n%s", lines, file)
	}
	has(t, member.get("/portal/operations?from=2026-02-01&to=2026-01-01", http.StatusUnprocessableEntity), "Choose From and To")
	has(t, member.get("/portal/merchants", http.StatusOK), "Lakshmi Kirana Store")
	here := "/portal/merchants/" + string(shop)
	has(t, member.get(here, http.StatusOK), "http://127.0.0.1:9/galla", string(p.secret.ID))
	has(t, member.post(here+"/endpoint", http.StatusUnprocessableEntity, "url", "ftp://x"), "Nothing was changed")
	member.post(here+"/endpoint", http.StatusSeeOther, "url", "http://127.0.0.1:9/other")
	has(t, member.post(here+"/endpoint", http.StatusOK, "url", ""), "Remove the callback URL of this merchant?")
	has(t, member.post(here+"/secrets", http.StatusOK), "whsec_")
	has(t, member.post(here+"/secrets", http.StatusConflict), "end one first")
	member.post(here+"/secrets/"+string(p.secret.ID)+"/end", http.StatusSeeOther, "days", "7")
	has(t, member.get(here, http.StatusOK), "ends ")
	has(t, member.post(here+"/secrets/"+string(p.secret.ID)+"/end", http.StatusUnprocessableEntity, "days", "91"), "at most 90 days")
	member.post(here+"/secrets/"+string(p.secret.ID)+"/end", http.StatusSeeOther, "days", "0")
	if strings.Contains(member.get(here, http.StatusOK), string(p.secret.ID)) {
		t.Error("a secret that has ended is live")
	}
	has(t, member.get("/portal/endpoint", http.StatusOK), "of all merchants without a URL")
	has(t, member.post("/portal/endpoint", http.StatusUnprocessableEntity, "url", "ftp://x"), "Nothing was changed")
	member.post("/portal/endpoint", http.StatusSeeOther, "url", "http://127.0.0.1:9/shared")
	own := codeShown.FindStringSubmatch(member.post("/portal/endpoint/secrets", http.StatusOK))[1]
	has(t, member.get("/portal/endpoint", http.StatusOK), "http://127.0.0.1:9/shared", own)
	member.post(here+"/endpoint", http.StatusSeeOther, "url", "", "confirmed", "yes")
	has(t, member.get(here, http.StatusOK), "your own URL", "http://127.0.0.1:9/shared")
	member.post("/portal/endpoint/secrets/"+own+"/end", http.StatusSeeOther, "days", "30")
	member.post(here+"/endpoint", http.StatusSeeOther, "url", "http://127.0.0.1:9/other")
	has(t, member.post("/portal/endpoint", http.StatusOK, "url", ""), "Remove your callback URL?")
	has(t, member.get("/portal/callbacks", http.StatusOK), string(p.late))
	has(t, member.get("/portal/callbacks/"+string(p.late), http.StatusOK), "No attempts yet")
	member.post("/portal/callbacks/"+string(p.late)+"/resend", http.StatusSeeOther)

	has(t, member.get("/portal/keys", http.StatusOK), string(p.key.ID), "live")
	has(t, member.post("/portal/keys", http.StatusOK), "vk_", "not shown again")
	has(t, member.post("/portal/keys", http.StatusConflict), "end one first")
	member.post("/portal/keys/"+string(p.key.ID)+"/end", http.StatusSeeOther, "days", "7")
	has(t, member.get("/portal/keys", http.StatusOK), "ends ")
	has(t, member.post("/portal/keys/"+string(p.key.ID)+"/end", http.StatusUnprocessableEntity, "days", "soon"), "Choose when it ends")
	member.post("/portal/keys/"+string(p.key.ID)+"/end", http.StatusSeeOther, "days", "0")
	has(t, member.get("/portal/keys", http.StatusOK), "ended")
	client := p.client(t)
	at := "/portal/clients/" + client.ID + "/secrets"
	has(t, member.get("/portal/clients", http.StatusOK), client.ID, "Both are live")
	has(t, member.post(at, http.StatusConflict), "end one first")
	member.post(at+"/1/end", http.StatusSeeOther, "days", "0")
	has(t, member.post(at+"/2/end", http.StatusConflict, "days", "0"), "only secret")
	has(t, member.post(at, http.StatusOK), "client_secret")

	has(t, member.get("/portal/people", http.StatusForbidden), "signed in as member", "needs the role owner")
	stranger := p.browser(t)
	stranger.get("/portal/set-up", http.StatusOK)
	refused := stranger.post("/portal/set-up", http.StatusUnauthorized, "login", "nobody", "setup", "aaaa-bbbb-cccc-dddd-eeee")
	has(t, refused, "ask an owner of your company")
	hasNot(t, refused, "galla-central")
	owner := p.enters(t, "owner-one")
	has(t, owner.get("/portal/people", http.StatusOK), "member-one", "owner")
	has(t, owner.post("/portal/people", http.StatusOK, "login", "new-one", "name", "Arjun Pawar", "role", string(staff.PortalMember)), "/portal/set-up", "new-one")
	has(t, owner.post("/portal/people", http.StatusUnprocessableEntity, "login", "x1", "name", "Arjun Pawar", "role", string(staff.Viewer)), "A role is member or owner")
	has(t, owner.get("/portal/people/new-one", http.StatusOK), "Arjun Pawar", "member")
	owner.post("/portal/people/new-one/role", http.StatusSeeOther, "role", string(staff.Owner))
	owner.post("/portal/people/new-one/disable", http.StatusSeeOther, "confirmed", "yes")
	has(t, owner.post("/portal/people/owner-one/disable", http.StatusConflict, "confirmed", "yes"), "the last")
	has(t, owner.post("/portal/people/member-one/reset", http.StatusOK, "confirmed", "yes"), "Set-up code")
	if to := member.get("/portal/home", http.StatusSeeOther); !strings.HasPrefix(to, "/portal/sign-in") {
		t.Errorf("after a reset the member's session leads to %s", to)
	}
	entries, err := p.staff.Entries(t.Context(), staff.AuditQuery{Person: "owner-one", Limit: 100})
	if err != nil || len(entries) == 0 {
		t.Fatalf("the owner's entries: %v, %v", entries, err)
	}
	for _, e := range entries {
		if origin := (staff.Actor{From: e.From}).Origin(); !strings.HasPrefix(origin, "portal, ") {
			t.Errorf("%s is from %q", e.Action, origin)
		}
	}
	if err := p.db.SetVendorActive(t.Context(), vendorOne, false); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/portal/home", "/portal/keys", "/portal/operations.csv"} {
		has(t, owner.get(path, http.StatusForbidden), "is not active")
	}
	owner.post("/portal/keys", http.StatusForbidden)
}

// TestPortalStepUp: every form that changes something asks for a code, or says why not.
func TestPortalStepUp(t *testing.T) {
	p := newPortalHarness(t)
	for _, r := range p.portal.routes {
		method, _, _ := strings.Cut(r.pattern, " ")
		if method == http.MethodPost && !r.public && r.noStepUp == "" && !r.needsStepUp() {
			t.Errorf("%s asks for no code", r.pattern)
		}
	}
	v := p.browser(t)
	v.get("/portal/sign-in", http.StatusOK)
	code, err := staff.NewFactor("member-one", key("member-one")).CodeAt(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	v.post("/portal/sign-in", http.StatusSeeOther, "login", "member-one", "password", rightPassword, "code", code.Reveal())
	v.get("/portal/keys", http.StatusOK)
	has(t, v.post("/portal/keys", http.StatusUnauthorized), "Enter an authenticator code")
	if list, err := p.own.Keys(t.Context(), vendorOne); err != nil || len(list) != 1 {
		t.Errorf("a key was made without a code: %v, %v", list, err)
	}
}
