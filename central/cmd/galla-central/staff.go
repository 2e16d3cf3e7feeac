package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"galla/central/admincli"
	"galla/central/server"
	"galla/shared/settings"
)

type staffCommand struct {
	Add struct {
		Login string `arg:"" help:"The login, which never changes: a letter, then letters, digits and . _ @ -."`
		Name  string `arg:"" help:"The person's name."`
		Role  string `required:"" enum:"viewer,operator,admin" help:"viewer reads; operator acts on operations, cases, terminals and callbacks; admin also on staff, merchants, vendors and keys."`
	} `cmd:"" help:"Add a person and print a set-up code, once: with it the person chooses a password and gets the key of the second factor. This also makes the first admin."`
	List struct{} `cmd:"" help:"List all staff, with their state."`
	Role struct {
		Login string `arg:"" help:"Who."`
		Role  string `arg:"" enum:"viewer,operator,admin" help:"The new role."`
	} `cmd:"" help:"Change a person's role; the sessions end."`
	Disable struct {
		Login string `arg:"" help:"Who."`
	} `cmd:"" help:"Disable a person: password and second factor are deleted, the sessions end."`
	Approve struct {
		Login string `arg:"" help:"Who."`
	} `cmd:"" help:"Approve a request of an admin in the console that needs a second person: a new admin, or a reset. Another admin does it in the console; if there is no other admin yet, do it here."`
	Reset struct {
		Login string `arg:"" help:"Who."`
	} `cmd:"" help:"Delete a person's password and second factor and print a new set-up code, once. This also enables a disabled person."`
}

type consoleCommand struct {
	AdminAddr settings.Address `env:"GALLA_ADMIN_ADDR" default:"http://127.0.0.1:7101" help:"The administration's address, as the central has it."`
}

// run prints where a browser opens the console.
func (c *consoleCommand) run(cfg server.Config, out io.Writer) error {
	if c.AdminAddr.Scheme() == "https" {
		_, err := fmt.Fprintln(out, c.AdminAddr.URL()+"/console/")
		return err
	}
	return admincli.ConsoleAddress(cfg.CLIConfig(), c.AdminAddr.HostPort(), out)
}

// run runs a command on the database; centrals may run meanwhile.
func (o *staffCommand) run(ctx context.Context, cfg server.Config, command string, out io.Writer) (err error) {
	people, err := admincli.OpenStaff(ctx, commandConfig(cfg))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, people.Close()) }()
	switch command {
	case "staff add <login> <name>":
		return people.Add(ctx, o.Add.Login, o.Add.Name, o.Add.Role, out)
	case "staff list":
		return people.List(ctx, out)
	case "staff role <login> <role>":
		return people.SetRole(ctx, o.Role.Login, o.Role.Role, out)
	case "staff disable <login>":
		return people.Disable(ctx, o.Disable.Login, out)
	case "staff approve <login>":
		return people.Approve(ctx, o.Approve.Login, out)
	case "staff reset <login>":
		return people.Reset(ctx, o.Reset.Login, out)
	}
	return fmt.Errorf("%q is no command", command)
}
