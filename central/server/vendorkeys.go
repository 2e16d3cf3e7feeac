package server

import (
	"context"
	"errors"

	"galla/central"
	"galla/central/callback"
	"galla/central/gateway"
	"galla/central/store"
)

// VendorKeys manages vendors' keys for the command line, on the database of a
// central that may be running: what it changes counts there a second later.
type VendorKeys struct {
	*gateway.Safe
	secrets *callback.Safe // sealed under the same master keys
	db      *store.DB
}

// OpenVendorKeys opens the keys of an existing central. Of cfg it takes
// DatabaseURL, Data, VendorMasterKeys, Sandbox, Node, Rand and Logger. Close ends it.
func OpenVendorKeys(ctx context.Context, cfg Config) (*VendorKeys, error) {
	if err := checkBegun(cfg); err != nil {
		return nil, err
	}
	cfg.Sandbox = false // a command makes no master key: the central that has the database has one
	all, err := loadMasters(cfg)
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
	return &VendorKeys{Safe: safe, secrets: secrets, db: db}, nil
}

// Close closes the database.
func (v *VendorKeys) Close() error { return v.db.Close() }

// VendorKey is a vendor's key as lists show it.
type VendorKey = central.VendorKey

// VendorID names a vendor.
type VendorID = central.VendorID
