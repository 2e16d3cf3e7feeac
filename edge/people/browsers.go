package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"galla/edge"
	"galla/shared/password"
)

// maxBrowsers bounds the browsers in which one operator is known; a counter has one
// or two. The one in which the right PIN was typed longest ago is forgotten for
// another of the same operator's, never for somebody else's.
const maxBrowsers = 8

// browser is one in which an operator typed the own right PIN once. That operator's
// wrong tries in it count apart from those of strangers, so that nobody at another
// browser, and no program that finds the page, can keep the operator out. It is known
// for that operator and that PIN alone: whoever has a PIN of the own may make any
// number of browsers known, but only for the own PIN.
type browser struct {
	Operator string `json:"operator"`
	Hash     string `json:"hash"` // of its mark: SHA-256, hexadecimal
	Used     int64  `json:"used"` // unix milliseconds of the last right PIN
	try
}

// try is the wrong PINs in a row of one operator in one browser.
type try struct {
	Of       string `json:"of"` // names the PIN: another PIN begins anew
	Failures int    `json:"failures,omitzero"`
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
// browser keeps. Without one, or with a mark that the operator's right PIN did not
// come with yet, it is a stranger's: all strangers' tries count together.
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
	return slices.Clone(p.browsers)
}

// known gives an operator's own entry of a browser; nil: it is a stranger's.
func (e *person) known(list []browser, hash string) *browser {
	if i := slices.IndexFunc(list, func(b browser) bool { return hash != "" && b.Hash == hash && b.by(e) }); i >= 0 {
		return &list[i]
	}
	return nil
}

// by tells whether it was the operator who typed the right PIN, and the PIN is the
// same still.
func (b browser) by(e *person) bool { return b.Operator == e.ID && b.Of == pinName(e.PIN) }

// tries gives the wrong PINs of an operator in a browser, or in all strangers' where
// it is nil.
func (e *person) tries(b *browser) try {
	if b == nil {
		return try{Of: pinName(e.PIN), Failures: e.Failures, Until: e.Until}
	}
	return b.try
}

// count notes them.
func (e *person) count(b *browser, t try) {
	if b == nil {
		e.Failures, e.Until = t.Failures, t.Until
		return
	}
	b.Failures, b.Until = t.Failures, t.Until
}

// pinName tells PINs apart without naming one, not even its hash.
func pinName(phc string) string {
	sum := sha256.Sum256([]byte("galla/edge/people/pin\x00" + phc))
	return hex.EncodeToString(sum[:8])
}

// remember takes a browser in that brought an operator's right PIN.
func (e *person) remember(list []browser, hash string, now time.Time) []browser {
	if hash == "" {
		return list
	}
	if b := e.known(list, hash); b != nil {
		b.Used = now.UnixMilli()
		return list
	}
	own, oldest := 0, -1
	for i, b := range list {
		if b.Operator != e.ID {
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
	return append(list, browser{Operator: e.ID, Hash: hash, Used: now.UnixMilli(), try: try{Of: pinName(e.PIN)}})
}

// current leaves out the browsers of PINs that were changed: who knew the old one may
// have typed it in any of them.
func current(people []person, browsers []browser) []browser {
	return slices.DeleteFunc(browsers, func(b browser) bool {
		e := find(people, b.Operator)
		return e == nil || !b.by(e)
	})
}
