package server

import (
	"galla/central"
	"galla/central/accounts"
	"galla/central/console"
	"galla/central/httpapi"
	"galla/central/iin"
	"galla/central/keys"
	"galla/central/staff"
	"galla/central/store"
	"galla/central/webhook"
)

// newPartyPages creates the console's pages about parties.
func newPartyPages(cfg Config, k keys.Set, db *store.DB, engine *central.Engine, registry *central.TerminalRegistry, handler central.Handler) (*console.PartyPages, error) {
	parties, err := accounts.New(db.ForAccounts(), engine, httpapi.HashSecret, cfg.Rand)
	if err != nil {
		return nil, err
	}
	keyring, err := keys.NewVendorKeys(db, k.VendorMasters, cfg.Rand)
	if err != nil {
		return nil, err
	}
	secrets, err := webhook.NewVault(db, k.VendorMasters, cfg.Rand)
	if err != nil {
		return nil, err
	}
	banks, err := iin.Load()
	if err != nil {
		return nil, err
	}
	log, err := staff.NewAuditLog(db, cfg.Rand)
	if err != nil {
		return nil, err
	}
	return console.NewPartyPages(console.PartyParts{
		Accounts: parties, Changes: accounts.NewAuditedParties(parties.PartyEditor, log), Registry: registry, Handler: handler, Keys: keys.NewAudited(keyring, log), Banks: banks, Lookups: db,
		Clients: accounts.NewAudited(parties.ClientIssuer, db, registry, log), Callbacks: webhook.NewAudited(db, secrets, log, cfg.Sandbox),
	})
}
