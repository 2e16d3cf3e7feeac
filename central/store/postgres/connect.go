package postgres

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"galla/central/store/dbconn"
)

// incarnation is a server's time since its last recovery. Transaction numbers are unique in
// it.
type incarnation struct {
	// timeline counts the promotions behind the server, in eight hexadecimal
	// digits.
	timeline string
	// recovered is the position in the log up to which the server recovered, or received it as
	// a standby; 0 after a normal shutdown.
	recovered uint64
}

// connector opens connections to the host of a database that takes changes.
type connector struct {
	settings *pgxpool.Config
	name     string

	mu       sync.Mutex
	timeline string                    // the newest seen
	open     map[*trackedConn]struct{} // what is open
	closed   bool                      // nothing is opened
	unsynced bool                      // logged once
	cfg      dbconn.Config
}

// newConnector parses a URL or a list of key=value. Its errors don't quote it, since it may
// contain the password.
func newConnector(url string, cfg dbconn.Config) (*connector, error) {
	settings, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database's URL can't be read: want postgres://user@host:port/database, with several hosts as host:port,host:port")
	}
	c := &connector{settings: settings, open: map[*trackedConn]struct{}{}, cfg: cfg}
	own := settings.ConnConfig
	c.name = displayName(own)
	if own.ConnectTimeout == 0 || own.ConnectTimeout > connectTimeout {
		own.ConnectTimeout = connectTimeout
	}
	own.DialFunc = c.dial
	own.ValidateConnect = c.validate
	own.OnNotice = recordWarning
	milliseconds := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	node := cfg.Node
	if len(node) > maxNodeName {
		node = node[:maxNodeName]
	}
	for name, value := range map[string]string{
		"application_name": "galla " + node,
		// So that the server notices a node that is gone.
		"tcp_keepalives_idle":     strconv.Itoa(int(keepAliveIdle / time.Second)),
		"tcp_keepalives_interval": strconv.Itoa(int(keepAliveEvery / time.Second)),
		"tcp_keepalives_count":    strconv.Itoa(keepAliveCount),
		"tcp_user_timeout":        milliseconds(sendTimeout),
		"statement_timeout":       milliseconds(statementTimeout),
		"lock_timeout":            milliseconds(lockTimeout),

		"idle_in_transaction_session_timeout": milliseconds(idleTimeout),
	} {
		if _, given := own.RuntimeParams[name]; !given {
			own.RuntimeParams[name] = value
		}
	}
	switch {
	case cfg.Connections > 0:
		settings.MaxConns = int32(min(cfg.Connections, math.MaxInt32))
	case !strings.Contains(url, "pool_max_conns"):
		settings.MaxConns = dbconn.DefaultConnections
	}
	settings.PingTimeout = pingTimeout
	settings.BeforeClose = closeDead
	return c, nil
}

// displayName is the name of a database for people.
func displayName(c *pgx.ConnConfig) string {
	var hosts []string
	add := func(host string, port uint16) {
		if at := net.JoinHostPort(host, strconv.Itoa(int(port))); !slices.Contains(hosts, at) {
			hosts = append(hosts, at)
		}
	}
	add(c.Host, c.Port)
	for _, f := range c.Fallbacks {
		add(f.Host, f.Port)
	}
	return fmt.Sprintf("%s on %s", c.Database, strings.Join(hosts, ", "))
}

// Connect opens a database with the checks of a DB but without its time limits of
// statements, for migrations and tests. It waits for the server up to cfg.RetryFor.
func Connect(ctx context.Context, url string, cfg dbconn.Config) (*sql.DB, error) {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, err
	}
	c, err := newConnector(url, cfg)
	if err != nil {
		return nil, err
	}
	own := c.settings.ConnConfig
	for _, bound := range []string{"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"} {
		delete(own.RuntimeParams, bound)
	}
	db := stdlib.OpenDB(*own)
	deadline := time.Now().Add(cfg.RetryFor)
	for n := 0; ; n++ {
		err := db.PingContext(ctx)
		if err == nil {
			return db, nil
		}
		if !retryable(err).outage || !waitUntil(ctx, deadline, n) {
			return nil, errors.Join(fmt.Errorf("connect to database %s: %w", c.name, Explain(err)), db.Close())
		}
	}
}

// trackedConn is the network connection of a connection to the database.
type trackedConn struct {
	net.Conn
	owner *connector
}

// Close closes the connection.
func (w *trackedConn) Close() error {
	w.owner.mu.Lock()
	delete(w.owner.open, w)
	w.owner.mu.Unlock()
	return w.Conn.Close()
}

// RemoteAddr returns no address. The driver uses it only to send a cancel request after a
// loss. After a COMMIT, such a request would end the server's wait for its standby, and
// the change would be on one server only.
func (w *trackedConn) RemoteAddr() net.Addr { return noAddr{} }

