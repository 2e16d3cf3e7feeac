package archtest

import (
	"fmt"
	"strings"
	"testing"
)

func TestTablesAreTrue(t *testing.T) { enforce(t, stale) }

// stale finds lines of the tables that speak of what is no longer there: an
// exception that nobody needs is a hole that nobody watches.
func stale(h *house) []string {
	files, rooms, reveal := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range h.files {
		files[f.path], rooms[f.room] = true, true
		if !f.test && strings.Contains(f.src, ".Reveal") {
			reveal[f.path] = true
		}
	}
	var out []string
	gone := func(table, file, what, why string) {
		out = append(out, fmt.Sprintf("%s in shared/archtest/%s has a line for %s, which %s: remove the line.", table, file, what, why))
	}
	for _, l := range importMap {
		if !rooms[l.room] {
			gone("importMap", "map_test.go", l.room, "is no room")
		}
		for _, target := range l.imports {
			if base := strings.TrimSuffix(target, "/..."); target != "..." && !rooms[base] && base != "shared" {
				gone("importMap", "map_test.go", l.room+" to import "+target, "is no room")
			}
		}
	}
	for _, g := range modules {
		if !strings.Contains(h.texts["go.mod"], "\t"+g.module+" ") {
			gone("modules", "map_test.go", g.module, "is not in go.mod")
		}
		for _, room := range g.rooms {
			if base := strings.TrimSuffix(room, "/..."); room == base && !rooms[base] {
				gone("modules", "map_test.go", g.module+" in "+room, "is no room")
			}
		}
	}
	for _, p := range sortedKeys(revealers) {
		if !reveal[p] {
			gone("revealers", "secrets_test.go", p, "does not call Reveal")
		}
	}
	for _, p := range idleCashReaders(h) {
		gone("cashReaders", "cash_test.go", p, "touches no fact of the drawer")
	}
	for _, p := range sortedKeys(seeds) {
		if !files[p] {
			gone("seeds", "secrets_test.go", p, "is no file")
		}
	}
	for _, name := range sortedKeys(exempt) {
		room, _, isMember := strings.Cut(name[strings.LastIndex(name, "/")+1:], ".")
		room = name[:strings.LastIndex(name, "/")+1] + room
		if !files[name] && !rooms[name] && (!isMember || !rooms[room]) {
			gone("exempt", "size_test.go", name, "is neither room, file nor member of a room")
		}
	}
	return out
}

func TestStaleLinesAreFound(t *testing.T) {
	h := parseHouse(t, map[string]string{"edge/a.go": "package edge", "go.mod": "module galla"})
	found := strings.Join(stale(h), "\n")
	for _, want := range []string{"importMap", "for central/store, which is no room", "modules", "revealers", "cashReaders", "seeds", "exempt"} {
		if !strings.Contains(found, want) {
			t.Errorf("no stale line of %q was found:\n%s", want, found)
		}
	}
	if strings.Contains(found, "for edge, which") {
		t.Errorf("the room that is there was called stale:\n%s", found)
	}
}
