package publish

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/theupdateframework/go-tuf/v2/metadata"

	"galla/edge/update/release"
	"galla/shared/files"
)

// Draft is a change of root, of the releases or of both that some have signed and
// that is not published. It is a file that goes from hand to hand: nothing in it is
// secret, and whoever changes a word of it takes the signatures away.
type Draft struct {
	repo    *Repository
	root    *metadata.Metadata[metadata.RootType]    // the repository's own where it does not change
	targets *metadata.Metadata[metadata.TargetsType] // nil: they do not change
}

// draftFile is its form. Over are the versions that were in force when it was made: it
// is good for no others, for it would undo what came between.
type draftFile struct {
	OverRoot    int64          `json:"overRoot"`
	OverTargets int64          `json:"overTargets"`
	Root        jsontext.Value `json:"root,omitzero"`
	Targets     jsontext.Value `json:"targets,omitzero"`
}

// maxDraft bounds the file, in bytes.
const maxDraft = release.MaxRoot + release.MaxTargets + 4<<10

// signAndPublish signs a change by the keys at hand, and publishes it or writes it as a draft.
func (r *Repository) signAndPublish(targets *metadata.Metadata[metadata.TargetsType], root *metadata.Metadata[metadata.RootType]) error {
	d := &Draft{r, root, targets}
	missing, err := d.sign()
	switch {
	case err != nil:
		return err
	case r.cfg.Draft != "":
		return d.write(r.cfg.Draft, os.O_EXCL)
	case len(missing) > 0:
		return missing[0]
	}
	return r.publish(targets, root)
}

// sign signs by the keys at hand, and gives what is missing still.
func (d *Draft) sign() (missing []*ThresholdError, err error) {
	keys, ask := d.repo.keys, d.repo.cfg.Ask
	var faults []error
	if d.root != d.repo.root {
		faults = append(faults, sign(d.root, metadata.ROOT, d.repo.root, keys, ask), sign(d.root, metadata.ROOT, d.root, keys, ask))
	}
	if d.targets != nil {
		faults = append(faults, sign(d.targets, metadata.TARGETS, d.root, keys, ask))
	}
	for _, fault := range faults {
		var short *ThresholdError
		switch {
		case errors.As(fault, &short):
			missing = append(missing, short)
		case fault != nil:
			return nil, fault
		}
	}
	return missing, nil
}

// write writes the draft; extra is os.O_EXCL where the file must be new.
func (d *Draft) write(path string, extra int) error {
	form := draftFile{OverRoot: d.repo.root.Signed.Version, OverTargets: d.repo.targets.Signed.Version}
	var err error
	if d.root != d.repo.root {
		if form.Root, err = d.root.ToBytes(false); err != nil {
			return fmt.Errorf("write root as JSON: %w", err)
		}
	}
	if d.targets != nil {
		if form.Targets, err = d.targets.ToBytes(false); err != nil {
			return fmt.Errorf("write targets as JSON: %w", err)
		}
	}
	text, err := json.Marshal(form, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("write the draft as JSON: %w", err)
	}
	if extra == os.O_EXCL {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return fmt.Errorf("write the draft: %w", err)
		}
		_, err = f.Write(text)
		return errors.Join(err, f.Sync(), f.Close(), files.SyncFolder(filepath.Dir(path)))
	}
	return files.WriteAtomic(path, text, 0o644, os.Rename)
}

// OpenDraft reads a draft and holds it against what is in force: signatures that it
// has are verified, and it must have been made over this.
func (r *Repository) OpenDraft(path string) (*Draft, error) {
	text, err := files.ReadBounded(path, maxDraft)
	if err != nil {
		return nil, fmt.Errorf("the draft: %w", err)
	}
	d, err := r.parseDraft(text)
	if err != nil {
		return nil, fmt.Errorf("the draft %s: %w", path, err)
	}
	return d, nil
}

