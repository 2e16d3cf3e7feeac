package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"galla/central"
	"galla/central/bank"
	"galla/central/commission"
	"galla/central/contract"
	"galla/central/door"
	"galla/central/gateway"
	"galla/central/guide"
	"galla/central/openapi"
	"galla/central/store"
	"galla/central/uplink"
	"galla/shared/op"
	"galla/shared/secret"
)

// pidFile holds the process id of a running central.
const pidFile = "central.pid"

// Run serves a central until ctx ends, then lets calls and operations under way
// finish (life has the order), and closes the database.
func Run(ctx context.Context, cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	k, err := loadKeys(cfg)
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
	db, err := openStore(ctx, cfg, store.Config{Node: cfg.Node, Logger: cfg.Logger, Ring: bell.Ring})
	if err != nil {
		return err
	}
	err = serve(ctx, cfg, k, db, bell, listeners)
	return errors.Join(err, db.Close())
}

// serve builds the parts and runs them side by side.
func serve(ctx context.Context, cfg Config, k keys, db *store.DB, bell *central.Bell, listeners []net.Listener) error {
	if err := seedSandbox(ctx, cfg, db); err != nil {
		return err
	}
	network, err := bank.New(bank.Config{BaseURL: cfg.BankURL, Key: k.bank, Timeout: cfg.BankTimeout, Logger: cfg.Logger})
	if err != nil {
		return err
	}
	r, err := loadRules(cfg)
	if err != nil {
		return err
	}
	tariff, err := commission.New(db, db, r.rates, commission.Config{Provider: cfg.Provider})
	if err != nil {
		return err
	}
	engine, err := central.NewEngine(db, network, contract.Renderer{}, bell, central.EngineConfig{
		Node: cfg.Node, BankTimeout: cfg.BankTimeout, Tariff: tariff, Rand: cfg.Rand, Logger: cfg.Logger,
	})
	if err != nil {
		return err
	}
	dispatcher, err := newDispatcher(ctx, engine, central.NewRegistry(db, bell, cfg.Rand), db, contract.Config{
		FingerprintKey: k.fingerprint, UplinkURL: cfg.uplinkURL(), Audience: uplinkAudience,
		Limits: r.limits, Handle: cfg.handle(), Rand: cfg.Rand, Logger: cfg.Logger,
	})
	if err != nil {
		return err
	}
	described, err := openapi.New(dispatcher, op.Table())
	if err != nil {
		return err
	}
	sealed, ways, err := openGateway(ctx, cfg, k, db, dispatcher)
	if err != nil {
		return err
	}
	if ways.Pages, err = pages(described); err != nil {
		return err
	}
	direct, err := door.New(dispatcher, db, ways)
	if err != nil {
		return err
	}
	terminals, err := uplink.New(dispatcher, db, bell, uplink.Config{Audience: uplinkAudience, Logger: cfg.Logger, Rand: cfg.Rand})
	if err != nil {
		return err
	}
	calls, err := newHouseDuties(cfg, k.vendorMasters, db)
	if err != nil {
		return err
	}
	forget, err := writePID(cfg)
	if err != nil {
		return err
	}
	defer forget()
	l := &life{lead: cfg.Lead, leave: direct.Leave, lost: db.Lost()}
	desk := admin{engine: engine, store: db, terminals: terminals, gateway: sealed, duties: calls, life: l, node: cfg.Node, log: cfg.Logger}
	l.doors = []func(context.Context) error{
		func(ctx context.Context) error { return direct.Run(ctx, listeners[0]) },
		func(ctx context.Context) error { return terminals.Run(ctx, listeners[2]) },
	}
	l.work = []func(context.Context) error{engine.Run, sealed.Run, calls.run}
	l.desk = []func(context.Context) error{func(ctx context.Context) error { return desk.run(ctx, listeners[1]) }}
	cfg.Logger.Info("central is serving", "node", cfg.Node, "database", db.Name(), "direct", cfg.Addr, "admin", cfg.AdminAddr, "uplink", cfg.UplinkAddr, "bank", cfg.BankURL, "sandbox", cfg.Sandbox)
	return l.run(ctx)
}

// pages are the description of the interface, for programs and for people.
func pages(d *openapi.Document) (map[string]door.Page, error) {
	partners, err := guide.Page()
	if err != nil {
		return nil, fmt.Errorf("write the partners' guide: %w", err)
	}
	const html = "text/html; charset=utf-8"
	return map[string]door.Page{
		"/openapi.json": {ContentType: "application/json", Body: d.JSON()},
		"/docs":         {ContentType: html, Body: d.Page(), Style: d.Style()},
		"/docs/gateway": {ContentType: html, Body: partners, Style: guide.Style()},
	}, nil
}

// openGateway makes the vendor gateway, and the configuration of the door that
// it stands behind.
func openGateway(ctx context.Context, cfg Config, k keys, db *store.DB, dispatcher central.Dispatcher) (*gateway.Gateway, door.Config, error) {
	safe, err := gateway.NewSafe(db, k.vendorMasters, cfg.Rand)
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
		Issuer: issuer, Audience: audience, Keys: []secret.Key{k.token}, Rates: db, Gateway: g, Rand: cfg.Rand, Logger: cfg.Logger,
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
