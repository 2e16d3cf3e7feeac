package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestParse reads what go test prints.
func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		text       string
		executions int64
		found      int64
		failed     string
	}{
		"good":    {"fuzz: elapsed: 0s, gathering baseline coverage: 0/3 completed\nfuzz: elapsed: 3s, execs: 100 (33/sec), new interesting: 2 (total: 5)\nfuzz: elapsed: 6s, execs: 420 (106/sec), new interesting: 7 (total: 10)\nPASS\n", 420, 7, ""},
		"crash":   {"fuzz: elapsed: 3s, execs: 12 (4/sec), new interesting: 0 (total: 1)\n--- FAIL: FuzzX (0.02s)\n    Failing input written to testdata/fuzz/FuzzX/582528ddfad69eb5\n", 12, 0, "fails on testdata/fuzz/FuzzX/582528ddfad69eb5"},
		"seeds":   {"--- FAIL: FuzzX (0.00s)\n    --- FAIL: FuzzX/seed#0 (0.00s)\nFAIL\n", 0, 0, "fails on its seeds"},
		"nothing": {"", 0, 0, ""},
	} {
		if r := parse([]byte(c.text)); r.executions != c.executions || r.found != c.found || r.failed != c.failed {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestTargets finds the targets of this repository, with their modules.
func TestTargets(t *testing.T) {
	list, err := targets("../../..", regexp.MustCompile(""))
	if err != nil || len(list) < 80 {
		t.Fatalf("%d targets, %v", len(list), err)
	}
	for _, want := range []target{{"edge/ui/upi", "FuzzLink", "."}, {filepath.FromSlash("deploy/sdk/go"), "FuzzReply", filepath.FromSlash("deploy/sdk/go")}} {
		if !slices.Contains(list, want) {
			t.Errorf("%+v was not found", want)
		}
	}
}

// TestRun fuzzes a module with a target that passes and one that fails.
func TestRun(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module fuzzed\n\ngo 1.26\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc FuzzGood(f *testing.F) {\n\tf.Add([]byte(\"x\"))\n\tf.Fuzz(func(t *testing.T, b []byte) {\n\t\tif len(b) > 2 && b[0] == 'g' {\n\t\t\tt.Log(b)\n\t\t}\n\t})\n}\n",
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc FuzzBad(f *testing.F) {\n\tf.Add([]byte(\"x\"))\n\tf.Fuzz(func(t *testing.T, b []byte) {\n\t\tif len(b) > 1 {\n\t\t\tt.Fatal(\"too long\")\n\t\t}\n\t})\n}\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("CGO_ENABLED", "0")
	var out bytes.Buffer
	err := run(context.Background(), root, "", time.Second, 3, &out)
	if err == nil || err.Error() != "1 targets failed: FuzzBad" {
		t.Errorf("run: %v\n%s", err, out.String())
	}
	for _, want := range []string{"| `a.FuzzGood` | ", "| `b.FuzzBad` | ", "fails on testdata/fuzz/FuzzBad/", "2 targets, "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, out.String())
		}
	}
	if err := run(context.Background(), root, "FuzzNone", time.Second, 0, &out); err == nil {
		t.Error("no target is a success")
	}
}

// TestKeepShortest keeps the shortest inputs, and what is there.
func TestKeepShortest(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "corpus")
	for name, size := range map[string]int{"long": 50, "short": 5, "middle": 20, "huge": maxKept + 1} {
		if err := os.WriteFile(filepath.Join(from, name), bytes.Repeat([]byte("x"), size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		most int
		want string
	}{{2, "middle short"}, {2, "middle short"}, {9, "long middle short"}} {
		if n, err := keepShortest(from, to, c.most); err != nil || n != int64(len(strings.Fields(c.want))) {
			t.Errorf("kept %d, %v", n, err)
		}
		list, err := os.ReadDir(to)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, entry := range list {
			names = append(names, entry.Name())
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("it has %s, want %s", got, c.want)
		}
	}
}
