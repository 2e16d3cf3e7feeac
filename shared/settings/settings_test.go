package settings

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// program is a program's command line, with a setting of each kind.
type program struct {
	Config Path   `env:"TEST_CONFIG" help:"The file."`
	Data   string `env:"TEST_DATA" default:".data" help:"A text."`
	Base   string `setting:"TEST_BASE" help:"A text whose variable is read elsewhere."`

	Run struct {
		Wait    time.Duration `env:"TEST_WAIT" default:"15s" help:"A time."`
		Nets    []string      `name:"trusted-nets" env:"TEST_NETS" help:"A list."`
		Sandbox bool          `env:"TEST_SANDBOX" help:"A switch."`
		Rate    float64       `env:"TEST_RATE" help:"A number."`
		Burst   int           `env:"TEST_BURST" default:"7" help:"A whole number."`
		Form    string        `env:"TEST_FORM" enum:"json,text" default:"json" help:"A choice."`
		By      string        `help:"No setting."`
	} `cmd:"" default:"withargs" help:"Run."`
	Other struct {
		Place string `env:"TEST_PLACE" help:"A setting of another command."`
	} `cmd:"" help:"Other."`
}

func book() *Resolver {
	return New(Config{
		SecretNames:     map[string]string{"master-key": "it belongs into keys/", "code": "name its file with --code-file"},
		SecretVariables: []string{"TEST_BASE", "TEST_MASTER"}, VariablePrefixes: []string{"OTEL_"},
	})
}

// write puts a file of settings.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program.toml")
	if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return name
}

// read reads a command line with a file.
func read(t *testing.T, b *Resolver, text string, args ...string) (*program, *kong.Context, error) {
	t.Helper()
	p := &program{}
	k, err := kong.New(p, kong.Bind(b), kong.Exit(func(int) { t.Error("kong ended the program") }))
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.Parse(append([]string{"--config", write(t, text)}, args...))
	return p, c, err
}

const full = `# every kind
data = "/srv/data"
wait = "3s"
trusted-nets = [
  "10.0.0.0/8",
  "::1/128",
]
sandbox = true
rate = 2.5
burst = 9
form = 'text'
place = """over
lines"""
base = "postgres://galla@db/galla"
`

func TestEveryKind(t *testing.T) {
	p, _, err := read(t, book(), full)
	if err != nil {
		t.Fatal(err)
	}
	if p.Data != "/srv/data" || p.Run.Wait != 3*time.Second || strings.Join(p.Run.Nets, " ") != "10.0.0.0/8 ::1/128" ||
		!p.Run.Sandbox || p.Run.Rate != 2.5 || p.Run.Burst != 9 || p.Run.Form != "text" || p.Base != "postgres://galla@db/galla" {
		t.Errorf("%+v", p)
	}
	if p, _, err = read(t, book(), "rate = 4\nplace = 'here'\n", "other"); err != nil || p.Run.Rate != 0 || p.Other.Place != "here" {
		t.Errorf("another command: %+v, %v", p, err)
	}
	if _, _, err = read(t, book(), "\xef\xbb\xbfwait = \"3s\"\r\nburst = 1\r\n"); err != nil {
		t.Errorf("a file of Windows' editor: %v", err)
	}
}

