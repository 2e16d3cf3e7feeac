package server

import (
	"context"

	"galla/central"
	"galla/central/accounts"
	"galla/central/console"
	"galla/central/iin"
	"galla/central/keys"
	"galla/central/limits"
	"galla/central/staff"
	"galla/central/store"
)

// pages are those for people: of the staff, and of vendors.
type pages struct {
	console *console.Console
	portal  *console.Portal
	reports reportParts
}

func newPages(ctx context.Context, cfg Config, k keys.Set, db *store.DB, a audited, registry *central.TerminalRegistry, handler central.Handler, rules *limits.RuleSet) (p pages, err error) {
	vault, err := staff.NewVault(db, db, k.VendorMasters, cfg.Rand)
	if err != nil {
		return p, err
	}
	people, err := newPeople(cfg, db, vault, staff.Portal())
	if err != nil {
		return p, err
	}
	parties, err := newPartyPages(cfg, a, db, registry, handler, rules, people)
	if err != nil {
		return p, err
	}
	name := localName(cfg)
	if p.portal, err = newPortal(ctx, cfg, db, people, a.own, name); err != nil {
		return p, err
	}
	if p.reports, err = newReports(cfg, db, parties.Banks); err != nil {
		return p, err
	}
	p.console, err = newConsole(ctx, cfg, k, db, vault, parties, p.reports.pages, name)
	return p, err
}

// newPartyPages creates the console's pages about parties.
func newPartyPages(cfg Config, a audited, db *store.DB, registry *central.TerminalRegistry, handler central.Handler, rules *limits.RuleSet, people *staff.Service) (*console.PartyPages, error) {
	banks, err := iin.Load()
	if err != nil {
		return nil, err
	}
	return console.NewPartyPages(console.PartyParts{
		Accounts: a.parties, Changes: accounts.NewAuditedParties(a.parties.PartyEditor, a.log), Registry: registry, Handler: handler, Keys: a.keys, Banks: banks, Lookups: db, Limits: rules, Network: db,
		Clients: a.clients, Callbacks: a.callbacks, People: people, Payments: db, Status: statusReader{db, cfg.Data},
	})
}
