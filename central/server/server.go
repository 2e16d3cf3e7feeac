package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"

	"galla/central"
	"galla/central/admincli"
	"galla/central/api"
	"galla/central/bank"
	"galla/central/cache"
	"galla/central/console"
	"galla/central/gateway"
	"galla/central/httpapi"
	"galla/central/keys"
	"galla/central/recovery"
	"galla/central/store"
	"galla/central/telemetry"
	"galla/central/updates"
	"galla/central/uplink"
	"galla/shared/files"
	"galla/shared/secret"
)

// pidFile is the name of the file with the process id.
const pidFile = "central.pid"

// Run serves a central until ctx ends, then lets requests and operations under way finish
// (lifecycle has the order), and closes the database. It is no error if ctx ends while
// the central starts: the next start continues from there.
func Run(ctx context.Context, cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	err := start(ctx, cfg)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		cfg.Logger.Info("the central was stopped while it started", "at", err)
		return nil
	}
	return err
}

// start opens what a central needs, then serves.
func start(ctx context.Context, cfg Config) error {
	if err := checkBankURL(cfg); err != nil {
		return fmt.Errorf("the bank: %w", err)
	}
	k, err := keys.Load(cfg.keyConfig())
	if err == nil && !cfg.Sandbox {
		err = readByOthers(filepath.Join(cfg.Data, "keys"))
	}
	if err != nil {
		return err
	}
	shown, err := keys.OpenCertificate(cfg.TLSCert, cfg.TLSKey, cfg.Logger)
	if err != nil {
		return err
	}
	listeners, err := listen(cfg.Addr, cfg.AdminAddr, cfg.UplinkAddr)
	if err != nil {
		return err
	}
	defer func() {
		for _, l := range listeners {
			_ = l.Close() // an error if its server has run and closed it
		}
	}()
	notifier := central.NewNotifier()
	db, err := admincli.OpenStore(ctx, cfg.CLIConfig(), store.Config{Node: cfg.Node, Logger: cfg.Logger, OnNotify: notifier.Notify})
	if err != nil {
		return err
	}
	w, spans, err := newTelemetry(ctx, cfg)
	if err == nil {
		cfg.Logger = slog.New(telemetry.LogHandler(cfg.Logger.Handler()))
		err = serve(ctx, cfg, k, db, notifier, publicListeners{listeners, shown}, w, spans)
		over, cancel := context.WithCancel(ctx)
		cancel()
		err = errors.Join(err, spans.Run(over)) // flushes if serve failed before it ran
	}
	return errors.Join(err, db.Close())
}

// publicListeners are the listeners of the direct routes, the admin server and the uplink,
// in this order, and the certificate of the direct routes and the uplink.
type publicListeners struct {
	listeners   []net.Listener
	certificate *keys.Certificate
}

// listener returns a listener, with TLS if there is a certificate.
func (f publicListeners) listener(i int) net.Listener {
	return f.certificate.WrapListener(f.listeners[i])
}

// admin returns the admin server's listener, with TLS if it is configured.
func (f publicListeners) admin(tls bool) net.Listener {
	if tls {
		return f.listener(1)
	}
	return f.listeners[1]
}

