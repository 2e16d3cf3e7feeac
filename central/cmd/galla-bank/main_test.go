package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"galla/shared/freeport"
	"galla/shared/settings"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// begin runs the program until stop is called.
func begin(t *testing.T, c cli) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- run(ctx, c, slog.New(slog.DiscardHandler)) }()
	return func() error {
		cancel()
		return <-done
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for range 500 {
		reply, err := client.Get(url)
		if err != nil {
			time.Sleep(10 * time.Millisecond) // it is starting
			continue
		}
		body, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	t.Fatalf("%s does not answer", url)
	return ""
}

func TestRun(t *testing.T) {
	publicAddr, networkAddr := freeport.For(t), freeport.For(t)
	c := cli{Addr: settings.Address("http://" + publicAddr), NetworkAddr: settings.Address(networkAddr), Data: filepath.Join(t.TempDir(), "data"), TimeScale: 1}
	pidFile := filepath.Join(c.Data, "bank.pid")

	stop := begin(t, c)
	trial := get(t, "http://"+publicAddr+"/books/trial")
	if !strings.Contains(trial, `"debitsPaise":112169617,"creditsPaise":112169617`) {
		t.Errorf("trial %s", trial)
	}
	if fault := get(t, "http://"+networkAddr+"/"); !strings.Contains(fault, "no such route") {
		t.Errorf("the network says %s", fault)
	}
	pid, err := os.ReadFile(pidFile)
	if err != nil || strings.TrimSpace(string(pid)) != strconv.Itoa(os.Getpid()) {
		t.Errorf("pid file %q, %v", pid, err)
	}
	for _, file := range []string{"keys/bank-network.key", "authority/authority.key", "bank/books.db", "bank/records.key"} {
		if _, err := os.Stat(filepath.Join(c.Data, file)); err != nil {
			t.Error(err)
		}
	}

	// A second one names the port, what to do, and leaves the first one's file.
	for want, second := range map[string]cli{
		"GALLA_BANK_ADDR=" + publicAddr:          {Addr: settings.Address(publicAddr), NetworkAddr: "127.0.0.1:0", Data: c.Data, TimeScale: 1},
		"GALLA_BANK_NETWORK_ADDR=" + networkAddr: {Addr: "127.0.0.1:0", NetworkAddr: settings.Address("http://" + networkAddr), Data: c.Data, TimeScale: 1},
	} {
		err := run(t.Context(), second, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "taken") {
			t.Errorf("a taken port: %v, want it named as %s", err, want)
		}
	}
	if _, err := os.Stat(pidFile); err != nil {
		t.Errorf("the pid file of the first is gone: %v", err)
	}

	// Its settlement file is fetched, and refusals say why.
	var file, said strings.Builder
	if err := (settlementCommand{Date: "2026-11-20"}).write(t.Context(), settings.Address(publicAddr), &file, &said); err != nil ||
		file.String() != "reference,rrn,stan,amount,code,time\nEND,2026-11-20,0,0.00,,\n" || said.Len() > 0 {
		t.Errorf("settlement: %q, %q, %v", file.String(), said.String(), err)
	}
	out := filepath.Join(t.TempDir(), "day.csv")
	if err := (settlementCommand{Date: "2026-11-20", With: "missing-here", Out: out}).write(t.Context(), settings.Address(publicAddr), &file, &said); err != nil || said.String() != "planted: missing-here=GL261120PLANTED000\n" {
		t.Errorf("planted: %q, %v", said.String(), err)
	}
	if text, err := os.ReadFile(out); err != nil || !strings.Contains(string(text), "GL261120PLANTED000,202611209999,999999,100.00,00,2026-11-20T12:00:00.000+05:30\n") {
		t.Errorf("the file: %s, %v", text, err)
	}
	if err := (settlementCommand{Date: "yesterday"}).write(t.Context(), settings.Address(publicAddr), &file, &said); err == nil || !strings.Contains(err.Error(), "HTTP 400") {
		t.Errorf("a date that is none: %v", err)
	}

	if err := stop(); err != nil {
		t.Errorf("stopping: %v", err)
	}
	if err := (settlementCommand{Date: "2026-11-20"}).write(t.Context(), settings.Address(publicAddr), &file, &said); err == nil || !strings.Contains(err.Error(), "must be running") {
		t.Errorf("without a bank: %v", err)
	}
	if _, err := os.Stat(pidFile); err == nil {
		t.Error("the pid file was left behind")
	}

	// A second life finds its data.
	stop = begin(t, c)
	if again := get(t, "http://"+publicAddr+"/books/trial"); again != trial {
		t.Errorf("trial %s, and before %s", again, trial)
	}
	if err := stop(); err != nil {
		t.Errorf("stopping: %v", err)
	}
}

func TestAddresses(t *testing.T) {
	for _, tt := range []struct{ public, net, wantPublic, wantNet, fault string }{
		{"http://127.0.0.1:7300", "", "127.0.0.1:7300", "127.0.0.1:7301", ""},
		{"127.0.0.1:7300", "", "127.0.0.1:7300", "127.0.0.1:7301", ""},
		{"http://127.0.0.1:7300/", "http://127.0.0.1:9000/", "127.0.0.1:7300", "127.0.0.1:9000", ""},
		{"[::1]:7300", "", "[::1]:7300", "[::1]:7301", ""},
		{"https://127.0.0.1:7300", "", "", "", "GALLA_BANK_ADDR"},
		{"127.0.0.1:65535", "", "", "", "GALLA_BANK_NETWORK_ADDR"},
		{"127.0.0.1:7300", "https://127.0.0.1:7301", "", "", "GALLA_BANK_NETWORK_ADDR"},
	} {
		publicAddr, networkAddr, err := addresses(cli{Addr: settings.Address(tt.public), NetworkAddr: settings.Address(tt.net)})
		if tt.fault != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("%q, %q: %v, want an error that names %s", tt.public, tt.net, err, tt.fault)
			}
			continue
		}
		if err != nil || publicAddr != tt.wantPublic || networkAddr != tt.wantNet {
			t.Errorf("%q, %q: %s, %s, %v", tt.public, tt.net, publicAddr, networkAddr, err)
		}
	}
	if err := run(t.Context(), cli{Addr: "127.0.0.1:1", TimeScale: 0}, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "GALLA_BANK_TIME_SCALE") {
		t.Errorf("a time scale of 0: %v", err)
	}
}

func TestNotifyURL(t *testing.T) {
	const central = "http://127.0.0.1:7100"
	for _, tt := range []struct{ notify, want, fault string }{
		{"", central, ""},
		{"none", "", ""},
		{"127.0.0.1:9000", "http://127.0.0.1:9000", ""},
		{"https://central.test", "https://central.test", ""},
		{"ws://127.0.0.1:9000", "", "http://"},
		{"http://127.0.0.1:9000/network", "", "without a path"},
	} {
		got, err := notifyURL(cli{Central: central, Notify: tt.notify})
		if got != tt.want || (err == nil) != (tt.fault == "") || err != nil && (!strings.Contains(err.Error(), tt.fault) || !strings.Contains(err.Error(), "GALLA_BANK_NOTIFY_URL")) {
			t.Errorf("%q: %q, %v; want %q, %q", tt.notify, got, err, tt.want, tt.fault)
		}
	}
}
