package admincli

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"galla/central"
	"galla/central/gateway"
	"galla/central/keys"
	"galla/central/staff"
	"galla/central/store"
	"galla/central/webhook"
)

// VendorKeys manages vendors' keys. Running centrals use a change within a second.
type VendorKeys struct {
	*gateway.KeyStore
	audited
	webhookVault *webhook.Vault // sealed under the same master keys
	staffVault   *staff.Vault   // and these
	db           *store.DB
}

// OpenVendorKeys opens the database of an existing central. Close ends it.
func OpenVendorKeys(ctx context.Context, cfg Config) (*VendorKeys, error) {
	if err := checkExists(cfg); err != nil {
		return nil, err
	}
	masters, err := keys.LoadMasters(cfg.keyConfig())
	if err != nil {
		return nil, err
	}
	db, err := openDatabase(ctx, cfg)
	if err != nil {
		return nil, err
	}
	v := &VendorKeys{db: db}
	if v.KeyStore, err = gateway.NewKeyStore(db, masters, cfg.Rand); err == nil {
		v.webhookVault, err = webhook.NewVault(db, masters, cfg.Rand)
	}
	if err == nil {
		v.staffVault, err = staff.NewVault(db, db, masters, cfg.Rand)
	}
	if err == nil {
		v.audited, err = newAudited(cfg, db)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return v, nil
}

// Add makes a key for a vendor. Errors as of gateway.KeyStore.Add.
func (v *VendorKeys) Add(ctx context.Context, vendor central.VendorID) (issued gateway.Issued, err error) {
	err = v.run(ctx, staff.Change{What: "vendor.key.add", Subject: string(vendor)}, func(ctx context.Context) (err error) {
		issued, err = v.KeyStore.Add(ctx, vendor)
		return err
	})
	return issued, err
}

// Revoke revokes a key, named by its id or its API key. The audit log has its id,
// never the API key. Errors as of gateway.KeyStore.Revoke.
func (v *VendorKeys) Revoke(ctx context.Context, named string) (id central.KeyID, err error) {
	c := staff.Change{What: "vendor.key.revoke", Note: "a key that was named by its API key", Became: "revoked"}
	byID := uuid.Validate(named) == nil
	if byID {
		c.Note = "key " + named
	}
	err = v.run(ctx, c, func(ctx context.Context) (err error) {
		id, err = v.KeyStore.Revoke(ctx, named)
		return err
	})
	if err == nil && !byID {
		c.Note = "it was key " + string(id)
		err = v.Record(ctx, v.actor, c)
	}
	return id, err
}

func (v *VendorKeys) Close() error { return v.db.Close() }
