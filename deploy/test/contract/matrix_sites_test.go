package contract

import (
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central/console"
	"galla/central/staff"
	"galla/shared/localname"
	"galla/shared/secret"
)

// site is the console or the portal, with who visits it.
type site struct {
	at     door
	root   string
	routes []console.RouteRule
	people []*visitor
}

// visitor is a browser without scripts, in which somebody may have signed in.
type visitor struct {
	name    string
	login   string
	role    staff.Role // empty: nobody, or nobody of this site
	vendor  string     // whose person; empty: of the staff, or nobody's
	base    string
	root    string
	http    *http.Client
	cookies map[string]string
	bearer  string
	csrf    string
}

var (
	wildcard  = regexp.MustCompile(`\{(\w+)\}`)
	formToken = regexp.MustCompile(`name="csrf" value="([^"]*)"`)
)

// visitor makes a browser of a site, which is served at an address.
func (m *matrix) visitor(t *testing.T, root, addr, name string) *visitor {
	t.Helper()
	host, err := localname.Read(filepath.Join(m.cfg.Data, "central"))
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(addr)
	return &visitor{name: name, base: "http://" + net.JoinHostPort(host, port), root: root, cookies: map[string]string{}, http: &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, addr) // name servers do not know the machine's own names
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// do opens a page, or sends a form, and returns the reply and its text.
func (v *visitor) do(t *testing.T, method, path string, form url.Values) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", v.base)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if v.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+v.bearer)
	}
	for name, value := range v.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	reply, err := v.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range reply.Cookies() {
		if v.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(v.cookies, c.Name)
		}
	}
	if found := formToken.FindSubmatch(body); found != nil {
		v.csrf = string(found[1])
	}
	return reply, string(body)
}

