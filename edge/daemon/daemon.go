package daemon

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/queue"
	"galla/edge/reader"
	"galla/edge/ui"
	"galla/edge/ui/sandbox"
	"galla/edge/uplink"
	"galla/edge/users"
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
	// SandboxLinks are the pages that the counter of a sandbox links to.
	SandboxLinks sandbox.Links
	// Traces configures the export of spans; nil: none. Service, Version and Logger
	// are filled in.
	Traces *telemetry.Config
	// Updates configures automatic updates; nil: none.
	Updates *Updates
	// CardCertificate is the file of the certificates that UIDAI signs Aadhaar QR codes with;
	// empty: none.
	CardCertificate string
	// SupportPhone is who to call, which the help page shows; empty: it shows none.
	SupportPhone string

	// VerifyQueue checks the file of the queue before it is opened
	// (queue.Config.Verify).
	VerifyQueue func(path string) error

	Rand   io.Reader
	Logger *slog.Logger
}

func (c Config) queue(key secret.Key) queue.Config {
	return queue.Config{Path: folderOf(c.Data).queue(), Key: key, Rand: c.Rand, Logger: c.Logger, Verify: c.VerifyQueue}
}

// pidFile holds the process id of a running counter, or of its launcher.
const pidFile = "edge.pid"

// Run serves the counter until ctx ends. It fails with ErrNotEnrolled before
// enrolment.
func Run(ctx context.Context, cfg Config) (err error) {
	if err := cfg.Validate(); err != nil {
		return err
	}
	f := folderOf(cfg.Data)
	settings, queueKey, terminalKey, err := f.load(cfg.Rand)
	if err != nil {
		return err
	}
	l, name, err := listenPages(cfg)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // closed already where the pages ran
	q, report, err := queue.Open(cfg.queue(queueKey))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	p := &parts{
		cfg: cfg, name: name, settings: settings, queue: q,
		own: &settingsStore{folder: f, key: queueKey, rand: cfg.Rand, settings: settings},
	}
	runs, err := p.open(ctx, terminalKey, report.Warnings)
	if err != nil {
		return err
	}
	return serve(ctx, cfg, name, l, append(runs, func(ctx context.Context) error { return p.pages.Run(ctx, l) }))
}

type parts struct {
	cfg      Config
	name     string // host name of the pages
	settings Settings
	own      *settingsStore
	queue    *queue.Queue

	device    *reader.Reader
	operators *users.Service
	counter   *edge.Counter
	days      *cashbook.Book
	slips     receipts
	updates   *updates
	pages     *ui.Kit
}

// open makes the parts and returns what runs, beside the pages.
func (p *parts) open(ctx context.Context, key ed25519.PrivateKey, warnings []edge.Warning) ([]func(context.Context) error, error) {
	cfg, s := p.cfg, p.settings
	tracer, export, err := openTracing(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if p.device, err = reader.New(reader.Config{Extra: cfg.ExtraDevices, Identities: p.own, Logger: cfg.Logger}); err != nil {
		return nil, err
	}
	if p.operators, err = openUsers(p.queue, s, cfg); err != nil {
		return nil, err
	}
	p.counter, err = edge.New(tracer.Queue(p.queue), p.device, edge.Config{
		Agent: s.Agent, AgentAadhaar: s.AgentAadhaar, Merchant: s.Merchant, MerchantID: s.MerchantID, TID: s.TID,
		Latitude: s.Latitude, Longitude: s.Longitude, AadhaarOf: p.operators.AadhaarOf, Rand: cfg.Rand, Logger: cfg.Logger,
	})
	if err != nil {
		return nil, err
	}
	if len(warnings) > 0 {
		p.counter.SetWarnings(warnings)
	}
	p.device.SetOnChange(p.counter.Notify)
	link, err := uplink.New(uplink.Config{
		URL: s.Uplink, TerminalID: s.TerminalID, Audience: s.Audience, Key: key,
		Version: cfg.Version, InUse: p.inUse, OnChange: p.counter.Notify, Rand: cfg.Rand, Logger: cfg.Logger,
	}, tracer.Receiver(p.counter))
	if err != nil {
		return nil, err
	}
	p.counter.SetLink(tracer.Link(link))
	if err := p.openDays(); err != nil {
		return nil, err
	}
	if p.slips, err = openPrinter(p.counter, p.own, s, cfg); err != nil {
		return nil, err
	}
	if p.updates, err = openUpdates(p.counter, p.queue, s, cfg); err != nil {
		return nil, err
	}
	search, err := p.openPages()
	if err != nil {
		return nil, err
	}
	purge := func(ctx context.Context) error { return purgeHistory(ctx, p.queue, link, cfg.Logger) }
	return []func(context.Context) error{p.counter.Run, link.Run, p.device.Run, p.slips.Run, search, export, p.updates.run, purge}, nil
}

// attended is how long after the last activity somebody may still look at the pages, which
// tell of activity once a minute.
const attended = 2 * time.Minute

// inUse reports whether somebody is at the counter or an operation is with the central.
func (p *parts) inUse() bool {
	return p.counter.IsWaiting() || time.Since(p.pages.LastActivity()) < attended
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
func serve(ctx context.Context, cfg Config, name string, l net.Listener, runs []func(context.Context) error) (err error) {
	if cfg.Updates == nil || cfg.Updates.Launcher == nil { // else the launcher writes the file
		remove, err := WritePIDFile(cfg.Data)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, remove()) }()
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, run := range runs {
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

// purgeInterval is how often operations that are older than queue.Retention are deleted.
const purgeInterval = 24 * time.Hour

// purgeHistory purges old operations once a day. It uses the central's clock, so it
// waits until the terminal is online: a wrong clock here must not delete.
func purgeHistory(ctx context.Context, q *queue.Queue, link edge.Link, log *slog.Logger) error {
	look := time.NewTicker(time.Hour)
	defer look.Stop()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
		state := link.State()
		now := time.Now().Add(state.Offset)
		if !state.Online || now.Sub(last) < purgeInterval {
			continue
		}
		gone, err := q.Purge(now.Add(-queue.Retention))
		if err != nil {
			log.Error("old operations can't be deleted; it is tried again", "error", err)
			continue
		}
		last = now
		log.Info("old operations were deleted", "count", gone)
	}
}
