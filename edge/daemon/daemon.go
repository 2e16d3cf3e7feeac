package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"galla/edge"
	"galla/edge/queue"
	"galla/edge/reader"
	"galla/edge/ui"
	"galla/edge/uplink"
	"galla/shared/files"
	"galla/shared/localname"
	"galla/shared/secret"
	"galla/shared/settings"
	"galla/shared/telemetry"
)

// Config sets up a counter's daemon.
type Config struct {
	Data         string   // folder; the counter's files lie in edge/ below it
	Addr         string   // of the pages; loopback, with or without http://
	ExtraDevices []string // addresses of registered-device services beside the standard ports
	Version      string   // of this program
	// Traces configures the export of spans; nil: none. Service, Version and Logger
	// are filled in.
	Traces *telemetry.Config
	// Updates configures automatic updates; nil: none.
	Updates *Updates

	// VerifyQueue checks the file of the queue before it is opened
	// (queue.Config.Verify).
	VerifyQueue func(path string) error

	Rand   io.Reader
	Logger *slog.Logger
}

// queue returns the configuration of the counter's queue.
func (c Config) queue(key secret.Key) queue.Config {
	return queue.Config{Path: folderOf(c.Data).queue(), Key: key, Rand: c.Rand, Logger: c.Logger, Verify: c.VerifyQueue}
}

// pidFile holds the process id of a running counter, or of its launcher.
const pidFile = "edge.pid"

// Run serves the counter until ctx ends. It fails with ErrNotEnrolled before
// enrolment.
func Run(ctx context.Context, cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	return serveCounter(ctx, cfg)
}

// serveCounter makes the parts of a counter and serves it.
func serveCounter(ctx context.Context, cfg Config) error {
	f := folderOf(cfg.Data)
	settings, queueKey, terminalKey, err := f.load(cfg.Rand)
	if err != nil {
		return err
	}
	l, name, err := listenPages(cfg)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // closed already where the screen ran
	q, report, err := queue.Open(cfg.queue(queueKey))
	if err != nil {
		return err
	}
	err = func() error {
		own := &settingsStore{folder: f, key: queueKey, rand: cfg.Rand, settings: settings}
		device, err := reader.New(reader.Config{Extra: cfg.ExtraDevices, Identities: own, Logger: cfg.Logger})
		if err != nil {
			return err
		}
		operators, err := openUsers(q, settings, cfg)
		if err != nil {
			return err
		}
		see, err := openTracing(ctx, cfg)
		if err != nil {
			return err
		}
		counter, err := edge.New(see.queue(q), device, edge.Config{
			Agent: settings.Agent, AgentAadhaar: settings.AgentAadhaar,
			Merchant: settings.Merchant, MerchantID: settings.MerchantID, TID: settings.TID,
			Latitude: settings.Latitude, Longitude: settings.Longitude,
			AadhaarOf: operators.AadhaarOf, Rand: cfg.Rand, Logger: cfg.Logger,
		})
		if err != nil {
			return err
		}
		if report.Warning != "" {
			counter.SetWarning(report.Warning)
		}
		device.SetOnChange(counter.Notify)
		line, err := uplink.New(uplink.Config{
			URL: settings.Uplink, TerminalID: settings.TerminalID, Audience: settings.Audience, Key: terminalKey,
			Version: cfg.Version, OnChange: counter.Notify, Rand: cfg.Rand, Logger: cfg.Logger,
		}, see.receiver(counter))
		if err != nil {
			return err
		}
		counter.SetLink(see.line(line))
		days, err := openDays(counter, q)
		if err != nil {
			return err
		}
		slips, err := openPrinter(counter, own, settings, cfg)
		if err != nil {
			return err
		}
		updates, err := openUpdates(counter, q, settings, cfg)
		if err != nil {
			return err
		}
		pages, looking, err := openPages(name, counter, days, operators, q, device, slips, updates, cfg)
		if err != nil {
			return err
		}
		return serve(ctx, cfg, name, l, counter, line, device, pages, slips.Run, looking, see.run, updates.run, func(ctx context.Context) error { return purgeHistory(ctx, q, line, cfg.Logger) })
	}()
	return errors.Join(err, q.Close())
}

// listenPages opens the pages' address, and returns their host name.
func listenPages(cfg Config) (net.Listener, string, error) {
	name, err := localname.Ensure(string(folderOf(cfg.Data)), cfg.Rand)
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
func serve(ctx context.Context, cfg Config, name string, l net.Listener, counter *edge.Counter, line *uplink.Client, device *reader.Reader, pages *ui.Kit, others ...func(context.Context) error) (err error) {
	if cfg.Updates == nil || cfg.Updates.Launcher == nil { // else the launcher writes the file
		remove, err := WritePIDFile(cfg.Data)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, remove()) }()
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return counter.Run(ctx) })
	group.Go(func() error { return line.Run(ctx) })
	group.Go(func() error { return device.Run(ctx) })
	group.Go(func() error { return pages.Run(ctx, l) })
	for _, run := range others {
		group.Go(func() error { return run(ctx) })
	}
	cfg.Logger.Info("counter is serving", "pages", l.Addr().String(), "link", localname.URL(name, l.Addr().(*net.TCPAddr).Port))
	return group.Wait()
}

// WritePIDFile writes this process's id to a file of the data folder, for
// supervisors.
func WritePIDFile(data string) (remove func() error, err error) {
	return files.WritePID(filepath.Join(data, pidFile))
}

// purgeInterval is how often history that is older than its retention is forgotten.
const purgeInterval = 24 * time.Hour

// purgeHistory purges old operations once a day. It uses the central's clock, so it
// waits until the terminal is online: a wrong clock here must not delete.
func purgeHistory(ctx context.Context, q *queue.Queue, line edge.Link, log *slog.Logger) error {
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
		if !state.Online || now.Sub(last) < purgeInterval {
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
