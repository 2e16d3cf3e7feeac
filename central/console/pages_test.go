package console_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"galla/central/console"
)

// pageRoutes are the routes of all pages, and of what they load and download.
func pageRoutes() []console.RouteRule {
	return slices.DeleteFunc(console.ConsoleRoutes(), func(r console.RouteRule) bool { return !strings.HasPrefix(r.Pattern, "GET ") })
}

// measuredPage is a page whose time BenchmarkPages measures: a route, or a form that reads.
type measuredPage struct {
	console.RouteRule
	name string // for people
	// path has parameters in braces, as routes do, in its query, too.
	path string
	form []string // names and values of a form; nil: it is loaded by GET
	// file: a download, of which the time until its first line counts.
	file bool
}

// needsOperations reports whether there is nothing to show in a central without operations.
func (p measuredPage) needsOperations() bool {
	return slices.ContainsFunc([]string{"{id}", "{operation}", "{case}", "{day}", "{sum}"}, func(name string) bool {
		return strings.Contains(p.path+strings.Join(p.form, " "), name)
	})
}

// queries are what pages are asked for beside their plain address, by route. Routes that
// have a list of parameters in this file need no entry.
var queries = map[string][]string{
	"operations": {
		"", "state=failed", "state=stuck", "state=open", "kind=UPI_PAYMENT", "merchant={merchant}", "merchant={merchant}&state=failed", "vendor={vendor}",
		"bank=607152&state=reversed&vendor={vendor}", "least=4,999", "sort=amount", "period=today&state=failed", "before={before}.",
	},
	"operations.csv":                 {"", "state=reversed&vendor={vendor}"},
	"suggest":                        {"of=merchant&text=Lak", "of=vendor&text=Vendor"},
	"terminals":                      {"", "state=online", "state=offline", "state=revoked", "merchant={merchant}", "after={terminal}"},
	"merchants":                      {"", "status=PENDING", "vendor={vendor}", "text=Lakshmi"},
	"vendors":                        {"", "text=Vendor 0001"},
	"callbacks":                      {"", "state=waiting", "state=given-up", "state=delivered", "merchant={merchant}"},
	"day":                            {"", "day={day}"},
	"float":                          {"", "aggregator={aggregator}"},
	"audit":                          {"", "person=person-0007", "about={id}", "from={day}&to={day}", "action=operation.view", "action=staff.add"},
	"audit.csv":                      {"", "person=person-0007"},
	"reconciliation/{day}/cases.csv": {""},
	"reports": {
		"", "report=settlement&from={oldest}&to={day}", "report=commission&from={oldest}&to={day}", "report=volumes-by-bank&from={oldest}&to={day}",
		"report=volumes-by-kind&from={oldest}&to={day}", "report=volumes-by-merchant&from={oldest}&to={day}",
		"report=volumes-by-merchant&from={oldest}&to={day}&merchant={merchant}",
	},
	"reports.csv":   {"report=settlement&from={oldest}&to={day}", "report=volumes-by-merchant&from={oldest}&to={day}"},
	"reports/print": {"report=settlement&from={oldest}&to={day}", "report=volumes-by-kind&from={oldest}&to={day}"},
}

// searches are what people type into the search.
var searches = [][2]string{
	{"four digits", "7058"}, {"a reference", "GLB{number}"}, {"an RRN", "63{rrn}"}, {"a merchant's mobile number", "98{mobile}"}, {"a caller's reference", "order-{n}"}, {"a name", "Lakshmi"}, {"nothing that exists", "no such thing"},
}

// measuredPages lists all pages of the console's own table of routes.
func measuredPages() (list []measuredPage) {
	for _, r := range pageRoutes() {
		path := strings.TrimPrefix(r.Pattern, "GET "+console.Root)
		variants, ok := queries[path]
		if !ok {
			variants = []string{""}
		}
		for _, query := range variants {
			p := measuredPage{RouteRule: r, name: cmp.Or(path, "(no such page)"), path: console.Root + path, file: strings.HasSuffix(path, ".csv")}
			if path == "" {
				p.path += "no-such-page"
			}
			if query != "" {
				p.name, p.path = p.name+"?"+query, p.path+"?"+strings.ReplaceAll(query, " ", "+")
			}
			list = append(list, p)
		}
	}
	for _, s := range searches {
		list = append(list, measuredPage{name: "find: " + s[0], path: console.Root + "find", form: []string{"text", s[1]}})
	}
	return list
}

