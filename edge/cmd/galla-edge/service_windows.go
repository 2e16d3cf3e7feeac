package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kardianos/service"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/mgr"
	"gopkg.in/natefinch/lumberjack.v2"

	"galla/edge/update/launcher"
	"galla/installers"
)

// systemCommands are the commands that only Windows has.
type systemCommands struct {
	Service   serviceCmd `cmd:"" help:"Register the counter with Windows, so that it starts with the computer."`
	AsService bool       `hidden:"" help:"Windows' service manager started this."`
}

type serviceCmd struct {
	Action string `arg:"" enum:"install,uninstall,start,stop,restart" help:"install (which also closes the data folder to other users), uninstall, start, stop or restart."`
}

// Bounds of the service's log, which support may ask for: a month of a busy counter.
const (
	logMegabytes = 10
	logFiles     = 5
)

// stopTime is how long running requests have to end after a stop; Windows waits
// longer than 5 seconds only if asked to.
const stopTime = 60 * time.Second

// startTime is how long a start is tried again: on a busy computer the counter may not
// report to Windows in time, which gives it 30 seconds (Wine: 10).
const startTime = 3 * time.Minute

// Run does what was asked. Administrators may.
func (s *serviceCmd) Run(c *cli) error {
	data, err := filepath.Abs(c.Data)
	if err != nil {
		return err
	}
	file := string(c.File)
	if file != "" {
		if file, err = filepath.Abs(file); err != nil {
			return err
		}
	}
	about := definition(data, file)
	known, err := service.New(described{}, about)
	if err != nil {
		return err
	}
	switch s.Action {
	case "install":
		return install(known, about, data)
	case "start":
		return start(known)
	}
	if err := service.Control(known, s.Action); err != nil {
		return fmt.Errorf("%s the service %s (run this as administrator): %w", s.Action, installers.EdgeService, err)
	}
	return nil
}

// start starts the service. One that runs already is as it should be.
func start(known service.Service) error {
	end := time.Now().Add(startTime)
	err := known.Start()
	for errors.Is(err, windows.ERROR_SERVICE_REQUEST_TIMEOUT) && time.Now().Before(end) {
		err = known.Start() // it waits by itself
	}
	if err == nil || errors.Is(err, windows.ERROR_SERVICE_ALREADY_RUNNING) {
		return nil
	}
	return fmt.Errorf("start the service %s (run this as administrator): %w", installers.EdgeService, err)
}

// install closes the data folder and registers the service, each where it is
// not done: a setup does both again and again.
func install(known service.Service, about *service.Config, data string) error {
	if err := closeFolder(data); err != nil {
		return err
	}
	if _, err := known.Status(); err == nil {
		return startsWith(about.Arguments)
	} else if !errors.Is(err, service.ErrNotInstalled) {
		return fmt.Errorf("open the service %s (run this as administrator): %w", installers.EdgeService, err)
	}
	// On Wine the first answer was seen to miss an installed service; the library
	// has only its error text for that.
	err := known.Install()
	if err != nil && strings.Contains(err.Error(), "already exists") {
		return startsWith(about.Arguments)
	}
	if err != nil {
		return fmt.Errorf("install the service %s (run this as administrator): %w", installers.EdgeService, err)
	}
	return nil
}

// startsWith sets the program and arguments of the registered service, which an
// earlier setup may have set differently.
func startsWith(args []string) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program's own file: %w", err)
	}
	line := syscall.EscapeArg(program)
	for _, arg := range args {
		line += " " + syscall.EscapeArg(arg)
	}
	text, err := windows.UTF16PtrFromString(line)
	if err != nil {
		return err
	}
	manager, err := mgr.Connect()
	if err != nil {
		return fmt.Errorf("open the services (run this as administrator): %w", err)
	}
	known, err := manager.OpenService(installers.EdgeService)
	if err == nil {
		const same = windows.SERVICE_NO_CHANGE
		err = errors.Join(windows.ChangeServiceConfig(known.Handle, same, same, same, text, nil, nil, nil, nil, nil, nil), known.Close())
	}
	if err = errors.Join(err, manager.Disconnect()); err != nil {
		return fmt.Errorf("change the service %s (run this as administrator): %w", installers.EdgeService, err)
	}
	return nil
}

// definition is the service's registration; file is its file of settings, empty
// where it has none. The service has an account of its own: it may use the network
// and the printer, and no other service may read its folder.
func definition(data, file string) *service.Config {
	args := []string{"--data", data}
	if file != "" {
		args = append(args, "--config", file)
	}
	return &service.Config{
		Name: installers.EdgeService, DisplayName: "Galla counter",
		Description: "Serves the counter's pages on this computer, stores operations until they are sent, and uses the fingerprint reader.",
		Arguments:   append(args, "--as-service", "run"),
		UserName:    installers.EdgeServiceAccount,
		Option: service.KeyValue{
			"OnFailure": "restart", "OnFailureDelayDuration": "2s", "OnFailureResetPeriod": 3600,
			"DelayedAutoStart": false,
		},
	}
}

// described is the service where it is registered, started or stopped, and not
// run.
type described struct{}

// Start implements service.Interface.
func (described) Start(service.Service) error { return nil }

// Stop implements service.Interface.
func (described) Stop(service.Service) error { return nil }

// runSupervised runs the counter as a service where Windows started it as one, with
// its log in a file; else in the foreground.
func runSupervised(ctx context.Context, c *cli, handler func(io.Writer) slog.Handler, run func(ctx context.Context, log *slog.Logger, stderr io.Writer, service bool) error) error {
	if !c.OfSystem.AsService || os.Getenv(launcher.EnvVar) != "" { // a child has the service's arguments, and is none
		return run(ctx, slog.New(handler(os.Stderr)), os.Stderr, false)
	}
	file := &lumberjack.Logger{Filename: filepath.Join(c.Data, "edge", "edge.log"), MaxSize: logMegabytes, MaxBackups: logFiles}
	log := slog.New(handler(file))
	w := &windowsService{ctx: ctx, run: func(ctx context.Context) error { return run(ctx, log, file, true) }}
	w.fail = func(err error) {
		log.Error("the counter ended", "error", err.Error())
		_ = file.Close()
		os.Exit(1) // which Windows takes for a failure, and starts it again
	}
	return errors.Join(svc.Run(installers.EdgeService, w), file.Close())
}

// windowsService runs the counter between Windows' start and stop.
type windowsService struct {
	ctx  context.Context
	run  func(context.Context) error
	fail func(error)
}

// Execute implements svc.Handler: it returns when the counter has ended.
func (w *windowsService) Execute(_ []string, requests <-chan svc.ChangeRequest, changes chan<- svc.Status) (bool, uint32) {
	ctx, stop := context.WithCancel(w.ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- w.run(ctx) }()
	changes <- svc.Status{State: svc.Running, Accepts: svc.AcceptStop | svc.AcceptShutdown}
	var late <-chan time.Time // nil until it is stopped
	for {
		select {
		case err := <-ended:
			if err != nil && ctx.Err() == nil {
				w.fail(err)
			}
			return false, 0
		case <-late:
			w.fail(fmt.Errorf("the counter did not end within %v; what it has written down is safe", stopTime))
		case r := <-requests:
			switch r.Cmd {
			case svc.Interrogate:
				changes <- r.CurrentStatus
			case svc.Stop, svc.Shutdown:
				changes <- svc.Status{State: svc.StopPending, WaitHint: uint32(stopTime.Milliseconds())}
				stop()
				late = time.After(stopTime)
			}
		}
	}
}
