//go:build linux

package ha

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

//go:embed etcd.env
var etcdFile string

//go:embed patroni.yml
var patroniFile string

//go:embed haproxy.cfg
var haproxyFile string

// Timeouts of a cluster on a busy machine.
const (
	// startWait bounds every wait for the cluster: the first start makes a database and
	// copies it; an election alone takes twenty seconds.
	startWait = 90 * time.Second
	askEvery  = 100 * time.Millisecond
	askWait   = 3 * time.Second
	maxAnswer = 64 << 10
)

// Database and user of the centrals.
const (
	database = "galla"
	role     = "galla"
)

// Cluster is a PostgreSQL on two hosts that Patroni manages, with a third host for
// etcd, and an HAProxy for each central.
type Cluster struct {
	folder  string
	hosts   []*host // db1, db2, witness
	proxies []*host
	secrets map[string]string // passwords, by role
	client  *http.Client
}

// Start makes a cluster below a folder, which the caller removes after Stop, with an
// HAProxy for each central. It waits until the cluster has a primary with a synchronous
// standby, and the centrals' database.
func Start(folder string, centrals int, rand io.Reader) (*Cluster, error) {
	c := &Cluster{folder: folder, secrets: map[string]string{}}
	if err := c.furnish(centrals, rand); err != nil {
		return nil, err
	}
	for _, h := range append(slices.Clone(c.hosts), c.proxies...) {
		if err := h.boot(); err != nil {
			c.Stop()
			return nil, err
		}
	}
	if err := c.waitForDatabases(); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// waitForDatabases waits for primary and standby, and makes the centrals' database.
func (c *Cluster) waitForDatabases() error {
	primary, err := c.AwaitPrimary()
	if err == nil {
		err = c.AwaitStandby(other(primary))
	}
	if err != nil {
		return err
	}
	// As in deploy/docs/ha.md.
	if err := c.do(primary, `CREATE ROLE `+role+` LOGIN PASSWORD '`+c.secrets[role]+`'`); err != nil {
		return err
	}
	if err := c.do(primary, `CREATE DATABASE `+database+` OWNER `+role); err != nil {
		return err
	}
	for n := range c.proxies {
		if err := await("the proxy leads to the primary", func() bool { return ping(c.url(role, database, c.Proxy(n))) == nil }); err != nil {
			return fmt.Errorf("%w\n%s", err, tail(c.proxies[n]))
		}
	}
	return nil
}

// furnish makes hosts, certificates and files; it starts nothing.
func (c *Cluster) furnish(centrals int, rand io.Reader) error {
	ca, err := newAuthority(rand)
	if err != nil {
		return err
	}
	as, err := unprivileged()
	if err != nil {
		return err
	}
	draw := make([]byte, 2+4*16)
	if _, err := io.ReadFull(rand, draw); err != nil {
		return err
	}
	for i, of := range []string{"postgres", "replicator", "rewinder", role} {
		c.secrets[of] = hex.EncodeToString(draw[2+16*i : 18+16*i])
	}
	// A network of the loopback of our own: every port is the one of the files. The
	// first sixteen are left to others.
	network := func(last byte) net.IP { return net.IPv4(127, 16+draw[0]%224, draw[1], last) }
	add := func(name string, last byte) (*host, error) {
		h := &host{name: name, address: network(last), folder: filepath.Join(c.folder, name), as: as}
		if err := os.MkdirAll(h.folder, 0o700); err != nil {
			return nil, err
		}
		return h, ca.issue(h.folder, name, h.address)
	}
	for i, name := range []string{"db1", "db2", "witness"} {
		h, err := add(name, byte(11+i))
		if err != nil {
			return err
		}
		c.hosts = append(c.hosts, h)
	}
	for n := range centrals {
		h, err := add("app"+strconv.Itoa(n+1), byte(21+n))
		if err != nil {
			return err
		}
		c.proxies = append(c.proxies, h)
	}
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	c.client = &http.Client{Timeout: askWait, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
	return errors.Join(ca.publish(filepath.Join(c.folder, "ca.crt")), openWay(c.folder), c.install())
}

// install puts the operator's files on the hosts.
func (c *Cluster) install() error {
	bin, err := postgres()
	if err != nil {
		return err
	}
	for _, program := range []string{"etcd", "patroni", "haproxy", "unshare", "setpriv"} {
		if err := isReachable(program); err != nil {
			return err
		}
	}
	for _, h := range append(slices.Clone(c.hosts), c.proxies...) {
		places := strings.NewReplacer(
			"10.20.0.11", c.hosts[0].address.String(), "10.20.0.12", c.hosts[1].address.String(), "10.20.0.13", c.hosts[2].address.String(),
			"10.20.0.0/24", "127.0.0.0/8", "127.0.0.1:5000", net.JoinHostPort(h.address.String(), "5000"),
			"/etc/galla-ha", h.folder, "/var/lib/etcd/galla", filepath.Join(h.folder, "etcd"),
			"/usr/lib/postgresql/15/bin", bin, "/var/lib/postgresql/15/galla", filepath.Join(h.folder, "data"),
			"/var/lib/postgresql", h.folder, "/var/run/postgresql", h.folder,
		)
		if slices.Contains(c.proxies, h) {
			path, err := h.install("haproxy.cfg", haproxyFile, places)
			if err != nil {
				return err
			}
			h.script = "START haproxy -db -f " + path + "\n"
		} else if err := c.installDatabase(h, places); err != nil {
			return err
		}
		if err := h.give(); err != nil {
			return err
		}
	}
	return nil
}

// installDatabase puts etcd on a host, and Patroni unless it is the witness.
func (c *Cluster) installDatabase(h *host, places *strings.Replacer) error {
	etcd, err := h.install("etcd.env", etcdFile, places)
	if err != nil {
		return err
	}
	// As systemd reads it: a member that was there before joins again.
	h.script = "set -a; . " + etcd + "; set +a\nSTART etcd --log-level=warn &\n"
	if h.name != "witness" {
		patroni, err := h.install("patroni.yml", patroniFile, places)
		if err != nil {
			return err
		}
		for variable, of := range map[string]string{"SUPERUSER": "postgres", "REPLICATION": "replicator", "REWIND": "rewinder"} {
			h.env = append(h.env, "PATRONI_"+variable+"_PASSWORD="+c.secrets[of])
		}
		h.script += "START patroni " + patroni + " &\n"
	}
	h.script += "wait\n"
	return nil
}

// Kill ends a host as a power cut does; its disk stays.
func (c *Cluster) Kill(name string) { c.host(name).kill() }

// Restart starts a host that was killed.
func (c *Cluster) Restart(name string) error { return c.host(name).boot() }

// Stop ends all hosts.
func (c *Cluster) Stop() {
	for _, h := range append(slices.Clone(c.proxies), c.hosts...) {
		h.kill()
	}
}

// Proxy is the address of the n-th central's HAProxy.
func (c *Cluster) Proxy(n int) string {
	return net.JoinHostPort(c.proxies[n].address.String(), "5000")
}

// URL is the centrals' database by one address, or by several of which the one that
// accepts changes is used. It contains a password.
func (c *Cluster) URL(addresses ...string) string { return c.url(role, database, addresses...) }

// Databases are the addresses of PostgreSQL itself on both hosts.
func (c *Cluster) Databases() []string {
	return []string{net.JoinHostPort(c.hosts[0].address.String(), "5432"), net.JoinHostPort(c.hosts[1].address.String(), "5432")}
}

func (c *Cluster) url(user, database string, addresses ...string) string {
	return "postgres://" + user + ":" + c.secrets[user] + "@" + strings.Join(addresses, ",") + "/" + database +
		"?target_session_attrs=read-write&sslmode=verify-ca&sslrootcert=" + filepath.Join(c.folder, "ca.crt")
}

func (c *Cluster) host(name string) *host {
	for _, h := range c.hosts {
		if h.name == name {
			return h
		}
	}
	panic("ha: no host is called " + name)
}

// other is the database host beside the given one.
func other(name string) string {
	if name == "db1" {
		return "db2"
	}
	return "db1"
}

// is asks Patroni on a host whether it has a role.
func (c *Cluster) is(h *host, role string) bool {
	if !h.up() {
		return false
	}
	resp, err := c.client.Get("https://" + net.JoinHostPort(h.address.String(), "8008") + "/" + role)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	var state struct{ State string }
	err = json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&state)
	return err == nil && resp.StatusCode == http.StatusOK && state.State == "running"
}

// AwaitPrimary waits until a host is the primary, and gives its name.
func (c *Cluster) AwaitPrimary() (name string, err error) {
	err = await("a host is the primary", func() bool {
		for _, h := range c.hosts[:2] {
			if c.is(h, "primary") {
				name = h.name
			}
		}
		return name != ""
	})
	return name, c.explain(err)
}

// AwaitStandby waits until a host follows the primary and is synchronous.
func (c *Cluster) AwaitStandby(name string) error {
	return c.explain(await(name+" is the synchronous standby", func() bool { return c.is(c.host(name), "synchronous") }))
}

// explain adds the ends of the hosts' logs to an error.
func (c *Cluster) explain(err error) error {
	if err == nil {
		return nil
	}
	for _, h := range c.hosts {
		err = fmt.Errorf("%w\n%s", err, tail(h))
	}
	return err
}

// tail is the end of a host's log.
func tail(h *host) string {
	const most = 3000
	text, err := os.ReadFile(h.log())
	if err != nil {
		return h.name + ": " + err.Error()
	}
	return "--- " + h.name + "\n" + string(text[max(0, len(text)-most):])
}

func (c *Cluster) do(name, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	db, err := pgx.Connect(ctx, c.url("postgres", "postgres", net.JoinHostPort(c.host(name).address.String(), "5432")))
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, statement)
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(strings.Fields(statement)[:2], " "), err)
	}
	return errors.Join(err, db.Close(ctx))
}

