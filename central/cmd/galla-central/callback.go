package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"galla/central/office"
	"galla/central/server"
)

type callbackCommand struct {
	Set struct {
		Merchant string `arg:"" help:"The merchant's id."`
		URL      string `arg:"" help:"Where it is told: https://…"`
		Sandbox  bool   `env:"GALLA_SANDBOX" help:"Allow http, and addresses of this machine, as a sandbox's central does."`
	} `cmd:"" help:"Set where a merchant is told of operations that were pending and have ended. Its first secret is printed, once. An endpoint that was disabled is in use again."`
	Unset struct {
		Merchant string `arg:"" help:"The merchant's id."`
	} `cmd:"" help:"Tell a merchant nothing any more; what it waits for is given up."`
	List struct {
		Merchant string `arg:"" optional:"" help:"The merchant's id; by default everybody's callbacks are listed."`
		State    string `help:"Only those that are waiting, delivered or given-up."`
	} `cmd:"" help:"List the newest callbacks."`
	Show struct {
		Name string `arg:"" help:"The operation's id, a reference of ours, the bank's RRN, or the caller's own reference."`
	} `cmd:"" help:"Print an operation's callback with all its attempts."`
	Replay struct {
		Name     string `arg:"" optional:"" help:"The operation, named as for show."`
		Merchant string `help:"A merchant's id: all its callbacks since a moment are sent again."`
		Since    string `help:"The moment of settlement from which on, as 2026-11-21T10:00:00Z."`
	} `cmd:"" help:"Send callbacks again, with the same webhook-id, for another 24 hours: an operation's, or all of a merchant's since a moment."`
	Secret struct {
		Mint struct {
			Merchant string `arg:"" help:"The merchant's id."`
		} `cmd:"" help:"Make a further secret for a merchant and print it, once. A merchant has at most two that live; callbacks are signed with both."`
		List struct {
			Merchant string `arg:"" help:"The merchant's id."`
		} `cmd:"" help:"List a merchant's secrets. Nothing secret is shown."`
		Revoke struct {
			ID string `arg:"" help:"The secret's id, as list shows it."`
		} `cmd:"" help:"End a secret for ever."`
	} `cmd:"" help:"Manage the secrets that sign callbacks."`
}

// manage carries out a command on the database, beside a running central.
func (c *callbackCommand) manage(ctx context.Context, cfg server.Config, command string, out io.Writer) (err error) {
	cfg.Sandbox = c.Set.Sandbox
	desk, err := office.OpenCallbacks(ctx, beside(cfg))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, desk.Close()) }()
	switch command {
	case "callback set <merchant> <url>":
		return desk.Set(ctx, c.Set.Merchant, c.Set.URL, out)
	case "callback unset <merchant>":
		return desk.Set(ctx, c.Unset.Merchant, "", out)
	case "callback list", "callback list <merchant>":
		return desk.List(ctx, c.List.Merchant, c.List.State, out)
	case "callback show <name>":
		return desk.Show(ctx, c.Show.Name, out)
	case "callback replay", "callback replay <name>":
		return c.replay(ctx, desk, out)
	case "callback secret mint <merchant>":
		return desk.MintSecret(ctx, c.Secret.Mint.Merchant, out)
	case "callback secret list <merchant>":
		return desk.Secrets(ctx, c.Secret.List.Merchant, out)
	case "callback secret revoke <id>":
		return desk.RevokeSecret(ctx, c.Secret.Revoke.ID, out)
	}
	return fmt.Errorf("%q is no command", command)
}

// replay sends one operation's callback, or a merchant's.
func (c *callbackCommand) replay(ctx context.Context, desk *office.Callbacks, out io.Writer) error {
	r := c.Replay
	switch {
	case r.Name != "" && r.Merchant == "" && r.Since == "":
		return desk.Replay(ctx, r.Name, out)
	case r.Name == "" && r.Merchant != "" && r.Since != "":
		since, err := time.Parse(time.RFC3339, r.Since)
		if err != nil {
			return fmt.Errorf("--since %q: want a moment as 2026-11-21T10:00:00Z", r.Since)
		}
		return desk.ReplaySince(ctx, r.Merchant, since, out)
	}
	return errors.New("name an operation, or a merchant and a moment: --merchant ID --since 2026-11-21T10:00:00Z")
}
