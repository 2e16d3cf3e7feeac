// Command galla-release is the publisher's tool: it makes and changes the
// repository of releases of the counter's program, which a central then offers.
package main

import (
	"cmp"
	"crypto/rand"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"galla/edge/queue"
	"galla/edge/update/release"
	"galla/installers/publish"
)

type cli struct {
	Folder     string   `default:"releases" env:"GALLA_RELEASES" help:"Folder of the repository; it is copied to the central as it is."`
	Keys       []string `env:"GALLA_RELEASE_KEYS" sep:"," help:"Folders of private keys, one after the other; new keys are made in the first. Sticks that several people bring are several folders."`
	Passphrase string   `name:"passphrase-file" env:"GALLA_RELEASE_PASSPHRASE_FILE" type:"existingfile" help:"File with the passphrase of the keys, in place of asking at the terminal. A command that makes keys gives it to all of them."`

	Init       initCmd       `cmd:"" help:"Make keys and an empty repository."`
	Add        addCmd        `cmd:"" help:"Publish a program as a release."`
	Stage      stageCmd      `cmd:"" help:"Change for how many counters of a hundred a release is."`
	Withdraw   withdrawCmd   `cmd:"" help:"Take a release out of what is offered. Counters that run it go on with it."`
	Sign       signCmd       `cmd:"" help:"Show a draft of others, and sign it."`
	Publish    publishCmd    `cmd:"" help:"Publish a draft that all have signed whose word it takes."`
	Refresh    refreshCmd    `cmd:"" help:"Sign snapshot and timestamp anew, every day, before they end."`
	Rotate     rotateCmd     `cmd:"" help:"Publish a new root, and replace a key by a new one."`
	Show       showCmd       `cmd:"" help:"Show what is offered, by which keys, and when their word ends."`
	Key        keyCmd        `cmd:"" help:"Make a key of one's own, whose public half others put into a role (rotate --by)."`
	Reseal     resealCmd     `cmd:"" help:"Give a key another passphrase, or its first."`
	Provenance provenanceCmd `cmd:"" hidden:"" help:"Say of everything that was built how it was made; installers/dist.sh does."`
	Attest     attestCmd     `cmd:"" help:"Sign the provenance of everything that was built."`
	Verify     verifyCmd     `cmd:"" help:"Verify files of a release by its signed provenance."`
	Root       rootCmd       `cmd:"" help:"Print the newest root, which is built into programs (installers/trust/root.json)."`

	out io.Writer
	ask publish.AskPassphrase
}

// draft is where a change goes that not all are here to sign.
type draft struct {
	Draft string `placeholder:"FILE" help:"Write the change to a new file, signed by the keys at hand, for others to sign; nothing is published."`
}

// validity are how long what is signed is good.
type validity struct {
	RootLife      time.Duration `help:"How long root is good; by default 17520h, 2 years."`
	TargetsLife   time.Duration `help:"How long the list of releases is good; by default 8760h, 1 year."`
	SnapshotLife  time.Duration `help:"How long the snapshot is good; by default 720h, 30 days."`
	TimestampLife time.Duration `help:"How long the timestamp is good; by default 168h, 7 days."`
}

func (l validity) config() publish.Validity {
	return publish.Validity{Root: l.RootLife, Targets: l.TargetsLife, Snapshot: l.SnapshotLife, Timestamp: l.TimestampLife}
}

func (c *cli) config(l validity) publish.Config {
	return publish.Config{Folder: c.Folder, Keys: c.Keys, Validity: l.config(), Ask: c.ask, Rand: rand.Reader}
}

// change opens the repository, changes it, and shows what is offered then, or the
// draft that came of it.
func (c *cli) change(l validity, d draft, alter func(*publish.Repository) error) error {
	cfg := c.config(l)
	cfg.Draft = d.Draft
	r, err := publish.Open(cfg)
	if err != nil {
		return err
	}
	if err := alter(r); err != nil {
		return err
	}
	if d.Draft == "" {
		return r.Show(c.out, time.Now())
	}
	made, err := r.OpenDraft(d.Draft)
	if err != nil {
		return err
	}
	if err := made.Show(c.out); err != nil {
		return err
	}
	return c.signDraft(made, d.Draft)
}

// signDraft signs a draft by what is at hand, and says what it still takes.
func (c *cli) signDraft(d *publish.Draft, path string) error {
	missing, err := d.Sign(path)
	if err != nil {
		return err
	}
	for _, m := range missing {
		_, _ = fmt.Fprintf(c.out, "%s: %d of %d signatures\n", m.Role, m.Have, m.Want)
	}
	next := "publish it: galla-release publish " + path
	if len(missing) > 0 {
		next = "hand it on to those whose keys are missing: galla-release sign " + path
	}
	_, err = fmt.Fprintf(c.out, "%s is not published; %s\n", path, next)
	return err
}

type initCmd struct {
	validity
	RootKeys         int `default:"3" help:"Keys of root. Put each on a stick of its own and take them out of the folder."`
	RootThreshold    int `default:"2" help:"How many of them must sign."`
	TargetsKeys      int `default:"2" help:"Keys of those who publish releases."`
	TargetsThreshold int `default:"2" help:"How many of them must sign."`
}

// Run makes the repository.
func (i *initCmd) Run(c *cli) error {
	r, err := publish.Init(c.config(i.validity), publish.KeyCount{Keys: i.RootKeys, Threshold: i.RootThreshold}, publish.KeyCount{Keys: i.TargetsKeys, Threshold: i.TargetsThreshold})
	if err != nil {
		return err
	}
	return r.Show(c.out, time.Now())
}

