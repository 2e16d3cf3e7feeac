//go:build linux

package ha

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"galla/shared/files"
)

// start makes a cluster for a test.
func start(t *testing.T) *Cluster {
	t.Helper()
	folder, err := os.MkdirTemp("", "galla-ha-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	began := time.Now()
	c, err := Start(folder, 1, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	t.Logf("primary, standby and proxy after %.1f s", time.Since(began).Seconds())
	return c
}

// query asks the primary, through the proxy.
func query(t *testing.T, c *Cluster, statement string, into ...any) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	db, err := pgx.Connect(ctx, c.URL(c.Proxy(0)))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close(ctx) }()
	if into == nil {
		_, err = db.Exec(ctx, statement)
		return err
	}
	return db.QueryRow(ctx, statement).Scan(into...)
}

// TestCluster compares a running cluster with the guide: who may connect, what a commit
// waits for, that a planned switch loses nothing, and that a killed server comes back.
// The parts share one cluster, since making one takes longest.
func TestCluster(t *testing.T) {
	c := start(t)
	if t.Run("in good order", func(t *testing.T) { inGoodOrder(t, c) }) {
		t.Run("the server killed", func(t *testing.T) { serverKilled(t, c) })
	}
}

func inGoodOrder(t *testing.T, c *Cluster) {
	if err := query(t, c, `CREATE TABLE kept (n INTEGER)`); err != nil {
		t.Fatal(err)
	}
	var version, commit, waits, sums string
	if err := query(t, c, `SELECT (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()), current_setting('synchronous_commit'), current_setting('synchronous_standby_names'), current_setting('data_checksums')`,
		&version, &commit, &waits, &sums); err != nil {
		t.Fatal(err)
	}
	old, err := c.AwaitPrimary()
	if err != nil {
		t.Fatal(err)
	}
	if version != "TLSv1.3" || commit != "on" || !strings.Contains(waits, other(old)) || sums != "on" {
		t.Errorf("%s, synchronous_commit %s, standbys %q, checksums %s", version, commit, waits, sums)
	}
	refuses(t, c, old)

	// Planned, as for an update of the machine.
	if err := query(t, c, `INSERT INTO kept SELECT generate_series(1, 1000)`); err != nil {
		t.Fatal(err)
	}
	if out, err := c.Control("switchover", "galla", "--leader", old, "--candidate", other(old), "--force"); err != nil {
		t.Fatalf("patronictl switchover: %v\n%s", err, out)
	}
	if err := c.AwaitStandby(old); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := query(t, c, `SELECT count(*) FROM kept`, &n); err != nil || n != 1000 {
		t.Errorf("after the switch: %d rows, %v", n, err)
	}
	if out, err := c.Control("list"); err != nil || !regexp.MustCompile(`Sync Standby\s*\|\s*(running|streaming)`).MatchString(out) {
		t.Errorf("patronictl list: %v\n%s", err, out)
	}
}

