package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a module of one package in a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGosec: weak code is found, a comment does not silence it, and code that can't be
// read is an error.
func TestGosec(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod":  "module weak\n\ngo 1.26.0\n",
		"main.go": "package main\n\nimport (\n\t\"crypto/md5\"\n\t\"fmt\"\n)\n\nfunc main() { fmt.Println(md5.Sum(nil)) } // #nosec G401 -- no reason\n",
	})
	found, err := runGosec([]string{dir})
	rules := map[string]bool{}
	for _, f := range found {
		rules[f.rule] = filepath.Base(f.place) == "main.go"
	}
	if err != nil || !rules["G401"] || !rules["G501"] {
		t.Errorf("found %v, %v", found, err)
	}
	write(t, dir, map[string]string{"main.go": "package main\n\nfunc main() { undeclared() }\n"})
	if found, err := runGosec([]string{dir}); err == nil {
		t.Errorf("what can't be compiled has %v", found)
	}
}

// TestGovulncheck: a function that is called counts, one that is not does not, and neither
// does a version of Go that has it mended.
func TestGovulncheck(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod":  "module calls\n\ngo 1.26.0\n",
		"main.go": "package main\n\nimport \"strings\"\n\nfunc main() { println(strings.ToUpper(\"a\")) }\n",
	})
	vulnerable := func(id, symbol string) entry {
		e := entry{ID: id, Modified: "2026-01-01T00:00:00Z", Summary: "The function " + symbol}
		a := affected{Specific: []byte(`{"imports": [{"path": "strings", "symbols": ["` + symbol + `"]}]}`)}
		a.Package.Name, a.Package.Ecosystem = "stdlib", "Go"
		e.Affected = append(e.Affected, a)
		e.Affected[0].Ranges = append(e.Affected[0].Ranges, ranges{Type: "SEMVER", Events: []event{{Introduced: "0"}, {Fixed: "1.26.9"}}})
		return e
	}
	x := extract{Entries: []entry{vulnerable("GO-2026-0001", "ToUpper"), vulnerable("GO-2026-0002", "ToLower")}}
	found, err := x.scan(t.Context(), dir, "v1.26.8", ".")
	if err != nil || len(found) != 1 || found[0].rule != "GO-2026-0001" || !strings.Contains(found[0].what, "mended in v1.26.9") {
		t.Errorf("found %v, %v", found, err)
	}
	if found, err = x.scan(t.Context(), dir, "v1.26.9", "."); err != nil || len(found) != 0 {
		t.Errorf("found %v, %v in the version that is mended", found, err)
	}
	for version, want := range map[string]bool{"v1.26.8": true, "v1.26.9": false, "v1.27.0": false} {
		e := vulnerable("GO-2026-0001", "ToUpper")
		if e.of(map[string]string{"stdlib": version}) != want {
			t.Errorf("the extract for %s has it: %v", version, !want)
		}
	}
}

// TestServes: the extract says for what it was made, and nothing else is scanned with it.
func TestServes(t *testing.T) {
	x := extract{From: map[string]string{"example.org/a": "v1.2.0"}}
	for version, good := range map[string]bool{"v1.2.0": true, "v1.3.0": true, "v1.1.9": false} {
		if err := x.serves(map[string]string{"example.org/a": version}); (err == nil) != good {
			t.Errorf("%s: %v", version, err)
		}
	}
	if err := x.serves(map[string]string{"example.org/b": "v1.0.0"}); err == nil {
		t.Error("a module that was not there is served")
	}
}

// TestCompare: every finding has its line and every line its finding.
func TestCompare(t *testing.T) {
	const line = "G304 an operator names the file\n\tcentral/a.go 1\n"
	one := finding{rule: "G304", place: "central/a.go", what: "line 7"}
	for name, c := range map[string]struct {
		text  string
		found []finding
		want  string
	}{
		"all known":      {"# why\n\n" + line, []finding{one}, ""},
		"one more":       {line, []finding{one, one}, "was found 2 times"},
		"another file":   {line, []finding{one, {rule: "G304", place: "edge/b.go"}}, "G304 edge/b.go was found"},
		"none any more":  {line, nil, "remove the line"},
		"no reason":      {"G304\n\tcentral/a.go 1\n", []finding{one}, "gives no reason"},
		"no number":      {"G304 an operator names the file\n\tcentral/a.go\n", []finding{one}, "is not 'place number'"},
		"twice":          {line + line, []finding{one}, "stands twice"},
		"below no rule":  {"\tcentral/a.go 1\n", []finding{one}, "below a rule"},
		"nothing at all": {"", nil, ""},
	} {
		file := filepath.Join(t.TempDir(), "baseline")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := compare(file, c.found)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
