package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"database/sql"
	"encoding/hex"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"galla/central/store"
	"galla/shared/freeport"
	"galla/shared/smalldisk"
)

// asProgram is a variable that makes the test binary run main.
const asProgram = "GALLA_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program runs galla-central with its own environment, and returns its exit status and
// output.
func program(t *testing.T, environment []string, args ...string) (int, string) {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), own, args...)
	cmd.Env = append([]string{asProgram + "=1", "HOME=" + t.TempDir()}, environment...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// site is everything that a production central needs; a test may break each part.
type site struct {
	t           *testing.T
	data        string
	flags       map[string]string
	environment []string
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, data: t.TempDir(), flags: map[string]string{"bank": bankOf(t, 0)}}
	for name, scheme := range map[string]string{"addr": "http://", "admin-addr": "http://", "uplink-addr": "ws://"} {
		s.flags[name] = scheme + freeport.For(t)
	}
	for _, name := range []string{"fingerprint", "token-signing", "bank-network", "log-signing", "vendor-master"} {
		key := make([]byte, 32)
		if _, err := rand.Read(key); err != nil {
			t.Fatal(err)
		}
		s.key(name, hex.EncodeToString(key))
	}
	return s
}

func (s *site) key(name, text string) {
	s.t.Helper()
	s.must(os.MkdirAll(filepath.Join(s.data, "keys"), 0o700))
	s.must(os.WriteFile(filepath.Join(s.data, "keys", name+".key"), []byte(text), 0o600))
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// check runs 'galla-central check' there.
func (s *site) check() (int, string) {
	s.t.Helper()
	args := []string{"--data=" + s.data, "check"}
	for name, value := range s.flags {
		args = append(args, "--"+name+"="+value)
	}
	return program(s.t, s.environment, args...)
}

// bankOf is a bank whose clock is off.
func bankOf(t *testing.T, off time.Duration) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// guarded is a PostgreSQL that refuses every password; it returns its address.
func guarded(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			server := pgproto3.NewBackend(conn, conn)
			if _, err = server.ReceiveStartupMessage(); err == nil {
				server.Send(&pgproto3.AuthenticationCleartextPassword{})
				err = server.Flush()
			}
			if err == nil {
				_ = server.SetAuthType(pgproto3.AuthTypeCleartextPassword)
				_, err = server.Receive()
			}
			if err == nil {
				server.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "28P01", Message: `password authentication failed for user "galla"`})
				_ = server.Flush()
			}
			_ = conn.Close()
		}
	}()
	return l.Addr().String()
}

// certificate writes a certificate that ends at a time, with its key, and returns the files.
func certificate(t *testing.T, ends time.Time) (cert, private string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: ends.Add(-time.Hour), NotAfter: ends}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert, private = filepath.Join(t.TempDir(), "tls.crt"), filepath.Join(t.TempDir(), "tls.key")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, private: {Type: "PRIVATE KEY", Bytes: sealed}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, private
}

// newer creates a database of a later release.
func newer(s *site) {
	folder := filepath.Join(s.data, "central")
	s.must(os.MkdirAll(folder, 0o700))
	file := filepath.Join(folder, "central.db")
	db, err := store.OpenSQLite(s.t.Context(), file, store.Config{Node: "n", Logger: slog.New(slog.DiscardHandler)})
	s.must(err)
	s.must(db.Close())
	raw, err := sql.Open("sqlite3", file)
	s.must(err)
	_, err = raw.Exec(`INSERT INTO schema_versions (version_id, is_applied) VALUES (4711, 1)`)
	s.must(err)
	s.must(raw.Close())
}

