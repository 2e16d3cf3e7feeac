package admincli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/httpapi"
	"galla/central/staff"
	"galla/central/store"
	"galla/shared/op"
)

// Clients manages the credentials with which parties' programs get tokens, and the
// terminals that their enrolment codes enrolled. Running centrals use a change within
// a second.
type Clients struct {
	changes *accounts.Audited
	actor   staff.Actor
	db      *store.DB
	json    bool // print JSON in place of text for people
}

// OpenClients opens the database of an existing central. Close ends it.
func OpenClients(ctx context.Context, cfg Config) (*Clients, error) {
	db, c, err := openAudited(ctx, cfg)
	if err != nil {
		return nil, err
	}
	registry := central.NewTerminalRegistry(db, central.NewNotifier(), cfg.Rand)
	return &Clients{accounts.NewAudited(accounts.NewClientIssuer(db, httpapi.HashSecret, cfg.Rand), db, registry, c.AuditLog), c.actor, db, cfg.JSON}, nil
}

func (c *Clients) Close() error { return c.db.Close() }

// parseParty reads a party as commands name it: merchant:ID, vendor:ID or
// aggregator:ID.
func parseParty(text string) (central.Principal, error) {
	role, id, _ := strings.Cut(text, ":")
	switch op.Role(role) {
	case op.Merchant:
		return central.Principal{Role: op.Merchant, Merchant: central.MerchantID(id)}, nil
	case op.Vendor:
		return central.Principal{Role: op.Vendor, Vendor: central.VendorID(id)}, nil
	case op.Aggregator:
		return central.Principal{Role: op.Aggregator, Aggregator: central.AggregatorID(id)}, nil
	}
	return central.Principal{}, fmt.Errorf("%q names no party: write merchant:ID, vendor:ID or aggregator:ID", text)
}

// find returns a client.
func (c *Clients) find(ctx context.Context, id string) (central.Client, error) {
	x, err := c.db.Client(ctx, id)
	if errors.Is(err, central.ErrNotFound) {
		err = fmt.Errorf("there is no client %s: client list shows a party's", id)
	}
	return x, err
}

// List prints a party's clients.
func (c *Clients) List(ctx context.Context, party string, out io.Writer) error {
	p, err := parseParty(party)
	if err != nil {
		return err
	}
	list, err := c.db.ClientsOf(ctx, p, time.Now())
	if err != nil {
		return err
	}
	if c.json {
		return PrintJSON(out, clientRecords(list))
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "CLIENT\tSTATE\tMADE\tSECRET SINCE\tOPEN CODES\tTERMINALS")
	for _, x := range list {
		state := "live"
		if !x.Active {
			state = "suspended"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%d\n", x.ID, state, formatTime(x.CreatedAt), formatTime(x.SecretAt), x.OpenCodes, x.Terminals)
	}
	return t.Flush()
}

// clientRecord is a client as --json prints it.
type clientRecord struct {
	ID        string `json:"client_id"`
	State     string `json:"state"` // active or suspended
	OpenCodes int    `json:"open_codes"`
	Terminals int    `json:"terminals"`
}

func clientRecords(list []accounts.Client) []clientRecord {
	out := make([]clientRecord, len(list))
	for i, x := range list {
		out[i] = clientRecord{x.ID, accounts.ActiveText(x.Active), x.OpenCodes, x.Terminals}
	}
	return out
}

// Add makes a credential for a program of a party and prints it, once.
func (c *Clients) Add(ctx context.Context, party string, out io.Writer) error {
	p, err := parseParty(party)
	if err != nil {
		return err
	}
	made, err := c.changes.NewClient(ctx, c.actor, p)
	if errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("there is no %s", party)
	}
	if err != nil {
		return err
	}
	return c.printSecret(made, out)
}

func (c *Clients) printSecret(made accounts.Credential, out io.Writer) error {
	if c.json {
		return PrintJSON(out, struct {
			ID     string `json:"client_id"`
			Secret string `json:"client_secret"`
		}{made.ID, made.Secret.Reveal()})
	}
	_, err := fmt.Fprintf(out, "client_id      %s\nclient_secret  %s\n\nSend the secret over a channel that only the program's operators read. It is not shown again:\nGalla stores a hash of it.\n", made.ID, made.Secret.Reveal())
	return err
}

// Renew gives a client another secret and prints it, once, with what became void.
func (c *Clients) Renew(ctx context.Context, id string, out io.Writer) error {
	x, err := c.find(ctx, id)
	if err != nil {
		return err
	}
	made, err := c.changes.RenewClient(ctx, c.actor, x.Principal, id)
	if err != nil {
		return err
	}
	if err := c.printSecret(made, out); err != nil || c.json {
		return err
	}
	return c.printVoided(ctx, id, made.Voided, out)
}

// SetActive enables or suspends a client, and prints what became void.
func (c *Clients) SetActive(ctx context.Context, id string, active bool, out io.Writer) error {
	x, err := c.find(ctx, id)
	if err != nil {
		return err
	}
	voided, err := c.changes.SetClientActive(ctx, c.actor, x.Principal, id, active)
	if errors.Is(err, central.ErrState) {
		return fmt.Errorf("%s is %s already", id, accounts.ActiveText(active))
	}
	if err != nil {
		return err
	}
	if active {
		_, err = fmt.Fprintf(out, "%s gets tokens again; its earlier tokens stay invalid.\n", id)
		return err
	}
	if _, err := fmt.Fprintf(out, "%s is suspended.\n", id); err != nil {
		return err
	}
	return c.printVoided(ctx, id, voided, out)
}

// printVoided prints what a suspension or another secret made void, and what goes on.
func (c *Clients) printVoided(ctx context.Context, id string, voided int, out io.Writer) error {
	if _, err := fmt.Fprintf(out, "Its tokens are invalid within a second. %d open enrolment codes of its own are void.\n\n", voided); err != nil {
		return err
	}
	return c.Terminals(ctx, id, out)
}

// Terminals prints all terminals that a client's codes enrolled. They go on when it is
// suspended.
func (c *Clients) Terminals(ctx context.Context, id string, out io.Writer) error {
	if _, err := c.find(ctx, id); err != nil {
		return err
	}
	f := accounts.TerminalFilter{Client: id, AliveSince: time.Now().Add(-accounts.NodeTimeout), Limit: maxShown}
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
	fmt.Fprintln(t, "TERMINAL\tNAME\tMERCHANT\tENROLLED\tLAST CONNECTION\tSTATE")
	for {
		list, err := c.db.TerminalsBy(ctx, f)
		if err != nil {
			return err
		}
		for _, x := range list {
			state := "live"
			if !x.RevokedAt.IsZero() {
				state = "revoked " + formatTime(x.RevokedAt)
			}
			fmt.Fprintf(t, "%s\t%s\t%s %s\t%s\t%s\t%s\n", x.ID, x.Name, x.Merchant, x.MerchantName, formatTime(x.CreatedAt), formatTime(x.SeenAt), state)
		}
		if len(list) < f.Limit {
			return t.Flush()
		}
		f = f.Next(list[len(list)-1])
	}
}

// Revoke revokes terminals, one after the other.
func (c *Clients) Revoke(ctx context.Context, ids []string, out io.Writer) error {
	for _, id := range ids {
		err := c.changes.RevokeTerminal(ctx, c.actor, central.TerminalID(id))
		if errors.Is(err, central.ErrNotFound) {
			return fmt.Errorf("there is no terminal %s", id)
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "Terminal %s is revoked: its requests are refused from now on.\n", id); err != nil {
			return err
		}
	}
	return nil
}
