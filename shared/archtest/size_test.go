package archtest

import (
	"fmt"
	"go/ast"
	"testing"
)

// Limits of size. A package has none: its subject decides.
const (
	maxFile      = 500  // lines
	maxTestFile  = 1000 // lines of a test: cases are read one by one
	maxFunction  = 70   // lines, tests not counted: a table of cases is no logic
	maxInterface = 15   // methods, embedded ones included
)

// sizeExemptions lists what may break a size, by name: a file, package.Function or
// package.Interface; the value is the reason.
var sizeExemptions = map[string]string{}

func TestSizes(t *testing.T) { enforce(t, sizes) }

// sizes checks files, functions and interfaces against the limits.
func sizes(h *repo) []string {
	var out []string
	for _, f := range h.files {
		limit := maxFile
		if f.test {
			limit = maxTestFile
		}
		if n := f.lines(); n > limit && sizeExemptions[f.path] == "" {
			out = append(out, fmt.Sprintf("%s has %d lines, more than %d: split it by subject.", f.path, n, limit))
		}
		if f.test {
			continue
		}
		out = append(out, functionSizes(h, f)...)
		out = append(out, interfaceSizes(h, f)...)
	}
	return out
}

func functionSizes(h *repo, f *file) []string {
	var out []string
	for _, d := range f.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		n := h.fset.Position(fn.End()).Line - h.fset.Position(fn.Pos()).Line + 1
		if n > maxFunction && sizeExemptions[f.pkg+"."+fn.Name.Name] == "" {
			out = append(out, fmt.Sprintf("%s: %s has %d lines, more than %d: name its steps.", h.at(f, fn), fn.Name.Name, n, maxFunction))
		}
	}
	return out
}

func interfaceSizes(h *repo, f *file) []string {
	var out []string
	for _, d := range f.ast.Decls {
		eachInterface(d, func(name string, it *ast.InterfaceType) {
			n := methods(h, f.pkg, it, 0)
			if n > maxInterface && sizeExemptions[f.pkg+"."+name] == "" {
				out = append(out, fmt.Sprintf("%s: interface %s has %d methods, more than %d: its users need less each; split it by user.", h.at(f, it), name, n, maxInterface))
			}
		})
	}
	return out
}

// eachInterface visits the interfaces that a declaration names.
func eachInterface(d ast.Decl, visit func(name string, it *ast.InterfaceType)) {
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, s := range g.Specs {
		ts, ok := s.(*ast.TypeSpec)
		if !ok {
			continue
		}
		if it, ok := ts.Type.(*ast.InterfaceType); ok {
			visit(ts.Name.Name, it)
		}
	}
}

// methods counts an interface's methods; interfaces of the same package that are
// embedded are counted through, foreign ones as one.
func methods(h *repo, pkg string, it *ast.InterfaceType, depth int) int {
	n := 0
	for _, m := range it.Methods.List {
		id, embedded := m.Type.(*ast.Ident)
		if !embedded || depth > 10 {
			n += max(1, len(m.Names))
			continue
		}
		found := 1
		for _, f := range h.code() {
			if f.pkg != pkg {
				continue
			}
			for _, d := range f.ast.Decls {
				eachInterface(d, func(name string, inner *ast.InterfaceType) {
					if name == id.Name {
						found = methods(h, pkg, inner, depth+1)
					}
				})
			}
		}
		n += found
	}
	return n
}