// faults break a site, each in one way, and say what check must print: what is wrong, with
// what, and what to do.
func faults() map[string]struct {
	make func(*site)
	want []string
} {
	type fault = struct {
		make func(*site)
		want []string
	}
	return map[string]fault{
		"a short key": {func(s *site) { s.key("fingerprint", "abcd") }, []string{"wrong  keys: ", "fingerprint.key", "64 hex characters", "backup"}},
		"a key that can't be read": {func(s *site) {
			s.must(os.Remove(filepath.Join(s.data, "keys", "token-signing.key")))
			s.must(os.Mkdir(filepath.Join(s.data, "keys", "token-signing.key"), 0o700))
		}, []string{"wrong  keys: ", "token-signing.key"}},
		"no key":     {func(s *site) { s.must(os.Remove(filepath.Join(s.data, "keys", "bank-network.key"))) }, []string{"wrong  keys: ", "missing: ", "bank-network.key"}},
		"a weak key": {func(s *site) { s.key("vendor-master", strings.Repeat("ab", 32)) }, []string{"wrong  keys: ", "is weak", "openssl rand"}},
		"a wrong password": {func(s *site) {
			s.environment = append(s.environment, "GALLA_DATABASE_URL=postgres://galla:hunter2@"+guarded(s.t)+"/galla?sslmode=disable")
		}, []string{"wrong  database: ", "refuses this user", "check the user, the password"}},
		"a password for all to see": {func(s *site) { s.flags["database-url"] = "postgres://galla:hunter2@db/galla" }, []string{"wrong  configuration: ", "PGPASSFILE"}},
		"a newer schema":            {newer, []string{"wrong  database: ", "4711", "start the newer program"}},
		"no bank":                   {func(s *site) { s.flags["bank"] = "http://" + freeport.For(s.t) }, []string{"wrong  bank: ", "look at the address"}},
		"a wrong clock":             {func(s *site) { s.flags["bank"] = bankOf(s.t, -time.Hour) }, []string{"wrong  clock: ", "1h0m0s", "NTP"}},
		"an ended certificate": {func(s *site) { s.flags["tls-cert"], s.flags["tls-key"] = certificate(s.t, time.Now().Add(-time.Hour)) },
			[]string{"wrong  certificate: ", "tls.crt", "renew it"}},
		"one that ends soon": {func(s *site) {
			s.flags["tls-cert"], s.flags["tls-key"] = certificate(s.t, time.Now().Add(24*time.Hour))
		},
			[]string{"wrong  certificate: ", "tls.crt", "renew it"}},
		"another one's key": {func(s *site) {
			s.flags["tls-cert"], _ = certificate(s.t, time.Now().Add(1000*time.Hour))
			_, s.flags["tls-key"] = certificate(s.t, time.Now().Add(1000*time.Hour))
		}, []string{"wrong  certificate: ", "tls.key", "as a pair"}},
		"no key of it":    {func(s *site) { s.flags["tls-cert"], _ = certificate(s.t, time.Now().Add(1000*time.Hour)) }, []string{"wrong  configuration: ", "give both files"}},
		"a taken port":    {taken, []string{"wrong  addresses: ", "another central", "in use"}},
		"a shut folder":   {func(s *site) { s.data = "/proc/galla" }, []string{"wrong  data folder: ", "/proc/galla", "give it to the account"}},
		"a wrong proxy":   {func(s *site) { s.flags["trusted-proxies"] = "0.0.0.0/0" }, []string{"wrong  configuration: ", "trusted proxy"}},
		"a wrong share":   {func(s *site) { s.flags["trace-share"] = "7" }, []string{"wrong  configuration: ", "trace-share"}},
		"bodies of a day": {func(s *site) { s.flags["body-retention"] = "24h" }, []string{"wrong  configuration: ", "720h"}},
		"a master key that is none": {func(s *site) { s.environment = append(s.environment, "GALLA_VENDOR_MASTER_KEY=abcd") },
			[]string{"wrong  configuration: ", "GALLA_VENDOR_MASTER_KEY", "64 hex"}},
		"no limits": {func(s *site) { s.flags["limits"] = "/nowhere/limits.json" }, []string{"wrong  rules: limits", "/nowhere/limits.json"}},
	}
}

// taken occupies the uplink address.
func taken(s *site) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	s.t.Cleanup(func() { _ = l.Close() })
	s.flags["uplink-addr"] = "ws://" + l.Addr().String()
}

// TestCheckSaysWhatIsWrong breaks one thing at a time, and runs the program.
func TestCheckSaysWhatIsWrong(t *testing.T) {
	if code, said := newSite(t).check(); code != 0 || strings.Contains(said, "wrong") {
		t.Fatalf("a good site: %d\n%s", code, said)
	}
	for name, f := range faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // some wait for an answer
			s := newSite(t)
			f.make(s)
			code, said := s.check()
			line := ""
			for l := range strings.Lines(said) {
				if strings.HasPrefix(l, strings.TrimSpace(f.want[0])) {
					line = l
				}
			}
			for _, want := range f.want {
				if code != 1 || !strings.Contains(line, want) {
					t.Errorf("exit status %d, and no line has %q:\n%s", code, f.want, said)
					break
				}
			}
			if strings.Contains(said, "hunter2") || strings.Contains(said, "abababab") {
				t.Errorf("a secret is shown:\n%s", said)
			}
		})
	}
}

// TestCheckSaysEverythingAtOnce breaks many things, and finds all in one run.
func TestCheckSaysEverythingAtOnce(t *testing.T) {
	s := newSite(t)
	all := faults()
	var want []string
	for _, name := range []string{"a short key", "a key that can't be read", "no key", "a wrong password", "no bank", "an ended certificate", "a taken port", "a wrong proxy", "a wrong share", "no limits"} {
		all[name].make(s)
		want = append(want, all[name].want[0], all[name].want[1])
	}
	code, said := s.check()
	for _, text := range want {
		if code != 1 || !strings.Contains(said, text) {
			t.Errorf("exit status %d, and nothing has %q:\n%s", code, text, said)
		}
	}
}

// TestCheckOnAFullDisk looks at a data folder on a disk of some megabytes.
func TestCheckOnAFullDisk(t *testing.T) {
	smalldisk.Run(t, 8, func(t *testing.T, dir string) {
		s := newSite(t)
		if err := os.CopyFS(filepath.Join(dir, "data"), os.DirFS(s.data)); err != nil {
			t.Fatal(err)
		}
		s.data = filepath.Join(dir, "data")
		if code, said := s.check(); code != 1 || !strings.Contains(said, "wrong  data folder: the disk of "+s.data) || !strings.Contains(said, "make it 1024 MB") {
			t.Errorf("%d\n%s", code, said)
		}
	})
}
