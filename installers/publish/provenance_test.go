package publish

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

// commit is a revision of a source.
var commit = strings.Repeat("5e", 20)

// builtFolder is a folder of what was built, with its statement.
func builtFolder(t *testing.T, b Build) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"galla-edge_1.4.0_amd64.deb": "package", "galla-edge.cdx.json": "{}", sumsFile: "sums"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := MakeStatement(folder, b)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, StatementFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func goodBuild() Build {
	return Build{Version: "1.4.0", Revision: commit, Builder: "urn:galla:publisher", Tools: map[string]string{"go": "go1.26.10"}}
}

// TestAttest: two people sign the provenance one after the other; before both have, and for
// a file that is not in it, nothing verifies.
func TestAttest(t *testing.T) {
	first, second, _ := people(t)
	folder := builtFolder(t, goodBuild())
	envelope, deb := filepath.Join(folder, EnvelopeFile), filepath.Join(folder, "galla-edge_1.4.0_amd64.deb")
	r := open(t, first)
	for range 2 { // a person who signs again is counted once
		missing, err := r.Attest(folder)
		if err != nil || missing == nil || missing.Have != 1 || missing.Want != 2 {
			t.Fatalf("%+v, %v", missing, err)
		}
		if _, err := VerifyProvenance(envelope, r.Root()); err == nil {
			t.Fatal("one signature is enough")
		}
	}
	if missing, err := open(t, second).Attest(folder); err != nil || missing != nil {
		t.Fatalf("%+v, %v", missing, err)
	}
	s, err := VerifyProvenance(envelope, r.Root())
	if err != nil || s.Version() != "1.4.0" || s.Revision() != commit || len(s.Subject) != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	if err := s.Holds(deb); err != nil {
		t.Error(err)
	}
	if err := s.Holds(filepath.Join(folder, "galla-edge.cdx.json")); err != nil {
		t.Errorf("the list of contents: %v", err)
	}
	if err := os.WriteFile(deb, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Holds(deb); err == nil {
		t.Error("a file that was changed is good")
	}
	if _, err := VerifyProvenance(envelope, open(t, testRepository(t)).Root()); err == nil {
		t.Error("it verifies by the root of somebody else")
	}
}

// TestAttestRefuses: nobody signs what they have not, or what came from no commit.
func TestAttestRefuses(t *testing.T) {
	cfg := testRepository(t)
	modified := goodBuild()
	modified.Modified = true
	if _, err := open(t, cfg).Attest(builtFolder(t, modified)); err == nil || !strings.Contains(err.Error(), "in no commit") {
		t.Errorf("a modified source: %v", err)
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"changed":             {"galla-edge.cdx.json", "[]", "were changed"},
		"added":               {"galla-edge-1.4.0.exe", "x", "added"},
		"no statement":        {StatementFile, "{}", "no provenance"},
		"half a statement":    {StatementFile, "{", "the provenance of"},
		"signed by a nobody":  {EnvelopeFile, "", "0 hold"},
		"over something else": {EnvelopeFile, `{"payloadType": "` + payloadType + `", "payload": "e30=", "signatures": []}`, "another build"},
	} {
		folder := builtFolder(t, goodBuild())
		if c.text == "" {
			c.text = forged(t, folder)
		}
		if err := os.WriteFile(filepath.Join(folder, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, cfg).Attest(folder); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	bad := goodBuild()
	bad.Revision = "main"
	if _, err := MakeStatement(t.TempDir(), bad); err == nil {
		t.Error("a statement of no file and no commit")
	}
}

// forged is an envelope over the statement of a folder with a signature of no key.
func forged(t *testing.T, folder string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, StatementFile))
	if err != nil {
		t.Fatal(err)
	}
	e := dsse.Envelope{PayloadType: payloadType, Payload: base64.StdEncoding.EncodeToString(text), Signatures: []dsse.Signature{{KeyID: "x", Sig: "AAAA"}}}
	line, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// TestModulesOfAProgram: the modules and their sums are those of go.sum.
func TestModulesOfAProgram(t *testing.T) {
	program := filepath.Join(t.TempDir(), "galla-release")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "galla/installers/cmd/galla-release").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	modules, err := modulesOf([]string{program})
	if err != nil || len(modules) < 8 {
		t.Fatalf("%v, %v", modules, err)
	}
	sums, err := os.ReadFile(filepath.Join("..", "..", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(sums)) {
		f := strings.Fields(line)
		known[f[0]+"@"+f[1]+" "+f[2]] = true
	}
	for _, m := range modules {
		sum, err := hex.DecodeString(m.Digest["dirHash"])
		if err != nil || !known[strings.TrimPrefix(m.URI, "pkg:golang/")+" h1:"+base64.StdEncoding.EncodeToString(sum)] {
			t.Errorf("%+v is not in go.sum", m)
		}
	}
	if _, err := modulesOf([]string{filepath.Join("..", "dist.sh")}); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("a script is a program: %v", err)
	}
}
