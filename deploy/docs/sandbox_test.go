//go:build linux

package docs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pageWait bounds a page's commands: waits for the sandbox's bank and for a stop take
// seconds.
const pageWait = 4 * time.Minute

// programs are those that the pages' commands use.
var programs = []string{"./central/cmd/galla-central", "./central/cmd/galla-bank", "./central/cmd/galla-call", "./edge/cmd/galla-edge", "./installers/cmd/galla-release", "./rdservice/cmd/galla-rdsim"}

// manualBlocks are the console blocks, by page and first line, and why no test can run
// them.
var manualBlocks = map[string]string{
	"install.md: apt-get install ./galla-central":                                            "changes the machine; the installers' tests install the packages",
	"install.md: install -d -o galla-central":                                                "the account and its folder are the package's",
	"upgrade.md: apt-get install ./galla-central":                                            "changes the machine; the installers' tests upgrade a central with its books",
	"install.md: systemctl enable galla-central":                                             "changes the machine",
	"install.md: galla-edge-1.2.3-setup.exe /S":                                              "Windows; the installers' tests run the setup under Wine",
	"install.md: apt-get install ./galla-edge":                                               "changes the machine; the installers' tests install the packages",
	"install.md: apt-get remove galla-edge":                                                  "changes the machine; the installers' tests remove and purge the packages",
	"integrate.md: npm install ./galla-sdk":                                                  "needs the packed file; deploy/sdk's partner installs it in an empty folder",
	"dependencies.md: make vulnerabilities":                                                  "changes the tree by what the module proxy has today; make checks scans with what is there",
	"updates.md: rsync --recursive":                                                          "another machine",
	"updates.md: runuser -u galla-edge -- galla-edge --config /etc/galla/edge.toml releases": "the account is the package's; deploy/test/e2e gives the same orders",
	"enrol.md: runuser -u galla-edge":                                                        "the account is the package's",
	"console.md: ssh -N -L 7101":                                                             "needs another machine",
	"operate.md: systemd-run --pty --quiet --uid=galla-central":                              "the account and its settings are the package's",
	"operate.md: buildah build --format docker -f deploy/container/Containerfile":            "deploy/container builds it",
	"operate.md: kubectl -n galla create secret generic galla-keys":                          "no cluster; deploy/tools judges the manifests",
	"operate.md: kubectl -n galla delete job --ignore-not-found":                             "no cluster; deploy/tools judges the manifests",
	"operate.md: kubectl -n galla exec pod/NAME -- galla-central console":                    "no cluster",
	"operate.md: docker compose --profile sandbox up --detach":                               "no engine; deploy/tools judges the file",
	"capacity.md: make capacity":                                                             "four minutes, and it is a test itself",
	"recover.md: pg_basebackup":                                                              "another machine's PostgreSQL; deploy/ha's test makes a standby in this way",
	"ha.md: apt-get install":                                                                 "changes the machine",
	"ha.md: mkdir --parents /etc/galla-ha":                                                   "changes the machine; deploy/ha makes the same certificates",
	"ha.md: sed -e s/@NAME@/db1/":                                                            "changes the machine; deploy/ha replaces the same words",
	"ha.md: systemctl enable --now etcd":                                                     "changes the machine; deploy/ha starts the same programs",
	"ha.md: sudo -u postgres psql":                                                           "changes the machine; deploy/ha gives the same orders",
	"ha.md: patronictl -c /etc/patroni/config.yml list":                                      "needs the cluster; deploy/ha's test gives the same order",
	"ha.md: patronictl -c /etc/patroni/config.yml switchover":                                "needs the cluster; deploy/ha's test gives the same order",

	"counter.md: galla-rdsim --device":                                            "serves until it is stopped; deploy/test/e2e starts it in this way",
	"reconcile.md: galla-central reconcile propose":                               "asks two people for passwords and codes; deploy/test/contract does the same",
	"runbooks/stuck-operations.md: galla-central reconcile withdraw":              "asks two people for passwords and codes; the page's sandbox has two who give them, and they do the same",
	"runbooks/database-failover.md: patronictl -c /etc/patroni/config.yml list":   "needs the cluster; deploy/ha's test gives the same order",
	"runbooks/database-failover.md: systemctl restart patroni":                    "needs the cluster",
	"runbooks/database-failover.md: patronictl -c /etc/patroni/config.yml reinit": "needs the cluster",
}

