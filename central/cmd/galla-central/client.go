package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"galla/central/admincli"
	"galla/central/server"
)

type clientCommand struct {
	List struct {
		Party string `arg:"" help:"merchant:ID, vendor:ID or aggregator:ID."`
	} `cmd:"" help:"List the credentials of a party's programs, with their open enrolment codes and the terminals that their codes enrolled. No secret is shown."`
	Add struct {
		Party string `arg:"" help:"merchant:ID, vendor:ID or aggregator:ID."`
	} `cmd:"" help:"Make a credential for a program of a party and print it, once."`
	Secret struct {
		Client string `arg:"" help:"The client_id."`
	} `cmd:"" help:"Give a program another secret and print it, once. The former secret, the tokens got with it and the program's open enrolment codes become void; its terminals are listed."`
	Suspend struct {
		Client string `arg:"" help:"The client_id."`
	} `cmd:"" help:"Suspend a program: it gets no token, and its tokens and open enrolment codes become void. The terminals that its codes enrolled keep working, and are listed."`
	Resume struct {
		Client string `arg:"" help:"The client_id."`
	} `cmd:"" help:"Enable a suspended program again. Its old tokens and codes stay void."`
	Terminals struct {
		Client string `arg:"" help:"The client_id."`
	} `cmd:"" help:"List the terminals that a program's codes enrolled."`
	JSON bool `name:"json" help:"Print JSON, for programs: of list, add and secret."`
}

type terminalCommand struct {
	Revoke struct {
		Terminal []string `arg:"" help:"Ids, as 'client terminals' shows them."`
	} `cmd:"" help:"Revoke terminals; this can't be undone. Their requests are refused at once, and connections end within half a minute."`
}

// runClientCommand runs a command on the database; centrals may run meanwhile.
func runClientCommand(ctx context.Context, cfg server.Config, c *cli, command string, out io.Writer) (err error) {
	settings := commandConfig(cfg)
	settings.JSON = c.Client.JSON
	clients, err := admincli.OpenClients(ctx, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, clients.Close()) }()
	switch command {
	case "client list <party>":
		return clients.List(ctx, c.Client.List.Party, out)
	case "client add <party>":
		return clients.Add(ctx, c.Client.Add.Party, out)
	case "client secret <client>":
		return clients.Renew(ctx, c.Client.Secret.Client, out)
	case "client suspend <client>":
		return clients.SetActive(ctx, c.Client.Suspend.Client, false, out)
	case "client resume <client>":
		return clients.SetActive(ctx, c.Client.Resume.Client, true, out)
	case "client terminals <client>":
		return clients.Terminals(ctx, c.Client.Terminals.Client, out)
	case "terminal revoke <terminal> ...", "terminal revoke <terminal>":
		return clients.Revoke(ctx, c.Terminal.Revoke.Terminal, out)
	}
	return fmt.Errorf("%q is no command", command)
}
