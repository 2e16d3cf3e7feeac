package shelf

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"galla/edge/release"
)

// Names in the folder.
const (
	proofFile     = "proof.json"
	stateFile     = "state.json"
	tufFolder     = "tuf"
	partialFolder = "partial"
	makingFolder  = "making-" // and what os.MkdirTemp adds
)

// maxShelf is how many entries of the folder are looked at: a handful of releases
// lie there, and more is a fault that must not cost a start its time.
const maxShelf = 256

// Config says where the shelf is.
type Config struct {
	Folder string
	Root   []byte // the program's own root of trust, as the publisher made it
	OS     string // as Go names it
	Arch   string // as Go names it
}

// Shelf is a folder of releases. Its methods may be called from many goroutines
// and processes.
type Shelf struct{ cfg Config }

// Open makes the folder where it is missing. It belongs to this user alone.
func Open(cfg Config) (*Shelf, error) {
	if cfg.Folder == "" || len(cfg.Root) == 0 || cfg.OS == "" || cfg.Arch == "" {
		return nil, errors.New("the shelf of releases needs a folder, a root of trust and the system's names")
	}
	if _, err := release.Follow(cfg.Root, nil); err != nil {
		return nil, err
	}
	s := &Shelf{cfg}
	for _, folder := range []string{cfg.Folder, s.TUF(), filepath.Dir(s.Partial(release.Target{}))} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("make the folder of releases: %w", err)
		}
	}
	return s, nil
}

// Root is the root of trust that the shelf was opened with.
func (s *Shelf) Root() []byte { return s.cfg.Root }

// TUF is the folder of what the repository said last.
func (s *Shelf) TUF() string { return filepath.Join(s.cfg.Folder, tufFolder) }

// Partial is where a release is fetched to.
func (s *Shelf) Partial(t release.Target) string {
	return filepath.Join(s.cfg.Folder, partialFolder, fmt.Sprintf("%x", t.SHA256))
}

// Room is how many bytes may still be written on the shelf's disk by this user.
func (s *Shelf) Room() (int64, error) { return room(s.cfg.Folder) }

func (s *Shelf) folder(v release.Version) string { return filepath.Join(s.cfg.Folder, string(v)) }

// Program is where a release's program lies.
func (s *Shelf) Program(v release.Version) string {
	return filepath.Join(s.folder(v), release.File(s.cfg.OS))
}

// ErrAltered says that a file is not what was proved.
var ErrAltered = errors.New("the file is not the one that was signed")

// Put takes a fetched file onto the shelf: it is held against the target, moved,
// and on the disk with its proof when Put returns nil. A release that lies there
// already and is good stays; one that is not is replaced.
func (s *Shelf) Put(t release.Target, proof release.Proof, fetched string) error {
	if t.OS != s.cfg.OS || t.Arch != s.cfg.Arch {
		return fmt.Errorf("release %s is for %s on %s, and this is %s on %s", t.Version, t.OS, t.Arch, s.cfg.OS, s.cfg.Arch)
	}
	if err := check(t, fetched); err != nil {
		return fmt.Errorf("release %s: %w", t.Version, err)
	}
	text, err := proof.Bytes()
	if err != nil {
		return err
	}
	done, err := s.changing()
	if err != nil {
		return fmt.Errorf("release %s: put it on the shelf: %w", t.Version, err)
	}
	defer done()
	if _, err := s.Verify(t.Version); err == nil {
		return os.Remove(fetched)
	}
	making, err := os.MkdirTemp(s.cfg.Folder, makingFolder)
	if err != nil {
		return fmt.Errorf("release %s: make its folder: %w", t.Version, err)
	}
	defer func() { _ = os.RemoveAll(making) }()
	program := filepath.Join(making, release.File(s.cfg.OS))
	err = errors.Join(os.Chmod(fetched, 0o700), rename(fetched, program), replace(filepath.Join(making, proofFile), text),
		syncFolder(making), os.RemoveAll(s.folder(t.Version)))
	if err == nil {
		err = errors.Join(rename(making, s.folder(t.Version)), syncFolder(s.cfg.Folder))
	}
	if err != nil {
		return fmt.Errorf("release %s: put it on the shelf: %w", t.Version, err)
	}
	return nil
}

