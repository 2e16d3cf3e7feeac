//go:build linux

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central/store/pgtest"
	"galla/deploy/ha"
	"galla/deploy/local/supervise"
)

// plan is what a site consists of.
type plan struct {
	nodes    int  // centrals; more than one need PostgreSQL
	counters int  // each with a reader of its own
	postgres bool // instead of SQLite
	standby  bool // a second server that follows the first and may replace it
	cluster  bool // instead of both: the cluster of deploy/ha, with an HAProxy for each central
}

// site is a system whose parts are joined by proxies that a test can break:
//
//	clients ──► proxy client ─┐                ┌─► proxy bank-n ──► bank
//	counters ─► proxy uplink ─┼─► central-n ───┴─► proxy database-n ──► PostgreSQL
//	bank ─────► proxy notify ─┘
//
// The tests' own reads of books, counters and readers pass no proxy.
type site struct {
	*sandbox
	plan         plan
	proxies      []*faultyProxy
	counters     []addresses
	primary      *pgtest.Server               // nil: SQLite
	standby      *pgtest.Server               // nil: none
	cluster      *ha.Cluster                  // nil: none
	direct       string                       // the database's URL past the proxies
	environments map[string]map[string]string // each program's environment, by its name
}

// proxyNames are the names of the plan's proxies.
func (p plan) proxyNames() []string {
	names := []string{"client", "uplink", "notify"}
	for n := range p.nodes {
		names = append(names, withNumber("bank", n))
		if p.postgres {
			names = append(names, withNumber("database", n))
		}
		if p.standby {
			names = append(names, withNumber("standby", n))
		}
	}
	return names
}

// addresses is where a counter and its reader listen.
type addresses struct{ counter, reader string }

// openSite starts a site and closes it at the test's end.
func openSite(t *testing.T, p plan, seed uint64) *site {
	t.Helper()
	h := &sandbox{t: t, bin: shop.bin, data: filepath.Join(t.TempDir(), "data"), exited: make(chan struct{}), pids: map[string]string{}}
	must(t, os.MkdirAll(h.data, 0o700))
	s := &site{sandbox: h, plan: p, environments: map[string]map[string]string{}}
	names := []string{"BANK", "BANK_NETWORK"}
	for n := range p.nodes {
		names = append(names, withNumber("CENTRAL", n), withNumber("ADMIN", n), withNumber("UPLINK", n))
	}
	for n := range p.counters {
		names = append(names, withNumber("COUNTER", n), withNumber("RDSIM", n))
	}
	at := freeAddresses(t, append(names, p.proxyNames()...)...)
	if p.postgres {
		s.openDatabase()
	}
	s.connectProxies(at, seed)
	s.planPrograms(at)
	s.run(s.steps(at))
	t.Cleanup(s.close)
	return s
}

func withNumber(name string, n int) string { return fmt.Sprintf("%s-%d", name, n+1) }

// proxy gives a proxy by its name.
func (s *site) proxy(name string) *faultyProxy {
	for _, w := range s.proxies {
		if w.name == name {
			return w
		}
	}
	s.t.Fatalf("no proxy is called %s", name)
	return nil
}

// connectProxies joins the parts.
func (s *site) connectProxies(at map[string]string, seed uint64) {
	s.t.Helper()
	lay := func(name string, ends ...string) {
		s.proxies = append(s.proxies, newFaultyProxyAt(s.t, name, at[name], seed+uint64(len(s.proxies)), ends...))
	}
	var direct, uplinks []string
	for n := range s.plan.nodes {
		direct = append(direct, at[withNumber("CENTRAL", n)])
		uplinks = append(uplinks, at[withNumber("UPLINK", n)])
		lay(withNumber("bank", n), at["BANK_NETWORK"])
		switch {
		case s.cluster != nil:
			lay(withNumber("database", n), s.cluster.Proxy(n))
		case s.primary != nil:
			lay(withNumber("database", n), s.primary.Addr())
		}
		if s.standby != nil {
			lay(withNumber("standby", n), s.standby.Addr())
		}
	}
	lay("client", direct...)
	lay("uplink", uplinks...)
	lay("notify", direct...)
	s.sandbox.env = map[string]string{
		"GALLA_CENTRAL_ADDR": s.proxy("client").addr, "GALLA_BANK_ADDR": at["BANK"],
		"GALLA_COUNTER_ADDR": at[withNumber("COUNTER", 0)], "GALLA_RDSIM_ADDR": at[withNumber("RDSIM", 0)],
	}
	s.reader = &reader{url: s.url("RDSIM")}
}

