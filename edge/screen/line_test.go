package screen

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/web/webtest"
	"galla/shared/op"
)

// TestLineDown: the screen says since when there is no line, what still works,
// and what was not sent.
func TestLineDown(t *testing.T) {
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
	v.f.change(func(s *edge.Status) { s.Link = edge.LinkState{Since: lost, Problem: "The line to the central broke."} })

	home := v.Get("/", http.StatusOK)
	webtest.Has(t, home, "No line since 09:14", "For 1 h", `href="/line" data-key="l"`, `<b class="count">2 not sent</b>`)
	page := v.Get("/line", http.StatusOK)
	if got := webtest.Says(t, page); got != "No line since 09:14" {
		t.Errorf("it says %q", got)
	}
	webtest.Has(t, page, "What still works", "What waits for the line", "The line to the central broke.")
	part := func(title string) string {
		_, after, ok := strings.Cut(page, "<h2>"+title+"</h2>")
		if !ok {
			t.Fatalf("no part %q:\n%s", title, page)
		}
		before, _, _ := strings.Cut(after, "</section>")
		return before
	}
	webtest.Has(t, part("Waits for the line"), "Waits Here", "Do not give cash")
	webtest.Has(t, part("Outcome not known yet"), "Asked About", "Do not give cash")
	webtest.Has(t, part("Not sent"), "Late Expired", "Never Arrived", "No money moved")
	webtest.HasNot(t, part("Not sent"), "Before Loss", "Gave Up")

	// The line is back: what was lost stays to be read.
	v.f.change(func(s *edge.Status) { s.Link = edge.LinkState{Up: true, Since: fakeNow} })
	page = v.Get("/line", http.StatusOK)
	if got := webtest.Says(t, page); got != "Line up" {
		t.Errorf("it says %q", got)
	}
	webtest.Has(t, part("Not sent"), "Late Expired", "Before Loss")
	webtest.HasNot(t, page, "What still works")
	webtest.HasNot(t, v.Get("/", http.StatusOK), "outage")
}

// TestLineNever: a counter that was never connected, one that was revoked, and
// one whose operations can't be read.
func TestLineNever(t *testing.T) {
	v := unlocked(t)
	v.f.change(func(s *edge.Status) { s.Link = edge.LinkState{} })
	webtest.Has(t, v.Get("/line", http.StatusOK), "No line yet", "Nothing was lost.")
	v.f.change(func(s *edge.Status) { s.Link = edge.LinkState{Since: s.Now, Revoked: true} })
	webtest.Has(t, v.Get("/line", http.StatusOK), "Counter revoked", "Call support")
	v.f.change(func(s *edge.Status) { s.Link = edge.LinkState{Since: s.Now} })
	webtest.Has(t, v.Get("/line", http.StatusOK), "Just now")
	v.f.mu.Lock()
	v.f.broken = errors.New("the disk")
	v.f.mu.Unlock()
	webtest.Has(t, v.Get("/line", http.StatusOK), "can&#39;t be read from the disk")
}
