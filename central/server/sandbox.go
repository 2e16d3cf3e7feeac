package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"galla/central"
	"galla/central/keys"
	"galla/central/store"
	"galla/shared/op"
	"galla/shared/password"
	"galla/shared/seal"
	"galla/shared/secret"
)

// The sandbox's fixed identities (sandbox.md). Their secrets are public: they work only
// on a sandbox, and production never creates them.
const (
	aggregatorA1 = "a0000000-0000-4000-8000-000000000001"
	vendorV1     = "b0000000-0000-4000-8000-000000000001"
	vendorV2     = "b0000000-0000-4000-8000-000000000002"
	merchantBase = "c0000000-0000-4000-8000-00000000000"
)

// sandboxCost is the cost of the hashes of the sandbox's passwords and secrets. They are
// public: a slow hash protects nothing.
func sandboxCost() password.Cost { return password.Cost{Memory: 64, Passes: 1, Lanes: 1} }

// sandboxClients are the credentials of the sandbox.
func sandboxClients() []struct {
	id, secret string
	principal  central.Principal
} {
	type client = struct {
		id, secret string
		principal  central.Principal
	}
	list := []client{
		{"agg-galla", "sandbox-aggregator-1", central.Principal{Role: op.Aggregator, Aggregator: aggregatorA1}},
		{"vendor-sahyadri", "sandbox-vendor-1", central.Principal{Role: op.Vendor, Vendor: vendorV1}},
		{"vendor-deccan", "sandbox-vendor-2", central.Principal{Role: op.Vendor, Vendor: vendorV2}},
	}
	for i, name := range []string{"lakshmi", "ganesh", "charminar", "nila", "saraswati"} {
		n := fmt.Sprint(i + 1)
		list = append(list, client{"merchant-" + name, "sandbox-merchant-" + n,
			central.Principal{Role: op.Merchant, Merchant: central.MerchantID(merchantBase + n)}})
	}
	return list
}

// sandboxSeed is the initial content of a sandbox's database.
func sandboxSeed(rand io.Reader) (store.Seed, error) {
	merchant := func(n int, name string, vendor central.VendorID, status central.MerchantStatus, info, ready bool) central.Merchant {
		return central.Merchant{
			ID: central.MerchantID(fmt.Sprint(merchantBase, n)), MID: fmt.Sprintf("GAL%07d", n), LegalName: name,
			Vendor: vendor, Status: status, HasInfo: info, AEPSReady: ready, TID: fmt.Sprintf("GAL%05d", n),
			Mobile: fmt.Sprintf("98000000%02d", n), AppID: fmt.Sprintf("APP%07d", n), Active: true,
			VPA: fmt.Sprintf("gal%07d@%s", n, defaultHandle), MCC: "5411", // grocery stores
		}
	}
	seed := store.Seed{
		Aggregators: []store.Aggregator{{ID: aggregatorA1, LegalName: "Galla Aggregator"}},
		Vendors: []central.Vendor{
			{ID: vendorV1, LegalName: "Sahyadri Fintech", Aggregator: aggregatorA1, Active: true},
			{ID: vendorV2, LegalName: "Deccan Pay", Active: true},
		},
		Merchants: []central.Merchant{
			merchant(1, "Lakshmi Kirana Store", vendorV1, central.MerchantApproved, true, true),
			merchant(2, "Ganesh Telecom", vendorV1, central.MerchantApproved, true, false),
			merchant(3, "Charminar General", vendorV2, central.MerchantApproved, true, true),
			merchant(4, "Nila Stores", vendorV1, central.MerchantPending, true, false),
			merchant(5, "Saraswati Traders", vendorV1, central.MerchantApproved, false, false),
		},
	}
	seed.Merchants[0].Address = "12 Laxmi Road, Sadashiv Peth, Pune 411030"
	seed.Merchants[0].Settlement = &central.SettlementAccount{AccountLast4: "4321", IFSC: "BARB0PUNEXX", BankName: "Bank of Baroda", Holder: "Lakshmi Kirana Store"}
	for _, m := range seed.Merchants {
		if m.AEPSReady {
			seed.KYC = append(seed.KYC, central.ServiceKYC{Merchant: m.ID, Service: central.ServiceAEPS, State: central.KYCApproved})
		}
	}
	for _, c := range sandboxClients() {
		hash, err := password.Hash(secret.NewToken(c.secret), rand, sandboxCost())
		if err != nil {
			return store.Seed{}, fmt.Errorf("hash the secret of client %s: %w", c.id, err)
		}
		seed.Clients = append(seed.Clients, central.Client{ID: c.id, SecretHash: hash, Principal: c.principal, Active: true})
	}
	return seed, nil
}

