package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"galla/central/admincli"
	"galla/central/server"
)

// archiveCommand moves bodies from the database to files.
type archiveCommand struct {
	Run struct {
		BodyRetention time.Duration `env:"GALLA_BODY_RETENTION" help:"How long bodies stay in the database after an operation's end; by default 4320h, 180 days."`
	} `cmd:"" default:"withargs" help:"Move the bodies that are due into files, as a running central does every hour."`
	Verify struct{} `cmd:"" help:"Compare all archives with the checksums beside them and in the database."`
}

type restoreCommand struct {
	Run struct {
		From     string `required:"" help:"The backup, with its .sha256 beside it."`
		Replace  bool   `help:"Rename an existing database instead of refusing."`
		Complete bool   `help:"Declare that nothing was recorded after the backup began: new operations are accepted at once. If this is wrong, operations can be executed twice."`
	} `cmd:"" default:"withargs" help:"Restore the database in the data folder from a backup, while no central runs on it."`
	Mark struct {
		Complete bool `help:"As for run."`
	} `cmd:"" help:"Record that other tools, such as PostgreSQL's, have restored the database, before a central serves it."`
	Held    struct{} `cmd:"" help:"List restorations, and the identities that callers asked for and that wait for a person."`
	Missing struct{} `cmd:"" help:"Read our references from a bank statement, one a line, and print those that the database does not have."`
	Adopt   struct {
		Caller    string `arg:"" help:"Whose it is, as held prints it: terminal:…, merchant:… or vendor:…"`
		Identity  string `arg:"" help:"Its identity, as held prints it."`
		Reference string `required:"" help:"Our reference at the bank, from its statement: GL…"`
		Kind      string `required:"" help:"CASH_WITHDRAWAL, PURCHASE, TRANSFER or REFUND."`
		Merchant  string `required:"" help:"The merchant's id."`
		TID       string `name:"tid" help:"The terminal at the bank network."`
		Amount    string `required:"" help:"Rupees, such as 500.00."`
		CallerRef string `help:"The caller's own reference, where there is one (refId, clientRefId)."`
		Original  string `help:"Of a refund: our reference of its transfer."`
	} `cmd:"" help:"Record an operation of the gap under its identity: the central asks the bank, and the caller gets the outcome."`
	Tombstone struct {
		Caller   string `arg:"" help:"As for adopt."`
		Identity string `arg:"" help:"As for adopt."`
	} `cmd:"" help:"Declare that an operation was never executed, after you have checked the bank's statement. The counter shows that no money moved."`
	Release struct{} `cmd:"" help:"Declare that the gap is handled: new identities are accepted again."`
}

// quietConfig is the configuration of a command: it logs warnings and errors only.
func quietConfig(cfg server.Config) server.Config {
	cfg.Node += "-command"
	cfg.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return cfg
}

// run archives, verifies and purges.
func (a *archiveCommand) run(ctx context.Context, cfg server.Config, command string, out io.Writer) (err error) {
	cfg = quietConfig(cfg)
	if cfg.BodyRetention == 0 {
		cfg.BodyRetention = a.Run.BodyRetention
	}
	r, err := admincli.OpenRetention(ctx, cfg.CLIConfig())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	switch command {
	case "archive run":
		return r.Archive(ctx, out)
	case "archive verify":
		return r.VerifyArchive(ctx, out)
	case "purge":
		return r.Purge(ctx, out)
	}
	return fmt.Errorf("%q is no command", command)
}

// run restores a database, or handles what came after the backup.
func (c *restoreCommand) run(ctx context.Context, cfg server.Config, command string, in io.Reader, out io.Writer) (err error) {
	config := commandConfig(cfg)
	if command == "restore run" {
		return admincli.Restore(ctx, config, admincli.RestoreOptions{From: c.Run.From, Replace: c.Run.Replace, Complete: c.Run.Complete}, out)
	}
	r, err := admincli.OpenRecovery(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	switch command {
	case "restore mark":
		return r.Mark(ctx, c.Mark.Complete, out)
	case "restore held":
		return r.Held(ctx, out)
	case "restore missing":
		return r.Missing(ctx, in, out)
	case "restore adopt <caller> <identity>":
		return r.Adopt(ctx, admincli.Adoption{
			Caller: c.Adopt.Caller, Identity: c.Adopt.Identity, Reference: c.Adopt.Reference, Kind: c.Adopt.Kind,
			Merchant: c.Adopt.Merchant, TID: c.Adopt.TID, Amount: c.Adopt.Amount, CallerRef: c.Adopt.CallerRef, Original: c.Adopt.Original,
		}, config.Node, config.Rand, out)
	case "restore tombstone <caller> <identity>":
		return r.MarkTombstone(ctx, c.Tombstone.Caller, c.Tombstone.Identity, out)
	case "restore release":
		return r.Release(ctx, out)
	}
	return fmt.Errorf("%q is no command", command)
}
