package releases

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"galla/edge/update/release"
	"galla/shared/files"
)

// Names in the folder.
const (
	proofFile     = "proof.json"
	stateFile     = "state.json"
	tufFolder     = "tuf"
	partialFolder = "partial"
	tempPrefix    = "making-" // and what os.MkdirTemp adds
)

// maxEntries bounds the entries of the folder that are read: there are a handful of
// releases, and a start must not take long.
const maxEntries = 256

// Config configures a Store.
type Config struct {
	Folder string
	Root   []byte // the program's own root of trust, as the publisher made it
	OS     string // as Go names it
	Arch   string // as Go names it
}

// Store is a folder of releases. Its methods may be called from many goroutines
// and processes.
type Store struct{ cfg Config }

// Open makes the folder where it is missing. It belongs to this user alone.
func Open(cfg Config) (*Store, error) {
	if cfg.Folder == "" || len(cfg.Root) == 0 || cfg.OS == "" || cfg.Arch == "" {
		return nil, errors.New("the releases need a folder, a root of trust and the system's names")
	}
	if _, err := release.FollowRoots(cfg.Root, nil); err != nil {
		return nil, err
	}
	s := &Store{cfg}
	for _, folder := range []string{cfg.Folder, s.MetadataFolder(), filepath.Dir(s.PartialPath(release.Target{}))} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("make the folder of releases: %w", err)
		}
	}
	return s, nil
}

// Root is the root of trust of the Store.
func (s *Store) Root() []byte { return s.cfg.Root }

// MetadataFolder is the folder of the repository's metadata.
func (s *Store) MetadataFolder() string { return filepath.Join(s.cfg.Folder, tufFolder) }

// PartialPath is where a release is fetched to.
func (s *Store) PartialPath(t release.Target) string {
	return filepath.Join(s.cfg.Folder, partialFolder, fmt.Sprintf("%x", t.SHA256))
}

// FreeSpace is how many bytes this user may still write on the disk.
func (s *Store) FreeSpace() (int64, error) { return freeSpace(s.cfg.Folder) }

func (s *Store) folder(v release.Version) string { return filepath.Join(s.cfg.Folder, string(v)) }

// ProgramPath is the path of a release's program.
func (s *Store) ProgramPath(v release.Version) string {
	return filepath.Join(s.folder(v), release.FileName(s.cfg.OS))
}

// ErrAltered reports that a file does not match its proof.
var ErrAltered = errors.New("the file is not the one that was signed")

// Add stores a fetched file: it is compared with the target, moved, and on disk with
// its proof when Add returns nil. A good copy of the release stays; a bad one is
// replaced.
func (s *Store) Add(t release.Target, proof release.Proof, fetched string) error {
	if t.OS != s.cfg.OS || t.Arch != s.cfg.Arch {
		return fmt.Errorf("release %s is for %s on %s, and this is %s on %s", t.Version, t.OS, t.Arch, s.cfg.OS, s.cfg.Arch)
	}
	if err := verifyFile(t, fetched); err != nil {
		return fmt.Errorf("release %s: %w", t.Version, err)
	}
	text, err := proof.Bytes()
	if err != nil {
		return err
	}
	done, err := s.lockChanges()
	if err != nil {
		return fmt.Errorf("release %s: store it: %w", t.Version, err)
	}
	defer done()
	if _, err := s.Verify(t.Version); err == nil {
		return os.Remove(fetched)
	}
	making, err := os.MkdirTemp(s.cfg.Folder, tempPrefix)
	if err != nil {
		return fmt.Errorf("release %s: make its folder: %w", t.Version, err)
	}
	defer func() { _ = os.RemoveAll(making) }()
	program := filepath.Join(making, release.FileName(s.cfg.OS))
	err = errors.Join(os.Chmod(fetched, 0o700), renameRetry(fetched, program), writeAtomic(filepath.Join(making, proofFile), text),
		files.SyncFolder(making), os.RemoveAll(s.folder(t.Version)))
	if err == nil {
		err = errors.Join(renameRetry(making, s.folder(t.Version)), files.SyncFolder(s.cfg.Folder))
	}
	if err != nil {
		return fmt.Errorf("release %s: store it: %w", t.Version, err)
	}
	return nil
}

// verifyFile holds a file against a target.
func verifyFile(t release.Target, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(f, t.Length+1))
	if err != nil {
		return err
	}
	if n != t.Length || [sha256.Size]byte(hash.Sum(nil)) != t.SHA256 {
		return fmt.Errorf("%w: %s", ErrAltered, path)
	}
	return nil
}

