package archtest

import (
	"strings"
	"testing"
)

// TestRulesBite shows each rule a small house that breaks it, and one beside it
// that does not: a rule that finds nothing anywhere is no rule.
func TestRulesBite(t *testing.T) {
	const (
		word   = "FIX" + "ME"
		number = "99994105" + "7058"
	)
	for _, c := range []struct {
		name string
		rule func(*house) []string
		path string
		src  string
		want string // part of the one sentence; empty: the house is in order
	}{
		{"root to shared", imports, "edge/a.go", `package edge; import _ "galla/shared/op"`, ""},
		{"edge to central", imports, "edge/uplink/a.go", `package uplink; import _ "galla/central"`, "meet only on the wire"},
		{"central to edge", imports, "central/door/a.go", `package door; import _ "galla/edge/queue"`, "meet only on the wire"},
		{"edge's test to central", imports, "edge/uplink/a_test.go", `package uplink; import _ "galla/central/uplink"`, "meet only on the wire"},
		{"neighbours", imports, "central/door/a.go", `package door; import _ "galla/central/store"`, "Neighbours never import each other"},
		{"neighbours in a test", imports, "central/door/a_test.go", `package door; import _ "galla/central/store"`, ""},
		{"root to neighbour", imports, "central/a.go", `package central; import _ "galla/central/store"`, "root of a half declares interfaces"},
		{"root to module", imports, "central/a.go", `package central; import _ "github.com/gofiber/fiber/v2"`, "no third-party imports"},
		{"shared to a half", imports, "shared/op/a.go", `package op; import _ "galla/edge"`, "must know neither"},
		{"rdservice to shared", imports, "rdservice/a.go", `package rdservice; import _ "galla/shared/money"`, "stands by itself"},
		{"simbank to central", imports, "central/bank/simbank/a.go", `package simbank; import _ "galla/central"`, "may import only"},
		{"bank to network", imports, "central/bank/a.go", `package bank; import _ "galla/central/bank/network"`, ""},
		{"into deploy", imports, "edge/daemon/a.go", `package daemon; import _ "galla/deploy/local/supervise"`, "does not look at deploy"},
		{"deploy sees all", imports, "deploy/sim/a_test.go", `package sim; import (_ "galla/edge/daemon"; _ "galla/central/server")`, ""},
		{"composition", imports, "central/server/a.go", `package server; import (_ "galla/central/door"; _ "galla/central/bank/network")`, ""},
		{"fiber elsewhere", imports, "central/uplink/a.go", `package uplink; import _ "github.com/gofiber/fiber/v2/utils"`, "only in central/door"},
		{"unknown module", imports, "central/door/a.go", `package door; import _ "example.org/clever"`, "a module without a line"},
		{"test module in code", imports, "edge/queue/a.go", `package queue; import _ "pgregory.net/rapid"`, "serves tests only"},
		{"test module in test", imports, "edge/queue/a_test.go", `package queue; import _ "pgregory.net/rapid"`, ""},
		{"new room", imports, "central/attic/a.go", `package attic`, "new room without a line"},
		{"old json", imports, "central/door/a.go", `package door; import _ "encoding/json"`, "duplicate keys"},
		{"own randomness", imports, "central/a.go", `package central; import _ "crypto/rand"`, "main chooses"},
		{"randomness in a test", imports, "central/a_test.go", `package central; import _ "crypto/rand"`, ""},
		{"log", imports, "edge/a.go", `package edge; import _ "log"`, "slog.Logger"},

		{"fasthttp of fiber's choice", pins, "go.mod", "module galla\nrequire (\n\tgithub.com/valyala/fasthttp v1.51.0 // indirect\n)\n", "request-smuggling"},
		{"fasthttp", pins, "go.mod", "module galla\nrequire github.com/valyala/fasthttp v1.69.0\n", ""},

		{"small package", sizes, "edge/queue/a.go", "package queue\n", "fewer than 200"},
		{"large package", sizes, "edge/queue/a.go", pile(300, 9), "more than 2500"},
		{"long file", sizes, "shared/op/a.go", "package op\n" + strings.Repeat("//\n", 500), "more than 500"},
		{"long test", sizes, "shared/op/a_test.go", "package op\n" + strings.Repeat("//\n", 999), ""},
		{"longer test", sizes, "shared/op/a_test.go", "package op\n" + strings.Repeat("//\n", 1000), "more than 1000"},
		{"long function", sizes, "shared/op/a.go", "package op\nfunc f() {\n" + strings.Repeat("\tf()\n", 69) + "}\n", "name its steps"},
		{"wide interface", sizes, "shared/op/a.go", "package op\ntype a interface {\n\tb\n" + letters("()\n", 8) + "}\ntype b interface {\n" + letters("(int)\n", 8) + "}\n", "split it by user"},

		{"an address as a text", addresses, "edge/cmd/galla-edge/a.go", "package main\ntype c struct {\n\tAddr string `env:\"GALLA_COUNTER_ADDR\"`\n}", "make it a settings.Address"},
		{"an address", addresses, "edge/cmd/galla-edge/a.go", "package main\ntype c struct {\n\tAddr settings.Address `env:\"GALLA_COUNTER_ADDR\"`\n}", ""},
		{"an address past the flags", addresses, "edge/a.go", "package edge\nvar a = os.Getenv(\"GALLA_ADMIN_ADDR\")", "read past the flags"},
		{"a name of the table", nameFields, "central/dmt/a.go", "package dmt\nfunc f() { in.Name(\"city\", form.Must, 100) }", ""},
		{"a name of none", nameFields, "central/dmt/a.go", "package dmt\nfunc f() { in.Name(\"nickname\", form.Must, 100) }", "which shared/printable does not know"},

		{"drawer", names, "edge/util/a.go", "package util", "collects whatever"},
		{"no comment", comments, "edge/queue/a.go", "package queue", "no package comment"},
		{"comment of another name", comments, "edge/queue/a.go", "// Package cue is.\npackage queue", "go doc wants"},
		{"comment", comments, "edge/queue/a.go", "// Package queue is.\npackage queue", ""},
		{"build line only", comments, "edge/queue/a.go", "//go:build linux\n\npackage queue", "no package comment"},
		{"init", inits, "edge/a.go", "package edge\nfunc init() {}", "runs unseen"},
		{"method init", inits, "edge/a.go", "package edge\ntype t int\nfunc (t) init() {}", ""},
		{"sleep", sleeps, "edge/a.go", "package edge\nfunc f() { time.Sleep(1) }", "cannot be cancelled"},
		{"sleep in a test", sleeps, "edge/a_test.go", "package edge\nfunc f() { time.Sleep(1) }", ""},
		{"note", leftovers, "README.md", "all good\n" + word + " later", "README.md:2"},
		{"mask is no note", leftovers, "README.md", "XXXXXXXX1234", ""},
		{"machine path", leftovers, "Makefile", "cp /wor" + "k/main/x y", "absolute path"},

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

		{"reveal", reveals, "edge/a.go", "package edge\nfunc f(k key) { g(k.Reveal()) }", "edge/a.go:2"},
		{"reveal in a test", reveals, "edge/a_test.go", "package edge\nfunc f(k key) { g(k.Reveal()) }", ""},
		{"resident", residents, "edge/a.go", "package edge\nconst c = \"" + number + "\"", "XXXXXXXX7058"},
		{"resident in a test", residents, "edge/a_test.go", "package edge\nconst c = \"" + number + "\"", ""},
		{"cash elsewhere", cash, "edge/till/a.go", "package till\nfunc f(r record) bool { return r.CashGiven.IsZero() }", "a fact of the drawer"},
		{"charge elsewhere", cash, "edge/screen/a.go", "package screen\nfunc f(r record) string { return r.Value(\"charge\") }", "take what an operation did"},
		{"entry elsewhere", cash, "edge/receipt/a.go", "package receipt\nvar e = cashbook.Entry{}", "edge/cashbook"},
		{"cash in its room", cash, "edge/cashbook/a.go", "package cashbook\nfunc f(r record) bool { return r.CashGiven.IsZero() }", ""},
		{"cash by the cashbook", cash, "edge/till/a.go", "package till\nfunc f(r record) (a, b int) { return cashbook.Sum(cashbook.Of(r)) }", ""},
		{"no resident", residents, "edge/a.go", "package edge\nconst c = \"999941057059 c0000000-0000-4000-8000-000000000001\"", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			texts := map[string]string{}
			for i, src := range strings.Split(c.src, nextFile) {
				texts[strings.Replace(c.path, ".go", strings.Repeat("x", i)+".go", 1)] = src
			}
			got := c.rule(parseHouse(t, texts))
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

// nextFile parts the files of a made-up package.
const nextFile = "\f"

// pile is a package of n files of so many lines each.
func pile(lines, n int) string {
	one := "package queue\n" + strings.Repeat("//x\n", lines-1)
	return strings.TrimSuffix(strings.Repeat(one+nextFile, n), nextFile)
}

// letters gives n methods with names of one letter.
func letters(after string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("\t" + string(rune('A'+i)) + after)
	}
	return b.String()
}
