package httpapi

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"galla/central"
	"galla/shared/op"
	"galla/shared/secret"
)

// maxToken limits an access token, in bytes; ours have about 600.
const maxToken = 4096

// clockLeeway is how far the clocks of nodes that share keys may differ.
const clockLeeway = 10 * time.Second

// claims are an access token's claims (interface.md, section 5.1).
type claims struct {
	jwt.RegisteredClaims
	Role       op.Role              `json:"role"`
	Merchant   central.MerchantID   `json:"merchantId,omitempty"`
	Vendor     central.VendorID     `json:"vendorId,omitempty"`
	Aggregator central.AggregatorID `json:"aggregatorId,omitempty"`
	// Generation is the client's when the token was issued.
	Generation int64 `json:"generation,omitempty"`
}

// errToken says that a token is not valid; the reason is for the log.
var errToken = errors.New("access token is not valid")

// tokens signs and verifies access tokens. It is safe for concurrent use if its
// randomness is.
type tokens struct {
	issuer, audience string
	life             time.Duration
	rand             io.Reader

	signer ed25519.PrivateKey
	kid    string
	public map[string]ed25519.PublicKey // by key id
	jwks   []byte                       // JSON Web Key Set
	parser *jwt.Parser

	verified verifiedTokens
}

// newTokens takes the seeds of the signing keys, 32 bytes each: the first signs,
// all verify.
func newTokens(issuer, audience string, life time.Duration, seeds []secret.Key, rand io.Reader) (*tokens, error) {
	t := &tokens{issuer: issuer, audience: audience, life: life, rand: rand, public: map[string]ed25519.PublicKey{}}
	if len(seeds) == 0 {
		return nil, errors.New("at least one signing key is needed")
	}
	set := keySet{Keys: []publicKey{}}
	for i, seed := range seeds {
		raw := seed.Reveal()
		if len(raw) != ed25519.SeedSize {
			return nil, fmt.Errorf("signing key %d has %d bytes, want an Ed25519 seed of %d", i+1, len(raw), ed25519.SeedSize)
		}
		private := ed25519.NewKeyFromSeed(raw)
		jwk := newPublicKey(private.Public().(ed25519.PublicKey))
		if _, twice := t.public[jwk.KID]; twice {
			return nil, fmt.Errorf("signing key %d stands twice", i+1)
		}
		if i == 0 {
			t.signer, t.kid = private, jwk.KID
		}
		t.public[jwk.KID] = private.Public().(ed25519.PublicKey)
		set.Keys = append(set.Keys, jwk)
	}
	var err error
	if t.jwks, err = json.Marshal(set); err != nil {
		return nil, fmt.Errorf("write the key set: %w", err)
	}
	t.parser = jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithExpirationRequired(), jwt.WithIssuedAt(),
		jwt.WithIssuer(issuer), jwt.WithAudience(audience), jwt.WithLeeway(clockLeeway), jwt.WithStrictDecoding(),
	)
	return t, nil
}

// sign makes a token for a client and its principal.
func (t *tokens) sign(by central.Credential, p central.Principal, now time.Time) (secret.Token, error) {
	id, err := uuid.NewRandomFromReader(t.rand)
	if err != nil {
		return secret.Token{}, fmt.Errorf("draw a token id: %w", err)
	}
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: t.issuer, Subject: by.Client, Audience: jwt.ClaimStrings{t.audience}, ID: id.String(),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(t.life)),
		},
		Role: p.Role, Merchant: p.Merchant, Vendor: p.Vendor, Aggregator: p.Aggregator, Generation: by.Generation,
	})
	token.Header["kid"] = t.kid
	text, err := token.SignedString(t.signer)
	if err != nil {
		return secret.Token{}, fmt.Errorf("sign a token: %w", err)
	}
	return secret.NewToken(text), nil
}

// verify returns the caller that a token names, judged by the token alone. A signature
// is verified once. The error never quotes the token.
func (t *tokens) verify(text []byte) (bearer, error) {
	if len(text) > maxToken {
		return bearer{}, fmt.Errorf("%w: longer than %d bytes", errToken, maxToken)
	}
	digest := sha256.Sum256(text)
	if known, ok := t.verified.find(digest, time.Now()); ok {
		return known, nil
	}
	by, expires, err := t.parse(string(text))
	if err == nil {
		t.verified.add(digest, verifiedToken{by, expires})
	}
	return by, err
}

// parse verifies a token, and returns also until when it is valid.
func (t *tokens) parse(text string) (by bearer, expires time.Time, err error) {
	var c claims
	_, err = t.parser.ParseWithClaims(text, &c, func(token *jwt.Token) (any, error) {
		kid, _ := token.Header["kid"].(string)
		key, ok := t.public[kid]
		if !ok {
			return nil, errors.New("unknown key id")
		}
		return key, nil
	})
	if err != nil {
		return bearer{}, time.Time{}, fmt.Errorf("%w: %s", errToken, tokenFault(err))
	}
	p := central.Principal{Role: c.Role, Merchant: c.Merchant, Vendor: c.Vendor, Aggregator: c.Aggregator}
	if c.Subject == "" || c.ID == "" || !matchesRole(p) {
		return bearer{}, time.Time{}, fmt.Errorf("%w: role and party do not belong together", errToken)
	}
	return bearer{p, central.Credential{Client: c.Subject, Generation: c.Generation}, p.Caller()}, c.ExpiresAt.Add(clockLeeway), nil
}

// matchesRole reports whether a principal names exactly the party of its role.
func matchesRole(p central.Principal) bool {
	switch p.Role {
	case op.Merchant:
		return p.Merchant != "" && p.Vendor == "" && p.Aggregator == ""
	case op.Vendor:
		return p.Vendor != "" && p.Merchant == "" && p.Aggregator == ""
	case op.Aggregator:
		return p.Aggregator != "" && p.Merchant == "" && p.Vendor == ""
	}
	return false
}

// tokenFault names the kind of a parser's error; its text could hold claims.
func tokenFault(err error) string {
	for _, kind := range []error{
		jwt.ErrTokenExpired, jwt.ErrTokenUsedBeforeIssued, jwt.ErrTokenInvalidIssuer, jwt.ErrTokenInvalidAudience,
		jwt.ErrTokenSignatureInvalid, jwt.ErrTokenUnverifiable, jwt.ErrTokenMalformed, jwt.ErrTokenRequiredClaimMissing,
	} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return "refused"
}

// keySet is a JSON Web Key Set (RFC 7517).
type keySet struct {
	Keys []publicKey `json:"keys"`
}

// publicKey is an Ed25519 public key as a JSON Web Key (RFC 8037).
type publicKey struct {
	KTY string `json:"kty"`
	CRV string `json:"crv"`
	X   string `json:"x"`
	KID string `json:"kid"`
	Use string `json:"use"`
	Alg string `json:"alg"`
}

// newPublicKey names the key by its thumbprint (RFC 7638), so that the same key has
// the same id at every node.
func newPublicKey(key ed25519.PublicKey) publicKey {
	x := base64.RawURLEncoding.EncodeToString(key)
	thumbprint := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + x + `"}`))
	return publicKey{
		KTY: "OKP", CRV: "Ed25519", X: x, KID: base64.RawURLEncoding.EncodeToString(thumbprint[:]),
		Use: "sig", Alg: jwt.SigningMethodEdDSA.Alg(),
	}
}
