package postgres

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
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
)

// life is a server's time since it last recovered from anything: no number of a
// transaction is given out twice in one.
type life struct {
	// timeline counts the promotions behind the server, in eight hexadecimal
	// digits.
	timeline string
	// recovered is the place in the log up to which the server recovered, or was
	// fed as a standby; 0 where it was stopped and started in order.
	recovered uint64
}

// connector opens connections to whichever of a database's hosts takes changes.
type connector struct {
	settings *pgxpool.Config
	name     string

	mu       sync.Mutex
	timeline string             // the newest that was seen
	wires    map[*wire]struct{} // what is open
	cut      bool               // nothing is opened any more
	unsynced bool               // said once
	cfg      Config
}

// newConnector reads where the database is: a URL or a list of key=value. Its
// errors do not quote it, for the password's sake.
func newConnector(url string, cfg Config) (*connector, error) {
	settings, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database's URL can't be read: want postgres://user@host:port/database, with several hosts as host:port,host:port")
	}
	c := &connector{settings: settings, wires: map[*wire]struct{}{}, cfg: cfg}
	own := settings.ConnConfig
	c.name = placeName(own)
	if own.ConnectTimeout == 0 || own.ConnectTimeout > connectTimeout {
		own.ConnectTimeout = connectTimeout
	}
	own.DialFunc = c.dial
	own.ValidateConnect = c.validate
	own.OnNotice = noteWarning
	milliseconds := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	node := cfg.Node
	if len(node) > maxNodeName {
		node = node[:maxNodeName]
	}
	for name, value := range map[string]string{
		"application_name": "galla " + node,
		// So that the server, too, notices a node that is gone.
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
		settings.MaxConns = int32(cfg.Connections)
	case !strings.Contains(url, "pool_max_conns"):
		settings.MaxConns = defaultConnections
	}
	settings.PingTimeout = pingTimeout
	settings.BeforeClose = cutDead
	return c, nil
}

// placeName tells people which database it is.
func placeName(c *pgx.ConnConfig) string {
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

// Connect opens a database over connections that may write, under the checks of
// a DB's own but without its bound on statements: for migrations, and to look
// past a DB. It waits for the server as long as cfg's Patience.
func Connect(ctx context.Context, url string, cfg Config) (*sql.DB, error) {
	cfg, err := cfg.withDefaults()
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
	p, deadline := newPacer(cfg), time.Now().Add(cfg.Patience)
	for n := 0; ; n++ {
		err := db.PingContext(ctx)
		if err == nil {
			return db, nil
		}
		if !curable(err).outage || !p.before(ctx, deadline, n) {
			return nil, errors.Join(fmt.Errorf("connect to database %s: %w", c.name, Explain(err)), db.Close())
		}
	}
}

// wire is the network connection below one to the database.
type wire struct {
	net.Conn
	of *connector
}

// Close closes the connection.
func (w *wire) Close() error {
	w.of.mu.Lock()
	delete(w.of.wires, w)
	w.of.mu.Unlock()
	return w.Conn.Close()
}

// RemoteAddr gives no address. The driver asks for it only to send a request to
// cancel after a loss, and such a one, behind a COMMIT, would end the server's
// wait for its standby: the change would be there on one server only.
func (w *wire) RemoteAddr() net.Addr { return nowhere{} }

type nowhere struct{}

// Network implements net.Addr.
func (nowhere) Network() string { return "none" }

// String implements net.Addr.
func (nowhere) String() string { return "none" }

var errNotCancelled = errors.New("requests to cancel are not sent")

func (c *connector) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if network == (nowhere{}).Network() {
		return nil, errNotCancelled
	}
	d := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAliveIdle, Interval: keepAliveEvery, Count: keepAliveCount},
		Control: func(network, _ string, raw syscall.RawConn) error {
			if !strings.HasPrefix(network, "tcp") {
				return nil
			}
			return boundSends(raw)
		},
	}
	own, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	w := &wire{Conn: own, of: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		return nil, errors.Join(ErrAbandoned, own.Close())
	}
	c.wires[w] = struct{}{}
	return w, nil
}

