package monitoring

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central/server"
	"galla/shared/freeport"
)

// exporters are the packages whose metrics leave by the admin address.
func exporters() []string { return []string{"../../central/server", "../../central/telemetry"} }

// declared is a metric as the sources declare it, with its labels.
var declared = regexp.MustCompile(`\b(gauge|counter|histogram|describe)\((?:w\.registry, )?"([a-z_]+)", "(?:[^"\\]|\\.)*"([^\n]*)\)`)

// quoted is a label's name, where a declaration ends with them.
var quoted = regexp.MustCompile(`"([a-z]+)"`)

// metrics gives every metric that the sources declare, with its labels;
// histograms by the names that are scraped.
func metrics(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, pkg := range exporters() {
		files, err := filepath.Glob(filepath.Join(pkg, "*.go"))
		if err != nil || files == nil {
			t.Fatalf("no sources in %s: %v", pkg, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
				var labels []string
				for _, l := range quoted.FindAllStringSubmatch(m[3], -1) {
					labels = append(labels, l[1])
				}
				name := "galla_" + m[2]
				if m[1] != "histogram" {
					out[name] = labels
					continue
				}
				out[name+"_bucket"] = append(slices.Clone(labels), "le")
				out[name+"_sum"], out[name+"_count"] = labels, labels
			}
		}
	}
	return out
}

// expression is one PromQL expression and where it stands.
type expression struct{ where, text string }

// panel is the needed part of a dashboard's panel.
type panel struct {
	ID          int
	Type        string
	Title       string
	Description string
	GridPos     struct{ X, Y, W, H int }
	Targets     []struct{ RefID, Expr string }
}

func dashboards(t *testing.T) map[string][]panel {
	t.Helper()
	files, err := filepath.Glob("*.dashboard.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("dashboards: %v, %v", files, err)
	}
	out, uids := map[string][]panel{}, map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var board struct {
			UID, Title string
			Panels     []panel
		}
		if err := json.Unmarshal(text, &board); err != nil || board.UID == "" || board.Title == "" || board.Panels == nil {
			t.Fatalf("%s is no dashboard: %v", name, err)
		}
		if uids[board.UID] != "" {
			t.Errorf("%s and %s have the same uid", name, uids[board.UID])
		}
		uids[board.UID], out[name] = name, board.Panels
	}
	return out
}

// alerts gives the rules' file as text, and the names of its alerts.
func alerts(t *testing.T) (rules string, names []string) {
	t.Helper()
	text, err := os.ReadFile("galla.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^ +- alert: (\w+)$`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	if len(names) < 20 {
		t.Fatalf("only %d alerts were found", len(names))
	}
	return string(text), names
}

// expressions gives all expressions of rules and panels.
func expressions(t *testing.T) []expression {
	t.Helper()
	rules, names := alerts(t)
	var out []expression
	for i, block := range strings.Split(rules, "- alert: ")[1:] {
		_, rest, found := strings.Cut(block, "expr: ")
		end := regexp.MustCompile(`\n +(for|labels|annotations):`).FindStringIndex(rest)
		if !found || end == nil {
			t.Fatalf("alert %s has no expression", names[i])
		}
		out = append(out, expression{"alert " + names[i], strings.TrimPrefix(rest[:end[0]], "|")})
	}
	for file, panels := range dashboards(t) {
		for _, p := range panels {
			for _, target := range p.Targets {
				text := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*").Replace(target.Expr)
				out = append(out, expression{fmt.Sprintf("%s, panel %q", file, p.Title), text})
			}
		}
	}
	return out
}

// used is a metric in an expression, with its selector.
var used = regexp.MustCompile(`\b((?:galla|go|process)_[a-z0-9_]+)(\{[^}]*\})?`)

// moving are the functions that a counter or a histogram's parts need.
var moving = regexp.MustCompile(`\b(?:rate|increase)\(((?:galla|go|process)_[a-z0-9_]+)`)

// grouped is a list of labels that an expression groups by.
var grouped = regexp.MustCompile(`\bby \(([^)]*)\)`)

// TestEveryMetricIsExported checks that rules and panels name metrics and labels that a
// central has, and that a running central has no metric that the sources do not
// declare.
func TestEveryMetricIsExported(t *testing.T) {
	known := metrics(t)
	scraped := scrape(t)
	for name := range scraped {
		if _, ok := known[name]; !ok && strings.HasPrefix(name, "galla_") {
			t.Errorf("a central exports %s, which the test does not find in the sources: declare it as its neighbours are", name)
		}
	}
	exported := map[string]bool{}
	for _, e := range expressions(t) {
		all := []string{"instance", "job"}
		for _, m := range used.FindAllStringSubmatch(e.text, -1) {
			labels, ok := known[m[1]]
			if !ok && !scraped[m[1]] {
				t.Errorf("%s speaks of %s, which no central exports", e.where, m[1])
				continue
			}
			exported[m[1]] = true
			all = append(all, labels...)
			for _, l := range regexp.MustCompile(`([a-z_]+)(?:=~|!~|!=|=)"`).FindAllStringSubmatch(m[2], -1) {
				if !slices.Contains(append(slices.Clone(labels), "instance", "job"), l[1]) {
					t.Errorf("%s selects by the label %s, which %s does not have", e.where, l[1], m[1])
				}
			}
		}
		for _, g := range grouped.FindAllStringSubmatch(e.text, -1) {
			for l := range strings.SplitSeq(g[1], ",") {
				if !slices.Contains(all, strings.TrimSpace(l)) {
					t.Errorf("%s groups by %s, which none of its metrics has", e.where, l)
				}
			}
		}
		for _, m := range moving.FindAllStringSubmatch(e.text, -1) {
			if !regexp.MustCompile(`_(total|bucket|sum|count)$`).MatchString(m[1]) {
				t.Errorf("%s takes the rate of %s, which is no counter", e.where, m[1])
			}
		}
	}
	for name := range known {
		if base := strings.TrimSuffix(strings.TrimSuffix(name, "_sum"), "_count"); !exported[name] && base == name {
			t.Logf("%s is exported, and no rule or panel speaks of it", name)
		}
	}
}

