package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"galla/installers"
)

// TestFile: what the file says reaches every command, and what is secret is sent
// elsewhere.
func TestFile(t *testing.T) {
	parse := func(text string, args ...string) (*cli, string, error) {
		t.Helper()
		name := filepath.Join(t.TempDir(), "edge.toml")
		if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		var c cli
		book := newSettingsBook()
		parser, err := kong.New(&c, kong.Bind(book))
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := parser.Parse(append([]string{"--config", name}, args...))
		if err != nil {
			return nil, "", err
		}
		var out bytes.Buffer
		return &c, out.String(), book.Effective(chosen, nil, &out)
	}
	c, _, err := parse("data = '/srv/galla'\naddr = '127.0.0.1:7300'\nrd-sim = 'http://127.0.0.1:9'\n", "check")
	if err != nil || c.Data != "/srv/galla" || c.Check.Addr != "127.0.0.1:7300" || c.Check.RDSim != "http://127.0.0.1:9" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, _, err = parse("addr = '127.0.0.1:7300'\n", "doctor"); err != nil || c.Doctor.Addr != "127.0.0.1:7300" {
		t.Errorf("the doctor: %v", err)
	}
	for _, name := range []string{"agent-pin", "PIN", "aadhaar", "enrolment_code", "queue-key"} {
		if _, _, err := parse(name+" = '2580'", "run"); err == nil || !strings.Contains(err.Error(), "is a secret") || strings.Contains(err.Error(), "2580") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Where traces go, and what part of them: shown as it works, and once.
	t.Setenv("OTEL_TRACES_SAMPLER", "traceidratio")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0.25")
	c, _, err = parse("otlp-endpoint = 'http://collector.example:4318'\ntrace-share = 0.5\n", "config")
	if err != nil {
		t.Fatal(err)
	}
	if traces, err := c.Config.Traces.Config(os.Getenv); err != nil || traces == nil || traces.Endpoint != "http://collector.example:4318" || traces.Share != 0.25 {
		t.Errorf("traces of the file: %+v, %v", traces, err)
	}
	// The files that are handed out, as they are and with each line in force.
	for file, data := range map[string]string{"linux": installers.LinuxEdgeData, "windows": ".galla"} {
		text, err := os.ReadFile("../../../installers/" + file + "/edge.toml")
		if err != nil {
			t.Fatal(err)
		}
		every := strings.ReplaceAll(strings.ReplaceAll("\n"+string(text), "\n#", "\n"), "\n ", "\n# ")
		for _, text := range []string{string(text), every, strings.ReplaceAll(every, "\n", "\r\n"), "\uFEFF" + string(text)} {
			if c, _, err = parse(text, "run"); err != nil || c.Data != data {
				t.Errorf("%v in\n%s", err, text)
			}
		}
		if c, _, err = parse(every, "run"); err != nil || c.Run.RDSim == "" || c.Run.SandboxBank == "" || c.Run.LogFormat == "" || c.Run.Updates == "" || c.Run.Traces.Endpoint == "" {
			t.Errorf("the file of %s does not speak of each setting: %v", file, err)
		}
	}
}

// TestBeside: what the setup asks the program that it brings.
func TestBeside(t *testing.T) {
	for _, c := range []struct {
		own, installed string
		older          bool
	}{
		{"1.0.0", "1.0.1", true}, {"1.0.1", "1.0.0", false}, {"1.0.0", "1.0.0", false}, {"1.0.0-rc.1", "1.0.0", true}, {"1.10.0", "1.9.0", false},
		{"(devel)", "1.0.0", false}, {"1.0.0", "(devel)", false}, {"1.0.0", "", false},
	} {
		if err := checkNotOlder(c.own, c.installed); errors.Is(err, errOlder) != c.older || (err != nil) != c.older {
			t.Errorf("%s beside %s: %v", c.own, c.installed, err)
		}
	}
}
