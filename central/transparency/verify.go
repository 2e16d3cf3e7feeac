package transparency

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"galla/shared/checkpoint"
)

// maxFaults bounds the faults that a verification lists; it counts all.
const maxFaults = 100

// Report is the result of a verification.
type Report struct {
	Head        Head
	Entries     int64                 // that were compared with the tables
	Checkpoints int                   // that agree with the tree
	Last        checkpoint.Checkpoint // the newest that agrees
	Faults      []string              // what is wrong and of which row, at most 100
	Count       int                   // of all faults
	Notes       []string              // what a reader should know, and is no fault
}

// OK reports whether nothing was found.
func (r Report) OK() bool { return r.Count == 0 }

func (r *Report) fault(format string, args ...any) {
	if r.Count++; len(r.Faults) < maxFaults {
		r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
	}
}

// VerifyConfig says what a log is verified with.
type VerifyConfig struct {
	Store Store
	Keys  checkpoint.Keys // the public keys that sign checkpoints; from elsewhere than the database
	// Kept are checkpoints that were kept elsewhere, signed.
	Kept []string
	Now  time.Time
	// Compare says which entries are compared with their rows; nil: all. The tree and its
	// checkpoints are compared from the first entry on in any case.
	Compare func(number int64) bool
	// SkipUnsealed leaves out what has no entry, or no signature, yet.
	SkipUnsealed bool
}

// Verify compares the whole log with the tables, with its own tree, with its checkpoints and
// with those that were kept elsewhere. The error is that it could not look; what it found is
// in the report.
func Verify(ctx context.Context, cfg VerifyConfig) (r Report, err error) {
	if r.Head, err = cfg.Store.LogHead(ctx); err != nil {
		return r, err
	}
	v := &verification{VerifyConfig: cfg, r: &r}
	if err := v.readCheckpoints(ctx); err != nil {
		return r, err
	}
	v.addKept()
	if err := v.walk(ctx); err != nil {
		return r, err
	}
	v.compareEnds()
	for _, source := range Sources() {
		if err := v.findUnsealed(ctx, source); err != nil {
			return r, err
		}
	}
	return r, nil
}

const (
	verifyBatch     = 500
	maxCheckpoints  = 1000 // of one query
	maxUnsealedList = 20
)

// verification is one run of Verify.
type verification struct {
	VerifyConfig
	r    *Report
	due  []namedCheckpoint // in order of size
	tree frontier
	// unsigned is when the oldest record happened of those since the last checkpoint.
	unsigned time.Time
}

// namedCheckpoint is a checkpoint, and where it comes from.
type namedCheckpoint struct {
	checkpoint.Checkpoint
	from string
}

// readCheckpoints reads the log's own checkpoints.
func (v *verification) readCheckpoints(ctx context.Context) error {
	for from := int64(0); ; {
		list, err := v.Store.LogCheckpoints(ctx, from, maxCheckpoints)
		if err != nil {
			return err
		}
		for _, signed := range list {
			c, err := v.Keys.Open(signed)
			if err != nil {
				known, _ := checkpoint.Unverified(signed)
				v.r.fault("a checkpoint in the database, of %d entries, is not signed with a known key: it was changed, or the key was", known.Size)
				from = max(from, known.Size+1)
				continue
			}
			from = c.Size + 1
			v.due = append(v.due, namedCheckpoint{c, "the database's checkpoint"})
		}
		if len(list) < maxCheckpoints {
			break
		}
	}
	if v.r.Head.Size > 0 && len(v.due) == 0 {
		v.r.fault("the log has %d entries and no valid checkpoint: they were removed", v.r.Head.Size)
	}
	return nil
}

// addKept adds the checkpoints that were kept elsewhere.
func (v *verification) addKept() {
	for i, signed := range v.Kept {
		c, err := v.Keys.Open(signed)
		if err != nil {
			v.r.fault("checkpoint %d of those that were kept elsewhere is not signed with a known key", i+1)
			continue
		}
		if c.Log != v.r.Head.Log {
			v.r.fault("the checkpoint of %s that was kept elsewhere is of another log, %s: this database's log was replaced", c.At.Format(time.RFC3339), c.Log)
			continue
		}
		if c.Epoch < v.r.Head.Epoch && c.Size > v.lastOf(c.Epoch) {
			v.r.Notes = append(v.r.Notes, fmt.Sprintf("the checkpoint of %s that was kept elsewhere has %d entries: it was signed before the database was restored from a backup, and what came after the backup is not here", c.At.Format(time.RFC3339), c.Size))
			continue
		}
		v.insert(namedCheckpoint{c, "the checkpoint that was kept elsewhere"})
	}
}

// lastOf is the size of the database's newest checkpoint of an epoch, or of an earlier one.
func (v *verification) lastOf(epoch int64) (size int64) {
	for _, c := range v.due {
		if c.Epoch <= epoch {
			size = max(size, c.Size)
		}
	}
	return size
}

// insert keeps due in order of size.
func (v *verification) insert(c namedCheckpoint) {
	at := len(v.due)
	for at > 0 && v.due[at-1].Size > c.Size {
		at--
	}
	v.due = append(v.due[:at], append([]namedCheckpoint{c}, v.due[at:]...)...)
}