func ping(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), askWait)
	defer cancel()
	db, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return db.Close(ctx)
}

// await asks until the answer is yes.
func await(what string, yes func() bool) error {
	ask := time.NewTicker(askEvery)
	defer ask.Stop()
	giveUp := time.After(startWait)
	for !yes() {
		select {
		case <-ask.C:
		case <-giveUp:
			return fmt.Errorf("after %s still not: %s", startWait, what)
		}
	}
	return nil
}

// isReachable reports how to install a program that is missing.
func isReachable(program string) error {
	for _, folder := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin") {
		if info, err := os.Stat(filepath.Join(folder, program)); err == nil && !info.IsDir() {
			return nil
		}
	}
	return fmt.Errorf("%s is missing: apt-get install --no-install-recommends patroni python3-etcd python3-idna etcd-server haproxy util-linux", program)
}

// postgres finds the folder of the newest server's programs.
func postgres() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return "", err
		}
		return filepath.Dir(path), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errors.New("PostgreSQL's server is not installed: apt-get install postgresql")
	}
	slices.Sort(found) // two digits until 2110
	return filepath.Dir(found[len(found)-1]), nil
}

// unprivileged is the user that PostgreSQL runs as if a test is root; nil: the test's
// own user.
func unprivileged() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root, and its own user is missing: %w", err)
	}
	uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uidErr, gidErr)
}

// openWay lets the programs' user enter the folder, which must lie below the system's
// temporary one.
func openWay(folder string) error {
	for dir := folder; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if err := os.Chmod(dir, info.Mode().Perm()|0o011); err != nil {
			return fmt.Errorf("open the way to the cluster's folder: %w", err)
		}
	}
	return nil
}

// Control runs patronictl, as an operator does on a database host.
func (c *Cluster) Control(args ...string) (string, error) {
	for _, h := range c.hosts[:2] {
		if !h.up() {
			continue
		}
		cmd := exec.Command("patronictl", append([]string{"-c", filepath.Join(h.folder, "patroni.yml")}, args...)...)
		cmd.Env = append(os.Environ(), "LANG=C.UTF-8")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	return "", errors.New("no database host runs")
}
