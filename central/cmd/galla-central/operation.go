package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"galla/central/office"
	"galla/central/server"
)

type operationCommand struct {
	Show struct {
		Name string `arg:"" help:"The operation's id, a reference of ours (GL…, AEPS-NR-…, DMT-NR-…), the bank's RRN, or the caller's own reference."`
	} `cmd:"" help:"Print everything that is known of an operation: who, when, which node, its references, what the bank said, and every step with its reason."`
	Waiting struct{} `cmd:"" help:"List the operations that wait for the bank's word, stuck ones first."`
}

// look carries out a command on the database, beside a running central.
func (o *operationCommand) look(ctx context.Context, cfg server.Config, command string, out io.Writer) (err error) {
	e, err := office.OpenEvidence(ctx, quiet(cfg).Office())
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
