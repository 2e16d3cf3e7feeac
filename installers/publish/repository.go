package publish

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"

	"galla/edge/update/release"
	"galla/shared/files"
)

// Config says where a repository is and how it is signed.
type Config struct {
	Folder string   // of the repository
	Keys   []string // folders of private keys; new ones are made in the first
	// Validity is how long what is signed is good; zero values take the defaults.
	Validity Validity
	// Ask gives the passphrases of keys. nil: keys are made without, and those that
	// have one can't sign. Those of snapshot and timestamp never have.
	Ask AskPassphrase
	// Draft, if set, is a new file to which a change of root or of the releases is
	// written, signed as far as the keys at hand go, in place of being published.
	Draft string

	Rand io.Reader // of keys
}

// Validity is how long each role's word is good.
type Validity struct {
	// Root is 2 years: root's keys come together that often at least.
	Root time.Duration
	// Targets is 1 year; every change of the releases begins it anew.
	Targets time.Duration
	// Snapshot is 30 days and Timestamp 7: whoever cuts counters off from what is
	// published (a freeze) is noticed after that. Refresh begins both anew.
	Snapshot, Timestamp time.Duration
}

const day = 24 * time.Hour

func (l Validity) withDefaults() Validity {
	return Validity{
		Root: cmp.Or(l.Root, 730*day), Targets: cmp.Or(l.Targets, 365*day),
		Snapshot: cmp.Or(l.Snapshot, 30*day), Timestamp: cmp.Or(l.Timestamp, 7*day),
	}
}

// expiry is when something signed now ends. TUF's times have whole seconds.
func expiry(life time.Duration) time.Time { return time.Now().UTC().Add(life).Truncate(time.Second) }

// Repository is a folder of releases. It is changed by one process at a time.
type Repository struct {
	cfg  Config
	keys keyring

	roots     [][]byte // all that there were, oldest first
	root      *metadata.Metadata[metadata.RootType]
	targets   *metadata.Metadata[metadata.TargetsType]
	snapshot  *metadata.Metadata[metadata.SnapshotType]
	timestamp *metadata.Metadata[metadata.TimestampType]
	catalogue *release.Catalogue
}

// Names of files in the folder.
const (
	timestampFile = "timestamp.json"
	targetsFolder = "targets"
)

func versionedName(n int64, role string) string { return fmt.Sprintf("%d.%s.json", n, role) }

// Open reads a repository and verifies it from its first root on, but for its
// times: what has expired can be refreshed. Keys is read as far as it is given.
func Open(cfg Config) (*Repository, error) {
	cfg.Validity = cfg.Validity.withDefaults()
	r := &Repository{cfg: cfg}
	var err error
	if r.keys, err = readKeys(cfg.Keys); err != nil {
		return nil, err
	}
	if err := r.load(); err != nil {
		return nil, fmt.Errorf("the repository %s: %w", cfg.Folder, err)
	}
	return r, nil
}

// load reads what is published and verifies it.
func (r *Repository) load() error {
	r.roots = nil
	for n := int64(1); n <= release.MaxRotations+1; n++ {
		text, err := r.read(versionedName(n, metadata.ROOT), release.MaxRoot)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		r.roots = append(r.roots, text)
	}
	if len(r.roots) == 0 {
		return errors.New("it has no root: make one with 'galla-release init'")
	}
	var err error
	if r.root, err = metadata.Root().FromBytes(r.roots[len(r.roots)-1]); err != nil {
		return fmt.Errorf("its root: %w", err)
	}
	if r.timestamp, err = readAs(r, timestampFile, release.MaxTimestamp, metadata.Timestamp().FromBytes); err != nil {
		return err
	}
	snapshot := versionedName(metaVersion(r.timestamp.Signed.Meta, metadata.SNAPSHOT), metadata.SNAPSHOT)
	if r.snapshot, err = readAs(r, snapshot, release.MaxSnapshot, metadata.Snapshot().FromBytes); err != nil {
		return err
	}
	targets := versionedName(metaVersion(r.snapshot.Signed.Meta, metadata.TARGETS), metadata.TARGETS)
	if r.targets, err = readAs(r, targets, release.MaxTargets, metadata.Targets().FromBytes); err != nil {
		return err
	}
	proof, err := r.Proof(time.Time{}) // at no time: nothing has expired then
	if err != nil {
		return err
	}
	r.catalogue, err = proof.Open(r.roots[0])
	return err
}

