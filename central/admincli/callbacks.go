package admincli

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
	"galla/central/keys"
	"galla/central/staff"
	"galla/central/store"
	"galla/central/webhook"
	"galla/shared/op"
)

// Callbacks manages merchants' callbacks. Running centrals use a change with the next
// attempt.
type Callbacks struct {
	changes *webhook.Audited
	actor   staff.Actor
	db      *store.DB
	keysErr error // why there are no master keys; only MintSecret needs them
}

// OpenCallbacks opens the database of an existing central. Close ends it.
func OpenCallbacks(ctx context.Context, cfg Config) (*Callbacks, error) {
	db, c, err := openAudited(ctx, cfg)
	if err != nil {
		return nil, err
	}
	var vault *webhook.Vault
	masters, keysErr := keys.LoadMasters(cfg.keyConfig())
	if keysErr == nil {
		vault, keysErr = webhook.NewVault(db, masters, cfg.Rand)
	}
	return &Callbacks{webhook.NewAudited(db, vault, c.AuditLog, cfg.Sandbox), c.actor, db, keysErr}, nil
}

func (c *Callbacks) Close() error { return c.db.Close() }

// Set sets a merchant's endpoint and prints it; a merchant without a secret gets one,
// which is printed once. An empty URL ends the callbacks.
func (c *Callbacks) Set(ctx context.Context, merchant, url string, out io.Writer) error {
	m := central.MerchantID(merchant)
	if err := c.changes.SetEndpoint(ctx, c.actor, webhook.OfMerchant(m), url); err != nil {
		return err
	}
	if url == "" {
		_, err := fmt.Fprintf(out, "Merchant %s gets no callbacks any more.\n", m)
		return err
	}
	if _, err := fmt.Fprintf(out, "Merchant %s gets callbacks of %s.\n", m, strings.Join(webhook.Events(), ", ")); err != nil {
		return err
	}
	e, err := c.db.Endpoint(ctx, webhook.OfMerchant(m), time.Now())
	if err != nil || len(e.Secrets) > 0 {
		return err
	}
	return c.MintSecret(ctx, merchant, out)
}

// MintSecret makes a secret for a merchant and prints it, once.
func (c *Callbacks) MintSecret(ctx context.Context, merchant string, out io.Writer) error {
	if c.keysErr != nil {
		return c.keysErr
	}
	minted, err := c.changes.MintSecret(ctx, c.actor, webhook.OfMerchant(central.MerchantID(merchant)), time.Time{})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "id      %s\nsecret  %s\n\nThe secret is not shown again: Galla stores it sealed. Every callback is signed with it from\nnow on, and with the merchant's other secret, if there is one.\n", minted.ID, minted.Secret.Reveal())
	return err
}

// Secrets lists a merchant's secrets, without their values.
func (c *Callbacks) Secrets(ctx context.Context, merchant string, out io.Writer) error {
	list, err := c.db.ListSecrets(ctx, webhook.OfMerchant(central.MerchantID(merchant)))
	if err != nil {
		return err
	}
	t, now := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0), time.Now()
	fmt.Fprintln(t, "ID\tCREATED\tSTATE")
	for _, x := range list {
		state := "live"
		switch {
		case !x.RevokedAt.IsZero():
			state = "revoked " + formatTime(x.RevokedAt)
		case !x.EndsAt.IsZero() && x.Live(now):
			state = "live, ends " + formatTime(x.EndsAt)
		case !x.EndsAt.IsZero():
			state = "ended " + formatTime(x.EndsAt)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", x.ID, formatTime(x.CreatedAt), state)
	}
	return t.Flush()
}

// RevokeSecret revokes a secret.
func (c *Callbacks) RevokeSecret(ctx context.Context, id string, out io.Writer) error {
	if err := c.changes.RevokeSecret(ctx, c.actor, webhook.SecretID(id)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "Secret %s is revoked.\n", id)
	return err
}

// List prints the newest callbacks, of one merchant or of all, in one state or in all,
// after the merchant's endpoint.
func (c *Callbacks) List(ctx context.Context, merchant, state string, out io.Writer) error {
	states := []webhook.State{"", webhook.StateWaiting, webhook.StateDelivered, webhook.StateGivenUp}
	if !slices.Contains(states, webhook.State(state)) {
		return fmt.Errorf("state %q: want waiting, delivered or given-up", state)
	}
	if merchant != "" {
		if err := c.showEndpoint(ctx, central.MerchantID(merchant), out); err != nil {
			return err
		}
	}
	list, err := c.db.ListCallbacks(ctx, webhook.Filter{Merchant: central.MerchantID(merchant), State: webhook.State(state), Limit: maxShown})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, "There is no such callback.")
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "OPERATION\tMERCHANT\tSTATE\tFINISHED\tATTEMPTS\tLAST\tNEXT")
	for _, x := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", x.Operation, x.Merchant, x.State, formatTime(x.CreatedAt), x.Attempts, orDash(x.Detail), nextAttemptText(x))
	}
	return t.Flush()
}