// Verify verifies a stored release again, from the root of trust to the bytes of its
// file, and returns its target. It must succeed before a start.
func (s *Store) Verify(v release.Version) (release.Target, error) {
	fail := func(err error) (release.Target, error) {
		return release.Target{}, fmt.Errorf("release %s: %w", v, err)
	}
	if _, err := release.ParseVersion(string(v)); err != nil {
		return release.Target{}, err
	}
	text, err := files.ReadBounded(filepath.Join(s.folder(v), proofFile), release.MaxProof)
	if err != nil {
		return fail(err)
	}
	proof, err := release.ParseProof(text)
	if err != nil {
		return fail(err)
	}
	catalogue, err := proof.Open(s.cfg.Root)
	if err != nil {
		return fail(fmt.Errorf("its proof does not hold: %w", err))
	}
	t, ok := catalogue.Find(release.Manifest{Version: v, OS: s.cfg.OS, Arch: s.cfg.Arch}.TargetName())
	if !ok {
		return fail(errors.New("its proof is of other releases"))
	}
	if err := verifyFile(t, s.ProgramPath(v)); err != nil {
		return fail(err)
	}
	return t, nil
}

// Versions returns the stored releases, unverified, newest first.
func (s *Store) Versions() ([]release.Version, error) {
	entries, err := s.entries()
	var found []release.Version
	for _, e := range entries {
		if v, err := release.ParseVersion(e.Name()); err == nil && e.IsDir() {
			found = append(found, v)
		}
	}
	slices.SortFunc(found, func(a, b release.Version) int { return b.Compare(a) })
	return found, err
}

func (s *Store) entries() ([]os.DirEntry, error) {
	d, err := os.Open(s.cfg.Folder)
	if err != nil {
		return nil, fmt.Errorf("read the releases: %w", err)
	}
	defer func() { _ = d.Close() }()
	entries, err := d.ReadDir(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the releases: %w", err)
	}
	return entries, nil
}

// LastModified is when a release was last added, removed or recorded, by the file
// system.
func (s *Store) LastModified() time.Time {
	var last time.Time
	for _, folder := range []string{s.cfg.Folder, s.MetadataFolder()} {
		if info, err := os.Stat(folder); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// Prune removes all releases except those that choose returns of all that are
// stored, newest first, and what an interrupted Add left. It excludes Add of other
// processes. A running program can't be removed on Windows; it is removed later.
func (s *Store) Prune(choose func(all []release.Version) []release.Version) error {
	done, err := s.lockChanges()
	if err != nil {
		return fmt.Errorf("remove old releases: %w", err)
	}
	defer done()
	all, err := s.Versions()
	if err != nil {
		return err
	}
	versions := choose(all)
	entries, err := s.entries()
	for _, e := range entries {
		v, parseErr := release.ParseVersion(e.Name())
		if strings.HasPrefix(e.Name(), tempPrefix) || parseErr == nil && !slices.Contains(versions, v) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.cfg.Folder, e.Name())))
		}
	}
	return err
}

// PrunePartial removes every file that was being fetched but this one; none with a
// zero target.
func (s *Store) PrunePartial(t release.Target) error {
	folder := filepath.Dir(s.PartialPath(t))
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if path := filepath.Join(folder, e.Name()); path != s.PartialPath(t) {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// writeAtomic writes a file in one step, and returns when it is on disk.
func writeAtomic(path string, text []byte) error {
	return files.WriteAtomic(path, text, 0o600, renameRetry)
}

// On Windows a file that is being read can't be replaced or moved. These files are
// read in one go, but a virus scanner reads a program of 30 MiB for a while, and
// starts when it is moved.
const (
	renameTries = 400
	renamePause = 25 * time.Millisecond
)

func renameRetry(from, to string) error {
	for try := 1; ; try++ {
		err := os.Rename(from, to)
		if !isSharingViolation(err) || try == renameTries {
			return err
		}
		<-time.After(renamePause)
	}
}

// ReadProof reads the repository's last metadata; fs.ErrNotExist where there is none.
func (s *Store) ReadProof() (release.Proof, error) {
	text, err := files.ReadBounded(filepath.Join(s.MetadataFolder(), proofFile), release.MaxProof)
	if err != nil {
		return release.Proof{}, err
	}
	return release.ParseProof(text)
}

// WriteProof stores the repository's metadata.
func (s *Store) WriteProof(p release.Proof) error {
	text, err := p.Bytes()
	if err != nil {
		return err
	}
	if err := writeAtomic(filepath.Join(s.MetadataFolder(), proofFile), text); err != nil {
		return fmt.Errorf("store the metadata: %w", err)
	}
	return nil
}
