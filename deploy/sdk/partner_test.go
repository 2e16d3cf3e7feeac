//go:build linux

package sdk

import (
	"fmt"
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

// install is how a partner gets a language's package without a network, and runs the
// README's first example with it: commands for an empty folder. $PACK is what was packed,
// $EXAMPLES the folder of the example, which is no part of the package's library.
var install = map[string]string{
	"python": `
pip() { PYTHON -m pip --disable-pip-version-check --no-cache-dir "$@"; }
pip install --quiet --no-index --no-deps --target site "$PACK"/galla_sdk-*.whl
cp "$EXAMPLES/withdraw.py" "$EXAMPLES/sandbox.py" .
PYTHONPATH=site PYTHON withdraw.py`,
	"php": `
export COMPOSER_HOME=$PWD/home COMPOSER_ALLOW_SUPERUSER=1 COMPOSER_DISABLE_NETWORK=1
composer config --global repositories.packagist.org false
composer init --quiet --no-interaction --name partner/day
composer config repositories.galla artifact "$PACK"
composer require --quiet --no-interaction galla/sdk
cp "$EXAMPLES/sandbox.php" .
sed "s|/../autoload.php|/vendor/autoload.php|" "$EXAMPLES/withdraw.php" > withdraw.php
php withdraw.php`,
	"java": `
jar=$(ls "$PACK"/example/galla/galla-sdk/*/galla-sdk-*.jar | grep -v sources)
cp "$EXAMPLES/Withdraw.java" "$EXAMPLES/Sandbox.java" .
javac -encoding UTF-8 -cp "$jar" -d classes Withdraw.java Sandbox.java
java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$jar:classes" Withdraw`,
}

// TestPartnersDay is a new partner's first day: an empty folder, the packed file of a
// language, no network but the sandbox's, and a program. In Node the program is one of his
// own that withdraws, transfers, refunds, and takes a callback; elsewhere the README's.
func TestPartnersDay(t *testing.T) {
	t.Parallel()
	var names []string
	for _, l := range Languages() {
		if (l.Name == "node" || install[l.Name] != "") && !missing(t, l) {
			names = append(names, l.Name)
		}
	}
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("GALLA_WITHOUT_NEWMAN") != "" {
			t.Skip("GALLA_WITHOUT_NEWMAN is set")
		}
		t.Fatalf("%v: run deploy/tools/need.sh partner, or set GALLA_WITHOUT_NEWMAN=1 to leave it out", err)
	}
	packed := pack(t, names...)
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, name := range names {
		commands := install[name]
		if name == "node" {
			commands = nodesDay
		}
		commands = strings.ReplaceAll(commands, "PYTHON ", python()+" ")
		fmt.Fprintf(&script, "echo '@@ %[1]s'\nmkdir %[1]s\n(cd %[1]s; PACK=%[2]s/%[1]s EXAMPLES=%[3]s/%[1]s/examples SDK=%[3]s\n%[4]s\n)\n", name, packed, here, commands)
	}
	for _, part := range strings.Split(inSandbox(t, script.String()), "@@ ")[1:] {
		name, said, _ := strings.Cut(part, "\n")
		if name == "node" {
			checkNodesDay(t, said)
		} else if !strings.Contains(said, "success\ngive 500.00; GL") {
			t.Errorf("with the package of %s the example prints\n%s", name, said)
		}
	}
}

// nodesDay is the day of a partner who uses Node.
const nodesDay = `
npm install --offline --no-audit --no-fund --silent "$PACK"/galla-sdk-*.tgz
cp "$SDK/testdata/partner.mjs" day.mjs
export CLIENT_ID=merchant-lakshmi CLIENT_SECRET=sandbox-merchant-1
export API_KEY=vk_sandbox_sahyadri ENCRYPTION_KEY=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
node day.mjs
ls node_modules/@galla/sdk`

func checkNodesDay(t *testing.T, said string) {
	t.Helper()
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
	t.Parallel()
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
