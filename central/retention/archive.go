package retention

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/files"
	"galla/shared/ist"
	"galla/shared/op"
)

// Limits of an archive run.
const (
	// batchSize is how many operations a query reads.
	batchSize = 250
	// maxLines bounds the operations of one file, and so the memory of a run: some
	// 10 MB.
	maxLines = 10_000
	// maxFiles bounds the files of one run: enough for two million operations a day.
	maxFiles = 10
	// maxNameTries bounds the search for an unused file name within one millisecond.
	maxNameTries = 1000
	// shrinkRows bounds the operations of one transaction, so that it takes a few
	// milliseconds.
	shrinkRows = 64
)

// Suffixes of file names: of an archive, and after it of the file with its SHA-256 and of
// an unfinished archive.
const (
	suffix     = ".ndjson.gz"
	sumSuffix  = ".sha256"
	partSuffix = ".part"
)

// ArchiverConfig configures an Archiver. Zero values mean the defaults.
type ArchiverConfig struct {
	// Folder is the folder of archives; it is created if missing. Required.
	Folder string
	// KeepFor is how long a body stays in the database after the operation's end;
	// default BodyRetention, at least MinBodyRetention.
	KeepFor time.Duration
	// Lines bounds the operations of one file; default and maximum 10,000.
	Lines int
	// Node names this central in file names. Required.
	Node   string
	Logger *slog.Logger
}

func (c ArchiverConfig) withDefaults() (ArchiverConfig, error) {
	if c.KeepFor == 0 {
		c.KeepFor = BodyRetention
	}
	if c.Lines == 0 {
		c.Lines = maxLines
	}
	switch {
	case c.Folder == "" || c.Node == "" || c.Logger == nil:
		return c, errors.New("an archive needs a folder, a node name and a logger")
	case c.KeepFor < MinBodyRetention:
		return c, fmt.Errorf("bodies stay in the database for at least %d days, in which callers may ask for replies again", MinBodyRetention/(24*time.Hour))
	case c.Lines < 1 || c.Lines > maxLines:
		return c, fmt.Errorf("an archive file has 1 to %d operations", maxLines)
	}
	return c, nil
}

// Archiver moves bodies from the database to files.
type Archiver struct {
	store ArchiveStore
	cfg   ArchiverConfig
}

// NewArchiver returns an Archiver. Nothing is written before Run.
func NewArchiver(store ArchiveStore, cfg ArchiverConfig) (*Archiver, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Archiver{store, cfg}, nil
}

// ArchiveResult counts the work of a run.
type ArchiveResult struct {
	Files      int
	Operations int // whose bodies were removed from their rows
}

func (a ArchiveResult) String() string {
	return fmt.Sprintf("%d operations archived in %d files", a.Operations, a.Files)
}

// Run archives bodies that are due, up to maxFiles files. It may be stopped at any point
// and run again, also by several nodes at once.
func (a *Archiver) Run(ctx context.Context, now time.Time) (done ArchiveResult, err error) {
	if err := os.MkdirAll(a.cfg.Folder, 0o700); err != nil {
		return done, fmt.Errorf("create the folder of archives: %w", err)
	}
	for range maxFiles {
		f, err := a.writeFile(ctx, now)
		if err != nil || f == nil {
			return done, err
		}
		done.Files++
		n, err := a.removeBodies(ctx, *f)
		done.Operations += n
		if err != nil {
			return done, err
		}
		if n == 0 { // another node has archived all of them
			return done, nil
		}
	}
	return done, nil
}

// writtenArchive is a finished file, with the changes of rows that follow.
type writtenArchive struct {
	Archive
	removals []BodyRemoval
}

