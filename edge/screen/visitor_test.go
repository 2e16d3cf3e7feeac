package screen

import (
	"log/slog"
	"net/http"
	"testing"

	"galla/edge/web/webtest"
)

// visitor is a browser without scripts in front of a screen over a fake
// counter.
type visitor struct {
	*webtest.Visitor
	f *fake
	s *Screen
}

// visit serves a screen over a fake counter, and opens it.
func visit(t *testing.T) *visitor {
	t.Helper()
	v := &visitor{f: newFake()}
	seen := &webtest.Ledger{}
	cfg := testConfig()
	cfg.Logger = slog.New(slog.NewTextHandler(seen, nil))
	var err error
	if v.s, err = New(v.f, cfg); err != nil {
		t.Fatal(err)
	}
	srv := webtest.Start(t, v.s.Handler())
	t.Cleanup(srv.Close)
	t.Cleanup(v.s.Close)
	v.Visitor = webtest.Visit(t, srv.URL, srv.Client().Transport)
	v.Seen = seen
	t.Cleanup(v.Search)
	return v
}

// unlocked is visit with the right PIN given.
func unlocked(t *testing.T) *visitor {
	t.Helper()
	v := visit(t)
	v.Get("/unlock", http.StatusOK)
	v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN)
	v.Get("/", http.StatusOK)
	return v
}

// in is the visitor in a subtest.
func (v *visitor) in(t *testing.T) *visitor {
	sub := *v
	sub.Visitor = v.In(t)
	return &sub
}