// seedSandbox adds what is missing to a sandbox's database. Several nodes may do it at
// the same time.
func seedSandbox(ctx context.Context, cfg Config, db *store.DB) error {
	if !cfg.Sandbox {
		return nil
	}
	seed, err := sandboxSeed(cfg.Rand)
	if err != nil {
		return err
	}
	return db.Seed(ctx, seed)
}

// refuseSandbox is an error if production would serve a database that has the sandbox's
// public credentials.
func refuseSandbox(ctx context.Context, cfg Config, db *store.DB) error {
	if cfg.Sandbox {
		return nil
	}
	var open []string
	for _, c := range sandboxClients() {
		known, err := db.Client(ctx, c.id)
		if err != nil && !errors.Is(err, central.ErrNotFound) {
			return fmt.Errorf("look for the sandbox's clients: %w", err)
		}
		if err == nil && known.Active {
			open = append(open, c.id)
		}
	}
	presets, what := sandboxStaff(), "staff member "
	for _, p := range sandboxPeople() {
		presets = append(presets, p.Preset)
	}
	for i, p := range presets {
		if i == len(sandboxStaff()) {
			what = "person of a vendor "
		}
		known, err := db.MemberAccount(ctx, p.Login)
		if err != nil && !errors.Is(err, central.ErrNotFound) {
			return fmt.Errorf("look for the sandbox's staff: %w", err)
		}
		if err == nil && known.DisabledAt.IsZero() {
			open = append(open, what+p.Login)
		}
	}
	live, err := db.LiveVendorKeys(ctx)
	if err != nil {
		return fmt.Errorf("look for the sandbox's vendor keys: %w", err)
	}
	for _, k := range live {
		if slices.Contains(sandboxKeyIDs(), k.ID) {
			open = append(open, "vendor key "+string(k.ID))
		}
	}
	if open != nil {
		return fmt.Errorf("this database accepts the sandbox's public credentials (%s): give the central a database of its own, or start it as a sandbox (GALLA_SANDBOX=1)", strings.Join(open, ", "))
	}
	return nil
}

// sandboxUnknownRate is how many unauthentic messages a second one address may send to a
// sandbox's gateway: partners' tests send many.
const sandboxUnknownRate = 10_000

// sandboxKeys are the gateway keys of the sandbox (sandbox.md), as public as
// its other secrets.
func sandboxKeys() []keys.Issued {
	counting := func(first byte) secret.Key {
		raw := make([]byte, seal.KeySize)
		for i := range raw {
			raw[i] = first + byte(i)
		}
		return secret.NewKey(raw)
	}
	return []keys.Issued{
		{ID: "d0000000-0000-4000-8000-000000000001", Vendor: vendorV1, APIKey: secret.NewToken("vk_sandbox_sahyadri"), Key: counting(0)},
		{ID: "d0000000-0000-4000-8000-000000000002", Vendor: vendorV2, APIKey: secret.NewToken("vk_sandbox_deccan"), Key: counting(0x40)},
	}
}

func sandboxKeyIDs() (ids []central.KeyID) {
	for _, k := range sandboxKeys() {
		ids = append(ids, k.ID)
	}
	return ids
}

// seedKeys adds the sandbox's keys. Revoked ones stay revoked.
func seedKeys(ctx context.Context, vault *keys.VendorKeys) error {
	for _, k := range sandboxKeys() {
		if err := vault.Put(ctx, k); err != nil && !errors.Is(err, central.ErrTaken) {
			return err
		}
	}
	return nil
}
