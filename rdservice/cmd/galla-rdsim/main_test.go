package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"galla/rdservice"
	"galla/rdservice/rdcrypto"
	"galla/shared/settings"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// addresses is a log that hands out the address that the program serves.
type addresses chan string

func (a addresses) Write(line []byte) (int, error) {
	if _, rest, ok := strings.Cut(string(line), "address="); ok && strings.Contains(string(line), "serving") {
		address, _, _ := strings.Cut(rest, " ")
		a <- address
	}
	return len(line), nil
}

func TestRun(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	codes := map[string]bool{}
	for range 2 { // a second start finds the same authority, and is the same device
		log := make(addresses, 1)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- run(ctx, slog.New(slog.NewTextHandler(log, nil)), options{Addr: "127.0.0.1:0", Data: data, Profile: "mantra"})
		}()
		var address string
		select {
		case address = <-log:
		case err := <-ended:
			t.Fatal(err)
		}
		pid, err := os.ReadFile(filepath.Join(data, "rdsim.pid"))
		if err != nil || strings.TrimSpace(string(pid)) != strconv.Itoa(os.Getpid()) {
			t.Errorf("process id %q, %v", pid, err)
		}
		client, err := rdservice.New(rdservice.Config{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := client.Probe(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := client.Capture(t.Context(), s, rdservice.Options{})
		if err != nil || got.Judgement.Action != rdservice.Accept {
			t.Errorf("%+v, %v", got, err)
		}
		codes[got.Reply.Device.DC] = true
		// Whoever holds the data folder's key can open it, as the bank does.
		cert, key, err := rdcrypto.EnsureAuthority(filepath.Join(data, "authority"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rdcrypto.Open([]byte(got.PidData.Reveal()), key, cert); err != nil {
			t.Error(err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(data, "rdsim.pid")); !os.IsNotExist(err) {
			t.Errorf("the process id stayed: %v", err)
		}
	}
	if len(codes) != 1 || codes[""] {
		t.Errorf("the device has the codes %v", codes)
	}
}

// Several devices in one program: a fingerprint reader that answers at two
// addresses, and a face camera at an https address of its own.
func TestDevices(t *testing.T) {
	log := make(addresses, 3)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, slog.New(slog.NewTextHandler(log, nil)), options{
			Data: t.TempDir(), Device: []string{"mantra@127.0.0.1:0+https://127.0.0.1:0", "face@https://127.0.0.1:0"},
		})
	}()
	var at []string
	for range 3 {
		select {
		case address := <-log:
			at = append(at, address)
		case err := <-ended:
			t.Fatal(err)
		}
	}
	client, err := rdservice.New(rdservice.Config{FirstPort: 1, LastPort: 1, Extra: at})
	if err != nil {
		t.Fatal(err)
	}
	serials := map[string]int{}
	found, _, err := client.Survey(t.Context())
	for _, d := range found {
		serials[d.Info.DPID+" "+d.Info.Serial]++
	}
	if err != nil || serials["SIM.MANTRA SIM0000001"] == 0 || serials["SIM.FACE SIM0000002"] != 1 {
		t.Errorf("%v, %v", serials, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"mantra", "mantra@", "nobody@127.0.0.1:0", "plain@10.0.0.1:1", "plain@127.0.0.1:0+"} {
		if err := run(t.Context(), slog.New(slog.DiscardHandler), options{Data: t.TempDir(), Device: []string{wrong}}); err == nil {
			t.Errorf("--device %s was accepted", wrong)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "rdsim.pid"), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	err = run(t.Context(), log, options{Addr: settings.Address(l.Addr().String()), Data: data, Profile: "plain"})
	if err == nil || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("a taken port: %v", err)
	}
	if pid, err := os.ReadFile(filepath.Join(data, "rdsim.pid")); err != nil || string(pid) != "1\n" {
		t.Errorf("another program's process id was touched: %q, %v", pid, err)
	}
	if err := run(t.Context(), log, options{Addr: "0.0.0.0:1", Data: data, Profile: "plain"}); err == nil {
		t.Error("an address that is not loopback was served")
	}
	if err := os.WriteFile(filepath.Join(data, "authority", "authority.crt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), log, options{Addr: "127.0.0.1:0", Data: data, Profile: "plain"}); err == nil {
		t.Error("a damaged authority was used")
	}
}
