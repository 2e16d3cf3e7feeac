package main

import (
	"os"
	"os/user"

	"galla/central/admincli"
	"galla/central/server"
)

// commandConfig is the configuration of a command that works on the database while
// centrals run, with the account of the machine for the audit log.
func commandConfig(cfg server.Config) admincli.Config {
	out := quietConfig(cfg).CLIConfig()
	out.Account = account()
	return out
}

// account names who runs a command: user and host, and with sudo the user who called it.
func account() string {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	if by := os.Getenv("SUDO_USER"); by != "" {
		name += " (sudo by " + by + ")"
	}
	return name
}
