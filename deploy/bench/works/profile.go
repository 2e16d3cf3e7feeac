//go:build linux

package works

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"galla/deploy/bench/stand"
	"galla/shared/freeport"
)

// profiler is a file that is built into the central for profiles, and only there: it is laid
// over the program's folder at the build.
//
//go:embed profiler.go.txt
var profiler []byte

// profiled are the profiles that are taken while the central works.
var profiled = []struct{ name, path, top string }{
	{"cpu", "/debug/pprof/profile?seconds=%d", "-sample_index=cpu"},
	{"allocs", "/debug/pprof/allocs?seconds=%d", "-sample_index=alloc_objects"},
}

// Profile leaves profiles of a central under withdrawals over 32 connections: cpu.pprof and
// allocs.pprof with their tops as texts, on SQLite, on PostgreSQL, and through the gateway on
// SQLite; then those of a central to which its terminals return.
func Profile(ctx context.Context, b *Bench) error {
	program, err := b.buildProfiled(ctx)
	if err != nil {
		return err
	}
	for _, on := range []string{"sqlite", "postgres", "gateway"} {
		if err := b.profile(ctx, program, on); err != nil {
			return fmt.Errorf("profile on %s: %w", on, err)
		}
	}
	if err := b.profileReturn(ctx, program); err != nil {
		return fmt.Errorf("profile the terminals' return: %w", err)
	}
	return nil
}

// profileReturn leaves profiles of a central to which the largest fleet returns after a
// restart, on SQLite.
func (b *Bench) profileReturn(ctx context.Context, program string) (err error) {
	addr, release, err := freeport.Take()
	if err != nil {
		return err
	}
	defer release()
	n := slices.Max(b.Fleets)
	b.say("start the central for %d terminals", n)
	s, err := stand.Open(ctx, stand.Config{
		Folder: b.folder("profile-return"), Program: program, Merchants: 1, Settings: map[string]string{"BENCH_PPROF_ADDR": addr},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	f, err := s.AddTerminals(ctx, n)
	if err != nil {
		return err
	}
	defer f.Close()
	f.Connect()
	if err := await(ctx, connectedWithin, seldom, "every terminal is connected", func() bool { return f.Online() == n }); err != nil {
		return err
	}
	if err := s.Stop(); err != nil {
		return err
	}
	if err := await(ctx, connectedWithin, seldom, "every terminal is offline", func() bool { return f.Online() == 0 }); err != nil {
		return err
	}
	if err := s.Start(ctx); err != nil {
		return err
	}
	return b.takeAll(ctx, addr, "return", returnSpan, func() (int, error) {
		err := await(ctx, connectedWithin, seldom, "every terminal is back", func() bool { return f.Online() == n })
		return n, err
	})
}

// returnSpan is how long the return is profiled: most of the terminals are back then.
const returnSpan = 8 * time.Second

// buildProfiled builds the central with the profiler in it.
func (b *Bench) buildProfiled(ctx context.Context) (string, error) {
	file, overlay := b.folder("profiler.go"), b.folder("overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(b.Root, "central", "cmd", "galla-central", "profiler_of_bench.go"): file,
	}})
	if err == nil {
		err = errors.Join(os.WriteFile(file, profiler, 0o600), os.WriteFile(overlay, text, 0o600))
	}
	if err != nil {
		return "", err
	}
	return b.Build(ctx, "./central/cmd/galla-central", "-overlay", overlay)
}

func (b *Bench) profile(ctx context.Context, program, on string) (err error) {
	addr, release, err := freeport.Take()
	if err != nil {
		return err
	}
	defer release()
	settings := unlimitedGateway()
	settings["BENCH_PPROF_ADDR"] = addr
	b.say("start the central for %s", on)
	s, err := stand.Open(ctx, stand.Config{
		Folder: b.folder("profile-" + on), Program: program, Merchants: merchants, Postgres: on == "postgres",
		Settings: settings,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	w, err := newWithdrawals(ctx, s)
	if err != nil {
		return err
	}
	run := w.run
	if on == "gateway" {
		g, err := newSealed(w)
		if err != nil {
			return err
		}
		run = g.run
	}
	if _, err := run(ctx, few, b.Span/5); err != nil {
		return err
	}
	b.say("withdrawals for %s, with profiles", b.Span)
	return b.takeAll(ctx, addr, on, b.Span, func() (int, error) {
		r, err := run(ctx, few, b.Span)
		return r.Done, err
	})
}

// takeAll takes the profiles while the work runs, which reports how many it did.
func (b *Bench) takeAll(ctx context.Context, addr, name string, span time.Duration, work func() (int, error)) error {
	var taking sync.WaitGroup
	faults := make([]error, len(profiled))
	out := filepath.Join(b.Profile, name)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for i, p := range profiled {
		taking.Go(func() {
			faults[i] = take(ctx, "http://"+addr+p.path, max(1, int(span/time.Second)-1), filepath.Join(out, p.name+".pprof"))
		})
	}
	done, err := work()
	taking.Wait()
	if err := errors.Join(append(faults, err)...); err != nil {
		return err
	}
	for _, p := range profiled {
		if err := top(ctx, out, p.name, p.top); err != nil {
			return err
		}
	}
	b.say("%d done; the profiles are in %s", done, out)
	return nil
}

// take fetches one profile.
func take(ctx context.Context, url string, seconds int, file string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf(url, seconds), nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: HTTP %d: %s", url, resp.StatusCode, text)
	}
	return errors.Join(err, os.WriteFile(file, text, 0o644))
}

// top writes a profile's functions, by what they and those below them take.
func top(ctx context.Context, folder, name, option string) error {
	text, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-cum", "-nodecount=120", option, filepath.Join(folder, name+".pprof")).Output()
	return errors.Join(err, os.WriteFile(filepath.Join(folder, name+".txt"), text, 0o644))
}
