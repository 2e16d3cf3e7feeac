package release

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/theupdateframework/go-tuf/v2/metadata"
	"github.com/theupdateframework/go-tuf/v2/metadata/trustedmetadata"
)

// Bounds of what a repository may say, in bytes and numbers. A real one has a few
// kilobytes.
const (
	MaxRoot      = 256 << 10
	MaxTimestamp = 16 << 10
	MaxSnapshot  = 256 << 10
	MaxTargets   = 4 << 20
	MaxRotations = 64        // of root, between a program's own and the newest
	MaxProgram   = 256 << 20 // a program has about 30 MiB
	MaxProof     = 16 << 20  // of a Proof as JSON
)

// Proof is the metadata by which a catalogue was verified, and when: the roots after
// the program's own, and one of each other role. It is untrusted until Open.
type Proof struct {
	CheckedAt time.Time `json:"checkedAt"`
	Roots     [][]byte  `json:"roots"`
	Timestamp []byte    `json:"timestamp"`
	Snapshot  []byte    `json:"snapshot"`
	Targets   []byte    `json:"targets"`
}

// Target is one release of a catalogue.
type Target struct {
	Manifest
	Name   string // of the target
	Length int64  // bytes
	SHA256 [32]byte
}

// Catalogue is what a repository offers.
type Catalogue struct {
	Releases []Target // by name
	// Skipped over are targets that are no releases this program understands, by
	// name, and why.
	Skipped map[string]error
	// Expires is when the first of the roles ends, and with it the proof, for new
	// releases.
	Expires time.Time
}

// Find returns a release of the catalogue by its target's name.
func (c *Catalogue) Find(name string) (Target, bool) {
	i := slices.IndexFunc(c.Releases, func(t Target) bool { return t.Name == name })
	if i < 0 {
		return Target{}, false
	}
	return c.Releases[i], true
}

// FollowRoots returns the root that a chain of roots leads to from the trusted one:
// each needs the threshold of the previous one and its own. Roots that the trusted
// one has passed are skipped.
func FollowRoots(root []byte, chain [][]byte) ([]byte, error) {
	trusted, err := trustedmetadata.New(root)
	if err != nil {
		return nil, fmt.Errorf("the program's own root of trust: %w", err)
	}
	if len(chain) > MaxRotations {
		return nil, fmt.Errorf("%d roots follow the program's own, want at most %d: install the program again", len(chain), MaxRotations)
	}
	last := root
	for _, next := range chain {
		version, err := rootVersion(next)
		if err != nil {
			return nil, err
		}
		if version <= trusted.Root.Signed.Version {
			continue
		}
		if _, err := trusted.UpdateRoot(next); err != nil {
			return nil, fmt.Errorf("root %d: %w", version, err)
		}
		last = next
	}
	return last, nil
}

// rootVersion reads the version of a root that is not verified.
func rootVersion(text []byte) (int64, error) {
	if len(text) > MaxRoot {
		return 0, fmt.Errorf("a root of %d bytes, want at most %d", len(text), MaxRoot)
	}
	m, err := metadata.Root().FromBytes(text)
	if err != nil {
		return 0, fmt.Errorf("a root that can't be read: %w", err)
	}
	return m.Signed.Version, nil
}

// Open verifies a proof from the program's own root, as of the time of the check, and
// returns its catalogue. Roles that have expired since do not matter: a release that
// was accepted stays valid.
func (p Proof) Open(root []byte) (*Catalogue, error) {
	last, err := FollowRoots(root, p.Roots)
	if err != nil {
		return nil, err
	}
	trusted, err := trustedmetadata.New(last)
	if err != nil {
		return nil, err
	}
	trusted.RefTime = p.CheckedAt
	if len(p.Timestamp) > MaxTimestamp || len(p.Snapshot) > MaxSnapshot || len(p.Targets) > MaxTargets {
		return nil, errors.New("metadata that is larger than it may be")
	}
	if _, err := trusted.UpdateTimestamp(p.Timestamp); err != nil {
		return nil, fmt.Errorf("timestamp: %w", err)
	}
	if _, err := trusted.UpdateSnapshot(p.Snapshot, false); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	targets, err := trusted.UpdateTargets(p.Targets)
	if err != nil {
		return nil, fmt.Errorf("targets: %w", err)
	}
	c := parseCatalogue(targets.Signed.Targets)
	for _, end := range []time.Time{trusted.Root.Signed.Expires, trusted.Timestamp.Signed.Expires, trusted.Snapshot.Signed.Expires, targets.Signed.Expires} {
		if c.Expires.IsZero() || end.Before(c.Expires) {
			c.Expires = end
		}
	}
	return c, nil
}

// parseCatalogue takes the releases out of verified targets.
func parseCatalogue(files map[string]*metadata.TargetFiles) *Catalogue {
	c := &Catalogue{Skipped: map[string]error{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t, err := parseTarget(name, files[name])
		if err != nil {
			c.Skipped[name] = err
			continue
		}
		c.Releases = append(c.Releases, t)
	}
	return c
}

func parseTarget(name string, file *metadata.TargetFiles) (Target, error) {
	if file == nil || file.Custom == nil {
		return Target{}, errors.New("it has no custom data")
	}
	facts, err := ParseManifest(*file.Custom)
	if err != nil {
		return Target{}, err
	}
	t := Target{Manifest: facts, Name: name, Length: file.Length}
	switch {
	case facts.TargetName() != name:
		return Target{}, fmt.Errorf("its facts are those of %s", facts.TargetName())
	case file.Length < 1 || file.Length > MaxProgram:
		return Target{}, fmt.Errorf("it has %d bytes, want 1 to %d", file.Length, MaxProgram)
	case copy(t.SHA256[:], file.Hashes["sha256"]) != len(t.SHA256) || len(file.Hashes["sha256"]) != len(t.SHA256):
		return Target{}, errors.New("it has no SHA-256")
	}
	return t, nil
}

// Bytes writes a proof.
func (p Proof) Bytes() ([]byte, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write a proof as JSON: %w", err)
	}
	return text, nil
}

// ParseProof reads what Bytes has written, unverified.
func ParseProof(text []byte) (Proof, error) {
	var p Proof
	if len(text) > MaxProof {
		return p, fmt.Errorf("a proof of %d bytes, want at most %d", len(text), MaxProof)
	}
	if err := json.Unmarshal(text, &p, json.RejectUnknownMembers(true)); err != nil {
		return p, fmt.Errorf("a proof that can't be read: %w", err)
	}
	return p, nil
}
