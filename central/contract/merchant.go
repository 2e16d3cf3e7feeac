package contract

import (
	"context"
	"errors"
	"fmt"

	"galla/central"
	"galla/central/form"
	"galla/shared/op"
)

// merchantField is the field by which a vendor names the acting merchant.
const merchantField = "merchantId"

// resolve finds the acting merchant (section 4.7) and sees that it may act. A
// field of the wrong type is noted in call.in, and then there is no merchant:
// the call ends with its field errors.
func (d *Dispatcher) resolve(ctx context.Context, c *call) error {
	switch c.Principal.Role {
	case op.Merchant:
		return d.resolveOwn(ctx, c)
	case op.Vendor:
		return d.resolveVendors(ctx, c)
	default:
		return nil
	}
}

// resolveOwn: a merchant's own id wins over what the body says.
func (d *Dispatcher) resolveOwn(ctx context.Context, c *call) error {
	m, err := d.findMerchant(ctx, c.Principal.Merchant)
	if err != nil {
		return err
	}
	c.merchant, c.tid = m, m.TID
	if c.Principal.Terminal != "" {
		t, err := d.store.Terminal(ctx, c.Principal.Terminal)
		if err != nil && !errors.Is(err, central.ErrNotFound) {
			return fmt.Errorf("read terminal %s: %w", c.Principal.Terminal, err)
		}
		if err != nil || t.Merchant != m.ID || !t.RevokedAt.IsZero() {
			return central.Refuse(central.Unauthenticated, "The terminal is unknown or revoked")
		}
		c.tid = t.TID
	}
	return standing(c)
}

// resolveVendors: a vendor names one of its own merchants. A missing id and
// another vendor's merchant have the same answer.
func (d *Dispatcher) resolveVendors(ctx context.Context, c *call) error {
	v, err := d.store.Vendor(ctx, c.Principal.Vendor)
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("read vendor %s: %w", c.Principal.Vendor, err)
	}
	if err != nil || !v.Active {
		return central.Refuse(central.Precluded, "The vendor's account is not active")
	}
	if !c.binding.acting {
		return nil
	}
	id, ok := c.namedMerchant()
	if !ok {
		return nil
	}
	m, err := d.findMerchant(ctx, id)
	if err != nil {
		return err
	}
	if m.Vendor != v.ID {
		return central.Refuse(central.MerchantNotFound, "")
	}
	c.merchant, c.tid = m, m.TID
	return standing(c)
}

// namedMerchant gives the merchantId of a vendor's call; ok is false where what
// was sent is noted as wrong.
func (c *call) namedMerchant() (central.MerchantID, bool) {
	noted := c.in.Failures()
	id := c.in.Any(merchantField)
	return central.MerchantID(id), c.in.Failures() == noted
}

// findMerchant reads a merchant; what is no id in canonical form names nobody.
func (d *Dispatcher) findMerchant(ctx context.Context, id central.MerchantID) (central.Merchant, error) {
	if !form.IsUUID(string(id)) {
		return central.Merchant{}, central.Refuse(central.MerchantNotFound, "")
	}
	m, err := d.store.Merchant(ctx, id)
	if errors.Is(err, central.ErrNotFound) {
		return central.Merchant{}, central.Refuse(central.MerchantNotFound, "")
	}
	if err != nil {
		return central.Merchant{}, fmt.Errorf("read merchant %s: %w", id, err)
	}
	return m, nil
}

// standing sees that the merchant may make this call at all.
func standing(c *call) error {
	m := c.merchant
	if m.Status != central.MerchantApproved {
		return central.Refuse(central.Precluded, "The merchant is not approved: its status is "+string(m.Status))
	}
	if !c.binding.route.AEPS {
		return nil
	}
	if !m.AEPSReady {
		return central.Refuse(central.Precluded, "AEPS onboarding of the merchant is not finished")
	}
	if c.tid == "" {
		return central.Refuse(central.Precluded, "AEPS onboarding of the merchant is not finished: it has no terminal id at the bank network")
	}
	return nil
}
