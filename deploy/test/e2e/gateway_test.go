//go:build linux

package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/deploy/sdk"
	"galla/shared/envelope"
	"galla/shared/partner"
)

// What a partner has (sandbox.md, section 2).
const (
	gatewayClient = "vk_sandbox_sahyadri"
	gatewayKey    = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	lakshmiID     = "c0000000-0000-4000-8000-000000000001"
)

// TestPartnersIntegrate runs each language's example against the real gateway:
// a list, a withdrawal, its retry, and a refusal.
func TestPartnersIntegrate(t *testing.T) {
	t.Parallel()
	h := startSandbox(t)
	for i, l := range sdk.Languages() {
		if l.Missing() {
			if os.Getenv("GALLA_WITHOUT_LANGUAGES") != "" {
				t.Logf("%s is left out, as GALLA_WITHOUT_LANGUAGES says", l.Name)
				continue
			}
			t.Errorf("%s", l.Wants)
			continue
		}
		command, err := l.Program(filepath.Join("..", "..", "sdk"), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		call := func(key, id, method, route, body string) (string, error) {
			cmd := exec.Command(command[0], append(append([]string{}, command[1:]...), "call", method, route)...)
			cmd.Env = append(os.Environ(), "GALLA_GATEWAY="+h.url("CENTRAL"), "GALLA_CLIENT_ID="+gatewayClient, "GALLA_KEY="+key)
			if id != "" {
				cmd.Env = append(cmd.Env, "GALLA_REQUEST_ID="+id)
			}
			cmd.Stdin = strings.NewReader(body)
			var out, trouble bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &trouble
			err := cmd.Run()
			return out.String() + trouble.String(), err
		}
		out, err := call(gatewayKey, "", "GET", "/aeps/banks", "{}")
		if err != nil || !strings.Contains(out, "990326") {
			t.Errorf("%s: the bank list: %v: %.300s", l.Name, err, out)
			continue
		}
		before := h.balance(choudhury)
		text, err := h.transaction(h.reader, choudhury, 110_00)
		if err != nil {
			t.Fatal(err)
		}
		var body map[string]any
		if err := json.Unmarshal(text, &body); err != nil {
			t.Fatal(err)
		}
		body["merchantId"] = lakshmiID
		text, _ = json.Marshal(body)
		id := fmt.Sprintf("0190c000-0000-4000-8000-%012d", i+1)
		first, err := call(gatewayKey, id, "POST", "/aeps/withdrawal", string(text))
		if err != nil || !strings.Contains(first, "Transaction successful") {
			t.Errorf("%s: the withdrawal: %v: %.300s", l.Name, err, first)
			continue
		}
		second, err := call(gatewayKey, id, "POST", "/aeps/withdrawal", string(text))
		if err != nil || !strings.Contains(second, "Transaction successful") {
			t.Errorf("%s: the retry: %v: %.300s", l.Name, err, second)
		}
		if moved := before - h.balance(choudhury); moved != 110_00 {
			t.Errorf("%s: the books moved by %s, not by 110", l.Name, rupees(moved))
		}
		other := strings.Repeat("ff", 32)
		if out, err := call(other, "", "GET", "/aeps/banks", "{}"); err == nil || strings.Contains(out, "990326") {
			t.Errorf("%s: a wrong key was taken: %.300s", l.Name, out)
		}
	}
	h.checkDoubleEntry()
}

// useGateway sends a vendor's messages, good and bad, for the canary.
func (h *sandbox) useGateway(t *testing.T) {
	t.Helper()
	for _, text := range []string{gatewayKey, strings.Repeat("ff", 32)} {
		key, err := envelope.ParseKey(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := partner.New(partner.Config{BaseURL: h.url("CENTRAL"), ClientID: gatewayClient, Key: key, Rand: rand.Reader, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		body, err := h.transaction(h.reader, choudhury, 101_00)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(body, &fields); err != nil {
			t.Fatal(err)
		}
		fields["merchantId"] = lakshmiID
		reply, err := p.Call(t.Context(), "POST", "/aeps/withdrawal", fields)
		if good := text == gatewayKey; good != (err == nil && reply.Status == 200) {
			t.Errorf("a sealed withdrawal: %v, HTTP %d %s", err, reply.Status, reply.Body)
		}
	}
}
