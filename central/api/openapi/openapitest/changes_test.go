package openapitest

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// operationsOf lists the operations of a document as 'POST /aeps/withdrawal', without
// their mirrors at the gateway.
func operationsOf(t *testing.T, text []byte) (version string, operations []string) {
	t.Helper()
	var doc struct {
		Info struct {
			Version string `json:"version"`
		} `json:"info"`
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for method := range maps.Keys(methods) {
			if !strings.HasPrefix(path, "/process/") {
				operations = append(operations, strings.ToUpper(method)+" "+path)
			}
		}
	}
	return doc.Info.Version, operations
}

// unnamed lists the operations that are new and are not in the page's section of the
// version, or says that there is no such section.
func unnamed(page, version string, released, present []string) []string {
	_, section, ok := strings.Cut(page, "\n## "+version+"\n")
	if !ok {
		return []string{"there is no section " + version}
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var missing []string
	for _, o := range present {
		if !slices.Contains(released, o) && !strings.Contains(section, "`"+o+"`") {
			missing = append(missing, o)
		}
	}
	return missing
}

// TestChangesAreNamed: the page of changes has a section for the document's version,
// which names every operation that the last release has not. What breaks programs,
// deploy/tools/compat finds.
func TestChangesAreNamed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "deploy", "docs", "changes.md"))
	if err != nil {
		t.Fatal(err)
	}
	last, err := os.ReadFile(filepath.Join("..", "released.json"))
	if err != nil {
		t.Fatal(err)
	}
	_, released := operationsOf(t, last)
	version, present := operationsOf(t, document(t).JSON())
	for _, o := range unnamed(string(page), version, released, present) {
		t.Errorf("deploy/docs/changes.md, section %s: %s is missing", version, o)
	}
}

func TestUnnamed(t *testing.T) {
	const page = "# Changes\n\n## 1.1.0\n\n- `GET /b`\n\n## 1.0.0\n\n- `GET /c`\n"
	for _, tt := range []struct {
		version string
		present []string
		want    []string
	}{
		{"1.1.0", []string{"GET /a"}, nil},
		{"1.1.0", []string{"GET /a", "GET /b"}, nil},
		{"1.1.0", []string{"GET /a", "GET /c"}, []string{"GET /c"}},
		{"1.2.0", []string{"GET /a"}, []string{"there is no section 1.2.0"}},
	} {
		if got := unnamed(page, tt.version, []string{"GET /a"}, tt.present); !slices.Equal(got, tt.want) {
			t.Errorf("%s, %v: %v; want %v", tt.version, tt.present, got, tt.want)
		}
	}
}