// planPrograms decides each program's settings. The centrals share a folder, since they
// share their keys.
func (s *site) planPrograms(at map[string]string) {
	s.t.Helper()
	s.environments["bank"] = map[string]string{
		"GALLA_DATA": s.data, "GALLA_BANK_ADDR": at["BANK"], "GALLA_BANK_NETWORK_ADDR": at["BANK_NETWORK"], "GALLA_BANK_TIME_SCALE": "0.05",
		"GALLA_BANK_NOTIFY_URL": "http://" + s.proxy("notify").addr,
	}
	s.pids["bank"] = filepath.Join(s.data, "bank.pid")
	for n := range s.plan.nodes {
		name := withNumber("central", n)
		s.environments[name] = map[string]string{
			"GALLA_DATA": s.data, "GALLA_NODE": name,
			"GALLA_CENTRAL_ADDR": at[withNumber("CENTRAL", n)], "GALLA_ADMIN_ADDR": at[withNumber("ADMIN", n)], "GALLA_UPLINK_ADDR": at[withNumber("UPLINK", n)],
			"GALLA_UPLINK_URL":        "ws://" + s.proxy("uplink").addr + "/uplink",
			"GALLA_BANK_NETWORK_ADDR": "http://" + s.proxy(withNumber("bank", n)).addr, "GALLA_BANK_TIMEOUT": "3s",
		}
		s.pids[name] = filepath.Join(s.data, "central.pid")
		if s.plan.postgres {
			s.environments[name]["GALLA_DATABASE_URL"] = s.databaseURL(n)
			s.pids[name] = filepath.Join(s.data, "central-"+name+".pid")
			s.environments[name]["GALLA_PID_FILE"] = s.pids[name]
		}
	}
	for n := range s.plan.counters {
		edge, rdsim := withNumber("edge", n), withNumber("rdsim", n)
		data := s.folder(edge, n)
		s.counters = append(s.counters, addresses{counter: named(s.t, data, at[withNumber("COUNTER", n)]), reader: "http://" + at[withNumber("RDSIM", n)]})
		s.environments[edge] = map[string]string{"GALLA_DATA": data, "GALLA_COUNTER_ADDR": at[withNumber("COUNTER", n)], "GALLA_RDSIM_ADDR": s.counters[n].reader, "GALLA_CENTRAL_ADDR": s.url("CENTRAL")}
		s.environments[rdsim] = map[string]string{"GALLA_DATA": data, "GALLA_RDSIM_ADDR": at[withNumber("RDSIM", n)]}
		s.pids[edge], s.pids[rdsim] = filepath.Join(data, "edge.pid"), filepath.Join(data, "rdsim.pid")
	}
}

// folder is the data folder of the n-th counter and its reader, with the one authority
// of all readers; the first counter has the sandbox's folder.
func (s *site) folder(edge string, n int) string {
	s.t.Helper()
	if n == 0 {
		return s.data
	}
	dir, authority := filepath.Join(s.data, edge), filepath.Join(s.data, "authority")
	must(s.t, os.MkdirAll(dir, 0o700))
	must(s.t, os.MkdirAll(authority, 0o700))
	must(s.t, os.Symlink(authority, filepath.Join(dir, "authority")))
	return dir
}

// steps is the order of the start.
func (s *site) steps(at map[string]string) []supervise.Step {
	var list []supervise.Step
	start := func(name, program, url string) {
		var env []string
		for _, kv := range os.Environ() {
			if !strings.HasPrefix(kv, "GALLA_") {
				env = append(env, kv)
			}
		}
		for k, v := range s.environments[name] {
			env = append(env, k+"="+v)
		}
		list = append(list, supervise.Step{Program: &supervise.Program{
			Name: name, Path: filepath.Join(s.bin, program), PIDFile: s.pids[name],
			Env:   append(env, "GALLA_SANDBOX=1", "GORACE=atexit_sleep_ms=0"),
			Ready: func(context.Context) error { return s.isUp(url) },
		}})
	}
	for n := range s.plan.counters {
		start(withNumber("rdsim", n), "galla-rdsim", s.counters[n].reader+"/")
	}
	start("bank", "galla-bank", s.url("BANK")+"/books/trial")
	for n := range s.plan.nodes {
		start(withNumber("central", n), "galla-central", "http://"+at[withNumber("ADMIN", n)]+"/readyz")
	}
	for n := range s.plan.counters {
		list = append(list, supervise.Step{Do: func(ctx context.Context) error { return s.enrol(ctx, withNumber("edge", n)) }})
		start(withNumber("edge", n), "galla-edge", "http://"+s.environments[withNumber("edge", n)]["GALLA_COUNTER_ADDR"]+"/healthz")
	}
	return list
}

