package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// namedTest matches a test with its folder, such as `edge/queue.TestErasure`.
var namedTest = regexp.MustCompile("`([a-z][a-z0-9/-]*)\\.((?:Test|Fuzz)\\w+)`")

// testsIn gives the tests of a folder of the repository.
func testsIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				found[f.Name.Name] = true
			}
		}
	}
	return found
}

// TestTheThreatModelIsShown: each attack of security.md names a test that exists, and each
// attacker has a list of what remains.
func TestTheThreatModelIsShown(t *testing.T) {
	raw, err := os.ReadFile("design/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, attackers, _ := strings.Cut(string(raw), "\n## 3. ")
	attackers, _, _ = strings.Cut(attackers, "\n## 4. ")
	parts, known, rows := strings.Split(attackers, "\n### ")[1:], map[string]map[string]bool{}, 0
	for _, part := range parts {
		name, text, _ := strings.Cut(part, "\n")
		if !strings.Contains(text, "\nWhat remains:") {
			t.Errorf("%s does not say what remains", name)
		}
		_, table, _ := strings.Cut(text, "|---|---|---|\n")
		for row := range strings.Lines(table) {
			if !strings.HasPrefix(row, "| ") {
				break
			}
			rows++
			tests := namedTest.FindAllStringSubmatch(row, -1)
			if len(tests) == 0 {
				t.Errorf("%s: no test shows this: %s", name, row)
			}
			for _, m := range tests {
				if known[m[1]] == nil {
					known[m[1]] = testsIn(t, m[1])
				}
				if !known[m[1]][m[2]] {
					t.Errorf("%s: there is no test %s in %s", name, m[2], m[1])
				}
			}
		}
	}
	if len(parts) < 8 || rows < 40 {
		t.Errorf("%d attackers and %d attacks were read: the page has more", len(parts), rows)
	}
}
