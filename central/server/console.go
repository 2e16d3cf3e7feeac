package server

import (
	"context"
	"net"

	"galla/central/console"
	"galla/central/credential"
	"galla/central/operator"
	"galla/central/settle"
	"galla/central/store"
	"galla/shared/localname"
	"galla/shared/password"
	"galla/shared/secret"
)

// newConsole makes the operators' console, and seeds the sandbox's operators.
func newConsole(ctx context.Context, cfg Config, k credential.Keys, db *store.DB, rooms ...console.Room) (*console.Console, error) {
	safe, err := operator.NewSafe(db, db, k.VendorMasters, cfg.Rand)
	if err != nil {
		return nil, err
	}
	settings := operator.Config{Rand: cfg.Rand, Logger: cfg.Logger}
	if cfg.Sandbox {
		// Its passwords are public: nothing is gained by making them slow.
		settings.Cost = password.Cost{Memory: 8 << 10, Passes: 1, Lanes: 1}
	}
	people, err := operator.New(db, safe, settings)
	if err != nil {
		return nil, err
	}
	if cfg.Sandbox {
		for _, p := range sandboxOperators() {
			if err := people.Put(ctx, p, operator.Actor{From: "the sandbox"}); err != nil {
				return nil, err
			}
		}
	}
	desk, err := settle.NewDesk(db, db, db, cfg.Node)
	if err != nil {
		return nil, err
	}
	parts := console.Parts{
		People: people, Safe: safe, Operations: db, Callbacks: db, Mobiles: operator.NewMobileKey(k.Fingerprint), Settlement: desk, Rooms: rooms,
	}
	name, err := localname.Ensure(cfg.Office().NameFolder(), cfg.Rand)
	if err != nil {
		// Calls are served all the same, and the console over TLS.
		cfg.Logger.Error("the console has no name of its own on this machine, so that it is not served without TLS: make the folder writable and start again", "error", err)
	}
	return console.New(parts, console.Config{Node: cfg.Node, LocalName: name, Rand: cfg.Rand, Logger: cfg.Logger})
}

// sandboxOperators are the people of a sandbox's console: one for each role, and
// a second one who may decide.
func sandboxOperators() []operator.Known {
	one := func(login, name string, role operator.Role, first byte) operator.Known {
		key := make([]byte, 20)
		for i := range key {
			key[i] = first + byte(i)
		}
		return operator.Known{Login: login, Name: name, Role: role, Password: secret.NewToken("sandbox-console-1"), Factor: secret.NewKey(key)}
	}
	return []operator.Known{
		one("sandbox-admin", "Asha Kulkarni", operator.Admin, 0),
		one("sandbox-operator", "Ravi Menon", operator.Operator, 0x20),
		one("sandbox-viewer", "Vikram Das", operator.Viewer, 0x40),
	}
}

// private tells whether a listener is reached from this machine only.
func private(l net.Listener) bool {
	tcp, ok := l.Addr().(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
