package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"galla/central/admincli"
	"galla/central/server"
)

// exitWaiting is the exit code of reconcile import and reconcile show when cases wait
// for people, so that a nightly job can call somebody.
const exitWaiting = 3

type reconcileCommand struct {
	Import struct {
		File string `arg:"" type:"existingfile" help:"The bank's settlement file of one day."`
	} `cmd:"" help:"Import a settlement file, compare it with the operations of the central and its terminals, decide by rule the cases that have a rule, and print the report. Importing the same file again does nothing; another file of the same day supersedes the earlier one. Exits with 3 if cases wait for people."`
	Show struct {
		What string `arg:"" help:"A day in India, such as 2026-11-21, or a case, such as 2026-11-21.1.3."`
		File int    `help:"Of a day: the number of its file; by default the one in force."`
		CSV  bool   `name:"csv" help:"Of a day: its cases as CSV."`
	} `cmd:"" help:"Print the present report of a day, or a case with its history. Exits with 3 if cases of the day wait for people."`
	List    struct{} `cmd:"" help:"List the settlement files that were imported, newest first."`
	Propose struct {
		Case     string `arg:"" help:"The case, as the report names it."`
		Verdict  string `arg:"" enum:"succeeded,failed,reversed,noted" help:"succeeded, failed or reversed, if its operation is not final; noted: examined, and nothing changes."`
		By       string `required:"" help:"Who proposes it: a login of the console; its password and current code are asked for, or read as two lines of the standard input."`
		Reason   string `required:"" help:"The reason, for the history. No Aadhaar numbers."`
		Charge   string `help:"Of a transfer that succeeded: what the customer paid for it, GST included, in rupees."`
		Document string `type:"existingfile" help:"The document that proves it, at most 5 MiB: it is stored sealed. An outcome needs one."`
	} `cmd:"" help:"Propose a verdict for a case. It has no effect before another person confirms it."`
	Confirm  caseStepCommand `cmd:"" help:"Confirm the verdict that another person proposed."`
	Reject   caseStepCommand `cmd:"" help:"Reject a proposal: the case is open again."`
	Withdraw caseStepCommand `cmd:"" help:"Withdraw a decision that had no effect: the case is open again, and the bank's own answer counts."`
}

type caseStepCommand struct {
	Case   string `arg:"" help:"The case, as the report names it."`
	By     string `required:"" help:"Who does it: a login of the console; its password and current code are asked for, or read as two lines of the standard input."`
	Reason string `help:"The reason, for the history; confirm needs none."`
}

// run runs a command on the database; centrals may run meanwhile. Steps of a case read
// the credentials from in.
func (c *reconcileCommand) run(ctx context.Context, cfg server.Config, command string, in io.Reader, out io.Writer) (code int, err error) {
	var who *admincli.Credentials
	if step := c.stepLogin(command); step != "" {
		proof, err := readCredentials(ctx, step, in, os.Stderr)
		if err != nil {
			return 1, err
		}
		who = &proof
	}
	s, err := admincli.OpenReconciliation(ctx, commandConfig(cfg))
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	waiting := 0
	switch {
	case who != nil:
		err = c.decide(ctx, s, *who, command, out)
	case command == "reconcile import <file>":
		waiting, err = s.Import(ctx, c.Import.File, out)
	case command == "reconcile show <what>":
		waiting, err = s.Show(ctx, c.Show.What, c.Show.File, c.Show.CSV, out)
	case command == "reconcile list":
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

// stepLogin returns the login of a step of a case; empty: the command is no step.
func (c *reconcileCommand) stepLogin(command string) string {
	return map[string]string{
		"reconcile propose <case> <verdict>": c.Propose.By, "reconcile confirm <case>": c.Confirm.By, "reconcile reject <case>": c.Reject.By, "reconcile withdraw <case>": c.Withdraw.By,
	}[command]
}

// decide takes a step of a case, signed in as who.
func (c *reconcileCommand) decide(ctx context.Context, s *admincli.Reconciliation, who admincli.Credentials, command string, out io.Writer) (err error) {
	d, err := s.SignIn(ctx, who)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.SignOut(context.WithoutCancel(ctx))) }()
	switch command {
	case "reconcile propose <case> <verdict>":
		p := admincli.CaseProposal{Verdict: c.Propose.Verdict, Reason: c.Propose.Reason, Charge: c.Propose.Charge, Document: c.Propose.Document}
		return d.Propose(ctx, c.Propose.Case, p, out)
	case "reconcile confirm <case>":
		return d.Confirm(ctx, c.Confirm.Case, c.Confirm.Reason, out)
	case "reconcile reject <case>":
		return d.Reject(ctx, c.Reject.Case, c.Reject.Reason, out)
	}
	return d.Withdraw(ctx, c.Withdraw.Case, c.Withdraw.Reason, out)
}
