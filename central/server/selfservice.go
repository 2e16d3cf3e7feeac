package server

import (
	"galla/central"
	"galla/central/accounts"
	"galla/central/httpapi"
	"galla/central/keys"
	"galla/central/selfservice"
	"galla/central/staff"
	"galla/central/store"
	"galla/central/webhook"
)

// audited are the parts with which people and vendors change keys, programs and callbacks.
// Each change is in the audit log.
type audited struct {
	log       *staff.AuditLog
	parties   *accounts.Service
	keys      *keys.Audited
	clients   *accounts.Audited
	callbacks *webhook.Audited
	own       *selfservice.Service // what vendors manage by themselves
}

func newAudited(cfg Config, k keys.Set, db *store.DB, engine *central.Engine, registry *central.TerminalRegistry) (audited, error) {
	parties, err := accounts.New(db.ForAccounts(), engine, httpapi.HashSecret, cfg.Rand)
	if err != nil {
		return audited{}, err
	}
	keyring, err := keys.NewVendorKeys(db, k.VendorMasters, cfg.Rand)
	if err != nil {
		return audited{}, err
	}
	secrets, err := webhook.NewVault(db, k.VendorMasters, cfg.Rand)
	if err != nil {
		return audited{}, err
	}
	log, err := staff.NewAuditLog(db, cfg.Rand)
	if err != nil {
		return audited{}, err
	}
	a := audited{
		log: log, parties: parties, keys: keys.NewAudited(keyring, log), clients: accounts.NewAudited(parties.ClientIssuer, db, registry, log),
		callbacks: webhook.NewAudited(db, secrets, log, cfg.Sandbox),
	}
	a.own, err = selfservice.New(selfservice.Parts{Keys: a.keys, Clients: db, Secrets: a.clients, Callbacks: a.callbacks, Merchants: db, Operations: db})
	return a, err
}
