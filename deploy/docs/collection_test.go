//go:build linux

package docs

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"galla/central/api/openapi"
)

// npmTool gives the path of a program that deploy/tools/need.sh fetches by npm, or says
// what is missing.
func npmTool(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "build", "npm", "node_modules", ".bin", name))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err == nil {
		return path
	}
	if os.Getenv("GALLA_WITHOUT_NEWMAN") != "" {
		t.Skip("GALLA_WITHOUT_NEWMAN is set")
	}
	t.Fatalf("%v: run deploy/tools/need.sh partner, or set GALLA_WITHOUT_NEWMAN=1 to leave it out", err)
	return ""
}

// playCollection plays the Postman collection with newman beside a fresh sandbox: every
// request is answered as it is documented.
func playCollection(t *testing.T, bin string) {
	newman, dir := npmTool(t, "newman"), t.TempDir()
	for name, text := range map[string][]byte{"collection.json": openapi.Collection(), "environment.json": openapi.Environment()} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, bin, "collection", []Block{{Page: "postman.json", Text: newman + " run " + dir + "/collection.json --environment " + dir + "/environment.json --color off --reporters cli,json --reporter-json-export " + dir + "/result.json\n"}})
	if t.Failed() {
		return
	}
	text, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	type count struct{ Total, Pending, Failed int }
	var result struct {
		Run struct {
			Stats    struct{ Items, Requests, Assertions, PrerequestScripts, TestScripts count }
			Failures []any
		}
	}
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	s, routes := result.Run.Stats, len(samplesOf(t, "Direct"))
	if s.Items.Total != routes || s.Assertions.Total < 2*routes || len(result.Run.Failures) > 0 || s.Assertions.Failed+s.PrerequestScripts.Failed+s.TestScripts.Failed+s.Requests.Failed > 0 {
		t.Errorf("of %d routes the collection has %d; %+v, %v", routes, s.Items.Total, s, result.Run.Failures)
	}
}

// TestRedocly: the linter finds neither an error nor a warning in the document, by its
// recommended rules, and finds what is wrong.
func TestRedocly(t *testing.T) {
	t.Parallel()
	redocly, dir := npmTool(t, "redocly"), t.TempDir()
	good, err := openapi.JSON()
	if err != nil {
		t.Fatal(err)
	}
	broken := bytes.Replace(good, []byte(`"operationId":"post_aeps_balance"`), []byte(`"operationId":"post_aeps_withdrawal"`), 1)
	for name, tt := range map[string]struct {
		text  []byte
		found bool
	}{"good": {good, false}, "broken": {broken, true}} {
		file := filepath.Join(dir, name+".json")
		if err := os.WriteFile(file, tt.text, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), redocly, "lint", "--extends", "recommended", "--format", "json", file)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		var result struct {
			Totals   struct{ Errors, Warnings, Ignored int }
			Problems []any
		}
		if wrong := json.Unmarshal(out, &result); wrong != nil {
			t.Fatalf("%v, %v: %s%s", err, wrong, out, errs.Bytes())
		}
		if found := result.Totals.Errors+result.Totals.Warnings+result.Totals.Ignored > 0; found != tt.found {
			t.Errorf("%s: %+v %v", name, result.Totals, result.Problems)
		}
	}
}
