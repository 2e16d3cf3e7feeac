package daemon

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"galla/shared/secret"
)

// TestEnrolsOverTLSOnly: where anybody on the way could answer in the central's
// place nothing is sent, and no key is made.
func TestEnrolsOverTLSOnly(t *testing.T) {
	asked := 0
	central := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"message":"no such code"}`))
	}))
	defer central.Close()
	for address, want := range map[string]string{
		"http://central.example":        "in the clear",
		"http://192.0.2.1:7100":         "in the clear",
		"http://127.0.0.1.evil.example": "in the clear",
		"http://asha:hunter2@127.0.0.1": "must read https://host",
		"central.example":               "must read https://host",
		"ftp://central.example":         "must read https://host",
		"":                              "must read https://host",
		"https://":                      "must read https://host",
		central.URL:                     "no such code",
		"https://127.0.0.1:1":           "can't be reached",
		strings.ToUpper(central.URL[:4]) + central.URL[4:]: "no such code",
	} {
		data := t.TempDir()
		_, err := Enrol(t.Context(), data, Enrolment{
			Central: address, Code: secret.NewToken("AAAA-BBBB"), Name: "Counter 1", Agent: "Asha", PIN: secret.NewOTP("4821"), AgentAadhaar: "999941057058",
		}, rand.Reader)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, want %q", address, err, want)
		}
		files, _ := os.ReadDir(data)
		if sent := want == "no such code" || want == "can't be reached"; !sent && len(files) > 0 {
			t.Errorf("%q: %v was made", address, files)
		}
	}
	if asked != 2 {
		t.Errorf("the central was asked %d times", asked)
	}
}

// TestEnrolsNoHiddenName: a name that the central's rule refuses is refused before
// anything is made or sent.
func TestEnrolsNoHiddenName(t *testing.T) {
	for name, e := range map[string]Enrolment{
		"the agent's name must not contain":   {Name: "Counter 1", Agent: "Asha\u202eahsA"},
		"the counter's name must not contain": {Name: "Counter\n1", Agent: "Asha"},
		"the agent's name must not begin":     {Name: "Counter 1", Agent: "=Asha()"},
	} {
		data := t.TempDir()
		e.Central, e.Code, e.PIN, e.AgentAadhaar = "https://127.0.0.1:1", secret.NewToken("AAAA-BBBB"), secret.NewOTP("4821"), "999941057058"
		if _, err := Enrol(t.Context(), data, e, rand.Reader); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
		if files, _ := os.ReadDir(data); len(files) > 0 {
			t.Errorf("%v was made", files)
		}
	}
}
