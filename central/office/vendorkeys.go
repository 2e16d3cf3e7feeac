package office

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"galla/central"
	"galla/central/callback"
	"galla/central/credential"
	"galla/central/gateway"
	"galla/central/operator"
	"galla/central/store"
)

// VendorKeys manages vendors' keys for the command line, on the database of a
// central that may be running: what it changes counts there a second later.
type VendorKeys struct {
	*gateway.Safe
	clerk
	secrets *callback.Safe // sealed under the same master keys
	people  *operator.Safe // and these
	db      *store.DB
}

// OpenVendorKeys opens the keys of an existing central. Of cfg it takes
// DatabaseURL, Data, VendorMasterKeys, Sandbox, Node, Rand and Logger. Close ends it.
func OpenVendorKeys(ctx context.Context, cfg Config) (*VendorKeys, error) {
	if err := checkBegun(cfg); err != nil {
		return nil, err
	}
	all, err := credential.LoadMasters(cfg.credentials())
	if err != nil {
		return nil, err
	}
	db, err := openBeside(ctx, cfg)
	if err != nil {
		return nil, err
	}
	safe, err := gateway.NewSafe(db, all, cfg.Rand)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	secrets, err := callback.NewSafe(db, all, cfg.Rand)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	people, err := operator.NewSafe(db, db, all, cfg.Rand)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	c, err := newClerk(cfg, db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &VendorKeys{Safe: safe, clerk: c, secrets: secrets, people: people, db: db}, nil
}

// Add makes a key for a vendor, under the trail. Errors as of gateway.Safe.Add.
func (v *VendorKeys) Add(ctx context.Context, vendor central.VendorID) (issued gateway.Issued, err error) {
	err = v.under(ctx, operator.Change{What: "vendor.key.add", Subject: string(vendor)}, func(ctx context.Context) (err error) {
		issued, err = v.Safe.Add(ctx, vendor)
		return err
	})
	return issued, err
}

// Revoke ends a key, under the trail, which has its id: what names it may be the
// API key. Errors as of gateway.Safe.Revoke.
func (v *VendorKeys) Revoke(ctx context.Context, named string) (id central.KeyID, err error) {
	c := operator.Change{What: "vendor.key.revoke", Note: "a key that was named by its API key", Became: "revoked"}
	byID := uuid.Validate(named) == nil
	if byID {
		c.Note = "key " + named
	}
	err = v.under(ctx, c, func(ctx context.Context) (err error) {
		id, err = v.Safe.Revoke(ctx, named)
		return err
	})
	if err == nil && !byID {
		c.Note = "it was key " + string(id)
		err = v.Note(ctx, v.by, c)
	}
	return id, err
}

// Close closes the database.
func (v *VendorKeys) Close() error { return v.db.Close() }

// VendorKey is a vendor's key as lists show it.
type VendorKey = central.VendorKey

// VendorID names a vendor.
type VendorID = central.VendorID
