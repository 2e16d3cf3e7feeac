package transparency

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"galla/central/jobs"
	"galla/shared/checkpoint"
)

const (
	sealEvery = 5 * time.Second
	// overlap is how far each run looks back behind the last one, for what was committed
	// late; every deepEvery it looks back by deepOverlap.
	overlap     = 30 * time.Second
	deepOverlap = 15 * time.Minute
	deepEvery   = 5 * time.Minute
	// openAfter is how old an operation is before it is sealed without its outcome.
	openAfter = 5 * time.Second
	// sealBatch is how many records one transaction seals, and maxBatches how many a run.
	sealBatch  = 500
	maxBatches = 200
	// checkpointEvery is how soon a checkpoint is signed where nothing is new, so that an end
	// that was cut off is seen by its age.
	checkpointEvery = time.Hour

	// UnsealedAfter is how old a record without an entry is a fault.
	UnsealedAfter = 20 * time.Minute
)

// Sealer seals records and signs checkpoints.
type Sealer struct {
	store  Store
	signer *checkpoint.Signer
	rand   io.Reader
}

// NewSealer makes a Sealer. Of rand comes the id of a new log.
func NewSealer(store Store, signer *checkpoint.Signer, random io.Reader) *Sealer {
	return &Sealer{store, signer, random}
}

// Job is the scheduled job that seals what is new.
func (s *Sealer) Job() jobs.ScheduledJob {
	return jobs.ScheduledJob{Name: "log-seal", Every: sealEvery, Run: s.Run}
}

// Run seals all that is new, and signs a checkpoint.
func (s *Sealer) Run(ctx context.Context) (string, error) {
	now, sealed := time.Now(), 0
	for _, source := range Sources() {
		n, err := s.sealSource(ctx, source, now)
		sealed += n
		if err != nil {
			return "", fmt.Errorf("seal the source %s: %w", source, err)
		}
	}
	size, err := s.sign(ctx, sealed > 0)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d records sealed, the log has %d", sealed, size), nil
}

// sealSource seals the new records of a source.
func (s *Sealer) sealSource(ctx context.Context, source Source, now time.Time) (sealed int, err error) {
	from, err := s.store.SealedUntil(ctx, source)
	if err != nil {
		return 0, err
	}
	to := now
	if source == Open {
		to = now.Add(-openAfter)
	}
	back := overlap
	if from.Truncate(deepEvery).Before(now.Truncate(deepEvery)) {
		back = deepOverlap
	}
	if !from.IsZero() {
		from = from.Add(-back)
	}
	for range maxBatches {
		list, err := s.store.UnsealedRecords(ctx, source, from, to, sealBatch)
		if err != nil {
			return sealed, err
		}
		if err := s.append(ctx, list); err != nil {
			return sealed, err
		}
		sealed += len(list)
		if len(list) < sealBatch {
			return sealed, s.store.SetSealedUntil(ctx, source, now)
		}
		if source != Open {
			from = list[len(list)-1].At
		}
	}
	return sealed, s.store.SetSealedUntil(ctx, source, from) // the next run continues
}

// append writes records into the log.
func (s *Sealer) append(ctx context.Context, list []Record) error {
	if len(list) == 0 {
		return nil
	}
	name := make([]byte, 8)
	if _, err := io.ReadFull(s.rand, name); err != nil {
		return fmt.Errorf("draw the id of a log: %w", err)
	}
	leaves := make([][]byte, len(list))
	for i, r := range list {
		leaves[i] = r.leaf()
	}
	return s.store.ChangeLog(ctx, func(tx Tx) error {
		head, err := tx.Head()
		if err != nil {
			return err
		}
		tiles, _, err := grow(tx.Tile, head.Size, leaves)
		if err != nil {
			return err
		}
		return tx.Append(hex.EncodeToString(name), head.Size, list, tiles)
	})
}

// sign signs a checkpoint, if there is something new or the last one is old.
func (s *Sealer) sign(ctx context.Context, isNew bool) (size int64, err error) {
	err = s.store.ChangeLog(ctx, func(tx Tx) error {
		head, err := tx.Head()
		if size = head.Size; err != nil || head.Size == 0 {
			return err
		}
		if last, ok := checkpoint.Unverified(head.Checkpoint); ok && !isNew && last.Size == head.Size && last.Epoch == head.Epoch && time.Since(last.At) < checkpointEvery {
			return nil
		}
		root, err := tlog.TreeHash(head.Size, newStored(tx.Tile))
		if err != nil {
			return fmt.Errorf("read the log's tree: %w", err)
		}
		c := checkpoint.Checkpoint{Log: head.Log, Epoch: head.Epoch, Size: head.Size, Root: root, At: time.Now().Truncate(time.Millisecond)}
		signed, err := s.signer.Sign(c)
		if err != nil {
			return err
		}
		return tx.AddCheckpoint(c.Size, c.At, signed)
	})
	return size, err
}
