package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"galla/central"
	"galla/central/bank"
	"galla/central/commission"
	"galla/central/contract"
	"galla/central/credential"
	"galla/central/customer"
	"galla/central/door"
	"galla/central/gateway"
	"galla/central/keep"
	"galla/central/offer"
	"galla/central/office"
	"galla/central/openapi"
	"galla/central/operator"
	"galla/central/settle"
	"galla/central/store"
	"galla/central/uplink"
	"galla/central/watch"
	"galla/shared/op"
	"galla/shared/secret"
)

// pidFile holds the process id of a running central.
const pidFile = "central.pid"

// Run serves a central until ctx ends, then lets calls and operations under way
// finish (life has the order), and closes the database. A ctx that ends while the
// central still starts is no error either: the next start goes on from there.
func Run(ctx context.Context, cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	err := start(ctx, cfg)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		cfg.Logger.Info("the central was told to stop while it started", "at", err)
		return nil
	}
	return err
}

// start opens what a central needs, and serves.
func start(ctx context.Context, cfg Config) error {
	if err := inTheClear(cfg); err != nil {
		return fmt.Errorf("the bank: %w", err)
	}
	k, err := credential.Load(cfg.credentials())
	if err == nil && !cfg.Sandbox {
		err = readByOthers(filepath.Join(cfg.Data, "keys"))
	}
	if err != nil {
		return err
	}
	shown, err := credential.Open(cfg.TLSCert, cfg.TLSKey, cfg.Logger)
	if err != nil {
		return err
	}
	listeners, err := listen(cfg.Addr, cfg.AdminAddr, cfg.UplinkAddr)
	if err != nil {
		return err
	}
	defer func() {
		for _, l := range listeners {
			_ = l.Close() // closed already where its server ran
		}
	}()
	bell := central.NewBell()
	db, err := office.OpenStore(ctx, cfg.Office(), store.Config{Node: cfg.Node, Logger: cfg.Logger, Ring: bell.Ring})
	if err != nil {
		return err
	}
	w, spans, err := newWatch(ctx, cfg)
	if err == nil {
		cfg.Logger = slog.New(watch.Log(cfg.Logger.Handler()))
		err = serve(ctx, cfg, k, db, bell, front{listeners, shown}, w, spans)
		over, cancel := context.WithCancel(ctx)
		cancel()
		err = errors.Join(err, spans.Run(over)) // where it did not come to run
	}
	return errors.Join(err, db.Close())
}

// front is where calls come in: the direct door, the admin desk and the uplink,
// in this order, and the certificate of the two that are public.
type front struct {
	listeners []net.Listener
	shown     *credential.Certificate
}

// public gives a public listener as the doors see it.
func (f front) public(i int) net.Listener { return f.shown.Guard(f.listeners[i]) }

// serve builds the parts and runs them side by side.
func serve(ctx context.Context, cfg Config, k credential.Keys, db *store.DB, bell *central.Bell, front front, w *watch.Watch, spans teller) error {
	if err := errors.Join(refuseSandbox(ctx, cfg, db), seedSandbox(ctx, cfg, db)); err != nil {
		return err
	}
	r, err := loadRules(cfg)
	if err != nil {
		return err
	}
	engine, err := newEngine(cfg, k, db, bell, r, w)
	if err != nil {
		return err
	}
	registry := central.NewRegistry(db, bell, cfg.Rand)
	dispatcher, err := newDispatcher(ctx, engine, registry, db, contract.Config{
		FingerprintKey: k.Fingerprint, UplinkURL: cfg.uplinkURL(), Audience: uplinkAudience,
		Limits: r.limits, Handle: cfg.handle(), Sandbox: cfg.Sandbox, Rand: cfg.Rand, Logger: cfg.Logger,
	})
	if err != nil {
		return err
	}
	described, err := openapi.New(dispatcher, op.Table())
	if err != nil {
		return err
	}
	sealed, ways, err := openGateway(ctx, cfg, k, db, w.Calls(watch.Gateway, dispatcher))
	if err != nil {
		return err
	}
	if ways.Pages, ways.Redirects, err = pages(cfg, described); err != nil {
		return err
	}
	direct, err := door.New(w.Calls(watch.Direct, dispatcher), db, ways)
	if err != nil {
		return err
	}
	terminals, err := newUplink(cfg, w.Calls(watch.Uplink, dispatcher), db, bell)
	if err != nil {
		return err
	}
	house, err := newEstate(cfg, k, db, engine, registry, dispatcher)
	if err != nil {
		return err
	}
	pages, err := newConsole(ctx, cfg, k, db, house)
	if err != nil {
		return err
	}
	calls, err := newHouseDuties(cfg, k.VendorMasters, db, house.Roll.Chore())
	if err != nil {
		return err
	}
	forget, err := writePID(cfg)
	if err != nil {
		return err
	}
	defer forget()
	l := &life{lead: cfg.Lead, leave: direct.Leave, lost: db.Lost()}
	desk := admin{engine: engine, store: db, terminals: terminals, gateway: sealed, duties: calls, life: l, node: cfg.Node, data: cfg.Data, version: cfg.Version, watch: w, shown: front.shown, console: pages, log: cfg.Logger}
	if err := desk.register(); err != nil {
		return err
	}
	l.doors = []func(context.Context) error{
		func(ctx context.Context) error { return direct.Run(ctx, front.public(0)) },
		func(ctx context.Context) error { return terminals.Run(ctx, front.public(2)) },
	}
	l.work = []func(context.Context) error{engine.Run, sealed.Run, calls.run}
	l.desk = []func(context.Context) error{spans.Run, func(ctx context.Context) error { return desk.run(ctx, front.listeners[1]) }}
	cfg.Logger.Info("central is serving", "node", cfg.Node, "database", db.Name(), "direct", cfg.Addr, "admin", cfg.AdminAddr, "uplink", cfg.UplinkAddr, "bank", cfg.BankURL, "sandbox", cfg.Sandbox)
	return l.run(ctx)
}