// before is what has happened on the machine before somebody opens a page.
var before = map[string]string{
	"install.md": `
systemctl stop galla-central
printf 'program' > galla-central_1.2.3_amd64.deb
sha256sum galla-central_1.2.3_amd64.deb > SHA256SUMS
echo "$(printf x | sha256sum | cut -d' ' -f1)  galla-edge_1.2.3_amd64.deb" >> SHA256SUMS # of what was not downloaded
umask 022
`,
	"runbooks/stuck-operations.md": `
# One that was never executed and one that was, neither of them answered, and a bank
# that stands still before the central's first enquiries, which come a second later.
# Where the machine was too slow for that, once more. The enquiries stay without an
# answer until two people have decided.
bank=$(cat "$SANDBOX/galla-bank.pid")
for try in 1 2 3 4 5; do
	withdraw waits-$try-1 400.98 & first=$!
	until [ "$(grep -c 'amount=400.98' "$SANDBOX/galla-bank.log")" = $try ]; do sleep 0.05; done
	withdraw waits-$try-2 300.97 & second=$!
	until [ "$(grep -c 'amount=300.97' "$SANDBOX/galla-bank.log")" = $try ]; do sleep 0.05; done
	rm -f "settlement-$(day).csv"
	galla-bank settlement --date "$(day)" --out "settlement-$(day).csv" > /dev/null 2>&1
	kill -STOP "$bank"
	wait "$first" "$second"
	[ "$(galla-central operation waiting | grep -c -e ' 400.98 ' -e ' 300.97 ')" = 2 ] && break
	kill -CONT "$bank"
	until [ "$(galla-central operation waiting | grep -c CASH_WITHDRAWAL)" = 0 ]; do sleep 0.3; done
done
# proof FIRST AHEAD: the password and a code of one of the sandbox's people, whose
# factors count from a first byte on; of now, or of the next half minute.
proof() {
	local key=; for i in $(seq 0 19); do key+=$(printf %02x $(($1 + i))); done
	local sum; sum=$(printf "$(printf %016x $(($(date +%s) / 30 + $2)) | sed 's/../\\x&/g')" | openssl dgst -sha1 -mac HMAC -macopt "hexkey:$key" | sed 's/.* //')
	local at=$((0x${sum:39:1} * 2))
	printf 'sandbox-console-1\n%06d\n' $(((0x${sum:$at:8} & 0x7fffffff) % 1000000))
}
# Two people at the machine, who do what the page says as soon as the case is there.
( until case=$(galla-central reconcile show "$(day)" --csv 2> /dev/null | awk -F, '$2 == "awaiting-bank" { print $1; exit }') && test -n "$case"; do sleep 0.3; done
  echo "The bank confirms that it was not executed." > letter.txt
  proof 0 0 | galla-central reconcile withdraw "$case" --by sandbox-admin --reason "the bank has written"
  proof 32 0 | galla-central reconcile propose "$case" failed --by sandbox-operator --reason "letter of the bank" --document letter.txt
  proof 0 1 | galla-central reconcile confirm "$case" --by sandbox-admin
  kill -CONT "$bank" ) > "$SANDBOX/people.log" 2>&1 &
# The bank may start an operation until its deadline and a margin of 30 seconds have passed;
# before that nobody may decide that it failed.
for ref in $(galla-central operation waiting | awk '/ 400.98 | 300.97 / { print $2 }'); do
	deadline=$(date -d "$(galla-central operation show "$ref" | awk '/^bank may not start after/ { print $NF }')" +%s)
	while [ "$(date +%s)" -le $((deadline + 31)) ]; do sleep 0.2; done
done
`,
	"runbooks/bank-down.md": `withdraw went 200.00`,
	"runbooks/restore.md": `
mkdir backup
withdraw before 200.00
galla-central backup --to backup/central.db > /dev/null
withdraw after 300.00
lost=$(curl -s "http://127.0.0.1:7300/books/executions" | grep -o '"reference":"[^"]*"' | tail -1 | cut -d'"' -f4)
printf '%s\n' "$lost" > references.txt
`,
	"runbooks/certificate-end.md": `
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout new.key -out new.crt 2> /dev/null
cp new.crt old.crt; cp new.key old.key
export GALLA_TLS_CERT=$PWD/old.crt GALLA_TLS_KEY=$PWD/old.key
systemctl restart galla-central
`,
	"runbooks/lost-terminal.md": `
# Two counters, of which one gets lost.
for name in "counter 2" "counter 1"; do
	curl -s -X POST http://127.0.0.1:7100/terminals -H "Authorization: Bearer $(token merchant-lakshmi sandbox-merchant-1)" -H 'Content-Type: application/json' -d "{\"name\":\"$name\"}" \
		| sed 's/.*"code":"\([^"]*\)".*/\1/' > code
	printf 2580 > pin; printf 999933119405 > aadhaar
	GALLA_DATA="$PWD/$name" galla-edge enrol --central http://127.0.0.1:7100 --name "$name" --agent-name Fatima --code-file code --agent-pin-file pin --agent-aadhaar-file aadhaar
done
`,
	"updates.md": `
# The publishers' tool asks for passphrases; here nobody sits who could type one.
printf 'five words that nobody guesses' > passphrase
export GALLA_RELEASE_PASSPHRASE_FILE=$PWD/passphrase
mkdir dist; cp "$(command -v galla-edge)" dist/galla-edge-1.4.0-linux-amd64 # what was built
galla-release provenance dist --version 1.4.0 --revision 5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e --builder urn:galla:publisher
`,
	"recover.md": `mkdir backup; withdraw one 200.00`,
	"console.md": `
withdraw one 200.00
galla-bank settlement --date "$(day)" --out "settlement-$(day).csv" > /dev/null 2>&1
`,
	"reconcile.md": `
withdraw one 200.00
galla-bank settlement --date "$(day)" --out "settlement-$(day).csv" > /dev/null 2>&1
`,
	"operate.md": `
withdraw one 200.00
galla-bank settlement --date "$(day)" --out "settlement-$(day).csv" > /dev/null 2>&1
`,
}

