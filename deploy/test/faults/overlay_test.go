package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The deliberate faults.
const (
	sendBeforeCommit    = "send-before-commit"    // the bank gets an operation before the state sent is committed: before Create, or before MarkSent of one that waited
	retryOnTimeout      = "retry-on-timeout"      // what was not answered is sent again: by the central under another reference, by the terminal under the same id
	forgetTombstone     = "forget-tombstone"      // 'never seen' is answered and not stored
	attemptWhilePending = "attempt-while-pending" // a transfer that may have been executed counts as refused: a repeat sends it under another name
	seenBeforeStored    = "seen-before-stored"    // the counter's cursor passes a payment that is stored a moment later
)

func allFaults() []string {
	return []string{sendBeforeCommit, retryOnTimeout, forgetTombstone, attemptWhilePending, seenBeforeStored}
}

// variable chooses the fault in the environment of a program built with the overlay.
const variable = "DELIBERATE_FAULT"

// edit is a change of one package's code. The old text must be there exactly once;
// otherwise the code has changed, and the fault must follow it.
type edit struct{ pkg, old, new string }

func edits() []edit {
	return []edit{
		{"central", "		known, isNew, err := e.store.Create(ctx, *o, quotas)\n", `		if o.State == "sent" {
			if _, unknown := e.store.ByIdentity(ctx, o.Caller, o.Identity); unknown != nil {
				e.sendEarly(ctx, *o, s)
			}
		}
		known, isNew, err := e.store.Create(ctx, *o, quotas)
`},
		{"central", "		if err := e.markSent(ctx, &o); err != nil {\n", "		e.sendEarly(ctx, o, s)\n		if err := e.markSent(ctx, &o); err != nil {\n"},
		{"central", `o.BankNotAfter
	answer, err := e.sendWithTimeout(ctx, request)
`, `o.BankNotAfter
	send := func() (BankAnswer, error) { return e.sendWithTimeout(ctx, request) }
	if early, ok := earlyAnswers.LoadAndDelete(o.ID); ok {
		send = early.(func() (BankAnswer, error))
	}
	answer, err := send()
	if deliberateFault == "` + retryOnTimeout + `" && err != nil && !NotSent(err) {
		again, stan, _ := e.references.Next(time.Now())
		request.Reference, request.STAN = Reference(again), stan
		request.NotAfter = time.Now().Add(e.cfg.BankTimeout)
		answer, err = send()
	}
`},
		{"central", "		ended, _, err := e.answerRepeat(ctx, s, known)\n", `		ended, _, err := e.answerRepeat(ctx, s, known)
		if deliberateFault == "` + attemptWhilePending + `" && err == nil && ended.State == "pending" && o.Kind == KindTransfer {
			s.CallerRef, s.Identity = "", ""
			continue
		}
`},
		{"central/store", "	_, err = c.exec(`INSERT INTO identities (caller, identity, tombstone_at) VALUES ($1, $2, $3)`, caller, identity, at)\n	return tombstoneOf(caller, identity), err\n",
			"	if deliberateFault != \"" + forgetTombstone + "\" {\n		_, err = c.exec(`INSERT INTO identities (caller, identity, tombstone_at) VALUES ($1, $2, $3)`, caller, identity, at)\n	} else {\n		err = nil\n	}\n	return tombstoneOf(caller, identity), err\n"},
		{"edge", "	c.inFlight[r.ID] = true\n", `	if w != nil && deliberateFault == "` + retryOnTimeout + `" {
		sentFrames.Store(w, frame)
	}
	c.inFlight[r.ID] = true
`},
		{"edge", "	f := wire.Frame{T: wire.TAsk, ID: id}\n", `	f := wire.Frame{T: wire.TAsk, ID: id}
	if deliberateFault == "` + retryOnTimeout + `" {
		c.mu.Lock()
		if sent, ok := sentFrames.Load(c.pending[id]); ok {
			f = sent.(wire.Frame)
		}
		c.mu.Unlock()
	}
`},
		{"edge", "	known, err := c.queue.AddByEvent(f.Cursor, paymentRecord(f.ID, p, func(ms int64) time.Time { return time.UnixMilli(ms).Add(-offset) }))\n", `	known, err := c.addByEvent(f.Cursor, paymentRecord(f.ID, p, func(ms int64) time.Time { return time.UnixMilli(ms).Add(-offset) }))
`},
	}
}

// added is a file that each changed package gets.
func added(pkg string) string {
	text := "package " + filepath.Base(pkg) + `

import (
	"context"
	"os"
	"sync"
	"time"
)

var deliberateFault = os.Getenv("` + variable + `")

var sentFrames, earlyAnswers sync.Map

var (
	_ context.Context
	_ time.Time
)
`
	if pkg == "central" {
		text += `
// sendEarly sends an operation, if that is the fault, and keeps the answer.
func (e *Engine) sendEarly(ctx context.Context, o Operation, s Submission) {
	if deliberateFault != "` + sendBeforeCommit + `" || o.Kind.IsLocal() {
		return
	}
	e.asSent(&o, time.Now())
	request := s.Request
	request.Reference, request.STAN, request.NotAfter = o.Reference, o.STAN, o.BankNotAfter
	defer func() {
		if p := recover(); p != nil { // in the bank client: as if it happened after the commit
			earlyAnswers.Store(o.ID, func() (BankAnswer, error) { panic(p) })
		}
	}()
	answer, err := e.sendWithTimeout(context.WithoutCancel(ctx), request)
	earlyAnswers.Store(o.ID, func() (BankAnswer, error) { return answer, err })
}
`
	}
	if pkg == "edge" {
		text += `
// addByEvent stores a payment, after its cursor if that is the fault.
func (c *Counter) addByEvent(cursor int64, r Record) (Record, error) {
	if deliberateFault != "` + seenBeforeStored + `" {
		return c.queue.AddByEvent(cursor, r)
	}
	_, err := c.queue.ApplyEvent(cursor, "", func(*Record) error { return nil })
	if err == nil {
		time.AfterFunc(time.Second, func() {
			if known, err := c.queue.AddByEvent(cursor, r); err == nil {
				c.rememberPayment(known, true)
				c.afterChange(known)
			}
		})
	}
	return Record{}, err
}
`
	}
	return text
}

// writeOverlay writes the changed files and the overlay for the go command to a
// folder, and gives the overlay's path. The repository stays as it is.
func writeOverlay(root, dir string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	texts := map[string]string{} // by path in the repository
	for _, e := range edits() {
		if err := e.apply(root, texts); err != nil {
			return "", err
		}
		texts[filepath.Join(root, e.pkg, "deliberate_fault.go")] = added(e.pkg)
	}
	replace := map[string]string{}
	for path, text := range texts {
		name := filepath.Join(dir, fmt.Sprintf("%d-%s", len(replace), filepath.Base(path)))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[path] = name
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, overlay, 0o600)
}

// apply changes the one file of the package that has the old text.
func (e edit) apply(root string, texts map[string]string) error {
	files, err := filepath.Glob(filepath.Join(root, e.pkg, "*.go"))
	if err != nil {
		return err
	}
	found := 0
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, changed := texts[path]
		if !changed {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(raw)
		}
		if n := strings.Count(text, e.old); n > 0 {
			found += n
			texts[path] = strings.Replace(text, e.old, e.new, 1)
		}
	}
	if found != 1 {
		return fmt.Errorf("package %s has this text %d times, want once; the deliberate fault must follow the code:\n%s", e.pkg, found, e.old)
	}
	return nil
}
