package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"

	"galla/edge/daemon"
	"galla/installers"
	"galla/rdservice"
	"galla/shared/settings"
)

// newBook says what may not stand in the counter's file of settings, and what of
// the environment is told beside it.
func newBook() *settings.Book {
	const byEnrolment = "enrolment takes it from a file of its own, which is deleted afterwards (galla-edge enrol --help)"
	return settings.New(settings.Config{
		Elsewhere: map[string]string{
			"code": byEnrolment, "enrolment-code": byEnrolment, "pin": byEnrolment, "agent-pin": byEnrolment,
			"aadhaar": byEnrolment, "agent-aadhaar": byEnrolment,
			"queue-key":    "it is made by enrolment, in edge/keys of the data folder",
			"terminal-key": "it is made by enrolment, in edge/keys of the data folder",
			"otlp-headers": "give them in the environment, as OTEL_EXPORTER_OTLP_HEADERS",
		},
		Also: []string{"OTEL_"},
	})
}

type configCmd struct{ runCmd }

// Run prints the settings in force.
func (c *configCmd) Run(chosen *kong.Context, book *settings.Book) error {
	traces, err := c.Traces.Config(os.Getenv)
	if err != nil {
		return err
	}
	if traces != nil {
		c.Traces.Share = traces.Share // OTEL_TRACES_SAMPLER may have another
	}
	return book.Effective(chosen, os.Environ(), os.Stdout)
}

type checkCmd struct{ runCmd }

// Run looks at everything that a start needs.
func (r *checkCmd) Run(ctx context.Context, c *cli) error {
	traces, misread := r.Traces.Config(os.Getenv)
	readers, err := rdservice.New(rdservice.Config{Extra: nonEmpty(r.RDSim.URL())})
	if err != nil {
		return err
	}
	return daemon.Check(ctx, daemon.Config{
		Data: c.Data, Addr: r.Addr.URL(), ExtraDevices: nonEmpty(r.RDSim.URL()), Version: installers.Release(), Rand: rand.Reader,
		Traces: traces, Logger: slog.New(slog.DiscardHandler),
	}, misread, readers, os.Stdout)
}
