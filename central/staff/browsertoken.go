package staff

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"galla/shared/secret"
)

// browserPurpose is bound to sealed browser tokens.
const browserPurpose = "staff-browser/v1"

const (
	// BrowserLife is how long a browser token is valid: longer than a holiday.
	BrowserLife      = 90 * 24 * time.Hour
	browserTokenSize = 8 + 16 // its expiry, and a random part
	maxBrowserToken  = 200    // bytes as text; a sealed one has about 90
)

// NewBrowserToken returns a token for a browser in which somebody signed in, sealed
// under the master keys for that login. It grants nothing. Wrong attempts that come
// with it are counted separately, so that attempts from elsewhere do not lock this
// person out.
func (s *Service) NewBrowserToken(login string) (secret.Token, error) {
	raw := make([]byte, browserTokenSize)
	binary.BigEndian.PutUint64(raw, uint64(time.Now().Add(BrowserLife).Unix()))
	if _, err := io.ReadFull(s.cfg.Rand, raw[8:]); err != nil {
		return secret.Token{}, fmt.Errorf("draw a browser token: %w", err)
	}
	sealed, err := s.vault.seal(raw, browserPurpose, login)
	if err != nil {
		return secret.Token{}, fmt.Errorf("seal a browser token: %w", err)
	}
	return secret.NewToken(base64.RawURLEncoding.EncodeToString(sealed)), nil
}

// attemptName returns the name under which attempts for a login are counted that come
// with a browser token, and whether the token is that login's and still valid.
func (s *Service) attemptName(login string, token secret.Token) (name string, known bool) {
	text := token.Reveal()
	if text == "" || len(text) > maxBrowserToken {
		return login, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return login, false
	}
	raw, err := s.vault.open(sealed, browserPurpose, login)
	if err != nil || len(raw) != browserTokenSize || time.Now().Unix() >= int64(binary.BigEndian.Uint64(raw)) {
		return login, false
	}
	return login + " " + hex.EncodeToString(raw[8:]), true // no login has a space
}
