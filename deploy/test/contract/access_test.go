package contract

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/admincli"
	"galla/central/store"
	"galla/shared/op"
	"galla/shared/partner"
)

// access walks every route as every role, with each state that its caller can have. It
// checks only who is admitted, not what a route does.
type access struct {
	*system
	db        *store.DB
	bankAdmin *admincli.Clients
	acting    map[op.RouteID]bool // routes that act for one merchant, whom a vendor names
	probes    int
	by        map[string]int // probes by state
}

// newAccess opens a system of its own: it is going to be suspended.
func newAccess(t *testing.T) *access {
	t.Helper()
	a := &access{
		system: &system{tokens: map[string]string{}, http: &http.Client{Timeout: time.Minute}},
		by:     map[string]int{},
	}
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	t.Cleanup(func() { cancel(); ended.Wait() })
	if err := a.open(ctx, &ended, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	var err error
	if a.db, err = store.OpenSQLite(t.Context(), filepath.Join(a.cfg.Data, "central", "central.db"), store.Config{Node: "access", Logger: log}); err != nil {
		t.Fatal(err)
	}
	if a.bankAdmin, err = admincli.OpenClients(t.Context(), admincli.Config{Data: a.cfg.Data, Node: "access", Rand: rand.Reader, Logger: log}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, close := range []func() error{a.db.Close, a.bankAdmin.Close} {
			if err := close(); err != nil {
				t.Error(err)
			}
		}
	})
	_, a.acting = parameters(t)
	return a
}

// tenant is a merchant and its vendor.
type tenant struct{ merchant, vendor string }

// Parties of different vendors.
var partyOne, partyTwo = tenant{merchant1, vendor1}, tenant{merchant3, vendor2}

// probe calls a route for a tenant's records with a token, and counts.
func (a *access) probe(t *testing.T, standing string, r op.Route, token string, of tenant) answer {
	t.Helper()
	a.probes++
	a.by[standing]++
	path := strings.NewReplacer(":vendorId", of.vendor, ":slabId", of.vendor, ":id", of.vendor,
		":merchantId", of.merchant, ":keyId", of.vendor, ":clientId", of.vendor, ":secretId", of.vendor, ":operationId", of.vendor).Replace(r.Path)
	// A complete slab, too: only then is the owner the one thing that is wrong.
	body := jsonOf(t, fields{"merchantId": of.merchant, "paymentMethod": "AEPS", "provider": "NSDL", "txnType": "ACCESS", "rateType": "FIXED", "commissionRate": json.Number("1"), "url": "http://127.0.0.1:9/galla"})
	if r.Method == http.MethodGet {
		if a.acting[r.ID] {
			path += "?merchantId=" + url.QueryEscape(of.merchant)
		}
		body = nil
	}
	return a.send(t, r.Method, path, body, "Authorization", "Bearer "+token)
}

// program makes a further program of a role's party, and gives its id and a token.
func (a *access) program(t *testing.T, role op.Role) (id, password, token string) {
	t.Helper()
	party := map[op.Role]string{op.Merchant: "merchant:" + merchant1, op.Vendor: "vendor:" + vendor1, op.Aggregator: "aggregator:" + aggregator1}[role]
	var out bytes.Buffer
	if err := a.bankAdmin.Add(t.Context(), party, &out); err != nil {
		t.Fatal(err)
	}
	found := credential.FindStringSubmatch(out.String())
	if found == nil {
		t.Fatalf("no credential: %s", out.String())
	}
	return found[1], found[2], a.grant(t, found[1], found[2])
}

// credential finds a new program's id and secret in what a command printed.
var credential = regexp.MustCompile(`client_id\s+(\S+)\nclient_secret\s+(\S+)`)

