package users

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"galla/edge"
	"galla/shared/password"
)

// maxBrowsers bounds the known browsers of one user; a counter has one or two. A
// new one replaces the user's own browser whose right PIN is longest ago.
const maxBrowsers = 8

// browser is one in which a user once entered the right PIN. The user's wrong
// PINs in it are counted apart from those in unknown browsers, so that nobody in
// another browser, and no program, can lock the user out. It is known for this
// user and this PIN only.
type browser struct {
	User string `json:"user"`
	Hash string `json:"hash"` // of its mark: SHA-256, hexadecimal
	Used int64  `json:"used"` // unix milliseconds of the last right PIN
	attempts
}

// attempts counts the wrong PINs in a row of one user in one browser.
type attempts struct {
	PINName  string `json:"of"` // identifies the PIN: another PIN starts from zero
	Failures int    `json:"failures,omitzero"`
	Until    int64  `json:"until,omitzero"` // unix milliseconds; every PIN is refused before
}

// wait is how long PINs are refused. A clock that was set back must not lock
// anybody out for long.
func (t attempts) wait(now time.Time) time.Duration {
	if t.Until == 0 {
		return 0
	}
	return min(max(time.UnixMilli(t.Until).Sub(now), 0), password.LongestWait)
}

// countFailure counts a wrong PIN.
func (t *attempts) countFailure(now time.Time) *edge.PINError {
	t.Failures++
	refusal := &edge.PINError{TriesLeft: max(password.FreeAttempts-t.Failures, 0), Wait: password.Wait(t.Failures)}
	if refusal.Wait > 0 {
		t.Until = now.Add(refusal.Wait).UnixMilli()
	}
	return refusal
}

type markKey struct{}

// WithBrowser sets the browser in which a PIN is entered, by the random id that
// the browser stores. Without one, or with an id that the user's right PIN did not
// come with yet, the browser is unknown: all unknown browsers count together.
func WithBrowser(ctx context.Context, mark string) context.Context {
	return context.WithValue(ctx, markKey{}, mark)
}

// browserHash returns the stored form of the request's browser; empty: no id.
func browserHash(ctx context.Context) string {
	mark, _ := ctx.Value(markKey{}).(string)
	if mark == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(mark))
	return hex.EncodeToString(sum[:])
}

// knownBrowsers returns a copy of the known browsers.
func (p *Service) knownBrowsers() []browser {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.browsers)
}

// knownBrowser returns a user's entry of a browser; nil: the browser is unknown.
func (e *account) knownBrowser(list []browser, hash string) *browser {
	if i := slices.IndexFunc(list, func(b browser) bool { return hash != "" && b.Hash == hash && b.belongsTo(e) }); i >= 0 {
		return &list[i]
	}
	return nil
}

// belongsTo reports whether the user entered the right PIN there, and still has
// the same PIN.
func (b browser) belongsTo(e *account) bool { return b.User == e.ID && b.PINName == pinName(e.PIN) }

// attemptsIn returns the wrong PINs of a user in a browser, or in all unknown ones
// where it is nil.
func (e *account) attemptsIn(b *browser) attempts {
	if b == nil {
		return attempts{PINName: pinName(e.PIN), Failures: e.Failures, Until: e.Until}
	}
	return b.attempts
}

// setAttempts notes them.
func (e *account) setAttempts(b *browser, t attempts) {
	if b == nil {
		e.Failures, e.Until = t.Failures, t.Until
		return
	}
	b.Failures, b.Until = t.Failures, t.Until
}

// pinName identifies a PIN without revealing it or its hash.
func pinName(phc string) string {
	sum := sha256.Sum256([]byte("galla/edge/users/pin\x00" + phc))
	return hex.EncodeToString(sum[:8])
}

// addBrowser adds a browser in which a user entered the right PIN.
func (e *account) addBrowser(list []browser, hash string, now time.Time) []browser {
	if hash == "" {
		return list
	}
	if b := e.knownBrowser(list, hash); b != nil {
		b.Used = now.UnixMilli()
		return list
	}
	own, oldest := 0, -1
	for i, b := range list {
		if b.User != e.ID {
			continue
		}
		own++
		if oldest < 0 || b.Used < list[oldest].Used {
			oldest = i
		}
	}
	if own >= maxBrowsers {
		list = slices.Delete(list, oldest, oldest+1)
	}
	return append(list, browser{User: e.ID, Hash: hash, Used: now.UnixMilli(), attempts: attempts{PINName: pinName(e.PIN)}})
}

// withoutStale removes the browsers of PINs that were changed: who knew the old
// PIN may have entered it there.
func withoutStale(people []account, browsers []browser) []browser {
	return slices.DeleteFunc(browsers, func(b browser) bool {
		e := find(people, b.User)
		return e == nil || !b.belongsTo(e)
	})
}
