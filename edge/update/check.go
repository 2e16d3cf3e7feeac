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

	"galla/edge/update/release"
	"galla/edge/update/releases"
)

// Check fetches the newest release for this counter, unless it is on disk already.
// It returns its version, empty where there is none. releases.ErrLocked: another
// process is fetching.
func (u *Updater) Check(ctx context.Context) (release.Version, error) {
	done, err := u.cfg.Releases.LockFetch()
	if err != nil {
		return "", err
	}
	defer done()
	v, err := u.checkAndFetch(ctx)
	u.setStatus(func(s *Status) {
		s.Problem, s.Fetched = "", 0
		if err != nil {
			s.Problem = err.Error()
			return
		}
		s.CheckedAt, s.Waiting = time.Now(), v
	})
	return v, err
}

func (u *Updater) checkAndFetch(ctx context.Context) (release.Version, error) {
	proof, offered, err := u.refreshMetadata(ctx)
	if err != nil {
		return "", fmt.Errorf("what the central offers is not taken: %w", err)
	}
	state, err := u.cfg.Releases.ReadState()
	if err != nil {
		return "", err
	}
	for name, err := range offered.Skipped {
		u.log.Debug("a target was skipped", "target", name, "error", err)
	}
	all := slices.SortedStableFunc(slices.Values(offered.Releases), func(a, b release.Target) int { return b.Version.Compare(a.Version) })
	for _, t := range all {
		if err := u.checkCandidate(t, state); err != nil {
			u.log.Debug("a release was skipped", "release", t.Version, "os", t.OS, "arch", t.Arch, "error", err)
			continue
		}
		if err := u.cfg.Releases.PrunePartial(t); err != nil {
			u.log.Warn("what was fetched in part earlier can't be removed", "error", err)
		}
		if _, err := u.cfg.Releases.Verify(t.Version); err == nil {
			return t.Version, nil
		}
		if err := u.fetch(ctx, t); err != nil {
			return "", fmt.Errorf("fetch release %s: %w", t.Version, err)
		}
		if err := u.cfg.Releases.Add(t, proof, u.cfg.Releases.PartialPath(t)); err != nil {
			return "", errors.Join(err, removeIf(u.cfg.Releases.PartialPath(t))) // gone on with, it would stay wrong
		}
		return t.Version, nil
	}
	return "", u.cfg.Releases.PrunePartial(release.Target{})
}

// storedCatalogue opens the stored metadata of the repository.
func (u *Updater) storedCatalogue() (*release.Catalogue, error) {
	proof, err := u.cfg.Releases.ReadProof()
	if err != nil {
		return nil, err
	}
	return proof.Open(u.cfg.Releases.Root())
}

// refreshMetadata updates the metadata with go-tuf's client, and stores it. The
// client's own files, by which it detects rollbacks, are in the metadata folder; its
// trust starts from the program's root each time.
func (u *Updater) refreshMetadata(ctx context.Context) (release.Proof, *release.Catalogue, error) {
	last, err := u.cfg.Releases.ReadProof()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		u.log.Warn("stored metadata can't be read; it is fetched again", "error", err)
	}
	root, err := release.FollowRoots(u.cfg.Releases.Root(), last.Roots)
	if err != nil {
		u.log.Warn("stored roots are invalid; they are fetched again", "error", err)
		last.Roots = nil
		if root, err = release.FollowRoots(u.cfg.Releases.Root(), nil); err != nil {
			return release.Proof{}, nil, err
		}
	}
	if err := u.restoreMetadata(last); err != nil {
		return release.Proof{}, nil, err
	}
	cfg, err := config.New(u.cfg.Base, root)
	if err != nil {
		return release.Proof{}, nil, err
	}
	from := &metadataFetcher{ctx: ctx, http: u.http}
	cfg.Fetcher, cfg.LocalMetadataDir, cfg.LocalTargetsDir = from, u.cfg.Releases.MetadataFolder(), u.cfg.Releases.MetadataFolder()
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
		if *text, err = os.ReadFile(u.metadataPath(role)); err != nil {
			return release.Proof{}, nil, err
		}
	}
	offered, err := proof.Open(u.cfg.Releases.Root())
	if err != nil {
		return release.Proof{}, nil, err
	}
	return proof, offered, u.cfg.Releases.WriteProof(proof)
}

func (u *Updater) metadataPath(role string) string {
	return filepath.Join(u.cfg.Releases.MetadataFolder(), role+".json")
}

// restoreMetadata repairs the client's files before it reads them. The client does
// not fsync them, and fails at one that is no JSON: after a power cut it would never
// check again.
func (u *Updater) restoreMetadata(last release.Proof) error {
	for role, text := range map[string][]byte{metadata.TIMESTAMP: last.Timestamp, metadata.SNAPSHOT: last.Snapshot, metadata.TARGETS: last.Targets} {
		path := u.metadataPath(role)
		if found, err := os.ReadFile(path); err == nil && readable(role, found) {
			continue
		}
		err := os.Remove(path)
		if len(text) > 0 {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("repair the metadata: %w", err)
		}
	}
	return nil
}

// readable reports whether a file of the client can be parsed.
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

// ListReleases returns the releases on disk and their state, for commands.
func ListReleases(s *releases.Store) (versions []release.Version, state releases.State, err error) {
	versions, err = s.Versions()
	if err != nil {
		return nil, releases.State{}, err
	}
	state, err = s.ReadState()
	return versions, state, err
}