func (r *Repository) parseDraft(text []byte) (*Draft, error) {
	var form draftFile
	if err := json.Unmarshal(text, &form, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("it can't be read: %w", err)
	}
	if form.OverRoot != r.root.Signed.Version || form.OverTargets != r.targets.Signed.Version {
		return nil, fmt.Errorf("it was made over root %d and targets %d, and root %d and targets %d are in force: make it anew, or copy the newest repository here",
			form.OverRoot, form.OverTargets, r.root.Signed.Version, r.targets.Signed.Version)
	}
	d := &Draft{repo: r, root: r.root}
	var err error
	if len(form.Root) > 0 {
		if d.root, err = metadata.Root().FromBytes(form.Root); err != nil {
			return nil, fmt.Errorf("its root: %w", err)
		}
		if d.root.Signed.Version != form.OverRoot+1 {
			return nil, fmt.Errorf("its root is %d, want %d", d.root.Signed.Version, form.OverRoot+1)
		}
	}
	if len(form.Targets) > 0 {
		if d.targets, err = metadata.Targets().FromBytes(form.Targets); err != nil {
			return nil, fmt.Errorf("its targets: %w", err)
		}
		if d.targets.Signed.Version <= form.OverTargets {
			return nil, fmt.Errorf("its targets are %d, want more than %d", d.targets.Signed.Version, form.OverTargets)
		}
	}
	if d.root == r.root && d.targets == nil {
		return nil, errors.New("it changes nothing")
	}
	if err := d.checkStructure(); err != nil {
		return nil, err
	}
	return d, d.checkSignatures()
}

// checkStructure checks what go-tuf leaves open in a draft of somebody else.
func (d *Draft) checkStructure() error {
	for _, role := range roles {
		named := d.root.Signed.Roles[role]
		if named == nil || named.Threshold < 1 || len(named.KeyIDs) < named.Threshold {
			return fmt.Errorf("its root has not enough keys of %s", role)
		}
		for _, id := range named.KeyIDs {
			if d.root.Signed.Keys[id] == nil {
				return fmt.Errorf("its root names key %.16s of %s, and has it not", id, role)
			}
		}
	}
	if d.targets == nil {
		return nil
	}
	for name, file := range d.targets.Signed.Targets {
		if file == nil || len(file.Hashes["sha256"]) != sha256.Size {
			return fmt.Errorf("its target %.80q has no SHA-256", name)
		}
	}
	return nil
}

// checkSignatures verifies each signature that a draft has: one that is of no key of its
// role, or over other words, would only stand in for one that is missing.
func (d *Draft) checkSignatures() error {
	if d.root != d.repo.root {
		if err := checkSignaturesOf(d.root, metadata.ROOT, d.repo.root, d.root); err != nil {
			return err
		}
	}
	if d.targets != nil {
		return checkSignaturesOf(d.targets, metadata.TARGETS, d.root)
	}
	return nil
}

func checkSignaturesOf[T metadata.Roles](m *metadata.Metadata[T], role string, roots ...*metadata.Metadata[metadata.RootType]) error {
	for _, s := range m.Signatures {
		err := fmt.Errorf("%s is signed by key %.16s, which is none of the role's", role, s.KeyID)
		for _, root := range roots {
			k := root.Signed.Keys[s.KeyID]
			if k == nil || !slices.Contains(root.Signed.Roles[role].KeyIDs, s.KeyID) {
				continue
			}
			// Verified as if this key alone were the role.
			alone := metadata.Root()
			alone.Signed.Keys[s.KeyID] = k
			alone.Signed.Roles[role] = &metadata.Role{KeyIDs: []string{s.KeyID}, Threshold: 1}
			err = alone.VerifyDelegate(role, m)
			break
		}
		if err != nil {
			return fmt.Errorf("a signature does not hold: %w", err)
		}
	}
	return nil
}

// Sign signs a draft by the keys at hand, writes it back to its file, and gives what
// is missing still.
func (d *Draft) Sign(path string) ([]*ThresholdError, error) {
	missing, err := d.sign()
	if err != nil {
		return nil, err
	}
	return missing, d.write(path, 0)
}

// Publish publishes a draft that all have signed whose word it takes, with the keys of
// snapshot and timestamp at hand. The programs that it adds must lie in the repository.
func (d *Draft) Publish() error {
	missing, err := d.sign()
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return missing[0]
	}
	if now := time.Now(); d.root.Signed.Expires.Before(now) || d.targets != nil && d.targets.Signed.Expires.Before(now) {
		return errors.New("what the draft says has ended meanwhile, and counters would take nothing new: make it anew")
	}
	if d.root != d.repo.root {
		text, err := d.root.ToBytes(false)
		if err != nil {
			return fmt.Errorf("write root as JSON: %w", err)
		}
		if _, err := release.FollowRoots(d.repo.Root(), [][]byte{text}); err != nil {
			return err
		}
	}
	if d.targets != nil {
		if err := d.root.VerifyDelegate(metadata.TARGETS, d.targets); err != nil {
			return err
		}
		if err := d.checkPrograms(); err != nil {
			return err
		}
	}
	return d.repo.publish(d.targets, d.root)
}

