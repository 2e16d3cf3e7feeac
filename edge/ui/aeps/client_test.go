package aeps

import (
	"log/slog"
	"net/http"
	"testing"

	"galla/edge/ui/uitest"
)

// visitor is a browser without scripts at the pages over a fake counter.
type visitor struct {
	*uitest.Client
	f *fake
	s *Pages
}

// visit serves the pages over a fake counter, and opens them.
func visit(t *testing.T) *visitor {
	t.Helper()
	v := &visitor{f: newFake()}
	seen := &uitest.Transcript{}
	cfg := testConfig()
	cfg.Logger = slog.New(slog.NewTextHandler(seen, nil))
	var err error
	if v.s, err = compose(v.f, cfg); err != nil {
		t.Fatal(err)
	}
	srv := uitest.Start(t, v.s.Handler())
	t.Cleanup(srv.Close)
	t.Cleanup(v.s.Close)
	v.Client = uitest.NewClient(t, srv.URL, srv.Client().Transport)
	v.Transcript = seen
	t.Cleanup(v.CheckNoSecrets)
	return v
}

// unlocked is visit with the right PIN typed.
func unlocked(t *testing.T) *visitor {
	t.Helper()
	v := visit(t)
	v.Get("/unlock", http.StatusOK)
	v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN)
	v.Get("/", http.StatusOK)
	return v
}

// in returns the visitor for a subtest.
func (v *visitor) in(t *testing.T) *visitor {
	sub := *v
	sub.Client = v.WithT(t)
	return &sub
}