type noAddr struct{}

// Network implements net.Addr.
func (noAddr) Network() string { return "none" }

// String implements net.Addr.
func (noAddr) String() string { return "none" }

var errNotCancelled = errors.New("requests to cancel are not sent")

func (c *connector) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if network == (noAddr{}).Network() {
		return nil, errNotCancelled
	}
	d := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAliveIdle, Interval: keepAliveEvery, Count: keepAliveCount},
		Control: func(network, _ string, raw syscall.RawConn) error {
			if !strings.HasPrefix(network, "tcp") {
				return nil
			}
			return setUserTimeout(raw)
		},
	}
	own, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	w := &trackedConn{Conn: own, owner: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errors.Join(dbconn.ErrAbandoned, own.Close())
	}
	c.open[w] = struct{}{}
	return w, nil
}

// abandon closes all connections, and allows no others.
func (c *connector) abandon() {
	c.mu.Lock()
	c.closed = true
	open := make([]*trackedConn, 0, len(c.open))
	for w := range c.open {
		open = append(open, w)
	}
	c.mu.Unlock()
	for _, w := range open {
		_ = w.Close()
	}
}

// closeDead closes the network connection of a connection that is lost or was stopped in a
// transaction. Otherwise the driver would wait for the other end, and the pool for the
// driver.
func closeDead(c *pgx.Conn) {
	if !c.IsClosed() && c.PgConn().TxStatus() == 'I' {
		return
	}
	own := c.PgConn().Conn()
	if secured, ok := own.(*tls.Conn); ok {
		own = secured.NetConn()
	}
	if w, ok := own.(*trackedConn); ok {
		_ = w.Close()
	}
}

// Keys of the data of a connection.
const (
	keyIncarnation = "galla.incarnation" // of its server
	keyWarned      = "galla.warned"      // the server warned since this was last deleted
)

func recordWarning(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.SeverityUnlocalized == "WARNING" {
		c.CustomData()[keyWarned] = true
	}
}

func incarnationOf(c *pgx.Conn) incarnation {
	l, _ := c.PgConn().CustomData()[keyIncarnation].(incarnation)
	return l
}

// errNotPrimary means that a server takes no changes. Another host may, or this one later.
var errNotPrimary = errors.New("the server takes no changes")

// validate checks a server before the connection is used. If it fails, the next host is
// tried. It replaces target_session_attrs of the URL: only a server that takes changes
// will do.
func (c *connector) validate(ctx context.Context, pc *pgconn.PgConn) error {
	results, err := pc.Exec(ctx, `SELECT current_setting('server_version_num'), pg_is_in_recovery(), current_setting('transaction_read_only'),
		current_setting('synchronous_commit'), current_setting('standard_conforming_strings'), current_setting('fsync'),
		CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) END,
		coalesce(pg_last_wal_replay_lsn(), '0/0')`).ReadAll()
	if err != nil {
		return fmt.Errorf("read the server's settings: %w", err)
	}
	if len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0]) != 8 {
		return errors.New("read the server's settings: it does not answer like PostgreSQL")
	}
	var is [8]string
	for i, value := range results[0].Rows[0] {
		is[i] = string(value)
	}
	if version, err := strconv.Atoi(is[0]); err != nil || version < minVersion {
		return refusal(fmt.Sprintf("the server's version is %s, and 13 or later is needed: an older one can't tell the result of a transaction", is[0]))
	}
	if is[1] == "t" || is[2] == "on" {
		return fmt.Errorf("it is a standby, or read-only: %w", errNotPrimary)
	}
	if is[3] == "off" {
		return refusal("setting synchronous_commit is off and must not be: acknowledged changes would be lost with a crash; set it on for this database or role")
	}
	if is[4] != "on" {
		return refusal("setting standard_conforming_strings must be on")
	}
	recovered, err := parseLSN(is[7])
	if err != nil {
		return fmt.Errorf("read the server's settings: %w", err)
	}
	if err := c.checkTimeline(is[6], is[5] != "on"); err != nil {
		return err
	}
	pc.CustomData()[keyIncarnation] = incarnation{timeline: is[6], recovered: recovered}
	return nil
}

// checkTimeline refuses a timeline older than one seen before.
func (c *connector) checkTimeline(timeline string, unsynced bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if timeline < c.timeline {
		return fmt.Errorf("it is of timeline %s, and timeline %s was in use before: a former primary that must be stopped: %w", timeline, c.timeline, errNotPrimary)
	}
	if unsynced && !c.unsynced {
		c.unsynced = true
		c.cfg.Logger.Warn("the database does not sync what it commits (fsync is off): a power cut loses acknowledged changes; for tests only", "database", c.name)
	}
	c.timeline = timeline
	return nil
}
