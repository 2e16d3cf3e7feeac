package daemon

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"galla/edge"
	"galla/edge/queue"
	"galla/edge/ui"
	"galla/rdservice"
	"galla/shared/seal"
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

// TestForgottenPIN: galla-edge pin opens the counter again, and a running one
// refuses it.
func TestForgottenPIN(t *testing.T) {
	data := t.TempDir()
	f := folder(filepath.Join(data, "edge"))
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		t.Fatal(err)
	}
	key, err := seal.EnsureKeyFile(f.queueKey(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := seal.EnsureKeyFile(f.terminalKey(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	number, err := secret.ParseAadhaar("999933119405")
	if err != nil {
		t.Fatal(err)
	}
	settings := Settings{Agent: "Fatima", PINHash: "lost", AgentAadhaar: number}
	if err := f.save(settings, key, rand.Reader); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	if err := SetPIN(Config{Data: data, Rand: rand.Reader, Logger: log}, secret.NewOTP("8264")); err != nil {
		t.Fatal(err)
	}
	q, _, err := queue.Open(queue.Config{Path: f.queue(), Key: key, Rand: rand.Reader, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = q.Close() }()
	operators, err := openUsers(q, settings, Config{Rand: rand.Reader, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := operators.CheckPIN(t.Context(), edge.AgentID, secret.NewOTP("8264")); err != nil {
		t.Error(err)
	}
	if err := SetPIN(Config{Data: data, Rand: rand.Reader, Logger: log}, secret.NewOTP("7391")); err == nil {
		t.Error("the PIN was set behind a running counter's back")
	}
	// In the file itself nothing stands in the clear.
	raw, err := os.ReadFile(f.queue())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"Fatima", "999933119405", "argon2id"} {
		if bytes.Contains(raw, []byte(s)) {
			t.Errorf("%q stands in the queue's file", s)
		}
	}
}

// TestUseReader: the reader that is chosen from outside is the one of the next start,
// the printer's settings stay, and a counter that runs is not changed under its feet.
// TestPaymentSound: the choice of a counter outlives its program, beside what else it stores.
func TestPaymentSound(t *testing.T) {
	f := folderOf(t.TempDir())
	key := filesIn(t, f)
	s, _, _, err := f.load(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	own := &settingsStore{folder: f, key: key, rand: rand.Reader, settings: s}
	if own.PaymentSound() != ui.SoundWords {
		t.Errorf("a new counter announces by %q, want words", own.PaymentSound())
	}
	if err := own.SetPaymentSound(ui.SoundChime); err != nil {
		t.Fatal(err)
	}
	if s, _, _, err = f.load(rand.Reader); err != nil || s.Sound != ui.SoundChime || own.PaymentSound() != ui.SoundChime || s.TID != "GAL00101" {
		t.Errorf("stored: %+v, %v", s, err)
	}
}

func TestUseReader(t *testing.T) {
	data := t.TempDir()
	f := folderOf(data)
	key := filesIn(t, f)
	service, info := rdservice.Service{Address: "http://127.0.0.1:11100", Info: "Mantra"}, rdservice.DeviceInfo{Serial: "S1", DC: "d1"}
	pin, err := UseReader(Config{Data: data, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)}, service, info)
	if err != nil || pin.Serial != "S1" {
		t.Fatalf("%+v, %v", pin, err)
	}
	s, _, _, err := f.load(rand.Reader)
	if err != nil || s.Reader != pin || s.TID != "GAL00101" {
		t.Errorf("the settings have %+v, %v", s.Reader, err)
	}
	own := &settingsStore{folder: f, key: key, rand: rand.Reader, settings: s}
	if err := own.change(func(s *Settings) { s.Printer.Address = "/dev/usb/lp0" }); err != nil {
		t.Fatal(err)
	}
	if s, _, _, err = f.load(rand.Reader); err != nil || s.Reader != pin || s.Printer.Address == "" || own.Assigned() != pin {
		t.Errorf("after another change: %+v, %+v, %v", s.Reader, s.Printer, err)
	}
	if _, err := UseReader(Config{Data: data, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)}, service, rdservice.DeviceInfo{}); err == nil {
		t.Error("a reader that does not say who it is was chosen")
	}
	q, _, err := queue.Open(queue.Config{Path: f.queue(), Key: key, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = q.Close() }()
	if _, err := UseReader(Config{Data: data, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)}, service, info); !errors.Is(err, queue.ErrLocked) {
		t.Errorf("while the counter runs: %v", err)
	}
}

// TestLink: the link stays from start to start, under a name of this folder's own,
// for whoever may read it; a folder without a counter has none, and gets none.
func TestLink(t *testing.T) {
	cfg := Config{Data: t.TempDir(), Addr: "http://127.0.0.1:7200", Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)}
	nowhere := cfg
	nowhere.Data = filepath.Join(cfg.Data, ".galla")
	if link, err := PagesURL(nowhere); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a counter: %q, %v", link, err)
	}
	if left, err := os.ReadDir(cfg.Data); err != nil || len(left) != 0 {
		t.Errorf("asking for the link left %v, %v", left, err)
	}
	first, err := PagesURL(cfg)
	again, err2 := PagesURL(cfg)
	if err != nil || err2 != nil || first != again || !strings.HasPrefix(first, "http://galla-") || !strings.HasSuffix(first, ".localhost:7200/") {
		t.Errorf("%q, then %q: %v, %v", first, again, err, err2)
	}
	about, err := os.Stat(filepath.Join(cfg.Data, "edge", "localname"))
	if err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("the name lies under %v, %v", about.Mode(), err)
	}
	cfg.Data = t.TempDir()
	if other, err := PagesURL(cfg); err != nil || other == first {
		t.Errorf("another counter has %q, %v", other, err)
	}
	cfg.Addr = "http://127.0.0.1:0"
	if link, err := PagesURL(cfg); err == nil {
		t.Errorf("a port that no browser opens: %q", link)
	}
}

// filesIn leaves the files of an enrolment in a folder, and gives its queue's key.
func filesIn(t *testing.T, f folder) secret.Key {
	t.Helper()
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		t.Fatal(err)
	}
	key, err := seal.EnsureKeyFile(f.queueKey(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := seal.EnsureKeyFile(f.terminalKey(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	number, err := secret.ParseAadhaar(agentAadhaar)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.save(Settings{Agent: "Fatima", PINHash: "lost", TID: "GAL00101", AgentAadhaar: number}, key, rand.Reader); err != nil {
		t.Fatal(err)
	}
	return key
}