func (s *site) isUp(url string) error {
	status, _, _, err := s.do("GET", url, nil)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("GET %s: HTTP %d", url, status)
	}
	return err
}

// run starts the programs and waits until all serve.
func (s *site) run(steps []supervise.Step) {
	s.t.Helper()
	logs, err := os.OpenFile(s.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(s.t, err)
	screen := &siteLog{out: logs}
	ready := make(chan struct{})
	sup, err := supervise.New(supervise.Config{
		Steps: steps, OnReady: func() { close(ready) }, LogDir: filepath.Join(s.data, "log"), Screen: screen,
		Logger:    slog.New(slog.NewTextHandler(screen, nil)).With("part", "supervisor"),
		ReadyWait: startWait, StopGrace: time.Minute,
	})
	must(s.t, err)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		s.err = errors.Join(sup.Run(ctx), logs.Close())
		close(s.exited)
	}()
	s.stopSite = func() {
		stop()
		<-s.exited
	}
	select {
	case <-ready:
	case <-s.exited:
		stop()
		s.t.Fatalf("the site does not start: %v\n%s", s.err, s.logTail())
	}
}

// siteLog is the log of a site, which the supervisor and its programs share.
type siteLog struct {
	mu  sync.Mutex
	out *os.File
}

func (l *siteLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(b)
}

// close stops the programs, then the database, and looks through the logs.
func (s *site) close() {
	s.stopSite()
	if s.err != nil {
		s.t.Errorf("the site's end: %v", s.err)
	}
	for _, db := range []*pgtest.Server{s.primary, s.standby} {
		if db != nil {
			db.Kill()
		}
	}
	if s.cluster != nil {
		s.cluster.Stop()
	}
	if fault := s.findFaultInLogs(); fault != "" {
		s.t.Errorf("a program's log tells of a fault:\n%s", fault)
	}
	if s.t.Failed() {
		s.t.Logf("the end of the logs:\n%s", s.logTail())
		s.copyEvidence()
	}
}

// copyEvidence copies a failed site's data out of the test's folder, if $GALLA_EVIDENCE
// names a folder.
func (s *site) copyEvidence() {
	to := os.Getenv("GALLA_EVIDENCE")
	if to == "" {
		return
	}
	to = filepath.Join(to, strings.ReplaceAll(s.t.Name(), "/", "-")+time.Now().Format("-150405"))
	if err := os.CopyFS(to, os.DirFS(filepath.Dir(s.data))); err != nil {
		s.t.Logf("keep the evidence in %s: %v", to, err)
		return
	}
	s.t.Logf("the evidence lies in %s", to)
}

// enrol enrols a terminal of the merchant at a counter.
func (s *site) enrol(ctx context.Context, edge string) error {
	token, err := s.newToken(lakshmi, lakshmiSecret)
	if err != nil {
		return err
	}
	status, _, raw, err := s.do("POST", s.url("CENTRAL")+"/terminals", map[string]any{}, "Authorization", "Bearer "+token)
	if err != nil {
		return err
	}
	var reply struct {
		Data struct {
			Code string `json:"code"`
		} `json:"data"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil || status/100 != 2 || reply.Data.Code == "" {
		return fmt.Errorf("POST /terminals: HTTP %d: no code", status)
	}
	dir := s.t.TempDir()
	args := []string{"enrol", "--if-needed", "--name", edge, "--agent-name", "Fatima"}
	for flag, content := range map[string]string{"code": reply.Data.Code, "agent-pin": "2580", "agent-aadhaar": fatima} {
		file := filepath.Join(dir, flag)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			return err
		}
		args = append(args, "--"+flag+"-file", file)
	}
	// Other sandboxes' simulators may listen where readers are looked for.
	for _, args := range [][]string{args, {"devices", "--use", s.environments[edge]["GALLA_RDSIM_ADDR"]}} {
		cmd := exec.CommandContext(ctx, filepath.Join(s.bin, "galla-edge"), args...)
		cmd.Env = os.Environ()
		for k, v := range s.environments[edge] {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("galla-edge %s: %w: %s", args[0], err, bytes.TrimSpace(out))
		}
	}
	return nil
}
