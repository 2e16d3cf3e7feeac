package daemon

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/queue"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/seal"
	"galla/shared/secret"
)

// Operations are counted in every state that is no end; a counter without
// settings has none, unless a queue lies there.
func TestCountUnfinished(t *testing.T) {
	data := t.TempDir()
	count := func() (Unfinished, error) {
		return CountUnfinished(Config{Data: data, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	}
	if _, err := count(); !errors.Is(err, ErrNotEnrolled) {
		t.Fatalf("an empty folder: %v", err)
	}
	f := folder(filepath.Join(data, "edge"))
	key, err := seal.EnsureKeyFile(f.queueKey(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := seal.EnsureKeyFile(f.terminalKey(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	aadhaar, err := secret.ParseAadhaar("999941057058")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.save(Settings{AgentAadhaar: aadhaar}, key, rand.Reader); err != nil {
		t.Fatal(err)
	}
	q, _, err := queue.Open(queue.Config{Path: f.queue(), Key: key, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for i, steps := range [][]op.State{{}, {op.Queued}, {op.Queued, op.Sent}, {op.Queued, op.Sent, op.Unknown}, {op.Expired}} {
		id := idOf(now.Add(time.Duration(i) * time.Millisecond))
		err := q.Add(edge.Record{ID: id, Route: op.Withdrawal, Class: op.Money, State: op.Reserved, Amount: 500 * money.Rupee, CreatedAt: now})
		for _, state := range steps {
			if err == nil {
				_, err = q.Change(id, func(r *edge.Record) error { r.State = state; return nil })
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := count(); !errors.Is(err, queue.ErrLocked) {
		t.Errorf("a counter that runs: %v", err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	n, err := count()
	if err != nil || n.Operations != 4 || n.Amount != 2000*money.Rupee || n.Damaged != 0 || n.ByState[op.Sent] != 1 || n.ByState[op.Expired] != 0 {
		t.Errorf("counted %+v, %v", n, err)
	}
	if err := os.Remove(f.settings()); err != nil {
		t.Fatal(err)
	}
	if _, err := count(); err == nil || errors.Is(err, ErrNotEnrolled) || !strings.Contains(err.Error(), "restore the settings") {
		t.Errorf("a queue without settings: %v", err)
	}
}
