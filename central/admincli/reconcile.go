package admincli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"galla/central"
	"galla/central/keys"
	"galla/central/reconcile"
	"galla/central/staff"
	"galla/central/store"
	"galla/shared/ist"
	"galla/shared/secret"
)

// Reconciliation reconciles with the bank's settlement files. A running central
// carries out its decisions. Whoever takes a step of a case signs in as at the
// console: a name alone proves nothing at a shell.
type Reconciliation struct {
	audited
	cfg     Config
	db      *store.DB
	service *reconcile.Audited // without members: CaseSession has them
}

// OpenReconciliation opens the database of an existing central. Close ends it.
func OpenReconciliation(ctx context.Context, cfg Config) (*Reconciliation, error) {
	db, err := openDatabase(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := &Reconciliation{cfg: cfg, db: db}
	var service *reconcile.Service
	if s.audited, err = newAudited(cfg, db); err == nil {
		service, err = reconcile.New(db, db, db, cfg.Node)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.service = reconcile.NewAudited(service, s.AuditLog, nil, nil)
	return s, nil
}

func (s *Reconciliation) Close() error { return s.db.Close() }

// Import imports a settlement file and prints the report; waiting is the number of
// cases that wait for people. The importer is the machine's account, since an import
// decides only what the rules say.
func (s *Reconciliation) Import(ctx context.Context, path string, out io.Writer) (waiting int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("open the settlement file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	done, again, err := s.service.Import(ctx, s.actor, importerLogin(s.cfg.Account), filepath.Base(path), f)
	if err != nil {
		return 0, err
	}
	if again {
		fmt.Fprintf(out, "The same file was imported before, as %s; nothing was done.\n\n", done.Title())
	}
	r, err := s.service.Report(ctx, done.Day, done.Number)
	if err != nil {
		return 0, err
	}
	return r.Waiting(), r.WriteText(out)
}

// importerLogin is the machine's account as a login.
func importerLogin(account string) string {
	name, _, _ := strings.Cut(account, "@")
	if who, err := staff.ParseLogin(name); err == nil {
		return who
	}
	return "machine"
}

// Show prints the report of a day, of its complete file or of the one with the given
// number, or one case with its history. waiting is the number of the day's cases that
// wait for people.
func (s *Reconciliation) Show(ctx context.Context, what string, number int, asCSV bool, out io.Writer) (waiting int, err error) {
	day, err := ist.ParseDay(what)
	if err != nil {
		id, caseErr := reconcile.ParseCaseID(what)
		if caseErr != nil {
			return 0, fmt.Errorf("%w; %w", err, caseErr)
		}
		return 0, s.service.WriteCase(ctx, id, out)
	}
	r, err := s.service.Report(ctx, day, number)
	if errors.Is(err, central.ErrNotFound) {
		return 0, fmt.Errorf("no such settlement file of %s was imported; 'galla-central reconcile list' prints the imported ones", day)
	}
	if err != nil {
		return 0, err
	}
	if asCSV {
		return r.Waiting(), r.WriteCSV(out)
	}
	return r.Waiting(), r.WriteText(out)
}

// List prints the newest settlement files.
func (s *Reconciliation) List(ctx context.Context, out io.Writer) error {
	return s.service.WriteFileList(ctx, out)
}

// Credentials are what somebody signs in with, as at the console.
type Credentials struct {
	Login    string
	Password secret.Token
	Code     secret.OTP // of now, and not used before
}

// CaseSession is a signed-in member of the staff who takes steps of cases.
type CaseSession struct {
	*reconcile.Audited
	staff *staff.Service
	in    staff.SignedIn
}

// SignIn opens a staff session for steps of cases; SignOut ends it. Errors as of
// staff.Service.SignIn; a role that may not decide is refused, and the refusal is
// logged.
func (s *Reconciliation) SignIn(ctx context.Context, p Credentials) (*CaseSession, error) {
	masters, err := keys.LoadMasters(s.cfg.keyConfig())
	if err != nil {
		return nil, err
	}
	vault, err := staff.NewVault(s.db, s.db, masters, s.cfg.Rand)
	if err != nil {
		return nil, err
	}
	d := &CaseSession{}
	if d.staff, err = staff.New(s.db.ForStaff(), vault, staff.Config{Rand: s.cfg.Rand, Logger: s.cfg.Logger}); err != nil {
		return nil, err
	}
	if d.in, err = d.staff.SignIn(ctx, p.Login, p.Password, p.Code, s.actor.From); err != nil {
		return nil, err
	}
	if !d.in.Role.May(staff.Operator) {
		refused := d.staff.RecordRefusal(ctx, d.in.Actor(), staff.Change{What: "case.step", Note: "the role does not allow it"})
		return nil, errors.Join(fmt.Errorf("%s is a %s: operators and admins decide cases", d.in.Member.Login, d.in.Role), refused, d.SignOut(ctx))
	}
	d.Audited = reconcile.NewAudited(s.service.Service, d.staff.AuditLog, vault, d.staff.Independent)
	return d, nil
}

// SignOut ends the session.
func (d *CaseSession) SignOut(ctx context.Context) error { return d.staff.SignOut(ctx, d.in) }

// CaseProposal is a proposal as it was typed.
type CaseProposal struct {
	Verdict  string // succeeded, failed, reversed or noted
	Reason   string
	Charge   string // rupees; of a transfer that succeeded
	Document string // path of the evidence; empty: none
}

// Propose proposes a decision of a case. An outcome needs its evidence, which is
// stored sealed.
func (d *CaseSession) Propose(ctx context.Context, name string, p CaseProposal, out io.Writer) error {
	id, err := reconcile.ParseCaseID(name)
	if err != nil {
		return err
	}
	proposal := reconcile.Proposal{Verdict: reconcile.Verdict(p.Verdict), Reason: p.Reason}
	if proposal.Charge, err = reconcile.ParseCharge(p.Charge); err != nil {
		return err
	}
	var evidence *reconcile.Evidence
	if p.Document != "" {
		content, err := readDocument(p.Document)
		if err != nil {
			return err
		}
		evidence = &reconcile.Evidence{Name: filepath.Base(p.Document), Content: content}
	}
	err = d.Audited.Propose(ctx, d.in.Actor(), id, proposal, evidence)
	if errors.Is(err, reconcile.ErrNoEvidence) {
		return fmt.Errorf("%w (--document)", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Case %s is proposed to be decided as %s. Another person confirms it, or rejects it.\n", id, p.Verdict)
	return err
}

// readDocument reads a document to be stored.
func readDocument(path string) (content []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the document: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var read bytes.Buffer
	if _, err := io.Copy(&read, io.LimitReader(f, staff.MaxDocument+1)); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	if read.Len() == 0 || read.Len() > staff.MaxDocument {
		return nil, fmt.Errorf("the document is empty or has more than %d MiB", staff.MaxDocument>>20)
	}
	return read.Bytes(), nil
}

// Confirm decides a case as another person proposed it.
func (d *CaseSession) Confirm(ctx context.Context, name, reason string, out io.Writer) error {
	return d.decide(ctx, name, d.confirm, reason, "is decided. Where its operation was not final, a running central finishes it within seconds: 'galla-central reconcile show' prints it", out)
}

// confirm decides the present proposal.
func (d *CaseSession) confirm(ctx context.Context, by staff.Actor, id reconcile.CaseID, reason string) error {
	_, steps, err := d.Case(ctx, id)
	if err != nil {
		return err
	}
	return d.Audited.Confirm(ctx, by, id, len(steps), reason)
}

// Reject rejects a proposal.
func (d *CaseSession) Reject(ctx context.Context, name, reason string, out io.Writer) error {
	return d.decide(ctx, name, d.Audited.Reject, reason, "is open again", out)
}

// Withdraw withdraws a decision that had no effect.
func (d *CaseSession) Withdraw(ctx context.Context, name, reason string, out io.Writer) error {
	return d.decide(ctx, name, d.Audited.Withdraw, reason, "is open again; where its operation is not final, it waits for the bank's answer", out)
}

func (d *CaseSession) decide(ctx context.Context, name string, step func(context.Context, staff.Actor, reconcile.CaseID, string) error, reason, result string, out io.Writer) error {
	id, err := reconcile.ParseCaseID(name)
	if err != nil {
		return err
	}
	if err := step(ctx, d.in.Actor(), id, reason); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Case %s %s.\n", id, result)
	return err
}