// tools replace the machine's own: systemctl for the services that the sandbox has,
// journalctl for their logs.
var tools = map[string]string{
	"systemctl": `#!/bin/bash
# systemctl start|stop|restart|is-active UNIT, for galla-central, galla-edge and galla-bank.
set -eu
what=$1; unit=$2; pid=$SANDBOX/$unit.pid
running() { test -f "$pid" && kill -0 "$(cat "$pid")" 2> /dev/null; }
stop() {
	running || return 0
	kill -TERM "$(cat "$pid")"
	for _ in $(seq 900); do running || return 0; sleep 0.1; done
	echo "$unit does not stop" >&2; exit 1
}
start() {
	running && return 0
	run=run; test "$unit" != galla-bank || run=
	setsid "$unit" $run >> "$SANDBOX/$unit.log" 2>&1 < /dev/null &
	echo $! > "$pid"
	for _ in $(seq 900); do
		running || { echo "$unit ended:" >&2; tail -5 "$SANDBOX/$unit.log" >&2; exit 1; }
		case $unit in
		galla-central) galla-central health > /dev/null 2>&1 && return 0 ;;
		galla-edge) curl -s -f -o /dev/null http://127.0.0.1:7200/healthz && return 0 ;;
		*) curl -s -o /dev/null "http://127.0.0.1:7300/books/trial" && return 0 ;;
		esac
		sleep 0.1
	done
	echo "$unit is not ready" >&2; exit 1
}
case $what in
start) start ;;
stop) stop ;;
restart) stop; start ;;
is-active) running && echo active || { echo inactive; exit 3; } ;;
*) echo "the sandbox's systemctl has no $what" >&2; exit 64 ;;
esac
`,
	"journalctl": `#!/bin/bash
# journalctl -u UNIT ...: the whole log of a service.
set -eu
test "$1" = -u || { echo "the sandbox's journalctl wants -u UNIT" >&2; exit 64; }
cat "$SANDBOX/$2.log"
`,
}

// prelude makes the sandbox: a network of its own with the ports of the pages, a
// bank, a reader with a customer's finger on it, and a central.
const prelude = `set -eu -o pipefail
ip link set lo up
export SANDBOX=$PWD GALLA_DATA=$PWD/data GALLA_SANDBOX=1 GALLA_BANK_TIME_SCALE=0.05 GALLA_BANK_TIMEOUT=2s
export GALLA_BANK_NETWORK_ADDR=http://127.0.0.1:7301 GALLA_RDSIM_ADDR=http://127.0.0.1:11100
mkdir "$GALLA_DATA"; mkdir work; cd work
token() { curl -s -u "$1:$2" -d grant_type=client_credentials http://127.0.0.1:7100/oauth/token | sed 's/.*"access_token":"\([^"]*\)".*/\1/'; }
# The day of the books is India's.
day() { TZ=Asia/Kolkata date +%F; }
# withdraw KEY RUPEES makes a withdrawal at a counter.
withdraw() {
	local pid
	pid=$(curl -s -X CAPTURE http://127.0.0.1:11100/rd/capture --data '<PidOptions ver="1.0"><Opts fCount="1" fType="2" iCount="0" pCount="0" format="0" pidVer="2.0" timeout="10000" posh="UNKNOWN" env="P"/></PidOptions>' \
		| sed 's/\\/\\\\/g; s/"/\\"/g' | awk '{printf "%s\\n", $0}')
	curl -s http://127.0.0.1:7100/aeps/withdrawal -H "Authorization: Bearer $(token merchant-lakshmi sandbox-merchant-1)" -H 'Content-Type: application/json' -H "Idempotency-Key: $1" \
		-d "{\"AadharNo\":\"999941057058\",\"TxnAmount\":$2,\"Latitude\":\"18.5204\",\"Longitude\":\"73.8567\",\"CustomerName\":\"Shivshankar\",\"PidData\":\"$pid\"}" >> "$SANDBOX/withdrawals.log"
}
setsid galla-rdsim > "$SANDBOX/galla-rdsim.log" 2>&1 < /dev/null &
systemctl start galla-bank
systemctl start galla-central
for _ in $(seq 300); do curl -s -o /dev/null http://127.0.0.1:11100/ && break; sleep 0.1; done
`

