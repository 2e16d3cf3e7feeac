//go:build linux

package aeps

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
	"galla/edge/ui/uitest"
	"galla/shared/ist"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// TestHourOffline: a real counter with its queue is offline for an hour. The
// pages say since when, what waits, what was not sent and what is unknown; when it is
// online again, what was sent is enquired about and never repeated.
func TestHourOffline(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) { lockOverTime(t, dir) })
}

func lockOverTime(t *testing.T, dir string) {
	log := slog.New(slog.DiscardHandler)
	q, _, err := queue.Open(queue.Config{Path: filepath.Join(dir, "queue.db"), Key: secret.NewKey(bytes.Repeat([]byte{7}, 32)), Rand: rand.Reader, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	central := &wireEnd{}
	counter, err := edge.New(q, &glass{}, edge.Config{
		Agent: "Fatima", AgentAadhaar: number(t, uitest.AgentAadhaar), Merchant: "Lakshmi Kirana Store", TID: "GAL00001",
		Latitude: "18.5204", Longitude: "73.8567", Rand: rand.Reader, Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	central.counter = counter
	counter.SetLink(central)
	s, err := compose(atCounter{counter}, testConfig())
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
	v := uitest.NewClient(t, uitest.WithHostname("http://"+piped.String()), transport)
	defer v.CheckNoSecrets()
	unlock := func() {
		t.Helper()
		v.Get("/unlock", http.StatusOK)
		v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN)
	}
	welcome := func() {
		t.Helper()
		if err := counter.Welcome(wire.Frame{T: wire.TWelcome, Clock: 1, Window: 8}); err != nil {
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
	since := time.Now().In(ist.Zone()).Format("15:04")
	counter.Disconnected(io.EOF)
	late, atLate := withdraw("f2")
	uitest.Contains(t, v.Get(atLate, http.StatusOK), "DO NOT GIVE CASH YET", `data-state="waiting"`)
	v.Get("/new/balance", http.StatusOK)
	uitest.Contains(t, v.Post("/new/balance", http.StatusConflict, filled("form", "f3")...), "The counter is offline.")
	time.Sleep(2 * time.Minute)
	uitest.Contains(t, v.Get(atLate, http.StatusOK), "DO NOT GIVE CASH", `data-state="expired"`, "No money moved")
	time.Sleep(58 * time.Minute)

	unlock() // it was idle
	uitest.Contains(t, v.Get("/", http.StatusOK), "Offline since "+since, "For 1 h", "1 not sent")
	page := v.Get("/connection", http.StatusOK)
	uitest.Contains(t, page, "Offline since "+since, "What works offline", "Result not known yet", string(sent), "Not sent", string(late))
	uitest.Contains(t, v.Get(atSent, http.StatusOK), "DO NOT GIVE CASH", `data-state="asking"`)

	central.cut(time.Time{})
	welcome()
	central.mu.Lock()
	asked, again := central.asked[sent], central.ops[late] || central.asked[late]
	central.mu.Unlock()
	if !asked || again {
		t.Errorf("what was sent is asked about: %v; what was not sent came to the central: %v", asked, again)
	}
	if err := counter.Receive(outcomeFrame(sent, op.Succeeded, "00")); err != nil {
		t.Fatal(err)
	}
	uitest.Contains(t, v.Get(atSent, http.StatusOK), "GIVE CASH ₹500")
	uitest.Contains(t, v.Get(atLate, http.StatusOK), "DO NOT GIVE CASH", "No money moved")
	uitest.NotContains(t, v.Get("/", http.StatusOK), "Offline since")
}
