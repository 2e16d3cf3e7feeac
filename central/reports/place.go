package reports

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"galla/shared/files"
)

// Place is where files of reports go. Paths have slashes. Its methods are safe for concurrent
// use by several nodes.
type Place interface {
	// Sum returns the SHA-256 of a file, or fs.ErrNotExist.
	Sum(ctx context.Context, path string) ([32]byte, error)
	// Put writes a file as a whole or not at all, unless there is one: fs.ErrExist. It reads
	// content from its start.
	Put(ctx context.Context, path string, content io.ReadSeeker, size int64, sum [32]byte) error
	// String names the place for people.
	String() string
}

// Folder is a place on this machine's disks.
type Folder string

// tempPrefix begins the names of files that are not complete. A crash leaves one; those of
// staleTemp and older are removed by the next write.
const (
	tempPrefix = ".galla-report-"
	staleTemp  = 24 * time.Hour
)

// String implements Place.
func (f Folder) String() string { return "folder " + string(f) }

func (f Folder) path(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

// Sum implements Place.
func (f Folder) Sum(_ context.Context, path string) (sum [32]byte, err error) {
	file, err := os.Open(f.path(path))
	if err != nil {
		return sum, err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return sum, fmt.Errorf("read %s: %w", file.Name(), err)
	}
	return [32]byte(h.Sum(nil)), nil
}

// Put implements Place. The file has the mode 0600, and is on the disk when Put returns.
func (f Folder) Put(_ context.Context, path string, content io.ReadSeeker, _ int64, _ [32]byte) (err error) {
	to := f.path(path)
	folder := filepath.Dir(to)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of a report: %w", err)
	}
	removeStale(folder, time.Now())
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return err
	}
	temp, err := os.CreateTemp(folder, tempPrefix+"*") // with the mode 0600
	if err != nil {
		return fmt.Errorf("write a report: %w", err)
	}
	defer func() {
		err = errors.Join(err, ignoreClosed(temp.Close()), os.Remove(temp.Name()))
	}()
	if _, err := io.Copy(temp, content); err != nil {
		return fmt.Errorf("write a report: %w", err)
	}
	if err := errors.Join(temp.Sync(), temp.Close()); err != nil {
		return fmt.Errorf("write a report: %w", err)
	}
	// A link, unlike a rename, never replaces a file.
	if err := os.Link(temp.Name(), to); err != nil {
		return fmt.Errorf("name a report: %w", err)
	}
	return files.SyncFolder(folder)
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// removeStale removes what a crash left. What can't be removed stays: it disturbs nobody.
func removeStale(folder string, now time.Time) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range list {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), tempPrefix) && now.Sub(info.ModTime()) > staleTemp {
			_ = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// fileName is the path of a report in each place.
func fileName(k RunKey, revision int) string {
	name := fmt.Sprintf("%s/%s_%s", k.Report, k.Report, k.Range)
	if revision > 1 {
		name += fmt.Sprintf("_r%d", revision)
	}
	return name + ".csv"
}

// maxRevisions bounds the files of one report and range.
const maxRevisions = 1000

// deliver puts a file into all places, under the first name from a revision on that has no
// other content anywhere.
func deliver(ctx context.Context, places []Place, k RunKey, from int, content io.ReadSeeker, size int64, sum [32]byte) (path string, revision int, err error) {
	for revision = from; revision <= maxRevisions; revision++ {
		path = fileName(k, revision)
		missing, taken, err := survey(ctx, places, path, sum)
		if err != nil {
			return "", 0, err
		}
		if taken {
			continue
		}
		for _, p := range missing {
			err := p.Put(ctx, path, content, size, sum)
			if errors.Is(err, fs.ErrExist) {
				// Another node wrote it since; usually the same.
				var there [32]byte
				if there, err = p.Sum(ctx, path); err == nil && there != sum {
					taken = true
				}
			}
			if err != nil {
				return "", 0, fmt.Errorf("%s: %w", p, err)
			}
		}
		if !taken {
			return path, revision, nil
		}
	}
	return "", 0, fmt.Errorf("%s has %d revisions with other contents: move them away", fileName(k, 1), maxRevisions)
}

// survey returns the places without a file, and whether one has it with another content.
func survey(ctx context.Context, places []Place, path string, sum [32]byte) (missing []Place, taken bool, err error) {
	for _, p := range places {
		there, err := p.Sum(ctx, path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, p)
		case err != nil:
			return nil, false, fmt.Errorf("%s: %w", p, err)
		case there != sum:
			taken = true
		}
	}
	return missing, taken, nil
}
