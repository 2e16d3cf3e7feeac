package main

import (
	"os"
	"os/user"

	"galla/central/office"
	"galla/central/server"
)

// beside is the configuration of a command beside a running central, with the
// account of the machine that runs it, for the trail.
func beside(cfg server.Config) office.Config {
	out := quiet(cfg).Office()
	out.Account = account()
	return out
}

// account is who runs a command: the machine's account, and where it was taken on
// by sudo, by whom, as sudo says.
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
