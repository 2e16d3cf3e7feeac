package transparency

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"galla/shared/checkpoint"
)

const (
	// freshFor is how old a terminal's checkpoint may be before it gets another one.
	freshFor = time.Hour
	// headFor is how long the newest checkpoint is kept in memory: terminals connect by the
	// thousand after a failure.
	headFor = 10 * time.Second
)

// Witnesses gives terminals the newest checkpoint, with the proof that it continues the one
// that they keep, and looks whether theirs is of this log's past. Its methods may be called
// concurrently.
type Witnesses struct {
	store  Store
	keys   checkpoint.Keys
	public string // the key that signs now

	mu     sync.Mutex
	head   Head
	readAt time.Time
}

// NewWitnesses makes Witnesses; public is the key that signs this log.
func NewWitnesses(store Store, public string) (*Witnesses, error) {
	keys, err := checkpoint.ParseKeys(public)
	return &Witnesses{store: store, keys: keys, public: public}, err
}

// PublicKey is the key that verifies the checkpoints, for terminals.
func (w *Witnesses) PublicKey() string { return w.public }

// ErrCutOff says that a terminal keeps a checkpoint of this log that has more entries than the
// log has.
var ErrCutOff = errors.New("a terminal keeps a later checkpoint than the log has: its end was cut off")

// Continue returns the newest checkpoint for a terminal that keeps another one (empty: none),
// and the proof that it continues it; empty: the terminal's is fresh. Where no proof can be
// given, the terminal gets none, and shows a fork by itself. The error is ErrCutOff or
// checkpoint.ErrFork where the terminal's is not of this log's past, else that the log could
// not be read.
func (w *Witnesses) Continue(ctx context.Context, kept string) (newest string, proof []string, err error) {
	head, err := w.newestHead(ctx)
	if err != nil || head.Checkpoint == "" {
		return "", nil, err
	}
	now, err := w.keys.Open(head.Checkpoint)
	if err != nil {
		return "", nil, fmt.Errorf("the log's newest checkpoint: %w", err)
	}
	theirs, err := w.keys.Open(kept)
	switch {
	case kept == "" || err != nil || theirs.Log != now.Log || theirs.Epoch < now.Epoch:
		return head.Checkpoint, nil, nil // it has none, or one of another key, log or epoch
	case theirs.Epoch > now.Epoch || theirs.Size > now.Size && now.At.After(theirs.At):
		return head.Checkpoint, nil, fmt.Errorf("%w (%d and %d entries)", ErrCutOff, theirs.Size, now.Size)
	case theirs.Size > now.Size || now.At.Sub(theirs.At) < freshFor: // another node's is newer than this memory
		return "", nil, nil
	}
	hashes, err := Prove(ctx, w.store, now.Size, theirs.Size)
	if err != nil {
		return "", nil, err
	}
	return head.Checkpoint, hashes.Texts(), hashes.Check(now, theirs)
}

func (w *Witnesses) newestHead(ctx context.Context) (Head, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.readAt) < headFor {
		return w.head, nil
	}
	head, err := w.store.LogHead(ctx)
	if err == nil {
		w.head, w.readAt = head, time.Now()
	}
	return head, err
}
