package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"galla/central/office"
	"galla/central/server"
	"galla/shared/settings"
)

type operatorCommand struct {
	Add struct {
		Login string `arg:"" help:"Names the person for ever: a letter, then letters, digits and . _ @ -."`
		Name  string `arg:"" help:"The person's name."`
		Role  string `required:"" enum:"viewer,operator,admin" help:"viewer looks; operator acts on operations, cases, terminals and callbacks; admin also on people, merchants, vendors and keys."`
	} `cmd:"" help:"Add a person and print a set-up code, once: with it the person chooses a password and takes the key of the second factor. This makes the first admin, too."`
	List struct{} `cmd:"" help:"List everybody who may use the console, or might."`
	Role struct {
		Login string `arg:"" help:"Who."`
		Role  string `arg:"" enum:"viewer,operator,admin" help:"The new role."`
	} `cmd:"" help:"Give a person another role; the sessions end."`
	Disable struct {
		Login string `arg:"" help:"Who."`
	} `cmd:"" help:"Put a person out: password and second factor are forgotten, the sessions end."`
	Approve struct {
		Login string `arg:"" help:"Who."`
	} `cmd:"" help:"Approve what one admin asked for in the console and can't do alone: a new admin, or a reset. Another admin does it in the console; where there is none yet, whoever has this machine."`
	Reset struct {
		Login string `arg:"" help:"Who."`
	} `cmd:"" help:"Forget a person's password and second factor and print a new set-up code, once. It lets in again who was put out."`
}

type consoleCommand struct {
	AdminAddr settings.Address `env:"GALLA_ADMIN_ADDR" default:"http://127.0.0.1:7101" help:"The administration's address, as the central has it."`
}

// manage carries out a command on the database, beside a running central.
func (o *operatorCommand) manage(ctx context.Context, cfg server.Config, command string, out io.Writer) (err error) {
	people, err := office.OpenOperators(ctx, beside(cfg))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, people.Close()) }()
	switch command {
	case "operator add <login> <name>":
		return people.Add(ctx, o.Add.Login, o.Add.Name, o.Add.Role, out)
	case "operator list":
		return people.List(ctx, out)
	case "operator role <login> <role>":
		return people.SetRole(ctx, o.Role.Login, o.Role.Role, out)
	case "operator disable <login>":
		return people.Disable(ctx, o.Disable.Login, out)
	case "operator approve <login>":
		return people.Approve(ctx, o.Approve.Login, out)
	case "operator reset <login>":
		return people.Reset(ctx, o.Reset.Login, out)
	}
	return fmt.Errorf("%q is no command", command)
}