// serve creates the parts and runs them side by side.
func serve(ctx context.Context, cfg Config, k keys.Set, db *store.DB, notifier *central.Notifier, public publicListeners, w *telemetry.Metrics, spans spanExporter) (err error) {
	if err := errors.Join(refuseSandbox(ctx, cfg, db), seedSandbox(ctx, cfg, db)); err != nil {
		return err
	}
	r, err := loadRules(cfg)
	if err != nil {
		return err
	}
	network, err := bank.New(cfg.bank(k.Bank))
	if err != nil {
		return err
	}
	defer network.Close() // after the engine's last request
	watch, parties := newCache(db)
	engine, received, err := newMoneyPaths(cfg, k, network, db, parties, notifier, r, w)
	if err != nil {
		return err
	}
	registry := central.NewTerminalRegistry(db, notifier, cfg.Rand)
	changes, err := newAudited(cfg, k, db, engine, registry)
	if err != nil {
		return err
	}
	handler, err := newHandler(ctx, engine, registry, db, parties, changes, api.Config{
		FingerprintKey: k.Fingerprint, UplinkURL: cfg.uplinkURL(), Audience: uplinkAudience,
		Payments: received.Service, Limits: r.limits, UPIHandle: cfg.handle(), Sandbox: cfg.Sandbox, Rand: cfg.Rand, Logger: cfg.Logger,
	})
	if err != nil {
		return err
	}
	vendors, directConfig, err := newGateway(ctx, cfg, k, db, watch, w.WrapHandler(telemetry.Gateway, handler))
	if err != nil {
		return err
	}
	site, err := newPages(ctx, cfg, k, db, changes, registry, handler, r.limits)
	if err != nil {
		return err
	}
	directConfig.Sites = map[string]http.Handler{console.PortalRoot: site.portal.Handler(), networkRoot: received.notifications}
	direct, err := httpapi.New(w.WrapHandler(telemetry.Direct, handler), db, parties, directConfig)
	if err != nil {
		return err
	}
	terminals, err := newUplink(cfg, k, w.WrapHandler(telemetry.Uplink, handler), db, parties, notifier)
	if err != nil {
		return err
	}
	background, err := newBackgroundWithSchedule(cfg, k, db, append(append(received.jobs(db), changes.parties.FloatJob(), changes.parties.DayJob()), site.reports.jobs...)...)
	if err != nil {
		return err
	}
	removePID, err := files.WritePID(cmp.Or(cfg.PIDFile, filepath.Join(cfg.Data, pidFile)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removePID()) }()
	l := &lifecycle{drainDelay: cfg.DrainDelay, closeConnections: direct.AnnounceShutdown, lost: db.NodeNameLost()}
	admin := adminServer{engine: engine, store: db, bank: network, terminals: terminals, gateway: vendors, background: background, lifecycle: l, node: cfg.Node, data: cfg.Data, version: cfg.Version, metrics: w, certificate: public.certificate, tls: cfg.AdminTLS, console: site.console, log: cfg.Logger}
	if err := errors.Join(admin.register(), admin.addDocs(directConfig.Pages)); err != nil {
		return err
	}
	l.entrances = []func(context.Context) error{
		func(ctx context.Context) error { return direct.Run(ctx, public.listener(0)) },
		func(ctx context.Context) error { return terminals.Run(ctx, public.listener(2)) },
	}
	l.work = []func(context.Context) error{engine.Run, vendors.Run, background.run}
	l.admin = []func(context.Context) error{spans.Run, func(ctx context.Context) error { return admin.run(ctx, public.admin(cfg.AdminTLS)) }}
	cfg.Logger.Info("central is serving", "node", cfg.Node, "database", db.Name(), "direct", cfg.Addr, "admin", cfg.AdminAddr, "uplink", cfg.UplinkAddr, "bank", cfg.BankURL, "sandbox", cfg.Sandbox)
	return l.run(ctx)
}

// newCache creates the memory of what hardly changes, and the watch over it.
func newCache(db *store.DB) (*cache.Watch, *cache.Parties) {
	watch := cache.NewWatch(db)
	return watch, cache.NewParties(db, watch)
}

// newEngine creates the engine. Its store and bank are metered; nothing else wraps them.
func newEngine(cfg Config, network central.Bank, db *store.DB, tariff central.Tariff, notifier *central.Notifier, w *telemetry.Metrics) (*central.Engine, error) {
	load := cfg.Load.inForce(cfg.Sandbox)
	return central.NewEngine(w.WrapStore(db), w.WrapBank(network), api.Renderer{}, notifier, central.EngineConfig{
		Node: cfg.Node, BankTimeout: cfg.BankTimeout, MaxInFlight: load.BankConcurrency, Enquiries: central.EnquiryConfig{Batch: load.BankEnquiries}, Decisions: db, Tariff: tariff, Rand: cfg.Rand, Logger: cfg.Logger,
	})
}