// serverKilled kills only PostgreSQL, on a primary's host that stays up: nothing that
// was acknowledged is lost, and changes are accepted again without anybody's help.
func serverKilled(t *testing.T, c *Cluster) {
	if err := query(t, c, `CREATE TABLE kept_on (n INTEGER)`); err != nil {
		t.Fatal(err)
	}
	primary, err := c.AwaitPrimary()
	if err != nil {
		t.Fatal(err)
	}
	if err := query(t, c, `INSERT INTO kept_on SELECT generate_series(1, 1000)`); err != nil {
		t.Fatal(err)
	}
	server := postmaster(t, filepath.Join(c.host(primary).folder, "data"))
	if err := files.Signal(server, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	if err := await("changes are taken again", func() bool { return query(t, c, `INSERT INTO kept_on VALUES (1001)`) == nil }); err != nil {
		t.Fatal(c.explain(err))
	}
	took := time.Since(killed)
	now, err := c.AwaitPrimary()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AwaitStandby(other(now)); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := query(t, c, `SELECT count(DISTINCT n) FROM kept_on`, &n); err != nil || n != 1001 {
		t.Errorf("afterwards: %d rows, %v", n, err)
	}
	t.Logf("PostgreSQL on %s was killed; %s took changes %.1f s later", primary, now, took.Seconds())
}

// postmaster finds the server of a data directory. Its number in the directory is one
// of the host's own namespace.
func postmaster(t *testing.T, data string) int {
	t.Helper()
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range commands {
		text, err := os.ReadFile(file)
		words := strings.Split(string(text), "\x00")
		if err == nil && strings.HasSuffix(words[0], "/postgres") && slices.Contains(words, data) {
			id, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
	}
	t.Fatalf("no server runs on %s", data)
	return 0
}

// refuses tries to connect without what the files require.
func refuses(t *testing.T, c *Cluster, primary string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for what, url := range map[string]string{
		"without TLS":            strings.Replace(c.URL(c.Databases()...), "verify-ca", "disable", 1),
		"with another password":  strings.Replace(c.URL(c.Databases()...), c.secrets[role], "guessed", 1),
		"without an authority":   regexp.MustCompile(`&sslrootcert=.*`).ReplaceAllString(c.URL(c.Databases()...), ""),
		"as a replica's account": c.url("replicator", "nothing", c.Databases()...),
	} {
		if db, err := pgx.Connect(ctx, url); err == nil {
			_ = db.Close(ctx)
			t.Errorf("somebody comes in %s", what)
		}
	}
	bare := &http.Client{Timeout: askWait, Transport: &http.Transport{TLSClientConfig: c.client.Transport.(*http.Transport).TLSClientConfig}}
	resp, err := bare.Post("https://"+net.JoinHostPort(c.host(primary).address.String(), "8008")+"/restart", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("Patroni takes an order without a certificate: HTTP %d", resp.StatusCode)
	}
	etcd, err := tls.Dial("tcp", net.JoinHostPort(c.host("witness").address.String(), "2379"), &tls.Config{RootCAs: c.client.Transport.(*http.Transport).TLSClientConfig.RootCAs})
	if err == nil {
		_ = etcd.SetDeadline(time.Now().Add(askWait))
		_, _ = io.WriteString(etcd, "GET /version HTTP/1.1\r\nHost: etcd\r\n\r\n")
		if _, err = etcd.Read(make([]byte, 1)); err == nil {
			t.Error("etcd answers somebody without a certificate")
		}
		_ = etcd.Close()
	}
}

// TestConfigurationsAgree checks that values that several files have are the same in
// each, and that the times of a waiting primary add up.
func TestConfigurationsAgree(t *testing.T) {
	number := func(name string) int {
		t.Helper()
		m := regexp.MustCompile(`(?m)^ +` + name + `: (\d+)$`).FindStringSubmatch(patroniFile)
		if m == nil {
			t.Fatalf("patroni.yml has no %s", name)
		}
		n := 0
		for _, d := range m[1] {
			n = 10*n + int(d-'0')
		}
		return n
	}
	if ttl := number("ttl"); number("loop_wait")+2*number("retry_timeout") > ttl {
		t.Errorf("a lost etcd member would cost the primary its place: ttl %d", ttl)
	}
	hosts := []string{"10.20.0.11", "10.20.0.12", "10.20.0.13"}
	found := regexp.MustCompile(`10\.20\.0\.\d+\b`)
	for name, text := range map[string]string{"etcd.env": etcdFile, "patroni.yml": patroniFile, "haproxy.cfg": haproxyFile} {
		for _, address := range found.FindAllString(strings.ReplaceAll(text, "10.20.0.0/24", ""), -1) {
			if !slices.Contains(hosts, address) {
				t.Errorf("%s names %s, which is no host of the guide", name, address)
			}
		}
		if strings.Contains(text, "assword:") {
			t.Errorf("%s has a password in it", name)
		}
	}
}
