//go:build linux

package sdk

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pack makes the packages of some languages into a folder, as `make sdk` does.
func pack(t *testing.T, languages ...string) string {
	t.Helper()
	out := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"run", "./deploy/sdk/pack", "-out", out}, languages...)...)
	cmd.Dir = filepath.Join("..", "..")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pack %v: %v\n%s", languages, err, text)
	}
	return out
}

// TestPartnersDay is a new partner's first day: an empty folder, the packed npm file, and a
// program of his own that withdraws, transfers, refunds, and takes a callback.
func TestPartnersDay(t *testing.T) {
	for _, l := range Languages() {
		if l.Name == "node" && missing(t, l) {
			t.Skip(l.Wants)
		}
	}
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("GALLA_WITHOUT_NEWMAN") != "" {
			t.Skip("GALLA_WITHOUT_NEWMAN is set")
		}
		t.Fatalf("%v: run deploy/tools/need.sh partner, or set GALLA_WITHOUT_NEWMAN=1 to leave it out", err)
	}
	files, err := filepath.Glob(filepath.Join(pack(t, "node"), "node", "galla-sdk-*.tgz"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v was packed: %v", files, err)
	}
	program, err := filepath.Abs(filepath.Join("testdata", "partner.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	said := inSandbox(t, buildSandbox(t), `
mkdir partner; cd partner
npm install --offline --no-audit --no-fund --silent `+files[0]+`
cp `+program+` day.mjs
export CLIENT_ID=merchant-lakshmi CLIENT_SECRET=sandbox-merchant-1
export API_KEY=vk_sandbox_sahyadri ENCRYPTION_KEY=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
node day.mjs
ls node_modules/@galla/sdk
`)
	want := "withdrawal: pending\nwithdrawal: success\ntransfer: success\nrefund: success\ncallback: SUCCESS\n"
	if !strings.HasPrefix(said, want) {
		t.Errorf("the day was\n%s\nwant\n%s", said, want)
	}
	for _, name := range []string{"README.md", "package.json", "src", "examples"} {
		if !strings.Contains(said, name+"\n") {
			t.Errorf("the package lacks %s", name)
		}
	}
	if strings.Contains(said, "test\n") {
		t.Error("the package has the tests of the SDK")
	}
}

// TestGoGet lets an empty module get the packed one, and build a program of it.
func TestGoGet(t *testing.T) {
	proxy, dir := filepath.Join(pack(t, "go"), "go"), t.TempDir()
	program := "package main\n\nimport galla \"galla.example/sdk\"\n\nfunc main() { println(galla.Version, galla.Rupees(11050).String()) }\n"
	for name, text := range map[string]string{"go.mod": "module partner.example/day\n\ngo 1.24\n", "main.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		// A module cache of its own, since the same version may have had other bytes before.
		cmd.Env = append(os.Environ(), "GOPROXY=file://"+proxy, "GONOSUMDB=galla.example", "GOFLAGS=-modcacherw", "GOMODCACHE="+filepath.Join(dir, "cache"), "GOTOOLCHAIN=local")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("get", "galla.example/sdk@latest")
	if out := run("run", "."); !strings.HasSuffix(strings.TrimSpace(out), " 110.50") {
		t.Errorf("the program prints %q", out)
	}
}
