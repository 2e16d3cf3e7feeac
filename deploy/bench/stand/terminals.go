//go:build linux

package stand

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"galla/deploy/bench/rows"
	"galla/edge/uplink"
	"galla/shared/wire"
)

// uplinkAudience is what enrolment gives a terminal as the audience of its tokens.
const uplinkAudience = "galla-uplink"

// Fleet is many terminals with the counters' own client.
type Fleet struct {
	lines   []*uplink.Client
	stop    context.CancelFunc
	running sync.WaitGroup
}

// AddTerminals enrols terminals, as rows: each has a key of its own.
func (s *Stand) AddTerminals(ctx context.Context, n int) (*Fleet, error) {
	db, dialect, err := s.Database()
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	var have int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM terminals`).Scan(&have); err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	f := &Fleet{}
	insert := `INSERT INTO terminals (id, merchant, name, tid, public_key, created_at) VALUES (?, ?, ?, ?, ?, ?)`
	if dialect == rows.PostgreSQL {
		insert = `INSERT INTO terminals (id, merchant, name, tid, public_key, created_at) VALUES ($1, $2, $3, $4, $5, $6)`
	}
	for i := have; i < have+n; i++ {
		public, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return nil, errors.Join(err, tx.Rollback())
		}
		id := fmt.Sprintf("d0000000-0000-4000-8000-%012d", i)
		line, err := uplink.New(uplink.Config{
			URL: "ws://" + s.Uplink + "/uplink", TerminalID: id, Audience: uplinkAudience, Key: key, Version: "bench",
			Addresses: func() ([]net.Addr, error) { return nil, nil }, // all have this machine's
			Rand:      rand.Reader, Logger: slog.New(slog.DiscardHandler),
		}, silent{})
		if err != nil {
			return nil, errors.Join(err, tx.Rollback())
		}
		f.lines = append(f.lines, line)
		if _, err := tx.ExecContext(ctx, insert, id, firstMerchant, fmt.Sprint("bench ", i), fmt.Sprintf("B%07d", i), []byte(public), time.Now().UnixMilli()); err != nil {
			return nil, errors.Join(err, tx.Rollback())
		}
	}
	return f, tx.Commit()
}

// Connect starts all terminals.
func (f *Fleet) Connect() {
	ctx, stop := context.WithCancel(context.Background())
	f.stop = stop
	for _, line := range f.lines {
		f.running.Go(func() { _ = line.Run(ctx) }) // it ends with its context
	}
}

// Online counts the terminals that are connected.
func (f *Fleet) Online() int {
	n := 0
	for _, line := range f.lines {
		if line.State().Online {
			n++
		}
	}
	return n
}

// Close disconnects all terminals.
func (f *Fleet) Close() {
	if f.stop != nil {
		f.stop()
		f.running.Wait()
	}
}

// silent is a counter without a user.
type silent struct{}

func (silent) Hello() (wire.Frame, error) { return wire.Frame{}, nil }
func (silent) Welcome(wire.Frame) error   { return nil }
func (silent) Disconnected(error)         {}
func (silent) Receive(wire.Frame) error   { return nil }
