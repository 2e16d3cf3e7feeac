package server

import (
	"html"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"galla/central/docs"
)

// foundLink matches a result's address, page and heading.
var foundLink = regexp.MustCompile(`<li><a href="([^"]*)"><span class="of">([^<]*)</span>(?: › ([^<]*))?</a>`)

// finder answers searches in the real handbook with the addresses that they find.
func finder(t *testing.T) func(query string) []string {
	t.Helper()
	cfg := testConfig(t)
	cfg.Documents = os.DirFS("../../deploy/docs")
	pages, _, err := docPages(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return func(query string) (found []string) {
		page, err := pages[docs.SearchPath].Answer(query)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range foundLink.FindAllStringSubmatch(string(page), -1) {
			found = append(found, html.UnescapeString(m[1]))
		}
		return found
	}
}

// TestSearchOfPeople: what operators, partners and newcomers type, and what must come first.
func TestSearchOfPeople(t *testing.T) {
	find := finder(t)
	for query, want := range map[string]string{
		// An operator, at night.
		"bank is down": "/docs/runbooks/bank-down", "bank unreachable": "/docs/runbooks/bank-down#how-it-is-noticed", "stuck operation": "/docs/runbooks/stuck-operations",
		"lost terminal": "/docs/runbooks/lost-terminal", "stolen terminal": "/docs/runbooks/lost-terminal", "restore backup": "/docs/runbooks/restore", "leaked key": "/docs/runbooks/key-compromise#how-it-is-noticed",
		"failover": "/docs/runbooks/database-failover", "databse failover": "/docs/runbooks/database-failover", "renew certificate": "/docs/runbooks/certificate-end#what-to-do", "disk full": "/docs/operate#when-a-disk-fills",
		"central down": "/docs/operate#when-a-central-is-down",
		// An operator, by day.
		"backup": "/docs/recover", "upgrade": "/docs/upgrade", "upgrading": "/docs/upgrade", "install windows": "/docs/install#counters-on-windows", "prometheus": "/docs/operate#watching-with-prometheus",
		"kubernetes": "/docs/operate#on-kubernetes", "rates and bounds": "/docs/operate#rates-and-bounds", "bank-concurrency": "/docs/operate#rates-and-bounds", "two people": "/docs/console#two-people-decide",
		"audit log": "/docs/console#the-audit-log", "enrol a counter": "/docs/enrol", "enroll counter": "/docs/enrol", "forgotten pin": "/docs/enrol#when-the-counter-does-not-work", "capacity": "/docs/capacity",
		// A partner's engineer.
		"00": "/docs/design/interface#31-aeps-transaction-outcome", "07": "/docs/design/interface#7-errors", "91": "/docs/design/domain#4-aeps-response-codes-and-what-the-agent-does",
		"GenerateQR": "/docs#post_upi_txn_v1_GenerateQR", "withdrawl": "/docs#post_aeps_withdrawal", "webhook-signature": "/docs/integrate#callbacks", "common mistakes": "/docs/gateway#mistakes", "sandbox": "/docs/sandbox", "sandboxes": "/docs/sandbox",
		"checksum hmac": "/docs/glossary#hmac", "wrong otp": "/docs#post_aeps_validate_otp",
		// A newcomer.
		"rrn": "/docs/glossary#rrn", "what is a STAN?": "/docs/glossary#stan", "settlement files": "/docs/glossary#settlement-file", "T+5": "/docs/glossary#t5", "threat model": "/docs/design/security", "architecture": "/docs/design/architecture",
		"way of a withdrawal": "/docs/design/architecture#the-way-of-one-withdrawal", "glossary": "/docs/glossary", "tombstones": "/docs/design/operations#7-tombstones",
	} {
		if found := find(query); len(found) == 0 || found[0] != want {
			t.Errorf("%q finds %v, want %s first", query, found[:min(3, len(found))], want)
		}
	}
}

// TestSearchOfNames: each alert finds the page that it names, each setting, metric and word
// of the glossary is among the first five, and each page's title comes first.
func TestSearchOfNames(t *testing.T) {
	find, searched := finder(t), 0
	read := func(name string) string {
		raw, err := os.ReadFile("../../deploy/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	among := func(query string, first int, want string) {
		searched++
		found := find(query)
		isIt := func(path string) bool { return strings.Split(path, "#")[0] == want || path == want }
		if !slices.ContainsFunc(found[:min(first, len(found))], isIt) {
			t.Errorf("%q finds %v, want %s among the first %d", query, found[:min(first, len(found))], want, first)
		}
	}
	for _, m := range regexp.MustCompile(`(?s)- alert: (\w+)\n.*?runbook: ([\w/-]+)\.md`).FindAllStringSubmatch(read("monitoring/galla.rules.yml"), -1) {
		among(m[1], 1, "/docs/"+m[2])
	}
	for page, first := range map[string]int{"settings": 5, "metrics": 5} {
		for _, m := range regexp.MustCompile("(?m)^\\| `([\\w-]+)` \\| `?([A-Z_]+)?").FindAllStringSubmatch(read("docs/"+page+".md"), -1) {
			if strings.ContainsAny(m[1], "_-") { // a plain word, such as data, is everywhere
				among(m[1], first, "/docs/"+page)
			}
			if m[2] != "" {
				among(m[2], first, "/docs/"+page)
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^### ([A-Z].*)$`).FindAllStringSubmatch(read("docs/glossary.md"), -1) {
		among(m[1], 5, "/docs/glossary")
	}
	for _, page := range []string{"install", "operate", "recover", "upgrade", "ha", "reconcile", "console", "counter", "enrol", "integrate", "portal", "updates", "runbooks/bank-down", "runbooks/certificate-end", "runbooks/database-failover", "runbooks/key-compromise", "runbooks/lost-terminal", "runbooks/restore", "runbooks/stuck-operations", "design/security", "design/uplink"} {
		title := regexp.MustCompile(`(?m)^# (.+)$`).FindStringSubmatch(read("docs/" + page + ".md"))[1]
		among(title, 1, "/docs/"+page)
	}
	if searched < 200 {
		t.Errorf("%d names were searched", searched)
	}
}

// TestSearchIsServed: the page is there with what its form and script need, in production
// and without documents too, and says nothing of a query that it can't read.
func TestSearchIsServed(t *testing.T) {
	cfg := testConfig(t)
	stop := serving(t, cfg)
	defer stop()
	for query, want := range map[string]string{"?q=withdrawal": `href="/docs#post_aeps_withdrawal"`, "": "Type words", "?q=%3Cscript%3E": "&lt;script&gt;", "?q=" + strings.Repeat("bank+", 1000): "the first 100 characters"} {
		resp, err := http.Get("http://" + cfg.Addr + docs.SearchPath + query)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		status, says := get(t, "http://"+cfg.Addr+docs.SearchPath+query)
		policy := resp.Header.Get("Content-Security-Policy")
		if status != http.StatusOK || !strings.Contains(says, want) || !strings.Contains(policy, "form-action 'self'") || !strings.Contains(policy, "script-src 'sha256-") || strings.Contains(policy, "script-src 'self'") || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%.40s: HTTP %d, policy %q, no %s", query, status, policy, want)
		}
	}
}
