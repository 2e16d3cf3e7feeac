package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"galla/central/office"
	"galla/central/server"
)

// exitWaiting is the exit code of settle import and settle show where cases wait
// for people, so that a job that runs at night can call somebody.
const exitWaiting = 3

type settleCommand struct {
	Import struct {
		File string `arg:"" type:"existingfile" help:"The bank's settlement file of one day."`
	} `cmd:"" help:"Take a settlement file, compare it with what the central and its terminals know, settle by rule what needs no judgement, and print the report. Importing the same file again does nothing; another file of the same day supersedes the earlier one. Exits with 3 where cases wait for people."`
	Show struct {
		What string `arg:"" help:"A day in India, such as 2026-11-21, or a case, such as 2026-11-21.1.3."`
		File int    `help:"Of a day: the number of its file; by default the one that counts."`
		CSV  bool   `name:"csv" help:"Of a day: its cases as CSV."`
	} `cmd:"" help:"Print the report of a day as it now stands, or a case with its history. Exits with 3 where cases of the day wait for people."`
	List    struct{} `cmd:"" help:"List the settlement files that were imported, newest first."`
	Propose struct {
		Case     string `arg:"" help:"The case, as the report names it."`
		Verdict  string `arg:"" enum:"succeeded,failed,reversed,noted" help:"succeeded, failed or reversed, where its operation is not final; noted: looked into, and nothing changes."`
		By       string `required:"" help:"Who proposes it: a login of the console, whose password and code of now are asked for, or read as two lines of the standard input."`
		Because  string `required:"" help:"The reason, for the history. No Aadhaar numbers."`
		Charge   string `help:"Of a transfer that succeeded: what the customer paid for it, GST included, in rupees."`
		Document string `type:"existingfile" help:"The paper that it rests on, at most 5 MiB: it is kept, sealed. An outcome needs one."`
	} `cmd:"" help:"Propose what a case is to be decided as. Nothing happens before another person confirms it."`
	Confirm  settleStep `cmd:"" help:"Decide a case as another person proposed it."`
	Reject   settleStep `cmd:"" help:"Give a proposal back: the case is open again."`
	Withdraw settleStep `cmd:"" help:"Take back a decision that had no effect: the case is open again, and the bank's own word stands."`
}

type settleStep struct {
	Case    string `arg:"" help:"The case, as the report names it."`
	By      string `required:"" help:"Who does it: a login of the console, whose password and code of now are asked for, or read as two lines of the standard input."`
	Because string `help:"The reason, for the history; confirm needs none."`
}

// settle carries out a command on the database, beside a running central. Who
// takes a step of a case is read from in.
func (c *settleCommand) settle(ctx context.Context, cfg server.Config, command string, in io.Reader, out io.Writer) (code int, err error) {
	var who *office.Proof
	if step := c.step(command); step != "" {
		proof, err := prove(ctx, step, in, os.Stderr)
		if err != nil {
			return 1, err
		}
		who = &proof
	}
	s, err := office.OpenSettlement(ctx, beside(cfg))
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	waiting := 0
	switch {
	case who != nil:
		err = c.decide(ctx, s, *who, command, out)
	case command == "settle import <file>":
		waiting, err = s.Import(ctx, c.Import.File, out)
	case command == "settle show <what>":
		waiting, err = s.Show(ctx, c.Show.What, c.Show.File, c.Show.CSV, out)
	case command == "settle list":
		err = s.List(ctx, out)
	default:
		err = fmt.Errorf("%q is no command", command)
	}
	switch {
	case err != nil:
		return 1, err
	case waiting > 0:
		return exitWaiting, nil
	}
	return 0, nil
}

// step gives who takes a step of a case; empty: the command takes none.
func (c *settleCommand) step(command string) string {
	return map[string]string{
		"settle propose <case> <verdict>": c.Propose.By, "settle confirm <case>": c.Confirm.By, "settle reject <case>": c.Reject.By, "settle withdraw <case>": c.Withdraw.By,
	}[command]
}

// decide takes a step of a case as a person who has signed in for it.
func (c *settleCommand) decide(ctx context.Context, s *office.Settlement, who office.Proof, command string, out io.Writer) (err error) {
	d, err := s.SignIn(ctx, who)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Leave(context.WithoutCancel(ctx))) }()
	switch command {
	case "settle propose <case> <verdict>":
		p := office.SettlementProposal{Verdict: c.Propose.Verdict, Reason: c.Propose.Because, Charge: c.Propose.Charge, Document: c.Propose.Document}
		return d.Propose(ctx, c.Propose.Case, p, out)
	case "settle confirm <case>":
		return d.Confirm(ctx, c.Confirm.Case, c.Confirm.Because, out)
	case "settle reject <case>":
		return d.Reject(ctx, c.Reject.Case, c.Reject.Because, out)
	}
	return d.Withdraw(ctx, c.Withdraw.Case, c.Withdraw.Because, out)
}
