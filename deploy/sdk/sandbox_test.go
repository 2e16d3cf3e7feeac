//go:build linux

package sdk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// sandboxPrograms are those of a fresh sandbox.
var sandboxPrograms = []string{"./central/cmd/galla-central", "./central/cmd/galla-bank", "./rdservice/cmd/galla-rdsim"}

// startedSandbox begins every script in a sandbox: processes and a network of its own, where
// the sandbox's ports are free, and a callback for the first merchant on port 7400. The
// bank's times are a twentieth.
const startedSandbox = `set -eu -o pipefail
ip link set lo up
export GALLA_DATA=$PWD/data GALLA_SANDBOX=1 GALLA_BANK_TIME_SCALE=0.05 GALLA_BANK_TIMEOUT=2s
export GALLA_BANK_NETWORK_ADDR=http://127.0.0.1:7301 GALLA_RDSIM_ADDR=http://127.0.0.1:11100
mkdir "$GALLA_DATA"
galla-rdsim > rdsim.log 2>&1 < /dev/null &
galla-bank > bank.log 2>&1 < /dev/null &
galla-central run > central.log 2>&1 < /dev/null &
answers() { for _ in $(seq 900); do "$@" > /dev/null 2>&1 && return 0; sleep 0.1; done; echo "not ready: $*" >&2; exit 1; }
answers curl -s http://127.0.0.1:11100/
answers curl -s http://127.0.0.1:7300/books/trial
answers galla-central health
GALLA_CALLBACK_SECRET=$(galla-central callback set --sandbox c0000000-0000-4000-8000-000000000001 http://127.0.0.1:7400/galla | grep -o 'whsec_[A-Za-z0-9+/=]*')
export GALLA_CALLBACK_SECRET
`

// maxSandbox bounds a script in a sandbox.
const maxSandbox = 10 * time.Minute

// buildSandbox builds the sandbox's programs into a folder, once for all tests.
var buildSandbox = sync.OnceValues(func() (bin string, err error) {
	for _, need := range []string{"unshare", "ip", "curl", "bash"} {
		if _, err := exec.LookPath(need); err != nil {
			return "", fmt.Errorf("%s is missing: apt-get install util-linux iproute2 curl bash", need)
		}
	}
	if bin, err = os.MkdirTemp(shared, "sandbox"); err != nil {
		return "", err
	}
	build := exec.Command("go", append([]string{"build", "-buildvcs=false", "-ldflags=-s -w", "-o", bin + "/"}, sandboxPrograms...)...)
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the sandbox: %w: %s", err, out)
	}
	return bin, nil
})

// inSandbox runs a script of bash beside a fresh sandbox, in an empty folder, and gives what
// it printed. A script that fails ends the test, with the logs.
func inSandbox(t *testing.T, script string) string {
	t.Helper()
	bin, err := buildSandbox()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "script.sh")
	if err := os.WriteFile(file, []byte(startedSandbox+script), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), maxSandbox)
	defer cancel()
	cmd := exec.CommandContext(ctx, "unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "bash", file)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	if err == nil {
		return string(out)
	}
	said := string(out)
	logs, _ := filepath.Glob(filepath.Join(dir, "*.log"))
	for _, log := range logs {
		if text, err := os.ReadFile(log); err == nil {
			said += "\n--- " + filepath.Base(log) + "\n" + string(text[max(0, len(text)-3000):])
		}
	}
	t.Fatalf("%v\n%s", errors.Join(err, ctx.Err()), said)
	return ""
}

// story is what each language's story prints.
var story = []string{
	"direct: a new remitter", "direct: withdraw 100.00: success", "direct: withdraw 100.51: declined, 51", "direct: withdraw 100.94: pending", "direct: withdraw 100.94: success",
	"direct: withdraw 1.005: ValidationError of TxnAmount", "direct: transfer 25.00: success", "direct: refund 25.00: success",
	"gateway: withdraw 100.00: success", "gateway: withdraw 100.51: declined, 51", "gateway: withdraw 100.94: pending", "gateway: withdraw 100.94: success",
	"gateway: withdraw 1.005: ValidationError of TxnAmount", "gateway: transfer 25.00: success", "gateway: refund 25.00: success",
	"direct: callback: SUCCESS", "gateway: callback: SUCCESS", "story: all right",
}