// showEndpoint prints a merchant's endpoint: scheme and host, since merchants put
// tokens into the rest of the URL.
func (c *Callbacks) showEndpoint(ctx context.Context, m central.MerchantID, out io.Writer) error {
	e, err := c.db.Endpoint(ctx, webhook.OfMerchant(m), time.Now())
	if err != nil {
		return err
	}
	if e.URL == "" {
		_, err := fmt.Fprintf(out, "Merchant %s has no endpoint.\n\n", m)
		return err
	}
	use := "in use"
	if !e.DisabledAt.IsZero() {
		use = "disabled since " + formatTime(e.DisabledAt) + ": its receiver answered 410 Gone; set it again to use it"
	}
	_, err = fmt.Fprintf(out, "Merchant %s gets callbacks at %s of %s, live secrets: %d; %s.\n\n", m, webhook.RedactURL(e.URL), strings.Join(e.Events, ", "), len(e.Secrets), use)
	return err
}

func orDash(text string) string {
	if text == "" {
		return "—"
	}
	return text
}

func nextAttemptText(x webhook.Callback) string {
	switch {
	case x.State != webhook.StateWaiting:
		return "—"
	case x.Node != "":
		return "now, by " + x.Node
	default:
		return formatTime(x.DueAt)
	}
}

// Show prints an operation's callback with its attempts. The name is one that
// Operations.Show takes.
func (c *Callbacks) Show(ctx context.Context, name string, out io.Writer) error {
	id, err := c.find(ctx, name)
	if err != nil {
		return err
	}
	x, attempts, err := c.db.Callback(ctx, id)
	if errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("operation %s has no callback: it was never pending, is not finished, or its merchant had no endpoint at that time (galla-central callback replay sends one all the same)", id)
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
	line("webhook-id", webhook.MessageID(x.Operation))
	line("operation", string(x.Operation))
	line("merchant", string(x.Merchant))
	line("event", x.Event)
	line("state", string(x.State))
	line("finished", formatTime(x.CreatedAt))
	line("tried since", formatTime(x.Since))
	line("attempts", fmt.Sprint(x.Attempts))
	line("last", x.Detail)
	line("next", nextAttemptText(x))
	line("ended", formatTime(x.EndedAt))
	fmt.Fprintln(t, "attempts")
	for _, a := range attempts {
		fmt.Fprintf(t, "  %d\t%s\t%s\t%s\t%s\n", a.Number, formatTime(a.At), a.Node, a.Result, a.Detail)
	}
	if missing := x.Attempts - len(attempts); missing > 0 {
		fmt.Fprintf(t, "  %d more\twere started; their node stopped before it recorded a result, or is still at work\n", missing)
	}
	return t.Flush()
}

// find returns the one operation that has a name.
func (c *Callbacks) find(ctx context.Context, name string) (op.ID, error) {
	found, err := c.db.FindByAnyName(ctx, name, 2)
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", fmt.Errorf("no operation has the id, reference, RRN or caller's reference %q", name)
	case len(found) > 1:
		return "", fmt.Errorf("several operations have the name %q: use the id (galla-central operation show lists them)", name)
	}
	return found[0].ID, nil
}

// Replay makes one operation's callback due now.
func (c *Callbacks) Replay(ctx context.Context, name string, out io.Writer) error {
	id, err := c.find(ctx, name)
	if err != nil {
		return err
	}
	if err := c.changes.ReplayCallback(ctx, c.actor, id); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "The callback of operation %s is sent now.\n", id)
	return err
}

// ReplaySince makes all callbacks of a merchant due whose operations finished at or
// after a time.
func (c *Callbacks) ReplaySince(ctx context.Context, merchant string, since time.Time, out io.Writer) error {
	n, err := c.changes.ReplayCallbacksSince(ctx, c.actor, central.MerchantID(merchant), since)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d callbacks of merchant %s are sent now.\n", n, merchant)
	return err
}
