package daemon

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"galla/edge"
	"galla/edge/queue"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// fixedLink is a link in one state.
type fixedLink struct{ state edge.LinkState }

func (l fixedLink) State() edge.LinkState { return l.state }
func (fixedLink) Send(wire.Frame) error   { return edge.ErrOffline }

// TestTidy: history goes after 180 days, by the central's clock, and never
// while that clock is not known.
func TestTidy(t *testing.T) {
	tests := []struct {
		name string
		link edge.LinkState
		wait time.Duration
		kept bool
	}{
		{"young", edge.LinkState{Online: true}, 179 * 24 * time.Hour, true},
		{"old", edge.LinkState{Online: true}, 182 * 24 * time.Hour, false},
		{"old, but offline", edge.LinkState{}, 182 * 24 * time.Hour, true},
		{"old by our clock, which is a week fast", edge.LinkState{Online: true, Offset: -7 * 24 * time.Hour}, 182 * 24 * time.Hour, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, _, err := queue.Open(queue.Config{
					Path: filepath.Join(t.TempDir(), "q.db"), Key: secret.NewKey(bytes.Repeat([]byte{1}, 32)),
					Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
				})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = q.Close() }()
				id := idOf(time.Now())
				if err := q.Add(edge.Record{ID: id, Route: op.Withdrawal, Class: op.Money, State: op.Reserved, CreatedAt: time.Now()}); err != nil {
					t.Fatal(err)
				}
				if _, err := q.Change(id, func(r *edge.Record) error { r.State = op.Expired; return nil }); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), tt.wait)
				defer cancel()
				if err := purgeHistory(ctx, q, fixedLink{tt.link}, slog.New(slog.DiscardHandler)); err != nil {
					t.Fatal(err)
				}
				if _, err := q.Get(id); (err == nil) != tt.kept {
					t.Errorf("after %s: %v, want kept %v", tt.wait, err, tt.kept)
				}
			})
		})
	}
}

// idOf is an operation's id of a moment. op.NewID never goes back in time: after
// tests in the present it makes no id of the bubble's past.
func idOf(at time.Time) op.ID {
	id := uuid.UUID{8: 0x80}
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16|0x7000)
	return op.ID(id.String())
}
