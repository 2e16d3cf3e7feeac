package server

import (
	"context"
	"net"

	"galla/central"
	"galla/central/accounts"
	"galla/central/console"
	"galla/central/keys"
	"galla/central/reconcile"
	"galla/central/selfservice"
	"galla/central/staff"
	"galla/central/store"
	"galla/shared/localname"
	"galla/shared/secret"
)

// newPeople creates the service of the console's staff or of vendors' people.
func newPeople(cfg Config, db *store.DB, vault *staff.Vault, realm staff.Realm) (*staff.Service, error) {
	settings := staff.Config{Realm: realm, Rand: cfg.Rand, Logger: cfg.Logger}
	if cfg.Sandbox {
		settings.Cost = sandboxCost()
	}
	return staff.New(db.ForStaff(), vault, settings)
}

// newPortal creates the portal, and a sandbox's people of vendors.
func newPortal(ctx context.Context, cfg Config, db *store.DB, people *staff.Service, own *selfservice.Service, name string) (*console.Portal, error) {
	if cfg.Sandbox {
		for _, p := range sandboxPeople() {
			if err := people.Within(p.vendor).EnsurePreset(ctx, p.Preset, staff.Actor{From: "the sandbox"}); err != nil {
				return nil, err
			}
		}
	}
	return console.NewPortal(console.PortalParts{People: people, Own: own, Vendors: db}, console.Config{Node: cfg.Node, LocalName: name, Rand: cfg.Rand, Logger: cfg.Logger})
}

// localName is the name under which a browser of this machine opens the console and the
// portal without TLS; empty: it can't be stored.
func localName(cfg Config) string {
	name, err := localname.Ensure(cfg.CLIConfig().LocalNameFolder(), cfg.Rand)
	if err != nil {
		// Requests are served all the same, and pages over TLS.
		cfg.Logger.Error("the console's name on this machine can't be stored, so console and portal are not served without TLS: make the folder writable and restart", "error", err)
	}
	return name
}

// sandboxPerson is a person of a sandbox's vendor.
type sandboxPerson struct {
	staff.Preset
	vendor central.VendorID
}

// sandboxPeople are the people of the sandbox's first vendor, one of each role, and of its
// second one.
func sandboxPeople() []sandboxPerson {
	one := func(login, name string, role staff.Role, first byte, vendor central.VendorID) sandboxPerson {
		return sandboxPerson{sandboxPreset(login, name, role, "sandbox-portal-1", first), vendor}
	}
	return []sandboxPerson{
		one("sahyadri-owner", "Meera Joshi", staff.Owner, 0x60, vendorV1),
		one("sahyadri-member", "Arjun Pawar", staff.PortalMember, 0x80, vendorV1),
		one("deccan-owner", "Farah Khan", staff.Owner, 0xa0, vendorV2),
	}
}

// sandboxPreset is an account with public secrets.
func sandboxPreset(login, name string, role staff.Role, password string, first byte) staff.Preset {
	key := make([]byte, 20)
	for i := range key {
		key[i] = first + byte(i)
	}
	return staff.Preset{Login: login, Name: name, Role: role, Password: secret.NewToken(password), Factor: secret.NewKey(key)}
}

// newConsole creates the console, and a sandbox's staff.
func newConsole(ctx context.Context, cfg Config, k keys.Set, db *store.DB, vault *staff.Vault, parties *console.PartyPages, reports console.ReportParts, name string) (*console.Console, error) {
	members, err := newPeople(cfg, db, vault, staff.Realm{})
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
		Staff: members, Vault: vault, Operations: db, Callbacks: db, Payments: db, Reconciliation: reconcile.NewAudited(reconciliation, members.AuditLog, vault, members.Independent), Log: logReader{db}, Parties: parties, Reports: reports,
		CustomerKey: func(mobile string) accounts.CustomerKey { return accounts.CustomerByMobile(k.Fingerprint, mobile) },
	}
	return console.New(parts, console.Config{Node: cfg.Node, LocalName: name, Rand: cfg.Rand, Logger: cfg.Logger})
}

// sandboxStaff is the staff of a sandbox's console: one member for each role.
func sandboxStaff() []staff.Preset {
	one := func(login, name string, role staff.Role, first byte) staff.Preset {
		return sandboxPreset(login, name, role, "sandbox-console-1", first)
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
