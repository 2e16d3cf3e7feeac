//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// simulators runs galla-rdsim with devices until the test ends.
func simulators(t *testing.T, ready string, devices ...string) (stop func()) {
	t.Helper()
	args := []string{"--capture-time", "1ms"}
	for _, d := range devices {
		args = append(args, "--device", d)
	}
	cmd := exec.Command(filepath.Join(shop.bin, "galla-rdsim"), args...)
	cmd.Env = append(os.Environ(), "GALLA_DATA="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := launch(cmd); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the simulator ended: %v\n%s", err, log.String())
		}
	}
	t.Cleanup(stop)
	waitUntil(t, "the simulator answers", 30*time.Second, func() bool {
		reply, err := http.Get(ready + "/sim/device")
		if err != nil {
			return false
		}
		return reply.Body.Close() == nil && reply.StatusCode == http.StatusOK
	})
	return stop
}

// tool runs a command of galla-edge and gives what it wrote and its exit code.
func tool(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(shop.bin, "galla-edge"), args...)
	cmd.Env = append(os.Environ(), "GALLA_DATA="+t.TempDir(), "GALLA_RDSIM_ADDR=", "GORACE=atexit_sleep_ms=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// object reads a tool's --json.
func object[T any](t *testing.T, out string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	return v
}

// The command lines of the counter against readers as counters have them: a fingerprint
// reader at http and https, and a face camera at https.
func TestTools(t *testing.T) {
	t.Parallel()
	at := freeAddresses(t, "finger", "secure", "face")
	finger, face := "http://"+at["finger"], "https://"+at["face"]
	stop := simulators(t, finger, "mantra@"+finger+"+https://"+at["secure"], "face@"+face)
	_, port, _ := strings.Cut(at["finger"], ":")
	const serial = "SIM0000001"

	out, errs, code := tool(t, "devices", "--json", "--ports", port, "--rd-sim", "https://"+at["secure"])
	rows := object[[]map[string]any](t, out)
	if code != 0 || len(rows) != 1 || rows[0]["address"] != finger || rows[0]["serial"] != serial || rows[0]["status"] != "READY" {
		t.Errorf("devices: exit %d, %s%s", code, out, errs)
	}
	if out, _, _ = tool(t, "devices", "--ports", port); !strings.Contains(out, "READY") || !strings.Contains(out, serial) {
		t.Errorf("devices as a table:\n%s", out)
	}

	for _, tt := range []struct {
		name, script string
		args         []string
		action       string
		code         string
		exit         int
		least        float64 // bytes
	}{
		{"a finger", "", []string{"--address", finger}, "accept", "0", 0, 3000},
		{"by the scan", "", []string{"--ports", port}, "accept", "0", 0, 3000},
		{"two fingers, e-KYC", "", []string{"--address", finger, "--fingers", "2", "--ekyc"}, "accept", "0", 0, 4000},
		{"a face", "", []string{"--address", face, "--faces", "1"}, "accept", "0", 0, 170_000},
		{"not read", `[{"errCode":"730"}]`, []string{"--address", finger}, "retry-customer", "730", 0, 0},
		{"not ready", `[{"errCode":"720"}]`, []string{"--address", finger}, "retry-device", "720", 0, 0},
		{"an iris", "", []string{"--address", finger, "--irises", "1"}, "fix-request", "760", 0, 0},
		{"reset", `[{"reset":true}]`, []string{"--address", finger}, "retry-device", "", 1, 0},
		{"no answer", `[{"httpStatus":500}]`, []string{"--address", finger}, "call-support", "", 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.script != "" {
				reply, err := http.Post(finger+"/sim/script", "application/json", strings.NewReader(tt.script))
				if err != nil || reply.StatusCode != http.StatusOK {
					t.Fatalf("%+v, %v", reply, err)
				}
				_ = reply.Body.Close()
			}
			out, errs, code := tool(t, append([]string{"capture", "--json"}, tt.args...)...)
			got := object[map[string]any](t, out)
			bytes, _ := got["bytes"].(float64)
			if code != tt.exit || got["action"] != tt.action || got["errCode"] != tt.code || bytes < tt.least || tt.least == 0 && bytes != 0 {
				t.Errorf("exit %d, %s%s", code, out, errs)
			}
			for _, secret := range []string{"PidData", "Skey", "9999"} {
				if strings.Contains(out+errs, secret) {
					t.Errorf("%s stands in\n%s%s", secret, out, errs)
				}
			}
		})
	}

	examine(t, port, serial, "ok")
	stop()
	examine(t, port, serial, "bad")
}

// examine runs the doctor at a counter that is not enrolled, and checks its finding
// about the reader.
func examine(t *testing.T, port, serial, want string) {
	t.Helper()
	out, errs, code := tool(t, "doctor", "--json", "--ports", port, "--addr", "http://127.0.0.1:1")
	report := object[struct {
		Findings []struct{ Subject, Verdict, Says, Do string }
	}](t, out)
	seen := map[string]string{}
	for _, f := range report.Findings {
		if seen[f.Subject] = f.Verdict; f.Says == "" || f.Verdict == "bad" && f.Do == "" {
			t.Errorf("%+v says nothing, or not what to do", f)
		}
	}
	if seen["reader"] != want || seen["enrolment"] != "bad" || seen["disk"] != "ok" || len(seen) < 5 {
		t.Errorf("findings %v", seen)
	}
	if strings.Contains(out+errs, serial) || (code == 0) != !strings.Contains(out, `"bad"`) {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	table, _, _ := tool(t, "doctor", "--ports", port, "--addr", "http://127.0.0.1:1")
	if len(strings.Split(strings.TrimSpace(table), "\n")) < len(seen) {
		t.Errorf("the report:\n%s", table)
	}
}
