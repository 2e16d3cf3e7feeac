//go:build linux

package screen

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge"
	"galla/edge/queue"
	"galla/edge/web/webtest"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// TestHourWithoutTheCentral: a real counter and its queue lose the central for an
// hour. The pages say since when, what waits, what was not sent and what is not
// known; and when it is back, what was sent before is asked about and never
// repeated.
func TestHourWithoutTheCentral(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) { hour(t, dir) })
}

func hour(t *testing.T, dir string) {
	log := slog.New(slog.DiscardHandler)
	q, _, err := queue.Open(queue.Config{Path: filepath.Join(dir, "queue.db"), Key: secret.NewKey(bytes.Repeat([]byte{7}, 32)), Rand: rand.Reader, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	central := &wireEnd{}
	counter, err := edge.New(q, &glass{}, edge.Config{
		Agent: "Fatima", AgentAadhaar: number(t, webtest.AgentAadhaar), Merchant: "Lakshmi Kirana Store", TID: "GAL00001",
		Latitude: "18.5204", Longitude: "73.8567", Rand: rand.Reader, Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	central.counter = counter
	counter.Attach(central)
	s, err := New(atCounter{counter}, testConfig())
	if err != nil {
		t.Fatal(err)
	}
	l, transport := newPipes(), &http.Transport{}
	transport.DialContext = l.dial
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- counter.Run(ctx) }()
	go func() { ended <- s.Run(ctx, l) }()
	defer func() {
		transport.CloseIdleConnections()
		stop()
		if err := errors.Join(<-ended, <-ended, q.Close()); err != nil {
			t.Error(err)
		}
	}()
	v := webtest.Visit(t, webtest.Named("http://"+piped.String()), transport)
	defer v.Search()
	unlock := func() {
		t.Helper()
		v.Get("/unlock", http.StatusOK)
		v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN)
	}
	welcome := func() {
		t.Helper()
		if err := counter.Welcomed(wire.Frame{T: wire.TWelcome, Clock: 1, Window: 8}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
	withdraw := func(form string) (op.ID, string) {
		t.Helper()
		v.Get("/new/withdrawal", http.StatusOK)
		at := v.Post("/new/withdrawal", http.StatusSeeOther, filled("form", form)...)
		v.Post(at+"/capture", http.StatusSeeOther)
		synctest.Wait()
		return op.ID(strings.TrimPrefix(at, "/op/")), at
	}
	welcome()
	unlock()
	sent, atSent := withdraw("f1")
	if !central.sent(sent) {
		t.Fatal("the first withdrawal was not sent")
	}

	central.cut(time.Now())
	since := time.Now().In(time.FixedZone("IST", 5*3600+1800)).Format("15:04")
	counter.Lost(io.EOF)
	late, atLate := withdraw("f2")
	webtest.Has(t, v.Get(atLate, http.StatusOK), "DO NOT GIVE CASH YET", `data-state="waiting"`)
	v.Get("/new/balance", http.StatusOK)
	webtest.Has(t, v.Post("/new/balance", http.StatusConflict, filled("form", "f3")...), "The line is down.")
	time.Sleep(2 * time.Minute)
	webtest.Has(t, v.Get(atLate, http.StatusOK), "DO NOT GIVE CASH", `data-state="expired"`, "No money moved")
	time.Sleep(58 * time.Minute)

	unlock() // nobody touched it
	webtest.Has(t, v.Get("/", http.StatusOK), "No line since "+since, "For 1 h", "1 not sent")
	page := v.Get("/line", http.StatusOK)
	webtest.Has(t, page, "No line since "+since, "What still works", "Outcome not known yet", string(sent), "Not sent", string(late))
	webtest.Has(t, v.Get(atSent, http.StatusOK), "DO NOT GIVE CASH", `data-state="asking"`)

	central.cut(time.Time{})
	welcome()
	central.mu.Lock()
	asked, again := central.asked[sent], central.ops[late] || central.asked[late]
	central.mu.Unlock()
	if !asked || again {
		t.Errorf("what was sent is asked about: %v; what was not sent came to the central: %v", asked, again)
	}
	if err := counter.Receive(outcome(sent, op.Succeeded, "00")); err != nil {
		t.Fatal(err)
	}
	webtest.Has(t, v.Get(atSent, http.StatusOK), "GIVE CASH ₹500")
	webtest.Has(t, v.Get(atLate, http.StatusOK), "DO NOT GIVE CASH", "No money moved")
	webtest.HasNot(t, v.Get("/", http.StatusOK), "No line since")
}
