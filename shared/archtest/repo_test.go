package archtest

import (
	"errors"
	"fmt"
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
	"sync"
	"testing"
)

// module is the path in go.mod.
const module = "galla"

// repo is the source tree, parsed.
type repo struct {
	fset  *token.FileSet
	files []*file           // Go files, by path
	texts map[string]string // everything that people write, by path: Go and not
	paths map[string]bool   // all files
}

// file is one Go file.
type file struct {
	path string // from the root, with slashes: central/store/rows.go
	pkg  string // its folder
	test bool
	ast  *ast.File
	src  string
}

// lines counts as an editor does.
func (f *file) lines() int { return strings.Count(f.src, "\n") }

// at gives the line of a node, for sentences.
func (h *repo) at(f *file, n ast.Node) string {
	return f.path + ":" + strconv.Itoa(h.fset.Position(n.Pos()).Line)
}

// packages gives the folders that hold Go files, sorted.
func (h *repo) packages() []string {
	seen := map[string]bool{}
	var all []string
	for _, f := range h.files {
		if !seen[f.pkg] {
			seen[f.pkg] = true
			all = append(all, f.pkg)
		}
	}
	sort.Strings(all)
	return all
}

// code gives the files that are no tests.
func (h *repo) code() []*file {
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

// skipped are folders that hold nothing written by hand, and modules of their own that
// other modules' rules apply to.
var skipped = []string{"bin", "build", "dist", "node_modules", "deploy/docs/agents-guide", "deploy/tools/compat", "deploy/tools/scan", "deploy/tools/verdict", "deploy/bench", "deploy/sdk/go"}

// tree is the source tree, read once for all rules.
var tree = sync.OnceValues(readRepo)

// readRepo parses the module that this test stands in.
func readRepo() (*repo, error) {
	root := filepath.Join("..", "..")
	texts, paths := map[string]string{}, map[string]bool{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(p, root+string(filepath.Separator)))
		if d.IsDir() {
			hidden := strings.HasPrefix(d.Name(), ".") && p != root && rel != ".ci" && rel != ".github"
			if hidden || contains(skipped, rel) {
				return filepath.SkipDir
			}
			return nil
		}
		paths[rel] = true
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
		return nil, fmt.Errorf("read the source tree: %w", err)
	}
	if _, ok := texts["go.mod"]; !ok {
		return nil, errors.New("there is no go.mod two folders up: archtest must be shared/archtest of the module")
	}
	h, err := parseRepo(texts)
	if err == nil {
		h.paths = paths
	}
	return h, err
}

// parseRepo parses the Go files among the texts.
func parseRepo(texts map[string]string) (*repo, error) {
	h := &repo{fset: token.NewFileSet(), texts: texts, paths: map[string]bool{}}
	for _, p := range sortedKeys(texts) {
		h.paths[p] = true
		if path.Ext(p) != ".go" || strings.Contains(p, "/testdata/") {
			continue
		}
		parsed, err := parser.ParseFile(h.fset, p, texts[p], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be parsed: %w", p, err)
		}
		h.files = append(h.files, &file{
			path: p, pkg: path.Dir(p), test: strings.HasSuffix(p, "_test.go"), ast: parsed, src: texts[p],
		})
	}
	return h, nil
}

// enforce applies a rule to the source tree.
func enforce(t *testing.T, rule func(*repo) []string) {
	t.Helper()
	h, err := tree()
	if err != nil {
		t.Fatal(err)
	}
	for _, sentence := range rule(h) {
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

// under reports whether a folder matches one of the patterns: "a/b" is itself, "a/..."
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
