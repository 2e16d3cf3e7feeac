package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// module is the path that go.mod gives the house.
const module = "galla"

// house is the source tree, parsed.
type house struct {
	fset  *token.FileSet
	files []*file           // Go files, by path
	texts map[string]string // everything that people write, by path: Go and not
}

// file is one Go file.
type file struct {
	path string // from the root, with slashes: central/store/rows.go
	room string // its folder
	test bool
	ast  *ast.File
	src  string
}

// lines counts as an editor does.
func (f *file) lines() int { return strings.Count(f.src, "\n") }

// at gives the line of a node, for sentences.
func (h *house) at(f *file, n ast.Node) string {
	return f.path + ":" + strconv.Itoa(h.fset.Position(n.Pos()).Line)
}

// rooms gives the folders that hold Go files, sorted.
func (h *house) rooms() []string {
	seen := map[string]bool{}
	var all []string
	for _, f := range h.files {
		if !seen[f.room] {
			seen[f.room] = true
			all = append(all, f.room)
		}
	}
	sort.Strings(all)
	return all
}

// code gives the files that are no tests.
func (h *house) code() []*file {
	var all []*file
	for _, f := range h.files {
		if !f.test {
			all = append(all, f)
		}
	}
	return all
}

// written are the endings of files that people write and a rule may read.
var written = []string{".go", ".md", ".sql", ".html", ".js", ".mjs", ".css", ".sh", ".yaml", ".yml", ".toml", ".txt"}

// skipped are folders that hold nothing written by hand, and the tools of
// deploy, which are a module of their own with other modules' rules.
var skipped = []string{"bin", "build", "dist", "node_modules", "deploy/docs/agents-guide", "deploy/tools"}

// readHouse parses the module that this test stands in.
func readHouse(t *testing.T) *house {
	t.Helper()
	root := filepath.Join("..", "..")
	texts := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(p, root+string(filepath.Separator)))
		if d.IsDir() {
			hidden := strings.HasPrefix(d.Name(), ".") && p != root && rel != ".ci"
			if hidden || contains(skipped, rel) {
				return filepath.SkipDir
			}
			return nil
		}
		if !contains(written, filepath.Ext(p)) && d.Name() != "Makefile" && d.Name() != "go.mod" && !strings.HasPrefix(rel, ".ci/") {
			return nil
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		texts[rel] = string(b)
		return nil
	})
	if err != nil {
		t.Fatalf("read the source tree: %v", err)
	}
	if _, ok := texts["go.mod"]; !ok {
		t.Fatal("there is no go.mod two folders up: archtest must stand in shared/archtest of the module")
	}
	return parseHouse(t, texts)
}

// parseHouse parses the Go files among the texts.
func parseHouse(t *testing.T, texts map[string]string) *house {
	t.Helper()
	h := &house{fset: token.NewFileSet(), texts: texts}
	for _, p := range sortedKeys(texts) {
		if path.Ext(p) != ".go" || strings.Contains(p, "/testdata/") {
			continue
		}
		parsed, err := parser.ParseFile(h.fset, p, texts[p], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s cannot be parsed: %v", p, err)
		}
		h.files = append(h.files, &file{
			path: p, room: path.Dir(p), test: strings.HasSuffix(p, "_test.go"), ast: parsed, src: texts[p],
		})
	}
	return h
}

// enforce runs a rule over the real house.
func enforce(t *testing.T, rule func(*house) []string) {
	t.Helper()
	for _, sentence := range rule(readHouse(t)) {
		t.Error(sentence)
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// under tells whether a folder is one of the patterns: "a/b" is itself, "a/..."
// is a and everything below it.
func under(dir string, patterns []string) bool {
	for _, p := range patterns {
		if base, tree := strings.CutSuffix(p, "/..."); tree && (dir == base || strings.HasPrefix(dir, base+"/")) {
			return true
		}
		if dir == p {
			return true
		}
	}
	return false
}
