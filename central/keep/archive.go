package keep

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

	"galla/central"
	"galla/central/duty"
	"galla/shared/op"
)

// Limits of an archive run.
const (
	// page is how many operations one look at the table brings.
	page = 250
	// maxLines bounds the operations of one file, and so what a run holds in
	// memory between the file and the rows: some 10 MB.
	maxLines = 10_000
	// maxFiles bounds the files of one run; an hourly run of so many keeps up
	// with two million operations a day.
	maxFiles = 10
	// maxNames bounds the search for a name that no other run of the same
	// millisecond has.
	maxNames = 1000
	// shrinkRows bounds the operations of one transaction, which takes a few
	// milliseconds, so that nobody waits for it.
	shrinkRows = 64
)

// suffix ends the name of an archive, sumSuffix that of the file with its
// SHA-256, and partSuffix that of one that is being written.
const (
	suffix     = ".ndjson.gz"
	sumSuffix  = ".sha256"
	partSuffix = ".part"
)

// ArchiverConfig sets up an Archiver. Zero values take the defaults.
type ArchiverConfig struct {
	// Folder is where the files go; it is made where it is missing. Needed.
	Folder string
	// Kept is how long a body stays in the database after the operation's end;
	// default duty.BodiesKept, at least duty.LeastBodiesKept.
	Kept time.Duration
	// Lines bounds the operations of one file; default and most 10,000.
	Lines int
	// Node names this central in the files' names. Needed.
	Node   string
	Logger *slog.Logger
}

func (c ArchiverConfig) withDefaults() (ArchiverConfig, error) {
	if c.Kept == 0 {
		c.Kept = duty.BodiesKept
	}
	if c.Lines == 0 {
		c.Lines = maxLines
	}
	switch {
	case c.Folder == "" || c.Node == "" || c.Logger == nil:
		return c, errors.New("an archive needs a folder, a node name and a logger")
	case c.Kept < duty.LeastBodiesKept:
		return c, fmt.Errorf("bodies are kept for at least %d days, in which replies are asked for again", duty.LeastBodiesKept/(24*time.Hour))
	case c.Lines < 1 || c.Lines > maxLines:
		return c, fmt.Errorf("an archive file has 1 to %d operations", maxLines)
	}
	return c, nil
}

// Archiver moves bodies out of the database into files.
type Archiver struct {
	store duty.Archives
	cfg   ArchiverConfig
}

// NewArchiver makes an archiver. Nothing is written before Run.
func NewArchiver(store duty.Archives, cfg ArchiverConfig) (*Archiver, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Archiver{store, cfg}, nil
}

// Archived is what one run did.
type Archived struct {
	Files      int
	Operations int // whose bodies left their rows
}

func (a Archived) String() string {
	return fmt.Sprintf("%d operations archived in %d files", a.Operations, a.Files)
}

// Run archives the bodies that are due, up to ten files of them. It may be
// stopped at any point and run again, by several nodes at once.
func (a *Archiver) Run(ctx context.Context, now time.Time) (done Archived, err error) {
	if err := os.MkdirAll(a.cfg.Folder, 0o700); err != nil {
		return done, fmt.Errorf("make the folder of archives: %w", err)
	}
	for range maxFiles {
		f, err := a.write(ctx, now)
		if err != nil || f == nil {
			return done, err
		}
		done.Files++
		n, err := a.shrink(ctx, *f)
		done.Operations += n
		if err != nil {
			return done, err
		}
		if n == 0 { // another node was quicker with all of them
			return done, nil
		}
	}
	return done, nil
}

// written is a file that is on the disk.
type written struct {
	duty.Archive
	list []duty.Shrinking
}

// write archives the bodies of one month that are due; nil: none is.
func (a *Archiver) write(ctx context.Context, now time.Time) (_ *written, err error) {
	before := now.Add(-a.cfg.Kept)
	list, err := a.store.Finished(ctx, before, time.Time{}, "", min(page, a.cfg.Lines))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	month := central.MonthOf(list[0].Operation.SettledAt)
	f, err := a.create(month, now)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.drop())
		}
	}()
	w := &written{Archive: duty.Archive{File: f.name, Month: month, Node: a.cfg.Node, At: now}}
	for len(list) > 0 && w.take(f, list, month) == nil && f.err == nil {
		last := list[len(list)-1].Operation
		if central.MonthOf(last.SettledAt) != month || len(w.list) >= a.cfg.Lines {
			break
		}
		if list, err = a.store.Finished(ctx, before, last.SettledAt, last.ID, min(page, a.cfg.Lines-len(w.list))); err != nil {
			return nil, err
		}
	}
	w.Operations = len(w.list)
	if w.SHA256, err = f.finish(); err != nil {
		return nil, err
	}
	return w, nil
}

// take writes the operations of the month.
func (w *written) take(f *file, list []duty.Finished, month string) error {
	for _, x := range list {
		o := x.Operation
		if central.MonthOf(o.SettledAt) != month {
			return nil
		}
		short := Slim(o)
		f.line(entryOf(x, short))
		w.list = append(w.list, duty.Shrinking{ID: o.ID, CreatedAt: o.CreatedAt, Was: o.Reply, Reply: short})
	}
	return f.err
}