// check holds a file against a target.
func check(t release.Target, path string) error {
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

// Verify proves a release on the shelf anew, from the root of trust to the bytes
// of its file, and gives its facts. Only after that may it be started.
func (s *Shelf) Verify(v release.Version) (release.Target, error) {
	fail := func(err error) (release.Target, error) {
		return release.Target{}, fmt.Errorf("release %s: %w", v, err)
	}
	if _, err := release.ParseVersion(string(v)); err != nil {
		return release.Target{}, err
	}
	text, err := readBounded(filepath.Join(s.folder(v), proofFile), release.MaxProof)
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
	t, ok := catalogue.Find(release.Facts{Version: v, OS: s.cfg.OS, Arch: s.cfg.Arch}.Target())
	if !ok {
		return fail(errors.New("its proof is of other releases"))
	}
	if err := check(t, s.Program(v)); err != nil {
		return fail(err)
	}
	return t, nil
}

// Versions gives what lies on the shelf, unverified, newest first.
func (s *Shelf) Versions() ([]release.Version, error) {
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

func (s *Shelf) entries() ([]os.DirEntry, error) {
	d, err := os.Open(s.cfg.Folder)
	if err != nil {
		return nil, fmt.Errorf("read the shelf of releases: %w", err)
	}
	defer func() { _ = d.Close() }()
	entries, err := d.ReadDir(maxShelf)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the shelf of releases: %w", err)
	}
	return entries, nil
}

// Changed is when anything was last put on the shelf, taken from it or noted of it,
// as the file system has it.
func (s *Shelf) Changed() time.Time {
	var last time.Time
	for _, folder := range []string{s.cfg.Folder, s.TUF()} {
		if info, err := os.Stat(folder); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// Keep removes every release but those that choose names of all that lie there,
// newest first, and what an interrupted Put left. No Put of another process runs
// meanwhile, so that neither its half-made folder nor a release that it just put is
// taken for old. A program that runs can't be removed on Windows; it goes another
// time.
func (s *Shelf) Keep(choose func(all []release.Version) []release.Version) error {
	done, err := s.changing()
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
		left := len(e.Name()) > len(makingFolder) && e.Name()[:len(makingFolder)] == makingFolder
		if left || parseErr == nil && !slices.Contains(versions, v) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.cfg.Folder, e.Name())))
		}
	}
	return err
}

// KeepPartial removes every file that was being fetched but this one; none with a
// zero target.
func (s *Shelf) KeepPartial(t release.Target) error {
	folder := filepath.Dir(s.Partial(t))
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if path := filepath.Join(folder, e.Name()); path != s.Partial(t) {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// readBounded reads a file that may have so many bytes.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s has more than %d bytes", path, most)
	}
	return text, err
}

// replace writes a file in one step, and returns when it is on the disk.
func replace(path string, text []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.Write(text)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return errors.Join(rename(temp.Name(), path), syncFolder(filepath.Dir(path)))
}

// Windows lets nobody replace or move a file that is being read. Those who read these
// files read them in one go; a scanner of viruses reads a program of 30 MiB for as long
// as it takes, and moving it is what brings the scanner.
const (
	renameTries = 400
	renamePause = 25 * time.Millisecond
)

func rename(from, to string) error {
	for try := 1; ; try++ {
		err := os.Rename(from, to)
		if !beingRead(err) || try == renameTries {
			return err
		}
		<-time.After(renamePause)
	}
}

// ReadProof reads what the repository said last; fs.ErrNotExist where it said
// nothing yet.
func (s *Shelf) ReadProof() (release.Proof, error) {
	text, err := readBounded(filepath.Join(s.TUF(), proofFile), release.MaxProof)
	if err != nil {
		return release.Proof{}, err
	}
	return release.ParseProof(text)
}

// KeepProof keeps what the repository said last.
func (s *Shelf) KeepProof(p release.Proof) error {
	text, err := p.Bytes()
	if err != nil {
		return err
	}
	if err := replace(filepath.Join(s.TUF(), proofFile), text); err != nil {
		return fmt.Errorf("keep what the repository said: %w", err)
	}
	return nil
}

// missing tells whether an error is of a file that is not there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
