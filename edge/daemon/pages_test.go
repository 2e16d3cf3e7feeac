package daemon

import (
	"bytes"
	"crypto/rand"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/queue"
	"galla/edge/reader"
	"galla/edge/ui"
	"galla/edge/ui/aeps"
	"galla/edge/ui/uitest"
	updateui "galla/edge/ui/update"
	uiusers "galla/edge/ui/users"
	"galla/shared/secret"
)

// TestSectionsFitTogether composes all sections as the daemon does, since names of pages,
// files, icons and texts are unique in the whole counter; every menu item leads to a page,
// and has an icon and a key of its own.
func TestSectionsFitTogether(t *testing.T) {
	kit, v := allSections(t)
	v.Login()
	ses := kit.Current(v.RequestWithCookies("/"))
	keys, icons := map[string]string{}, map[string]string{}
	for _, e := range kit.MenuItems(ses) {
		if reply, _ := v.Do(v.Request(http.MethodGet, e.Href, nil)); reply.StatusCode >= http.StatusBadRequest { // AEPS leads to the sign-in
			t.Errorf("%s: HTTP %d", e.Href, reply.StatusCode)
		}
		if icons[e.Icon] != "" {
			t.Errorf("the icon %s stands for %s and for %s", e.Icon, icons[e.Icon], e.Href)
		}
		icons[e.Icon] = e.Href
		if e.Key != "" && keys[e.Key] != "" {
			t.Errorf("the key %s leads to %s and to %s", e.Key, keys[e.Key], e.Href)
		}
		keys[e.Key] = e.Href
	}
	for _, path := range []string{"/operations", "/day-end/count", "/day-end/opening", "/day-end/month"} {
		v.Get(path, http.StatusOK)
	}
}

// allSections serves all sections as the daemon composes them.
func allSections(t *testing.T) (*ui.Kit, *uitest.Client) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	cfg := Config{Rand: rand.Reader, Logger: log}
	q, _, err := queue.Open(queue.Config{Path: filepath.Join(t.TempDir(), "q.db"), Key: secret.NewKey(bytes.Repeat([]byte{1}, 32)), Rand: rand.Reader, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	number, err := secret.ParseAadhaar(agentAadhaar)
	if err != nil {
		t.Fatal(err)
	}
	settings := Settings{Agent: "Fatima", PINHash: "none", AgentAadhaar: number, Merchant: "Lakshmi Kirana Store", TID: "GAL00101"}
	p := &parts{cfg: cfg, settings: settings, queue: q, updates: &updates{page: updateui.New("1.0.0", nil)}}
	if p.operators, err = openUsers(q, settings, cfg); err != nil {
		t.Fatal(err)
	}
	if p.device, err = reader.New(reader.Config{Logger: log}); err != nil {
		t.Fatal(err)
	}
	p.counter, err = edge.New(q, p.device, edge.Config{
		Agent: settings.Agent, AgentAadhaar: number, Merchant: settings.Merchant, MerchantID: "m1", TID: settings.TID,
		Latitude: "18.52", Longitude: "73.85", AadhaarOf: p.operators.AadhaarOf, Rand: rand.Reader, Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	p.counter.SetLink(fixedLink{})
	if err := p.openDays(); err != nil {
		t.Fatal(err)
	}
	if p.slips, err = openPrinter(p.counter, &settingsStore{folder: folder(t.TempDir()), settings: settings}, settings, cfg); err != nil {
		t.Fatal(err)
	}
	first, err := aeps.New(p.counter, aeps.Config{Receipt: p.slips.View, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	managing, err := uiusers.New(p.operators, log)
	if err != nil {
		t.Fatal(err)
	}
	sections, _, err := p.openSections(managing)
	if err != nil {
		t.Fatal(err)
	}
	kit, err := ui.New(p.counter, ui.Config{Name: uitest.Hostname, Logger: log, Catalogues: []i18n.Catalogue{outcome.Catalogue()}}, append([]ui.Section{first, uitest.LoginSection()}, sections...)...)
	if err != nil {
		t.Fatal(err)
	}
	return kit, uitest.ServeKit(t, kit)
}

// formRoute is a route of a form, as sections register it.
var formRoute = regexp.MustCompile(`"POST (/[^"]*)"`)

// TestOwnersFormsAskForThePIN walks every form of every section: one that an operator may
// not send needs the owner's PIN again.
func TestOwnersFormsAskForThePIN(t *testing.T) {
	var files []string
	for _, below := range []string{"../*/*.go", "../ui/*/*.go"} {
		found, err := filepath.Glob(below)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	var routes []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f, "_test.go") || strings.Contains(f, "/ui/aeps/") { // it is not among the sections, and has no owner's form
			continue
		}
		for _, m := range formRoute.FindAllStringSubmatch(string(text), -1) {
			routes = append(routes, regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(m[1], "x"))
		}
	}
	slices.Sort(routes)
	routes = slices.DeleteFunc(slices.Compact(routes), func(path string) bool { return path == "/lock" || path == "/confirm" })
	_, v := allSections(t)
	enter := func(query string) {
		v.GetRedirect("/enter?to=/enter/done&" + query)
		v.Get("/enter/done", http.StatusOK)
	}
	enter("operator=raju&role=operator")
	var owners []string
	for _, path := range routes {
		if _, page := v.Do(v.Form(path, "form", "a")); strings.Contains(page, "Only the owner can do this") {
			owners = append(owners, path)
		}
	}
	if want := []string{"/onboarding/x", "/printer", "/readers/use", "/users/add", "/users/x/x"}; !slices.Equal(owners, want) {
		t.Errorf("of the forms %v only an owner may send %v, want %v", routes, owners, want)
	}
	enter("confirm=no")
	for _, path := range owners {
		if _, page := v.Do(v.Form(path, "form", "a")); !strings.Contains(page, "Enter your PIN again") {
			t.Errorf("%s takes an owner's session alone: %s", path, page)
		}
	}
}