// records are the names of records in the addresses, by parameter: the k-th one.
var records = map[string]func(c contents, k int) string{
	"merchant":   func(_ contents, k int) string { return merchantID(k * 7919 % partyMerchants) },
	"vendor":     func(_ contents, k int) string { return vendorID(k % partyVendors) },
	"aggregator": func(contents, int) string { return aggregatorID },
	"terminal":   func(_ contents, k int) string { return terminalID(k * 7919 % (2 * partyMerchants)) },
	"login":      func(contents, int) string { return "sandbox-viewer" },
	"id":         func(c contents, k int) string { return operationID(c.spread(k)) },
	"operation":  func(c contents, k int) string { return operationID(c.spread(k)/20*20 + 18) }, // a payment, which has a callback
	"number":     func(c contents, k int) string { return fmt.Sprintf("%09d", c.spread(k)) },
	"n":          func(c contents, k int) string { return fmt.Sprint(c.spread(k)) },
	"rrn":        func(c contents, k int) string { return fmt.Sprintf("%010d", c.spread(k)) },
	"mobile":     func(_ contents, k int) string { return fmt.Sprintf("%08d", k*7919%partyMerchants) },
	"before":     func(c contents, k int) string { return fmt.Sprint(c.at(c.spread(k)).UnixMilli()) },
	"day":        func(c contents, k int) string { return string(c.day(1 + k%(filledDays-1))) },
	"oldest":     func(c contents, _ int) string { return string(c.day(filledDays - 1)) },
	"case": func(c contents, k int) string {
		return fmt.Sprintf("%s.1.%d", c.day(1+k%(filledDays-1)), 1+k*7%casesOfDay)
	},
	"sum": func(c contents, _ int) string { return c.document },
}

// clientOf is the parameter {client}, which belongs to the party of the same address.
func clientOf(path string, k int) string {
	switch {
	case strings.Contains(path, "/vendors/"):
		return fmt.Sprintf("program-v-%06d", k%partyVendors)
	case strings.Contains(path, "/aggregators/"):
		return "program-a"
	}
	return fmt.Sprintf("program-m-%06d", k*7919%partyMerchants)
}

// fill fills in the k-th record of each parameter. An error names one that is not known.
func (p measuredPage) fill(c contents, k int) (path string, form []string, err error) {
	replace := func(text string, escape func(string) string) string {
		return parameter.ReplaceAllStringFunc(text, func(braced string) string {
			name := strings.Trim(braced, "{}")
			if name == "client" {
				return clientOf(p.path, k)
			}
			record, ok := records[name]
			if !ok {
				err = fmt.Errorf("%s: nothing is known for %s: add it to records", p.path, braced)
				return ""
			}
			return escape(record(c, k))
		})
	}
	for _, x := range p.form {
		form = append(form, replace(x, func(s string) string { return s }))
	}
	return replace(p.path, url.PathEscape), form, err
}

// TestPagesAreMeasured: BenchmarkPages knows each page of the console, with records for its
// parameters, and none that does not exist. A page that is new here needs an entry in
// records only if its address has a new parameter.
func TestPagesAreMeasured(t *testing.T) {
	routes := pageRoutes()
	if len(routes) < 30 {
		t.Fatalf("only %d pages: %v", len(routes), routes)
	}
	pages := measuredPages()
	for _, r := range routes {
		path := strings.TrimPrefix(r.Pattern, "GET ")
		if !slices.ContainsFunc(pages, func(p measuredPage) bool { plain, _, _ := strings.Cut(p.path, "?"); return plain == path }) && path != console.Root {
			t.Errorf("%s is not measured", r.Pattern)
		}
	}
	for path := range queries {
		if !slices.ContainsFunc(routes, func(r console.RouteRule) bool { return r.Pattern == "GET "+console.Root+path }) {
			t.Errorf("%q has queries, and is no page", path)
		}
	}
	for _, p := range pages {
		path, form, err := p.fill(contents{operations: 1000}, 3)
		if err != nil {
			t.Error(err)
		}
		if strings.ContainsAny(path+strings.Join(form, ""), "{}") {
			t.Errorf("%s becomes %s %q", p.path, path, form)
		}
	}
}

// TestMeasuredPagesOpen opens each measured page in a small central of the benchmark's
// records: each address leads to a record.
func TestMeasuredPagesOpen(t *testing.T) {
	h, c := newFilledSystem(t, databases[0], 20*filledDays*50, filledDays, "")
	h.awaitJobs(t)
	v := h.enter(t, "admin")
	c.document = v.proposeWithDocument(t, c)
	for _, p := range measuredPages() {
		for k := range 2 {
			if _, status, err := v.open(p, c, k); err != nil || !p.answers(status) {
				t.Errorf("%s: HTTP %d, %v", p.name, status, err)
			}
		}
	}
}

// answers reports whether a status is that of the page, and not of a failure.
func (p measuredPage) answers(status int) bool {
	if strings.HasSuffix(p.path, "no-such-page") {
		return status == http.StatusNotFound
	}
	return status == http.StatusOK || status == http.StatusSeeOther
}

var sumOnPage = regexp.MustCompile(`/console/documents/([0-9a-f]{64})`)