// walk goes through all entries.
func (v *verification) walk(ctx context.Context) error {
	leaves := newStored(func(level int, at int64) ([]byte, error) { return v.Store.LogTile(ctx, level, at) })
	v.compareCheckpoints()
	for next := int64(0); next < v.r.Head.Size; {
		if v.Compare != nil && !v.Compare(next) {
			v.addStored(leaves, next)
			next++
			continue
		}
		list, err := v.Store.LogEntries(ctx, next, verifyBatch)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			v.r.fault("entries %d to %d of the log are missing: they were removed", next, v.r.Head.Size-1)
			return nil
		}
		records, err := v.Store.LogRecords(ctx, list)
		if err != nil {
			return err
		}
		for _, e := range list {
			if v.Compare != nil && !v.Compare(next) {
				break
			}
			if e.Number != next {
				v.r.fault("entries %d to %d of the log are missing: they were removed", next, e.Number-1)
				for ; next < e.Number; next++ {
					v.addStored(leaves, next)
				}
			}
			v.compare(leaves, e, records)
			next++
		}
	}
	return nil
}

// addStored adds the leaf of a missing entry as its tile has it.
func (v *verification) addStored(leaves *stored, number int64) tlog.Hash {
	h, err := leaves.readHash(tlog.StoredHashIndex(0, number))
	if err != nil {
		v.r.fault("the tree has no hash of entry %d: its tile was changed or removed", number)
	}
	v.tree.add(h)
	v.compareCheckpoints()
	return h
}

// compare compares an entry with its row.
func (v *verification) compare(leaves *stored, e Sealed, records map[Entry]Record) {
	h := v.addStored(leaves, e.Number)
	v.r.Entries++
	r, found := records[e.Entry]
	if !found {
		v.r.fault("entry %d: %s was removed after it was sealed", e.Number, e.Entry)
		return
	}
	if r.Erased {
		r.Erasable = e.Erasable
	}
	if v.r.Last.Size <= e.Number && (v.unsigned.IsZero() || r.At.Before(v.unsigned)) {
		v.unsigned = r.At
	}
	if tlog.RecordHash(r.leaf()) != h {
		what := "was changed after it was sealed, or its entry was moved"
		if !r.Erased && r.Erasable != e.Erasable {
			what = "was changed after it was sealed: its reply, or a reason in its history (" + hex.EncodeToString(e.Erasable[:sha256.Size/8]) + "…)"
		}
		v.r.fault("entry %d: %s %s", e.Number, e.Entry, what)
	}
}

// compareCheckpoints compares the tree so far with the checkpoints of its size.
func (v *verification) compareCheckpoints() {
	for len(v.due) > 0 && v.due[0].Size == v.tree.size {
		c := v.due[0]
		v.due = v.due[1:]
		if v.tree.root() != c.Root {
			v.r.fault("%s of %s, of %d entries, does not agree with the log's tree: entries up to there were rewritten", c.from, c.At.Format(time.RFC3339), c.Size)
			continue
		}
		v.r.Checkpoints++
		v.r.Last, v.unsigned = c.Checkpoint, time.Time{}
	}
}

// compareEnds looks for an end that was cut off.
func (v *verification) compareEnds() {
	for _, c := range v.due {
		v.r.fault("the log ends after %d entries, and %s of %s has %d: the end was cut off", v.tree.size, c.from, c.At.Format(time.RFC3339), c.Size)
	}
	if !v.SkipUnsealed && !v.unsigned.IsZero() && v.Now.Sub(v.unsigned) > UnsealedAfter {
		v.r.fault("the log has %d entries and its last valid checkpoint %d: later ones were removed, or the central does not sign", v.tree.size, v.r.Last.Size)
	}
}

// findUnsealed looks for rows that should have an entry.
func (v *verification) findUnsealed(ctx context.Context, source Source) error {
	if v.SkipUnsealed {
		return nil
	}
	list, err := v.Store.UnsealedRecords(ctx, source, time.Time{}, v.Now.Add(-UnsealedAfter), maxUnsealedList)
	if err != nil {
		return err
	}
	for _, r := range list {
		v.r.fault("%s of %s is in no entry of the log: it was added by other means, its entry was removed, or the central does not seal", r.Entry, r.At.UTC().Format(time.RFC3339))
	}
	if len(list) == maxUnsealedList {
		v.r.Notes = append(v.r.Notes, fmt.Sprintf("only the first %d rows of %s without an entry are listed", maxUnsealedList, source))
	}
	return nil
}

// Prove returns the hashes that show that the log's tree of a size continues that of a smaller
// one (checkpoint.Proof).
func Prove(ctx context.Context, s Store, size, smaller int64) (checkpoint.Proof, error) {
	if smaller <= 0 || smaller >= size {
		return nil, nil // the empty tree and the same one need no proof
	}
	p, err := tlog.ProveTree(size, smaller, newStored(func(level int, at int64) ([]byte, error) { return s.LogTile(ctx, level, at) }))
	return checkpoint.Proof(p), err
}
