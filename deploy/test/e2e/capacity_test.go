//go:build linux

package e2e

import (
	"bytes"
	"context"
	"crypto/ed25519"
	crand "crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"galla/edge/uplink"
	frames "galla/shared/wire"
)

// How much is measured.
const (
	fleet      = 2000 // terminals on one central
	enrollers  = 8    // at one time
	loadFor    = 20 * time.Second
	fleetRests = 30 * time.Second // until the memory of an admission is given back
)

// TestCapacity measures the figures of deploy/docs/capacity.md: the memory of a
// terminal's connection, and withdrawals a second through the whole system. It only
// requires that all terminals connect and all withdrawals succeed. make capacity runs
// it.
func TestCapacity(t *testing.T) {
	if raceOn {
		t.Fatal("the race detector takes most of what is measured here: run it without")
	}
	for _, p := range []plan{{nodes: 1, counters: 0}, {nodes: 1, counters: 0, postgres: true}} {
		name := map[bool]string{false: "SQLite", true: "PostgreSQL"}[p.postgres]
		t.Run(name, func(t *testing.T) {
			s := openSite(t, p, seedOf(t))
			if !p.postgres {
				s.measureFleet()
			}
			s.measureLoad(1)
			s.measureLoad(8)
			s.measureLoad(32)
		})
	}
}

// resident is a central's memory, in bytes.
func (s *site) resident() int {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid("central-1")))
	must(s.t, err)
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		s.t.Fatal("the system does not tell the central's memory")
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n << 10
}

// processor is the CPU time that a central has used.
func (s *site) processor() time.Duration {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid("central-1")))
	must(s.t, err)
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	user, _ := strconv.Atoi(string(fields[11]))
	system, _ := strconv.Atoi(string(fields[12]))
	return time.Duration(user+system) * 10 * time.Millisecond // the kernel counts in hundredths
}

// stored is how large a site's database is, in bytes.
func (s *site) stored() int64 {
	s.t.Helper()
	driver, source, ask := "sqlite3", "file:"+filepath.Join(s.data, "central", "central.db")+"?mode=ro&_busy_timeout=10000",
		`SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)`
	if s.plan.postgres {
		driver, source, ask = "pgx", s.direct, `SELECT pg_database_size(current_database())`
	}
	db, err := sql.Open(driver, source)
	must(s.t, err)
	defer db.Close()
	var n int64
	must(s.t, db.QueryRow(ask).Scan(&n))
	return n
}

// measureFleet connects many terminals.
func (s *site) measureFleet() {
	t := s.t
	empty := s.resident()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	lines := make(chan *uplink.Client, fleet)
	work := make(chan int, fleet)
	for n := range fleet {
		work <- n
	}
	close(work)
	token := s.token(lakshmi, lakshmiSecret)
	began := time.Now()
	var enrolling sync.WaitGroup
	for range enrollers {
		enrolling.Go(func() {
			for n := range work {
				line, err := s.line(token, n)
				if err != nil {
					t.Errorf("terminal %d: %v", n, err)
					return
				}
				lines <- line
			}
		})
	}
	enrolling.Wait()
	close(lines)
	if t.Failed() {
		return
	}
	enrolled, before := time.Since(began), s.processor()
	began = time.Now()
	var all []*uplink.Client
	for line := range lines {
		all = append(all, line)
		running.Go(func() { _ = line.Run(ctx) })
	}
	waitUntil(t, "every terminal is connected", finalTimeout, func() bool {
		return !slices.ContainsFunc(all, func(l *uplink.Client) bool { return !l.State().Online })
	})
	came := time.Since(began)
	admitted := s.processor() - before
	time.Sleep(fleetRests)
	before = s.processor()
	time.Sleep(fleetRests)
	idle := s.processor() - before
	t.Logf("%d terminals: enrolled in %.0f s, all connected %.1f s after the start (%.2f ms of the central's processor each)", len(all), enrolled.Seconds(), came.Seconds(), admitted.Seconds()*1e3/fleet)
	t.Logf("memory of the central: %.0f MB without terminals, %.0f MB with %d idle ones, %.1f KB each; idle, they take %.1f %% of a processor",
		float64(empty)/1e6, float64(s.resident())/1e6, len(all), float64(s.resident()-empty)/1e3/fleet, 100*idle.Seconds()/fleetRests.Seconds())
}

