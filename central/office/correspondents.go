package office

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/central/customer"
	"galla/central/operator"
	"galla/central/store"
	"galla/shared/op"
)

// Correspondents tells and corrects who registered business correspondents and their
// agents, for the command line, on the database of a central that may be running. A
// registration records it by itself; of those that are older than that record, and
// whose reply was archived before the record began, a person does.
type Correspondents struct {
	clerk
	db *store.DB
}

// OpenCorrespondents opens the record of an existing central. Of cfg it takes
// DatabaseURL, Data, Account, Node, Rand and Logger. Close ends it.
func OpenCorrespondents(ctx context.Context, cfg Config) (*Correspondents, error) {
	db, c, err := openAsClerk(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Correspondents{c, db}, nil
}

// Close closes the database.
func (c *Correspondents) Close() error { return c.db.Close() }

// correspondentID is an id that a call can name (form.Reader.ID).
var correspondentID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// named reads which one a command is about, and how it is called for people.
func named(kind, id string) (customer.Correspondent, string, error) {
	if !correspondentID.MatchString(id) {
		return "", "", fmt.Errorf("%q is no id that the bank gave: letters, digits and . _ -, 64 at most", id)
	}
	switch k := customer.Correspondent(kind); k {
	case customer.BusinessCorrespondent:
		return k, "business correspondent " + id, nil
	case customer.Agent:
		return k, "agent " + id, nil
	}
	return "", "", fmt.Errorf("%q is no kind: write bc or agent", kind)
}

// Show prints who registered one.
func (c *Correspondents) Show(ctx context.Context, kind, id string, out io.Writer) error {
	k, name, err := named(kind, id)
	if err != nil {
		return err
	}
	owner, err := c.db.CorrespondentOwner(ctx, k, id)
	if errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("nobody is known to have registered %s, so that nobody may use it: correspondent assign records it, with the registration", name)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s was registered by %s.\n", name, owner)
	return err
}

// Assign records who registered one of which nobody knows it: the party of the
// registration that is named, by whatever operation show takes.
func (c *Correspondents) Assign(ctx context.Context, kind, id, registration string, out io.Writer) error {
	k, name, err := named(kind, id)
	if err != nil {
		return err
	}
	o, err := c.registration(ctx, k, id, registration)
	if err != nil {
		return err
	}
	party := cmp.Or(o.Party, o.Caller) // operations that are older than their party were called by it
	if role, _, _ := strings.Cut(party, ":"); role != string(op.Vendor) && role != string(op.Aggregator) {
		return fmt.Errorf("the registration %s is of %s, which is neither a vendor nor an aggregator", o.ID, party)
	}
	change := operator.Change{What: "correspondent.assign", Subject: kind + " " + id, Became: party, Note: "by registration " + string(o.ID)}
	err = c.under(ctx, change, func(ctx context.Context) error {
		return c.db.AssignCorrespondent(ctx, k, id, party, time.Now())
	})
	if errors.Is(err, central.ErrState) {
		return fmt.Errorf("somebody is known to have registered %s, and keeps it: correspondent show says who", name)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s is of %s from now on: the registration %s is of %s.\n", name, party, o.ID, central.DayOf(o.SettledAt))
	return err
}

// registration finds the one registration that succeeded among the operations of a
// name. Where its reply still has the id, it must be the given one.
func (c *Correspondents) registration(ctx context.Context, k customer.Correspondent, id, registration string) (central.Operation, error) {
	want := map[customer.Correspondent]central.Kind{customer.BusinessCorrespondent: central.KindBCRegister, customer.Agent: central.KindBCAgentRegister}[k]
	list, err := c.db.Find(ctx, registration, maxShown)
	if err != nil {
		return central.Operation{}, err
	}
	list = slices.DeleteFunc(list, func(o central.Operation) bool { return o.Kind != want || o.State != op.Succeeded })
	if len(list) != 1 {
		return central.Operation{}, fmt.Errorf("%d operations with the name %q are a %s that succeeded, and it must be one: name it by our reference (GL…) or the bank's RRN, which operation show prints", len(list), registration, want)
	}
	var said struct {
		Data struct {
			BC    string `json:"bcId"`
			Agent string `json:"agentId"`
		} `json:"data"`
	}
	if json.Unmarshal(list[0].Reply, &said) == nil {
		got := said.Data.BC
		if k == customer.Agent {
			got = said.Data.Agent
		}
		if got != "" && got != id {
			return central.Operation{}, fmt.Errorf("the registration %s is of %s %s", list[0].ID, k, got)
		}
	}
	return list[0], nil
}

// Forget takes back what Assign recorded wrongly.
func (c *Correspondents) Forget(ctx context.Context, kind, id string, out io.Writer) error {
	k, name, err := named(kind, id)
	if err != nil {
		return err
	}
	owner, err := c.db.CorrespondentOwner(ctx, k, id)
	if err == nil {
		err = c.under(ctx, operator.Change{What: "correspondent.forget", Subject: kind + " " + id, Was: owner}, func(ctx context.Context) error {
			return c.db.ForgetCorrespondent(ctx, k, id)
		})
	}
	if errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("nobody is known to have registered %s", name)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s was of %s. Nobody may use it until correspondent assign says whose it is.\n", name, owner)
	return err
}
