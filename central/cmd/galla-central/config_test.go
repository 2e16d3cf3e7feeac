package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"galla/central/server"
	"galla/installers"
	"galla/shared/settings"
)

// parse parses a command line with a settings resolver.
func parse(t *testing.T, args ...string) (*cli, *kong.Context, *settings.Resolver, error) {
	t.Helper()
	var c cli
	book := newBook()
	parser, err := kong.New(&c, kong.Bind(book))
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := parser.Parse(args)
	return &c, chosen, book, err
}

func settingsFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "central.toml")
	if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestConfigMasksSecrets: the settings in force are printed, with those of the command
// line, and without secrets.
func TestConfigMasksSecrets(t *testing.T) {
	t.Setenv("GALLA_PROVIDER", "FINO")
	_, chosen, book, err := parse(t, "--config", settingsFile(t, "drain-delay = '10s'\ntrusted-proxies = ['10.1.2.0/24']\n"), "config", "--bank-wait=9s")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	environment := []string{
		databaseURL + "=postgres://galla:hunter2@db/galla", masterKeys + "=" + strings.Repeat("5e", 32), "HOME=/root",
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=hunter2", "OTEL_EXPORTER_OTLP_TIMEOUT=5000", "OTEL_SERVICE_NAME=",
	}
	if err := book.Effective(chosen, environment, &out); err != nil {
		t.Fatal(err)
	}
	squeezed := strings.Join(strings.Fields(out.String()), " ")
	for _, line := range []string{
		`provider = "FINO" # environment GALLA_PROVIDER`, `bank-wait = "9s" # flag --bank-wait`, `admin-addr = "http://127.0.0.1:7101" # default`,
		`central.toml:1`, `trusted-proxies = ["10.1.2.0/24"]`, `# GALLA_DATABASE_URL=` + settings.Masked, "# " + masterKeys + "=" + settings.Masked,
		"# OTEL_EXPORTER_OTLP_HEADERS=" + settings.Masked, "# OTEL_EXPORTER_OTLP_TIMEOUT=5000",
	} {
		if !strings.Contains(squeezed, line) {
			t.Errorf("the settings have no line %s:\n%s", line, out.String())
		}
	}
	for _, not := range []string{"hunter2", "5e5e", "HOME", "OTEL_SERVICE_NAME"} {
		if strings.Contains(out.String(), not) {
			t.Errorf("%s is printed", not)
		}
	}
}

// TestConfigPrintsEffectiveSettings: defaults are printed as the central uses them, also
// those of traces.
func TestConfigPrintsEffectiveSettings(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	file := settingsFile(t, "data = '/srv/galla'\naddr = 'http://10.0.0.1:7777'\ndatabase-url = 'postgres://galla@db/galla'\ngateway-burst = 0\notlp-endpoint = 'http://c.example:4318'\n")
	code, said := program(t, []string{"OTEL_TRACES_SAMPLER=always_off", "OTEL_EXPORTER_OTLP_HEADERS=authorization=hunter2"}, "--config", file, "config")
	squeezed := strings.Join(strings.Fields(said), " ")
	for _, line := range []string{
		`gateway-rate = 50.0 # default`, `direct-rate = 500.0 # default`, `direct-burst = 1000 # default`, `direct-concurrency = 2048 # default`, `bank-concurrency = 1024 # default`, `bank-enquiries = 256 # default`, `gateway-unknown-rate = 2000.0 # default`, `gateway-concurrency = 256 # default`, `uplink-greetings = 256 # default`, `gateway-burst = 500 #`, `body-retention = "4320h0m0s" # default`,
		`archive-folder = "/srv/galla/archive" # default`, `pid-file = "/srv/galla/central.pid" # default`, `node = "` + host + `-7777" # default`,
		`uplink-url = "ws://127.0.0.1:7102/uplink" # default`, `otlp-endpoint = "http://c.example:4318" # ` + file + `:5`, `trace-share = 0.0 #`,
	} {
		if code != 0 || !strings.Contains(squeezed, line) {
			t.Errorf("exit status %d, and no line is %s:\n%s", code, line, said)
		}
	}
	code, again := program(t, []string{"OTEL_TRACES_SAMPLER=always_off"}, "--config", settingsFile(t, said), "config")
	if values := func(text string) (out []string) {
		for line := range strings.Lines(text) {
			if name, _, _ := strings.Cut(line, "#"); name != "" {
				out = append(out, strings.TrimSpace(name))
			}
		}
		return out
	}; code != 0 || strings.Join(values(again), "\n") != strings.Join(values(said), "\n") {
		t.Errorf("the printed file gives other settings: %d\n%s\n%s", code, said, again)
	}
}