// writeFile writes an archive of due bodies of one month; nil: none is due.
func (a *Archiver) writeFile(ctx context.Context, now time.Time) (_ *writtenArchive, err error) {
	before := now.Add(-a.cfg.KeepFor)
	list, err := a.store.UnarchivedOperations(ctx, before, time.Time{}, "", min(batchSize, a.cfg.Lines))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	month := ist.MonthOf(list[0].Operation.FinishedAt)
	f, err := a.create(month, now)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.discard())
		}
	}()
	w := &writtenArchive{Archive: Archive{File: f.name, Month: month, Node: a.cfg.Node, At: now}}
	for len(list) > 0 && w.add(f, list, month) == nil && f.err == nil {
		last := list[len(list)-1].Operation
		if ist.MonthOf(last.FinishedAt) != month || len(w.removals) >= a.cfg.Lines {
			break
		}
		if list, err = a.store.UnarchivedOperations(ctx, before, last.FinishedAt, last.ID, min(batchSize, a.cfg.Lines-len(w.removals))); err != nil {
			return nil, err
		}
	}
	w.Operations = len(w.removals)
	if w.SHA256, err = f.finish(); err != nil {
		return nil, err
	}
	return w, nil
}

// add writes the operations of the archive's month.
func (w *writtenArchive) add(f *archiveWriter, list []FinishedOperation, month string) error {
	for _, x := range list {
		o := x.Operation
		if ist.MonthOf(o.FinishedAt) != month {
			return nil
		}
		short := ShortReply(o)
		f.writeEntry(newEntry(x, short))
		w.removals = append(w.removals, BodyRemoval{ID: o.ID, CreatedAt: o.CreatedAt, Archived: o.Reply, Reply: short})
	}
	return f.err
}

// removeBodies replaces the archived bodies in the rows.
func (a *Archiver) removeBodies(ctx context.Context, w writtenArchive) (total int, err error) {
	for list := w.removals; len(list) > 0; {
		n := min(shrinkRows, len(list))
		changed, err := a.store.RemoveBodies(ctx, w.Archive, list[:n])
		if err != nil {
			return total, fmt.Errorf("archive %s is written, and %d of its %d operations still have their bodies; the next run archives those again: %w",
				w.File, len(list), w.Operations, err)
		}
		total, list = total+changed, list[n:]
	}
	a.cfg.Logger.Info("bodies were archived", "file", w.File, "operations", total, "month", w.Month)
	return total, nil
}

// entry is one line of an archive. It has the row's data, so that the file can be read
// alone, and the removed data.
type entry struct {
	V          int            `json:"v"`
	ID         op.ID          `json:"id"`
	Caller     string         `json:"caller"`
	Identity   string         `json:"identity"`
	Route      op.RouteID     `json:"route"`
	Kind       string         `json:"kind"`
	State      op.State       `json:"state"`
	Merchant   string         `json:"merchant,omitzero"`
	Terminal   string         `json:"terminal,omitzero"`
	TID        string         `json:"tid,omitzero"`
	Amount     string         `json:"amount"` // rupees
	Charge     string         `json:"charge"`
	Reference  string         `json:"reference"`
	Pending    string         `json:"pendingReference,omitzero"`
	STAN       string         `json:"stan"`
	CallerRef  string         `json:"callerRef,omitzero"`
	Original   string         `json:"original,omitzero"`
	Code       string         `json:"code,omitzero"`
	RRN        string         `json:"rrn,omitzero"`
	CreatedAt  string         `json:"createdAt"`
	SentAt     string         `json:"sentAt,omitzero"`
	FinishedAt string         `json:"finishedAt"`
	HTTP       int            `json:"http"`
	Reply      jsontext.Value `json:"reply"`
	History    []entryStep    `json:"history"`
}

// entryStep is one step of the history.
type entryStep struct {
	At     string   `json:"at"`
	Node   string   `json:"node"`
	From   op.State `json:"from"`
	To     op.State `json:"to"`
	Reason string   `json:"reason,omitzero"`
}

// entryVersion is the version of the format of the lines.
const entryVersion = 1

// longNumber finds numbers that may be personal.
var longNumber = regexp.MustCompile(`\d{9,}`)

