package office

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"galla/central"
	"galla/central/door"
	"galla/central/duty"
	"galla/central/operator"
	"galla/central/parties"
	"galla/central/store"
	"galla/shared/op"
)

// Clients manages the credentials of parties' programs at the direct door, and the
// terminals that their enrolment codes enrolled, for the command line, on the
// database of a central that may be running: what it changes counts there within a
// second.
type Clients struct {
	clerk
	programs parties.Programs
	db       *store.DB
}

// OpenClients opens the credentials of an existing central. Of cfg it takes
// DatabaseURL, Data, Account, Node, Rand and Logger. Close ends it.
func OpenClients(ctx context.Context, cfg Config) (*Clients, error) {
	if err := checkBegun(cfg); err != nil {
		return nil, err
	}
	db, c, err := openAsClerk(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Clients{clerk: c, programs: parties.NewPrograms(db, door.HashSecret, cfg.Rand), db: db}, nil
}

// Close closes the database.
func (c *Clients) Close() error { return c.db.Close() }

// partyNamed reads a party as commands name it: merchant:ID, vendor:ID or
// aggregator:ID.
func partyNamed(text string) (central.Principal, string, error) {
	role, id, _ := strings.Cut(text, ":")
	switch op.Role(role) {
	case op.Merchant:
		return central.Principal{Role: op.Merchant, Merchant: central.MerchantID(id)}, id, nil
	case op.Vendor:
		return central.Principal{Role: op.Vendor, Vendor: central.VendorID(id)}, id, nil
	case op.Aggregator:
		return central.Principal{Role: op.Aggregator, Aggregator: central.AggregatorID(id)}, id, nil
	}
	return central.Principal{}, "", fmt.Errorf("%q names no party: write merchant:ID, vendor:ID or aggregator:ID", text)
}

// find gives a client, and the id of its party.
func (c *Clients) find(ctx context.Context, id string) (central.Client, string, error) {
	x, err := c.db.Client(ctx, id)
	if errors.Is(err, central.ErrNotFound) {
		return central.Client{}, "", fmt.Errorf("there is no client %s: client list shows a party's", id)
	}
	_, party, _ := strings.Cut(x.Principal.Caller(), ":")
	return x, party, err
}

// List prints a party's clients.
func (c *Clients) List(ctx context.Context, party string, out io.Writer) error {
	p, _, err := partyNamed(party)
	if err != nil {
		return err
	}
	list, err := c.db.ClientsOf(ctx, p, time.Now())
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "CLIENT\tSTATE\tMADE\tSECRET SINCE\tOPEN CODES\tTERMINALS")
	for _, x := range list {
		state := "live"
		if !x.Active {
			state = "suspended"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%d\n", x.ID, state, when(x.CreatedAt), when(x.SecretAt), x.OpenCodes, x.Terminals)
	}
	return t.Flush()
}

// Add makes a credential for a program of a party and prints it, once.
func (c *Clients) Add(ctx context.Context, party string, out io.Writer) error {
	p, subject, err := partyNamed(party)
	if err != nil {
		return err
	}
	var made parties.Credential
	err = c.under(ctx, operator.Change{What: "client.add", Subject: subject, Became: "live"}, func(ctx context.Context) (err error) {
		made, err = c.programs.NewClient(ctx, p)
		return err
	})
	if errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("there is no %s", party)
	}
	if err != nil {
		return err
	}
	return handOverSecret(made, out)
}

func handOverSecret(made parties.Credential, out io.Writer) error {
	_, err := fmt.Fprintf(out, "client_id      %s\nclient_secret  %s\n\nHand the secret over by a way that only the program's people read. It is not shown again: Galla\nkeeps a hash of it.\n", made.ID, made.Secret.Reveal())
	return err
}