// TestFile: the settings file reaches the central's configuration in every command; secrets
// in it are refused.
func TestFile(t *testing.T) {
	name := settingsFile(t, `data = "/srv/galla"
addr = "http://10.0.0.1:80"
database-url = "postgres://galla@db/galla"
trusted-proxies = ["10.1.2.0/24"]
gateway-rate = 5
body-retention = "2400h"
log-format = "text"
`)
	for _, command := range []string{"run", "check"} {
		c, _, _, err := parse(t, "--config", name, command)
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := c.config(command)
		if err != nil {
			t.Fatal(err)
		}
		r := &c.Run
		if command == "check" {
			r = &c.Check
		}
		if cfg, err = r.settings(cfg); err != nil {
			t.Fatal(err)
		}
		if cfg.Data != "/srv/galla" || cfg.Addr != "10.0.0.1:80" || cfg.DatabaseURL.Reveal() != "postgres://galla@db/galla" ||
			len(cfg.TrustedProxies) != 1 || cfg.Load.GatewayRate != 5 || cfg.BodyRetention.Hours() != 2400 || c.LogFormat != "text" {
			t.Errorf("%s: %+v", command, cfg)
		}
	}
	for text, want := range map[string]string{
		"vendor-master-key = '5e5e'": "vendor-master.key",
		"GALLA_DATABASE_URL = 'x'":   "GALLA_DATABASE_URL",
		"database-password = 'x'":    "PGPASSFILE",
		"uplink = 'x'":               ":1: there is no setting",
	} {
		if _, _, _, err := parse(t, "--config", settingsFile(t, text), "run"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "5e5e") {
			t.Errorf("%s: %v", text, err)
		}
	}
	c, _, _, err := parse(t, "--config", settingsFile(t, "database-url = 'postgres://galla:hunter2@db/galla'"), "run")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.config("run"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a password in the file: %v", err)
	}
}

// TestInstalledFile: the program reads the packaged file, also with all its lines
// uncommented.
func TestInstalledFile(t *testing.T) {
	text, err := os.ReadFile("../../../installers/linux/central.toml")
	if err != nil {
		t.Fatal(err)
	}
	every := strings.ReplaceAll("\n"+string(text), "\n#", "\n")
	every = strings.ReplaceAll(every, "\n ", "\n# ")
	for _, text := range []string{string(text), every} {
		c, chosen, book, err := parse(t, "--config", settingsFile(t, text), "run")
		if err != nil {
			t.Fatal(err)
		}
		if c.Data != installers.LinuxCentralData {
			t.Errorf("the data folder is %s, the package's %s", c.Data, installers.LinuxCentralData)
		}
		var out bytes.Buffer
		if err := book.Effective(chosen, nil, &out); err != nil {
			t.Fatal(err)
		}
		if text == every && strings.Count(out.String(), "# default") > 0 {
			t.Errorf("central.toml does not speak of each setting:\n%s", out.String())
		}
	}
}

// TestNoKeptConnections: 0s is none, and not the default.
func TestNoKeptConnections(t *testing.T) {
	for flag, want := range map[string]time.Duration{"--bank-idle=0s": -1, "--bank-idle=2s": 2 * time.Second, "--bank-wait=9s": 3 * time.Second} {
		c, _, _, err := parse(t, "run", flag)
		if err != nil {
			t.Fatal(err)
		}
		if cfg, err := c.Run.settings(server.Config{}); err != nil || cfg.BankIdle != want {
			t.Errorf("%s: connections are kept for %s, %v; want %s", flag, cfg.BankIdle, err, want)
		}
	}
}
