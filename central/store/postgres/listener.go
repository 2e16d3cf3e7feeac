package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"galla/central/store/dbconn"
)

// Channel has the notifications. Each database has its own channels.
const Channel = "galla_notify"

// Notify is the statement that notifies a name at every node when the change is committed.
// Changes that notify commit one after the other, so it is for rare changes.
const Notify = `SELECT pg_notify('` + Channel + `', $1)`

// session identifies one connection to a server for ever.
type session struct {
	process int64
	began   string
}

// listener receives notifications, and holds the node's name.
type listener struct {
	connector *connector
	cfg       dbconn.Config
	key       int64 // of the name's lock
	lost      chan error

	own    *pgx.Conn
	former session // of own; the server may have it longer
	end    context.CancelFunc
	ended  chan struct{} // closed when run has returned
}

func newListener(c *connector, cfg dbconn.Config) *listener {
	sum := sha256.Sum256([]byte("galla/node/v1\n" + cfg.Node))
	return &listener{
		connector: c, cfg: cfg, key: int64(binary.BigEndian.Uint64(sum[:8])),
		lost: make(chan error, 1), ended: make(chan struct{}),
	}
}

// takenError means that another program has the node's name.
type takenError struct{ node, database, since, from string }

func (e *takenError) Error() string {
	return fmt.Sprintf("another central named %s uses database %s (since %s, from %s): each needs a name of its own (--node), or the other must be stopped",
		e.node, e.database, e.since, e.from)
}

// start takes the name, and waits for a while if the former process of this node still has
// it. Then it listens until stop.
func (l *listener) start(ctx context.Context) error {
	deadline := time.Now().Add(l.cfg.RetryFor)
	for n := 0; ; n++ {
		err := l.connect(ctx)
		if err == nil {
			break
		}
		var taken *takenError
		if !errors.As(err, &taken) && !retryable(err).outage {
			return Explain(err)
		}
		if !waitUntil(ctx, deadline, n) {
			return Explain(err)
		}
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	l.end = end
	go l.run(life)
	return nil
}

// stop ends run, and releases the name.
func (l *listener) stop() {
	l.end()
	<-l.ended
}

// run listens, and connects again after each loss, until life ends or the name
// is lost.
func (l *listener) run(life context.Context) {
	defer close(l.ended)
	for n := 0; life.Err() == nil; n++ {
		if l.own == nil {
			err := l.connect(life)
			var taken *takenError
			if errors.As(err, &taken) {
				l.cfg.Logger.Error("this node's name was taken while the database was not reachable", "error", err)
				l.lost <- err
				return
			}
			if err != nil {
				if life.Err() == nil && n == 0 {
					l.cfg.Logger.Warn("notifications of the database are not received; retrying", "error", Explain(err))
				}
				waitUntil(life, time.Now().Add(2*lastPause), n)
				continue
			}
			l.cfg.OnNotify("") // notifications in between are lost
		}
		err := l.listen(life)
		if life.Err() == nil {
			l.cfg.Logger.Warn("the connection for notifications of the database is lost", "error", Explain(err))
			n = -1
		}
		l.disconnect()
	}
}

func (l *listener) disconnect() {
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	closeDead(l.own)
	_ = l.own.Close(ctx) // it is closed in any case
	<-l.own.PgConn().CleanupDone()
	l.own = nil
}

// connect opens the connection, takes the name and listens.
func (l *listener) connect(ctx context.Context) error {
	own, err := pgx.ConnectConfig(ctx, l.connector.settings.ConnConfig.Copy())
	if err != nil {
		return err
	}
	l.own = own
	err = l.takeNodeName(ctx)
	if err == nil {
		_, err = own.Exec(ctx, `LISTEN `+Channel)
	}
	if err != nil {
		l.disconnect()
		return err
	}
	return nil
}

// takeNodeName takes the lock of the name, which ends with the connection.
func (l *listener) takeNodeName(ctx context.Context) error {
	var got bool
	var now session
	if err := l.own.QueryRow(ctx, `SELECT pg_try_advisory_lock($1), pid, backend_start::text
		FROM pg_stat_activity WHERE pid = pg_backend_pid()`, l.key).Scan(&got, &now.process, &now.began); err != nil {
		return fmt.Errorf("take the name %s: %w", l.cfg.Node, err)
	}
	if got {
		l.former = now
		return nil
	}
	taken := &takenError{node: l.cfg.Node, database: l.connector.name}
	var holder session
	err := l.own.QueryRow(ctx, `SELECT a.pid, coalesce(a.backend_start::text, 'some time'), coalesce(a.client_addr::text, 'its own machine')
		FROM pg_locks k JOIN pg_stat_activity a ON a.pid = k.pid JOIN pg_database b ON b.oid = k.database
		WHERE k.locktype = 'advisory' AND k.granted AND k.objsubid = 1 AND b.datname = current_database()
			AND (k.classid::bigint << 32) | k.objid::bigint = $1`, l.key).Scan(&holder.process, &holder.began, &taken.from)
	if errors.Is(err, pgx.ErrNoRows) {
		return &lostError{errors.New("the node's name was released at this moment")}
	}
	if err != nil {
		return fmt.Errorf("find out who has the name %s: %w", l.cfg.Node, err)
	}
	taken.since = holder.began
	if holder != l.former {
		return taken
	}
	// The server has not noticed yet that the former connection is gone.
	if _, err := l.own.Exec(ctx, `SELECT pg_terminate_backend($1::int)`, holder.process); err != nil {
		return fmt.Errorf("end the former connection of node %s: %w", l.cfg.Node, err)
	}
	return &lostError{errors.New("the node's former connection is ended")}
}

// listen passes notifications on until the connection is lost.
func (l *listener) listen(ctx context.Context) error {
	for {
		notification, err := l.waitForNotification(ctx)
		switch {
		case err == nil:
			l.cfg.OnNotify(notification.Payload)
		case ctx.Err() != nil || l.own.IsClosed() || !pgconn.Timeout(err):
			return err
		default:
			if err := l.ping(ctx); err != nil {
				return err
			}
		}
	}
}

func (l *listener) waitForNotification(ctx context.Context) (*pgconn.Notification, error) {
	ctx, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	return l.own.WaitForNotification(ctx)
}

// ping checks the other end of an idle connection.
func (l *listener) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	_, err := l.own.Exec(ctx, `SELECT 1`)
	return err
}
