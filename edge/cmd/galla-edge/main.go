// Command galla-edge is the counter's daemon and its tools.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"galla/edge/daemon"
	"galla/shared/bug"
	"galla/shared/secret"
)

type cli struct {
	Data string `env:"GALLA_DATA" default:".galla" help:"Folder for Galla's data; the counter's lies in edge/ below it."`

	Run   runCmd   `cmd:"" default:"withargs" help:"Serve the counter."`
	Enrol enrolCmd `cmd:"" help:"Bind this counter to a merchant by a one-time code."`
	Pin   pinCmd   `cmd:"" help:"Give the agent who enrolled the counter a new PIN. Stop the counter first."`

	Devices devicesCmd `cmd:"" help:"List the fingerprint readers of this computer."`
	Capture captureCmd `cmd:"" help:"Ask a reader for a capture and tell what came back, without the capture."`
	Doctor  doctorCmd  `cmd:"" help:"Examine this counter and say what to do; the report has no personal data."`
}

type runCmd struct {
	Addr  string `env:"GALLA_COUNTER_ADDR" default:"http://127.0.0.1:7200" help:"Loopback address of the counter's pages."`
	RDSim string `env:"GALLA_RDSIM_ADDR" help:"A further address to look for a registered-device service at."`
}

type enrolCmd struct {
	Central          string `env:"GALLA_CENTRAL_ADDR" default:"http://127.0.0.1:7100" help:"Base URL of the central."`
	CodeFile         string `required:"" type:"existingfile" help:"File that holds the enrolment code."`
	Name             string `required:"" help:"Name of this counter, such as 'Counter 1'."`
	AgentName        string `required:"" help:"Name of the agent."`
	AgentPinFile     string `required:"" type:"existingfile" help:"File that holds the agent's PIN."`
	AgentAadhaarFile string `required:"" type:"existingfile" help:"File that holds the agent's Aadhaar number."`
	Latitude         string `default:"18.5204" help:"Where the counter stands, decimal degrees."`
	Longitude        string `default:"73.8567" help:"Where the counter stands, decimal degrees."`
	IfNeeded         bool   `help:"Do nothing where the counter is enrolled already."`
}

type pinCmd struct {
	PinFile string `required:"" type:"existingfile" help:"File that holds the new PIN; delete it afterwards."`
}

func main() {
	var c cli
	k := kong.Parse(&c, kong.Name("galla-edge"), kong.Description("Galla's counter: the daemon on the agent's machine."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	k.BindTo(ctx, (*context.Context)(nil))
	if err := k.Run(&c); err != nil {
		fmt.Fprintln(os.Stderr, "galla-edge:", err)
		stop()
		os.Exit(1)
	}
}

// Run serves the counter until it is told to stop.
func (r *runCmd) Run(ctx context.Context, c *cli) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	bug.Confess(log)
	return daemon.Run(ctx, daemon.Config{
		Data: c.Data, Addr: r.Addr, ExtraDevices: nonEmpty(r.RDSim), Version: version(), Rand: rand.Reader,
		Logger: log,
	})
}

// version is the module's version that the build recorded, for people.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
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
		return errors.New("this counter is enrolled already; to bind it anew, move its data folder away first: " + folder)
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
		Central: e.Central, Code: secret.NewToken(texts[0]), Name: e.Name, Agent: e.AgentName,
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
	if err := daemon.SetPIN(c.Data, secret.NewOTP(strings.TrimSpace(string(text))), rand.Reader, log); err != nil {
		return fmt.Errorf("set the agent's PIN: %w", err)
	}
	fmt.Println("the agent's PIN is set; start the counter")
	return nil
}
