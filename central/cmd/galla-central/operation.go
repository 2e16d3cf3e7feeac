package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"galla/central/admincli"
	"galla/central/server"
)

type operationCommand struct {
	Show struct {
		Name string `arg:"" help:"The operation's id, a reference of ours (GL…, AEPS-NR-…, DMT-NR-…), the bank's RRN, or the caller's own reference."`
	} `cmd:"" help:"Print everything recorded of an operation: caller, times, node, references, the bank's answer, and every step with its reason."`
	Waiting struct{} `cmd:"" help:"List the operations that wait for the bank's answer, stuck ones first."`
}

// run runs a command on the database; centrals may run meanwhile.
func (o *operationCommand) run(ctx context.Context, cfg server.Config, command string, out io.Writer) (err error) {
	e, err := admincli.OpenOperations(ctx, quietConfig(cfg).CLIConfig())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	switch command {
	case "operation show <name>":
		return e.Show(ctx, o.Show.Name, out)
	case "operation waiting":
		return e.Waiting(ctx, out)
	}
	return fmt.Errorf("%q is no command", command)
}