// Renew gives a client another secret and prints it, once, with what ended.
func (c *Clients) Renew(ctx context.Context, id string, out io.Writer) error {
	x, party, err := c.find(ctx, id)
	if err != nil {
		return err
	}
	var made parties.Credential
	err = c.under(ctx, operator.Change{What: "client.secret", Subject: party, Note: "client " + id, Became: "another secret"}, func(ctx context.Context) (err error) {
		made, err = c.programs.RenewClient(ctx, x.Principal, id)
		return err
	})
	if err != nil {
		return err
	}
	if err := handOverSecret(made, out); err != nil {
		return err
	}
	return c.ended(ctx, id, made.Voided, out)
}

// SetActive lets a client in, or not, and prints what ended.
func (c *Clients) SetActive(ctx context.Context, id string, active bool, out io.Writer) error {
	x, party, err := c.find(ctx, id)
	if err != nil {
		return err
	}
	words := map[bool]string{true: "active", false: "suspended"}
	voided := 0
	err = c.under(ctx, operator.Change{What: "client.active", Subject: party, Note: "client " + id, Was: words[!active], Became: words[active]}, func(ctx context.Context) (err error) {
		voided, err = c.programs.SetClientActive(ctx, x.Principal, id, active, time.Now())
		return err
	})
	if errors.Is(err, central.ErrState) {
		return fmt.Errorf("%s is %s already", id, words[active])
	}
	if err != nil {
		return err
	}
	if active {
		_, err = fmt.Fprintf(out, "%s gets tokens again; those that it had stay void.\n", id)
		return err
	}
	if _, err := fmt.Fprintf(out, "%s is suspended.\n", id); err != nil {
		return err
	}
	return c.ended(ctx, id, voided, out)
}

// ended prints what ended with a suspension or a secret, and what goes on.
func (c *Clients) ended(ctx context.Context, id string, voided int, out io.Writer) error {
	if _, err := fmt.Fprintf(out, "The tokens that it had open nothing within a second. %d open enrolment codes of its own are void.\n\n", voided); err != nil {
		return err
	}
	return c.Terminals(ctx, id, out)
}

// Terminals prints all terminals that a client's codes enrolled, and how many there
// are. They go on when it is suspended.
func (c *Clients) Terminals(ctx context.Context, id string, out io.Writer) error {
	if _, _, err := c.find(ctx, id); err != nil {
		return err
	}
	f := parties.TerminalFilter{Client: id, Alive: time.Now().Add(-duty.NodeSilence), Limit: maxShown}
	n, err := c.db.TerminalCount(ctx, f)
	if err != nil {
		return err
	}
	if n.All() == 0 {
		_, err := fmt.Fprintf(out, "No terminal was enrolled with a code of %s.\n", id)
		return err
	}
	fmt.Fprintf(out, "Terminals that were enrolled with codes of %s: %d live and %d revoked, the live ones first, the newest\nfirst. The live ones go on: revoke those that the merchant does not know (galla-central terminal revoke).\n", id, n.Live, n.Revoked)
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "TERMINAL\tNAME\tMERCHANT\tENROLLED\tLAST HELLO\tSTATE")
	for {
		list, err := c.db.TerminalsBy(ctx, f)
		if err != nil {
			return err
		}
		for _, x := range list {
			state := "live"
			if !x.RevokedAt.IsZero() {
				state = "revoked " + when(x.RevokedAt)
			}
			fmt.Fprintf(t, "%s\t%s\t%s %s\t%s\t%s\t%s\n", x.ID, x.Name, x.Merchant, x.MerchantName, when(x.CreatedAt), when(x.SeenAt), state)
		}
		if len(list) < f.Limit {
			return t.Flush()
		}
		f = f.Next(list[len(list)-1])
	}
}

// Revoke ends terminals, one after the other.
func (c *Clients) Revoke(ctx context.Context, ids []string, out io.Writer) error {
	for _, id := range ids {
		err := c.under(ctx, operator.Change{What: "terminal.revoke", Subject: id, Became: "revoked"}, func(ctx context.Context) error {
			return c.db.Revoke(ctx, central.TerminalID(id), time.Now())
		})
		if errors.Is(err, central.ErrNotFound) {
			return fmt.Errorf("there is no terminal %s", id)
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "Terminal %s is revoked: its calls are refused from now on.\n", id); err != nil {
			return err
		}
	}
	return nil
}
