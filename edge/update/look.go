package update

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"
	"github.com/theupdateframework/go-tuf/v2/metadata/config"
	"github.com/theupdateframework/go-tuf/v2/metadata/updater"

	"galla/edge/release"
	"galla/edge/shelf"
)

// Look asks what is offered, and fetches the newest release that is for this
// counter, unless it lies on the shelf already. It gives that release's version,
// empty where there is none. shelf.ErrHeld: another process looks.
func (u *Updater) Look(ctx context.Context) (release.Version, error) {
	done, err := u.cfg.Shelf.Fetching()
	if err != nil {
		return "", err
	}
	defer done()
	v, err := u.look(ctx)
	u.note(func(s *Standing) {
		s.Problem, s.Fetched = "", 0
		if err != nil {
			s.Problem = err.Error()
			return
		}
		s.Looked, s.Waiting = time.Now(), v
	})
	return v, err
}

func (u *Updater) look(ctx context.Context) (release.Version, error) {
	proof, offered, err := u.refresh(ctx)
	if err != nil {
		return "", fmt.Errorf("what the central offers is not taken: %w", err)
	}
	state, err := u.cfg.Shelf.ReadState()
	if err != nil {
		return "", err
	}
	for name, err := range offered.Passed {
		u.log.Debug("something offered is passed over", "target", name, "error", err)
	}
	all := slices.SortedStableFunc(slices.Values(offered.Releases), func(a, b release.Target) int { return b.Version.Compare(a.Version) })
	for _, t := range all {
		if err := u.unfit(t, state); err != nil {
			u.log.Debug("a release is passed over", "release", t.Version, "os", t.OS, "arch", t.Arch, "error", err)
			continue
		}
		if err := u.cfg.Shelf.KeepPartial(t); err != nil {
			u.log.Warn("what was fetched in part earlier can't be removed", "error", err)
		}
		if _, err := u.cfg.Shelf.Verify(t.Version); err == nil {
			return t.Version, nil
		}
		if err := u.fetch(ctx, t); err != nil {
			return "", fmt.Errorf("fetch release %s: %w", t.Version, err)
		}
		if err := u.cfg.Shelf.Put(t, proof, u.cfg.Shelf.Partial(t)); err != nil {
			return "", errors.Join(err, removeIf(u.cfg.Shelf.Partial(t))) // gone on with, it would stay wrong
		}
		return t.Version, nil
	}
	return "", u.cfg.Shelf.KeepPartial(release.Target{})
}

// remembered opens what the repository said last.
func (u *Updater) remembered() (*release.Catalogue, error) {
	proof, err := u.cfg.Shelf.ReadProof()
	if err != nil {
		return nil, err
	}
	return proof.Open(u.cfg.Shelf.Root())
}

// refresh brings the metadata up to date by go-tuf's client, and keeps it. The
// client's memory of what it saw, which rollbacks are noticed by, lies in the
// shelf; its trust begins anew at the program's own root each time.
func (u *Updater) refresh(ctx context.Context) (release.Proof, *release.Catalogue, error) {
	last, err := u.cfg.Shelf.ReadProof()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		u.log.Warn("what the repository said last can't be read; it is asked anew", "error", err)
	}
	root, err := release.Follow(u.cfg.Shelf.Root(), last.Roots)
	if err != nil {
		u.log.Warn("the roots that were followed don't hold; they are followed anew", "error", err)
		last.Roots = nil
		if root, err = release.Follow(u.cfg.Shelf.Root(), nil); err != nil {
			return release.Proof{}, nil, err
		}
	}
	if err := u.restore(last); err != nil {
		return release.Proof{}, nil, err
	}
	cfg, err := config.New(u.cfg.Base, root)
	if err != nil {
		return release.Proof{}, nil, err
	}
	from := &source{ctx: ctx, http: u.http}
	cfg.Fetcher, cfg.LocalMetadataDir, cfg.LocalTargetsDir = from, u.cfg.Shelf.TUF(), u.cfg.Shelf.TUF()
	cfg.MaxRootRotations, cfg.RootMaxLength, cfg.TimestampMaxLength = release.MaxRotations, release.MaxRoot, release.MaxTimestamp
	cfg.SnapshotMaxLength, cfg.TargetsMaxLength = release.MaxSnapshot, release.MaxTargets
	client, err := updater.New(cfg)
	if err != nil {
		return release.Proof{}, nil, err
	}
	if err := client.Refresh(); err != nil {
		return release.Proof{}, nil, err
	}
	proof := release.Proof{CheckedAt: time.Now().UTC(), Roots: append(slices.Clone(last.Roots), from.roots...)}
	for role, text := range map[string]*[]byte{metadata.TIMESTAMP: &proof.Timestamp, metadata.SNAPSHOT: &proof.Snapshot, metadata.TARGETS: &proof.Targets} {
		if *text, err = os.ReadFile(u.tuf(role)); err != nil {
			return release.Proof{}, nil, err
		}
	}
	offered, err := proof.Open(u.cfg.Shelf.Root())
	if err != nil {
		return release.Proof{}, nil, err
	}
	return proof, offered, u.cfg.Shelf.KeepProof(proof)
}

func (u *Updater) tuf(role string) string { return filepath.Join(u.cfg.Shelf.TUF(), role+".json") }

// restore puts the client's memory right before it reads it. The client does not
// sync its files, and stops at one that is no JSON: after a power cut it would look
// never again.
func (u *Updater) restore(last release.Proof) error {
	for role, text := range map[string][]byte{metadata.TIMESTAMP: last.Timestamp, metadata.SNAPSHOT: last.Snapshot, metadata.TARGETS: last.Targets} {
		path := u.tuf(role)
		if found, err := os.ReadFile(path); err == nil && readable(role, found) {
			continue
		}
		err := os.Remove(path)
		if len(text) > 0 {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("put right what the repository said: %w", err)
		}
	}
	return nil
}

// readable tells whether a file of the client's memory can be read, whatever it
// says.
func readable(role string, text []byte) bool {
	var err error
	switch role {
	case metadata.TIMESTAMP:
		_, err = metadata.Timestamp().FromBytes(text)
	case metadata.SNAPSHOT:
		_, err = metadata.Snapshot().FromBytes(text)
	default:
		_, err = metadata.Targets().FromBytes(text)
	}
	return err == nil
}

// Versions gives what lies on the shelf and what became of each, for commands.
func Versions(s *shelf.Shelf) (versions []release.Version, state shelf.State, err error) {
	versions, err = s.Versions()
	if err != nil {
		return nil, shelf.State{}, err
	}
	state, err = s.ReadState()
	return versions, state, err
}
