package httpapi

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"galla/central"
	"galla/shared/op"
	"galla/shared/password"
	"galla/shared/secret"
	"galla/shared/smalldisk"
)

func basic(id, clientSecret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+clientSecret))
}

const grantType = "grant_type=client_credentials"

func TestTokenRoute(t *testing.T) {
	h := startServer(t, nil)
	good := form("grant_type", "client_credentials", "client_id", "merchant-lakshmi", "client_secret", clientSecret)
	for _, tt := range []struct {
		name       string
		body       string
		headers    []string
		status     int
		word       string
		statusCode string
	}{
		{"form", good, nil, 200, "", ""},
		{"basic", grantType, []string{"Authorization", basic("merchant-lakshmi", clientSecret)}, 200, "", ""},
		{"basic, scheme in lower case", grantType, []string{"Authorization", strings.Replace(basic("merchant-lakshmi", clientSecret), "Basic", "basic", 1)}, 200, "", ""},
		{"basic, form-encoded", grantType, []string{"Authorization", basic("vendor-sahyadri", "p%3A%C3%A4+%2B%25")}, 200, "", ""},
		{"basic and the same client_id", grantType + "&client_id=merchant-lakshmi", []string{"Authorization", basic("merchant-lakshmi", clientSecret)}, 200, "", ""},
		{"parameters of the media type", good, []string{"Content-Type", "x"}, 200, "", ""},
		{"aggregator", form("grant_type", "client_credentials", "client_id", "agg-galla", "client_secret", clientSecret), nil, 200, "", ""},

		{"both at once", good, []string{"Authorization", basic("merchant-lakshmi", clientSecret)}, 400, "invalid_request", "02"},
		{"basic and another client_id", grantType + "&client_id=x", []string{"Authorization", basic("merchant-lakshmi", clientSecret)}, 400, "invalid_request", "02"},
		{"Authorization twice", grantType, []string{"Authorization", basic("a", "b"), "Authorization", basic("c", "d")}, 400, "invalid_request", "02"},
		{"field twice", good + "&client_id=merchant-lakshmi", nil, 400, "invalid_request", "02"},
		{"no grant type", form("client_id", "merchant-lakshmi", "client_secret", clientSecret), nil, 400, "invalid_request", "02"},
		{"another grant type", "grant_type=password", nil, 400, "unsupported_grant_type", "02"},
		{"bad escaping", "grant_type=%zz", nil, 400, "invalid_request", "02"},
		{"too long", good + "&x=" + strings.Repeat("x", maxForm), nil, 400, "invalid_request", "02"},
		{"no credentials", grantType, nil, 401, "invalid_client", "03"},
		{"another scheme", grantType, []string{"Authorization", "Bearer x"}, 401, "invalid_client", "03"},
		{"basic without colon", grantType, []string{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("x"))}, 401, "invalid_client", "03"},
		{"basic no base64", grantType, []string{"Authorization", "Basic ***"}, 401, "invalid_client", "03"},
		{"wrong secret", form("grant_type", "client_credentials", "client_id", "merchant-lakshmi", "client_secret", "x"), nil, 401, "invalid_client", "03"},
		{"unknown client", form("grant_type", "client_credentials", "client_id", "nobody", "client_secret", "x"), nil, 401, "invalid_client", "03"},
		{"unprintable client", form("grant_type", "client_credentials", "client_id", "a\x00b", "client_secret", "x"), nil, 401, "invalid_client", "03"},
		{"endless secret", form("grant_type", "client_credentials", "client_id", "merchant-lakshmi", "client_secret", strings.Repeat("x", 4000)), nil, 401, "invalid_client", "03"},
		{"client switched off", form("grant_type", "client_credentials", "client_id", "merchant-off", "client_secret", clientSecret), nil, 401, "invalid_client", "03"},
		{"merchant not approved", form("grant_type", "client_credentials", "client_id", "merchant-nila", "client_secret", clientSecret), nil, 422, "unauthorized_client", "05"},
		{"vendor not active", form("grant_type", "client_credentials", "client_id", "vendor-gone", "client_secret", clientSecret), nil, 422, "unauthorized_client", "05"},
		{"damaged hash", form("grant_type", "client_credentials", "client_id", "damaged", "client_secret", clientSecret), nil, 500, "server_error", "500"},
		{"incoherent client", form("grant_type", "client_credentials", "client_id", "incoherent", "client_secret", clientSecret), nil, 500, "server_error", "500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			headers := tt.headers
			if len(headers) != 2 || headers[0] != "Content-Type" {
				headers = append([]string{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}, headers...)
			} else {
				headers = []string{"Content-Type", "APPLICATION/x-www-form-urlencoded ;charset=utf-8"}
			}
			a := h.do(t, "POST", "/oauth/token", tt.body, headers...)
			if a.status != tt.status || a.text("error") != tt.word || a.text("statusCode") != tt.statusCode {
				t.Fatalf("HTTP %d %s", a.status, a.body)
			}
			if a.header.Get("Cache-Control") != "no-store" || a.header.Get("Pragma") != "no-cache" {
				t.Errorf("headers are %v", a.header)
			}
			if tt.status == 200 && (a.text("token_type") != "Bearer" || a.fields["expires_in"] != float64(900) || len(a.fields) != 3) {
				t.Errorf("grant is %s", a.body)
			}
			if tt.status != 200 && (a.text("error_description") == "" || a.text("message") == "") {
				t.Errorf("error is %s", a.body)
			}
			if got := a.header.Get("WWW-Authenticate"); (tt.status == 401) != strings.HasPrefix(got, "Basic ") {
				t.Errorf("WWW-Authenticate is %q", got)
			}
		})
	}
	if log := h.log.String(); strings.Contains(log, clientSecret) || strings.Contains(log, "eyJ") {
		t.Errorf("the log holds a secret: %s", log)
	}
	expect(t, h.do(t, "POST", "/oauth/token", `{"grant_type":"client_credentials"}`, "Content-Type", "application/json"), 400, "02")
	if a := expect(t, h.do(t, "GET", "/oauth/token", ""), 405, "04"); a.header.Get("Allow") != "POST" {
		t.Errorf("Allow is %q", a.header.Get("Allow"))
	}
}

