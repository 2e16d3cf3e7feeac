package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"galla/central/office"
	"galla/central/server"
)

type correspondentCommand struct {
	Show struct {
		Kind string `arg:"" enum:"bc,agent" help:"bc or agent."`
		ID   string `arg:"" help:"The id that the bank gave: bcId or agentId."`
	} `cmd:"" help:"Print which vendor or aggregator registered a business correspondent or an agent: it alone may use it, with its aggregator or vendors."`
	Assign struct {
		Kind         string `arg:"" enum:"bc,agent" help:"bc or agent."`
		ID           string `arg:"" help:"The id that the bank gave: bcId or agentId."`
		Registration string `arg:"" help:"The registration that succeeded: our reference (GL…), the bank's RRN or the operation's id."`
	} `cmd:"" help:"Record whose one is of which nobody knows it, by its registration: where that ended before Galla recorded it and its reply is no longer kept."`
	Forget struct {
		Kind string `arg:"" enum:"bc,agent" help:"bc or agent."`
		ID   string `arg:"" help:"The id that the bank gave: bcId or agentId."`
	} `cmd:"" help:"Take back what was assigned wrongly: nobody may use it then."`
}

// manage carries out a command on the database, beside a running central.
func (o *correspondentCommand) manage(ctx context.Context, cfg server.Config, command string, out io.Writer) (err error) {
	desk, err := office.OpenCorrespondents(ctx, beside(cfg))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, desk.Close()) }()
	switch command {
	case "correspondent show <kind> <id>":
		return desk.Show(ctx, o.Show.Kind, o.Show.ID, out)
	case "correspondent assign <kind> <id> <registration>":
		return desk.Assign(ctx, o.Assign.Kind, o.Assign.ID, o.Assign.Registration, out)
	case "correspondent forget <kind> <id>":
		return desk.Forget(ctx, o.Forget.Kind, o.Forget.ID, out)
	}
	return fmt.Errorf("%q is no command", command)
}