// secretText finds what no program may print: an Aadhaar number, a capture, and
// credentials of the sandbox.
var secretText = regexp.MustCompile(`\b[0-9]{12}\b|PidData|sandbox-merchant|whsec_|0001020304|eyJ`)

// TestReadmes: the README of each package shows its first example to the letter, which
// TestStories runs.
func TestReadmes(t *testing.T) {
	for _, l := range Languages() {
		if l.First == "" {
			continue
		}
		page, err := os.ReadFile(filepath.Join(l.Folder, "README.md"))
		if err != nil {
			t.Error(err)
			continue
		}
		file := l.First
		if l.Name == "go" {
			file += "/main.go"
		}
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(page), "\n"+strings.TrimSpace(string(text))+"\n```\n") {
			t.Errorf("deploy/sdk/%s/README.md does not show deploy/sdk/%s (%v)", l.Folder, file, err)
		}
	}
}

// TestStories runs the first example and the story of each language beside one fresh
// sandbox, and looks at the bank's books afterwards.
func TestStories(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	script.WriteString("curl -s http://127.0.0.1:7300/books/balance/999971658847 > before\n")
	told := 0
	for _, l := range Languages() {
		if l.Story == "" {
			continue
		}
		if missing(t, l) {
			continue
		}
		command := program(t, l, Language.StoryProgram)
		if l.First != "" {
			first := program(t, l, Language.FirstProgram)
			fmt.Fprintf(&script, "%s > first.out 2>&1 || { cat first.out; exit 1; }\ngrep -q '^give 500.00; GL' first.out || { cat first.out; exit 1; }\n", shellWords(first))
		}
		fmt.Fprintf(&script, "echo '@@ %s'\n%s > %s.out 2>&1 || { cat %[3]s.out; exit 1; }\ncat %[3]s.out\n", l.Name, shellWords(command), l.Name)
		told++
	}
	script.WriteString("echo '@@ books'\ncat before; echo; curl -s http://127.0.0.1:7300/books/balance/999971658847; echo; curl -s http://127.0.0.1:7300/books/trial\n")
	if told == 0 {
		t.Fatal("no language has a story")
	}
	parts := strings.Split(inSandbox(t, script.String()), "@@ ")
	for _, part := range parts[1 : len(parts)-1] {
		name, said, _ := strings.Cut(part, "\n")
		if want := strings.Join(story, "\n"); strings.TrimSpace(said) != want {
			t.Errorf("%s tells\n%s\nwant\n%s", name, said, want)
		}
		if found := secretText.FindString(said); found != "" {
			t.Errorf("%s prints %.6s…", name, found)
		}
	}
	checkBooks(t, parts[len(parts)-1], told)
}

// checkBooks compares the customer's balance before and after, and the trial balance.
func checkBooks(t *testing.T, said string, told int) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(said), "\n")
	rupees := regexp.MustCompile(`([0-9]+)\.([0-9]{2})`)
	paise := func(line string) (n int) {
		m := rupees.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("the books say %q", line)
		}
		_, _ = fmt.Sscan(m[1]+m[2], &n)
		return n
	}
	// Each story pays out 100.00 and 100.94 through two doors.
	if moved, want := paise(lines[1])-paise(lines[2]), told*2*(100_00+100_94); moved != want {
		t.Errorf("the customer's account moved by %d paise, not by %d", moved, want)
	}
	var debits, credits int
	if _, err := fmt.Sscanf(lines[3], `{"debitsPaise":%d,"creditsPaise":%d}`, &debits, &credits); err != nil || debits != credits || debits == 0 {
		t.Errorf("the books do not balance: %s (%v)", lines[3], err)
	}
}

// shellWords quotes a command.
func shellWords(command []string) string {
	quoted := make([]string, len(command))
	for i, word := range command {
		quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}
