package docs

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/licensecheck"
	"golang.org/x/mod/modfile"
)

// keepers says who keeps the modules that begin so. The longest beginning counts.
var keepers = map[string]string{
	"github.com/johannesboyne/gofakes3":  "Johannes Boyne",
	"github.com/minio/minio-go/v7":       "MinIO, Inc.",
	"github.com/BurntSushi/toml":         "Andrew Gallant and others",
	"github.com/alecthomas/kong":         "Alec Thomas",
	"github.com/boombuler/barcode":       "Florian Sundermann",
	"github.com/chromedp/":               "the chromedp project",
	"github.com/getkin/kin-openapi":      "the kin-openapi project",
	"github.com/go-json-experiment/json": "authors of Go's encoding/json/v2",
	"github.com/go-text/typesetting":     "the go-text project",
	"github.com/gofiber/fiber":           "the Fiber project",
	"github.com/gofrs/flock":             "the Gofrs group",
	"github.com/golang-jwt/jwt":          "the golang-jwt group",
	"github.com/google/":                 "Google",
	"github.com/gorilla/websocket":       "the Gorilla project",
	"github.com/jackc/pgx":               "Jack Christensen",
	"github.com/kardianos/service":       "Daniel Theophanes",
	"github.com/mattn/go-sqlite3":        "Yasuhiro Matsumoto; SQLite itself, in it, by its own team",
	"github.com/nicksnyder/go-i18n":      "Nick Snyder",
	"github.com/pquerna/otp":             "Paul Querna",
	"github.com/pressly/goose":           "Pressly, Michael Fridman",
	"github.com/prometheus/":             "Prometheus (CNCF)",
	"github.com/secure-systems-lab/":     "Secure Systems Lab, New York University",
	"github.com/sigstore/":               "Sigstore (OpenSSF)",
	"github.com/standard-webhooks/":      "the Standard Webhooks committee",
	"github.com/tarm/serial":             "nobody since 2018",
	"github.com/theupdateframework/":     "The Update Framework (CNCF)",
	"github.com/valyala/fasthttp":        "Aliaksandr Valialkin, Erik Dubbelboer",
	"github.com/yuin/goldmark":           "Yusuke Inuzuka",
	"go.etcd.io/bbolt":                   "etcd (CNCF)",
	"go.opentelemetry.io/":               "OpenTelemetry (CNCF)",
	"go.uber.org/goleak":                 "Uber",
	"golang.org/x/":                      "the Go team",
	"google.golang.org/protobuf":         "Google",
	"gopkg.in/natefinch/lumberjack.v2":   "Nate Finch",
	"gotest.tools/gotestsum":             "the gotest.tools group",
	"honnef.co/go/tools":                 "Dominik Honnef",
	"pgregory.net/rapid":                 "Gregory Petrosyan",
}

// toolModules says why a tool of go.mod is there; no code imports it.
var toolModules = map[string]string{
	"gotest.tools/gotestsum": "tool: runs the tests, and once more those that may be flaky",
	"honnef.co/go/tools":     "tool: staticcheck, in `make checks`",
}

// allowedLicences let a bank use, change and pass on the programs, if the notices stay.
// MPL-2.0 asks for the source of changed files of the module itself, and we change none.
var allowedLicences = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0", "Unlicense", "Zlib"}

// noLicence are endings of files that are called so and say nothing of the code: sources,
// and the licence of a module's documents.
var noLicence = []string{".go", ".docs"}

