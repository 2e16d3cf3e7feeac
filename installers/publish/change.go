package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/theupdateframework/go-tuf/v2/metadata"

	"galla/edge/update/release"
	"galla/shared/files"
)

// KeyCount is how many keys a role has, and how many of them must sign.
type KeyCount struct{ Keys, Threshold int }

// Init makes keys in the first folder of keys, and an empty repository that they
// stand for. Snapshot and timestamp have one key each: they sign every day, by a
// machine.
func Init(cfg Config, root, targets KeyCount) (*Repository, error) {
	cfg.Validity = cfg.Validity.withDefaults()
	if len(cfg.Keys) == 0 {
		return nil, errors.New("name the folder that the keys are made in")
	}
	if _, err := os.Stat(filepath.Join(cfg.Folder, versionedName(1, metadata.ROOT))); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has a root already: counters that trust it would not follow another one", cfg.Folder)
	}
	numbers := map[string]KeyCount{metadata.ROOT: root, metadata.TARGETS: targets, metadata.SNAPSHOT: {1, 1}, metadata.TIMESTAMP: {1, 1}}
	for role, n := range numbers {
		if n.Threshold < 1 || n.Keys < n.Threshold || n.Keys > maxKeys/4 {
			return nil, fmt.Errorf("role %s: %d of %d keys must sign, want at least 1 and not more than there are (up to %d)", role, n.Threshold, n.Keys, maxKeys/4)
		}
	}
	if err := os.MkdirAll(filepath.Join(cfg.Folder, targetsFolder), 0o755); err != nil {
		return nil, fmt.Errorf("make the repository's folder: %w", err)
	}
	first, keys := metadata.Root(expiry(cfg.Validity.Root)), keyring{}
	for _, role := range roles {
		for range numbers[role].Keys {
			k, err := makeKey(cfg.Keys[0], role, cfg.Rand, cfg.passphraseFor(role))
			if err != nil {
				return nil, err
			}
			keys[k.id] = k
			if err := first.Signed.AddKey(k.public, role); err != nil {
				return nil, fmt.Errorf("add a key to %s: %w", role, err)
			}
		}
		first.Signed.Roles[role].Threshold = numbers[role].Threshold
	}
	text, err := signToJSON(first, metadata.ROOT, first, keys, cfg.Ask)
	if err != nil {
		return nil, err
	}
	r := &Repository{cfg: cfg, keys: keys, root: first, snapshot: metadata.Snapshot(), timestamp: metadata.Timestamp()}
	r.timestamp.Signed.Version = 0
	none := metadata.Targets()
	none.Signed.Expires = expiry(cfg.Validity.Targets)
	if err := sign(none, metadata.TARGETS, first, keys, cfg.Ask); err != nil {
		return nil, err
	}
	if err := r.write(versionedName(1, metadata.ROOT), text); err != nil {
		return nil, err
	}
	return r, r.publish(none, first)
}

// passphraseFor is who is asked for the passphrase of a new key of a role; nil: it has none.
func (c Config) passphraseFor(role string) AskPassphrase {
	if isOnlineRole(role) {
		return nil
	}
	return c.Ask
}

// changeTargets publishes altered targets.
func (r *Repository) changeTargets(alter func(files map[string]*metadata.TargetFiles) error) error {
	next, err := r.nextTargets()
	if err != nil {
		return err
	}
	if err := alter(next.Signed.Targets); err != nil {
		return err
	}
	return r.signAndPublish(next, r.root)
}

// nextTargets are the targets as they are, for a change, with a version that no file
// ever had.
func (r *Repository) nextTargets() (*metadata.Metadata[metadata.TargetsType], error) {
	n, err := r.nextVersion(metadata.TARGETS, r.targets.Signed.Version)
	if err != nil {
		return nil, err
	}
	next := metadata.Targets()
	next.Signed.Version, next.Signed.Expires = n, expiry(r.cfg.Validity.Targets)
	maps.Copy(next.Signed.Targets, r.targets.Signed.Targets)
	return next, nil
}

