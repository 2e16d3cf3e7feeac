package cache

import (
	"context"

	"galla/central"
)

// Store is what is read if it is not in memory. The errors of its methods, such as
// central.ErrNotFound, are passed on.
type Store interface {
	Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error)
	Vendor(ctx context.Context, id central.VendorID) (central.Vendor, error)
	Terminal(ctx context.Context, id central.TerminalID) (central.Terminal, error)
	Client(ctx context.Context, clientID string) (central.Client, error)
	SlabsFor(ctx context.Context, vendor central.VendorID, c central.Combination) ([]central.Slab, error)
}

// Parties are merchants, vendors, terminals, clients and slabs, as Store has them. What
// the records point to is shared: nobody may change it. It is safe for concurrent use.
type Parties struct {
	store Store
	watch *Watch

	merchants table[central.MerchantID, central.Merchant]
	vendors   table[central.VendorID, central.Vendor]
	terminals table[central.TerminalID, central.Terminal]
	clients   table[string, central.Client]
	slabs     table[slabKey, []central.Slab]
}

// slabKey names the slabs of one vendor and one combination.
type slabKey struct {
	vendor      central.VendorID
	combination central.Combination
}

// NewParties makes an empty cache.
func NewParties(store Store, watch *Watch) *Parties { return &Parties{store: store, watch: watch} }

// Merchant returns a merchant.
func (p *Parties) Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error) {
	r, err := p.watch.Current(ctx)
	if err != nil {
		return central.Merchant{}, err
	}
	return p.merchants.get(ctx, r.Accounts, id, p.store.Merchant)
}

// Vendor returns a vendor.
func (p *Parties) Vendor(ctx context.Context, id central.VendorID) (central.Vendor, error) {
	r, err := p.watch.Current(ctx)
	if err != nil {
		return central.Vendor{}, err
	}
	return p.vendors.get(ctx, r.Accounts, id, p.store.Vendor)
}

// Terminal returns a terminal. Only what never changes of it and RevokedAt are up to
// date.
func (p *Parties) Terminal(ctx context.Context, id central.TerminalID) (central.Terminal, error) {
	r, err := p.watch.Current(ctx)
	if err != nil {
		return central.Terminal{}, err
	}
	return p.terminals.get(ctx, r.Accounts, id, p.store.Terminal)
}

// Client returns an OAuth client.
func (p *Parties) Client(ctx context.Context, id string) (central.Client, error) {
	r, err := p.watch.Current(ctx)
	if err != nil {
		return central.Client{}, err
	}
	return p.clients.get(ctx, r.Accounts, id, p.store.Client)
}

// FreshClient returns an OAuth client as the database has it now.
func (p *Parties) FreshClient(ctx context.Context, id string) (central.Client, error) {
	r, err := p.watch.Current(ctx)
	if err != nil {
		return central.Client{}, err
	}
	return p.clients.load(ctx, r.Accounts, id, p.store.Client)
}

// SlabsFor returns the slabs of a vendor for one combination.
func (p *Parties) SlabsFor(ctx context.Context, vendor central.VendorID, c central.Combination) ([]central.Slab, error) {
	r, err := p.watch.Current(ctx)
	if err != nil {
		return nil, err
	}
	return p.slabs.get(ctx, r.Slabs, slabKey{vendor, c}, func(ctx context.Context, k slabKey) ([]central.Slab, error) {
		return p.store.SlabsFor(ctx, k.vendor, k.combination)
	})
}
