package uplink

import (
	"context"
	"crypto/ed25519"
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"galla/central"
	"galla/central/accounts"
)

// terminalToken is a token's claims.
type terminalToken struct {
	signed    string // what the signature is of
	signature []byte
	terminal  central.TerminalID
	id        string // jti
	expires   time.Time
	claims    jwt.RegisteredClaims
}

// Limits of a token.
const (
	tokenLife = 60 * time.Second // exp after iat
	// tokenLeeway covers the error of a corrected clock: whole seconds in the Date
	// header, and the round trip.
	tokenLeeway = 5 * time.Second
	maxID       = 64 // characters of kid and jti: both are ids
	minTokenID  = 16 // characters of jti: shorter ones could be guessed or repeat
)

// denial is why a terminal may not connect; the reason is for the log.
type denial struct {
	reason  string
	revoked bool
}

func (d *denial) Error() string { return d.reason }

// parseToken reads the request's token and checks its form.
func parseToken(r *http.Request) (terminalToken, error) {
	sent := r.Header.Values("Authorization")
	if len(sent) != 1 {
		return terminalToken{}, &denial{reason: "the request has no Authorization header, or more than one"}
	}
	scheme, text, _ := strings.Cut(sent[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return terminalToken{}, &denial{reason: "the Authorization header is not of scheme Bearer"}
	}
	var claims jwt.RegisteredClaims
	// The signature is checked next, when the key is known.
	token, _, err := jwt.NewParser().ParseUnverified(text, &claims)
	if err != nil {
		return terminalToken{}, &denial{reason: "the token is no JWT"}
	}
	kid, _ := token.Header["kid"].(string)
	switch {
	case token.Method.Alg() != jwt.SigningMethodEdDSA.Alg():
		return terminalToken{}, &denial{reason: "the token is not signed with EdDSA"}
	case !isID(kid):
		return terminalToken{}, &denial{reason: "the token's kid is no terminal id"}
	}
	signed := text[:strings.LastIndexByte(text, '.')]
	return terminalToken{signed: signed, signature: token.Signature, terminal: central.TerminalID(kid), id: claims.ID, claims: claims}, nil
}

// signedBy reports whether the token was signed with a key's private half.
func (c terminalToken) signedBy(key ed25519.PublicKey) bool {
	return jwt.SigningMethodEdDSA.Verify(c.signed, c.signature, key) == nil
}

// validate checks the claims of a terminal's token.
func (c *terminalToken) validate(audience string) error {
	of := "the token of terminal " + string(c.terminal)
	switch {
	case !isID(c.id) || len(c.id) < minTokenID:
		return &denial{reason: of + " has no jti, or one that is no id"}
	case c.claims.IssuedAt == nil || c.claims.ExpiresAt == nil || c.claims.ExpiresAt.Sub(c.claims.IssuedAt.Time) > tokenLife:
		return &denial{reason: of + " lives longer than a minute"}
	}
	valid := jwt.NewValidator(jwt.WithAudience(audience), jwt.WithLeeway(tokenLeeway),
		jwt.WithIssuedAt(), jwt.WithExpirationRequired())
	if err := valid.Validate(c.claims); err != nil {
		// The library's error names claims and no values.
		return &denial{reason: of + ": " + err.Error()}
	}
	c.expires = c.claims.ExpiresAt.Time
	return nil
}

// isID reports whether a text can be an id: short, and of letters, digits, '-' and
// '_'.
func isID(s string) bool {
	if s == "" || len(s) > maxID {
		return false
	}
	return strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}

// storeWait limits one call of the store; after that the terminal should connect
// elsewhere.
const storeWait = 10 * time.Second

// attempt is a terminal that has proved to have its key, and waits for the rest of its
// authentication.
type attempt struct {
	token    terminalToken
	merchant central.MerchantID
	err      error
	done     chan struct{} // closed when merchant and err are set
}

// authenticate spends the token of a terminal, unless the terminal was revoked, and returns
// its merchant. An error that is no *denial means that this is not known.
func (s *Server) authenticate(ctx context.Context, c terminalToken) (central.MerchantID, error) {
	a := &attempt{token: c, done: make(chan struct{})}
	select {
	case s.authenticator <- a:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	<-a.done
	return a.merchant, a.err
}

// authenticateTogether authenticates all that wait, with one read and one commit, until ctx
// ends.
func (s *Server) authenticateTogether(ctx context.Context) {
	for {
		var batch []*attempt
		select {
		case a := <-s.authenticator:
			batch = append(batch, a)
		case <-ctx.Done():
			return
		}
		for more := true; more && len(batch) < accounts.MaxTogether; {
			select {
			case a := <-s.authenticator:
				batch = append(batch, a)
			default:
				more = false
			}
		}
		if err := s.try("authenticator", func() error { return s.authenticateAll(ctx, batch) }); err != nil {
			for _, a := range batch {
				a.err = err
			}
		}
		for _, a := range batch {
			close(a.done)
		}
	}
}

// authenticateAll sets the merchant, or the denial, of each attempt.
func (s *Server) authenticateAll(ctx context.Context, batch []*attempt) error {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	ids := make([]central.TerminalID, len(batch))
	for i, a := range batch {
		ids[i] = a.token.terminal
	}
	checks, err := s.store.CheckTerminals(ctx, ids)
	if err != nil {
		return err
	}
	found := map[central.TerminalID]accounts.TerminalCheck{}
	for _, c := range checks {
		found[c.Terminal] = c
	}
	var spending []*attempt
	var tokens []accounts.TokenUse
	for _, a := range batch {
		c, ok := found[a.token.terminal]
		switch {
		case !ok:
			s.keys.drop(a.token.terminal)
			a.err = &denial{reason: "no such terminal any more: " + string(a.token.terminal)}
		case c.Revoked: // only a terminal that proved its identity learns that
			a.err = &denial{reason: "terminal " + string(a.token.terminal) + " was revoked", revoked: true}
		default:
			a.merchant = c.Merchant
			spending = append(spending, a)
			// The name has the terminal's id, so that one terminal can't spend another's jti.
			tokens = append(tokens, accounts.TokenUse{ID: string(a.token.terminal) + "/" + a.token.id, Expires: a.token.expires.Add(tokenLeeway)})
		}
	}
	if len(tokens) == 0 {
		return nil
	}
	fresh, err := s.store.SpendTokens(ctx, tokens)
	if err != nil {
		return err
	}
	for i, a := range spending {
		if !fresh[i] {
			a.err = &denial{reason: "the token of terminal " + string(a.token.terminal) + " was used before"}
		}
	}
	return nil
}
