package console

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"galla/central/selfservice"
	"galla/central/staff"
	"galla/shared/money"
	"galla/shared/theme"
	"galla/shared/webguard"
)

// page is what a handler shows.
type page struct {
	Name   string // of its template
	Title  string
	Back   string // address of the page before; empty: none
	Alert  string // why the last step was refused
	Notice string // what the last step did
	Data   any    // of the page's own template
}

// View is what templates get.
type View struct {
	page
	Who       staff.Member // zero: nobody is signed in
	CSRF      string
	Here      string // the page's path
	Nav       []navEntry
	Node      string
	Root      string // of all pages
	Site      string // its name, for people
	Script    string // a file; empty: none
	SteppedUp bool   // privileged forms ask for no code
}

// May reports whether the signed-in person has at least a role.
func (v View) May(need staff.Role) bool { return v.Who.Role.May(need) }

// At reports whether the page is a navigation entry's: its own, or one below it.
func (v View) At(href string) bool {
	return v.Here == href || strings.HasPrefix(v.Here, href+"/")
}

// Has reports whether the navigation has an entry.
func (v View) Has(href string) bool {
	return slices.ContainsFunc(v.Nav, func(e navEntry) bool { return e.Href == href })
}

// RoleName is the signed-in person's role, in a word.
func (v View) RoleName() string { return roleName(v.Who) }

// RoleWord is a role as the site calls it.
func (v View) RoleWord(r staff.Role) string {
	return roleName(staff.Member{Role: r, Vendor: v.Who.Vendor})
}

// roleName is a member's role, in a word.
func roleName(m staff.Member) string { return m.RoleName() }

// loadTemplates parses each page's template with the layout and the pieces.
func loadTemplates(files *webguard.Static, patterns []string) (map[string]*template.Template, error) {
	base := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"asset": files.URL, "icon": icon, "rupees": formatRupees, "share": share, "day": formatDay, "count": countText, "age": formatAge, "kind": kindName, "matchText": matchText, "role": roleName, "masked": selfservice.Aadhaar,
		"when":  func(at time.Time) template.HTML { return relativeTime(at, time.Now()) },
		"exact": func(at time.Time) template.HTML { return exactTime(at, time.Now()) },
	})
	base, err := base.ParseFS(assets, "templates/layout.html", "templates/pieces/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the console's layout: %w", err)
	}
	var found []string
	for _, pattern := range patterns {
		files, err := fs.Glob(assets, pattern)
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("list the pages %s: %w", pattern, err)
		}
		found = append(found, files...)
	}
	pages := map[string]*template.Template{}
	for _, file := range found {
		one, err := base.Clone()
		if err == nil {
			one, err = one.ParseFS(assets, file)
		}
		if err != nil {
			return nil, fmt.Errorf("the console's page %s: %w", file, err)
		}
		pages[strings.TrimSuffix(path.Base(file), ".html")] = one
	}
	return pages, nil
}