// newUplink creates the terminals' entrance; its address also serves the releases of the
// counter's program.
func newUplink(cfg Config, k keys.Set, handler central.Handler, db *store.DB, parties *cache.Parties, notifier *central.Notifier) (*uplink.Server, error) {
	witnesses, err := newWitnesses(k, db)
	if err != nil {
		return nil, err
	}
	c := uplink.Config{
		Log: witnesses, Audience: uplinkAudience, Greetings: cfg.UplinkGreetings, Merchant: parties.Merchant, Logger: cfg.Logger, Rand: cfg.Rand,
		Network: func(r *http.Request) string { return httpapi.NetworkOf(r, cfg.TrustedProxies) },
	}
	if cfg.Updates != "" {
		releases, err := updates.New(updates.Config{Folder: cfg.Updates, Proxies: cfg.TrustedProxies, Rand: cfg.Rand, Logger: cfg.Logger})
		if err != nil {
			return nil, err
		}
		c.OtherHandlers = map[string]http.Handler{updates.Path: releases}
	}
	return uplink.New(handler, db, notifier, c)
}

// newGateway creates the vendor gateway, and the configuration of the HTTP server that
// it is reached through.
func newGateway(ctx context.Context, cfg Config, k keys.Set, db *store.DB, watch *cache.Watch, handler central.Handler) (*gateway.Gateway, httpapi.Config, error) {
	vault, err := keys.NewVendorKeys(db, k.VendorMasters, cfg.Rand)
	if err != nil {
		return nil, httpapi.Config{}, err
	}
	if cfg.Sandbox {
		if err := seedKeys(ctx, vault); err != nil {
			return nil, httpapi.Config{}, err
		}
	}
	g, err := gateway.New(handler, db, vault, watch, cfg.gateway())
	if err != nil {
		return nil, httpapi.Config{}, err
	}
	direct := cfg.Load.inForce(cfg.Sandbox).direct(httpapi.Config{
		Issuer: issuer, Audience: audience, Keys: []secret.Key{k.Token}, Rates: db, Gateway: g, Trusted: cfg.TrustedProxies, Rand: cfg.Rand, Logger: cfg.Logger,
	})
	if cfg.Sandbox {
		direct.Explainer = g
	}
	direct.Pages, direct.Redirects, err = docPages(cfg)
	return g, direct, err
}

// listen opens all addresses, or none; the error names the one that can't be opened.
func listen(addrs ...string) ([]net.Listener, error) {
	var open []net.Listener
	for _, addr := range addrs {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			for _, o := range open {
				_ = o.Close()
			}
			return nil, fmt.Errorf("address %s can't be opened (does another program or another central use it?): %w", addr, err)
		}
		open = append(open, l)
	}
	return open, nil
}

// cachedStore is the database whose merchants, vendors and terminals come from memory:
// the methods of Parties stand before those of the database's areas.
type cachedStore struct {
	*store.DB
	*cache.Parties
}

// newHandler creates the handler of all requests.
func newHandler(ctx context.Context, engine *central.Engine, registry *central.TerminalRegistry, db *store.DB, parties *cache.Parties, changes audited, cfg api.Config) (*api.Handler, error) {
	cfg.SelfService = changes.own
	gap, err := recovery.LoadGap(ctx, db, db, cfg.Logger)
	if err != nil {
		return nil, err
	}
	if holds, err := gap.HoldsNewIdentities(ctx); err == nil && holds {
		cfg.Logger.Warn("the database was restored from a backup: new operations of the direct routes and the gateway are refused until somebody runs 'galla-central restore release'")
	}
	cfg.Recovery = gap
	return api.New(engine, registry, cachedStore{db, parties}, cachedStore{db, parties}, db, cfg)
}
