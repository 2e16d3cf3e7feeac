package docs

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// updatePages writes the tables of settings.md and metrics.md anew.
var updatePages = flag.Bool("update", false, "write the tables of settings.md and metrics.md anew")

// settingsOf gives the rows of the settings that structs of a file declare.
func settingsOf(t *testing.T, file string, structs ...string) (rows []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "../../"+file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			spec, ok := s.(*ast.TypeSpec)
			if !ok || !slices.Contains(structs, spec.Name.Name) {
				continue
			}
			for _, f := range spec.Type.(*ast.StructType).Fields.List {
				rows = append(rows, settingRow(t, f)...)
			}
		}
	}
	if len(rows) == 0 {
		t.Fatalf("%s declares no setting in %v", file, structs)
	}
	return rows
}

// settingRow gives the row of a field, if it is a setting.
func settingRow(t *testing.T, f *ast.Field) []string {
	t.Helper()
	if f.Tag == nil || len(f.Names) != 1 {
		return nil
	}
	text, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		t.Fatal(err)
	}
	tag := reflect.StructTag(text)
	variable := cmp.Or(tag.Get("env"), tag.Get("setting"))
	if variable == "" {
		return nil
	}
	value := "none"
	if d := tag.Get("default"); d != "" {
		value = "`" + d + "`"
	} else if m := regexp.MustCompile(`by default (\d+[a-z]*)\b`).FindStringSubmatch(tag.Get("help")); m != nil {
		value = "`" + m[1] + "`"
	} else if strings.Contains(tag.Get("help"), "by default ") {
		value = "as described"
	}
	name := cmp.Or(tag.Get("name"), dashed(f.Names[0].Name))
	return []string{fmt.Sprintf("| `%s` | `%s` | %s | %s |\n", name, variable, value, strings.ReplaceAll(tag.Get("help"), "|", `\|`))}
}

// dashed is the flag of a field: AdminAddr is admin-addr.
func dashed(field string) string {
	parts := regexp.MustCompile(`([A-Z])([A-Z][a-z])|([a-z])([A-Z])`).ReplaceAllString(field, "$1$3-$2$4")
	return strings.ToLower(parts)
}

// holdTable compares a table of a page with its rows, or writes it anew.
func holdTable(t *testing.T, page, heading string, rows []string) {
	t.Helper()
	slices.Sort(rows)
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	section := strings.Index(string(raw), "\n## "+heading+"\n")
	if section < 0 {
		t.Fatalf("%s has no section %q", page, heading)
	}
	rule := regexp.MustCompile(`\n(?:\|-+)+\|\n`).FindStringIndex(string(raw[section:]))
	if rule == nil {
		t.Fatalf("%s has no table under %q", page, heading)
	}
	begin := section + rule[1]
	end := begin + len(regexp.MustCompile(`^(?:\|.*\n)*`).FindString(string(raw[begin:])))
	want := strings.Join(rows, "")
	if string(raw[begin:end]) == want {
		return
	}
	if !*updatePages {
		t.Errorf("the table under %q of %s is old: go test ./deploy/docs -run %s -update, and read the difference", heading, page, t.Name())
		return
	}
	if err := os.WriteFile(page, []byte(string(raw[:begin])+want+string(raw[end:])), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSettingsPage: settings.md has every setting of both programs, as they declare it.
func TestSettingsPage(t *testing.T) {
	central := settingsOf(t, "central/cmd/galla-central/main.go", "cli", "runCommand")
	central = append(central, settingsOf(t, "central/server/load.go", "Load")...)
	central = append(central, settingsOf(t, "central/server/reports.go", "Reports")...)
	traces := settingsOf(t, "shared/telemetry/config.go", "Settings")
	counter := settingsOf(t, "edge/cmd/galla-edge/main.go", "cli", "runCmd")
	if len(central) < 40 || len(counter) < 8 {
		t.Errorf("%d settings of the central and %d of the counter were found", len(central), len(counter))
	}
	holdTable(t, "settings.md", "Of the central", append(central, traces...))
	holdTable(t, "settings.md", "Of the counter", append(counter, traces...))
}

// declaredMetric matches a metric as the sources declare it: its kind, name, help and labels.
var declaredMetric = regexp.MustCompile(`\b(gauge|counter|histogram|describe)\((?:w\.registry, )?"([a-z_]+)", ("(?:[^"\\]|\\.)*")([^\n]*)\)`)

// TestMetricsPage: metrics.md has every metric that the sources declare.
func TestMetricsPage(t *testing.T) {
	var rows []string
	label := regexp.MustCompile(`"([a-z]+)"`)
	for _, folder := range []string{"../../central/server", "../../central/telemetry"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil || files == nil {
			t.Fatalf("no sources in %s: %v", folder, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range declaredMetric.FindAllStringSubmatch(string(text), -1) {
				help, err := strconv.Unquote(m[3])
				if err != nil {
					t.Fatal(err)
				}
				var labels []string
				for _, l := range label.FindAllStringSubmatch(m[4], -1) {
					labels = append(labels, "`"+l[1]+"`")
				}
				rows = append(rows, fmt.Sprintf("| `galla_%s` | %s | %s |\n", m[2], strings.Join(labels, ", "), strings.ReplaceAll(help, "|", `\|`)))
			}
		}
	}
	if len(rows) < 60 {
		t.Errorf("%d metrics were found", len(rows))
	}
	holdTable(t, "metrics.md", "All metrics", rows)
}