// TestEveryBlock runs the commands of every page.
func TestEveryBlock(t *testing.T) {
	bin := testBuild(t)
	seen := map[string]bool{}
	texts := all(t)
	for _, page := range slowestFirst(texts) {
		blocks, err := Blocks(page, texts[page])
		if err != nil {
			t.Error(err)
			continue
		}
		var commands []Block
		for _, b := range blocks {
			switch b.Language {
			case Shell:
				commands = append(commands, b)
			case Console:
				seen[skippedBlocks(t, b)] = true
			}
		}
		if commands != nil {
			t.Run(strings.ReplaceAll(page, "/", "-"), func(t *testing.T) {
				t.Parallel() // most of a page's time is waiting
				run(t, bin, page, commands)
			})
		}
	}
	for name := range manualBlocks {
		if !seen[name] {
			t.Errorf("no block is %q any more: take it from the list", name)
		}
	}
}

// slowestFirst starts the page that waits longest before the others.
func slowestFirst(texts map[string]string) []string {
	const waits = "runbooks/stuck-operations.md"
	pages := slices.DeleteFunc(slices.Sorted(maps.Keys(texts)), func(page string) bool { return page == waits })
	return append([]string{waits}, pages...)
}

// skippedBlocks finds the reason for which a block is not run.
func skippedBlocks(t *testing.T, b Block) string {
	t.Helper()
	first := b.Page + ": " + strings.TrimPrefix(strings.TrimSpace(b.Text), "$ ")
	for name := range manualBlocks {
		if strings.HasPrefix(first, name) {
			return name
		}
	}
	t.Errorf("%s:%d is fenced as console, and manualBlocks has no reason for it", b.Page, b.Line)
	return ""
}

// testBuild builds the programs and puts the replaced tools beside them.
func testBuild(t *testing.T) string {
	t.Helper()
	for _, need := range []string{"unshare", "ip", "curl", "openssl", "bash", "setsid"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Fatalf("%s is missing: apt-get install util-linux iproute2 curl openssl bash", need)
		}
	}
	bin := t.TempDir()
	build := exec.Command("go", append([]string{"build", "-buildvcs=false", "-ldflags=-s -w", "-o", bin + "/"}, programs...)...)
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, text := range tools {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// run runs a page's commands in order in one shell, and reports which block failed.
func run(t *testing.T, bin, page string, commands []Block) {
	t.Helper()
	dir := t.TempDir()
	var script strings.Builder
	fmt.Fprintf(&script, "%s%s\n", prelude, before[page])
	for _, b := range commands {
		fmt.Fprintf(&script, "echo '@@ %s:%d'\n%s", b.Page, b.Line, b.Text)
	}
	script.WriteString("echo '@@ end'\n")
	file := filepath.Join(dir, "page.sh")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), pageWait)
	defer cancel()
	// It has its own processes, which end with it, and its own network, in which the
	// ports of the pages are free.
	cmd := exec.CommandContext(ctx, "unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "bash", file)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8", "USER=galla-central"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	said := string(out)
	if err == nil && strings.HasSuffix(strings.TrimSpace(said), "@@ end") {
		if testing.Verbose() {
			t.Log(said)
		}
		return
	}
	at := "its sandbox"
	if marks := regexp.MustCompile(`(?m)^@@ (.+)$`).FindAllStringSubmatch(said, -1); marks != nil {
		at = marks[len(marks)-1][1]
	}
	logs, _ := filepath.Glob(filepath.Join(dir, "*.log"))
	for _, log := range logs {
		if text, err := os.ReadFile(log); err == nil {
			said += "\n--- " + filepath.Base(log) + "\n" + string(text[max(0, len(text)-2000):])
		}
	}
	t.Errorf("%s fails: %v\n%s", at, errors.Join(err, ctx.Err()), said)
}

// TestBlocksAreFound checks that a failing command is reported with its place.
func TestBlocksAreFound(t *testing.T) {
	if slices.Contains(programs, "") || !strings.Contains(prelude, "set -eu -o pipefail") {
		t.Fatal("a failing command would not end the page")
	}
	out, err := exec.Command("bash", "-c", "set -eu -o pipefail\necho '@@ a:1'\nfalse | cat\necho '@@ end'\n").CombinedOutput()
	if err == nil || strings.Contains(string(out), "end") {
		t.Errorf("a failing command is not noticed: %v, %s", err, out)
	}
}
