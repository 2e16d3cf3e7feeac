//go:build linux

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Secrets that the environment of a program has, and that it must not print.
const (
	environmentKey      = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	environmentPassword = "canary-of-the-database-1"
	collectorToken      = "canary-of-the-collector-1"
	bankPassword        = "canary-of-the-bank-1"
)

// runCommands runs the command lines beside a running sandbox, and checks what they
// print: with the sandbox's own settings, and with secrets in each place where people
// put them.
func (h *sandbox) runCommands(t *testing.T, c *secretScan) (found []string) {
	t.Helper()
	c.add("a master key of the environment", environmentKey)
	c.add("the database's password", environmentPassword)
	c.add("the collector's token", collectorToken)
	c.add("the bank's password", bankPassword)
	wrong := filepath.Join(t.TempDir(), "wrong.toml")
	text := "database-url = \"postgres://galla:" + environmentPassword + "@127.0.0.1:1/galla\"\nbank = 'http://galla:" + bankPassword + "@127.0.0.1:1'\n"
	if err := os.WriteFile(wrong, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	secrets := []string{
		"GALLA_VENDOR_MASTER_KEY=" + environmentKey, "GALLA_DATABASE_URL=host=127.0.0.1 port=1 user=galla password=" + environmentPassword,
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=" + collectorToken, "GALLA_BANK_NETWORK_ADDR=http://galla:" + bankPassword + "@127.0.0.1:1",
	}
	fine := 0
	say := func(program string, env []string, args ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(h.bin, program), args...)
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
		for k, v := range h.env {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
		cmd.Env = append(cmd.Env, env...)
		out, err := cmd.CombinedOutput()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			t.Fatal(err)
		}
		if err == nil {
			fine++
		}
		if len(out) == 0 {
			t.Errorf("%s %s says nothing", program, strings.Join(args, " "))
		}
		found = append(found, c.search(program+" "+strings.Join(args, " "), out, true)...)
	}
	for _, args := range [][]string{
		{"config"}, {"check"}, {"staff", "list"}, {"reconcile", "list"}, {"operation", "find", "noise-0"}, {"callback", "list"},
		{"vendor", "key", "list", "b0000000-0000-4000-8000-000000000001"}, {"health"},
	} {
		say("galla-central", nil, args...)
	}
	for _, args := range [][]string{{"config"}, {"check"}, {"doctor"}, {"devices"}} {
		say("galla-edge", nil, args...)
	}
	if fine < 8 {
		t.Errorf("only %d of the commands did what they are for: the canary is blind", fine)
	}
	for _, args := range [][]string{{"config"}, {"check"}, {"run"}} {
		say("galla-central", secrets, args...)
		say("galla-central", secrets[:1], append([]string{"--config", wrong}, args...)...)
	}
	return found
}
