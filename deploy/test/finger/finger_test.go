package finger

import (
	"crypto/rand"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"galla/rdservice"
	"galla/rdservice/rdcrypto"
	"galla/rdservice/rdsim"
)

func TestCapture(t *testing.T) {
	authority, _, err := rdcrypto.EnsureAuthority(t.TempDir(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	device, err := rdsim.New(authority, rand.Reader, slog.New(slog.DiscardHandler), rdsim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(device)
	defer s.Close()
	pid, err := Capture(t.Context(), s.URL, "999941057058", rdservice.Options{})
	if err != nil || !strings.Contains(pid.Reveal(), "<Skey") {
		t.Errorf("the capture has %d bytes, %v", len(pid.Reveal()), err)
	}
	if _, err := Capture(t.Context(), s.URL, "none", rdservice.Options{}); err == nil {
		t.Error("a finger without a number was captured")
	}
}
