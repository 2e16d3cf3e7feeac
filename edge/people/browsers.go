package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"galla/edge"
	"galla/shared/password"
)

// maxBrowsers bounds the browsers that are known; a counter has one or two. The one
// in which a right PIN was typed longest ago is forgotten for another.
const maxBrowsers = 16

// browser is one in which somebody typed a right PIN once. Its wrong tries count
// apart from those of strangers, so that nobody at another browser, and no program
// that finds the page, can keep an agent out.
type browser struct {
	Hash string         `json:"hash"` // of its mark: SHA-256, hexadecimal
	Used int64          `json:"used"` // unix milliseconds of the last right PIN
	Try  map[string]try `json:"try,omitzero"`
}

// try is the wrong PINs in a row of one operator in one browser.
type try struct {
	Of       string `json:"of"` // names the PIN: another PIN begins anew
	Failures int    `json:"failures"`
	Until    int64  `json:"until,omitzero"` // unix milliseconds; no PIN is looked at before
}

// wait is until a PIN is looked at again. A clock that was set back must not keep
// anybody out for long.
func (t try) wait(now time.Time) time.Duration {
	if t.Until == 0 {
		return 0
	}
	return min(max(time.UnixMilli(t.Until).Sub(now), 0), password.LongestWait)
}

// fail counts a wrong PIN.
func (t *try) fail(now time.Time) *edge.PINError {
	t.Failures++
	refusal := &edge.PINError{Left: max(password.Tries-t.Failures, 0), Wait: password.Wait(t.Failures)}
	if refusal.Wait > 0 {
		t.Until = now.Add(refusal.Wait).UnixMilli()
	}
	return refusal
}

type markKey struct{}

// InBrowser says in which browser a PIN is typed, by the random mark that the
// browser keeps. Without one, or with a mark that no right PIN came with yet, it is
// a stranger's: all strangers' tries count together.
func InBrowser(ctx context.Context, mark string) context.Context {
	return context.WithValue(ctx, markKey{}, mark)
}

// hashOf is how the browser of a call is kept; empty: it has no mark.
func hashOf(ctx context.Context) string {
	mark, _ := ctx.Value(markKey{}).(string)
	if mark == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(mark))
	return hex.EncodeToString(sum[:])
}

// marks gives a copy of the known browsers that may be changed.
func (p *People) marks() []browser {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := slices.Clone(p.browsers)
	for i := range out {
		out[i].Try = maps.Clone(out[i].Try)
	}
	return out
}

func known(list []browser, hash string) *browser {
	if i := slices.IndexFunc(list, func(b browser) bool { return hash != "" && b.Hash == hash }); i >= 0 {
		return &list[i]
	}
	return nil
}

// tries gives the wrong PINs of an operator in a browser, or in all strangers' where
// it is nil.
func (e *person) tries(b *browser) try {
	if b == nil {
		return try{Failures: e.Failures, Until: e.Until}
	}
	if t := b.Try[e.ID]; t.Of == pinName(e.PIN) {
		return t
	}
	return try{Of: pinName(e.PIN)}
}

// count notes them.
func (e *person) count(b *browser, t try) {
	if b == nil {
		e.Failures, e.Until = t.Failures, t.Until
		return
	}
	if b.Try == nil {
		b.Try = map[string]try{}
	}
	if t.Failures == 0 {
		delete(b.Try, e.ID)
		return
	}
	b.Try[e.ID] = t
}

// pinName tells PINs apart without naming one, not even its hash.
func pinName(phc string) string {
	sum := sha256.Sum256([]byte("galla/edge/people/pin\x00" + phc))
	return hex.EncodeToString(sum[:8])
}

// remember takes a browser in that brought a right PIN.
func remember(list []browser, hash string, now time.Time) []browser {
	if hash == "" {
		return list
	}
	if b := known(list, hash); b != nil {
		b.Used = now.UnixMilli()
		return list
	}
	if len(list) >= maxBrowsers {
		oldest := slices.IndexFunc(list, func(b browser) bool {
			return b.Used == slices.MinFunc(list, func(x, y browser) int { return int(x.Used - y.Used) }).Used
		})
		list = slices.Delete(list, oldest, oldest+1)
	}
	return append(list, browser{Hash: hash, Used: now.UnixMilli()})
}