// shrink takes the bodies out of the rows.
func (a *Archiver) shrink(ctx context.Context, w written) (total int, err error) {
	for list := w.list; len(list) > 0; {
		n := min(shrinkRows, len(list))
		changed, err := a.store.Shrink(ctx, w.Archive, list[:n])
		if err != nil {
			return total, fmt.Errorf("archive %s is written, and %d of its %d operations still have their bodies; the next run archives those again: %w",
				w.File, len(list), w.Operations, err)
		}
		total, list = total+changed, list[n:]
	}
	a.cfg.Logger.Info("bodies were archived", "file", w.File, "operations", total, "month", w.Month)
	return total, nil
}

// entry is one line of an archive. It has what the row keeps, so that the file
// can be read alone, and what leaves the row.
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
	Dispatched string         `json:"dispatchedAt,omitzero"`
	SettledAt  string         `json:"settledAt"`
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

// entryVersion is the form of the lines; it grows when that changes.
const entryVersion = 1

// long finds numbers in words that could be somebody's.
var long = regexp.MustCompile(`\d{9,}`)

func entryOf(x duty.Finished, short []byte) entry {
	o := x.Operation
	e := entry{
		V: entryVersion, ID: o.ID, Caller: o.Caller, Identity: o.Identity, Route: o.Route, Kind: string(o.Kind), State: o.State,
		Merchant: string(o.Merchant), Terminal: string(o.Terminal), TID: o.TID, Amount: o.Amount.String(), Charge: o.Charge.String(),
		Reference: string(o.Reference), Pending: o.PendingReference, STAN: o.STAN, CallerRef: o.CallerRef, Original: string(o.Original),
		Code: o.Code, RRN: o.RRN, CreatedAt: stamp(o.CreatedAt), Dispatched: stamp(o.DispatchedAt), SettledAt: stamp(o.SettledAt),
		HTTP: o.HTTP, Reply: short,
	}
	for _, s := range x.Steps {
		e.History = append(e.History, entryStep{At: stamp(s.At), Node: s.Node, From: s.From, To: s.To, Reason: long.ReplaceAllString(s.Reason, "…")})
	}
	return e
}

// stamp writes a moment in UTC with milliseconds; none is empty.
func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}

// file is an archive that is being written. Its errors stay until finish.
type file struct {
	folder, name string
	part         *os.File
	sum          hash.Hash
	zip          *gzip.Writer
	err          error
}

// unfit are characters that a file's name had better not have.
var unfit = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// create begins an archive. Its name has the month, the moment of the run and
// the node, and is never used again.
func (a *Archiver) create(month string, now time.Time) (*file, error) {
	node := unfit.ReplaceAllString(a.cfg.Node, "-")
	run := now.UTC().Format("20060102T150405.000Z")
	for n := range maxNames {
		name := fmt.Sprintf("operations-%s-%s-%s-%d%s", month, run, node, n, suffix)
		path := filepath.Join(a.cfg.Folder, name)
		// The file of the checksum claims the name, before and after the archive
		// is there.
		claim, err := os.OpenFile(path+sumSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil {
			err = claim.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("begin an archive; its folder must be writable: %w", err)
		}
		part, err := os.OpenFile(path+partSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, fmt.Errorf("begin an archive; its folder must be writable: %w", err)
		}
		f := &file{folder: a.cfg.Folder, name: name, part: part, sum: sha256.New()}
		f.zip = gzip.NewWriter(io.MultiWriter(part, f.sum))
		return f, nil
	}
	return nil, fmt.Errorf("folder %s has %d archives of this very moment: look at what runs there", a.cfg.Folder, maxNames)
}

func (f *file) line(e entry) {
	if f.err == nil {
		_, f.err = f.zip.Write(append(write(e), '\n'))
	}
}

// finish makes the file durable: first its checksum, then its name.
func (f *file) finish() (sum string, err error) {
	if err := errors.Join(f.err, f.zip.Close(), f.part.Sync(), f.part.Close()); err != nil {
		return "", fmt.Errorf("write archive %s: %w", f.name, err)
	}
	sum = hex.EncodeToString(f.sum.Sum(nil))
	path := filepath.Join(f.folder, f.name)
	if err := writeSynced(path+sumSuffix, sum+"  "+f.name+"\n"); err != nil {
		return "", err
	}
	if err := os.Rename(path+partSuffix, path); err != nil {
		return "", fmt.Errorf("name an archive: %w", err)
	}
	return sum, syncFolder(f.folder)
}

// drop removes what was not finished.
func (f *file) drop() error {
	_ = f.part.Close() // closed already where finish failed later
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

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil {
		return fmt.Errorf("sync folder %s: %w", path, err)
	}
	return nil
}

// isArchive tells an archive from the other files of its folder.
func isArchive(name string) bool {
	return strings.HasPrefix(name, "operations-") && strings.HasSuffix(name, suffix)
}