// Program is a program and what it is published as.
type Program struct {
	release.Manifest
	File string // its file
}

// Add publishes a program as a release.
func (r *Repository) Add(facts release.Manifest, program string) error {
	return r.AddAll([]Program{{facts, program}})
}

// AddAll publishes programs as releases, in one change: those of one version for
// several systems. A version that was published for a system stays what it is:
// another file needs another version.
func (r *Repository) AddAll(all []Program) error {
	added := map[string]*metadata.TargetFiles{}
	for _, b := range all {
		if err := b.Validate(); err != nil {
			return err
		}
		name := b.TargetName()
		if _, there := r.targets.Signed.Targets[name]; there || added[name] != nil {
			return fmt.Errorf("%s is published already: a changed program needs a version of its own", name)
		}
		sum, length, err := r.copyProgram(b.File, name)
		if err != nil {
			return err
		}
		file := metadata.TargetFile()
		file.Length, file.Hashes = length, metadata.Hashes{"sha256": sum}
		if err := setManifest(file, b.Manifest); err != nil {
			return err
		}
		added[name] = file
	}
	return r.changeTargets(func(files map[string]*metadata.TargetFiles) error {
		maps.Copy(files, added)
		return nil
	})
}

// copyProgram copies a program into the repository, under its hash, and gives hash and
// length.
func (r *Repository) copyProgram(program, name string) (sum []byte, length int64, err error) {
	in, err := os.Open(program)
	if err != nil {
		return nil, 0, fmt.Errorf("read the program: %w", err)
	}
	defer func() { _ = in.Close() }()
	folder := filepath.Join(r.cfg.Folder, targetsFolder)
	temp, err := os.CreateTemp(folder, ".new-*")
	if err != nil {
		return nil, 0, fmt.Errorf("copy the program: %w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	hash := sha256.New()
	length, err = io.Copy(io.MultiWriter(temp, hash), io.LimitReader(in, release.MaxProgram+1))
	err = errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close())
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("copy the program: %w", err)
	case length == 0 || length > release.MaxProgram:
		return nil, 0, fmt.Errorf("%s has %d bytes or more, want 1 to %d", program, length, release.MaxProgram)
	}
	sum = hash.Sum(nil)
	if err := errors.Join(os.Rename(temp.Name(), filepath.Join(folder, hex.EncodeToString(sum)+"."+name)), files.SyncFolder(folder)); err != nil {
		return nil, 0, fmt.Errorf("copy the program: %w", err)
	}
	return sum, length, nil
}

// setManifest writes facts into a target's custom data.
func setManifest(file *metadata.TargetFiles, facts release.Manifest) error {
	text, err := json.Marshal(facts)
	if err != nil {
		return fmt.Errorf("write the facts of %s: %w", facts.Version, err)
	}
	setBytes(&file.Custom, text)
	return nil
}

// setBytes points to bytes as whatever kind of bytes the field is.
func setBytes[T ~[]byte](field **T, text []byte) {
	value := T(text)
	*field = &value
}

// ErrNoRelease says that a version is not published.
var ErrNoRelease = errors.New("no release of this version is published")

// releasesOf gives the targets of a version.
func (r *Repository) releasesOf(v release.Version) ([]release.Target, error) {
	var found []release.Target
	for _, t := range r.catalogue.Releases {
		if t.Version == v {
			found = append(found, t)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoRelease, v)
	}
	return found, nil
}

// Stage changes for how many counters of a hundred a version is, on all systems.
// Lowering it keeps further counters from it, and takes it from none that has it.
func (r *Repository) Stage(v release.Version, percent int) error {
	found, err := r.releasesOf(v)
	if err != nil {
		return err
	}
	return r.changeTargets(func(files map[string]*metadata.TargetFiles) error {
		for _, t := range found {
			facts := t.Manifest
			facts.Percent = percent
			if err := facts.Validate(); err != nil {
				return err
			}
			file := *files[t.Name]
			if err := setManifest(&file, facts); err != nil {
				return err
			}
			files[t.Name] = &file
		}
		return nil
	})
}

