package monitoring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/deploy/docs"
	"galla/shared/freeport"
)

// prometheus is a running Prometheus that scrapes one central.
type prometheus struct {
	t    *testing.T
	addr string
}

// patience bounds each wait for something that Prometheus does by itself.
const patience = 90 * time.Second

// scrapeConfig is the handbook's configuration for a central with this admin address; ca is
// the file of its certificate's authority.
func scrapeConfig(t *testing.T, admin, ca string) string {
	t.Helper()
	page, err := fs.ReadFile(docs.Pages(), "operate.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := docs.Blocks("operate.md", string(page))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(blocks, func(b docs.Block) bool { return strings.HasPrefix(b.Text, "scrape_configs:") })
	if i < 0 {
		t.Fatal("the handbook has no scrape configuration")
	}
	const tls = "    tls_config:\n      ca_file: /etc/prometheus/galla-ca.crt\n"
	text := blocks[i].Text
	scheme, host, _ := strings.Cut(admin, "://")
	trust := strings.ReplaceAll(tls, "/etc/prometheus/galla-ca.crt", ca)
	if scheme == "http" {
		trust = ""
	}
	for old, with := range map[string]string{"scheme: https\n": "scheme: " + scheme + "\n", tls: trust, "central.example.org:7101": host} {
		if strings.Count(text, old) != 1 {
			t.Fatalf("the handbook's scrape configuration has not one %q", old)
		}
		text = strings.Replace(text, old, with, 1)
	}
	return text
}

// TestScrapeConfigs checks the handbook's configuration with promtool, for an admin address
// with and without TLS.
func TestScrapeConfigs(t *testing.T) {
	for _, admin := range []string{"https://127.0.0.1:7101", "http://127.0.0.1:7101"} {
		ca, _ := certificate(t)
		file := filepath.Join(t.TempDir(), "prometheus.yml")
		if err := os.WriteFile(file, []byte(scrapeConfig(t, admin, ca)), 0o600); err != nil {
			t.Fatal(err)
		}
		promtool(t, "check", "config", file)
	}
}

// watching starts Debian's Prometheus over a central, with the rules of this folder.
// GALLA_WITHOUT_PROMTOOL=1 skips it.
func watching(t *testing.T, admin, ca string) prometheus {
	t.Helper()
	if _, err := exec.LookPath("prometheus"); err != nil {
		if os.Getenv("GALLA_WITHOUT_PROMTOOL") != "" {
			t.Skip("Prometheus is left out: GALLA_WITHOUT_PROMTOOL is set")
		}
		t.Fatal("prometheus is missing: apt-get install prometheus (or set GALLA_WITHOUT_PROMTOOL=1 to leave it out)")
	}
	folder := t.TempDir()
	rules, err := filepath.Abs("galla.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: 500ms, scrape_timeout: 400ms, evaluation_interval: 500ms}\nrule_files: [%q]\n%s", rules, scrapeConfig(t, admin, ca))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := prometheus{t, freeport.For(t)}
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "prometheus", "--config.file="+file, "--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address="+p.addr)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
		if t.Failed() {
			t.Log(said.String())
		}
	})
	return p
}

// get asks Prometheus's API, and reports whether it had an answer.
func (p prometheus) get(path string, data any) bool {
	p.t.Helper()
	resp, err := http.Get("http://" + p.addr + path)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	answer := struct {
		Status, Error string
		Data          any
	}{Data: data}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return false
	}
	if answer.Status != "success" {
		p.t.Errorf("%s: %s", path, answer.Error)
	}
	return true
}

// values is how many series an expression has now.
func (p prometheus) values(expr string) int {
	p.t.Helper()
	var data struct{ Result []any }
	if !p.get("/api/v1/query?query="+url.QueryEscape(expr), &data) {
		return 0
	}
	return len(data.Result)
}

// until waits for something that Prometheus finds out by itself.
func (p prometheus) until(what string, done func() bool) {
	p.t.Helper()
	end := time.After(patience)
	for !done() {
		select {
		case <-end:
			p.t.Fatalf("Prometheus does not see within %v that %s", patience, what)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// ruleFile are the rules as Prometheus sees them.
type ruleFile struct {
	Groups []struct {
		Rules []struct{ Name, Health, LastError, State string }
	}
}

// TestPrometheusScrapesACentral checks that Debian's Prometheus loads the rules,
// evaluates each of them over a running central with TLS, answers every query of the dashboards,
// and notices when the central is gone.
func TestPrometheusScrapesACentral(t *testing.T) {
	ca, key := certificate(t)
	admin, stop := serving(t, ca, key)
	defer stop()
	p := watching(t, admin, ca)
	p.until("the central serves", func() bool { return p.values("galla_engine_running == 1") == 1 })
	_, names := alerts(t)
	var found ruleFile
	p.until("every rule was evaluated", func() bool {
		found = ruleFile{}
		n := 0
		p.get("/api/v1/rules", &found)
		for _, g := range found.Groups {
			for _, r := range g.Rules {
				if r.Health == "ok" {
					n++
				}
				if r.LastError != "" {
					t.Fatalf("rule %s: %s", r.Name, r.LastError)
				}
			}
		}
		return n == len(names)
	})
	p.until("there are rates", func() bool { return p.values("rate(galla_uplink_admitted_total[1m])") == 1 })
	answered, panels := 0, 0
	for board, list := range dashboards(t) {
		for _, panel := range list {
			for _, q := range panel.Targets {
				panels++
				expr := strings.NewReplacer("$instance", ".*", "$__rate_interval", "1m").Replace(q.Expr)
				if p.values(expr) > 0 {
					answered++
				} else if testing.Verbose() {
					t.Logf("%s, %s: no value so far", board, panel.Title)
				}
			}
		}
	}
	// Without requests there are no request metrics, and SQLite has no pool.
	if answered < panels/2 {
		t.Errorf("only %d of %d questions of the dashboards have an answer", answered, panels)
	}
	stop()
	p.until("the central is gone", func() bool {
		return p.values(`ALERTS{alertname="GallaCentralDown",alertstate="pending"}`) == 1
	})
}
