package admincli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"galla/central"
	"galla/central/keys"
	"galla/central/staff"
	"galla/central/store"
)

// Staff manages the console's staff. The first admin can be made in no other way.
type Staff struct {
	db      *store.DB
	service *staff.Service
	vault   *staff.Vault
	actor   staff.Actor
}

// OpenStaff opens the database of an existing central. Close ends it.
func OpenStaff(ctx context.Context, cfg Config) (*Staff, error) {
	return openPeople(ctx, cfg, staff.Realm{})
}

// OpenPeople opens the database of an existing central, for the people of a vendor. Close
// ends it.
func OpenPeople(ctx context.Context, cfg Config, vendor string) (*Staff, error) {
	o, err := openPeople(ctx, cfg, staff.Portal())
	if err != nil {
		return nil, err
	}
	if _, err := o.db.Vendor(ctx, central.VendorID(vendor)); err != nil {
		return nil, errors.Join(fmt.Errorf("vendor %s: %w", vendor, err), o.db.Close())
	}
	o.service = o.service.Within(central.VendorID(vendor))
	return o, nil
}

func openPeople(ctx context.Context, cfg Config, realm staff.Realm) (*Staff, error) {
	if err := checkExists(cfg); err != nil {
		return nil, err
	}
	masters, err := keys.LoadMasters(cfg.keyConfig())
	if err != nil {
		return nil, err
	}
	db, err := openDatabase(ctx, cfg)
	if err != nil {
		return nil, err
	}
	o := &Staff{db: db, actor: staff.Actor{From: staff.CommandLineOrigin(cmp.Or(cfg.Account, unknownAccount))}}
	if o.vault, err = staff.NewVault(db, db, masters, cfg.Rand); err == nil {
		o.service, err = staff.New(db.ForStaff(), o.vault, staff.Config{Realm: realm, Rand: cfg.Rand, Logger: cfg.Logger})
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return o, nil
}

func (o *Staff) Close() error { return o.db.Close() }

// Add records a member and prints the set-up code, once.
func (o *Staff) Add(ctx context.Context, login, name, role string, out io.Writer) error {
	setup, err := o.service.Add(ctx, login, name, staff.Role(role), o.actor)
	if errors.Is(err, central.ErrTaken) {
		return fmt.Errorf("the login %s is in use, or was: choose another, or enable the account again (staff reset)", login)
	}
	if err != nil {
		return err
	}
	return printSetup(setup, o.service.Realm(), out)
}

// Reset removes a member's password and second factor, and prints a new set-up code,
// once.
func (o *Staff) Reset(ctx context.Context, login string, out io.Writer) error {
	setup, err := o.service.Reset(ctx, login, o.actor)
	if err != nil {
		return o.notFound(login, err)
	}
	return printSetup(setup, o.service.Realm(), out)
}

func printSetup(s staff.Setup, realm staff.Realm, out io.Writer) error {
	opens := "/console/set-up on the admin address"
	if realm != (staff.Realm{}) {
		opens = "/portal/set-up on the direct address"
	}
	_, err := fmt.Fprintf(out, "login        %s\nset-up code  %s\nuntil        %s\n\nSend the code to the person: it opens %s once, where the\nperson chooses a password and registers the second factor. It is not shown again.\n",
		s.Login, s.Code.Reveal(), formatTime(s.Ends), opens)
	return err
}

// SetRole changes a member's role.
func (o *Staff) SetRole(ctx context.Context, login, role string, out io.Writer) error {
	if err := o.service.SetRole(ctx, login, staff.Role(role), o.actor); err != nil {
		return o.notFound(login, err)
	}
	_, err := fmt.Fprintf(out, "%s has the role %s; the sessions have ended.\n", login, role)
	return err
}

// Disable disables a member's account.
func (o *Staff) Disable(ctx context.Context, login string, out io.Writer) error {
	if err := o.service.Disable(ctx, login, o.actor); err != nil {
		return o.notFound(login, err)
	}
	_, err := fmt.Fprintf(out, "%s is disabled; the sessions have ended.\n", login)
	return err
}

// Approve does what an admin requested and can't do alone.
func (o *Staff) Approve(ctx context.Context, login string, out io.Writer) error {
	if err := o.service.Approve(ctx, login, o.actor); errors.Is(err, staff.ErrNothingToApprove) {
		return fmt.Errorf("nothing of %s waits for approval; staff list shows what does", login)
	} else if err != nil {
		return o.notFound(login, err)
	}
	_, err := fmt.Fprintf(out, "It is approved for %s, and recorded in the audit log.\n", login)
	return err
}

func (o *Staff) notFound(login string, err error) error {
	if errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("nobody has the login %s; staff list prints all", login)
	}
	return err
}

// List prints all members.
func (o *Staff) List(ctx context.Context, out io.Writer) error {
	list, err := o.service.Members(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		text := "Nobody may use the console; staff add makes the first admin."
		if o.service.Realm() != (staff.Realm{}) {
			text = "Nobody may use the portal for this vendor; vendor person add makes the first owner."
		}
		_, err := fmt.Fprintln(out, text)
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "LOGIN\tNAME\tROLE\tADDED\tBY\tSTATE")
	for _, p := range list {
		state := "may sign in"
		switch {
		case !p.DisabledAt.IsZero():
			state = "disabled " + formatTime(p.DisabledAt)
		case !p.Ready:
			state = "set-up code until " + formatTime(p.SetupEnds)
		}
		if p.Approval != staff.ApprovalNone {
			state += fmt.Sprintf("; %s requested by %s waits for approval", p.Approval, p.RequestedBy)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", p.Login, p.Name, p.RoleName(), formatTime(p.CreatedAt), p.CreatedBy, state)
	}
	return t.Flush()
}
