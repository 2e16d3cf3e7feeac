//go:build linux

package installtest

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/installers"
)

// artefacts are what one build hands out.
func artefacts(version string) []string {
	return slices.Sorted(slices.Values([]string{
		"SHA256SUMS",
		"galla-central-" + version + "-1.x86_64.rpm", "galla-central_" + version + "_amd64.deb", "galla-central.cdx.json",
		"galla-edge-" + version + "-1.x86_64.rpm", "galla-edge_" + version + "_amd64.deb", "galla-edge.cdx.json",
		"galla-edge-" + version + "-linux-amd64", "galla-release-" + version + "-linux-amd64", "galla-release.cdx.json",
		"provenance.json", "galla-edge-" + version + "-setup.exe", "galla-edge-" + version + ".exe", "galla-edge-windows.cdx.json",
	}))
}

// TestSameBytes: two copies of one commit, in two folders, under another time
// zone and another mask of new files, make the same bytes, signatures included.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	first, next, again := sums(t, dist(t, "first")), sums(t, dist(t, "next")), sums(t, dist(t, "again")) // others wait for the second
	if got := slices.Sorted(maps.Keys(first)); !slices.Equal(got, artefacts(older)) {
		t.Errorf("made %v, want %v", got, artefacts(older))
	}
	for name, sum := range first {
		if again[name] != sum {
			t.Errorf("%s differs between two runs on one commit", name)
		}
	}
	if got := slices.Sorted(maps.Keys(next)); !slices.Equal(got, artefacts(newer)) {
		t.Errorf("made %v, want %v", got, artefacts(newer))
	}
}

// TestSums: the list of sums names every other file, and holds.
func TestSums(t *testing.T) {
	t.Parallel()
	folder := dist(t, "first")
	if _, err := tool(folder, nil, "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"); err != nil {
		t.Error(err)
	}
	list, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for line := range strings.Lines(string(list)) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		named = append(named, name)
	}
	if want := slices.DeleteFunc(artefacts(older), func(s string) bool { return s == "SHA256SUMS" }); !slices.Equal(slices.Sorted(slices.Values(named)), want) {
		t.Errorf("sums of %v, want of %v", named, want)
	}
}

// unpack gives the program of a deb.
func unpack(t *testing.T, deb, program string) string {
	t.Helper()
	need(t, "dpkg-deb", "dpkg")
	folder := t.TempDir()
	if _, err := tool(folder, nil, "dpkg-deb", "--extract", deb, folder); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "usr", "bin", program)
}

func badMoment(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	return err != nil
}

// TestContents: the list of what is inside names every module that the program
// itself tells, in its version, and nothing else.
func TestContents(t *testing.T) {
	t.Parallel()
	folder := dist(t, "first")
	for list, program := range map[string]string{
		"galla-central":      unpack(t, filepath.Join(folder, "galla-central_"+older+"_amd64.deb"), installers.Central),
		"galla-edge":         unpack(t, filepath.Join(folder, "galla-edge_"+older+"_amd64.deb"), installers.Edge),
		"galla-edge-windows": filepath.Join(folder, "galla-edge-"+older+".exe"),
		"galla-release":      filepath.Join(folder, "galla-release-"+older+"-linux-amd64"),
	} {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"std": info.GoVersion}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			want[m.Path] = m.Version
		}
		text, err := os.ReadFile(filepath.Join(folder, list+".cdx.json"))
		if err != nil {
			t.Fatal(err)
		}
		var bom struct {
			BOMFormat, SpecVersion string
			Metadata               struct {
				Timestamp string
				Component struct{ Name, Version, PURL string }
			}
			Components []struct{ Type, Name, Version, PURL string }
		}
		if err := json.Unmarshal(text, &bom); err != nil {
			t.Fatalf("%s: %v", list, err)
		}
		if bom.BOMFormat != "CycloneDX" || bom.SpecVersion == "" || badMoment(bom.Metadata.Timestamp) ||
			bom.Metadata.Component.Name != "galla" || bom.Metadata.Component.Version != "v"+older {
			t.Errorf("%s is %+v", list, bom.Metadata)
		}
		got := map[string]string{}
		for _, c := range bom.Components {
			if c.Type != "library" || !strings.HasPrefix(c.PURL, "pkg:golang/") {
				t.Errorf("%s: component %+v", list, c)
			}
			got[c.Name] = c.Version
		}
		want["std"] = strings.Replace(want["std"], "go", "v", 1)
		got["std"] = strings.Replace(got["std"], "go", "v", 1)
		if len(want) < 10 || !maps.Equal(got, want) {
			t.Errorf("%s names\n%v\nand the program has\n%v", list, got, want)
		}
	}
}

