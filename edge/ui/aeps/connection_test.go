package aeps

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// TestOffline: the page says since when the counter is offline, what still works, and
// what was not sent.
func TestOffline(t *testing.T) {
	v := unlocked(t)
	lost := fakeNow.Add(-time.Hour)
	ended := func(state op.State, captured, ended time.Time, name string) {
		id := v.f.add(cashOp(func(v *edge.View) {
			v.State, v.CapturedAt, v.Customer, v.CreatedAt = state, captured, name, ended.Add(-time.Minute)
		}))
		v.f.mu.Lock()
		v.f.ops[id].EndedAt = ended
		v.f.mu.Unlock()
	}
	ended(op.Expired, lost.Add(-3*time.Minute), lost.Add(-2*time.Minute), "Before Loss")
	ended(op.Expired, lost.Add(time.Minute), lost.Add(3*time.Minute), "Late Expired")
	ended(op.NotSent, lost.Add(-time.Minute), lost.Add(4*time.Minute), "Never Arrived")
	ended(op.Expired, time.Time{}, lost.Add(5*time.Minute), "Gave Up")
	v.f.add(cashOp(func(v *edge.View) {
		v.State, v.Customer, v.Deadline = op.Queued, "Waits Here", fakeNow.Add(time.Minute)
	}))
	v.f.add(cashOp(func(v *edge.View) { v.State, v.Customer = op.Unknown, "Asked About" }))
	v.f.change(func(s *edge.Status) { s.Link = edge.LinkState{Since: lost, Problem: edge.LinkBroken} })

	home := v.Get("/", http.StatusOK)
	uitest.Contains(t, home, "Offline since 09:14", "For 1 h", `href="/connection" data-key="l"`, `<b class="count">2 not sent</b>`)
	page := v.Get("/connection", http.StatusOK)
	if got := uitest.Heading(t, page); got != "Offline since 09:14" {
		t.Errorf("it says %q", got)
	}
	uitest.Contains(t, page, "What works offline", "What needs to be online", "The connection broke.")
	part := func(title string) string {
		_, after, ok := strings.Cut(page, "<h2>"+title+"</h2>")
		if !ok {
			t.Fatalf("no part %q:\n%s", title, page)
		}
		before, _, _ := strings.Cut(after, "</section>")
		return before
	}
	uitest.Contains(t, part("Waiting for the connection"), "Waits Here", "Do not give cash")
	uitest.Contains(t, part("Result not known yet"), "Asked About", "Do not give cash")
	uitest.Contains(t, part("Not sent"), "Late Expired", "Never Arrived", "No money moved")
	uitest.NotContains(t, part("Not sent"), "Before Loss", "Gave Up")

	// Online again: what was not sent is still listed.
	v.f.change(func(s *edge.Status) { s.Link = edge.LinkState{Online: true, Since: fakeNow} })
	page = v.Get("/connection", http.StatusOK)
	if got := uitest.Heading(t, page); got != "Online" {
		t.Errorf("it says %q", got)
	}
	uitest.Contains(t, part("Not sent"), "Late Expired", "Before Loss")
	uitest.NotContains(t, page, "What works offline")
	uitest.NotContains(t, v.Get("/", http.StatusOK), "outage")
}

// TestNeverOnline: a counter that was never connected, one that was revoked, and one with
// unreadable operations.
func TestNeverOnline(t *testing.T) {
	v := unlocked(t)
	v.f.change(func(s *edge.Status) { s.Link = edge.LinkState{} })
	uitest.Contains(t, v.Get("/connection", http.StatusOK), "Not online yet", "Nothing was lost.")
	v.f.change(func(s *edge.Status) { s.Link = edge.LinkState{Since: s.Now, Revoked: true} })
	uitest.Contains(t, v.Get("/connection", http.StatusOK), "Counter revoked", "Call support")
	v.f.change(func(s *edge.Status) { s.Link = edge.LinkState{Since: s.Now} })
	uitest.Contains(t, v.Get("/connection", http.StatusOK), "Just now")
	v.f.mu.Lock()
	v.f.broken = errors.New("the disk")
	v.f.mu.Unlock()
	uitest.Contains(t, v.Get("/connection", http.StatusOK), "cannot be read from the disk")
}
