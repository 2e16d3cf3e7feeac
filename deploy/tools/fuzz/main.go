package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	each := flag.Duration("for", 10*time.Second, "how long each target runs")
	only := flag.String("only", "", "a regular expression of targets; empty: all")
	corpus := flag.Int("corpus", 0, "how many inputs of each target to keep in testdata/fuzz")
	root := flag.String("root", ".", "the repository")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *root, *only, *each, *corpus, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

// target is a fuzz target.
type target struct {
	folder, name string // the folder is relative to the repository
	module       string // the folder of its module
}

// result is what came of one.
type result struct {
	target
	executions, found, kept int64
	failed                  string // empty: it did not
}

var declared = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// targets finds all fuzz targets below a folder, in order.
func targets(root string, only *regexp.Regexp) (list []target, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != root || entry.Name() == "build" || entry.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, m := range declared.FindAllSubmatch(text, -1) {
			if only.Match(m[1]) {
				list = append(list, target{folder, string(m[1]), moduleOf(root, folder)})
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b target) int { return cmp.Or(cmp.Compare(a.folder, b.folder), cmp.Compare(a.name, b.name)) })
	return list, err
}

// moduleOf is the nearest folder above with a go.mod.
func moduleOf(root, folder string) string {
	for at := folder; at != "."; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(root, at, "go.mod")); err == nil {
			return at
		}
	}
	return "."
}

func run(ctx context.Context, root, only string, each time.Duration, corpus int, out io.Writer) error {
	chosen, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	list, err := targets(root, chosen)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errors.New("there is no such target")
	}
	fmt.Fprintln(out, "| target | executions | new inputs | kept | |\n|---|---|---|---|---|")
	var failed []string
	var all int64
	for _, t := range list {
		r := fuzz(ctx, root, t, each)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if corpus > 0 && r.failed == "" {
			if r.kept, err = keep(ctx, root, t, corpus); err != nil {
				return err
			}
		}
		all += r.executions
		fmt.Fprintf(out, "| `%s.%s` | %d | %d | %d | %s |\n", filepath.ToSlash(t.folder), t.name, r.executions, r.found, r.kept, r.failed)
		if r.failed != "" {
			failed = append(failed, t.name)
		}
	}
	fmt.Fprintf(out, "\n%d targets, %d executions\n", len(list), all)
	if len(failed) > 0 {
		return fmt.Errorf("%d targets failed: %s", len(failed), strings.Join(failed, ", "))
	}
	return nil
}

// fuzz runs one target.
func fuzz(ctx context.Context, root string, t target, each time.Duration) result {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", each.String(), ".")
	cmd.Dir = filepath.Join(root, t.folder)
	text, err := cmd.CombinedOutput()
	r := parse(text)
	r.target = t
	if err != nil && r.failed == "" {
		r.failed = "it did not run: " + lastLine(text)
	}
	return r
}

var (
	progress = regexp.MustCompile(`execs: (\d+) .*new interesting: (\d+)`)
	crasher  = regexp.MustCompile(`Failing input written to (\S+)`)
)

// parse reads what go test printed.
func parse(text []byte) (r result) {
	if all := progress.FindAllSubmatch(text, -1); len(all) > 0 {
		last := all[len(all)-1]
		r.executions, _ = strconv.ParseInt(string(last[1]), 10, 64) // digits only
		r.found, _ = strconv.ParseInt(string(last[2]), 10, 64)
	}
	if m := crasher.FindSubmatch(text); m != nil {
		r.failed = "fails on " + string(m[1])
	} else if bytes.Contains(text, []byte("--- FAIL")) {
		r.failed = "fails on its seeds"
	}
	return r
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// maxKept bounds a kept input, in bytes: a corpus is read by people, too.
const maxKept = 2000

// keep copies the shortest inputs that go test found into the package's corpus, so that it has
// at most most of them, and returns how many it has.
func keep(ctx context.Context, root string, t target, most int) (int64, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOCACHE")
	cache, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("find the cache of go: %w", err)
	}
	cmd = exec.CommandContext(ctx, "go", "list", ".")
	cmd.Dir = filepath.Join(root, t.folder)
	name, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("name the package %s: %w", t.folder, err)
	}
	from := filepath.Join(strings.TrimSpace(string(cache)), "fuzz", strings.TrimSpace(string(name)), t.name)
	to := filepath.Join(root, t.folder, "testdata", "fuzz", t.name)
	return keepShortest(from, to, most)
}

func keepShortest(from, to string, most int) (int64, error) {
	known, err := os.ReadDir(to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	found, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	texts := map[string][]byte{}
	var names []string
	for _, entry := range found {
		text, err := os.ReadFile(filepath.Join(from, entry.Name()))
		if err != nil {
			return 0, err
		}
		if len(text) <= maxKept {
			texts[entry.Name()], names = text, append(names, entry.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(texts[a]), len(texts[b])), cmp.Compare(a, b)) })
	kept := int64(len(known))
	for _, name := range names {
		if kept >= int64(most) {
			break
		}
		path := filepath.Join(to, name)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := os.MkdirAll(to, 0o755); err != nil {
			return kept, err
		}
		if err := os.WriteFile(path, texts[name], 0o644); err != nil {
			return kept, err
		}
		kept++
	}
	return kept, nil
}
