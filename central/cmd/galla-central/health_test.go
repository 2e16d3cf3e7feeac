package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"galla/shared/settings"
)

// TestHealth: the exit code says whether a central is ready, and its answer is printed.
func TestHealth(t *testing.T) {
	status := http.StatusOK
	central := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			status = http.StatusNotFound
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte("what it says\n"))
	}))
	defer central.Close()
	ask := func(addr string) (string, error) {
		var out bytes.Buffer
		err := (&healthCommand{AdminAddr: settings.Address(addr)}).ask(t.Context(), &out)
		return out.String(), err
	}
	for _, addr := range []string{central.URL, strings.TrimPrefix(central.URL, "http://")} {
		if said, err := ask(addr); err != nil || said != "what it says\n" {
			t.Errorf("%s: %q, %v", addr, said, err)
		}
	}
	status = http.StatusServiceUnavailable
	if said, err := ask(central.URL); err == nil || said != "what it says\n" || !strings.Contains(err.Error(), "503") {
		t.Errorf("one that is not ready: %q, %v", said, err)
	}
	central.Close()
	if _, err := ask(central.URL); err == nil || !strings.Contains(err.Error(), "no central answers") {
		t.Errorf("none: %v", err)
	}
}