// checkPrograms holds that every program of the draft lies in the repository, and that no
// other targets of its version ever did.
func (d *Draft) checkPrograms() error {
	for _, name := range slices.Sorted(maps.Keys(d.targets.Signed.Targets)) {
		file := d.targets.Signed.Targets[name]
		path := filepath.Join(d.repo.cfg.Folder, targetsFolder, fmt.Sprintf("%x.%s", []byte(file.Hashes["sha256"]), name))
		if info, err := os.Stat(path); err != nil || info.Size() != file.Length {
			return fmt.Errorf("the program of the draft does not lie in %s: copy it there from where the draft was made (%w)", path, orWrongLength(err))
		}
	}
	text, err := d.targets.ToBytes(false)
	if err != nil {
		return fmt.Errorf("write targets as JSON: %w", err)
	}
	name := versionedName(d.targets.Signed.Version, metadata.TARGETS)
	there, err := d.repo.read(name, release.MaxTargets)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !bytes.Equal(there, text):
		return fmt.Errorf("%s is there already and says something else: make the draft anew", name)
	}
	return nil
}

// orWrongLength is the fault of a file that is there or not.
func orWrongLength(err error) error {
	if err != nil {
		return err
	}
	return errors.New("a file of another length lies there")
}

// Show writes what a draft changes, for those who are to sign it, and who has signed.
func (d *Draft) Show(w io.Writer) error {
	var out bytes.Buffer
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(&out, format+"\n", args...) }
	if d.root != d.repo.root {
		d.showRoot(line)
	}
	if d.targets != nil {
		d.showTargets(line)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (d *Draft) showRoot(line func(string, ...any)) {
	was, is := d.repo.root.Signed, d.root.Signed
	line("root %d is followed by %d, good until %s", was.Version, is.Version, is.Expires.Format("2006-01-02"))
	for _, role := range roles {
		for _, id := range was.Roles[role].KeyIDs {
			if !slices.Contains(is.Roles[role].KeyIDs, id) {
				line("  - key %.16s of %s", id, role)
			}
		}
		for _, id := range is.Roles[role].KeyIDs {
			if !slices.Contains(was.Roles[role].KeyIDs, id) {
				line("  + key %.16s of %s", id, role)
			}
		}
		if a, b := was.Roles[role].Threshold, is.Roles[role].Threshold; a != b {
			line("  %d keys of %s must sign in place of %d", b, role, a)
		}
	}
	line("  signed by %s", signers(d.root.Signatures))
}

func (d *Draft) showTargets(line func(string, ...any)) {
	was, is := d.repo.targets.Signed.Targets, d.targets.Signed.Targets
	line("the releases, good until %s", d.targets.Signed.Expires.Format("2006-01-02"))
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if is[name] == nil {
			line("  - %s is withdrawn", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		now, before := describeTarget(is[name]), ""
		if was[name] != nil {
			before = describeTarget(was[name])
		}
		switch {
		case before == "":
			line("  + %s: %s", name, now)
		case before != now:
			line("  ~ %s: %s\n    it was %s", name, now, before)
		}
	}
	line("  signed by %s", signers(d.targets.Signatures))
}

// describeTarget is what is said of a target.
func describeTarget(file *metadata.TargetFiles) string {
	facts := "facts that no counter understands"
	if file.Custom != nil {
		if f, err := release.ParseManifest(*file.Custom); err == nil {
			facts = fmt.Sprintf("%d %% of the counters, follows %s, writes %d, reads %d", f.Percent, orAny(f.MinPrevious), f.Writes, f.Reads)
		}
	}
	return fmt.Sprintf("%s, %d bytes, SHA-256 %x", facts, file.Length, []byte(file.Hashes["sha256"]))
}

func orAny(v release.Version) string {
	if v == "" {
		return "any"
	}
	return string(v)
}

func signers(signatures []metadata.Signature) string {
	var ids []string
	for _, s := range signatures {
		ids = append(ids, fmt.Sprintf("%.16s", s.KeyID))
	}
	if len(ids) == 0 {
		return "nobody yet"
	}
	slices.Sort(ids)
	return fmt.Sprint(ids)
}

// AddedPrograms gives the SHA-256 of each program that the draft publishes anew.
func (d *Draft) AddedPrograms() (sums [][]byte) {
	if d.targets == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(d.targets.Signed.Targets)) {
		if d.repo.targets.Signed.Targets[name] == nil {
			sums = append(sums, d.targets.Signed.Targets[name].Hashes["sha256"])
		}
	}
	return sums
}
