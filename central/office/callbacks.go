package office

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"galla/central"
	"galla/central/callback"
	"galla/central/credential"
	"galla/central/duty"
	"galla/central/operator"
	"galla/central/store"
	"galla/shared/op"
)

// Callbacks manages what merchants are told, for the command line, on the
// database of a central that may be running: what it changes counts there with
// the next attempt.
type Callbacks struct {
	clerk
	db  *store.DB
	cfg Config
}

// OpenCallbacks opens the database of an existing central. Of cfg it takes
// DatabaseURL, Data, VendorMasterKeys, Sandbox, Node, Rand and Logger. Close ends
// it.
func OpenCallbacks(ctx context.Context, cfg Config) (*Callbacks, error) {
	db, c, err := openAsClerk(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Callbacks{clerk: c, db: db, cfg: cfg}, nil
}

// Close closes the database.
func (c *Callbacks) Close() error { return c.db.Close() }

// Set sets where a merchant is told, and prints it; a merchant that has no
// secret gets one, which is printed once. An empty URL ends it.
func (c *Callbacks) Set(ctx context.Context, merchant, url string, out io.Writer) error {
	m := central.MerchantID(merchant)
	if url == "" {
		if err := c.setEndpoint(ctx, m, "", nil, "none"); err != nil {
			return err
		}
		_, err := fmt.Fprintf(out, "Merchant %s is told nothing any more.\n", m)
		return err
	}
	if err := callback.CheckURL(url, c.cfg.Sandbox); err != nil {
		return err
	}
	if err := c.setEndpoint(ctx, m, url, []string{duty.EventSettled}, callback.Place(url)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "Merchant %s is told of %s.\n", m, duty.EventSettled); err != nil {
		return err
	}
	e, err := c.db.Endpoint(ctx, m)
	if err != nil || len(e.Secrets) > 0 {
		return err
	}
	return c.MintSecret(ctx, merchant, out)
}

// setEndpoint sets it under the trail, which has scheme and host.
func (c *Callbacks) setEndpoint(ctx context.Context, m central.MerchantID, url string, events []string, became string) error {
	return c.under(ctx, operator.Change{What: "callback.endpoint", Subject: string(m), Became: became}, func(ctx context.Context) error {
		return c.db.SetEndpoint(ctx, m, url, events, time.Now())
	})
}

// MintSecret makes a secret for a merchant and prints it, once.
func (c *Callbacks) MintSecret(ctx context.Context, merchant string, out io.Writer) error {
	all, err := credential.LoadMasters(c.cfg.credentials())
	if err != nil {
		return err
	}
	safe, err := callback.NewSafe(c.db, all, c.cfg.Rand)
	if err != nil {
		return err
	}
	var minted callback.Minted
	if err := c.under(ctx, operator.Change{What: "callback.secret.mint", Subject: merchant}, func(ctx context.Context) (err error) {
		minted, err = safe.Mint(ctx, central.MerchantID(merchant))
		return err
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "id      %s\nsecret  %s\n\nThe secret is not shown again: Galla keeps it sealed. Every callback is signed with it from\nnow on, and with the merchant's other secret, if there is one.\n", minted.ID, minted.Secret.Reveal())
	return err
}

// Secrets lists a merchant's secrets. Nothing secret is shown.
func (c *Callbacks) Secrets(ctx context.Context, merchant string, out io.Writer) error {
	list, err := c.db.SecretsOf(ctx, central.MerchantID(merchant))
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tCREATED\tSTATE")
	for _, x := range list {
		state := "live"
		if !x.RevokedAt.IsZero() {
			state = "revoked " + when(x.RevokedAt)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", x.ID, when(x.CreatedAt), state)
	}
	return t.Flush()
}

// RevokeSecret ends a secret.
func (c *Callbacks) RevokeSecret(ctx context.Context, id string, out io.Writer) error {
	if err := c.under(ctx, operator.Change{What: "callback.secret.revoke", Note: "secret " + id, Became: "revoked"}, func(ctx context.Context) error {
		return c.db.RevokeSecret(ctx, duty.SecretID(id), time.Now())
	}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "Secret %s is revoked.\n", id)
	return err
}

// List prints the newest callbacks: a merchant's, or everybody's where it is
// empty; in one state, or in all. It begins with the merchant's endpoint.
func (c *Callbacks) List(ctx context.Context, merchant, state string, out io.Writer) error {
	states := []duty.CallbackState{"", duty.CallbackWaiting, duty.CallbackDelivered, duty.CallbackGivenUp}
	if !slices.Contains(states, duty.CallbackState(state)) {
		return fmt.Errorf("state %q: want waiting, delivered or given-up", state)
	}
	if merchant != "" {
		if err := c.showEndpoint(ctx, central.MerchantID(merchant), out); err != nil {
			return err
		}
	}
	list, err := c.db.CallbacksOf(ctx, duty.CallbackFilter{Merchant: central.MerchantID(merchant), State: duty.CallbackState(state), Limit: maxShown})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, "There is no such callback.")
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "OPERATION\tMERCHANT\tSTATE\tSETTLED\tATTEMPTS\tLAST\tNEXT")
	for _, x := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", x.Operation, x.Merchant, x.State, when(x.CreatedAt), x.Attempts, orNone(x.Said), next(x))
	}
	return t.Flush()
}

