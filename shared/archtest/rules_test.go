package archtest

import (
	"strings"
	"testing"
)

// TestRulesFind gives each rule a file that breaks it, and one that does not: a rule
// that finds nothing anywhere is no rule.
func TestRulesFind(t *testing.T) {
	const (
		word   = "FIX" + "ME"
		number = "99994105" + "7058"
	)
	for _, c := range []struct {
		name string
		rule func(*repo) []string
		path string
		src  string
		want string // part of the one sentence; empty: nothing is wrong
	}{
		{"root to shared", imports, "edge/a.go", `package edge; import _ "galla/shared/op"`, ""},
		{"edge to central", imports, "edge/daemon/a.go", `package daemon; import _ "galla/central"`, "meet on the wire only"},
		{"central to edge", imports, "central/httpapi/a.go", `package httpapi; import _ "galla/edge/i18n"`, "meet on the wire only"},
		{"edge's test to central", imports, "edge/daemon/a_test.go", `package daemon; import _ "galla/central/uplink"`, "meet on the wire only"},
		{"entrance to store", imports, "central/httpapi/a.go", `package httpapi; import _ "galla/central/store"`, "an entrance calls a service"},
		{"entrance to store in a test", imports, "central/httpapi/a_test.go", `package httpapi; import _ "galla/central/store"`, ""},
		{"entrance to entrance", imports, "central/httpapi/a.go", `package httpapi; import _ "galla/central/gateway"`, "two of the entrances"},
		{"page to page", imports, "edge/ui/aeps/a.go", `package aeps; import _ "galla/edge/ui/dmt"`, "two of the sections"},
		{"page to kit", imports, "edge/ui/aeps/a.go", `package aeps; import _ "galla/edge/ui"`, ""},
		{"page to queue", imports, "edge/ui/aeps/a.go", `package aeps; import _ "galla/edge/queue"`, "a page calls edge"},
		{"service to entrance", imports, "central/staff/a.go", `package staff; import _ "galla/central/console"`, "imports go from the outside in"},
		{"root to store", imports, "central/a.go", `package central; import _ "galla/central/store"`, "imports go from the outside in"},
		{"root to module", imports, "central/a.go", `package central; import _ "github.com/gofiber/fiber/v2"`, "no third-party imports"},
		{"shared to a half", imports, "shared/op/a.go", `package op; import _ "galla/edge"`, "imports go from the outside in"},
		{"rdservice to shared", imports, "rdservice/a.go", `package rdservice; import _ "galla/shared/ist"`, ""},
		{"rdservice to edge", imports, "rdservice/a.go", `package rdservice; import _ "galla/edge"`, "serves other programs"},
		{"simbank to central", imports, "central/bank/simbank/a.go", `package simbank; import _ "galla/central"`, "another party's program"},
		{"bank to network", imports, "central/bank/a.go", `package bank; import _ "galla/central/bank/network"`, ""},
		{"into deploy", imports, "edge/daemon/a.go", `package daemon; import _ "galla/deploy/local/supervise"`, "imports go from the outside in"},
		{"deploy sees all", imports, "deploy/test/sim/a_test.go", `package sim; import (_ "galla/edge/daemon"; _ "galla/central/server")`, ""},
		{"composition", imports, "central/server/a.go", `package server; import (_ "galla/central/httpapi"; _ "galla/central/bank/network")`, ""},
		{"fiber elsewhere", imports, "central/uplink/a.go", `package uplink; import _ "github.com/gofiber/fiber/v2/utils"`, "only in central/httpapi"},
		{"unknown module", imports, "central/httpapi/a.go", `package httpapi; import _ "example.org/clever"`, "the module has no line"},
		{"test module in code", imports, "edge/queue/a.go", `package queue; import _ "pgregory.net/rapid"`, "serves tests only"},
		{"test module in test", imports, "edge/queue/a_test.go", `package queue; import _ "pgregory.net/rapid"`, ""},
		{"new package", imports, "central/attic/a.go", `package attic`, "has no layer"},
		{"old json", imports, "central/httpapi/a.go", `package httpapi; import _ "encoding/json"`, "duplicate keys"},
		{"own randomness", imports, "central/a.go", `package central; import _ "crypto/rand"`, "main chooses"},
		{"randomness in a test", imports, "central/a_test.go", `package central; import _ "crypto/rand"`, ""},
		{"log", imports, "edge/a.go", `package edge; import _ "log"`, "slog.Logger"},

		{"fasthttp of fiber's choice", pins, "go.mod", "module galla\nrequire (\n\tgithub.com/valyala/fasthttp v1.51.0 // indirect\n)\n", "request-smuggling"},
		{"fasthttp", pins, "go.mod", "module galla\nrequire github.com/valyala/fasthttp v1.77.0\n", ""},

		{"long file", sizes, "shared/op/a.go", "package op\n" + strings.Repeat("//\n", 500), "more than 500"},
		{"long test", sizes, "shared/op/a_test.go", "package op\n" + strings.Repeat("//\n", 999), ""},
		{"longer test", sizes, "shared/op/a_test.go", "package op\n" + strings.Repeat("//\n", 1000), "more than 1000"},
		{"long function", sizes, "shared/op/a.go", "package op\nfunc f() {\n" + strings.Repeat("\tf()\n", 69) + "}\n", "name its steps"},
		{"wide interface", sizes, "shared/op/a.go", "package op\ntype a interface {\n\tb\n" + methodsOf("()\n", 8) + "}\ntype b interface {\n" + methodsOf("(int)\n", 8) + "}\n", "split it by user"},

		{"an address as a text", addresses, "edge/cmd/galla-edge/a.go", "package main\ntype c struct {\n\tAddr string `env:\"GALLA_COUNTER_ADDR\"`\n}", "make it a settings.Address"},
		{"an address", addresses, "edge/cmd/galla-edge/a.go", "package main\ntype c struct {\n\tAddr settings.Address `env:\"GALLA_COUNTER_ADDR\"`\n}", ""},
		{"an address past the flags", addresses, "edge/a.go", "package edge\nvar a = os.Getenv(\"GALLA_ADMIN_ADDR\")", "read past the flags"},
		{"a name of the table", nameFields, "central/api/a.go", "package api\nfunc f() { in.Name(\"city\", field.Must, 100) }", ""},
		{"a name of none", nameFields, "central/api/a.go", "package api\nfunc f() { in.Name(\"nickname\", field.Must, 100) }", "which shared/printable does not know"},

		{"drawer", names, "edge/util/a.go", "package util", "collects unrelated code"},
		{"no comment", comments, "edge/queue/a.go", "package queue", "no package comment"},
		{"comment of another name", comments, "edge/queue/a.go", "// Package cue is.\npackage queue", "go doc wants"},
		{"comment", comments, "edge/queue/a.go", "// Package queue is.\npackage queue", ""},
		{"build line only", comments, "edge/queue/a.go", "//go:build linux\n\npackage queue", "no package comment"},
		{"init", inits, "edge/a.go", "package edge\nfunc init() {}", "runs without a call"},
		{"method init", inits, "edge/a.go", "package edge\ntype t int\nfunc (t) init() {}", ""},
		{"sleep", sleeps, "edge/a.go", "package edge\nfunc f() { time.Sleep(1) }", "cannot be cancelled"},
		{"sleep in a test", sleeps, "edge/a_test.go", "package edge\nfunc f() { time.Sleep(1) }", ""},
		{"note", leftovers, "README.md", "all good\n" + word + " later", "README.md:2"},
		{"mask is no note", leftovers, "README.md", "XXXXXXXX1234", ""},
		{"machine path", leftovers, "Makefile", "cp /wor" + "k/main/x y", "absolute path"},

		{"file that is not there", citedFiles, "edge/a.go", "// See queue/gone.go.\npackage edge", "queue/gone.go, which does not exist"},
		{"document that is not there", citedFiles, "edge/a.go", "package edge // as gone.md says", "gone.md, which does not exist"},
		{"file beside it", citedFiles, "edge/a.go", "// See a.go.\npackage edge", ""},
		{"file in code", citedFiles, "edge/a.go", "package edge\nconst name = \"gone.md\"", ""},
		{"section of nothing", citedSections, "edge/a.go", "// As in section 4.2,\n// it is.\npackage edge", "without its document"},
		{"section of a missing document", citedSections, "edge/a.go", "// As in gone.md,\n// section 4.2.\npackage edge", "deploy/docs/design/gone.md does not exist"},
		{"section of an RFC", citedSections, "edge/a.go", "// RFC 6749, section 4.4.\npackage edge", ""},
		{"own section", citedSections, "deploy/docs/design/a.md", "## 4. B\n\n### 4.2 C\n\nsee sections 4 and\n4.2", ""},
		{"own missing section", citedSections, "deploy/docs/design/a.md", "### 4.2 C\n\nsee section 4.3", "has no section 4.3"},

		{"assigned", state, "edge/a.go", "package edge\nvar n = 1\nfunc f() { n = 2 }", "changes the package variable n"},
		{"counted", state, "edge/a.go", "package edge\nvar n = 1\nfunc f() { n++ }", "changes the package variable n"},
		{"filled", state, "edge/a.go", "package edge\nvar m = map[int]int{}\nfunc f() { m[1] = 2 }", "changes the package variable m"},
		{"deleted", state, "edge/a.go", "package edge\nvar m = map[int]int{}\nfunc f() { delete(m, 1) }", "changes the package variable m"},
		{"address", state, "edge/a.go", "package edge\nvar n = 1\nfunc f() *int { return &n }", "changes the package variable n"},
		{"field", state, "edge/a.go", "package edge\nvar c = conf{}\nfunc f() { c.a.b = 2 }", "changes the package variable c"},
		{"lock", state, "edge/a.go", "package edge\nimport \"sync\"\nvar once = sync.OnceValue(f)\nfunc f() int { return 1 }", "holds a lock"},
		{"no value", state, "edge/a.go", "package edge\nvar n int", "waits to be assigned"},
		{"made", state, "edge/a.go", "package edge\nvar m = make(map[int]int)", "waits to be filled"},
		{"table", state, "edge/a.go", "package edge\nvar m = map[int]int{1: 2}\nfunc f() int { return m[1] }", ""},
		{"own name", state, "edge/a.go", "package edge\nvar m = map[int]int{1: 2}\nfunc f() { m := 1; m++ }", ""},
		{"embedded", state, "edge/a.go", "package edge\nimport \"embed\"\n//go:embed x\nvar files embed.FS", ""},
		{"proof", state, "edge/a.go", "package edge\nvar _ error = (*t)(nil)\ntype t struct{ error }", ""},

		{"rename", renames, "edge/a.go", "package edge\nfunc f() error { return os.Rename(a, b) }", "lost in a power cut"},
		{"link", renames, "edge/a.go", "package edge\nfunc f() error { return os.Link(a, b) }", "lost in a power cut"},
		{"rename and sync", renames, "edge/a.go", "package edge\nfunc f() error { return errors.Join(os.Rename(a, b), files.SyncFolder(c)) }", ""},
		{"rename handed on", renames, "edge/a.go", "package edge\nfunc f() error { return files.WriteAtomic(a, b, 0o600, os.Rename) }", ""},

		{"kill", kills, "edge/a_test.go", "package edge\nfunc f() error { return syscall.Kill(0, 9) }", "whole group"},
		{"signal", kills, "edge/a_test.go", "package edge\nfunc f() error { return files.Signal(0, os.Kill) }", ""},

		{"reveal", revealCalls, "edge/a.go", "package edge\nfunc f(k key) { g(k.Reveal()) }", "edge/a.go:2"},
		{"reveal in a test", revealCalls, "edge/a_test.go", "package edge\nfunc f(k key) { g(k.Reveal()) }", ""},
		{"resident", aadhaarNumbers, "edge/a.go", "package edge\nconst c = \"" + number + "\"", "XXXXXXXX7058"},
		{"resident in a test", aadhaarNumbers, "edge/a_test.go", "package edge\nconst c = \"" + number + "\"", ""},
		{"cash elsewhere", cash, "edge/ui/dayend/a.go", "package dayend\nfunc f(r record) bool { return r.CashGivenAt.IsZero() }", "a fact of the drawer"},
		{"charge elsewhere", cash, "edge/ui/aeps/a.go", "package aeps\nfunc f(r record) string { return r.Value(\"charge\") }", "take what an operation did"},
		{"entry elsewhere", cash, "edge/printing/receipt/a.go", "package receipt\nvar e = cashbook.Entry{}", "edge/cashbook"},
		{"cash in its package", cash, "edge/cashbook/a.go", "package cashbook\nfunc f(r record) bool { return r.CashGivenAt.IsZero() }", ""},
		{"cash by the cashbook", cash, "edge/ui/dayend/a.go", "package dayend\nfunc f(r record) (a, b int) { return cashbook.Sum(cashbook.Of(r)) }", ""},
		{"no resident", aadhaarNumbers, "edge/a.go", "package edge\nconst c = \"999941057059 c0000000-0000-4000-8000-000000000001\"", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := parseRepo(map[string]string{c.path: c.src})
			if err != nil {
				t.Fatal(err)
			}
			got := c.rule(h)
			switch {
			case c.want == "" && len(got) > 0:
				t.Errorf("in order, but: %s", strings.Join(got, "\n"))
			case c.want != "" && len(got) != 1:
				t.Errorf("want one sentence with %q, got %d: %s", c.want, len(got), strings.Join(got, "\n"))
			case c.want != "" && !strings.Contains(got[0], c.want):
				t.Errorf("want %q in: %s", c.want, got[0])
			}
		})
	}
}

// methodsOf gives n methods with names of one letter.
func methodsOf(after string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("\t" + string(rune('A'+i)) + after)
	}
	return b.String()
}
