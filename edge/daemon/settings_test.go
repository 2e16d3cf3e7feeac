package daemon

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"galla/shared/secret"
)

const agentAadhaar = "999933119405"

func enrolment(central string) Enrolment {
	return Enrolment{Central: central, Code: secret.NewToken("ABCD"), Name: "Counter 1", Agent: "Fatima",
		PIN: secret.NewOTP("2580"), AgentAadhaar: agentAadhaar, Latitude: "18.52", Longitude: "73.85"}
}

func TestEnrolment(t *testing.T) {
	var got struct{ Code, PublicKey, Name string }
	central := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/terminals/enrol" || json.NewDecoder(r.Body).Decode(&got) != nil {
			t.Errorf("unexpected call %s %s", r.Method, r.URL.Path)
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"statusCode":"00","data":{"terminalId":"t1","merchantId":"m1","merchantName":"Lakshmi","mid":"GAL0000001","tid":"GAL00101","uplink":"ws://127.0.0.1:1/uplink","audience":"a"}}`)
	}))
	defer central.Close()
	dir := t.TempDir()
	if enrolled, err := Enrolled(dir, rand.Reader); enrolled || err != nil {
		t.Fatalf("Enrolled = %v, %v before the enrolment", enrolled, err)
	}
	if _, err := Enrol(t.Context(), dir, enrolment(central.URL), rand.Reader); err != nil {
		t.Fatal(err)
	}
	s, _, key, err := folder(dir).load(rand.Reader)
	if err != nil || s.TerminalID != "t1" || s.Agent != "Fatima" || s.AgentAadhaar.Reveal() != agentAadhaar {
		t.Fatalf("load = %+v, %v", s, err)
	}
	public, err := base64.StdEncoding.DecodeString(got.PublicKey)
	if err != nil || !bytes.Equal(public, key[32:]) || got.Code != "ABCD" {
		t.Errorf("the central was given code %q and key %x, %v", got.Code, public, err)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, canary := range []string{agentAadhaar, "2580", "Fatima"} {
			if bytes.Contains(text, []byte(canary)) && !strings.HasSuffix(path, ".key") {
				t.Errorf("%s holds %q in the clear", path, canary)
			}
		}
		if info, _ := d.Info(); info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEnrolmentThatFailsLeavesNoSettings(t *testing.T) {
	central := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"statusCode":"03","message":"The enrolment code is not valid"}`)
	}))
	defer central.Close()
	bad := enrolment(central.URL)
	bad.PIN = secret.NewOTP("12")
	noAadhaar := enrolment(central.URL)
	noAadhaar.AgentAadhaar = "999933119406"
	for name, e := range map[string]Enrolment{"refused": enrolment(central.URL), "short PIN": bad, "wrong Aadhaar": noAadhaar, "nobody there": enrolment("http://127.0.0.1:1")} {
		dir := t.TempDir()
		_, err := Enrol(t.Context(), dir, e, rand.Reader)
		if err == nil || strings.Contains(err.Error(), "99993311940") {
			t.Errorf("%s: Enrol = %v", name, err)
		}
		if _, _, _, err := folder(dir).load(rand.Reader); !errors.Is(err, ErrNotEnrolled) {
			t.Errorf("%s: load = %v, want ErrNotEnrolled", name, err)
		}
	}
}

func TestPINHash(t *testing.T) {
	hash, err := hashPIN(secret.NewOTP("2580"), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for pin, want := range map[string]bool{"2580": true, "2581": false, "": false} {
		if ok, err := verifyPIN(hash, secret.NewOTP(pin)); ok != want || err != nil {
			t.Errorf("verifyPIN(%q) = %v, %v", pin, ok, err)
		}
	}
	for _, bad := range []string{"", "x", "$argon2id$v=19$m=1$a$b", strings.Replace(hash, "t=3", "t=0", 1), strings.Replace(hash, "m=65536", "m=99999999", 1)} {
		if ok, err := verifyPIN(bad, secret.NewOTP("2580")); ok || err == nil {
			t.Errorf("verifyPIN took the hash %q", bad)
		}
	}
}