// line enrols a terminal.
func (s *site) line(token string, n int) (*uplink.Client, error) {
	public, key, err := ed25519.GenerateKey(crand.Reader)
	if err != nil {
		return nil, err
	}
	var minted, enrolled struct {
		Data struct {
			Code     string `json:"code"`
			Terminal string `json:"terminalId"`
			Uplink   string `json:"uplink"`
			Audience string `json:"audience"`
		} `json:"data"`
	}
	post := func(path string, body, into any, header ...string) error {
		for {
			status, _, raw, err := s.do("POST", s.url("CENTRAL")+path, body, header...)
			switch {
			case err != nil:
				return err
			case status == http.StatusTooManyRequests:
				time.Sleep(100 * time.Millisecond)
			case status/100 != 2:
				return fmt.Errorf("POST %s: HTTP %d: %s", path, status, raw)
			default:
				return json.Unmarshal(raw, into)
			}
		}
	}
	if err := post("/terminals", map[string]any{}, &minted, "Authorization", "Bearer "+token); err != nil {
		return nil, err
	}
	if err := post("/terminals/enrol", map[string]any{"code": minted.Data.Code, "publicKey": []byte(public), "name": fmt.Sprint("capacity ", n)}, &enrolled); err != nil {
		return nil, err
	}
	return uplink.New(uplink.Config{
		URL: enrolled.Data.Uplink, TerminalID: enrolled.Data.Terminal, Audience: enrolled.Data.Audience, Key: key,
		MaxBackoff: lineBackoff, Version: "e2e", Rand: crand.Reader, Logger: slog.New(slog.DiscardHandler),
	}, silentCounter{})
}

// measureLoad makes withdrawals by so many callers at a time. Captures are made before,
// since a reader is no part of a central.
func (s *site) measureLoad(callers int) {
	t := s.t
	own := s.newReader(t)
	bodies := make(chan []byte, 1<<14)
	most := 150 * callers
	for n := range min(most, 3000) {
		customer := []string{choudhury, agarwal, kapoor}[n%3]
		body, err := s.transaction(own, customer, 100)
		must(t, err)
		bodies <- body
	}
	close(bodies)
	token := s.token(lakshmi, lakshmiSecret)
	var mu sync.Mutex
	var took []time.Duration
	others := 0
	stop := time.After(loadFor)
	over := make(chan struct{})
	go func() { <-stop; close(over) }()
	before, began := s.processor(), time.Now()
	disk := s.stored()
	var work sync.WaitGroup
	for n := range callers {
		work.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-over:
					return
				default:
				}
				body, more := <-bodies
				if !more {
					return
				}
				at := time.Now()
				a, err := s.postTransaction("/aeps/withdrawal", token, fmt.Sprintf("capacity-%d-%d-%d", callers, n, i), body)
				mu.Lock()
				if err == nil && judge(a) == succeeded {
					took = append(took, time.Since(at))
				} else {
					others++
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	span, computed := time.Since(began), s.processor()-before
	if len(took) == 0 {
		t.Fatalf("nothing succeeded of %d", others)
	}
	t.Logf("%.1f KB of the database for each withdrawal", float64(s.stored()-disk)/1e3/float64(len(took)+others))
	slices.Sort(took)
	t.Logf("%2d callers: %.0f withdrawals a second, half within %s, 99 of 100 within %s; %d did not succeed; %.1f ms of the central's processor each, %.0f MB",
		callers, float64(len(took))/span.Seconds(), took[len(took)/2].Round(100*time.Microsecond), took[len(took)*99/100].Round(100*time.Microsecond), others,
		computed.Seconds()*1e3/float64(len(took)+others), float64(s.resident())/1e6)
}

// silentCounter is a counter without a user.
type silentCounter struct{}

func (silentCounter) Hello() (frames.Frame, error) { return frames.Frame{}, nil }
func (silentCounter) Welcome(frames.Frame) error   { return nil }
func (silentCounter) Disconnected(error)           {}
func (silentCounter) Receive(frames.Frame) error   { return nil }