// post sends a form with the page's token; it is confirmed.
func (v *visitor) post(t *testing.T, path string, pairs ...string) (*http.Response, string) {
	t.Helper()
	form := url.Values{"csrf": {v.csrf}, "confirmed": {"yes"}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return v.do(t, http.MethodPost, path, form)
}

// signIn signs a person of the sandbox in, and types the code for privileged forms.
func (v *visitor) signIn(t *testing.T, login, password string, first byte) {
	t.Helper()
	key := make([]byte, 20)
	for i := range key {
		key[i] = first + byte(i)
	}
	codeAt := func(at time.Time) string {
		t.Helper()
		code, err := staff.NewFactor(login, secret.NewKey(key)).CodeAt(at)
		if err != nil {
			t.Fatal(err)
		}
		return code.Reveal()
	}
	v.login = login
	v.do(t, http.MethodGet, v.root+"sign-in", nil)
	if reply, body := v.post(t, v.root+"sign-in", "login", login, "password", password, "code", codeAt(time.Now())); reply.StatusCode != http.StatusSeeOther {
		t.Fatalf("%s does not sign in: HTTP %d %s", login, reply.StatusCode, body)
	}
	v.do(t, http.MethodGet, v.root+"me", nil)
	if reply, body := v.post(t, v.root+"step-up", "step_up", codeAt(time.Now().Add(30*time.Second)), "next", v.root+"me"); reply.StatusCode != http.StatusSeeOther {
		t.Fatalf("%s can't type a code: HTTP %d %s", login, reply.StatusCode, body)
	}
}

// openSites signs everybody in.
func (m *matrix) openSites(t *testing.T) (sites []site) {
	t.Helper()
	type person struct {
		login string
		role  staff.Role
		first byte
		of    string
	}
	for _, s := range []struct {
		at                   door
		root, addr, password string
		routes               []console.RouteRule
		people               []person
	}{
		{consoleDoor, console.Root, m.cfg.AdminAddr, "sandbox-console-1", console.ConsoleRoutes(), []person{
			{"sandbox-viewer", staff.Viewer, 0x40, ""}, {"sandbox-operator", staff.Operator, 0x20, ""}, {"sandbox-admin", staff.Admin, 0, ""},
		}},
		{portalDoor, console.PortalRoot, m.cfg.Addr, "sandbox-portal-1", console.PortalRoutes(), []person{
			{"sahyadri-member", staff.PortalMember, 0x80, vendor1}, {"sahyadri-owner", staff.Owner, 0x60, vendor1}, {"deccan-owner", staff.Owner, 0xa0, vendor2},
		}},
	} {
		program := m.visitor(t, s.root, s.addr, "a program with its token")
		program.bearer = m.token(t, v1)
		stranger := m.visitor(t, s.root, s.addr, "somebody of the other site")
		all := site{s.at, s.root, s.routes, []*visitor{m.visitor(t, s.root, s.addr, "nobody"), program, stranger}}
		for _, p := range s.people {
			v := m.visitor(t, s.root, s.addr, p.login)
			v.signIn(t, p.login, s.password, p.first)
			v.role, v.vendor = p.role, p.of
			all.people = append(all.people, v)
		}
		sites = append(sites, all)
	}
	// Each site's most powerful session, brought to the other under that one's names.
	for i, s := range sites {
		other := sites[1-i]
		for name, value := range other.people[5].cookies {
			s.people[2].cookies[strings.ReplaceAll(name, cookieOf(other.root), cookieOf(s.root))] = value
		}
		if len(s.people[2].cookies) == 0 {
			t.Fatal("the other site has no cookies")
		}
	}
	return sites
}

// cookieOf is how the names of a site's cookies begin.
func cookieOf(root string) string { return "galla_" + strings.Trim(root, "/") }

// toSignIn tells whether a reply leads to a site's sign-in.
func (s site) toSignIn(reply *http.Response) bool {
	to, err := url.Parse(reply.Header.Get("Location"))
	return err == nil && reply.StatusCode == http.StatusSeeOther && to.Path == s.root+"sign-in"
}

// refuseVisitors opens each page, and sends each form, as everybody who may not: also with
// a session of the other site, and with a program's token.
func (m *matrix) refuseVisitors(t *testing.T) {
	t.Helper()
	for _, s := range m.pages {
		for _, rule := range s.routes {
			method, path, _ := strings.Cut(rule.Pattern, " ")
			path = m.fill(path, "", "", nil)
			for _, v := range s.people {
				if rule.Public || v.role.May(rule.MinRole) {
					continue
				}
				m.count(s.at, refused)
				reply, body := v.do(t, method, path, url.Values{"csrf": {v.csrf}, "confirmed": {"yes"}})
				switch {
				case v.role == "" && !s.toSignIn(reply):
					t.Errorf("%s as %s: HTTP %d %s", rule.Pattern, v.name, reply.StatusCode, mainOf(body))
				case v.role != "" && (reply.StatusCode != http.StatusForbidden || !strings.Contains(body, "Your role does not allow this")):
					t.Errorf("%s as %s: HTTP %d %s", rule.Pattern, v.name, reply.StatusCode, mainOf(body))
				}
			}
			if best := s.people[len(s.people)-1]; method == http.MethodPost && !rule.Public {
				m.count(s.at, refused)
				if reply, body := best.do(t, method, path, url.Values{"csrf": {"x"}, "confirmed": {"yes"}}); reply.StatusCode != http.StatusForbidden && reply.StatusCode != http.StatusUnsupportedMediaType {
					t.Errorf("%s with a wrong form token as %s: HTTP %d %s", rule.Pattern, best.name, reply.StatusCode, mainOf(body))
				}
				best.do(t, http.MethodGet, s.root+"me", nil) // the last page's token is its own again
			}
		}
	}
}

// victim is party one's value of a parameter in a page's path.
func (m *matrix) victim(path, name string) string {
	under := func(part string) bool { return strings.Contains(path, part) }
	switch {
	case name == "client" && under("/merchants/"):
		return m1
	case name == "client" && under("/aggregators/"):
		return agg
	case name == "secret" && under("/clients/"):
		return "1"
	case name == "secret" && under("/endpoint/"):
		return m.own
	}
	return map[string]string{
		"operation": m.late, "id": m.late, "merchant": merchant1, "vendor": vendor1, "aggregator": aggregator1, "secret": m.secret, "key": m.key, "slab": m.slab,
		"client": v1, "login": "sahyadri-member", "terminal": m.doors[uplinkDoor].(uplinkEntrance).terminals[m1].id,
		"case": unlike(m.late), "day": "2026-11-21", "sum": strings.Repeat("0", 64), // the sandbox has no case and no document
	}[name]
}

// fill fills in a page's path: a value for one parameter, parents that are given, and party
// one's values for the others.
func (m *matrix) fill(path, name, value string, parents map[string]string) string {
	return wildcard.ReplaceAllStringFunc(path, func(p string) string {
		other := strings.Trim(p, "{}")
		switch {
		case other == name:
			return value
		case parents[other] != "":
			return parents[other]
		}
		return m.victim(path, other)
	})
}

// pageRow is a page about a record of party one, below another party's page or for another
// party's person.
type pageRow struct {
	site      site
	rule      console.RouteRule
	name      string // of the parameter
	path      string // with the record
	none      string // with one that does not exist
	right     string // as its owner, or the staff, opens it
	visitor   *visitor
	owner     *visitor // nil: nobody of this site may
	different []string // the identifiers, which pages repeat
}

// pageRows lists them: on the portal each identifier of a path, as the owner of another
// vendor; on the console each identifier below another party's page, and a vendor's person
// among the staff. Staff may see every party: one alone is nobody else's there.
func (m *matrix) pageRows(t *testing.T) (rows []pageRow) {
	t.Helper()
	mine := map[string]string{"merchant": merchant3, "vendor": vendor2, "aggregator": aggregator2}
	for _, s := range m.pages {
		by, owner := s.people[len(s.people)-1], s.people[len(s.people)-1]
		if s.at == portalDoor {
			owner = s.people[len(s.people)-2] // of vendor one
		}
		for _, rule := range s.routes {
			_, path, _ := strings.Cut(rule.Pattern, " ")
			for i, found := range wildcard.FindAllStringSubmatch(path, -1) {
				name := found[1]
				alone := s.at == consoleDoor && i == 0
				if alone && name != "login" || name == "secret" && strings.Contains(path, "/clients/") {
					continue // the secret is a number, counted by the client
				}
				var later map[string]string
				if s.at == consoleDoor && strings.HasPrefix(path, s.root+"vendors/{vendor}/clients/") {
					later = map[string]string{"secret": "2"} // the owner, who comes before staff, made it and ended the first
				}
				row := func(value string, owner *visitor) {
					rows = append(rows, pageRow{
						site: s, rule: rule, name: name, path: m.fill(path, name, value, mine), none: m.fill(path, name, unlike(value), mine), right: m.fill(path, name, value, later),
						visitor: by, owner: owner, different: []string{value, unlike(value)},
					})
				}
				if name == "login" && s.at == portalDoor {
					row("sandbox-admin", nil)
				}
				if alone {
					row(m.victim(path, name), nil)
				} else {
					row(m.victim(path, name), owner)
				}
			}
		}
	}
	return rows
}

// order is 1 for the form that replaces a client's secrets, which comes last.
func (row pageRow) order() int {
	if strings.HasSuffix(row.rule.Pattern, "/clients/{client}/secret") {
		return 1
	}
	return 0
}

// mainOf is what a page says, without its frame.
func mainOf(page string) string {
	if _, inner, ok := strings.Cut(page, "<main"); ok {
		page, _, _ = strings.Cut(inner, "</main>")
	}
	return page
}

// form are the fields with which each form of a row is complete.
var form = []string{"url", "http://127.0.0.1:9/stolen", "days", "0", "role", string(staff.Owner), "to", "suspended", "commissionRate", "1", "paymentMethod", "DMT", "provider", "NSDL", "txnType", "STOLEN", "rateType", "FIXED"}

// ask opens a row's page, or sends its form, and returns what it says without identifiers.
func (row pageRow) ask(t *testing.T, v *visitor, path string) (int, string) {
	t.Helper()
	method, _, _ := strings.Cut(row.rule.Pattern, " ")
	var reply *http.Response
	var body string
	if method == http.MethodPost {
		reply, body = v.post(t, path, form...)
	} else {
		reply, body = v.do(t, method, path, nil)
	}
	body = formToken.ReplaceAllString(body, "")
	for _, id := range row.different {
		body = strings.ReplaceAll(body, id, "ID")
	}
	return reply.StatusCode, body
}

// refusePages: another party's record is answered as one that does not exist.
func (m *matrix) refusePages(t *testing.T) {
	t.Helper()
	for _, row := range m.pageRows(t) {
		m.count(row.site.at, foreign)
		status, theirs := row.ask(t, row.visitor, row.path)
		missing, none := row.ask(t, row.visitor, row.none)
		absent := status == http.StatusNotFound || status == http.StatusUnprocessableEntity && strings.Contains(theirs, "No such commission slab.")
		if !absent || missing != status || theirs != none {
			t.Errorf("%s: another's %s as %s: HTTP %d, and one that does not exist: HTTP %d\n%s\n%s", row.rule.Pattern, row.name, row.visitor.name, status, missing, mainOf(theirs), mainOf(none))
		}
		if leak := m.leaks([]byte(strings.ReplaceAll(theirs, row.visitor.login, ""))); leak != "" {
			t.Errorf("%s: another's %s as %s shows %q:\n%s", row.rule.Pattern, row.name, row.visitor.name, leak, mainOf(theirs))
		}
	}
}

// admitVisitors opens each page, and sends each form, as everybody who may: they are let
// in. A person of another vendor is shown nothing of party one. At last each row's owner
// gets another answer than the others did.
func (m *matrix) admitVisitors(t *testing.T) {
	t.Helper()
	for _, s := range m.pages {
		for _, rule := range s.routes {
			method, path, _ := strings.Cut(rule.Pattern, " ")
			path = wildcard.ReplaceAllString(path, "none")
			for _, v := range s.people {
				switch {
				case rule.Public && (v.role != "" || method == http.MethodPost), !rule.Public && !v.role.May(rule.MinRole):
					continue
				case method == http.MethodPost && (strings.HasSuffix(path, "/sign-out") || strings.HasSuffix(path, "/step-up")):
					continue // openSites sent a code, and sign-out would end the session
				}
				m.count(s.at, allowed)
				reply, body := v.do(t, method, path, url.Values{"csrf": {v.csrf}, "confirmed": {"yes"}})
				if reply.StatusCode == http.StatusForbidden || reply.StatusCode == http.StatusUnauthorized || reply.StatusCode >= 500 && reply.StatusCode != http.StatusBadGateway || s.toSignIn(reply) {
					t.Errorf("%s as %s: HTTP %d %s", rule.Pattern, v.name, reply.StatusCode, mainOf(body))
				}
				if leak := m.leaks([]byte(body)); leak != "" && v.vendor == vendor2 {
					t.Errorf("%s as %s shows %q:\n%s", rule.Pattern, v.name, leak, mainOf(body))
				}
			}
		}
	}
	rows := m.pageRows(t)
	slices.SortStableFunc(rows, func(a, b pageRow) int {
		// Staff end what owners still need, and a replaced secret can no more be ended.
		return cmp.Or(strings.Compare(string(b.site.at), string(a.site.at)), cmp.Compare(a.order(), b.order()))
	})
	for _, row := range rows {
		if row.owner == nil {
			continue
		}
		m.count(row.site.at, allowed)
		if status, body := row.ask(t, row.owner, row.right); status == http.StatusNotFound || status == http.StatusForbidden || status == http.StatusUnauthorized || status >= 500 {
			t.Errorf("%s: %s, who may see this %s: HTTP %d %s", row.rule.Pattern, row.owner.name, row.name, status, mainOf(body))
		}
	}
}
