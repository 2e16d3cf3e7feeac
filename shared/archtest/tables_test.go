package archtest

import (
	"fmt"
	"strings"
	"testing"
)

func TestTablesAreTrue(t *testing.T) { enforce(t, staleLines) }

// staleLines finds lines of the tables that nothing needs any more: an unused exception
// permits what nobody has checked.
func staleLines(h *repo) []string {
	files, packages, reveal := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range h.files {
		files[f.path], packages[f.pkg] = true, true
		if !f.test && strings.Contains(f.src, ".Reveal") {
			reveal[f.path] = true
		}
	}
	var out []string
	gone := func(table, file, what, why string) {
		out = append(out, fmt.Sprintf("%s in shared/archtest/%s has a line for %s, which %s: remove the line.", table, file, what, why))
	}
	for _, l := range layers {
		for _, p := range l.packages {
			found := false
			for pkg := range packages {
				found = found || under(pkg, []string{p})
			}
			if !found {
				gone("layers", "layers_test.go", p, "is no package")
			}
		}
	}
	for pair := range allowed {
		if from, to, _ := strings.Cut(pair, " "); !packages[from] || !packages[to] {
			gone("allowed", "layers_test.go", pair, "names a package that does not exist")
		}
	}
	for _, g := range modules {
		if !strings.Contains(h.texts["go.mod"], "\t"+g.module+" ") {
			gone("modules", "layers_test.go", g.module, "is not in go.mod")
		}
		for _, pkg := range g.packages {
			if base := strings.TrimSuffix(pkg, "/..."); pkg == base && !packages[base] {
				gone("modules", "layers_test.go", g.module+" in "+pkg, "is no package")
			}
		}
	}
	for _, p := range sortedKeys(mayReveal) {
		if !reveal[p] {
			gone("mayReveal", "secrets_test.go", p, "does not call Reveal")
		}
	}
	for _, p := range idleCashReaders(h) {
		gone("cashReaders", "cash_test.go", p, "touches no fact of the drawer")
	}
	for _, p := range sortedKeys(mayHoldAadhaar) {
		if !files[p] {
			gone("mayHoldAadhaar", "secrets_test.go", p, "is no file")
		}
	}
	for _, name := range sortedKeys(notOurs) {
		if !isCited(h, name) {
			gone("notOurs", "citations_test.go", name, "nothing cites")
		}
	}
	for _, name := range sortedKeys(sizeExemptions) {
		pkg, _, isMember := strings.Cut(name[strings.LastIndex(name, "/")+1:], ".")
		pkg = name[:strings.LastIndex(name, "/")+1] + pkg
		if !files[name] && !packages[name] && (!isMember || !packages[pkg]) {
			gone("sizeExemptions", "size_test.go", name, "is neither file nor member of a package")
		}
	}
	return out
}

func TestStaleLinesAreFound(t *testing.T) {
	h, err := parseRepo(map[string]string{"edge/a.go": "package edge", "go.mod": "module galla"})
	if err != nil {
		t.Fatal(err)
	}
	found := strings.Join(staleLines(h), "\n")
	tables := []string{"layers", "for central/store/..., which is no package", "allowed", "modules", "mayReveal", "cashReaders", "mayHoldAadhaar", "notOurs"}
	if len(sizeExemptions) > 0 {
		tables = append(tables, "sizeExemptions")
	}
	for _, want := range tables {
		if !strings.Contains(found, want) {
			t.Errorf("no stale line of %q was found:\n%s", want, found)
		}
	}
	if strings.Contains(found, "for edge, which") {
		t.Errorf("a package that exists is called stale:\n%s", found)
	}
}
