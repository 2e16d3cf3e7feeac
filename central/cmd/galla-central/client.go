package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"galla/central/office"
	"galla/central/server"
)

type clientCommand struct {
	List struct {
		Party string `arg:"" help:"merchant:ID, vendor:ID or aggregator:ID."`
	} `cmd:"" help:"List the credentials of a party's programs, with their open enrolment codes and the terminals that those enrolled. Nothing secret is shown."`
	Add struct {
		Party string `arg:"" help:"merchant:ID, vendor:ID or aggregator:ID."`
	} `cmd:"" help:"Make a credential for a program of a party and print it, once."`
	Secret struct {
		Client string `arg:"" help:"The client_id."`
	} `cmd:"" help:"Give a program another secret and print it, once. The one before, the tokens got with it and the program's open enrolment codes are void; its terminals are listed."`
	Suspend struct {
		Client string `arg:"" help:"The client_id."`
	} `cmd:"" help:"Let a program in no more: it gets no token, and its tokens and open enrolment codes are void. The terminals that its codes enrolled go on, and are listed."`
	Resume struct {
		Client string `arg:"" help:"The client_id."`
	} `cmd:"" help:"Let a suspended program in again. What was void stays void."`
	Terminals struct {
		Client string `arg:"" help:"The client_id."`
	} `cmd:"" help:"List the terminals that a program's codes enrolled."`
}

type terminalCommand struct {
	Revoke struct {
		Terminal []string `arg:"" help:"Ids, as client terminals shows them."`
	} `cmd:"" help:"End terminals for ever: their calls are refused at once, and connections end within half a minute."`
}

// managePrograms carries out a command on the database, beside a running central.
func managePrograms(ctx context.Context, cfg server.Config, c *cli, command string, out io.Writer) (err error) {
	desk, err := office.OpenClients(ctx, beside(cfg))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, desk.Close()) }()
	switch command {
	case "client list <party>":
		return desk.List(ctx, c.Client.List.Party, out)
	case "client add <party>":
		return desk.Add(ctx, c.Client.Add.Party, out)
	case "client secret <client>":
		return desk.Renew(ctx, c.Client.Secret.Client, out)
	case "client suspend <client>":
		return desk.SetActive(ctx, c.Client.Suspend.Client, false, out)
	case "client resume <client>":
		return desk.SetActive(ctx, c.Client.Resume.Client, true, out)
	case "client terminals <client>":
		return desk.Terminals(ctx, c.Client.Terminals.Client, out)
	case "terminal revoke <terminal> ...", "terminal revoke <terminal>":
		return desk.Revoke(ctx, c.Terminal.Revoke.Terminal, out)
	}
	return fmt.Errorf("%q is no command", command)
}
