package publish

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"

	"galla/edge/update/release"
)

// Catalogue is what is offered.
func (r *Repository) Catalogue() *release.Catalogue { return r.catalogue }

// Proof is what proves the catalogue, as a counter would keep it that looked at a
// moment.
func (r *Repository) Proof(at time.Time) (release.Proof, error) {
	p := release.Proof{CheckedAt: at.UTC(), Roots: r.roots[1:]}
	var err error
	if p.Timestamp, err = r.read(timestampFile, release.MaxTimestamp); err != nil {
		return p, err
	}
	if p.Snapshot, err = r.read(versionedName(r.snapshot.Signed.Version, metadata.SNAPSHOT), release.MaxSnapshot); err != nil {
		return p, err
	}
	p.Targets, err = r.read(versionedName(r.targets.Signed.Version, metadata.TARGETS), release.MaxTargets)
	return p, err
}

// Root is the newest root: what is built into programs from now on.
func (r *Repository) Root() []byte { return r.roots[len(r.roots)-1] }

// First is the first root, from which all others follow.
func (r *Repository) First() []byte { return r.roots[0] }

// Show writes what is offered, by whom it is signed and when that ends.
func (r *Repository) Show(w io.Writer, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(t, format+"\n", args...) } // Flush tells
	line("ROLE\tVERSION\tENDS\tSIGNED BY")
	ends := map[string]time.Time{
		metadata.ROOT: r.root.Signed.Expires, metadata.TARGETS: r.targets.Signed.Expires,
		metadata.SNAPSHOT: r.snapshot.Signed.Expires, metadata.TIMESTAMP: r.timestamp.Signed.Expires,
	}
	versions := map[string]int64{
		metadata.ROOT: r.root.Signed.Version, metadata.TARGETS: r.targets.Signed.Version,
		metadata.SNAPSHOT: r.snapshot.Signed.Version, metadata.TIMESTAMP: r.timestamp.Signed.Version,
	}
	for _, role := range roles {
		keys, threshold := r.Keys(role)
		when := ends[role].Format(time.DateTime)
		if now.After(ends[role]) {
			when += " (ended: counters take nothing new)"
		}
		line("%s\t%d\t%s\t%d of %d keys", role, versions[role], when, threshold, len(keys))
		for _, k := range keys {
			if k.File == "" {
				k.File = "not at hand"
			}
			line("\t\t\t%.16s  %s", k.ID, k.File)
		}
	}
	line("")
	line("RELEASE\tSYSTEM\tCOUNTERS\tFOLLOWS\tFORMATS\tBYTES")
	for _, p := range slices.SortedStableFunc(slices.Values(r.catalogue.Releases), func(a, b release.Target) int { return b.Version.Compare(a.Version) }) {
		follows := string(p.MinPrevious)
		if follows == "" {
			follows = "any"
		}
		line("%s\t%s/%s\t%d %%\t%s\twrites %d, reads %d\t%d", p.Version, p.OS, p.Arch, p.Percent, follows, p.Writes, p.Reads, p.Length)
	}
	for _, name := range slices.Sorted(maps.Keys(r.catalogue.Skipped)) {
		line("%s\tpassed over by counters: %v", name, r.catalogue.Skipped[name])
	}
	return t.Flush()
}
