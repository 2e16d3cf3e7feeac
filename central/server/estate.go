package server

import (
	"context"

	"galla/central"
	"galla/central/callback"
	"galla/central/console/estate"
	"galla/central/credential"
	"galla/central/door"
	"galla/central/duty"
	"galla/central/gateway"
	"galla/central/iin"
	"galla/central/parties"
	"galla/central/store"
	"galla/shared/secret"
)

// newEstate makes the console's pages about parties, and the roll behind them.
func newEstate(cfg Config, k credential.Keys, db *store.DB, engine *central.Engine, registry *central.Registry, calls central.Dispatcher) (*estate.Estate, error) {
	roll, err := parties.New(db, engine, door.HashSecret, cfg.Rand)
	if err != nil {
		return nil, err
	}
	keys, err := gateway.NewSafe(db, k.VendorMasters, cfg.Rand)
	if err != nil {
		return nil, err
	}
	secrets, err := callback.NewSafe(db, k.VendorMasters, cfg.Rand)
	if err != nil {
		return nil, err
	}
	banks, err := iin.Load()
	if err != nil {
		return nil, err
	}
	return estate.New(estate.Parts{
		Roll: roll, Registry: registry, Calls: calls, Callbacks: db, Receivers: receivers{secrets, cfg.Sandbox}, Keys: vendorKeys{keys}, Banks: banks, Lookups: db,
	})
}

// vendorKeys are the gateway's keys as the console manages them.
type vendorKeys struct{ safe *gateway.Safe }

// Issue implements estate.VendorKeys.
func (v vendorKeys) Issue(ctx context.Context, vendor central.VendorID) (estate.IssuedKey, error) {
	k, err := v.safe.Add(ctx, vendor)
	return estate.IssuedKey{ID: k.ID, APIKey: k.APIKey, Key: k.Key}, err
}

// KeysOf implements estate.VendorKeys.
func (v vendorKeys) KeysOf(ctx context.Context, vendor central.VendorID) ([]estate.Key, error) {
	list, err := v.safe.List(ctx, vendor)
	var out []estate.Key
	for _, k := range list {
		out = append(out, estate.Key{VendorKey: k, Master: v.safe.Master(k)})
	}
	return out, err
}

// End implements estate.VendorKeys.
func (v vendorKeys) End(ctx context.Context, id central.KeyID) error {
	_, err := v.safe.Revoke(ctx, string(id))
	return err
}

// receivers are the merchants' receivers of callbacks.
type receivers struct {
	safe    *callback.Safe
	sandbox bool
}

// CheckURL implements estate.Receivers.
func (r receivers) CheckURL(url string) error { return callback.CheckURL(url, r.sandbox) }

// Place implements estate.Receivers.
func (r receivers) Place(url string) string { return callback.Place(url) }

// MintSecret implements estate.Receivers.
func (r receivers) MintSecret(ctx context.Context, m central.MerchantID) (duty.SecretID, secret.Token, error) {
	minted, err := r.safe.Mint(ctx, m)
	return minted.ID, minted.Secret, err
}