// TestProvenance: the publishers sign where the files come from, lists of contents
// included, and a file verifies by that; a changed one does not.
func TestProvenance(t *testing.T) {
	t.Parallel()
	built := dist(t, "first")
	work := t.TempDir()
	folder := filepath.Join(work, "dist")
	if _, err := tool(work, nil, "cp", "-a", built, folder); err != nil {
		t.Fatal(err)
	}
	release := func(args ...string) (string, error) {
		return tool(work, nil, filepath.Join(folder, "galla-release-"+older+"-linux-amd64"), args...)
	}
	must := func(args ...string) string {
		t.Helper()
		text, err := release(args...)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	keys := filepath.Join(work, "keys")
	passphrase := filepath.Join(work, "passphrase")
	if err := os.WriteFile(passphrase, []byte("five words that nobody guesses"), 0o600); err != nil {
		t.Fatal(err)
	}
	must("--keys", keys, "--passphrase-file", passphrase, "init")
	root := filepath.Join(work, "root.json")
	if err := os.WriteFile(root, []byte(must("root")), 0o600); err != nil {
		t.Fatal(err)
	}
	must("--keys", keys, "--passphrase-file", passphrase, "attest", folder)
	var files []string
	for _, name := range artefacts(older) {
		if name != "SHA256SUMS" && name != "provenance.json" {
			files = append(files, filepath.Join(folder, name))
		}
	}
	commit, err := tool(filepath.Join(filepath.Dir(built), "tree"), nil, "git", "rev-parse", "HEAD")
	if err != nil && os.Getenv("GALLA_DIST") == "" {
		t.Fatal(err)
	}
	text := must(append([]string{"verify", "--root", root}, files...)...)
	if got := strings.Count(text, " is of release "+older+", made from commit "+strings.TrimSpace(commit)); got != len(files) {
		t.Errorf("of %d files %d were verified:\n%s", len(files), got, text)
	}
	list := filepath.Join(folder, "galla-edge.cdx.json")
	if err := os.WriteFile(list, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := release("verify", "--root", root, list); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("a list that was changed: %s, %v", text, err)
	}
}

// TestVersion: the version of a commit, by its tags.
func TestVersion(t *testing.T) {
	folder := t.TempDir()
	script := filepath.Join(folder, "installers", "version.sh")
	if err := copyFile(filepath.Join(cache.root, "installers", "version.sh"), script); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) {
		t.Helper()
		if _, err := tool(folder, nil, "git", append([]string{"-c", "user.name=Test", "-c", "user.email=test@galla.invalid"}, args...)...); err != nil {
			t.Fatal(err)
		}
	}
	version := func(want string) {
		t.Helper()
		got, err := tool(folder, nil, script)
		if err != nil || got != want+"\n" {
			t.Errorf("version %q, %v, want %s", got, err, want)
		}
	}
	commit := func() { t.Helper(); git("commit", "-q", "--allow-empty", "-m", "A step.") }
	if _, err := tool(folder, []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(folder)}, script); err == nil {
		t.Error("there is a version where there is no repository")
	}
	git("init", "-q")
	commit()
	commit()
	version("0.0.0-dev.2")
	git("tag", "v1.2.3")
	version("1.2.3")
	commit()
	version("1.2.4-dev.1")
	git("tag", "v1.3.0-rc.1")
	version("1.3.0-rc.1")
	commit()
	version("1.3.0-rc.1.1")
	git("tag", "-a", "-m", "Released.", "v1.3.0")
	version("1.3.0")
}

