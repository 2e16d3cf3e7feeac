package main

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"galla/installers/publish"
	"galla/shared/secret"
)

type signCmd struct {
	File    string   `arg:"" type:"existingfile" help:"The draft."`
	Program []string `sep:"none" type:"existingfile" help:"A program that the draft adds, as you built or tested it. Where one is named, the draft may add no others."`
	Look    bool     `help:"Show the draft, and sign nothing."`
}

// Run signs a draft.
func (s *signCmd) Run(c *cli) error {
	r, err := publish.Open(c.config(validity{}))
	if err != nil {
		return err
	}
	d, err := r.OpenDraft(s.File)
	if err == nil {
		err = s.checkPrograms(d)
	}
	if err == nil {
		err = d.Show(c.out) // whoever gives a passphrase knows for what
	}
	if err != nil || s.Look {
		return err
	}
	return c.signDraft(d, s.File)
}

// checkPrograms holds that the draft adds the programs that were named, and no others.
func (s *signCmd) checkPrograms(d *publish.Draft) error {
	if len(s.Program) == 0 {
		return nil
	}
	named := map[[sha256.Size]byte]string{}
	for _, file := range s.Program {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		hash := sha256.New()
		_, err = io.Copy(hash, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		named[[sha256.Size]byte(hash.Sum(nil))] = file
	}
	for _, sum := range d.AddedPrograms() {
		if len(sum) != sha256.Size || named[[sha256.Size]byte(sum)] == "" {
			return fmt.Errorf("the draft adds a program with the SHA-256 %x, and none that you named has it; nothing was signed", sum)
		}
		delete(named, [sha256.Size]byte(sum))
	}
	for _, file := range named {
		return fmt.Errorf("the draft does not add %s; nothing was signed", file)
	}
	return nil
}

type publishCmd struct {
	validity
	File string `arg:"" type:"existingfile" help:"The draft."`
}

// Run publishes a draft.
func (p *publishCmd) Run(c *cli) error {
	r, err := publish.Open(c.config(p.validity))
	if err != nil {
		return err
	}
	d, err := r.OpenDraft(p.File)
	if err != nil {
		return err
	}
	if err := d.Publish(); err != nil {
		return err
	}
	return r.Show(c.out, time.Now())
}

type keyCmd struct {
	Name string `arg:"" help:"What its file is called, such as asha: asha-1.key."`
}

// nameForm is what a key may be called.
var nameForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

// Run makes a key.
func (k *keyCmd) Run(c *cli) error {
	if !nameForm.MatchString(k.Name) {
		return fmt.Errorf("%.40q is no name for a key: a-z, digits and -, up to 31", k.Name)
	}
	if len(c.Keys) == 0 {
		return errors.New("name the folder that the key is made in: --keys")
	}
	file, public, err := publish.MakeKey(c.Keys[0], k.Name, rand.Reader, c.ask)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s is yours alone; give %s to whoever rotates you into a role\n", file, public)
	return err
}

type resealCmd struct {
	File string `arg:"" type:"existingfile" help:"The key."`
	New  string `name:"new-passphrase-file" type:"existingfile" help:"File with the new passphrase, in place of asking at the terminal."`
}

// Run gives a key another passphrase.
func (r *resealCmd) Run(c *cli) error {
	ask := c.ask
	if r.New != "" {
		fresh := passphrases(r.New)
		ask = func(file string, made bool) (secret.Key, error) {
			if made {
				return fresh(file, made)
			}
			return c.ask(file, made)
		}
	}
	if err := publish.Reseal(r.File, ask); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.out, "%s has its new passphrase\n", r.File)
	return err
}