// TestOrder: a flag wins over the environment, the environment over the file, the
// file over the default.
func TestOrder(t *testing.T) {
	p, _, err := read(t, book(), "data = 'file'\nwait = '3s'\n")
	if err != nil || p.Data != "file" || p.Run.Burst != 7 {
		t.Errorf("file over default: %+v, %v", p, err)
	}
	t.Setenv("TEST_DATA", "environment")
	t.Setenv("TEST_BASE", "elsewhere")
	if p, _, err = read(t, book(), "data = 'file'\nbase = 'file'\n"); err != nil || p.Data != "environment" || p.Base != "" {
		t.Errorf("environment over file: %+v, %v", p, err)
	}
	if p, _, err = read(t, book(), "data = 'file'\nwait = '3s'\n", "--data=flag", "run", "--wait=4s"); err != nil || p.Data != "flag" || p.Run.Wait != 4*time.Second {
		t.Errorf("flag over both: %+v, %v", p, err)
	}
	t.Setenv("TEST_CONFIG", write(t, "burst = 11"))
	k, err := kong.New(p, kong.Bind(book()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Parse(nil); err != nil || p.Run.Burst != 11 {
		t.Errorf("the file that the environment names: %+v, %v", p, err)
	}
}

func TestRefused(t *testing.T) {
	const secret = "hunter2"
	for name, c := range map[string]struct{ text, want string }{
		"unknown":              {"data = 'x'\n\nwiat = '3s'\n", `:3: there is no setting "wiat"`},
		"no setting":           {"by = 'x'", `:1: there is no setting "by"`},
		"the file itself":      {"config = 'x'", `:1: there is no setting "config"`},
		"the variable's name":  {"\nTEST_NETS = ['10.0.0.0/8']", `:2: there is no setting "TEST_NETS"; did you mean "trusted-nets"?`},
		"an underscore":        {"trusted_nets = []", `did you mean "trusted-nets"?`},
		"a table":              {"data = 'x'\n[run]\nwait = '3s'\n", `:2: there is no setting "run"`},
		"a table of a setting": {"[data]\nx = 1\n", `:1: data wants a text`},
		"dots":                 {"\nrun.wait = '3s'\n", `:2: there is no setting "run"`},
		"twice":                {"wait = '3s'\nburst = 1\nwait = '4s'\n", `:3: this can't be read`},
		"no quotes":            {"wait = '3s'\ndata = " + secret, `:2: this can't be read`},
		"no end":               {"data = '''\n" + secret, `can't be read`},
		"a secret":             {"burst = 1\nmaster-key = '" + secret + "'", `:2: "master-key" is a secret and is not allowed in this file: it belongs into keys/`},
		"a variable's secret":  {"TEST_MASTER = '" + secret + "'", `give it in the environment, as TEST_MASTER`},
		"a password":           {"database_password = '" + secret + "'", `:1: "database_password" is a secret`},
		"a text for a time":    {"wait = 'soon'", `:1: wait: `},
		"a number for a time":  {"wait = 3", `:1: wait wants a time with its unit`},
		"a text for a number":  {"burst = '3'", `:1: burst wants a number`},
		"a fraction":           {"burst = 3.5", `:1: burst wants a number`},
		"a text for a list":    {"trusted-nets = '10.0.0.0/8'", `wants a list of texts`},
		"commas in a list":     {"trusted-nets = ['10.0.0.0/8,0.0.0.0/0']", `without commas`},
		"numbers in a list":    {"trusted-nets = [1]", `wants a list`},
		"a number for a text":  {"data = 1", `:1: data wants a text`},
		"a text for a switch":  {"sandbox = 'no'", `:1: sandbox wants true or false`},
		"no choice":            {"\n\nform = 'xml'", `:3: form is one of json,text`},
		"a day":                {"data = 2026-11-22", `:1: data wants a text`},
		"too large":            {strings.Repeat("# long\n", maxFile/7+1), "it is not one"},
		"no text at all":       {"\x00\x01", "can't be read"},
	} {
		_, _, err := read(t, book(), c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
			continue
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error tells the secret: %v", name, err)
		}
	}
	// All faults at once.
	if _, _, err := read(t, book(), "a = 1\nb = 2\n"); err == nil || strings.Count(err.Error(), "program.toml:") != 2 {
		t.Errorf("two faults: %v", err)
	}
	_, _, err := read(t, book(), "", "--config=/nowhere/x.toml")
	if err == nil || !strings.Contains(err.Error(), "/nowhere/x.toml") {
		t.Errorf("no file: %v", err)
	}
	if _, _, err := read(t, book(), "", "--config="+t.TempDir()); err == nil || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("a folder: %v", err)
	}
}

func TestWritableByOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // modes say nothing there (owner_windows.go)
	}
	for mode, fine := range map[os.FileMode]bool{0o600: true, 0o640: true, 0o644: true, 0o660: false, 0o602: false, 0o666: false} {
		name := write(t, "burst = 1")
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		k, err := kong.New(&program{}, kong.Bind(book()))
		if err != nil {
			t.Fatal(err)
		}
		_, err = k.Parse([]string{"--config", name})
		if (err == nil) != fine || err != nil && !strings.Contains(err.Error(), "chmod go-w") {
			t.Errorf("%o: %v", mode, err)
		}
	}
	if os.Geteuid() != 0 {
		return // only root gives files away
	}
	name := write(t, "burst = 1")
	if err := os.Chown(name, 4711, 4711); err != nil {
		t.Fatal(err)
	}
	k, err := kong.New(&program{}, kong.Bind(book()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = k.Parse([]string{"--config", name}); err == nil || !strings.Contains(err.Error(), "4711") {
		t.Errorf("somebody else's file: %v", err)
	}
}

// TestEffective: each setting is printed with where it comes from, nothing secret is
// printed, and the output is a file that gives the same settings.
func TestEffective(t *testing.T) {
	t.Setenv("TEST_RATE", "1.5")
	b := book()
	p, c, err := read(t, b, "data = 'a \"b\" \\ c'\ntrusted-nets = ['10.0.0.0/8']\nrate = 9\n", "run", "--wait=9s")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	environment := []string{"TEST_BASE=hunter2", "OTEL_EXPORTER_OTLP_HEADERS=hunter2", "OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_X=http://a:hunter2@c", "OTEL_SERVICE_NAME=", "HOME=/root"}
	if err := b.Effective(c, environment, &out); err != nil {
		t.Fatal(err)
	}
	squeezed := strings.Join(strings.Fields(out.String()), " ")
	for _, line := range []string{
		`wait = "9s" # flag --wait`, `rate = 1.5 # environment TEST_RATE`, `program.toml:1`, `trusted-nets = ["10.0.0.0/8"] # `, `burst = 7 # default`,
		`# TEST_BASE=` + Masked, `# OTEL_EXPORTER_OTLP_HEADERS=` + Masked, `# OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318`, `# OTEL_X=` + Masked,
	} {
		if !strings.Contains(squeezed, line) {
			t.Errorf("there is no %s in\n%s", line, out.String())
		}
	}
	for _, not := range []string{"hunter2", "HOME", "OTEL_SERVICE_NAME", "config =", "by ="} {
		if strings.Contains(out.String(), not) {
			t.Errorf("%s is printed", not)
		}
	}
	_ = os.Unsetenv("TEST_RATE")
	again, _, err := read(t, book(), out.String())
	if err != nil || again.Data != p.Data || again.Run.Wait != p.Run.Wait || again.Run.Rate != p.Run.Rate || strings.Join(again.Run.Nets, "") != strings.Join(p.Run.Nets, "") || again.Run.Burst != p.Run.Burst {
		t.Errorf("the output gives other settings: %+v, %v\n%s", again, err, out.String())
	}
}

// FuzzParse: whatever a file holds, it is read or refused; each name has a line
// of the file.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{full, "", "a.b = 1", "[a]\nb=1\n[[c]]\n", "a = '''\n'''", "x", "a=1\r\nb=2", "\"\" = 1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<10 {
			return
		}
		all, err := parse("file", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "file:") {
				t.Errorf("%v", err)
			}
			return
		}
		for _, a := range all {
			if a.line < 1 || a.line > strings.Count(text, "\n")+1 {
				t.Errorf("%q stands at line %d of %d", a.name, a.line, strings.Count(text, "\n")+1)
			}
		}
	})
}