// signed holds a program's signature against a certificate.
func signed(t *testing.T, program, cert string) {
	t.Helper()
	text, err := tool(filepath.Dir(program), nil, "osslsigncode", "verify", "-CAfile", cert, "-in", program)
	if err != nil || !strings.Contains(text, "Signature verification: ok") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestSigned: program and setup verify against the signer's certificate, and
// against no other; a changed byte is noticed. (The uninstaller is looked at
// where it is unpacked, by the setup.)
func TestSigned(t *testing.T) {
	t.Parallel()
	need(t, "osslsigncode", "osslsigncode")
	folder := dist(t, "first")
	_, cert := signerFiles(filepath.Dir(folder))
	other := filepath.Join(t.TempDir(), "other.crt")
	if _, err := tool(t.TempDir(), nil, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=Somebody",
		"-addext", "extendedKeyUsage=codeSigning", "-keyout", other+".key", "-out", other); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"galla-edge-" + older + ".exe", "galla-edge-" + older + "-setup.exe"} {
		program := filepath.Join(folder, name)
		signed(t, program, cert)
		if _, err := tool(folder, nil, "osslsigncode", "verify", "-CAfile", other, "-in", program); err == nil {
			t.Errorf("%s verifies against somebody else's certificate", name)
		}
		text, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		text[len(text)/2] ^= 1
		changed := filepath.Join(t.TempDir(), "changed.exe")
		if err := os.WriteFile(changed, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := tool(folder, nil, "osslsigncode", "verify", "-CAfile", cert, "-in", changed); err == nil {
			t.Errorf("a byte of %s was changed, and it verifies", name)
		}
	}
}

// TestSignedByToken: the key is in a token (PKCS#11), and leaves it never.
func TestSignedByToken(t *testing.T) {
	t.Parallel()
	need(t, "softhsm2-util", "softhsm2 libengine-pkcs11-openssl")
	folder := dist(t, "first")
	key, cert := signerFiles(filepath.Dir(folder))
	work := t.TempDir()
	tokens := filepath.Join(work, "tokens")
	settings := filepath.Join(work, "softhsm2.conf")
	pinFile := filepath.Join(work, "pin")
	if err := os.Mkdir(tokens, 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{settings: "directories.tokendir = " + tokens + "\n", pinFile: "246813"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{
		"SOFTHSM2_CONF=" + settings, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", time.Now().Unix()),
		"SIGN_PKCS11_MODULE=/usr/lib/softhsm/libsofthsm2.so", "SIGN_CERT=" + cert, "SIGN_KEY=pkcs11:token=galla;object=signer", "SIGN_PASS_FILE=" + pinFile,
	}
	for _, args := range [][]string{
		{"--init-token", "--free", "--label", "galla", "--pin", "246813", "--so-pin", "135792"},
		{"--import", key, "--token", "galla", "--label", "signer", "--id", "01", "--pin", "246813"},
	} {
		if _, err := tool(work, env, "softhsm2-util", args...); err != nil {
			t.Fatal(err)
		}
	}
	sign := filepath.Join(cache.root, "installers", "windows", "sign.sh")
	out, unsigned := filepath.Join(work, "signed.exe"), filepath.Join(work, "unsigned.exe")
	if _, err := tool(work, nil, "osslsigncode", "remove-signature", "-in", filepath.Join(folder, "galla-edge-"+older+".exe"), "-out", unsigned); err != nil {
		t.Fatal(err)
	}
	if _, err := tool(work, env, sign, unsigned, out); err != nil {
		t.Fatal(err)
	}
	signed(t, out, cert)
	if err := os.WriteFile(pinFile, []byte("000000"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tool(work, env, sign, unsigned, out); err == nil || strings.Contains(err.Error(), "000000") {
		t.Errorf("with a wrong PIN: %v", err)
	}
}
