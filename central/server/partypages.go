package server

import (
	"context"

	"galla/central"
	"galla/central/accounts"
	"galla/central/console"
	"galla/central/gateway"
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
	keyring, err := gateway.NewKeyStore(db, k.VendorMasters, cfg.Rand)
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
		Accounts: parties, Registry: registry, Handler: handler, Keys: vendorKeys{keyring}, Banks: banks, Lookups: db,
		Clients: accounts.NewAudited(parties.ClientIssuer, db, registry, log), Callbacks: webhook.NewAudited(db, secrets, log, cfg.Sandbox),
	})
}

// vendorKeys are the gateway's keys as the console manages them.
type vendorKeys struct{ vault *gateway.KeyStore }

// Issue implements console.VendorKeys.
func (v vendorKeys) Issue(ctx context.Context, vendor central.VendorID) (console.IssuedKey, error) {
	k, err := v.vault.Add(ctx, vendor)
	return console.IssuedKey{ID: k.ID, APIKey: k.APIKey, Key: k.Key}, err
}

// KeysOf implements console.VendorKeys.
func (v vendorKeys) KeysOf(ctx context.Context, vendor central.VendorID) ([]console.Key, error) {
	list, err := v.vault.List(ctx, vendor)
	var out []console.Key
	for _, k := range list {
		out = append(out, console.Key{VendorKey: k, Master: v.vault.MasterNumber(k)})
	}
	return out, err
}

// Revoke implements console.VendorKeys.
func (v vendorKeys) Revoke(ctx context.Context, id central.KeyID) error {
	_, err := v.vault.Revoke(ctx, string(id))
	return err
}