// TestTokenSays reads a token with nothing but the published keys.
func TestTokenSays(t *testing.T) {
	h := startServer(t, nil)
	before := time.Now().Add(-time.Second)
	text := strings.TrimPrefix(h.merchantToken(t), "Bearer ")
	set := h.do(t, "GET", "/.well-known/jwks.json", "")
	if set.status != 200 || !strings.Contains(set.header.Get("Cache-Control"), "max-age") {
		t.Errorf("HTTP %d, %v", set.status, set.header)
	}
	var keys struct{ Keys []map[string]string }
	if err := json.Unmarshal(set.body, &keys); err != nil || len(keys.Keys) != 2 {
		t.Fatalf("key set is %s", set.body)
	}
	claims := jwt.MapClaims{}
	token, err := jwt.ParseWithClaims(text, claims, func(token *jwt.Token) (any, error) {
		for _, k := range keys.Keys {
			if k["kid"] == token.Header["kid"] && k["kty"] == "OKP" && k["crv"] == "Ed25519" && k["use"] == "sig" && k["alg"] == token.Header["alg"] {
				x, err := base64.RawURLEncoding.DecodeString(k["x"])
				return ed25519.PublicKey(x), err
			}
		}
		return nil, errors.New("no such key")
	})
	if err != nil {
		t.Fatal(err)
	}
	if token.Header["alg"] != "EdDSA" || token.Header["kid"] != keys.Keys[0]["kid"] {
		t.Errorf("header is %v", token.Header)
	}
	iat, _ := claims.GetIssuedAt()
	exp, _ := claims.GetExpirationTime()
	if iat.Before(before.Truncate(time.Second)) || exp.Sub(iat.Time) != 15*time.Minute {
		t.Errorf("valid from %v to %v", iat, exp)
	}
	if fmt.Sprint(claims["aud"]) != "[galla]" || claims["iss"] != "https://galla.test" || claims["sub"] != "merchant-lakshmi" ||
		claims["role"] != "merchant" || claims["merchantId"] != string(m1) || claims["jti"] == "" || len(claims) != 8 {
		t.Errorf("claims are %v", claims)
	}
}