// show answers with a page, which is complete before the first byte is sent.
func (v *visit) show(status int, p page) error {
	c := v.c
	view := View{page: p, CSRF: v.CSRF, Here: v.r.URL.Path, Who: v.Member, SteppedUp: v.SteppedUp(time.Now()), Node: c.cfg.Node, Root: c.root, Site: c.name, Script: c.script}
	if view.Notice == "" {
		view.Notice = noticeText(v.query().Get("done"))
	}
	for _, e := range c.nav {
		if v.Role.May(e.minRole) {
			view.Nav = append(view.Nav, e)
		}
	}
	var b bytes.Buffer
	t := c.pages[p.Name]
	err := fmt.Errorf("no template %q", p.Name)
	if t != nil {
		err = t.ExecuteTemplate(&b, "document", view)
	}
	if err != nil {
		c.log.Error("a page of the console can't be rendered", "page", p.Name, "error", err)
		http.Error(v.w, "This page failed. The log has the reason.", http.StatusInternalServerError)
		return nil
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(b.Bytes())
	return nil
}

// noticeText is what a page says after a step that led to it, by the name in the
// address.
func noticeText(name string) string {
	return map[string]string{
		"signed-out":         "You are signed out.",
		"role":               "The role was changed; a change to admin waits for a second admin. The member's sessions have ended.",
		"approved":           "It is approved.",
		"disabled":           "The account was disabled; its sessions have ended.",
		"password":           "Your password was changed; your other sessions have ended.",
		"asked":              "The bank is asked now. The activity shows its answer in a few seconds: reload the page.",
		"opened":             "The case was opened.",
		"report-asked":       "The file is written once more, within two minutes.",
		"view-saved":         "The view was saved.",
		"view-deleted":       "The view was deleted.",
		"proposed":           "The proposal was made. Another person confirms it, or rejects it.",
		"confirmed":          "The case is decided. Where its operation was not final, it gets its final outcome within seconds.",
		"rejected":           "The proposal was rejected; the case is open again.",
		"withdrawn":          "The decision was withdrawn; the case is open again.",
		"imported":           "The file was imported and compared.",
		"again":              "The same file was imported before; nothing was done.",
		"terminal-revoked":   "The terminal was revoked. It can enrol again with a new code.",
		"merchant-added":     "The merchant was added. Its requests are accepted when it is approved.",
		"merchant-approved":  "The merchant is approved: its requests are accepted from now on.",
		"merchant-rejected":  "The merchant was rejected.",
		"merchant-suspended": "The merchant is suspended: its new requests are refused from now on.",
		"vendor-added":       "The vendor was added. Create a key for it.",
		"aggregator-added":   "The aggregator was added.",
		"vendor-off":         "The vendor is suspended: its own requests are refused from now on.",
		"vendor-on":          "The vendor's requests are accepted again.",
		"merchant-changed":   "The merchant was changed.",
		"vendor-changed":     "The vendor was changed.",
		"aggregator-changed": "The aggregator was changed.",
		"client-on":          "The program gets tokens again. Its earlier tokens stay invalid.",
		"client-off":         "The program is suspended: it gets no tokens, its tokens are invalid within a second, and its open enrolment codes are void. Revoke the terminals below that nobody knows.",
		"key-revoked":        "The key was revoked: within a second no node accepts it.",
		"ended":              "It has ended: within a second no node accepts it.",
		"end-planned":        "It ends at the chosen time. Until then both are valid.",
		"slab-added":         "The slab was added.",
		"slab-changed":       "The slab was changed.",
		"slab-deleted":       "The slab was deleted.",
		"endpoint":           "The callback URL was changed.",
		"secret-revoked":     "The secret was revoked: nothing is signed with it any more.",
		"replayed":           "The callback is sent now.",
		"all-replayed":       "The callbacks are sent now.",
		"float-read":         "The float was read from the network.",
	}[name]
}

// formatCount prints a whole number with Indian grouping.
func formatCount(n int) string { return money.Group(int64(n)) }

// countText is formatCount for templates.
func countText(n any) (string, error) {
	switch v := reflect.ValueOf(n); {
	case v.CanInt():
		return money.Group(v.Int()), nil
	case v.CanUint():
		return money.Group(int64(v.Uint())), nil
	}
	return "", fmt.Errorf("%T is no count", n)
}

// formatRupees prints an amount; zero is empty.
func formatRupees(p money.Paise) string {
	if p == 0 {
		return ""
	}
	return p.Rupees()
}

// icon returns a drawing to stand inside a page, beside a text that says the same.
func icon(name string) (template.HTML, error) {
	b, err := fs.ReadFile(theme.Files(), "icons/"+name+".svg")
	if err != nil {
		return "", fmt.Errorf("no icon %q: %w", name, err)
	}
	// Embedded, so as trusted as the program.
	return template.HTML(strings.Replace(strings.TrimSpace(string(b)), "<svg ", `<svg class="icon" aria-hidden="true" focusable="false" `, 1)), nil
}
