package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"

	"galla/edge/daemon"
	"galla/installers"
	"galla/rdservice"
	"galla/shared/settings"
)

// newSettingsBook lists what the counter's file of settings must not contain, and
// which environment variables are shown beside it.
func newSettingsBook() *settings.Resolver {
	const byEnrolment = "enrolment takes it from a file of its own, which is deleted afterwards (galla-edge enrol --help)"
	return settings.New(settings.Config{
		SecretNames: map[string]string{
			"code": byEnrolment, "enrolment-code": byEnrolment, "pin": byEnrolment, "agent-pin": byEnrolment,
			"aadhaar": byEnrolment, "agent-aadhaar": byEnrolment,
			"queue-key":    "it is made by enrolment, in edge/keys of the data folder",
			"terminal-key": "it is made by enrolment, in edge/keys of the data folder",
			"otlp-headers": "give them in the environment, as OTEL_EXPORTER_OTLP_HEADERS",
		},
		VariablePrefixes: []string{"OTEL_"},
	})
}

type configCmd struct{ runCmd }

// Run prints the settings in force.
func (c *configCmd) Run(chosen *kong.Context, book *settings.Resolver) error {
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

// Run checks everything that a start needs.
func (r *checkCmd) Run(ctx context.Context, c *cli) error {
	traces, misread := r.Traces.Config(os.Getenv)
	readers, err := rdservice.New(rdservice.Config{Extra: nonEmpty(r.RDSim.URL())})
	if err != nil {
		return err
	}
	cfg := c.daemonConfig(slog.New(slog.DiscardHandler))
	cfg.Addr, cfg.ExtraDevices, cfg.Version, cfg.Traces = r.Addr.URL(), nonEmpty(r.RDSim.URL()), installers.Release(), traces
	cfg.CardCertificate = r.CardCertificate
	return daemon.Check(ctx, cfg, misread, readers, os.Stdout)
}