type addCmd struct {
	validity
	Version string   `arg:"" help:"Version of the release, such as 1.4.0."`
	Program []string `arg:"" type:"existingfile" help:"The program, or one for each system; for Windows the signed one."`
	OS      string   `help:"Operating system as Go names it; by default what the program was built for."`
	Arch    string   `help:"Architecture as Go names it; by default what the program was built for."`
	Percent int      `required:"" help:"For how many counters of a hundred it is at first."`
	Follows string   `help:"The lowest version that may be replaced by it; by default any."`
	Reads   int      `help:"Newest format of the counter's files that it reads; by default this tool's, which is right where both were built from one commit."`
	Writes  int      `help:"Format of the counter's files that it writes; by default this tool's."`
	Other   bool     `help:"Publish a file that is not galla-edge by what its build recorded."`
	draft
}

// program is what a program's build must have recorded as its package.
const program = "galla/edge/cmd/galla-edge"

// Run publishes a release.
func (a *addCmd) Run(c *cli) error {
	v, err := release.ParseVersion(a.Version)
	if err != nil {
		return err
	}
	var all []publish.Program
	for _, file := range a.Program {
		facts := release.Manifest{
			Version: v, OS: a.OS, Arch: a.Arch, Percent: a.Percent, MinPrevious: release.Version(a.Follows),
			Reads: cmp.Or(a.Reads, queue.Reads), Writes: cmp.Or(a.Writes, queue.Writes),
		}
		if err := checkBuild(file, &facts); err != nil && !a.Other {
			return err
		}
		all = append(all, publish.Program{Manifest: facts, File: file})
	}
	return c.change(a.validity, a.draft, func(r *publish.Repository) error { return r.AddAll(all) })
}

// checkBuild holds a program's build against what it is published as, and fills in its
// system.
func checkBuild(file string, facts *release.Manifest) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s is no program of Go: %w", file, err)
	}
	if info.Path != program {
		return fmt.Errorf("%s is %s, and releases are of %s", file, info.Path, program)
	}
	for _, s := range info.Settings {
		for key, field := range map[string]*string{"GOOS": &facts.OS, "GOARCH": &facts.Arch} {
			if s.Key != key {
				continue
			}
			if *field != "" && *field != s.Value {
				return fmt.Errorf("%s was built for %s=%s, and is published for %s", file, key, s.Value, *field)
			}
			*field = s.Value
		}
	}
	return nil
}

type stageCmd struct {
	validity
	Version string `arg:"" help:"Version of the release."`
	Percent int    `required:"" help:"For how many counters of a hundred."`
	draft
}

// Run changes the percentage.
func (s *stageCmd) Run(c *cli) error {
	v, err := release.ParseVersion(s.Version)
	if err != nil {
		return err
	}
	return c.change(s.validity, s.draft, func(r *publish.Repository) error { return r.Stage(v, s.Percent) })
}

type withdrawCmd struct {
	validity
	Version string `arg:"" help:"Version of the release."`
	draft
}

// Run withdraws a release.
func (w *withdrawCmd) Run(c *cli) error {
	v, err := release.ParseVersion(w.Version)
	if err != nil {
		return err
	}
	return c.change(w.validity, w.draft, func(r *publish.Repository) error { return r.Withdraw(v) })
}

type refreshCmd struct{ validity }

// Run signs snapshot and timestamp anew.
func (f *refreshCmd) Run(c *cli) error {
	r, err := publish.Open(c.config(f.validity))
	if err != nil {
		return err
	}
	return r.Refresh()
}

type rotateCmd struct {
	validity
	Role string `arg:"" optional:"" default:"root" enum:"root,targets,snapshot,timestamp" help:"Role whose key is replaced."`
	Key  string `help:"Id of the key that is replaced, or its beginning; without it root is signed anew and no key changes."`
	By   string `type:"existingfile" help:"Public half of the key that takes its place (galla-release key); by default one is made in the first folder of keys."`
	draft
}

// Run rotates.
func (t *rotateCmd) Run(c *cli) error {
	return c.change(t.validity, t.draft, func(r *publish.Repository) error { return r.Rotate(t.Role, t.Key, t.By) })
}

type showCmd struct {
	Within time.Duration `help:"End with status 2 where a role's word ends within this time, for a watch."`
}

// errEnding ends the command with a status of its own.
var errEnding = errors.New("a role's word ends soon: see above")

// Run shows the repository.
func (s *showCmd) Run(c *cli) error {
	r, err := publish.Open(c.config(validity{}))
	if err != nil {
		return err
	}
	now := time.Now()
	if err := r.Show(c.out, now); err != nil {
		return err
	}
	if s.Within > 0 && r.Catalogue().Expires.Before(now.Add(s.Within)) {
		return errEnding
	}
	return nil
}

type rootCmd struct{}

// Run prints the newest root.
func (*rootCmd) Run(c *cli) error {
	r, err := publish.Open(c.config(validity{}))
	if err != nil {
		return err
	}
	_, err = c.out.Write(slices.Concat(r.Root(), []byte("\n")))
	return err
}

func main() {
	c := cli{out: os.Stdout}
	k := kong.Parse(&c, kong.Name("galla-release"), kong.Description("Publishes releases of galla-edge to the counters."))
	c.ask = passphrases(c.Passphrase)
	if err := k.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "galla-release:", err)
		if errors.Is(err, errEnding) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}
