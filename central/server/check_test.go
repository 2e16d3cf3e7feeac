package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/central/keys"
	"galla/shared/freeport"
	"galla/shared/seal"
	"galla/shared/secret"
)

// productionFolder is a data folder with keys as an operator creates them.
func productionFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"fingerprint.key", "token-signing.key", "bank-network.key", keys.LogFile, keys.MasterFile} {
		if _, err := seal.EnsureKeyFile(filepath.Join(folder, "keys", name), rand.Reader); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// aBank answers requests; its clock differs from ours by off.
func aBank(t *testing.T, off time.Duration) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// contentsOf returns the names and contents of a folder's files.
func contentsOf(t *testing.T, folder string) string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		list = append(list, path+string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, "|")
}

// TestCheckWithoutADatabase: a check waits a few seconds for a database that does not
// answer, and then says where it is not.
func TestCheckWithoutADatabase(t *testing.T) {
	cfg := testConfig(t)
	addr := freeport.For(t)
	cfg.DatabaseURL = secret.NewToken("postgres://galla@" + addr + "/galla?sslmode=disable")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var out bytes.Buffer
	err := Check(ctx, cfg, nil, &out)
	_, problem, _ := strings.Cut(out.String(), "wrong  database: ")
	problem, _, _ = strings.Cut(problem, "\n")
	if err == nil || !strings.Contains(problem, "on "+addr) {
		t.Errorf("%v: %q\n%s", err, problem, out.String())
	}
}

// TestCheck: each fault has its line, beside the others, and a check changes nothing.
func TestCheck(t *testing.T) {
	const counting = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	write := func(name, text string, mode os.FileMode) func(*testing.T, *Config) {
		return func(t *testing.T, cfg *Config) {
			path := filepath.Join(cfg.Data, "keys", name)
			if err := os.WriteFile(path, []byte(text), mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*testing.T, *Config)
		wrong  []string // the beginnings of the wrong lines, in their order; none: all is well
	}{
		"all is well":     {nil, nil},
		"a weak key":      {write("fingerprint.key", counting, 0o600), []string{"wrong  keys: fingerprint.key is weak"}},
		"one of one byte": {write(keys.MasterFile, strings.Repeat("ab", 32), 0o600), []string{"wrong  keys: master key 1 of vendors' keys is weak"}},
		"a damaged key":   {write("token-signing.key", "no key", 0o600), []string{"wrong  keys: key file "}},
		"an open key":     {write("bank-network.key", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 0o644), []string{"wrong  keys: "}},
		"an absent bank":  {func(_ *testing.T, cfg *Config) { cfg.BankURL = "http://127.0.0.1:1" }, []string{"wrong  bank: it does not answer"}},
		"unencrypted":     {func(_ *testing.T, cfg *Config) { cfg.BankURL = "http://bank.example" }, []string{"wrong  bank: http://bank.example would send"}},
		"a bank's password": {func(_ *testing.T, cfg *Config) { cfg.BankURL = "http://galla:" + counting + "@127.0.0.1:1" }, []string{
			"wrong  configuration: the bank network's address", "wrong  bank: ",
		}},
		"a password and no address": {func(_ *testing.T, cfg *Config) { cfg.BankURL = "https//galla:" + counting + "@bank" }, []string{
			"wrong  configuration: the bank network's address", "wrong  bank: ",
		}},
		"a wrong clock":   {func(t *testing.T, cfg *Config) { cfg.BankURL = aBank(t, time.Hour) }, []string{"wrong  clock: it is "}},
		"a wrong setting": {func(_ *testing.T, cfg *Config) { cfg.Addr = "7100" }, []string{"wrong  configuration: direct address"}},
		"no such rules":   {func(_ *testing.T, cfg *Config) { cfg.LimitsFile = "absent" }, []string{"wrong  rules: limits"}},
		"two at one time": {func(_ *testing.T, cfg *Config) { cfg.LimitsFile, cfg.BankURL = "absent", "http://127.0.0.1:1" }, []string{
			"wrong  rules: limits", "wrong  bank: it does not answer",
		}},
		"a missing key": {func(t *testing.T, cfg *Config) {
			if err := os.Remove(filepath.Join(cfg.Data, "keys", "bank-network.key")); err != nil {
				t.Fatal(err)
			}
		}, []string{"wrong  keys: the central does not start without its keys; missing: "}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := testConfig(t)
			cfg.Sandbox, cfg.Data, cfg.BankURL = false, productionFolder(t), aBank(t, 0)
			if c.change != nil {
				c.change(t, &cfg)
			}
			before := contentsOf(t, cfg.Data)
			var out bytes.Buffer
			err := Check(t.Context(), cfg, nil, &out)
			var wrong []string
			for line := range strings.Lines(out.String()) {
				if strings.HasPrefix(line, "wrong") {
					wrong = append(wrong, line)
				}
			}
			if (err != nil) != (c.wrong != nil) || len(wrong) != len(c.wrong) {
				t.Fatalf("%v:\n%s", err, out.String())
			}
			for i, line := range wrong {
				if !strings.HasPrefix(line, c.wrong[i]) {
					t.Errorf("%q, want it to begin with %q", line, c.wrong[i])
				}
			}
			if strings.Contains(out.String(), counting) {
				t.Error("a key is quoted")
			}
			if after := contentsOf(t, cfg.Data); after != before {
				t.Error("the check has changed the data folder")
			}
		})
	}
}

