// Command galla-edge is the counter's daemon and its tools.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"galla/edge/daemon"
	"galla/edge/queue"
	"galla/edge/ui/sandbox"
	"galla/installers"
	"galla/shared/secret"
	"galla/shared/settings"
	"galla/shared/telemetry"
)

type cli struct {
	File settings.Path `name:"config" env:"GALLA_CONFIG" help:"File of settings, such as /etc/galla/edge.toml: names are those of the flags below, and of run's; flags and the environment win over it."`

	Data string `env:"GALLA_DATA" default:".galla" help:"Folder for Galla's data; the counter's is edge/ below it."`

	Version kong.VersionFlag `help:"Print the release and end."`

	Run    runCmd    `cmd:"" default:"withargs" help:"Serve the counter."`
	Check  checkCmd  `cmd:"" help:"Look at everything that a start needs, with the flags and the environment of run, and change nothing: settings, data folder, queue, disk, reader, printer, connection, clock."`
	Config configCmd `cmd:"" help:"Print the settings in force, with the flags and the environment of run, and where each comes from."`

	Open openCmd `cmd:"" help:"Open the counter in the browser; its address is this computer's own secret."`

	Enrol enrolCmd `cmd:"" help:"Bind this counter to a merchant by a one-time code."`
	Pin   pinCmd   `cmd:"" help:"Give the agent who enrolled the counter a new PIN. Stop the counter first."`

	Devices devicesCmd `cmd:"" help:"List the fingerprint readers of this computer."`
	Capture captureCmd `cmd:"" help:"Ask a reader for a capture and print the reply, without the capture."`
	Doctor  doctorCmd  `cmd:"" help:"Examine this counter and say what to do; the report has no personal data."`

	Update   updateCmd   `cmd:"" help:"Look for a release now, and fetch it; the counter starts it when it is empty."`
	Releases releasesCmd `cmd:"" help:"List the releases of this program on this computer, with their state."`

	Unfinished unfinishedCmd  `cmd:"" help:"Count the operations that are not final. Stop the counter first. Exit status 3 where there are some."`
	Compare    compareCmd     `cmd:"" name:"compare-version" hidden:"" help:"Compare this program with another version: exit status 4 where it is older. For the setup."`
	OfSystem   systemCommands `embed:""`
}

type runCmd struct {
	Addr      settings.Address `env:"GALLA_COUNTER_ADDR" default:"http://127.0.0.1:7200" help:"Loopback address of the counter's pages."`
	LogFormat string           `name:"log-format" env:"GALLA_LOG_FORMAT" enum:"json,text" default:"json" help:"Form of the log on standard error: json, or text for people."`

	RDSim settings.Address `env:"GALLA_RDSIM_ADDR" help:"A further address of a registered-device service."`

	SandboxBank settings.Address `env:"GALLA_BANK_ADDR" help:"Pages of a sandbox's bank, which the counter of a sandbox links to."`

	CardCertificate string `name:"card-certificate" env:"GALLA_CARD_CERTIFICATE" help:"File of the certificates that UIDAI signs Aadhaar QR codes with, in PEM, or one in DER (.cer). Without it the pages say that a signature was not checked."`

	SupportPhone string `name:"support-phone" env:"GALLA_SUPPORT_PHONE" help:"Phone number of who supports this counter, which its help page shows."`

	Updates string `env:"GALLA_COUNTER_UPDATES" enum:"auto,on,off" default:"auto" help:"Fetch releases from the central, start the newest that works, and go back where one does not: on, off, or auto, which is on for the service of Windows; elsewhere packages bring new versions."`

	UpdateEvery time.Duration `env:"GALLA_COUNTER_UPDATE_EVERY" default:"4h" help:"How often to check for releases, give or take a quarter."`
	UpdateIdle  time.Duration `env:"GALLA_COUNTER_UPDATE_IDLE" default:"5m" help:"How long the counter must be idle before a release is started."`
	updateTrust

	Traces telemetry.Settings `embed:""`
}

type enrolCmd struct {
	Central          settings.Address `env:"GALLA_CENTRAL_ADDR" default:"http://127.0.0.1:7100" help:"Base URL of the central."`
	CodeFile         string           `required:"" type:"existingfile" help:"File that holds the enrolment code."`
	Name             string           `required:"" help:"Name of this counter, such as 'Counter 1'."`
	AgentName        string           `required:"" help:"Name of the agent."`
	AgentPinFile     string           `required:"" type:"existingfile" help:"File that holds the agent's PIN."`
	AgentAadhaarFile string           `required:"" type:"existingfile" help:"File that holds the agent's Aadhaar number."`
	Latitude         string           `default:"18.5204" help:"Location of the counter, decimal degrees."`
	Longitude        string           `default:"73.8567" help:"Location of the counter, decimal degrees."`
	IfNeeded         bool             `help:"Do nothing where the counter is enrolled already."`
}

