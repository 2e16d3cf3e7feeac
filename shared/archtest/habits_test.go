package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// banned are names that say nothing about what is inside.
var banned = []string{"util", "utils", "common", "types", "models", "helpers", "helper", "misc", "lib"}

func TestNames(t *testing.T) { enforce(t, names) }

// names refuses folders with a name that fits everything.
func names(h *repo) []string {
	var out []string
	for _, pkg := range h.packages() {
		for _, part := range strings.Split(pkg, "/") {
			if contains(banned, part) {
				out = append(out, fmt.Sprintf("%s: a package called %s collects unrelated code; name it after one thing.", pkg, part))
			}
		}
	}
	return out
}

func TestPackageComments(t *testing.T) { enforce(t, comments) }

// comments requires exactly one package comment in each package.
func comments(h *repo) []string {
	found := map[string][]string{}
	text := map[string]string{}
	for _, f := range h.files {
		if f.ast.Doc == nil || strings.TrimSpace(f.ast.Doc.Text()) == "" {
			continue
		}
		found[f.pkg] = append(found[f.pkg], f.path)
		text[f.pkg] = f.ast.Doc.Text()
	}
	var out []string
	for _, pkg := range h.packages() {
		switch n := len(found[pkg]); {
		case n == 0:
			out = append(out, fmt.Sprintf("%s has no package comment: say in doc.go what it is for, what it promises, and how data enters and leaves.", pkg))
		case n > 1:
			out = append(out, fmt.Sprintf("%s has %d package comments (%s): one is enough, or they will disagree.", pkg, n, strings.Join(found[pkg], ", ")))
		case !wellBegun(pkg, text[pkg]):
			out = append(out, fmt.Sprintf("%s: its package comment begins %q; go doc wants 'Package <name> …', or 'Command <name> …' for a program.", found[pkg][0], firstWords(text[pkg])))
		}
	}
	return out
}

func wellBegun(pkg, text string) bool {
	name := pkg[strings.LastIndex(pkg, "/")+1:]
	return strings.HasPrefix(text, "Package "+name+" ") || strings.HasPrefix(text, "Command ")
}

func firstWords(text string) string {
	fields := strings.Fields(text)
	return strings.Join(fields[:min(4, len(fields))], " ")
}

func TestNoInit(t *testing.T) { enforce(t, inits) }

// inits refuses functions that run without a call.
func inits(h *repo) []string {
	var out []string
	for _, f := range h.files {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				out = append(out, fmt.Sprintf("%s: func init runs without a call and in no chosen order: do it in New, or in main.", h.at(f, fn)))
			}
		}
	}
	return out
}

// maySleep are files whose code may call time.Sleep; the value is the reason.
var maySleep = map[string]string{}

func TestNoSleep(t *testing.T) { enforce(t, sleeps) }

