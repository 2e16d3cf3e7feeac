package admincli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"galla/central/keys"
	"galla/central/store"
	"galla/central/transparency"
	"galla/shared/checkpoint"
	"galla/shared/files"
)

// Log verifies the log that shows when the past was rewritten.
type Log struct {
	db  *store.DB
	cfg Config
}

// OpenLog opens the database of an existing central. Close ends it.
func OpenLog(ctx context.Context, cfg Config) (*Log, error) {
	db, err := openDatabase(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Log{db: db, cfg: cfg}, nil
}

func (l *Log) Close() error { return l.db.Close() }

// PublicKey prints the key that verifies checkpoints.
func PublicKey(cfg Config, out io.Writer) error {
	seed, err := keys.LoadLog(cfg.keyConfig())
	if err != nil {
		return err
	}
	public, err := checkpoint.PublicKey(seed)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, public)
	return err
}

// Checkpoint prints the newest signed checkpoint, to be kept elsewhere.
func (l *Log) Checkpoint(ctx context.Context, out io.Writer) error {
	head, err := l.db.LogHead(ctx)
	if err != nil {
		return err
	}
	if head.Checkpoint == "" {
		return errors.New("nothing was sealed yet: a running central signs the first checkpoint within seconds of its first operation")
	}
	_, err = io.WriteString(out, head.Checkpoint)
	return err
}

// maxCheckpointFile bounds the file of a checkpoint.
const maxCheckpointFile = 4 << 10

// Verify compares the whole log with the tables. public are the keys that verify; none: that
// of the data folder. kept are files of checkpoints. The error is that something was found,
// or that it could not look.
func (l *Log) Verify(ctx context.Context, public, kept []string, out io.Writer) error {
	if len(public) == 0 {
		seed, err := keys.LoadLog(l.cfg.keyConfig())
		if err != nil {
			return fmt.Errorf("read the key of the data folder, or give a public key with --key: %w", err)
		}
		one, err := checkpoint.PublicKey(seed)
		if err != nil {
			return err
		}
		public = []string{one}
	}
	known, err := checkpoint.ParseKeys(public...)
	if err != nil {
		return err
	}
	v := transparency.VerifyConfig{Store: l.db, Keys: known, Now: time.Now()}
	for _, path := range kept {
		text, err := files.ReadBounded(path, maxCheckpointFile)
		if err != nil {
			return fmt.Errorf("read a checkpoint: %w", err)
		}
		v.Kept = append(v.Kept, string(text))
	}
	r, err := transparency.Verify(ctx, v)
	if err != nil {
		return err
	}
	return printReport(r, out)
}

func printReport(r transparency.Report, out io.Writer) error {
	for _, fault := range r.Faults {
		fmt.Fprintln(out, "FAULT ", fault)
	}
	for _, note := range r.Notes {
		fmt.Fprintln(out, "note  ", note)
	}
	fmt.Fprintf(out, "Log %s, epoch %d: %d entries were compared with their rows. %d checkpoints agree; the newest is %s.\n",
		r.Head.Log, r.Head.Epoch, r.Entries, r.Checkpoints, lastText(r.Last))
	if !r.OK() {
		return fmt.Errorf("%d faults: the past was changed, or the log was; see the runbook 'log-fault'", r.Count)
	}
	return nil
}

func lastText(c checkpoint.Checkpoint) string {
	if c.Size == 0 {
		return "missing: nothing was signed yet"
	}
	return fmt.Sprintf("of %d entries, signed at %s", c.Size, formatTime(c.At))
}
