package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"galla/edge"
	"galla/edge/device"
	"galla/edge/queue"
	"galla/edge/screen"
	"galla/edge/uplink"
	"galla/shared/localname"
	"galla/shared/settings"
	"galla/shared/trace"
)

// Config sets up a counter's daemon.
type Config struct {
	Data         string   // folder; the counter's files lie in edge/ below it
	Addr         string   // of the pages; loopback, with or without http://
	ExtraDevices []string // addresses to look for registered-device services at, beside the standard ports
	Version      string   // of this program, for people
	// Traces says where spans of operations are told, and which; nil: nowhere.
	// Service, Version and Logger are filled in.
	Traces *trace.Config
	// Updates says how this program is updated; nil: not by itself.
	Updates *Updates

	Rand   io.Reader
	Logger *slog.Logger
}

// pidFile holds the process id of a running counter: of the parent, where one
// started it.
const pidFile = "edge.pid"

// Run serves the counter until ctx ends. ErrNotEnrolled says that enrolment
// comes first.
func Run(ctx context.Context, cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	return compose(ctx, cfg)
}

// compose makes the parts of a counter and serves it.
func compose(ctx context.Context, cfg Config) error {
	f := at(cfg.Data)
	settings, queueKey, terminalKey, err := f.load(cfg.Rand)
	if err != nil {
		return err
	}
	l, name, err := door(cfg)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // closed already where the screen ran
	q, report, err := queue.Open(queue.Config{Path: f.queue(), Key: queueKey, Rand: cfg.Rand, Logger: cfg.Logger})
	if err != nil {
		return err
	}
	err = func() error {
		own := &kept{folder: f, key: queueKey, rand: cfg.Rand, settings: settings}
		reader, err := device.New(device.Config{Extra: cfg.ExtraDevices, Pins: own, Logger: cfg.Logger})
		if err != nil {
			return err
		}
		operators, err := openPeople(q, settings, cfg)
		if err != nil {
			return err
		}
		see, err := openEyes(ctx, cfg)
		if err != nil {
			return err
		}
		counter, err := edge.New(see.queue(q), reader, edge.Config{
			Agent: settings.Agent, AgentAadhaar: settings.AgentAadhaar,
			Merchant: settings.Merchant, MerchantID: settings.MerchantID, TID: settings.TID,
			Latitude: settings.Latitude, Longitude: settings.Longitude,
			NumberOf: operators.NumberOf, Rand: cfg.Rand, Logger: cfg.Logger,
		})
		if err != nil {
			return err
		}
		if report.Trouble != "" {
			counter.SetTrouble(report.Trouble)
		}
		reader.SetOnChange(counter.Changed)
		line, err := uplink.New(uplink.Config{
			URL: settings.Uplink, TerminalID: settings.TerminalID, Audience: settings.Audience, Key: terminalKey,
			Version: cfg.Version, OnChange: counter.Changed, Rand: cfg.Rand, Logger: cfg.Logger,
		}, see.receiver(counter))
		if err != nil {
			return err
		}
		counter.Attach(see.line(line))
		days, err := openTill(counter, q)
		if err != nil {
			return err
		}
		slips, err := openPaper(counter, own, settings, cfg)
		if err != nil {
			return err
		}
		updates, err := openUpdates(counter, q, settings, cfg)
		if err != nil {
			return err
		}
		pages, looking, err := openPages(name, counter, days, operators, q, reader, slips, updates, cfg)
		if err != nil {
			return err
		}
		return serve(ctx, cfg, name, l, counter, line, reader, pages, slips.Run, looking, see.run, updates.run, func(ctx context.Context) error { return tidy(ctx, q, line, cfg.Logger) })
	}()
	return errors.Join(err, q.Close())
}

// door opens the pages' address, and gives the name that they are under.
func door(cfg Config) (net.Listener, string, error) {
	name, err := localname.Ensure(string(at(cfg.Data)), cfg.Rand)
	if err != nil {
		return nil, "", err
	}
	l, err := listen(cfg.Addr)
	return l, name, err
}

// listen opens the pages' address.
func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", hostPort(addr))
	if err != nil {
		return nil, fmt.Errorf("address %s can't be opened (is another program, or another counter, on it?): %w", hostPort(addr), err)
	}
	return l, nil
}

// hostPort reads an address that may be written as a URL.
func hostPort(addr string) string {
	return settings.Address(addr).HostPort()
}

// serve runs the parts side by side until ctx ends or one of them fails.
func serve(ctx context.Context, cfg Config, name string, l net.Listener, counter *edge.Counter, line *uplink.Client, reader *device.Device, pages *screen.Screen, others ...func(context.Context) error) error {
	if cfg.Updates == nil || cfg.Updates.Parent == nil { // else the parent is who was started
		forget, err := TellPID(cfg.Data)
		if err != nil {
			return err
		}
		defer forget()
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return counter.Run(ctx) })
	group.Go(func() error { return line.Run(ctx) })
	group.Go(func() error { return reader.Run(ctx) })
	group.Go(func() error { return pages.Run(ctx, l) })
	for _, run := range others {
		group.Go(func() error { return run(ctx) })
	}
	cfg.Logger.Info("counter is serving", "pages", l.Addr().String(), "link", localname.URL(name, l.Addr().(*net.TCPAddr).Port))
	return group.Wait()
}

// TellPID tells this process's id to whoever supervises the counter, in a file of
// its data folder.
func TellPID(data string) (forget func(), err error) {
	file := filepath.Join(data, pidFile)
	if err := os.WriteFile(file, fmt.Appendln(nil, os.Getpid()), 0o644); err != nil {
		return nil, fmt.Errorf("write the process id: %w", err)
	}
	return func() { _ = os.Remove(file) }, nil
}

// tidyEvery is how often history that is older than its retention is forgotten.
const tidyEvery = 24 * time.Hour

// tidy forgets old history once a day. The central's clock decides what is old,
// so it waits for a line that is up: a wrong clock here must not delete.
func tidy(ctx context.Context, q *queue.Queue, line edge.Line, log *slog.Logger) error {
	look := time.NewTicker(time.Hour)
	defer look.Stop()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
		state := line.State()
		now := time.Now().Add(state.Offset)
		if !state.Up || now.Sub(last) < tidyEvery {
			continue
		}
		gone, err := q.Purge(now.Add(-queue.Retention))
		if err != nil {
			log.Error("old history can't be forgotten; it is tried again", "error", err)
			continue
		}
		last = now
		log.Info("history was tidied", "forgotten", gone)
	}
}
