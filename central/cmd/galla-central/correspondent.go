package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"galla/central/admincli"
	"galla/central/server"
)

type correspondentCommand struct {
	Show struct {
		Kind string `arg:"" enum:"bc,agent" help:"bc or agent."`
		ID   string `arg:"" help:"The id that the bank gave: bcId or agentId."`
	} `cmd:"" help:"Print which vendor or aggregator registered a business correspondent or an agent. Only that party, and its aggregator or vendors, may use it."`
	Assign struct {
		Kind         string `arg:"" enum:"bc,agent" help:"bc or agent."`
		ID           string `arg:"" help:"The id that the bank gave: bcId or agentId."`
		Registration string `arg:"" help:"The registration that succeeded: our reference (GL…), the bank's RRN or the operation's id."`
	} `cmd:"" help:"Record the owner of one without a recorded owner, by its registration: needed where the registration ended before Galla recorded owners and its reply was archived."`
	Forget struct {
		Kind string `arg:"" enum:"bc,agent" help:"bc or agent."`
		ID   string `arg:"" help:"The id that the bank gave: bcId or agentId."`
	} `cmd:"" help:"Remove a wrong owner: then no party may use it."`
}

// run runs a command on the database; centrals may run meanwhile.
func (o *correspondentCommand) run(ctx context.Context, cfg server.Config, command string, out io.Writer) (err error) {
	correspondents, err := admincli.OpenCorrespondents(ctx, commandConfig(cfg))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, correspondents.Close()) }()
	switch command {
	case "correspondent show <kind> <id>":
		return correspondents.Show(ctx, o.Show.Kind, o.Show.ID, out)
	case "correspondent assign <kind> <id> <registration>":
		return correspondents.Assign(ctx, o.Assign.Kind, o.Assign.ID, o.Assign.Registration, out)
	case "correspondent forget <kind> <id>":
		return correspondents.Forget(ctx, o.Forget.Kind, o.Forget.ID, out)
	}
	return fmt.Errorf("%q is no command", command)
}
