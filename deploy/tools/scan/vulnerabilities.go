package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"golang.org/x/vuln/scan"
)

// database is the module that the Go vulnerability database is.
const database = "golang.org/x/vulndb"

// Names of Go itself in the database, whose version go.mod's line go has.
var goItself = []string{"stdlib", "toolchain"}

// extract is what vulnerabilities.json holds.
type extract struct {
	Source  string            `json:"source"`
	Licence string            `json:"licence"`
	From    map[string]string `json:"from"` // the lowest version of each module that it serves
	Entries []entry           `json:"entries"`
}

// entry is a vulnerability in OSV's form, as far as govulncheck reads it.
type entry struct {
	ID        string     `json:"id"`
	Modified  string     `json:"modified"`
	Withdrawn string     `json:"withdrawn,omitempty"`
	Aliases   []string   `json:"aliases,omitempty"`
	Summary   string     `json:"summary"`
	Affected  []affected `json:"affected"`
}

type affected struct {
	Package struct {
		Name      string `json:"name"`
		Ecosystem string `json:"ecosystem"`
	} `json:"package"`
	Ranges   []ranges        `json:"ranges"`
	Specific json.RawMessage `json:"ecosystem_specific,omitempty"`
}

type ranges struct {
	Type   string  `json:"type"`
	Events []event `json:"events"`
}

type event struct {
	Introduced string `json:"introduced,omitempty"`
	Fixed      string `json:"fixed,omitempty"`
}

// required gives the version of each module of go.mod, and of the Go that builds releases,
// which its line toolchain names.
func required() (map[string]string, error) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, r := range file.Require {
		all[r.Mod.Path] = r.Mod.Version
	}
	if file.Toolchain == nil {
		return nil, errors.New("go.mod has no line toolchain, which says by which Go releases are built")
	}
	for _, name := range goItself {
		all[name] = "v" + strings.TrimPrefix(file.Toolchain.Name, "go")
	}
	return all, nil
}

// of keeps what affects a module in its version of from or a later one.
func (e *entry) of(from map[string]string) bool {
	e.Affected = slices.DeleteFunc(e.Affected, func(a affected) bool {
		version, is := from[a.Package.Name]
		for _, r := range a.Ranges {
			last := ""
			for _, e := range r.Events {
				last = e.Fixed // none after the last time that it came in
			}
			if is && (last == "" || semver.Compare("v"+last, version) > 0) {
				return false
			}
		}
		return true
	})
	return len(e.Affected) > 0 && e.Withdrawn == ""
}

// renewVulnerabilities makes vulnerabilities.json anew from the newest database.
func renewVulnerabilities(ctx context.Context) error {
	text, err := goCommand(ctx, []string{"GOFLAGS=-mod=mod"}, "mod", "download", "-json", database+"@latest")
	if err != nil {
		return err
	}
	var module struct{ Dir, Version, Sum string }
	if err := json.Unmarshal(text, &module); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(module.Dir, "data", "osv", "*.json"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("%s %s has no vulnerabilities: %w", database, module.Version, errors.Join(err, errors.ErrUnsupported))
	}
	from, err := required()
	if err != nil {
		return err
	}
	x := extract{Source: database + " " + module.Version + " " + module.Sum, Licence: "CC BY 4.0, the Go authors; made shorter by deploy/tools/scan", From: from}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var e entry
		if err := json.Unmarshal(text, &e); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if e.of(from) {
			x.Entries = append(x.Entries, e)
		}
	}
	if text, err = json.MarshalIndent(x, "", "\t"); err != nil {
		return err
	}
	fmt.Printf("%s: %d of %d vulnerabilities concern go.mod\n", x.Source, len(x.Entries), len(files))
	return os.WriteFile(vulnerabilities, append(text, '\n'), 0o644)
}

// serves tells whether the extract was made for the modules of go.mod.
func (x *extract) serves(modules map[string]string) error {
	var errs []error
	for name, version := range modules {
		if from, is := x.From[name]; !is || semver.Compare(from, version) > 0 {
			errs = append(errs, fmt.Errorf("%s was made for %s %s, and go.mod has %s: make vulnerabilities", vulnerabilities, name, cmp.Or(from, "(none)"), version))
		}
	}
	return errors.Join(errs...)
}

// unpack writes the entries to a folder as govulncheck reads a database.
func (x *extract) unpack(folder string) error {
	for _, e := range x.Entries {
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, e.ID+".json"), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// runGovulncheck gives the vulnerabilities whose functions the programs call.
func runGovulncheck(ctx context.Context) ([]finding, error) {
	text, err := os.ReadFile(vulnerabilities)
	if err != nil {
		return nil, err
	}
	var x extract
	if err := json.Unmarshal(text, &x); err != nil {
		return nil, fmt.Errorf("%s: %w", vulnerabilities, err)
	}
	modules, err := required()
	if err != nil {
		return nil, err
	}
	if err := x.serves(modules); err != nil {
		return nil, err
	}
	return x.scan(ctx, ".", modules[goItself[0]], programs...)
}

// scan runs govulncheck in a folder on some packages, with the extract's entries alone, as if
// a version of Go built them: a machine of developers may have an older one.
func (x *extract) scan(ctx context.Context, dir, version string, packages ...string) ([]finding, error) {
	folder, err := os.MkdirTemp("", "galla-vulnerabilities-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if err := x.unpack(folder); err != nil {
		return nil, err
	}
	var out, errs bytes.Buffer
	cmd := scan.Command(ctx, append([]string{"-C", dir, "-db", "file://" + folder, "-format", "json"}, packages...)...)
	cmd.Env = append(os.Environ(), "GOVERSION=go"+strings.TrimPrefix(version, "v"))
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err = cmd.Start(); err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, errs.String())
	}
	return x.readFindings(&out)
}

// readFindings reads govulncheck's output; a vulnerability counts if a program calls it.
func (x *extract) readFindings(out io.Reader) ([]finding, error) {
	summaries := map[string]string{}
	for _, e := range x.Entries {
		summaries[e.ID] = e.Summary
	}
	seen := map[key]finding{}
	for d := json.NewDecoder(out); ; {
		var message struct {
			Finding *struct {
				OSV   string `json:"osv"`
				Fixed string `json:"fixed_version"`
				Trace []struct{ Module, Version, Package, Function, Receiver string }
			} `json:"finding"`
		}
		if err := d.Decode(&message); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		f := message.Finding
		if f == nil || len(f.Trace) == 0 || f.Trace[0].Function == "" {
			continue
		}
		at := f.Trace[0]
		symbol := strings.TrimPrefix(at.Receiver+"."+at.Function, ".")
		seen[key{f.OSV, at.Module}] = finding{rule: f.OSV, place: at.Module,
			what: fmt.Sprintf("%s (%s of %s %s is called; mended in %s)", summaries[f.OSV], symbol, at.Package, at.Version, cmp.Or(f.Fixed, "no version"))}
	}
	var found []finding
	for _, f := range seen {
		found = append(found, f)
	}
	return found, nil
}