// licenceFile matches the files of a module's first folder that have its licence.
var licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)\b`)

// leastCover is the percentage of a licence file's words that must be a known licence.
const leastCover = 75

// licencesOf gives the licences of a module in its folder of the module cache.
func licencesOf(folder string) (found []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) || slices.Contains(noLicence, filepath.Ext(e.Name())) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		cover := licensecheck.Scan(text)
		if cover.Percent < leastCover {
			return nil, fmt.Errorf("%.0f %% of %s are a licence that is known: read it", cover.Percent, e.Name())
		}
		for _, m := range cover.Match {
			if !m.IsURL {
				found = append(found, m.ID)
			}
		}
	}
	slices.Sort(found)
	if found = slices.Compact(found); found == nil {
		return nil, errors.New("it has no file of a licence")
	}
	return found, nil
}

// checkLicences says which licence is not allowed.
func checkLicences(licences []string) error {
	for _, l := range licences {
		if !slices.Contains(allowedLicences, l) {
			return fmt.Errorf("its licence %s is not among those that are allowed: %s", l, strings.Join(allowedLicences, ", "))
		}
	}
	return nil
}

func command(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = "../.."
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args[:2], " "), err, errs.String())
	}
	return out
}

// reasons gives why each module may be imported, as shared/archtest says it.
func reasons(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../shared/archtest/layers_test.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name != "modules" {
			return true
		}
		for _, line := range spec.Values[0].(*ast.CompositeLit).Elts {
			cells := line.(*ast.CompositeLit).Elts
			name, err1 := strconv.Unquote(cells[0].(*ast.BasicLit).Value)
			text, err2 := strconv.Unquote(cells[2].(*ast.BasicLit).Value)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			why[name] = text
		}
		return false
	})
	return why
}

// longest gives the value whose key is the longest beginning of a name, and the key.
func longest(all map[string]string, name string) (key, value string) {
	for k, v := range all {
		if begins := name == k || strings.HasPrefix(name, strings.TrimSuffix(k, "/")+"/"); begins && len(k) > len(key) {
			key, value = k, v
		}
	}
	return key, value
}

// throughWhich gives the direct module, or the tool's, whose packages bring each module.
func throughWhich(t *testing.T, direct map[string]string, indirect []string) map[string]string {
	t.Helper()
	through := map[string]string{}
	var module string
	lines := bufio.NewScanner(bytes.NewReader(command(t, append([]string{"mod", "why", "-vendor", "-m"}, indirect...)...)))
	for lines.Scan() {
		line := lines.Text()
		if name, isHead := strings.CutPrefix(line, "# "); isHead {
			module = name
		} else if first, _ := longest(direct, line); first != "" && through[module] == "" {
			through[module] = "`" + first + "`"
		}
	}
	return through
}

// TestDependenciesPage: dependencies.md has every module of go.mod, why it is there or
// through which, who keeps it and its licence, which is one of those that are allowed.
func TestDependenciesPage(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(command(t, "mod", "download", "-json"))); ; {
		var m struct{ Path, Dir string }
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		folders[m.Path] = m.Dir
	}
	why, direct := reasons(t), map[string]string{}
	var indirect []string
	for _, r := range file.Require {
		_, reason := longest(why, r.Mod.Path)
		if reason = cmp.Or(toolModules[r.Mod.Path], reason); r.Indirect && toolModules[r.Mod.Path] == "" {
			indirect = append(indirect, r.Mod.Path)
			continue
		}
		if direct[r.Mod.Path] = reason; reason == "" {
			t.Errorf("%s: nobody says why it is there: add it to modules in shared/archtest/layers_test.go, or if it is a tool to toolModules here", r.Mod.Path)
		}
	}
	through := throughWhich(t, direct, indirect)
	var ours, theirs []string
	for _, r := range file.Require {
		name := r.Mod.Path
		licences, err := licencesOf(folders[name])
		if err == nil {
			err = checkLicences(licences)
		}
		if err != nil {
			t.Errorf("%s %s: %v", name, r.Mod.Version, err)
		}
		licence := strings.Join(licences, ", ")
		reason, isDirect := direct[name]
		if !isDirect {
			theirs = append(theirs, fmt.Sprintf("| `%s` | %s | %s |\n", name, cmp.Or(through[name], "tests of other modules; in no program"), licence))
			continue
		}
		_, keeper := longest(keepers, name)
		if keeper == "" {
			t.Errorf("%s: who keeps it? Add a line to keepers", name)
		}
		ours = append(ours, fmt.Sprintf("| `%s` | %s | %s | %s |\n", name, reason, keeper, licence))
	}
	holdTable(t, "dependencies.md", "Used by Galla's code", ours)
	holdTable(t, "dependencies.md", "Brought by others", theirs)
}

// TestLicences: a licence that is unknown, missing or not allowed is refused.
func TestLicences(t *testing.T) {
	const isc = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby
granted, provided that the above copyright notice and this permission notice appear in all copies. THE SOFTWARE IS
PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES
OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR
CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF
CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`
	for name, c := range map[string]struct {
		file, text, want string
	}{
		"allowed":     {"LICENSE.md", isc, ""},
		"none":        {"README.md", isc, "no file of a licence"},
		"own words":   {"COPYING", "Whoever pays us may read this program on Sundays, and nobody may change it or pass it on.", "read it"},
		"not allowed": {"LICENCE", "This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version.", "is not among"},
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		licences, err := licencesOf(folder)
		if err == nil {
			err = checkLicences(licences)
		}
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: %v, %v, want %q", name, licences, err, c.want)
		}
	}
}
