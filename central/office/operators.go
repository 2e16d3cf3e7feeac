package office

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"galla/central"
	"galla/central/credential"
	"galla/central/operator"
	"galla/central/store"
)

// Operators manages the people of the console for the command line, on the
// database of a central that may be running. The first admin can be made in no
// other way.
type Operators struct {
	db   *store.DB
	desk *operator.Desk
	safe *operator.Safe
	by   operator.Actor
}

// OpenOperators opens the people of an existing central. Of cfg it takes
// DatabaseURL, Data, Account, VendorMasterKeys, Node, Rand and Logger. Close ends it.
func OpenOperators(ctx context.Context, cfg Config) (*Operators, error) {
	if err := checkBegun(cfg); err != nil {
		return nil, err
	}
	masters, err := credential.LoadMasters(cfg.credentials())
	if err != nil {
		return nil, err
	}
	db, err := openBeside(ctx, cfg)
	if err != nil {
		return nil, err
	}
	o := &Operators{db: db, by: operator.Actor{From: operator.AtMachine(cmp.Or(cfg.Account, unknownAccount))}}
	if o.safe, err = operator.NewSafe(db, db, masters, cfg.Rand); err == nil {
		o.desk, err = operator.New(db, o.safe, operator.Config{Rand: cfg.Rand, Logger: cfg.Logger})
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return o, nil
}

// Close closes the database.
func (o *Operators) Close() error { return o.db.Close() }

// Add records a person and prints the set-up code, once.
func (o *Operators) Add(ctx context.Context, login, name, role string, out io.Writer) error {
	setup, err := o.desk.Add(ctx, login, name, operator.Role(role), o.by)
	if errors.Is(err, central.ErrTaken) {
		return fmt.Errorf("the login %s is in use, or was: choose another, or let the person in again (operator reset)", login)
	}
	if err != nil {
		return err
	}
	return handOver(setup, out)
}

// Reset forgets a person's password and second factor, and prints a new set-up
// code, once.
func (o *Operators) Reset(ctx context.Context, login string, out io.Writer) error {
	setup, err := o.desk.Reset(ctx, login, o.by)
	if err != nil {
		return o.unknown(login, err)
	}
	return handOver(setup, out)
}

func handOver(s operator.Setup, out io.Writer) error {
	_, err := fmt.Fprintf(out, "login        %s\nset-up code  %s\nuntil        %s\n\nHand the code over: it opens /console/set-up on the administration's address once, where the\nperson chooses a password and takes the key of the second factor. It is not shown again.\n",
		s.Login, s.Code.Reveal(), when(s.Ends))
	return err
}

// SetRole gives a person another role.
func (o *Operators) SetRole(ctx context.Context, login, role string, out io.Writer) error {
	if err := o.desk.SetRole(ctx, login, operator.Role(role), o.by); err != nil {
		return o.unknown(login, err)
	}
	_, err := fmt.Fprintf(out, "%s has the role %s; the sessions have ended.\n", login, role)
	return err
}

// Disable puts a person out.
func (o *Operators) Disable(ctx context.Context, login string, out io.Writer) error {
	if err := o.desk.Disable(ctx, login, o.by); err != nil {
		return o.unknown(login, err)
	}
	_, err := fmt.Fprintf(out, "%s is put out; the sessions have ended.\n", login)
	return err
}

// Approve does what an admin asked for and can't do alone: whoever has the machine is
// the second one.
func (o *Operators) Approve(ctx context.Context, login string, out io.Writer) error {
	if err := o.desk.Approve(ctx, login, o.by); errors.Is(err, operator.ErrNotAsked) {
		return fmt.Errorf("nothing of %s waits for approval; operator list shows what does", login)
	} else if err != nil {
		return o.unknown(login, err)
	}
	_, err := fmt.Fprintf(out, "It is approved for %s, and the trail says so.\n", login)
	return err
}

func (o *Operators) unknown(login string, err error) error {
	if errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("nobody has the login %s; operator list has all", login)
	}
	return err
}

// List prints everybody.
func (o *Operators) List(ctx context.Context, out io.Writer) error {
	list, err := o.desk.People(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, "Nobody may use the console; operator add makes the first admin.")
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "LOGIN\tNAME\tROLE\tADDED\tBY\tSTATE")
	for _, p := range list {
		state := "may sign in"
		switch {
		case !p.DisabledAt.IsZero():
			state = "put out " + when(p.DisabledAt)
		case !p.Ready:
			state = "set-up code until " + when(p.SetupEnds)
		}
		if p.Asked != operator.AskNothing {
			state += fmt.Sprintf("; %s asked by %s waits for approval", p.Asked, p.AskedBy)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", p.Login, p.Name, p.Role, when(p.CreatedAt), p.CreatedBy, state)
	}
	return t.Flush()
}