// sleeps refuses waits that cannot be cancelled.
func sleeps(h *repo) []string {
	var out []string
	for _, f := range h.code() {
		if maySleep[f.path] != "" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Sleep" && isIdent(s.X, "time") {
				out = append(out, fmt.Sprintf("%s: time.Sleep cannot be cancelled: wait in a select on a timer and the context.", h.at(f, n)))
			}
			return true
		})
	}
	return out
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// leftover finds notes of an author to themselves, and paths of one machine.
var leftover = []struct {
	found *regexp.Regexp
	why   string
}{
	{regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`), "a note has no owner: do it now, or open an issue"},
	{regexp.MustCompile(`(^|[^\w.])/wor` + `k/(main|shared)\b`), "an absolute path of one machine: make it relative to the repository's root"},
	{regexp.MustCompile(`(?i)\b(not` + ` implemented yet|for` + ` now,|in a re` + `al system)\b`), "the code has no drafts: build it, or leave it out"},
}

func TestNoLeftovers(t *testing.T) { enforce(t, leftovers) }

// leftovers looks through everything that people write.
func leftovers(h *repo) []string {
	var out []string
	for _, p := range sortedKeys(h.texts) {
		for _, lo := range leftover {
			if !lo.found.MatchString(h.texts[p]) {
				continue
			}
			for i, l := range strings.Split(h.texts[p], "\n") {
				if m := lo.found.FindString(l); m != "" {
					out = append(out, fmt.Sprintf("%s:%d says %q: %s.", p, i+1, strings.TrimSpace(m), lo.why))
				}
			}
		}
	}
	return out
}

func TestNoPackageState(t *testing.T) { enforce(t, state) }

// state refuses package-level variables that change: those that are assigned,
// appended to, deleted from or whose address is taken anywhere but in their
// declaration, and those that can only be there to change (no value, a lock, a
// channel, a made map). Error sentinels, embedded files, compiled patterns and
// tables that are only read are no state.
func state(h *repo) []string {
	var out []string
	vars := map[string]map[string]*ast.ValueSpec{} // pkg and package name → variable
	for _, f := range h.code() {
		key := f.pkg
		if vars[key] == nil {
			vars[key] = map[string]*ast.ValueSpec{}
		}
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				spec := s.(*ast.ValueSpec)
				for _, name := range spec.Names {
					if name.Name != "_" {
						vars[key][name.Name] = spec
					}
				}
				if why := bornToChange(g, spec); why != "" {
					out = append(out, fmt.Sprintf("%s: package variable %s %s: keep it in a struct that New makes, so that two of them can live in one process.", h.at(f, spec), spec.Names[0].Name, why))
				}
			}
		}
	}
	for _, f := range h.code() {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				out = append(out, changes(h, f, fn, vars[f.pkg])...)
			}
		}
	}
	return out
}

// bornToChange says why a declaration can only be state.
func bornToChange(g *ast.GenDecl, spec *ast.ValueSpec) string {
	if spec.Names[0].Name == "_" || embedded(g.Doc) || embedded(spec.Doc) {
		return ""
	}
	if len(spec.Values) == 0 {
		return "has no value, so it waits to be assigned"
	}
	for _, v := range spec.Values {
		if c, ok := v.(*ast.CallExpr); ok && (isIdent(c.Fun, "make") || isIdent(c.Fun, "new")) {
			return "is made empty, so it waits to be filled"
		}
		if holdsLock(v) {
			return "holds a lock or an atomic, so it is state"
		}
	}
	return ""
}

func embedded(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if strings.HasPrefix(c.Text, "//go:embed ") {
			return true
		}
	}
	return false
}

func holdsLock(v ast.Expr) bool {
	found := false
	ast.Inspect(v, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && (isIdent(s.X, "sync") || isIdent(s.X, "atomic")) {
			found = true
		}
		return !found
	})
	return found
}

// changes finds the places where a function changes a package variable. A name
// that the function declares itself, anywhere, is taken for its own.
func changes(h *repo, f *file, fn *ast.FuncDecl, vars map[string]*ast.ValueSpec) []string {
	own := declared(fn)
	var out []string
	blame := func(n ast.Node, e ast.Expr) {
		name := root(e)
		if vars[name] == nil || own[name] {
			return
		}
		out = append(out, fmt.Sprintf("%s: %s changes the package variable %s: keep it in a struct that New makes.", h.at(f, n), fn.Name.Name, name))
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, l := range n.Lhs {
					blame(n, l)
				}
			}
		case *ast.IncDecStmt:
			blame(n, n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				blame(n, n.X)
			}
		case *ast.CallExpr:
			if (isIdent(n.Fun, "delete") || isIdent(n.Fun, "clear") || isIdent(n.Fun, "close")) && len(n.Args) > 0 {
				blame(n, n.Args[0])
			}
		}
		return true
	})
	return out
}

// root is the variable under indexes, fields and dereferences.
func root(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return ""
		}
	}
}

// declared gives every name that a function declares: parameters, results and
// locals.
func declared(fn *ast.FuncDecl) map[string]bool {
	own := map[string]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				own[name.Name] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, l := range n.Lhs {
					own[root(l)] = true
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil && n.Tok == token.DEFINE {
					own[root(e)] = true
				}
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				own[name.Name] = true
			}
		}
		return true
	})
	return own
}
