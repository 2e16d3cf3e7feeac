//go:build linux

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestWithdrawalMovesTheBooksOnce does what a newcomer does with curl: token, capture,
// withdrawal of 500, and a look into the books.
func TestWithdrawalMovesTheBooksOnce(t *testing.T) {
	t.Parallel()
	h := startSandbox(t)
	began := time.Now().Add(-time.Second)
	before := h.balance(choudhury)
	token := h.token(lakshmi, lakshmiSecret)
	body, err := h.transaction(h.reader, choudhury, 500_00)
	if err != nil {
		t.Fatal(err)
	}
	first, err := h.postTransaction("/aeps/withdrawal", token, "flow-1", body)
	if err != nil {
		t.Fatal(err)
	}
	checkSuccess(t, first, rupees(before-500_00))
	for range 3 {
		again, err := h.postTransaction("/aeps/withdrawal", token, "flow-1", body)
		if err != nil {
			t.Fatal(err)
		}
		if !again.replayed || again.http != first.http || !bytes.Equal(again.raw, first.raw) {
			t.Errorf("the repeat is not the first reply: HTTP %d, replayed %v: %s", again.http, again.replayed, again.raw)
		}
	}
	other := bytes.Replace(body, []byte("500.00"), []byte("600.00"), 1)
	if a, err := h.postTransaction("/aeps/withdrawal", token, "flow-1", other); err != nil || a.http != 409 || a.StatusCode != "09" {
		t.Errorf("the same key with another amount: %v, HTTP %d: %s", err, a.http, a.raw)
	}

	if after := h.balance(choudhury); before-after != 500_00 {
		t.Errorf("the books moved by %s, not by 500", rupees(before-after))
	}
	var debits []execution
	for _, e := range h.executions(began, time.Now().Add(time.Second)) {
		if e.Status == "EXECUTED" && e.AmountPaise > 0 {
			debits = append(debits, e)
		}
	}
	if len(debits) != 1 || debits[0].AmountPaise != 500_00 || debits[0].Reference != first.Data.RetailerReferenceNumber {
		t.Errorf("the books hold %+v; the reply names %s", debits, first.Data.RetailerReferenceNumber)
	}
	h.checkDoubleEntry()

	// After a restart everything is still there: the reply too.
	h.stop()
	h.start()
	if after := h.balance(choudhury); before-after != 500_00 {
		t.Errorf("after a restart the books moved by %s", rupees(before-after))
	}
	again, err := h.postTransaction("/aeps/withdrawal", h.token(lakshmi, lakshmiSecret), "flow-1", body)
	if err != nil || !again.replayed || !bytes.Equal(again.raw, first.raw) {
		t.Errorf("after a restart the repeat is another reply: %v: %s", err, again.raw)
	}
}

func checkSuccess(t *testing.T, a answer, balance string) {
	t.Helper()
	if a.http != 200 || a.StatusCode != "00" || a.Data == nil {
		t.Fatalf("withdrawal: HTTP %d: %s", a.http, a.raw)
	}
	d := a.Data
	if d.ResponseCode != "00" || d.TxnStatus != "SUCCESS" || d.RetailerReferenceNumber == "" || d.ReferenceNo == "" || d.AuthCode == "" {
		t.Errorf("withdrawal: %s", a.raw)
	}
	if strings.TrimSuffix(d.Balance, ".00") != balance {
		t.Errorf("balance %s after it, want %s", d.Balance, balance)
	}
	if d.AadharNo != "XXXXXXXX7058" || bytes.Contains(a.raw, []byte(choudhury)) {
		t.Errorf("the Aadhaar number is not masked: %s", a.raw)
	}
}

// TestSupervisor looks at the sandbox from outside: what it prints, who owns the pid
// files, and what a second one prints.
func TestSupervisor(t *testing.T) {
	t.Parallel()
	h := startSandbox(t)
	for _, want := range []string{h.url("CENTRAL"), h.url("COUNTER"), h.url("BANK"), h.url("RDSIM"), lakshmi, lakshmiSecret, "PIN 2580"} {
		if !strings.Contains(h.out, want) {
			t.Errorf("the supervisor does not print %q:\n%s", want, h.out)
		}
	}
	for _, name := range []string{"central", "bank", "rdsim", "edge"} {
		comm, err := os.ReadFile("/proc/" + itoa(h.pid(name)) + "/comm")
		if err != nil || strings.TrimSpace(string(comm)) != "galla-"+name {
			t.Errorf("%s.pid names process %d, which is %q (%v)", name, h.pid(name), comm, err)
		}
		old := h.pid(name)
		if !h.signal(name, syscall.SIGKILL) {
			t.Fatalf("%s does not run", name)
		}
		waitUntil(t, name+" is started again", time.Minute, func() bool { p := h.pid(name); return p != old && h.signal(name, 0) })
	}
	h.awaitCentral(t)

	second := exec.Command(filepath.Join(h.bin, "galla-local"))
	second.Env = h.cmd.Env
	if out, err := second.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("another supervisor")) {
		t.Errorf("a second supervisor on the same data: %v: %s", err, out)
	}
	second = exec.Command(filepath.Join(h.bin, "galla-local"))
	second.Env = append(append([]string{}, h.cmd.Env...), "GALLA_DATA="+t.TempDir())
	if out, err := second.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("GALLA_CENTRAL_ADDR")) || !bytes.Contains(out, []byte(h.env["GALLA_CENTRAL_ADDR"])) {
		t.Errorf("a second supervisor on the same ports: %v: %s", err, out)
	}
}
