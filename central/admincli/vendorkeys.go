package admincli

import (
	"context"
	"errors"

	"galla/central"
	"galla/central/keys"
	"galla/central/staff"
	"galla/central/store"
	"galla/central/webhook"
)

// VendorKeys manages vendors' keys. Running centrals use a change within a second.
type VendorKeys struct {
	*keys.Audited
	log          audited
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
	db, log, err := openAudited(ctx, cfg)
	if err != nil {
		return nil, err
	}
	v := &VendorKeys{log: log, db: db}
	ring, err := keys.NewVendorKeys(db, masters, cfg.Rand)
	if err == nil {
		v.Audited = keys.NewAudited(ring, log.AuditLog)
		v.webhookVault, err = webhook.NewVault(db, masters, cfg.Rand)
	}
	if err == nil {
		v.staffVault, err = staff.NewVault(db, db, masters, cfg.Rand)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return v, nil
}

func (v *VendorKeys) Close() error { return v.db.Close() }

// Add makes a key for a vendor. Errors as of keys.Audited.Add.
func (v *VendorKeys) Add(ctx context.Context, vendor central.VendorID) (keys.Issued, error) {
	return v.Audited.Add(ctx, v.log.actor, vendor)
}

// Revoke revokes a key, named by its id or its API key. Errors as of keys.Audited.Revoke.
func (v *VendorKeys) Revoke(ctx context.Context, named string) (central.KeyID, error) {
	return v.Audited.Revoke(ctx, v.log.actor, "", named)
}

// Rewrap seals every live vendor key, every live callback secret, the staff's second
// factors and the documents again under the first master key, and returns how many
// there are.
func (v *VendorKeys) Rewrap(ctx context.Context) (n int, err error) {
	err = v.log.run(ctx, staff.Change{What: "keys.rewrap"}, func(ctx context.Context) error {
		keyring, err := v.Audited.Rewrap(ctx)
		secrets, secretsErr := v.webhookVault.Rewrap(ctx)
		people, peopleErr := v.staffVault.Rewrap(ctx)
		n = keyring + secrets + people
		return errors.Join(err, secretsErr, peopleErr)
	})
	return n, err
}