// grant gets a token for a program.
func (h *system) grant(t *testing.T, id, password string) string {
	t.Helper()
	reply := h.form(t, "/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {password}})
	token, _ := reply.body["access_token"].(string)
	if token == "" {
		t.Fatalf("token of %s: HTTP %d %s", id, reply.http, reply.raw)
	}
	return token
}

// over waits until a node has read that a token is void: a second at most.
func (a *access) over(t *testing.T, token string) {
	t.Helper()
	eventually(t, "the token is refused", func() bool {
		return a.send(t, "GET", "/limits", nil, "Authorization", "Bearer "+token).http == http.StatusUnauthorized
	})
}

// counts waits until the node has read a suspension: a second at most. Before that an
// acting route finds the merchant, or none of that name.
func (a *access) counts(t *testing.T, table []op.Route, client string, of tenant) {
	t.Helper()
	at := slices.IndexFunc(table, func(r op.Route) bool { return a.acting[r.ID] && r.Allows(op.Merchant) && r.Allows(op.Vendor) })
	eventually(t, "the suspension counts", func() bool {
		reply := a.probe(t, "until the suspension counts", table[at], a.token(t, client), of)
		return reply.http == 422 && reply.body["statusCode"] == "05"
	})
}

// TestWhoGetsIn walks every route as every role that lost its access: as a suspended
// client, with a token of before a new secret, while its merchant and its vendor are
// suspended; and sealed, with a key that was revoked. TestMatrix walks them as those who
// have theirs.
func TestWhoGetsIn(t *testing.T) {
	t.Parallel() // with the other test that has a system of its own
	a := newAccess(t)
	var table []op.Route
	for _, r := range op.Table() {
		if r.Entrances&op.Direct != 0 {
			table = append(table, r)
		}
	}
	for _, client := range []string{m1, v1} {
		a.token(t, client) // while they get one
	}
	for _, role := range []op.Role{op.Merchant, op.Vendor, op.Aggregator} {
		a.voided(t, table, role)
	}
	if err := a.db.SetMerchantStatus(t.Context(), merchant1, central.MerchantApproved, central.MerchantSuspended); err != nil {
		t.Fatal(err)
	}
	a.counts(t, table, m1, partyOne)
	a.suspendedMerchant(t, table)
	if err := a.db.SetVendorActive(t.Context(), vendor1, false); err != nil {
		t.Fatal(err)
	}
	a.counts(t, table, v1, partyTwo)
	for _, r := range table {
		if r.Allows(op.Vendor) {
			a.probe(t, "vendor suspended", r, a.token(t, v1), partyOne).is(422, "05").bare()
			a.probe(t, "vendor suspended", r, a.token(t, v1), partyTwo).is(422, "05").bare()
		}
	}
	a.sealedRoutes(t)
	t.Logf("%d routes, %d probes: %v", len(table), a.probes, a.by)
	if a.probes < 10*len(table) {
		t.Errorf("only %d probes", a.probes)
	}
}

// voided: a token is void after its client was suspended, also when the client is
// enabled again, and after its secret was changed.
func (a *access) voided(t *testing.T, table []op.Route, role op.Role) {
	all := func(standing, token string) {
		for _, r := range table {
			if len(r.Roles) > 0 {
				a.probe(t, standing, r, token, partyOne).is(401, "03").bare()
			}
		}
	}
	id, password, token := a.program(t, role)
	var out bytes.Buffer
	if err := a.bankAdmin.SetActive(t.Context(), id, false, &out); err != nil {
		t.Fatal(err)
	}
	a.over(t, token)
	all("client suspended", token)
	if err := a.bankAdmin.SetActive(t.Context(), id, true, &out); err != nil {
		t.Fatal(err)
	}
	a.grant(t, id, password) // for which the node reads the client's current state
	all("client let in again", token)
	id, _, token = a.program(t, role)
	if err := a.bankAdmin.Renew(t.Context(), id, &out); err != nil {
		t.Fatal(err)
	}
	a.over(t, token)
	all("another secret", token)
}

// suspendedMerchant: neither the merchant nor its vendor gets anything for it.
func (a *access) suspendedMerchant(t *testing.T, table []op.Route) {
	for _, r := range table {
		if r.Allows(op.Merchant) {
			a.probe(t, "merchant suspended", r, a.token(t, m1), partyOne).is(422, "05").bare()
		} else if len(r.Roles) > 0 {
			a.probe(t, "merchant suspended", r, a.token(t, m1), partyOne).is(403, "01").bare()
		}
		if r.Allows(op.Vendor) && a.acting[r.ID] {
			a.probe(t, "merchant suspended", r, a.token(t, v1), partyOne).is(422, "05").bare()
		}
	}
}

// sealedRoutes: at the gateway a suspended vendor gets that error, and a revoked key opens
// nothing.
func (a *access) sealedRoutes(t *testing.T) {
	p := newPartner(t, a.system)
	var table []op.Route
	for _, r := range op.Table() {
		if r.Entrances&op.Gateway != 0 && !strings.Contains(r.Path, ":") && r.Allows(op.Vendor) {
			table = append(table, r)
		}
	}
	call := func(standing string, r op.Route, of tenant) (partner.Reply, error) {
		a.probes++
		a.by[standing]++
		return p.Call(t.Context(), r.Method, r.Path, fields{"merchantId": of.merchant})
	}
	for _, r := range table {
		if reply, err := call("sealed, vendor suspended", r, partyOne); err != nil || reply.Status != 422 || reply.Code != "05" {
			t.Errorf("%s, sealed, of a suspended vendor: HTTP %d %s, %v", r.ID, reply.Status, reply.Body, err)
		}
	}
	if err := a.db.SetVendorActive(t.Context(), vendor1, true); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(table, func(r op.Route) bool { return a.acting[r.ID] })
	eventually(t, "the vendor is let in again", func() bool {
		reply, err := call("until the suspension ends", table[at], partyTwo)
		return err == nil && reply.Status == 404
	})
	keys, err := a.db.VendorKeysOf(t.Context(), vendor1)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if err := a.db.RevokeVendorKey(t.Context(), k.ID, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	var plain *partner.Error
	refused := func(err error) bool { return errors.As(err, &plain) && plain.Status == http.StatusUnauthorized }
	eventually(t, "the revoked key is refused", func() bool {
		_, err := p.Call(t.Context(), "GET", "/aeps/banks", fields{})
		return refused(err)
	})
	for _, r := range table {
		if reply, err := call("sealed, key revoked", r, partyOne); !refused(err) {
			t.Errorf("%s, with a revoked key: HTTP %d %s, %v", r.ID, reply.Status, reply.Body, err)
		}
	}
}
