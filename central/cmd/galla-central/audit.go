package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"galla/central/admincli"
	"galla/central/server"
)

// auditCommand verifies the log that shows when the past was rewritten.
type auditCommand struct {
	Verify struct {
		Key        []string `help:"Public key that signs checkpoints, as 'audit key' prints it; one for each key that was ever in use. By default that of the data folder; an auditor gives the one that was kept elsewhere."`
		Checkpoint []string `help:"File of a checkpoint that was kept elsewhere; may be given many times." type:"existingfile"`
	} `cmd:"" help:"Compare the whole log with the tables, its tree and its checkpoints, and name every row that was changed, removed, added or moved. Ends with 1 if it finds something."`
	Checkpoint struct{} `cmd:"" help:"Print the newest signed checkpoint, to be kept elsewhere."`
	Key        struct{} `cmd:"" help:"Print the public key that verifies checkpoints, to be kept elsewhere."`
}

func (a *auditCommand) run(ctx context.Context, cfg server.Config, command string, out io.Writer) (err error) {
	config := commandConfig(cfg)
	if command == "audit key" {
		return admincli.PublicKey(config, out)
	}
	l, err := admincli.OpenLog(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	switch command {
	case "audit verify":
		return l.Verify(ctx, a.Verify.Key, a.Verify.Checkpoint, out)
	case "audit checkpoint":
		return l.Checkpoint(ctx, out)
	}
	return fmt.Errorf("%q is no command", command)
}