// newEngine makes the engine, watched, with the bank behind it: the network, with
// what reconciliation has decided beside it.
func newEngine(cfg Config, k credential.Keys, db *store.DB, bell *central.Bell, r rules, w *watch.Watch) (*central.Engine, error) {
	network, err := bank.New(bank.Config{BaseURL: cfg.BankURL, Key: k.Bank, Timeout: cfg.BankTimeout, Logger: cfg.Logger})
	if err != nil {
		return nil, err
	}
	noted, err := operator.NewNoting(w.Bank(network), db, operator.NewMobileKey(k.Fingerprint), cfg.Logger)
	if err != nil {
		return nil, err
	}
	decided, err := settle.NewBank(noted, db, cfg.Logger)
	if err != nil {
		return nil, err
	}
	tariff, err := commission.New(db, db, r.rates, commission.Config{Provider: cfg.Provider})
	if err != nil {
		return nil, err
	}
	return central.NewEngine(w.Steps(db), decided, contract.Renderer{}, bell, central.EngineConfig{
		Node: cfg.Node, BankTimeout: cfg.BankTimeout, Tariff: tariff, Rand: cfg.Rand, Logger: cfg.Logger,
	})
}

// newUplink makes the terminals' end, with the releases of their program beside
// it.
func newUplink(cfg Config, dispatcher central.Dispatcher, db *store.DB, bell *central.Bell) (*uplink.Server, error) {
	c := uplink.Config{
		Audience: uplinkAudience, Logger: cfg.Logger, Rand: cfg.Rand,
		Network: func(r *http.Request) string { return door.NetworkOf(r, cfg.TrustedProxies) },
	}
	if cfg.Updates != "" {
		releases, err := offer.New(offer.Config{Folder: cfg.Updates, Shared: cfg.TrustedProxies, Rand: cfg.Rand, Logger: cfg.Logger})
		if err != nil {
			return nil, err
		}
		c.Beside = map[string]http.Handler{offer.Path: releases}
	}
	return uplink.New(dispatcher, db, bell, c)
}

// openGateway makes the vendor gateway, and the configuration of the door that
// it stands behind.
func openGateway(ctx context.Context, cfg Config, k credential.Keys, db *store.DB, dispatcher central.Dispatcher) (*gateway.Gateway, door.Config, error) {
	safe, err := gateway.NewSafe(db, k.VendorMasters, cfg.Rand)
	if err != nil {
		return nil, door.Config{}, err
	}
	if cfg.Sandbox {
		if err := seedKeys(ctx, safe); err != nil {
			return nil, door.Config{}, err
		}
	}
	g, err := gateway.New(dispatcher, db, safe, cfg.gateway())
	if err != nil {
		return nil, door.Config{}, err
	}
	ways := door.Config{
		Issuer: issuer, Audience: audience, Keys: []secret.Key{k.Token}, Rates: db, Gateway: g, Trusted: cfg.TrustedProxies, Rand: cfg.Rand, Logger: cfg.Logger,
	}
	if cfg.Sandbox {
		ways.Explainer = g
		ways.StrangerRate = sandboxStrangers
	}
	return g, ways, nil
}

// listen opens all addresses, or none, and names the one that is taken.
func listen(addrs ...string) ([]net.Listener, error) {
	var open []net.Listener
	for _, addr := range addrs {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			for _, o := range open {
				_ = o.Close()
			}
			return nil, fmt.Errorf("address %s can't be opened (is another program, or another central, on it?): %w", addr, err)
		}
		open = append(open, l)
	}
	return open, nil
}

// writePID tells the process's own id to whoever supervises it.
func writePID(cfg Config) (forget func(), err error) {
	path := cmp.Or(cfg.PIDFile, filepath.Join(cfg.Data, pidFile))
	if err := os.WriteFile(path, fmt.Appendln(nil, os.Getpid()), 0o644); err != nil {
		return nil, fmt.Errorf("write the process id: %w", err)
	}
	return func() { _ = os.Remove(path) }, nil
}

// newDispatcher makes the path that every call takes. Before the engine and the
// records stands what a database that was put back may not say.
func newDispatcher(ctx context.Context, engine *central.Engine, registry *central.Registry, db *store.DB, cfg contract.Config) (*contract.Dispatcher, error) {
	gap, err := keep.LoadGap(ctx, db)
	if err != nil {
		return nil, err
	}
	if holds, err := gap.Holds(ctx); err == nil && holds {
		cfg.Logger.Warn("the database was put back from a backup: new identities of the direct doors are refused until a person says 'galla-central restore release'")
	}
	return contract.New(keep.NewDesk(engine, gap, db, cfg.Logger), registry, records{keep.NewRecords(db, gap), db, db}, db, cfg)
}

// records are what the routes read.
type records struct {
	*keep.Records
	customer.Customers
	customer.Correspondents
}
