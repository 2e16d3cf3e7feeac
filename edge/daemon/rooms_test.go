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
	"galla/edge/device"
	"galla/edge/queue"
	"galla/edge/told"
	"galla/edge/update"
	"galla/edge/web"
	"galla/edge/web/webtest"
	"galla/edge/words"
	"galla/shared/secret"
)

// TestRoomsFitTogether: names of pages, files, icons and texts belong to the
// whole counter, so all rooms are put together as the daemon does; every way
// into one leads to a page, and has an icon and a key of its own.
func TestRoomsFitTogether(t *testing.T) {
	kit, v := allRooms(t)
	v.Enter()
	ses := kit.Current(v.Cookied("/"))
	keys, icons := map[string]string{}, map[string]string{}
	for _, k := range told.Kinds() { // the screen's own entries
		icons[k.Icon] = "/new/" + k.Name
	}
	for _, e := range kit.Entries(ses) {
		v.Get(e.Href, http.StatusOK)
		if icons[e.Icon] != "" {
			t.Errorf("the icon %s stands for %s and for %s", e.Icon, icons[e.Icon], e.Href)
		}
		icons[e.Icon] = e.Href
		if e.Key != "" && keys[e.Key] != "" {
			t.Errorf("the key %s leads to %s and to %s", e.Key, keys[e.Key], e.Href)
		}
		keys[e.Key] = e.Href
	}
	for _, path := range []string{"/operations", "/till/count", "/till/opening", "/till/month"} {
		v.Get(path, http.StatusOK)
	}
}

// allRooms serves all rooms, put together as the daemon does.
func allRooms(t *testing.T) (*web.Kit, *webtest.Visitor) {
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
	operators, err := openPeople(q, settings, cfg)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := device.New(device.Config{Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	counter, err := edge.New(q, reader, edge.Config{
		Agent: settings.Agent, AgentAadhaar: number, Merchant: settings.Merchant, MerchantID: "m1", TID: settings.TID,
		Latitude: "18.52", Longitude: "73.85", NumberOf: operators.NumberOf, Rand: rand.Reader, Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	counter.Attach(fixedLine{})
	days, err := openTill(counter, q)
	if err != nil {
		t.Fatal(err)
	}
	slips, err := openPaper(counter, &kept{folder: folder(t.TempDir()), settings: settings}, settings, cfg)
	if err != nil {
		t.Fatal(err)
	}
	rooms, _, err := openRooms(counter, days, operators, q, reader, slips, update.NewRoom("1.0.0", nil), cfg)
	if err != nil {
		t.Fatal(err)
	}
	kit, err := web.New(counter, web.Config{Name: webtest.Name, Logger: log, Catalogues: []words.Catalogue{told.Catalogue()}}, append(rooms, webtest.Door())...)
	if err != nil {
		t.Fatal(err)
	}
	return kit, webtest.Over(t, kit)
}

// formRoute is a route of a form, as rooms register it.
var formRoute = regexp.MustCompile(`\bmux\.HandleFunc\("POST (/[^"]*)"`)

// TestOwnersFormsAskForThePIN walks every form of every room: one that an operator may
// not send is an owner's act, and wants the owner's PIN once more.
func TestOwnersFormsAskForThePIN(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var routes []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f, "_test.go") || strings.Contains(f, "/screen/") { // the screen is no room; it has no owner's form
			continue
		}
		for _, m := range formRoute.FindAllStringSubmatch(string(text), -1) {
			routes = append(routes, regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(m[1], "x"))
		}
	}
	slices.Sort(routes)
	routes = slices.DeleteFunc(slices.Compact(routes), func(path string) bool { return path == "/lock" || path == "/confirm" })
	_, v := allRooms(t)
	enter := func(query string) {
		v.Leads("/enter?to=/enter/done&" + query)
		v.Get("/enter/done", http.StatusOK)
	}
	enter("operator=raju&role=operator")
	var owners []string
	for _, path := range routes {
		if _, page := v.Do(v.Form(path, "form", "a")); strings.Contains(page, "Only the owner can do this") {
			owners = append(owners, path)
		}
	}
	if want := []string{"/devices/use", "/people/add", "/people/x/x", "/printer", "/shop/aeps/x"}; !slices.Equal(owners, want) {
		t.Errorf("of the forms %v only an owner may send %v, want %v", routes, owners, want)
	}
	enter("confirm=no")
	for _, path := range owners {
		if _, page := v.Do(v.Form(path, "form", "a")); !strings.Contains(page, "Your PIN again") {
			t.Errorf("%s takes an owner's session alone: %s", path, page)
		}
	}
}