// TestProductionRefusesTheSandbox: production refuses a sandbox's database, which accepts
// public credentials, and weak keys.
func TestProductionRefusesTheSandbox(t *testing.T) {
	cfg := testConfig(t)
	serving(t, cfg)()
	cfg.BankURL = aBank(t, 0)
	var out bytes.Buffer
	if err := Check(t.Context(), cfg, nil, &out); err != nil || !strings.Contains(out.String(), "with schema version") {
		t.Errorf("check of a sandbox: %v\n%s", err, out.String())
	}
	cfg.Sandbox = false
	out.Reset()
	if err := Check(t.Context(), cfg, nil, &out); err == nil || !strings.Contains(out.String(), "wrong  credentials: this database accepts the sandbox's public credentials (agg-galla, ") {
		t.Errorf("check of production on a sandbox's database: %v\n%s", err, out.String())
	}
	ctx, stop := context.WithTimeout(t.Context(), startTime)
	defer stop()
	if err := Run(ctx, cfg); err == nil || !strings.Contains(err.Error(), "vendor key d0000000-0000-4000-8000-000000000001") {
		t.Errorf("production on a sandbox's database: %v", err)
	}
	cfg.Data = productionFolder(t)
	weak := filepath.Join(cfg.Data, "keys", "bank-network.key")
	if err := os.WriteFile(weak, []byte(strings.Repeat("01", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Run(ctx, cfg); err == nil || !strings.Contains(err.Error(), "bank-network.key is weak") {
		t.Errorf("production with a weak key: %v", err)
	}
}

// TestProductionNeedsHTTPSToTheBank: a start is refused as check says.
func TestProductionNeedsHTTPSToTheBank(t *testing.T) {
	cfg := testConfig(t)
	cfg.Sandbox, cfg.Data, cfg.BankURL = false, productionFolder(t), "http://bank.example:7301"
	if err := Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "the bank: http://bank.example:7301 would send customers' numbers unencrypted") {
		t.Errorf("it starts: %v", err)
	}
}

// TestProductionRefusesReadableKeys: a start is refused if everybody on the machine can
// read a key.
func TestProductionRefusesReadableKeys(t *testing.T) {
	cfg := testConfig(t)
	cfg.Sandbox, cfg.Data, cfg.BankURL = false, productionFolder(t), aBank(t, 0)
	if err := os.Chmod(filepath.Join(cfg.Data, "keys", "token-signing.key"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), startTime)
	defer stop()
	if err := Run(ctx, cfg); err == nil || !strings.Contains(err.Error(), "token-signing.key can be read by everybody") {
		t.Errorf("it starts: %v", err)
	}
}
