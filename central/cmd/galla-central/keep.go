package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"galla/central/office"
	"galla/central/server"
)

// archiveCommand moves bodies out of the database.
type archiveCommand struct {
	Run struct {
		KeepBodies time.Duration `env:"GALLA_KEEP_BODIES" help:"How long bodies stay in the database after an operation's end; by default 4320h, 180 days."`
	} `cmd:"" default:"withargs" help:"Move the bodies that are due into files, as a running central does every hour."`
	Verify struct{} `cmd:"" help:"Compare all archives with the checksums beside them and in the database."`
}

type restoreCommand struct {
	Run struct {
		From     string `required:"" help:"The backup, with its .sha256 beside it."`
		Replace  bool   `help:"Set a database that is there aside."`
		Complete bool   `help:"Give your word that nothing was recorded after the backup was begun: the doors are then open at once. Where it is not so, operations can be executed twice."`
	} `cmd:"" default:"withargs" help:"Put the database in the data folder back from a backup, while no central runs on it."`
	Mark struct {
		Complete bool `help:"As for run."`
	} `cmd:"" help:"Note that the database was put back by other tools, such as PostgreSQL's, before a central serves it."`
	Held    struct{} `cmd:"" help:"List restorations, and the identities that were asked for and wait for a person."`
	Missing struct{} `cmd:"" help:"Read references of ours from a bank's statement, one a line, and print those that the database does not know."`
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
	} `cmd:"" help:"Record an operation of the gap under its identity: the bank is asked, and its word goes to the caller."`
	Forswear struct {
		Caller   string `arg:"" help:"As for adopt."`
		Identity string `arg:"" help:"As for adopt."`
	} `cmd:"" help:"Declare an identity never executed, after you have looked at the bank's statement. The counter is told that no money moved."`
	Release struct{} `cmd:"" help:"Say that the gap is looked after: new identities are taken again."`
}

// quiet is the configuration of a command beside a running central.
func quiet(cfg server.Config) server.Config {
	cfg.Node += "-command"
	cfg.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return cfg
}

// keep archives, verifies and purges.
func (a *archiveCommand) keep(ctx context.Context, cfg server.Config, command string, out io.Writer) (err error) {
	cfg = quiet(cfg)
	if cfg.KeepBodies == 0 {
		cfg.KeepBodies = a.Run.KeepBodies
	}
	r, err := office.OpenRetention(ctx, cfg.Office())
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

// restore puts a database back, or looks after one that was.
func (c *restoreCommand) restore(ctx context.Context, cfg server.Config, command string, in io.Reader, out io.Writer) (err error) {
	beside := beside(cfg)
	if command == "restore run" {
		return office.Restore(ctx, beside, office.RestoreOptions{From: c.Run.From, Replace: c.Run.Replace, Complete: c.Run.Complete}, out)
	}
	r, err := office.OpenRestored(ctx, beside)
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
		return r.Adopt(ctx, office.Adoption{
			Caller: c.Adopt.Caller, Identity: c.Adopt.Identity, Reference: c.Adopt.Reference, Kind: c.Adopt.Kind,
			Merchant: c.Adopt.Merchant, TID: c.Adopt.TID, Amount: c.Adopt.Amount, CallerRef: c.Adopt.CallerRef, Original: c.Adopt.Original,
		}, beside.Node, beside.Rand, out)
	case "restore forswear <caller> <identity>":
		return r.Forswear(ctx, c.Forswear.Caller, c.Forswear.Identity, out)
	case "restore release":
		return r.Release(ctx, out)
	}
	return fmt.Errorf("%q is no command", command)
}