func newTestTokens(t testing.TB, seeds ...secret.Key) *tokens {
	t.Helper()
	k, err := newTokens("iss", "aud", time.Minute, seeds, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestVerify(t *testing.T) {
	ours := newTestTokens(t, seed(1), seed(2))
	p := central.Principal{Role: op.Vendor, Vendor: v1}
	now := time.Now()
	sign := func(k *tokens, p central.Principal, at time.Time) string {
		t.Helper()
		token, err := k.sign(central.Credential{Client: "client", Generation: 3}, p, at)
		if err != nil {
			t.Fatal(err)
		}
		return token.Reveal()
	}
	// A key that signed before the rotation still verifies.
	for _, k := range []*tokens{ours, newTestTokens(t, seed(2), seed(3))} {
		if got, err := ours.verify([]byte(sign(k, p, now))); err != nil || got != (bearer{p, central.Credential{Client: "client", Generation: 3}, p.Caller()}) {
			t.Errorf("verify: %+v, %v", got, err)
		}
	}
	otherIssuer, _ := newTokens("x", "aud", time.Minute, []secret.Key{seed(1)}, rand.Reader)
	otherAudience, _ := newTokens("iss", "x", time.Minute, []secret.Key{seed(1)}, rand.Reader)
	good := sign(ours, p, now)
	parts := strings.Split(good, ".")
	header := func(h string) string { return base64.RawURLEncoding.EncodeToString([]byte(h)) }
	hmac := func() string {
		token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{RegisteredClaims: jwt.RegisteredClaims{Issuer: "iss", Audience: jwt.ClaimStrings{"aud"}, Subject: "c", ID: "1", ExpiresAt: jwt.NewNumericDate(now.Add(time.Hour))}, Role: op.Vendor, Vendor: v1})
		token.Header["kid"] = ours.kid
		text, err := token.SignedString([]byte(ours.public[ours.kid]))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	forged := func(c claims) string {
		token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c)
		token.Header["kid"] = ours.kid
		text, err := token.SignedString(ours.signer)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	registered := jwt.RegisteredClaims{Issuer: "iss", Audience: jwt.ClaimStrings{"aud"}, Subject: "c", ID: "1", ExpiresAt: jwt.NewNumericDate(now.Add(time.Hour))}
	endless := registered
	endless.ExpiresAt = nil
	anonymous := registered
	anonymous.Subject = ""
	for name, text := range map[string]string{
		"nothing":         "",
		"no token":        "x",
		"too long":        strings.Repeat("x", maxToken+1),
		"unknown key":     sign(newTestTokens(t, seed(9)), p, now),
		"expired":         sign(ours, p, now.Add(-2*time.Minute)),
		"of the future":   sign(ours, p, now.Add(time.Minute)),
		"another issuer":  sign(otherIssuer, p, now),
		"for others":      sign(otherAudience, p, now),
		"no signature":    parts[0] + "." + parts[1] + ".",
		"algorithm none":  header(`{"alg":"none","kid":"`+ours.kid+`"}`) + "." + parts[1] + ".",
		"HMAC by our key": hmac(),
		"changed":         parts[0] + "." + strings.Replace(parts[1], parts[1][10:11], "_", 1) + "." + parts[2],
		"trailing dot":    good + ".",
		"padded":          good + "=",
		"no role":         sign(ours, central.Principal{Vendor: v1}, now),
		"another's id":    sign(ours, central.Principal{Role: op.Merchant, Vendor: v1}, now),
		"two ids":         sign(ours, central.Principal{Role: op.Merchant, Vendor: v1, Merchant: m1}, now),
		"without end":     forged(claims{RegisteredClaims: endless, Role: op.Vendor, Vendor: v1}),
		"of nobody":       forged(claims{RegisteredClaims: anonymous, Role: op.Vendor, Vendor: v1}),
	} {
		if _, err := ours.verify([]byte(text)); !errors.Is(err, errToken) {
			t.Errorf("%s: %v", name, err)
		} else if len(text) > 20 && strings.Contains(err.Error(), text[:20]) {
			t.Errorf("%s: the error quotes the token: %v", name, err)
		}
	}
	if _, err := newTokens("iss", "aud", time.Minute, nil, rand.Reader); err == nil {
		t.Error("tokens without keys")
	}
	if _, err := newTokens("iss", "aud", time.Minute, []secret.Key{seed(1), seed(1)}, rand.Reader); err == nil {
		t.Error("a key stands twice")
	}
	if _, err := newTokens("iss", "aud", time.Minute, []secret.Key{secret.NewKey([]byte("short"))}, rand.Reader); err == nil || strings.Contains(err.Error(), "short") {
		t.Errorf("a short key: %v", err)
	}
	broken := newTestTokens(t, seed(1))
	broken.rand = bytes.NewReader(nil)
	if _, err := broken.sign(central.Credential{Client: "c"}, p, now); err == nil {
		t.Error("a token without randomness")
	}
}

func TestHashSecret(t *testing.T) {
	s := secret.NewKey([]byte("sandbox-merchant-1"))
	text, err := HashSecret(s, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("hash is %s", text)
	}
	for offered, want := range map[string]bool{"sandbox-merchant-1": true, "sandbox-merchant-2": false} {
		if ok, err := password.Verify(text, secret.NewToken(offered)); err != nil || ok != want {
			t.Errorf("%s: %v, %v", offered, ok, err)
		}
	}
}

// TestTenFailuresSlowAClientDown, known or not, at whatever nodes they were; and
// nobody learns from the answers which clients there are.
func TestTenFailuresSlowAClientDown(t *testing.T) {
	shared := rates()
	share := func(c *Config, _ *central.Handler) { c.Rates = shared }
	nodes := []*system{startServer(t, share), startServer(t, share)}
	try := func(n int, id, clientSecret string) answer {
		return nodes[n%2].grant(t, form("grant_type", "client_credentials", "client_id", id, "client_secret", clientSecret))
	}
	var last []answer
	for _, id := range []string{"merchant-lakshmi", "nobody"} {
		for n := range clientNetworkRate.Burst {
			expect(t, try(n, id, "wrong"), 401, "03")
		}
		for n := range nodes {
			a := expect(t, try(n, id, "wrong"), 429, "07")
			if wait, err := strconv.Atoi(a.header.Get("Retry-After")); a.text("error") != "temporarily_unavailable" || err != nil || wait < 1 || wait > 6 {
				t.Errorf("HTTP %d %v %s", a.status, a.header, a.body)
			}
			last = append(last, a)
		}
	}
	if known, unknown := last[0].text("message"), last[2].text("message"); known != unknown {
		t.Errorf("a known client gets %q, an unknown one %q", known, unknown)
	}
	expect(t, try(0, "merchant-lakshmi", clientSecret), 429, "07")
	if a := try(0, "agg-galla", clientSecret); a.status != 200 {
		t.Errorf("another client is slowed down: %s", a.body)
	}
}

// TestSecretsWhileTheStoreIsBusy: on a disk that is really full no failure can be counted,
// and the caller learns when to come back, as with every other change.
func TestSecretsWhileTheStoreIsBusy(t *testing.T) { smalldisk.Run(t, 8, secretsWithoutRoom) }

func secretsWithoutRoom(t *testing.T, dir string) {
	shared := ratesIn(t, dir)
	h := startServer(t, func(c *Config, _ *central.Handler) { c.Rates = shared })
	tries := 0
	try := func() answer { // of a client of its own, which has none of the others' failures
		tries++
		return h.grant(t, form("grant_type", "client_credentials", "client_id", "nobody-"+strconv.Itoa(tries), "client_secret", "wrong"))
	}
	expect(t, try(), 401, "03")
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 8<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("8 MiB on a disk of 8 MiB: %v", err)
	}
	full := try()
	for full.status == 401 && tries < 200 { // what the database has already is used up
		full = try()
	}
	expect(t, full, 429, "07")
	if full.header.Get("Retry-After") != "1" || full.text("error") != "temporarily_unavailable" || !strings.Contains(full.text("message"), "busy") {
		t.Errorf("after %d tries: %v %s", tries, full.header, full.body)
	}
	if a := h.grant(t, form("grant_type", "client_credentials", "client_id", "merchant-lakshmi", "client_secret", clientSecret)); a.status != 200 {
		t.Errorf("a right secret needs no write, and gets HTTP %d: %s", a.status, a.body)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	expect(t, try(), 401, "03")
}

// TestRightSecretsCountForNothing: many programs of one client start at once.
func TestRightSecretsCountForNothing(t *testing.T) {
	h := startServer(t, nil)
	for range 3 * clientNetworkRate.Burst {
		h.token(t, "agg-galla", clientSecret)
	}
}

// TestTokenRouteUnderFlood: while unknown callers keep all checks busy, new clients wait,
// and a client goes on in a network of its own.
func TestTokenRouteUnderFlood(t *testing.T) {
	h := startServer(t, nil)
	if a := h.grant(t, form("grant_type", "client_credentials", "client_id", "agg-galla", "client_secret", clientSecret)); a.status != 200 {
		t.Fatalf("HTTP %d %s", a.status, a.body)
	}
	for range maxChecks {
		h.secrets.unknown.slots <- struct{}{}
	}
	for range maxCheckWaits {
		h.secrets.unknown.waiting <- struct{}{}
	}
	a := expect(t, h.grant(t, form("grant_type", "client_credentials", "client_id", "merchant-lakshmi", "client_secret", clientSecret)), http.StatusTooManyRequests, "07")
	if a.header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
	if a := h.grant(t, form("grant_type", "client_credentials", "client_id", "agg-galla", "client_secret", clientSecret)); a.status != 200 {
		t.Errorf("a client in its own network: HTTP %d %s", a.status, a.body)
	}
}

func TestDirectoryFailureKeepsItsCauseInside(t *testing.T) {
	h := startServer(t, nil)
	h.directory.broken = errors.New("disk on fire")
	a := expect(t, h.grant(t, form("grant_type", "client_credentials", "client_id", "merchant-lakshmi", "client_secret", clientSecret)), 500, "500")
	if a.text("error") != "server_error" || bytes.Contains(a.body, []byte("fire")) || !strings.Contains(h.log.String(), "disk on fire") {
		t.Errorf("%s\n%s", a.body, h.log)
	}
}

func FuzzGrant(f *testing.F) {
	f.Add("application/x-www-form-urlencoded", "", "grant_type=client_credentials&client_id=a&client_secret=b")
	f.Add("application/x-www-form-urlencoded", "Basic YTpi", "grant_type=client_credentials")
	f.Add("application/x-www-form-urlencoded;x", "Basic YSUyQjpi", "grant_type=client_credentials&client_id=a%2B")
	f.Fuzz(func(t *testing.T, contentType, authorization, body string) {
		c, err := parseTokenRequest(contentType, authorization, []byte(body))
		if err != nil {
			if e := central.AsError(err); e.Fault == central.Internal {
				t.Fatalf("a server error: %v", err)
			}
			return
		}
		if authorization != "" && strings.Contains(body, "client_secret=") {
			t.Fatalf("two ways at once for %q", c.id)
		}
	})
}

func FuzzVerify(f *testing.F) {
	k := newTestTokens(f, seed(1))
	token, err := k.sign(central.Credential{Client: "c"}, central.Principal{Role: op.Vendor, Vendor: v1}, time.Now())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(token.Reveal())
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := k.verify([]byte(text)); err != nil {
			return
		}
		// Only we can have signed it, and in one spelling: the scheme is deterministic.
		end := strings.LastIndex(text, ".")
		if text[end+1:] != base64.RawURLEncoding.EncodeToString(ed25519.Sign(k.signer, []byte(text[:end]))) {
			t.Fatalf("believed %q", text)
		}
	})
}