type pinCmd struct {
	PinFile string `required:"" type:"existingfile" help:"File that holds the new PIN; delete it afterwards."`
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == queue.VerifyCommand {
		os.Exit(queue.RunVerifier(os.Args[2], os.Stderr))
	}
	var c cli
	book := newSettingsBook()
	k := kong.Parse(&c, kong.Name("galla-edge"), kong.Description("Galla's counter: the daemon on the agent's machine."), kong.Vars{"version": installers.Release()}, kong.Bind(book))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	k.BindTo(ctx, (*context.Context)(nil))
	if err := k.Run(&c); err != nil {
		fmt.Fprintln(os.Stderr, "galla-edge:", err)
		stop()
		switch {
		case errors.Is(err, errUnfinished):
			os.Exit(statusUnfinished)
		case errors.Is(err, errOlder):
			os.Exit(statusOlder)
		}
		os.Exit(1)
	}
}

// Run serves the counter until it is stopped.
func (r *runCmd) Run(ctx context.Context, c *cli) error {
	return runSupervised(ctx, c, r.logHandler, func(ctx context.Context, log *slog.Logger, stderr io.Writer, service bool) error {
		return r.launchOrServe(ctx, c, log, stderr, r.Updates == "on" || r.Updates == "auto" && service)
	})
}

// daemonConfig returns the configuration of all commands that use the counter's
// data.
func (c *cli) daemonConfig(log *slog.Logger) daemon.Config {
	cfg := daemon.Config{Data: c.Data, Rand: rand.Reader, Logger: log}
	if program, err := os.Executable(); err == nil {
		cfg.VerifyQueue = queue.ChildVerifier(program)
	}
	return cfg
}

func (r *runCmd) serve(ctx context.Context, c *cli, log *slog.Logger, updates *daemon.Updates) error {
	traces, err := r.Traces.Config(os.Getenv)
	if err != nil {
		return err
	}
	cfg := c.daemonConfig(log)
	cfg.Traces, cfg.Addr, cfg.ExtraDevices = traces, r.Addr.URL(), nonEmpty(r.RDSim.URL())
	cfg.SandboxLinks = sandbox.Links{Simulator: r.RDSim.URL(), Bank: r.SandboxBank.URL()}
	cfg.Version, cfg.Updates, cfg.CardCertificate, cfg.SupportPhone = installers.Release(), updates, r.CardCertificate, r.SupportPhone
	return daemon.Run(ctx, cfg)
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// Run enrols the counter.
func (e *enrolCmd) Run(ctx context.Context, c *cli) error {
	folder := filepath.Join(c.Data, "edge")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	enrolled, err := daemon.Enrolled(folder, rand.Reader)
	if err != nil {
		return err
	}
	if enrolled {
		if e.IfNeeded {
			return nil
		}
		return errors.New("this counter is enrolled already; to enrol it again, move its data folder away first: " + folder)
	}
	var texts [3]string
	for i, file := range []string{e.CodeFile, e.AgentPinFile, e.AgentAadhaarFile} {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		texts[i] = strings.TrimSpace(string(text))
	}
	s, err := daemon.Enrol(ctx, folder, daemon.Enrolment{
		Central: e.Central.URL(), Code: secret.NewToken(texts[0]), Name: e.Name, Agent: e.AgentName,
		PIN: secret.NewOTP(texts[1]), AgentAadhaar: texts[2], Latitude: e.Latitude, Longitude: e.Longitude,
	}, rand.Reader)
	if err != nil {
		return err
	}
	fmt.Printf("enrolled as terminal %s (%s) of %s\n", s.TerminalID, s.TID, s.Merchant)
	return nil
}

// Run sets the PIN.
func (p *pinCmd) Run(c *cli) error {
	text, err := os.ReadFile(p.PinFile)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := daemon.SetPIN(c.daemonConfig(log), secret.NewOTP(strings.TrimSpace(string(text)))); err != nil {
		return fmt.Errorf("set the agent's PIN: %w", err)
	}
	fmt.Println("the agent's PIN is set; start the counter")
	return nil
}
