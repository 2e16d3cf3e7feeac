package operator

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"time"

	"galla/shared/secret"
)

// browserPlace is where a browser's mark is sealed for.
const browserPlace = "operators' browsers/v1"

const (
	// BrowserLife is how long a browser stays known after a sign-in: longer than a
	// holiday.
	BrowserLife = 90 * 24 * time.Hour
	browserSize = 8 + 16 // the moment at which it ends, and what tells it from others
	maxMark     = 200    // bytes of a mark as text; a sealed one has about 90
)

// Mark is what a browser keeps in which somebody signed in. It opens nothing: wrong
// tries of that person that come with it are counted apart from everybody else's,
// so that whoever tries names from elsewhere keeps nobody out who works here. It is
// sealed under the central's master keys, for that person.
func (d *Desk) Mark(login string) (secret.Token, error) {
	raw := make([]byte, browserSize)
	binary.BigEndian.PutUint64(raw, uint64(time.Now().Add(BrowserLife).Unix()))
	if _, err := io.ReadFull(d.cfg.Rand, raw[8:]); err != nil {
		return secret.Token{}, fmt.Errorf("draw a browser's mark: %w", err)
	}
	sealed, err := d.safe.seal(raw, browserPlace, login)
	if err != nil {
		return secret.Token{}, fmt.Errorf("seal a browser's mark: %w", err)
	}
	return secret.NewToken(base64.RawURLEncoding.EncodeToString(sealed)), nil
}

// counted gives the name under which tries for a login are counted that come with
// a mark: the login itself where the mark is none of that person's, or is over.
func (d *Desk) counted(login string, mark secret.Token) (name string, known bool) {
	text := mark.Reveal()
	if text == "" || len(text) > maxMark {
		return login, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return login, false
	}
	raw, err := d.safe.open(sealed, browserPlace, login)
	if err != nil || len(raw) != browserSize || time.Now().Unix() >= int64(binary.BigEndian.Uint64(raw)) {
		return login, false
	}
	return login + " " + hex.EncodeToString(raw[8:]), true // no login has a space
}

// network is what an address counts as: one machine has as many of IPv6 as it
// likes, all in one network of 64 bits.
func network(from string) string {
	at, err := netip.ParseAddr(from)
	if err != nil || !at.Is6() || at.Is4In6() {
		return from
	}
	within, err := at.WithZone("").Prefix(64)
	if err != nil {
		return from
	}
	return within.String()
}
