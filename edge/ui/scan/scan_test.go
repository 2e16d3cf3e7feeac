package scan

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"galla/edge/aadhaarqr"
	"galla/edge/aadhaarqr/qrtest"
	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
	"galla/edge/ui/uitest"
)

// demo is one of UIDAI's public demo numbers.
const demo = "999941057058"

func TestTexts(t *testing.T) { i18ntest.Check(t, i18n.Catalogue{Owner: "scan", Files: files}) }

func TestNewNeedsAReader(t *testing.T) {
	if _, err := New(nil); err == nil {
		t.Error("no reader, no error")
	}
}

func newSigner(t *testing.T) *qrtest.Signer {
	t.Helper()
	s, err := qrtest.NewSigner(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serve serves the section, with certificates.
func serve(t *testing.T, certificates []byte) *uitest.Server {
	t.Helper()
	reader, err := aadhaarqr.New(certificates)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(reader)
	if err != nil {
		t.Fatal(err)
	}
	return uitest.Serve(t, uitest.NewCounter(), s)
}

// TestRead: the reply says what was read, and how far it can be relied on. The number is in
// the reply to the page only, and nothing of the card is in the log.
func TestRead(t *testing.T) {
	uidai := newSigner(t)
	text, err := uidai.Secure(qrtest.Holder{Version: "V2", Name: "Asha Kulkarni", Last: "7058", Photo: []byte("photo")})
	if err != nil {
		t.Fatal(err)
	}
	later, err := uidai.Secure(qrtest.Holder{Version: "V8", Name: "Asha Kulkarni", Last: "7058"})
	if err != nil {
		t.Fatal(err)
	}
	with, without, foreign := serve(t, uidai.Certificate), serve(t, nil), serve(t, newSigner(t).Certificate)
	for name, c := range map[string]struct {
		h      *uitest.Server
		text   string
		status int
		tone   string
		says   string
		number string
	}{
		"signed":             {with, text, http.StatusOK, "good", "signature is correct", ""},
		"no certificate":     {without, text, http.StatusOK, "warn", "Signature not checked", ""},
		"another signature":  {foreign, text, http.StatusUnprocessableEntity, "bad", "not from UIDAI", ""},
		"an unknown version": {with, later, http.StatusUnprocessableEntity, "bad", "version", ""},
		"a part":             {with, text[:700], http.StatusUnprocessableEntity, "bad", "Not an Aadhaar QR", ""},
		"nothing":            {with, "", http.StatusUnprocessableEntity, "bad", "Not an Aadhaar QR", ""},
		"older":              {with, qrtest.XML(demo, "Asha Kulkarni"), http.StatusOK, "warn", "older QR has none", demo},
		"older, masked":      {with, qrtest.XML("xxxxxxxx7058", "Asha Kulkarni"), http.StatusOK, "warn", "Type all 12", ""},
	} {
		// The reply holds a demo number on purpose, so this client does not search replies.
		v := uitest.NewClient(t, c.h.Base, uitest.LoopbackTransport())
		v.Get("/enter?to=/settings", http.StatusSeeOther)
		v.Get("/settings", http.StatusOK)
		reply := v.Post("/aadhaar-qr", c.status, "qr", c.text)
		var got card
		if err := json.Unmarshal([]byte(reply), &got); err != nil {
			t.Fatalf("%s: %v in %s", name, err, reply)
		}
		if got.Tone != c.tone || got.Number != c.number || !strings.Contains(got.Title+" "+got.Detail+" "+got.Type, c.says) {
			t.Errorf("%s: %+v", name, got)
		}
		if filled := c.status == http.StatusOK; filled != (got.Last == "7058") || filled != (got.Name == "Asha Kulkarni") || filled != (got.Remove != "") {
			t.Errorf("%s: %+v", name, got)
		}
		if log := c.h.Log.String(); strings.Contains(log, demo) || strings.Contains(log, "Asha") || strings.Contains(log, text[:40]) {
			t.Errorf("%s: the log has the card: %s", name, log)
		}
	}
}

// TestOnlyInASession: nobody reads cards at a locked counter, by a link, or without the
// form's token.
func TestOnlyInASession(t *testing.T) {
	h := serve(t, nil)
	locked := h.NewClient(t)
	if to := locked.Post("/aadhaar-qr", http.StatusSeeOther, "qr", "1"); strings.Contains(to, "tone") {
		t.Error("a locked counter reads cards")
	}
	v := h.NewClient(t)
	v.Get("/enter?to=/settings", http.StatusSeeOther)
	v.Get("/settings", http.StatusOK)
	v.Get("/aadhaar-qr?qr=1", http.StatusNotFound)
	if status, _ := v.Do(v.Form("/aadhaar-qr", "csrf", "wrong", "qr", "1")); status.StatusCode != http.StatusForbidden {
		t.Errorf("a wrong token: %d", status.StatusCode)
	}
	if reply := v.Get("/aadhaar-qr/texts", http.StatusOK); !strings.Contains(reply, "Scan QR") {
		t.Error(reply)
	}
}
