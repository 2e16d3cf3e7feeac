// Command galla-rdsim is the RD service simulator as a program: it serves
// simulated devices (package rdsim) at loopback addresses until it is asked to
// stop. It keeps the test authority's certificate and nothing of its key.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"galla/rdservice/rdcrypto"
	"galla/rdservice/rdsim"
	"galla/shared/files"
	"galla/shared/settings"
)

// options are the program's settings; flags go before the environment.
type options struct {
	Addr        settings.Address `env:"GALLA_RDSIM_ADDR" default:"http://127.0.0.1:11100" help:"Where the RD service answers: a loopback address, with http:// (or nothing) or https:// in front."`
	Central     settings.Address `env:"GALLA_CENTRAL_ADDR" default:"http://127.0.0.1:7100" help:"Where the sandbox's central answers: its page /docs/try may capture, and place a finger; other pages may not."`
	Data        string           `env:"GALLA_DATA" default:"./.galla" help:"Folder of the test authority and of the process id file."`
	Profile     string           `default:"plain" help:"Shape of the service: ${profiles}."`
	Device      []string         `sep:"none" placeholder:"PROFILE@ADDRESS[+ADDRESS]" help:"A device of its own, in place of --addr and --profile; may be given several times. A device with two addresses answers at both, as in: --device mantra@http://127.0.0.1:11100+https://127.0.0.1:11200 --device face@https://127.0.0.1:11101"`
	CaptureTime time.Duration    `default:"300ms" help:"How long the reader takes to read a finger."`
	Warmup      int              `default:"0" help:"How many captures are answered 'still starting' (-1509) after the start."`
	ClockOffset time.Duration    `default:"0s" help:"How wrong the device's clock is."`
}

func main() {
	var o options
	kong.Parse(&o, kong.Name("galla-rdsim"),
		kong.Description("A simulated fingerprint reader that speaks the registered-device protocol."),
		kong.Vars{"profiles": strings.Join(rdsim.ProfileNames(), ", ")})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil)).With("program", "rdsim")
	if err := run(ctx, log, o); err != nil {
		log.Error("stopped", "error", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, log *slog.Logger, o options) (err error) {
	if err := os.MkdirAll(o.Data, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	authority, _, err := rdcrypto.EnsureAuthority(filepath.Join(o.Data, "authority"), rand.Reader)
	if err != nil {
		return err
	}
	configs, err := o.devices()
	if err != nil {
		return err
	}
	devices := make([]*rdsim.Device, len(configs))
	for i, cfg := range configs {
		if cfg.Code, err = codeOf(o.Data, cfg.Serial); err != nil {
			return err
		}
		if devices[i], err = rdsim.New(authority, rand.Reader, log, cfg); err != nil {
			return err
		}
	}
	open, err := rdsim.Listen(ctx, devices...)
	if err != nil {
		return err
	}
	removePID, err := files.WritePID(filepath.Join(o.Data, "rdsim.pid"))
	if err != nil {
		return errors.Join(err, open.Close())
	}
	defer func() { err = errors.Join(err, removePID()) }()
	for _, address := range open.Addresses() {
		log.Info("serving", "address", address)
	}
	err = open.Serve(ctx)
	log.Info("stopped")
	return err
}

// deviceCode is a UUID.
var deviceCode = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// codeOf gives the device code of a simulated device, the same at each start: a
// counter knows its reader by it.
func codeOf(data, serial string) (string, error) {
	file := filepath.Join(data, "rdsim-"+serial+".code")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		code, err := rdsim.DrawCode(rand.Reader)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(file, []byte(code+"\n"), 0o600); err != nil {
			return "", fmt.Errorf("keeping the device code: %w", err)
		}
		return code, nil
	}
	code := strings.TrimSpace(string(text))
	if err == nil && !deviceCode.MatchString(code) {
		err = fmt.Errorf("%s holds no device code; remove it, and the next start draws one", file)
	}
	if err != nil {
		return "", fmt.Errorf("reading the device code: %w", err)
	}
	return code, nil
}

// devices are the devices that the options ask for, each with a serial number
// of its own.
func (o options) devices() ([]rdsim.Config, error) {
	asked := o.Device
	if len(asked) == 0 {
		asked = []string{o.Profile + "@" + o.Addr.URL()}
	}
	configs := make([]rdsim.Config, len(asked))
	for i, text := range asked {
		profile, addresses, ok := strings.Cut(text, "@")
		if !ok || addresses == "" {
			return nil, fmt.Errorf("--device %q: it must look like mantra@http://127.0.0.1:11100", text)
		}
		at := strings.Split(addresses, "+")
		configs[i] = rdsim.Config{
			Address: at[0], Also: at[1:], Profile: profile, Serial: fmt.Sprintf("SIM%07d", i+1),
			CaptureTime: o.CaptureTime, Warmup: o.Warmup, ClockOffset: o.ClockOffset,
			Origins: o.Central.Origins(),
		}
	}
	return configs, nil
}
