package archtest

import (
	"fmt"
	"go/ast"
	"testing"
)

// The sizes that a person can hold in mind (architecture.md, 'Size').
const (
	maxFile      = 500  // lines
	maxTestFile  = 1000 // lines of a test: cases are read one by one
	maxFunction  = 70   // lines, tests not counted: a table of cases is no logic
	maxInterface = 15   // methods, embedded ones included
	minPackage   = 200  // lines without tests: less is a file of its neighbour
	maxPackage   = 2500 // lines without tests
)

// exempt lists what may break a size, by name: a room, a file, room.Function or
// room.Interface; the value is the reason.
var exempt = map[string]string{
	"shared/freeport":           "what tests of many rooms need, and no more",
	"shared/smalldisk":          "what tests of two rooms need, and no more",
	"shared/archtest":           "no code by design: its tests are the content",
	"deploy/e2e":                "no code by design: its tests are the content",
	"deploy/sim":                "no code by design: its tests are the content",
	"deploy/contracttest":       "no code by design: its tests are the content",
	"deploy/nodestest":          "no code by design: its tests are the content",
	"deploy/bugs":               "no code by design: its tests are the content",
	"deploy/uplinktest":         "no code by design: its tests are the content",
	"deploy/examples":           "the examples are in other languages: little but how to run them, and tests that do",
	"installers":                "names, and the files that use them",
	"installers/installtest":    "no code by design: its tests are the content",
	"deploy/watch":              "no code by design: rules and dashboards, and the tests that hold them against the program",
	"deploy/compose":            "no code by design: files, and the test that runs them",
	"deploy/container":          "no code by design: the Containerfile, and the test that builds it",
	"deploy/docs":               "pages, and the reader of their commands",
	"deploy/local":              "a thin main over house and supervise",
	"central/cmd/galla-central": "a thin main over central/server",
	"central/cmd/galla-bank":    "a thin main over simbank",
	"central/cmd/galla-call":    "a thin main over shared/partner, and the direct door's few requests",
	"edge/cmd/galla-edge":       "a thin main over edge/daemon",
	"rdservice/cmd/galla-rdsim": "a thin main over rdsim",
	"central/guess":             "one memory, kept apart so that nothing else sees an OTP",
	"central/refno":             "one construction, kept apart so that it can be read alone",
	"central/enquiry":           "one schedule, kept apart so that it can be read and tested alone",
	"shared/bug":                "four constants, kept apart so that nothing else can be switched",
	"shared/localname":          "one name of one form, kept apart because both halves have it",
	"shared/money":              "one type that everybody counts in; there is no more to say about it",
	"shared/chart":              "two drawings, which both halves make",
	"shared/look":               "style sheets and drawings, and the line that embeds them",
	"shared/password":           "one construction, kept apart so that it can be read alone",
	"shared/printable":          "one rule on names, which both halves keep",
	"shared/op":                 "words only: ids, routes, states",
	"shared/seal":               "one construction, kept apart so that it can be read alone",
	"edge":                      "the counter's one state machine, at its limit; what it can do without stands in rooms of its own, such as edge/message and edge/cashbook",
	"edge/cashbook":             "one function, kept apart so that nobody else computes cash",
	"edge/queue/disk":           "what differs between systems, kept apart from the queue, which is at its limit",
	"edge/queue/index":          "what the queue remembers beside its file, kept apart from the queue, which is at its limit",
	"edge/queue/stored":         "one format, kept apart so that it can be read and fuzzed alone",
	"central/upi":               "one link and its picture, kept apart so that it can be read alone",
	"central/store":             "the SQL of every interface that central.Store is made of, each in a file of its own over one set of scanners; connections and group commit are a room below",
	"central/iin":               "a list of banks with its source and date, and the reading of it",
	"central/parties.Store":     "the union that a database implements; its parts say who needs what",
	"central/operator.Store":    "the union that a database implements; its parts say who needs what",
	"central":                   "the words and the engine of one half; the next issue lays its packages out anew",
	"central.Store":             "the union that a database implements; its users take the small interfaces it is made of",
}

func TestSizes(t *testing.T) { enforce(t, sizes) }

// sizes holds files, functions, interfaces and packages against the limits.
func sizes(h *house) []string {
	var out []string
	lines := map[string]int{}
	for _, f := range h.files {
		limit := maxFile
		if f.test {
			limit = maxTestFile
		}
		if n := f.lines(); n > limit && exempt[f.path] == "" {
			out = append(out, fmt.Sprintf("%s has %d lines, more than %d: split it by subject.", f.path, n, limit))
		}
		if f.test {
			continue
		}
		lines[f.room] += f.lines()
		out = append(out, functionSizes(h, f)...)
		out = append(out, interfaceSizes(h, f)...)
	}
	for _, room := range h.rooms() {
		n := lines[room]
		switch {
		case exempt[room] != "":
		case n < minPackage:
			out = append(out, fmt.Sprintf("%s has %d lines without tests, fewer than %d: let it be a file of the package that uses it, or list it as exempt in shared/archtest/size_test.go with a reason.", room, n, minPackage))
		case n > maxPackage:
			out = append(out, fmt.Sprintf("%s has %d lines without tests, more than %d: find the seam and make it two packages.", room, n, maxPackage))
		}
	}
	return out
}

func functionSizes(h *house, f *file) []string {
	var out []string
	for _, d := range f.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		n := h.fset.Position(fn.End()).Line - h.fset.Position(fn.Pos()).Line + 1
		if n > maxFunction && exempt[f.room+"."+fn.Name.Name] == "" {
			out = append(out, fmt.Sprintf("%s: %s has %d lines, more than %d: name its steps.", h.at(f, fn), fn.Name.Name, n, maxFunction))
		}
	}
	return out
}

func interfaceSizes(h *house, f *file) []string {
	var out []string
	for _, d := range f.ast.Decls {
		eachInterface(d, func(name string, it *ast.InterfaceType) {
			n := methods(h, f.room, it, 0)
			if n > maxInterface && exempt[f.room+"."+name] == "" {
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

// methods counts an interface's methods; interfaces of the same room that are
// embedded are counted through, foreign ones as one.
func methods(h *house, room string, it *ast.InterfaceType, depth int) int {
	n := 0
	for _, m := range it.Methods.List {
		id, embedded := m.Type.(*ast.Ident)
		if !embedded || depth > 10 {
			n += max(1, len(m.Names))
			continue
		}
		found := 1
		for _, f := range h.code() {
			if f.room != room {
				continue
			}
			for _, d := range f.ast.Decls {
				eachInterface(d, func(name string, inner *ast.InterfaceType) {
					if name == id.Name {
						found = methods(h, room, inner, depth+1)
					}
				})
			}
		}
		n += found
	}
	return n
}
