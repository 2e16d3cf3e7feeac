package office

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
	"galla/central/credential"
	"galla/central/operator"
	"galla/central/settle"
	"galla/central/store"
	"galla/shared/secret"
)

// Settlement reconciles with the bank's settlement files for the command line,
// on the database of a central that may be running; what it decides is carried
// out by that one. Whoever takes a step of a case signs in as at the console: a
// name alone proves nothing at a shell.
type Settlement struct {
	clerk
	cfg  Config
	db   *store.DB
	desk *settle.Desk
}

// OpenSettlement opens the database of an existing central. Of cfg it takes
// DatabaseURL, Data, Account, VendorMasterKeys, Node, Rand and Logger. Close ends
// it.
func OpenSettlement(ctx context.Context, cfg Config) (*Settlement, error) {
	db, err := openBeside(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := &Settlement{cfg: cfg, db: db}
	if s.clerk, err = newClerk(cfg, db); err == nil {
		s.desk, err = settle.NewDesk(db, db, db, cfg.Node)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// Close closes the database.
func (s *Settlement) Close() error { return s.db.Close() }

// Import takes the settlement file at a path, and prints the report. It is the
// machine's account that imports: nothing is decided by it but what the rules do.
// waiting counts the cases that wait for people.
func (s *Settlement) Import(ctx context.Context, path string, out io.Writer) (waiting int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("open the settlement file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var done settle.File
	var again bool
	name := filepath.Base(path)
	err = s.under(ctx, operator.Change{What: "settlement.import", Subject: name}, func(ctx context.Context) (err error) {
		done, again, err = s.desk.Import(ctx, name, f, settle.Actor{Person: importer(s.cfg.Account), Account: s.by.From})
		return err
	})
	if err != nil {
		return 0, err
	}
	if again {
		fmt.Fprintf(out, "The same file was imported before, as %s; nothing was done.\n\n", done.Title())
	}
	r, err := s.desk.Report(ctx, done.Day, done.Number)
	if err != nil {
		return 0, err
	}
	return r.Waits(), r.Text(out)
}

// importer names an account of the machine as files have it.
func importer(account string) string {
	name, _, _ := strings.Cut(account, "@")
	if who, err := settle.ParsePerson(name); err == nil {
		return who
	}
	return "machine"
}

// Show prints the report of a day, its file that counts or the one of the given
// number, or one case with its history, where what names one. waiting counts
// the day's cases that wait for people.
func (s *Settlement) Show(ctx context.Context, what string, number int, asCSV bool, out io.Writer) (waiting int, err error) {
	day, err := settle.ParseDay(what)
	if err != nil {
		id, caseErr := settle.ParseCaseID(what)
		if caseErr != nil {
			return 0, fmt.Errorf("%w; %w", err, caseErr)
		}
		return 0, s.desk.Show(ctx, id, out)
	}
	r, err := s.desk.Report(ctx, day, number)
	if errors.Is(err, central.ErrNotFound) {
		return 0, fmt.Errorf("no such settlement file of %s was imported; settle list has those that were", day)
	}
	if err != nil {
		return 0, err
	}
	if asCSV {
		return r.Waits(), r.CSV(out)
	}
	return r.Waits(), r.Text(out)
}

// List prints the newest settlement files.
func (s *Settlement) List(ctx context.Context, out io.Writer) error { return s.desk.List(ctx, out) }

// Proof is what somebody signs in with, as at the console.
type Proof struct {
	Login    string
	Password secret.Token
	Code     secret.OTP // of now, and not used before
}

// Decider is a person of the console who signed in at the machine to take steps of
// cases.
type Decider struct {
	s      *Settlement
	people *operator.Desk
	safe   *operator.Safe
	in     operator.SignedIn
}

// SignIn opens a session of the console for steps of cases; Leave ends it. The
// errors are those of operator.Desk.SignIn; whoever may not act is refused, and the
// trail has it.
func (s *Settlement) SignIn(ctx context.Context, p Proof) (*Decider, error) {
	masters, err := credential.LoadMasters(s.cfg.credentials())
	if err != nil {
		return nil, err
	}
	d := &Decider{s: s}
	if d.safe, err = operator.NewSafe(s.db, s.db, masters, s.cfg.Rand); err != nil {
		return nil, err
	}
	if d.people, err = operator.New(s.db, d.safe, operator.Config{Rand: s.cfg.Rand, Logger: s.cfg.Logger}); err != nil {
		return nil, err
	}
	if d.in, err = d.people.SignIn(ctx, p.Login, p.Password, p.Code, s.by.From); err != nil {
		return nil, err
	}
	if !d.in.Role.May(operator.Operator) {
		refused := d.people.Refuse(ctx, d.in.Actor(), operator.Change{What: "case.step", Note: "the role does not allow it"})
		return nil, errors.Join(fmt.Errorf("%s is a %s: operators and admins decide cases", d.in.Person.Login, d.in.Role), refused, d.Leave(ctx))
	}
	return d, nil
}

// Leave ends the session.
func (d *Decider) Leave(ctx context.Context) error { return d.people.SignOut(ctx, d.in) }

// actor is who acts, as histories of cases have it.
func (d *Decider) actor() settle.Actor {
	return settle.Actor{Person: d.in.Person.Login, Account: d.s.by.From}
}

// SettlementProposal is what a person proposes for a case, as it was written.
type SettlementProposal struct {
	Verdict  string // succeeded, failed, reversed or noted
	Reason   string
	Charge   string // rupees; of a transfer that succeeded
	Document string // path of the paper that it rests on; empty: none
}

// Propose has the person say what a case is to be decided as. An outcome needs
// its document, which is kept sealed, as at the console.
func (d *Decider) Propose(ctx context.Context, name string, p SettlementProposal, out io.Writer) error {
	id, err := settle.ParseCaseID(name)
	if err != nil {
		return err
	}
	proposal := settle.Proposal{Verdict: settle.Verdict(p.Verdict), Reason: p.Reason}
	if proposal.Charge, err = settle.ParseCharge(p.Charge); err != nil {
		return err
	}
	if p.Document == "" && proposal.Verdict.Outcome() != "" {
		return errors.New("an outcome needs its evidence: name the bank's letter, or what else it rests on (--document)")
	}
	var content []byte
	if p.Document != "" {
		if content, err = readPaper(p.Document); err != nil {
			return err
		}
	}
	change := operator.Change{What: "case.propose", Subject: id.String(), Was: string(settle.Open), Became: string(settle.Proposed), Note: p.Verdict}
	err = d.people.Do(ctx, d.in.Actor(), change, func(ctx context.Context) error {
		if content != nil {
			kept, err := d.safe.Keep(ctx, filepath.Base(p.Document), content, d.in.Person.Login)
			if err != nil {
				return err
			}
			proposal.Document = settle.Document{Name: kept.Name, SHA256: kept.SHA256}
		}
		return d.s.desk.Propose(ctx, id, proposal, d.actor())
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Case %s is proposed to be decided as %s. Another person confirms it, or rejects it.\n", id, p.Verdict)
	return err
}

// readPaper reads a document that is going to be kept.
func readPaper(path string) (content []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the document: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var read bytes.Buffer
	if _, err := io.Copy(&read, io.LimitReader(f, operator.MaxPaper+1)); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	if read.Len() == 0 || read.Len() > operator.MaxPaper {
		return nil, fmt.Errorf("the document is empty or has more than %d MiB", operator.MaxPaper>>20)
	}
	return read.Bytes(), nil
}

// Confirm has another person decide a case as it was proposed.
func (d *Decider) Confirm(ctx context.Context, name, reason string, out io.Writer) error {
	return d.take(ctx, name, "case.confirm", settle.Decided, d.confirm, reason, "is decided. Where its operation was not final, the running central settles it within seconds: settle show tells", out)
}

// confirm decides the proposal that stands there now.
func (d *Decider) confirm(ctx context.Context, id settle.CaseID, reason string, by settle.Actor) error {
	_, steps, err := d.s.desk.Case(ctx, id)
	if err != nil {
		return err
	}
	return d.s.desk.ConfirmSeen(ctx, id, len(steps), reason, by, d.people.Apart)
}

// Reject gives a proposal back.
func (d *Decider) Reject(ctx context.Context, name, reason string, out io.Writer) error {
	return d.take(ctx, name, "case.reject", settle.Open, d.s.desk.Reject, reason, "is open again", out)
}

// Withdraw takes back a decision that had no effect.
func (d *Decider) Withdraw(ctx context.Context, name, reason string, out io.Writer) error {
	return d.take(ctx, name, "case.withdraw", settle.Open, d.s.desk.Withdraw, reason, "is open again; an operation of it that is not final waits for the bank's word", out)
}

func (d *Decider) take(ctx context.Context, name string, what operator.Action, to settle.Status,
	step func(context.Context, settle.CaseID, string, settle.Actor) error, reason, said string, out io.Writer) error {
	id, err := settle.ParseCaseID(name)
	if err != nil {
		return err
	}
	was, _, err := d.s.desk.Case(ctx, id)
	if err != nil {
		return err
	}
	change := operator.Change{What: what, Subject: id.String(), Was: string(was.Status), Became: string(to), Note: string(was.Verdict)}
	if err := d.people.Do(ctx, d.in.Actor(), change, func(ctx context.Context) error { return step(ctx, id, reason, d.actor()) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Case %s %s.\n", id, said)
	return err
}
