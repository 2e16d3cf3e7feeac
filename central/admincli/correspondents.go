package admincli

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
	"galla/central/accounts"
	"galla/central/staff"
	"galla/central/store"
	"galla/shared/ist"
	"galla/shared/op"
)

// Correspondents shows and corrects which party registered a business correspondent or
// an agent. A registration records it; for registrations from before that record,
// whose reply is in the archive, a person does.
type Correspondents struct {
	audited
	db *store.DB
}

// OpenCorrespondents opens the database of an existing central. Close ends it.
func OpenCorrespondents(ctx context.Context, cfg Config) (*Correspondents, error) {
	db, c, err := openAudited(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Correspondents{c, db}, nil
}

func (c *Correspondents) Close() error { return c.db.Close() }

// correspondentID is an id that a request can name (api/field).
var correspondentID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// parseCorrespondent reads which one a command is about, and describes it.
func parseCorrespondent(kind, id string) (accounts.CorrespondentKind, string, error) {
	if !correspondentID.MatchString(id) {
		return "", "", fmt.Errorf("%q is not an id of the bank: letters, digits and . _ -, 64 at most", id)
	}
	switch k := accounts.CorrespondentKind(kind); k {
	case accounts.BusinessCorrespondent:
		return k, "business correspondent " + id, nil
	case accounts.CorrespondentAgent:
		return k, "agent " + id, nil
	}
	return "", "", fmt.Errorf("%q is not a kind: write bc or agent", kind)
}

// Show prints who registered one.
func (c *Correspondents) Show(ctx context.Context, kind, id string, out io.Writer) error {
	k, name, err := parseCorrespondent(kind, id)
	if err != nil {
		return err
	}
	owner, err := c.db.CorrespondentOwner(ctx, k, id)
	if errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("it is not known who registered %s, so nobody may use it: correspondent assign records it, with the registration", name)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s was registered by %s.\n", name, owner)
	return err
}

// Assign records the party of a registration as the one that registered a
// correspondent of which it is unknown. The registration is named by any name that
// Operations.Show takes.
func (c *Correspondents) Assign(ctx context.Context, kind, id, registration string, out io.Writer) error {
	k, name, err := parseCorrespondent(kind, id)
	if err != nil {
		return err
	}
	o, err := c.registration(ctx, k, id, registration)
	if err != nil {
		return err
	}
	party := cmp.Or(o.Party, o.Caller) // where no party is recorded, the caller is the party
	if role, _, _ := strings.Cut(party, ":"); role != string(op.Vendor) && role != string(op.Aggregator) {
		return fmt.Errorf("the registration %s is of %s, which is neither a vendor nor an aggregator", o.ID, party)
	}
	change := staff.Change{What: "correspondent.assign", Subject: kind + " " + id, Became: party, Note: "by registration " + string(o.ID)}
	err = c.run(ctx, change, func(ctx context.Context) error {
		return c.db.AssignCorrespondent(ctx, k, id, party, time.Now())
	})
	if errors.Is(err, central.ErrState) {
		return fmt.Errorf("%s has a known party already: correspondent show prints it", name)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s belongs to %s from now on: the registration %s is of %s.\n", name, party, o.ID, ist.DayOf(o.FinishedAt))
	return err
}

// registration finds the one successful registration with a name. Where its reply
// still has the id, it must be the given one.
func (c *Correspondents) registration(ctx context.Context, k accounts.CorrespondentKind, id, registration string) (central.Operation, error) {
	want := map[accounts.CorrespondentKind]central.Kind{accounts.BusinessCorrespondent: central.KindBCRegister, accounts.CorrespondentAgent: central.KindBCAgentRegister}[k]
	list, err := c.db.FindByAnyName(ctx, registration, maxShown)
	if err != nil {
		return central.Operation{}, err
	}
	list = slices.DeleteFunc(list, func(o central.Operation) bool { return o.Kind != want || o.State != op.Succeeded })
	if len(list) != 1 {
		return central.Operation{}, fmt.Errorf("%d operations with the name %q are a %s that succeeded, and it must be one: use our reference (GL…) or the bank's RRN, which operation show prints", len(list), registration, want)
	}
	var reply struct {
		Data struct {
			BC    string `json:"bcId"`
			Agent string `json:"agentId"`
		} `json:"data"`
	}
	if json.Unmarshal(list[0].Reply, &reply) == nil {
		got := reply.Data.BC
		if k == accounts.CorrespondentAgent {
			got = reply.Data.Agent
		}
		if got != "" && got != id {
			return central.Operation{}, fmt.Errorf("the registration %s is of %s %s", list[0].ID, k, got)
		}
	}
	return list[0], nil
}

// Forget removes what Assign recorded.
func (c *Correspondents) Forget(ctx context.Context, kind, id string, out io.Writer) error {
	k, name, err := parseCorrespondent(kind, id)
	if err != nil {
		return err
	}
	owner, err := c.db.CorrespondentOwner(ctx, k, id)
	if err == nil {
		err = c.run(ctx, staff.Change{What: "correspondent.forget", Subject: kind + " " + id, Was: owner}, func(ctx context.Context) error {
			return c.db.ForgetCorrespondent(ctx, k, id)
		})
	}
	if errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("it is not known who registered %s", name)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s belonged to %s. Nobody may use it until correspondent assign records a party.\n", name, owner)
	return err
}
