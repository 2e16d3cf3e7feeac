package server

import (
	"context"
	"net"

	"galla/central/accounts"
	"galla/central/console"
	"galla/central/keys"
	"galla/central/reconcile"
	"galla/central/staff"
	"galla/central/store"
	"galla/shared/localname"
	"galla/shared/secret"
)

// newConsole creates the console, and a sandbox's staff.
func newConsole(ctx context.Context, cfg Config, k keys.Set, db *store.DB, parties *console.PartyPages) (*console.Console, error) {
	vault, err := staff.NewVault(db, db, k.VendorMasters, cfg.Rand)
	if err != nil {
		return nil, err
	}
	settings := staff.Config{Rand: cfg.Rand, Logger: cfg.Logger}
	if cfg.Sandbox {
		settings.Cost = sandboxCost()
	}
	members, err := staff.New(db.ForStaff(), vault, settings)
	if err != nil {
		return nil, err
	}
	if cfg.Sandbox {
		for _, p := range sandboxStaff() {
			if err := members.EnsurePreset(ctx, p, staff.Actor{From: "the sandbox"}); err != nil {
				return nil, err
			}
		}
	}
	reconciliation, err := reconcile.New(db, db, db, cfg.Node)
	if err != nil {
		return nil, err
	}
	parts := console.Parts{
		Staff: members, Vault: vault, Operations: db, Callbacks: db, Reconciliation: reconcile.NewAudited(reconciliation, members.AuditLog, vault, members.Independent), Parties: parties,
		CustomerKey: func(mobile string) accounts.CustomerKey { return accounts.CustomerByMobile(k.Fingerprint, mobile) },
	}
	name, err := localname.Ensure(cfg.CLIConfig().LocalNameFolder(), cfg.Rand)
	if err != nil {
		// Requests are served all the same, and the console over TLS.
		cfg.Logger.Error("the console's name on this machine can't be stored, so the console is not served without TLS: make the folder writable and restart", "error", err)
	}
	return console.New(parts, console.Config{Node: cfg.Node, LocalName: name, Rand: cfg.Rand, Logger: cfg.Logger})
}

// sandboxStaff is the staff of a sandbox's console: one member for each role.
func sandboxStaff() []staff.Preset {
	one := func(login, name string, role staff.Role, first byte) staff.Preset {
		key := make([]byte, 20)
		for i := range key {
			key[i] = first + byte(i)
		}
		return staff.Preset{Login: login, Name: name, Role: role, Password: secret.NewToken("sandbox-console-1"), Factor: secret.NewKey(key)}
	}
	return []staff.Preset{
		one("sandbox-admin", "Asha Kulkarni", staff.Admin, 0),
		one("sandbox-operator", "Ravi Menon", staff.Operator, 0x20),
		one("sandbox-viewer", "Vikram Das", staff.Viewer, 0x40),
	}
}

// private reports whether a listener is reachable from this machine only.
func private(l net.Listener) bool {
	tcp, ok := l.Addr().(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
