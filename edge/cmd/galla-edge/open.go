package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"

	"galla/edge/daemon"
	"galla/shared/settings"
)

type openCmd struct {
	Addr  settings.Address `env:"GALLA_COUNTER_ADDR" default:"http://127.0.0.1:7200" help:"Loopback address of the counter's pages."`
	Print bool             `help:"Print the link, and open nothing."`
	Out   string           `type:"path" placeholder:"FILE" help:"Write the link into a file, and open nothing; the setup reads it there."`
}

// Run opens the counter's link, or prints it.
func (o *openCmd) Run(ctx context.Context, c *cli) error {
	link, err := daemon.PagesURL(daemon.Config{Data: c.Data, Addr: o.Addr.URL(), Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if o.Out != "" {
		if err := os.WriteFile(o.Out, []byte(link), 0o600); err != nil {
			return fmt.Errorf("write the link: %w", err)
		}
		return nil
	}
	if o.Print {
		fmt.Println(link)
		return nil
	}
	command := opener(runtime.GOOS, link)
	if err := exec.CommandContext(ctx, command[0], command[1:]...).Run(); err != nil {
		return fmt.Errorf("no browser was opened (%w); 'galla-edge open --print' prints the link", err)
	}
	return nil
}

// opener returns the command that opens a link on a system.
func opener(system, link string) []string {
	switch system {
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", link}
	case "darwin":
		return []string{"open", link}
	}
	return []string{"xdg-open", link}
}