// certificate makes a certificate of 127.0.0.1, which is its own authority, and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	cert, key = filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: der}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// client trusts a certificate.
func client(t *testing.T, cert string) *http.Client {
	t.Helper()
	text, err := os.ReadFile(cert)
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(text) {
		t.Fatal("the certificate can't be read", err)
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
}

// serving runs a sandbox's central with TLS until stop is called, and returns the URL of
// its admin address.
func serving(t *testing.T, cert, key string) (admin string, stop func()) {
	t.Helper()
	cfg := server.Config{
		TLSCert: cert, TLSKey: key, AdminTLS: true,
		Addr: freeport.For(t), AdminAddr: freeport.For(t), UplinkAddr: freeport.For(t), BankURL: "http://" + freeport.For(t), Data: t.TempDir(),
		Sandbox: true, Node: "test", Version: "v0", Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx, cfg) }()
	patience, trusting := time.After(2*time.Minute), client(t, cert)
	for {
		if resp, err := trusting.Get("https://" + cfg.AdminAddr + "/readyz"); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				break
			}
		}
		select {
		case <-patience:
			t.Fatal("the central is not ready")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return "https://" + cfg.AdminAddr, sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the central ends with %v", err)
		}
	})
}

// scrape gives the names that a central exports, right after its start.
func scrape(t *testing.T) map[string]bool {
	t.Helper()
	cert, key := certificate(t)
	admin, stop := serving(t, cert, key)
	defer stop()
	resp, err := client(t, cert).Get(admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9_]+)[{ ]`).FindAllStringSubmatch(string(text), -1) {
		out[m[1]] = true
	}
	if len(out) < 60 {
		t.Fatalf("a central exports only %d names", len(out))
	}
	return out
}

// promtool runs Prometheus's own checker. GALLA_WITHOUT_PROMTOOL=1 skips it.
func promtool(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("promtool"); err != nil {
		if os.Getenv("GALLA_WITHOUT_PROMTOOL") != "" {
			t.Skip("promtool's judgement is left out: GALLA_WITHOUT_PROMTOOL is set")
		}
		t.Fatal("promtool is missing: apt-get install prometheus (or set GALLA_WITHOUT_PROMTOOL=1 to leave its judgement out)")
	}
	out, err := exec.CommandContext(t.Context(), "promtool", args...).CombinedOutput()
	if err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestRules checks the rules with promtool, and the alerts with their tests: each is
// seen to fire.
func TestRules(t *testing.T) {
	promtool(t, "check", "rules", "galla.rules.yml")
	promtool(t, "test", "rules", "galla.test.yml")
	cases, err := os.ReadFile("galla.test.yml")
	if err != nil {
		t.Fatal(err)
	}
	rules, names := alerts(t)
	for i, block := range strings.Split(rules, "- alert: ")[1:] {
		if !strings.Contains(string(cases), `{alertname="`+names[i]+`"`) {
			t.Errorf("no test sees alert %s fire", names[i])
		}
		for _, need := range []string{"severity: ", "summary: ", "action: "} {
			if !strings.Contains(block, need) {
				t.Errorf("alert %s lacks %s", names[i], need)
			}
		}
	}
}

// TestRulesFire checks that the rules' tests notice an alert that fires too late.
func TestRulesFire(t *testing.T) {
	rules, _ := alerts(t)
	dull := strings.Replace(rules, "max(galla_operations_stuck) > 0", "max(galla_operations_stuck) > 9", 1)
	if dull == rules {
		t.Fatal("the alert about stuck operations is not where the test looks")
	}
	folder := t.TempDir()
	cases, err := os.ReadFile("galla.test.yml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"galla.rules.yml": []byte(dull), "galla.test.yml": cases} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	promtool(t, "check", "rules", filepath.Join(folder, "galla.rules.yml"))
	if exec.CommandContext(t.Context(), "promtool", "test", "rules", filepath.Join(folder, "galla.test.yml")).Run() == nil {
		t.Error("an alert that comes too late is not noticed")
	}
}

// TestDashboards checks that every panel has a valid query and a description, and that
// panels do not overlap.
func TestDashboards(t *testing.T) {
	var b strings.Builder
	b.WriteString("groups:\n  - name: panels\n    rules:\n")
	for i, e := range expressions(t) {
		text, err := json.Marshal(e.text) // a JSON string is one of YAML
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "      - record: panel_%d\n        expr: %s\n", i, text)
	}
	file := filepath.Join(t.TempDir(), "panels.rules.yml")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "check", "rules", file)
	for name, panels := range dashboards(t) {
		ids, taken := map[int]bool{}, map[[2]int]string{}
		for _, p := range panels {
			if ids[p.ID] {
				t.Errorf("%s: two panels have the id %d", name, p.ID)
			}
			ids[p.ID] = true
			if p.Type != "row" && (p.Description == "" || len(p.Targets) == 0) {
				t.Errorf("%s: panel %q does not say what it is for, or asks nothing", name, p.Title)
			}
			if p.GridPos.X+p.GridPos.W > 24 {
				t.Errorf("%s: panel %q stands beyond the edge", name, p.Title)
			}
			for x := range p.GridPos.W {
				for y := range p.GridPos.H {
					at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
					if taken[at] != "" {
						t.Fatalf("%s: panel %q stands upon %q", name, p.Title, taken[at])
					}
					taken[at] = p.Title
				}
			}
		}
	}
}
