package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
)

// Standby starts a server below a folder that follows this one by streaming, and waits until it
// does. From then on each commit of this server waits until the standby has synced it too,
// so that Promote loses no acknowledged commit.
func (s *Server) Standby(folder string) (*Server, error) {
	n := &Server{dir: filepath.Join(folder, "data"), bin: s.bin, credential: s.credential}
	if err := n.chownFolder(folder); err != nil {
		return nil, err
	}
	primary, err := url.Parse(s.URL(""))
	if err != nil {
		return nil, err
	}
	follows := fmt.Sprintf("host=%s port=%s user=galla application_name=standby", primary.Hostname(), primary.Port())
	if out, err := n.command("pg_basebackup", "-d", follows, "-D", n.dir, "-R", "-X", "stream", "-c", "fast", "--no-sync").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("pg_basebackup: %w: %s", err, out)
	}
	n.args = settings(folder, Options{Durable: true})
	if n.port, err = freePort(); err != nil {
		return nil, err
	}
	if err := n.Run(); err != nil {
		return nil, err
	}
	if err := s.waitFor(`SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming'`); err != nil {
		n.Kill()
		return nil, fmt.Errorf("the standby does not follow: %w", err)
	}
	postgres := s.URL("postgres")
	if err := errors.Join(execOn(postgres, `ALTER SYSTEM SET synchronous_standby_names = 'standby'`), execOn(postgres, `SELECT pg_reload_conf()`)); err != nil {
		n.Kill()
		return nil, err
	}
	if err := s.waitFor(`SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'`); err != nil {
		n.Kill()
		return nil, fmt.Errorf("the standby is not waited for: %w", err)
	}
	return n, nil
}

// Promote makes a standby the primary, after the former one was killed, and waits until it
// takes changes. The new primary has no standby.
func (s *Server) Promote() error {
	postgres := s.URL("postgres")
	if err := execOn(postgres, `SELECT pg_promote(true, 60)`); err != nil {
		return err
	}
	return s.waitFor(`SELECT NOT pg_is_in_recovery()`)
}

// waitFor calls a check until it succeeds.
func (s *Server) waitFor(question string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	c, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	for {
		var yes bool
		if err := c.QueryRow(ctx, question).Scan(&yes); err != nil || yes {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%q stays without a yes: %w", question, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