func newEntry(x FinishedOperation, short []byte) entry {
	o := x.Operation
	e := entry{
		V: entryVersion, ID: o.ID, Caller: o.Caller, Identity: o.Identity, Route: o.Route, Kind: string(o.Kind), State: o.State,
		Merchant: string(o.Merchant), Terminal: string(o.Terminal), TID: o.TID, Amount: o.Amount.String(), Charge: o.Charge.String(),
		Reference: string(o.Reference), Pending: o.PendingReference, STAN: o.STAN, CallerRef: o.CallerRef, Original: string(o.Original),
		Code: o.Code, RRN: o.RRN, CreatedAt: formatTime(o.CreatedAt), SentAt: formatTime(o.SentAt), FinishedAt: formatTime(o.FinishedAt),
		HTTP: o.HTTP, Reply: short,
	}
	for _, s := range x.Steps {
		e.History = append(e.History, entryStep{At: formatTime(s.At), Node: s.Node, From: s.From, To: s.To, Reason: longNumber.ReplaceAllString(s.Reason, "…")})
	}
	return e
}

// formatTime formats a time in UTC with milliseconds; zero: empty.
func formatTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}

// archiveWriter writes an archive. finish returns its first error.
type archiveWriter struct {
	folder, name string
	part         *os.File
	sum          hash.Hash
	zip          *gzip.Writer
	err          error
}

// unsafeInName matches characters that are replaced in file names.
var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// create creates an archive. Its name has the month, the time of the run and the node, and
// is unique.
func (a *Archiver) create(month string, now time.Time) (*archiveWriter, error) {
	node := unsafeInName.ReplaceAllString(a.cfg.Node, "-")
	run := now.UTC().Format("20060102T150405.000Z")
	for n := range maxNameTries {
		name := fmt.Sprintf("operations-%s-%s-%s-%d%s", month, run, node, n, suffix)
		path := filepath.Join(a.cfg.Folder, name)
		// The checksum file reserves the name.
		claim, err := os.OpenFile(path+sumSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil {
			err = claim.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("create an archive; its folder must be writable: %w", err)
		}
		part, err := os.OpenFile(path+partSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, fmt.Errorf("create an archive; its folder must be writable: %w", err)
		}
		f := &archiveWriter{folder: a.cfg.Folder, name: name, part: part, sum: sha256.New()}
		f.zip = gzip.NewWriter(io.MultiWriter(part, f.sum))
		return f, nil
	}
	return nil, fmt.Errorf("folder %s has %d archives of the same millisecond: check what runs there", a.cfg.Folder, maxNameTries)
}

func (f *archiveWriter) writeEntry(e entry) {
	if f.err == nil {
		_, f.err = f.zip.Write(append(encode(e), '\n'))
	}
}

// finish makes the archive durable: first its checksum, then its name.
func (f *archiveWriter) finish() (sum string, err error) {
	if err := errors.Join(f.err, f.zip.Close(), f.part.Sync(), f.part.Close()); err != nil {
		return "", fmt.Errorf("write archive %s: %w", f.name, err)
	}
	sum = hex.EncodeToString(f.sum.Sum(nil))
	path := filepath.Join(f.folder, f.name)
	if err := writeSynced(path+sumSuffix, sum+"  "+f.name+"\n"); err != nil {
		return "", err
	}
	if err := os.Rename(path+partSuffix, path); err != nil {
		return "", fmt.Errorf("rename an archive: %w", err)
	}
	return sum, files.SyncFolder(f.folder)
}

// discard removes an unfinished archive.
func (f *archiveWriter) discard() error {
	_ = f.part.Close() // an error if finish has closed it
	for _, name := range []string{f.part.Name(), filepath.Join(f.folder, f.name) + sumSuffix} {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove an unfinished archive: %w", err)
		}
	}
	return nil
}

func writeSynced(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err != nil {
		return fmt.Errorf("write a checksum: %w", err)
	}
	return nil
}

// isArchive reports whether a file name is that of an archive.
func isArchive(name string) bool {
	return strings.HasPrefix(name, "operations-") && strings.HasSuffix(name, suffix)
}
