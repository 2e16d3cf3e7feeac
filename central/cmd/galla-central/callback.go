package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"galla/central/admincli"
	"galla/central/server"
)

type callbackCommand struct {
	Set struct {
		Merchant string `arg:"" help:"The merchant's id."`
		URL      string `arg:"" help:"The receiver's address: https://…"`
		Sandbox  bool   `env:"GALLA_SANDBOX" help:"Allow http, and addresses of this machine, as a sandbox's central does."`
	} `cmd:"" help:"Set the address that gets a merchant's callbacks. Its first secret is printed, once. A disabled endpoint is enabled again."`
	Unset struct {
		Merchant string `arg:"" help:"The merchant's id."`
	} `cmd:"" help:"Send a merchant no more callbacks; those that wait are given up."`
	List struct {
		Merchant string `arg:"" optional:"" help:"The merchant's id; by default all merchants."`
		State    string `help:"Only those that are waiting, delivered or given-up."`
	} `cmd:"" help:"List the newest callbacks."`
	Show struct {
		Name string `arg:"" help:"The operation's id, a reference of ours, the bank's RRN, or the caller's own reference."`
	} `cmd:"" help:"Print an operation's callback with all its attempts."`
	Replay struct {
		Name     string `arg:"" optional:"" help:"The operation, named as for show."`
		Merchant string `help:"A merchant's id: all its callbacks since a time are sent again."`
		Since    string `help:"With merchant: operations that ended at this time or later, such as 2026-11-21T10:00:00Z."`
	} `cmd:"" help:"Send callbacks again, with the same webhook-id, for another 24 hours: one operation's, or all of a merchant since a time."`
	Secret struct {
		Mint struct {
			Merchant string `arg:"" help:"The merchant's id."`
		} `cmd:"" help:"Make another secret for a merchant and print it, once. A merchant has at most two live secrets; callbacks are signed with both."`
		List struct {
			Merchant string `arg:"" help:"The merchant's id."`
		} `cmd:"" help:"List a merchant's secrets. Nothing secret is shown."`
		Revoke struct {
			ID string `arg:"" help:"The secret's id, as list shows it."`
		} `cmd:"" help:"Revoke a secret; this can't be undone."`
	} `cmd:"" help:"Manage the secrets that sign callbacks."`
}

// run runs a command on the database; centrals may run meanwhile.
func (c *callbackCommand) run(ctx context.Context, cfg server.Config, command string, out io.Writer) (err error) {
	cfg.Sandbox = c.Set.Sandbox
	callbacks, err := admincli.OpenCallbacks(ctx, commandConfig(cfg))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, callbacks.Close()) }()
	switch command {
	case "callback set <merchant> <url>":
		return callbacks.Set(ctx, c.Set.Merchant, c.Set.URL, out)
	case "callback unset <merchant>":
		return callbacks.Set(ctx, c.Unset.Merchant, "", out)
	case "callback list", "callback list <merchant>":
		return callbacks.List(ctx, c.List.Merchant, c.List.State, out)
	case "callback show <name>":
		return callbacks.Show(ctx, c.Show.Name, out)
	case "callback replay", "callback replay <name>":
		return c.replay(ctx, callbacks, out)
	case "callback secret mint <merchant>":
		return callbacks.MintSecret(ctx, c.Secret.Mint.Merchant, out)
	case "callback secret list <merchant>":
		return callbacks.Secrets(ctx, c.Secret.List.Merchant, out)
	case "callback secret revoke <id>":
		return callbacks.RevokeSecret(ctx, c.Secret.Revoke.ID, out)
	}
	return fmt.Errorf("%q is no command", command)
}

// replay replays the callback of one operation, or those of a merchant.
func (c *callbackCommand) replay(ctx context.Context, callbacks *admincli.Callbacks, out io.Writer) error {
	r := c.Replay
	switch {
	case r.Name != "" && r.Merchant == "" && r.Since == "":
		return callbacks.Replay(ctx, r.Name, out)
	case r.Name == "" && r.Merchant != "" && r.Since != "":
		since, err := time.Parse(time.RFC3339, r.Since)
		if err != nil {
			return fmt.Errorf("--since %q: want a time such as 2026-11-21T10:00:00Z", r.Since)
		}
		return callbacks.ReplaySince(ctx, r.Merchant, since, out)
	}
	return errors.New("name an operation, or a merchant and a time: --merchant ID --since 2026-11-21T10:00:00Z")
}
