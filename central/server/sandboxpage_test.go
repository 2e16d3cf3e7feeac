package server

import (
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSandboxPage holds the page for partners against the identities that are seeded.
func TestSandboxPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "docs", "sandbox.md"))
	if err != nil {
		t.Fatal(err)
	}
	var wants []string
	for _, c := range sandboxClients() {
		p := c.principal
		wants = append(wants, "| `"+string(p.Aggregator)+string(p.Vendor)+string(p.Merchant)+"` | `"+c.id+"` | `"+c.secret+"` |")
	}
	keys := sandboxKeys()
	wants = append(wants,
		"| `"+keys[0].APIKey.Reveal()+"` | hex `"+hex.EncodeToString(keys[0].Key.Reveal())+"` |",
		"| `"+keys[1].APIKey.Reveal()+"` | base64 `"+base64.StdEncoding.EncodeToString(keys[1].Key.Reveal())+"` |")
	for _, p := range sandboxStaff() {
		wants = append(wants, "| `"+p.Login+"` | ")
	}
	for _, p := range sandboxPeople() {
		wants = append(wants, "| `"+p.Login+"` | ")
	}
	for _, want := range wants {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}
