package contract

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"

	"galla/shared/envelope"
	"galla/shared/op"
	"galla/shared/partner"
	"galla/shared/secret"
)

// caller is who calls, and for whose records: a vendor names one of its merchants.
type caller struct {
	name   string  // for people
	client string  // the client, or at the uplink whose terminal
	role   op.Role // empty: nobody, or nobody who proves it
	of     tenant
}

// Callers beside those of the sandbox.
const (
	agg2        = "another aggregator"
	aggregator2 = "a0000000-0000-4000-8000-0000000000a2"
	nobody      = ""
	forged      = "forged" // a token, or a key, that nobody issued
)

// sibling is another merchant of party one's vendor.
var sibling = tenant{merchant2, vendor1}

// entrance is a door of op.Table's routes.
type entrance interface {
	flag() op.Entrance
	callers() []caller
	// ask calls a route; params are those of the path.
	ask(t *testing.T, who caller, r op.Route, params map[string]string, f fields) answer
	// refuses checks the answer to a caller who may not call a route at this door.
	refuses(t *testing.T, who caller, r op.Route, a answer)
}

// identity is the field of a probe that becomes the request's identity, which each entrance
// has in a place of its own. It is a UUID.
const identity = "Idempotency-Key"

// newIdentity gives an identity that was never used.
func newIdentity() string { return uuid.Must(uuid.NewV7()).String() }

// pathOf fills in a route's path.
func pathOf(r op.Route, params map[string]string) string {
	return pathParam.ReplaceAllStringFunc(r.Path, func(name string) string { return url.PathEscape(params[name]) })
}

// directEntrance is the door of programs with an access token.
type directEntrance struct{ m *matrix }

func (directEntrance) flag() op.Entrance { return op.Direct }

func (directEntrance) callers() []caller {
	return []caller{
		{"nobody", nobody, "", partyOne}, {"a forged token", forged, "", partyOne},
		{"merchant one", m1, op.Merchant, partyOne}, {"its sibling", m2, op.Merchant, sibling}, {"another merchant", m3, op.Merchant, partyTwo},
		{"vendor one", v1, op.Vendor, partyOne}, {"vendor one for the sibling", v1, op.Vendor, sibling}, {"another vendor", v2, op.Vendor, partyTwo},
		{"the aggregator", agg, op.Aggregator, partyOne}, {agg2, agg2, op.Aggregator, partyTwo},
	}
}

func (d directEntrance) ask(t *testing.T, who caller, r op.Route, params map[string]string, f fields) answer {
	t.Helper()
	path, body := pathOf(r, params), jsonOf(t, with(f, fields{identity: nil}))
	var header []string
	if id, ok := f[identity].(string); ok {
		header = append(header, identity, id)
	}
	if r.Method == http.MethodGet {
		query := url.Values{}
		for name, value := range f {
			query.Set(name, value.(string))
		}
		path, body = path+"?"+query.Encode(), nil
	}
	switch token := d.m.programs[who.client]; {
	case who.client == nobody:
	case who.client == forged:
		header = append(header, "Authorization", "Bearer "+forged)
	case token != "":
		header = append(header, "Authorization", "Bearer "+token)
	default:
		header = append(header, "Authorization", "Bearer "+d.m.token(t, who.client))
	}
	return d.m.send(t, r.Method, path, body, header...)
}

func (directEntrance) refuses(t *testing.T, who caller, r op.Route, a answer) {
	t.Helper()
	switch {
	case r.Entrances&op.Direct == 0:
		if a.http != 404 && a.http != 405 || a.body["statusCode"] != "04" {
			t.Errorf("%s, which is not here, as %s: HTTP %d %s", r.ID, who.name, a.http, a.raw)
		}
	case who.role == "":
		if a.http != 401 || a.body["statusCode"] != "03" || a.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s as %s: HTTP %d %s", r.ID, who.name, a.http, a.raw)
		}
	case a.http != 403 || a.body["statusCode"] != "01":
		t.Errorf("%s as %s: HTTP %d %s", r.ID, who.name, a.http, a.raw)
	}
	a.bare()
}

// gatewayEntrance is the door of sealed messages.
type gatewayEntrance struct{ programs map[string]*partner.Client }

// impostor has vendor one's API key, and not its key.
const impostor = "impostor"

func (m *matrix) newGateway(t *testing.T) gatewayEntrance {
	t.Helper()
	counting := func(first byte) secret.Key {
		key := make([]byte, envelope.KeySize)
		for i := range key {
			key[i] = first + byte(i)
		}
		return secret.NewKey(key)
	}
	g := gatewayEntrance{map[string]*partner.Client{}}
	for name, x := range map[string]struct {
		id  string
		key secret.Key
	}{v1: {vendorAPIKey, counting(0)}, v2: {"vk_sandbox_deccan", counting(0x40)}, forged: {"vk_nobody", counting(0)}, impostor: {vendorAPIKey, counting(0x40)}} {
		p, err := partner.New(partner.Config{BaseURL: m.central, ClientID: x.id, Key: x.key, Rand: rand.Reader, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		g.programs[name] = p
	}
	return g
}

func (gatewayEntrance) flag() op.Entrance { return op.Gateway }

func (gatewayEntrance) callers() []caller {
	return []caller{
		{"an unknown key", forged, "", partyOne}, {"vendor one's id under another key", impostor, "", partyOne},
		{"vendor one", v1, op.Vendor, partyOne}, {"vendor one for the sibling", v1, op.Vendor, sibling}, {"another vendor", v2, op.Vendor, partyTwo},
	}
}

func (g gatewayEntrance) ask(t *testing.T, who caller, r op.Route, params map[string]string, f fields) answer {
	t.Helper()
	path := pathOf(r, params)
	var options []partner.Option
	if id, ok := f[identity].(string); ok {
		options = append(options, partner.WithRequestID(id))
	}
	reply, err := g.programs[who.client].Call(t.Context(), r.Method, path, with(f, fields{identity: nil}), options...)
	a := answer{t: t, asked: "sealed " + r.Method + " " + path, http: reply.Status, header: http.Header{}, raw: reply.Body}
	var plain *partner.Error
	switch {
	case errors.As(err, &plain) && plain.Status != 0:
		a.http = plain.Status
	case err != nil:
		t.Fatalf("%s as %s: %v", a.asked, who.name, err)
	}
	a.read()
	return a
}

func (gatewayEntrance) refuses(t *testing.T, who caller, r op.Route, a answer) {
	t.Helper()
	if who.role == "" && (a.http != 401 || a.raw != nil) || who.role != "" && (a.http != 403 || a.body["statusCode"] != "01") {
		t.Errorf("%s, sealed, as %s: HTTP %d %s", r.ID, who.name, a.http, a.raw)
	}
	a.bare()
}

// read fills in the reply's fields.
func (a *answer) read() {
	d := json.NewDecoder(bytes.NewReader(a.raw))
	d.UseNumber()
	_ = d.Decode(&a.body) // a reply that is no object has no fields
}