// showEndpoint prints where a merchant is told. Of the URL only scheme and host
// are shown: merchants put tokens into the rest.
func (c *Callbacks) showEndpoint(ctx context.Context, m central.MerchantID, out io.Writer) error {
	e, err := c.db.Endpoint(ctx, m)
	if err != nil {
		return err
	}
	if e.URL == "" {
		_, err := fmt.Fprintf(out, "Merchant %s has no endpoint.\n\n", m)
		return err
	}
	use := "in use"
	if !e.DisabledAt.IsZero() {
		use = "disabled since " + when(e.DisabledAt) + ": its receiver answered 410 Gone; set it again to use it"
	}
	_, err = fmt.Fprintf(out, "Merchant %s is told at %s of %s, live secrets: %d; %s.\n\n", m, callback.Place(e.URL), strings.Join(e.Events, ", "), len(e.Secrets), use)
	return err
}

func orNone(text string) string {
	if text == "" {
		return "—"
	}
	return text
}

func next(x duty.Callback) string {
	switch {
	case x.State != duty.CallbackWaiting:
		return "—"
	case x.Node != "":
		return "now, by " + x.Node
	default:
		return when(x.DueAt)
	}
}

// Show prints an operation's callback with all its attempts. The operation is
// named as for Evidence.Show.
func (c *Callbacks) Show(ctx context.Context, name string, out io.Writer) error {
	id, err := c.find(ctx, name)
	if err != nil {
		return err
	}
	x, attempts, err := c.db.Callback(ctx, id)
	if errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("operation %s has no callback: it was never pending, has not ended, or its merchant had no endpoint then (galla-central callback replay sends one all the same)", id)
	}
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(t, "%s\t%s\n", name, value)
		}
	}
	line("webhook-id", callback.MessageID(x.Operation))
	line("operation", string(x.Operation))
	line("merchant", string(x.Merchant))
	line("event", x.Event)
	line("state", string(x.State))
	line("settled", when(x.CreatedAt))
	line("tried since", when(x.Since))
	line("attempts", fmt.Sprint(x.Attempts))
	line("last", x.Said)
	line("next", next(x))
	line("ended", when(x.EndedAt))
	fmt.Fprintln(t, "attempts")
	for _, a := range attempts {
		fmt.Fprintf(t, "  %d\t%s\t%s\t%s\t%s\n", a.Number, when(a.At), a.Node, a.Verdict, a.Said)
	}
	if missing := x.Attempts - len(attempts); missing > 0 {
		fmt.Fprintf(t, "  %d more\twere begun, and their node ended before it noted what came of them, or is at it\n", missing)
	}
	return t.Flush()
}

// find gives the one operation that has a name.
func (c *Callbacks) find(ctx context.Context, name string) (op.ID, error) {
	found, err := c.db.Find(ctx, name, 2)
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", fmt.Errorf("no operation has the id, reference, RRN or caller's reference %q", name)
	case len(found) > 1:
		return "", fmt.Errorf("several operations have the name %q: give the id (galla-central operation show lists them)", name)
	}
	return found[0].ID, nil
}

// Replay makes one operation's callback due now.
func (c *Callbacks) Replay(ctx context.Context, name string, out io.Writer) error {
	id, err := c.find(ctx, name)
	if err != nil {
		return err
	}
	if err := c.under(ctx, operator.Change{What: "callback.replay", Subject: string(id)}, func(ctx context.Context) error {
		return c.db.Replay(ctx, id, time.Now())
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "The callback of operation %s is sent now.\n", id)
	return err
}

// ReplaySince makes all of a merchant's callbacks due whose operations settled at
// or after a moment.
func (c *Callbacks) ReplaySince(ctx context.Context, merchant string, since time.Time, out io.Writer) error {
	var n int
	if err := c.under(ctx, operator.Change{What: "callback.replay", Subject: merchant, Note: "all since " + when(since)}, func(ctx context.Context) (err error) {
		n, err = c.db.ReplaySince(ctx, central.MerchantID(merchant), since, time.Now())
		return err
	}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d callbacks of merchant %s are sent now.\n", n, merchant)
	return err
}

// Rewrap seals every live vendor key, every live callback secret, the operators'
// second factors and the documents anew under the first master key, and tells how
// many there are.
func (v *VendorKeys) Rewrap(ctx context.Context) (n int, err error) {
	err = v.under(ctx, operator.Change{What: "keys.rewrap"}, func(ctx context.Context) error {
		keys, err := v.Safe.Rewrap(ctx)
		secrets, secretsErr := v.secrets.Rewrap(ctx)
		people, peopleErr := v.people.Rewrap(ctx)
		n = keys + secrets + people
		return errors.Join(err, secretsErr, peopleErr)
	})
	return n, err
}
