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
// TestStories runs the first example and the story of each language beside a fresh sandbox,
// and looks at the bank's books afterwards. Most of a story's time is waiting, so they run
// beside each other.
func TestStories(t *testing.T) {
	t.Parallel()
	told := 0
	for _, l := range Languages() {
		if l.Story == "" || missing(t, l) {
			continue
		}
		told++
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			tellStory(t, l)
		})
	}
	if told == 0 {
		t.Fatal("no language has a story")
	}
}

// tellStory runs the story of a language.
func tellStory(t *testing.T, l Language) {
	t.Helper()
	var script strings.Builder
	script.WriteString("curl -s http://127.0.0.1:7300/books/balance/999971658847 > before\n")
	if l.First != "" {
		fmt.Fprintf(&script, "%s > first.out 2>&1 || { cat first.out; exit 1; }\ngrep -q '^give 500.00; GL' first.out || { cat first.out; exit 1; }\n", shellWords(program(t, l, Language.FirstProgram)))
	}
	fmt.Fprintf(&script, "%s > story.out 2>&1 || { cat story.out; exit 1; }\ncat story.out\n", shellWords(program(t, l, Language.StoryProgram)))
	script.WriteString("echo '@@ books'\ncat before; echo; curl -s http://127.0.0.1:7300/books/balance/999971658847; echo; curl -s http://127.0.0.1:7300/books/trial\n")
	said, books, _ := strings.Cut(inSandbox(t, script.String()), "@@ books\n")
	if want := strings.Join(story, "\n"); strings.TrimSpace(said) != want {
		t.Errorf("it tells\n%s\nwant\n%s", said, want)
	}
	if found := secretText.FindString(said); found != "" {
		t.Errorf("it prints %.6s…", found)
	}
	checkBooks(t, books)
}

// checkBooks compares the customer's balance before and after, and the trial balance.
func checkBooks(t *testing.T, said string) {
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
	// A story pays out 100.00 and 100.94 through two doors.
	if moved, want := paise(lines[0])-paise(lines[1]), 2*(100_00+100_94); moved != want {
		t.Errorf("the customer's account moved by %d paise, not by %d", moved, want)
	}
	var debits, credits int
	if _, err := fmt.Sscanf(lines[2], `{"debitsPaise":%d,"creditsPaise":%d}`, &debits, &credits); err != nil || debits != credits || debits == 0 {
		t.Errorf("the books do not balance: %s (%v)", lines[2], err)
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