// abandon cuts every connection, and lets no other be made.
func (c *connector) abandon() {
	c.mu.Lock()
	c.cut = true
	open := make([]*wire, 0, len(c.wires))
	for w := range c.wires {
		open = append(open, w)
	}
	c.mu.Unlock()
	for _, w := range open {
		_ = w.Close()
	}
}

// cutDead closes what is below a connection that is lost or stopped in the
// middle: the driver would wait for the other end, which may be gone, and the
// pool for the driver.
func cutDead(c *pgx.Conn) {
	if !c.IsClosed() && c.PgConn().TxStatus() == 'I' {
		return
	}
	own := c.PgConn().Conn()
	if secured, ok := own.(*tls.Conn); ok {
		own = secured.NetConn()
	}
	if w, ok := own.(*wire); ok {
		_ = w.Close()
	}
}

// Keys of what is kept with a connection.
const (
	keyLife   = "galla.life"   // its server's life
	keyWarned = "galla.warned" // the server warned since this was last deleted
)

func noteWarning(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.SeverityUnlocalized == "WARNING" {
		c.CustomData()[keyWarned] = true
	}
}

func lifeOf(c *pgx.Conn) life {
	l, _ := c.PgConn().CustomData()[keyLife].(life)
	return l
}

// errAside says that a server is alive and not the one that takes changes; the
// next host, or the next moment, may have it.
var errAside = errors.New("the server takes no changes")

// validate looks at a server before the connection is used; where it fails, the
// next host is tried. It stands in place of what the URL says as
// target_session_attrs: no server but one that takes changes will do.
func (c *connector) validate(ctx context.Context, pc *pgconn.PgConn) error {
	results, err := pc.Exec(ctx, `SELECT current_setting('server_version_num'), pg_is_in_recovery(), current_setting('transaction_read_only'),
		current_setting('synchronous_commit'), current_setting('standard_conforming_strings'), current_setting('fsync'),
		CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) END,
		coalesce(pg_last_wal_replay_lsn(), '0/0')`).ReadAll()
	if err != nil {
		return fmt.Errorf("read the server's settings: %w", err)
	}
	if len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0]) != 8 {
		return errors.New("read the server's settings: it does not answer as PostgreSQL does")
	}
	var is [8]string
	for i, value := range results[0].Rows[0] {
		is[i] = string(value)
	}
	if version, err := strconv.Atoi(is[0]); err != nil || version < minVersion {
		return refusal(fmt.Sprintf("the server's version is %s, and 13 or later is needed: an older one can't tell what became of a change", is[0]))
	}
	if is[1] == "t" || is[2] == "on" {
		return fmt.Errorf("it is a standby, or set to read only: %w", errAside)
	}
	if is[3] == "off" {
		return refusal("setting synchronous_commit is off and must not be: acknowledged changes would be lost with a crash; set it on for this database or role")
	}
	if is[4] != "on" {
		return refusal("setting standard_conforming_strings must be on")
	}
	recovered, err := logPlace(is[7])
	if err != nil {
		return fmt.Errorf("read the server's settings: %w", err)
	}
	if err := c.admit(is[6], is[5] != "on"); err != nil {
		return err
	}
	pc.CustomData()[keyLife] = life{timeline: is[6], recovered: recovered}
	return nil
}

// admit refuses a timeline that others have left.
func (c *connector) admit(timeline string, unsynced bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if timeline < c.timeline {
		return fmt.Errorf("it is of timeline %s, and timeline %s was in use before: a former primary that must be stopped: %w", timeline, c.timeline, errAside)
	}
	if unsynced && !c.unsynced {
		c.unsynced = true
		c.cfg.Logger.Warn("the database does not sync what it commits (fsync is off): a power cut loses what was acknowledged; for tests only", "database", c.name)
	}
	c.timeline = timeline
	return nil
}