// readAs reads and parses a file of the repository.
func readAs[M any](r *Repository, name string, most int64, parse func([]byte) (M, error)) (M, error) {
	text, err := r.read(name, most)
	if err != nil {
		var none M
		return none, err
	}
	m, err := parse(text)
	if err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func metaVersion(meta map[string]*metadata.MetaFiles, role string) int64 {
	if m := meta[role+".json"]; m != nil {
		return m.Version
	}
	return 0
}

// read reads a file of the repository that may have so many bytes.
func (r *Repository) read(name string, most int64) ([]byte, error) {
	return files.ReadBounded(filepath.Join(r.cfg.Folder, name), most)
}

// write puts a file into the repository in one step, and not before it is on the
// disk.
func (r *Repository) write(name string, text []byte) error {
	return files.WriteAtomic(filepath.Join(r.cfg.Folder, name), text, 0o644, os.Rename) // all of it is public
}

var numberedFile = regexp.MustCompile(`^([1-9][0-9]{0,17})\.(targets|snapshot)\.json$`)

// nextVersion is a version that no file of the role ever had here: one that a failed
// change left behind may have been fetched.
func (r *Repository) nextVersion(role string, current int64) (int64, error) {
	entries, err := os.ReadDir(r.cfg.Folder)
	if err != nil {
		return 0, fmt.Errorf("read the repository: %w", err)
	}
	for _, e := range entries {
		if m := numberedFile.FindStringSubmatch(e.Name()); m != nil && m[2] == role {
			if n, err := strconv.ParseInt(m[1], 10, 64); err == nil && n > current {
				current = n
			}
		}
	}
	return current + 1, nil
}

// publish writes root and targets where they are new, and snapshot and timestamp in
// any case, which it signs. Everything is signed before anything is written.
func (r *Repository) publish(targets *metadata.Metadata[metadata.TargetsType], root *metadata.Metadata[metadata.RootType]) error {
	type file struct {
		name string
		text []byte
	}
	var files []file
	if root != r.root {
		text, err := root.ToBytes(false)
		if err != nil {
			return fmt.Errorf("write root as JSON: %w", err)
		}
		files = append(files, file{versionedName(root.Signed.Version, metadata.ROOT), text})
	}
	current := metaVersion(r.snapshot.Signed.Meta, metadata.TARGETS)
	if targets != nil {
		current = targets.Signed.Version
		text, err := targets.ToBytes(false)
		if err != nil {
			return fmt.Errorf("write targets as JSON: %w", err)
		}
		files = append(files, file{versionedName(current, metadata.TARGETS), text})
	}
	n, err := r.nextVersion(metadata.SNAPSHOT, metaVersion(r.timestamp.Signed.Meta, metadata.SNAPSHOT))
	if err != nil {
		return err
	}
	snapshot := metadata.Snapshot(expiry(r.cfg.Validity.Snapshot))
	snapshot.Signed.Version = n
	snapshot.Signed.Meta[metadata.TARGETS+".json"] = &metadata.MetaFiles{Version: current}
	text, err := signToJSON(snapshot, metadata.SNAPSHOT, root, r.keys, r.cfg.Ask)
	if err != nil {
		return err
	}
	files = append(files, file{versionedName(n, metadata.SNAPSHOT), text})
	timestamp := metadata.Timestamp(expiry(r.cfg.Validity.Timestamp))
	timestamp.Signed.Version = r.timestamp.Signed.Version + 1
	timestamp.Signed.Meta[metadata.SNAPSHOT+".json"] = &metadata.MetaFiles{Version: n}
	if text, err = signToJSON(timestamp, metadata.TIMESTAMP, root, r.keys, r.cfg.Ask); err != nil {
		return err
	}
	files = append(files, file{timestampFile, text})
	for _, f := range files {
		if err := r.write(f.name, f.text); err != nil {
			return err
		}
	}
	return r.load()
}

// signToJSON signs metadata and writes it as JSON.
func signToJSON[T metadata.Roles](m *metadata.Metadata[T], role string, root *metadata.Metadata[metadata.RootType], keys keyring, ask AskPassphrase) ([]byte, error) {
	if err := sign(m, role, root, keys, ask); err != nil {
		return nil, err
	}
	text, err := m.ToBytes(false)
	if err != nil {
		return nil, fmt.Errorf("write %s as JSON: %w", role, err)
	}
	return text, nil
}
