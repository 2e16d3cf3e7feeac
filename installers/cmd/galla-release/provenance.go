package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"galla/edge/update/release"
	"galla/installers"
	"galla/installers/publish"
	"galla/shared/files"
)

type provenanceCmd struct {
	Files    string            `arg:"" type:"existingdir" help:"Folder of everything that was built."`
	Version  string            `required:"" help:"Version of the release, such as 1.4.0."`
	Revision string            `required:"" help:"Commit of the source."`
	Modified bool              `help:"The source was not as it is in the commit. Nobody signs that."`
	Builder  string            `required:"" help:"Whose machine it was, a URI."`
	Tool     map[string]string `mapsep:"none" help:"Version of what compiled, such as go=go1.26.10."`
	Program  []string          `sep:"none" type:"existingfile" help:"A program that was built, or that packed; its modules are named."`
}

// Run writes the statement.
func (p *provenanceCmd) Run() error {
	text, err := publish.MakeStatement(p.Files, publish.Build{
		Version: p.Version, Revision: p.Revision, Modified: p.Modified, Builder: p.Builder, Tools: p.Tool, Programs: p.Program,
	})
	if err != nil {
		return fmt.Errorf("the provenance of %s: %w", p.Files, err)
	}
	return os.WriteFile(filepath.Join(p.Files, publish.StatementFile), text, 0o644)
}

type attestCmd struct {
	Files string `arg:"" type:"existingdir" help:"Folder of everything that was built, such as dist."`
}

// Run signs.
func (a *attestCmd) Run(c *cli) error {
	r, err := publish.Open(c.config(validity{}))
	if err != nil {
		return err
	}
	missing, err := r.Attest(a.Files)
	if err != nil {
		return err
	}
	if missing != nil {
		_, err = fmt.Fprintf(c.out, "%d of %d signatures; hand the folder on to those whose keys are missing: galla-release attest %s\n", missing.Have, missing.Want, a.Files)
		return err
	}
	_, err = fmt.Fprintf(c.out, "all have signed; hand out %s with the files\n", filepath.Join(a.Files, publish.EnvelopeFile))
	return err
}

type verifyCmd struct {
	File       []string `arg:"" type:"existingfile" help:"A file of the release."`
	Provenance string   `type:"existingfile" help:"The signed provenance of the release; by default provenance.intoto.jsonl beside the first file."`
	Root       string   `type:"existingfile" help:"The root that names who publishes; by default the one that is built in."`
}

// Run verifies.
func (v *verifyCmd) Run(c *cli) error {
	root, err := installers.Root()
	if v.Root != "" {
		root, err = files.ReadBounded(v.Root, release.MaxRoot)
	}
	if err != nil {
		return err
	}
	if root == nil {
		return errors.New("no root is built into this program: name the publishers' with --root")
	}
	if v.Provenance == "" {
		v.Provenance = filepath.Join(filepath.Dir(v.File[0]), publish.EnvelopeFile)
	}
	s, err := publish.VerifyProvenance(v.Provenance, root)
	if err != nil {
		return err
	}
	for _, file := range v.File {
		if err := s.Holds(file); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(c.out, "%s is of release %s, made from commit %s\n", file, s.Version(), s.Revision()); err != nil {
			return err
		}
	}
	return nil
}