// Withdraw takes a version out of what is offered. Counters that run it go on
// with it until a newer one is published; one that has fetched it and not begun
// it, does not begin it once it has looked again.
func (r *Repository) Withdraw(v release.Version) error {
	found, err := r.releasesOf(v)
	if err != nil {
		return err
	}
	return r.changeTargets(func(files map[string]*metadata.TargetFiles) error {
		for _, t := range found {
			delete(files, t.Name)
		}
		return nil
	})
}

// Refresh signs snapshot and timestamp anew, with their own keys alone.
func (r *Repository) Refresh() error { return r.publish(nil, r.root) }

// Rotate publishes a new root, which begins its time anew, and, with a key's id or
// the beginning of one, replaces that key of a role: by the one whose public half is
// in the file by, or, where that is empty, by a new one, made in the first folder of
// keys. It takes the threshold of root's keys as they were and as they will be; what
// the role has signed is signed again by its keys as they will be.
func (r *Repository) Rotate(role, id, by string) error {
	next, err := metadata.Root().FromBytes(r.roots[len(r.roots)-1]) // a copy of its own
	if err != nil {
		return fmt.Errorf("read root: %w", err)
	}
	next.Signed.Version++
	next.Signed.Expires = expiry(r.cfg.Validity.Root)
	next.ClearSignatures()
	var made string
	if id != "" {
		if made, err = r.replace(next, role, id, by); err != nil {
			return err
		}
	}
	var targets *metadata.Metadata[metadata.TargetsType]
	if role == metadata.TARGETS && id != "" {
		if targets, err = r.nextTargets(); err != nil {
			return err
		}
	}
	err = r.signAndPublish(targets, next)
	if err != nil && made != "" && r.root.Signed.Version < next.Signed.Version {
		err = errors.Join(err, os.Remove(made)) // a key that nobody names would only confuse
	}
	return err
}

// replace takes a key out of a role of root and puts another in its place; made is
// the file of one that was made for it.
func (r *Repository) replace(root *metadata.Metadata[metadata.RootType], role, id, by string) (made string, err error) {
	named := root.Signed.Roles[role]
	if named == nil {
		return "", fmt.Errorf("there is no role %q: it is one of %v", role, roles)
	}
	var old []string
	for _, known := range named.KeyIDs {
		if len(id) >= minID && len(known) >= len(id) && known[:len(id)] == id {
			old = append(old, known)
		}
	}
	if len(old) != 1 {
		return "", fmt.Errorf("%d keys of %s begin with %q, want one: 'galla-release show' lists them", len(old), role, id)
	}
	var k *key
	switch {
	case by != "":
		k, err = readPublic(by)
	case len(r.cfg.Keys) == 0:
		err = errors.New("name the folder that the new key is made in, or the public half of one that is there")
	default:
		if k, err = makeKey(r.cfg.Keys[0], role, r.cfg.Rand, r.cfg.passphraseFor(role)); err == nil {
			r.keys[k.id], made = k, k.file
		}
	}
	if err != nil {
		return "", err
	}
	for _, other := range roles {
		if slices.Contains(root.Signed.Roles[other].KeyIDs, k.id) {
			return made, fmt.Errorf("key %.16s is one of %s already: each has a key of its own for each role", k.id, other)
		}
	}
	return made, errors.Join(root.Signed.RevokeKey(old[0], role), root.Signed.AddKey(k.public, role))
}

// minID is how much of a key's id must be given, in characters.
const minID = 6

// Key is one key of a role, as root names it.
type Key struct {
	ID   string
	File string // where the private one is at hand; empty: nowhere
}

// Keys gives the keys of each role and its threshold.
func (r *Repository) Keys(role string) (keys []Key, threshold int) {
	named := r.root.Signed.Roles[role]
	if named == nil {
		return nil, 0
	}
	for _, id := range slices.Sorted(slices.Values(named.KeyIDs)) {
		k := Key{ID: id}
		if mine := r.keys[id]; mine != nil {
			k.File = mine.file
		}
		keys = append(keys, k)
	}
	return keys, named.Threshold
}
