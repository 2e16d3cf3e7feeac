package api

import (
	"context"
	"errors"
	"fmt"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/op"
)

// merchantField names the acting merchant in a vendor's request.
const merchantField = "merchantId"

// resolveMerchant finds the acting merchant (interface.md, section 4.7) and checks
// that it may act. A field of the wrong type is recorded in c.fields; then there
// is no merchant, and the request ends with its field errors.
func (h *Handler) resolveMerchant(ctx context.Context, c *activeRequest) error {
	switch c.Principal.Role {
	case op.Merchant:
		return h.resolveOwnMerchant(ctx, c)
	case op.Vendor:
		return h.resolveVendorMerchant(ctx, c)
	default:
		return nil
	}
}

// resolveOwnMerchant uses a merchant's own id, whatever the body says.
func (h *Handler) resolveOwnMerchant(ctx context.Context, c *activeRequest) error {
	m, err := h.findMerchant(ctx, c.Principal.Merchant)
	if err != nil {
		return err
	}
	c.merchant, c.tid = m, m.TID
	if c.Principal.Terminal != "" {
		t, err := h.store.Terminal(ctx, c.Principal.Terminal)
		if err != nil && !errors.Is(err, central.ErrNotFound) {
			return fmt.Errorf("read terminal %s: %w", c.Principal.Terminal, err)
		}
		if err != nil || t.Merchant != m.ID || !t.RevokedAt.IsZero() {
			return central.NewError(central.Unauthenticated, "The terminal is unknown or revoked")
		}
		c.tid = t.TID
	}
	return checkMerchant(c)
}

// resolveVendorMerchant finds the merchant that a vendor names. A missing id and
// another vendor's merchant get the same reply.
func (h *Handler) resolveVendorMerchant(ctx context.Context, c *activeRequest) error {
	v, err := h.ownVendor(ctx, c)
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return err
	}
	if err != nil || !v.Active {
		return central.NewError(central.FailedPrecondition, "The vendor's account is not active")
	}
	if !c.endpoint.actsForMerchant {
		return nil
	}
	id, ok := c.namedMerchant()
	if !ok {
		return nil
	}
	m, err := h.findMerchant(ctx, id)
	if err != nil {
		return err
	}
	if m.Vendor != v.ID {
		return central.NewError(central.MerchantNotFound, "")
	}
	c.merchant, c.tid = m, m.TID
	return checkMerchant(c)
}

// namedMerchant returns the merchantId of a vendor's request; ok is false if it is
// wrong, which is then recorded.
func (c *activeRequest) namedMerchant() (central.MerchantID, bool) {
	noted := c.fields.Failures()
	id := c.fields.RawText(merchantField)
	return central.MerchantID(id), c.fields.Failures() == noted
}

// ownVendor reads the calling vendor.
func (h *Handler) ownVendor(ctx context.Context, c *activeRequest) (central.Vendor, error) {
	v, err := h.store.Vendor(ctx, c.Principal.Vendor)
	if err != nil {
		return central.Vendor{}, fmt.Errorf("read vendor %s: %w", c.Principal.Vendor, err)
	}
	return v, nil
}

// findMerchant reads a merchant. A text that is no canonical id is not found.
func (h *Handler) findMerchant(ctx context.Context, id central.MerchantID) (central.Merchant, error) {
	if !field.IsUUID(string(id)) {
		return central.Merchant{}, central.NewError(central.MerchantNotFound, "")
	}
	m, err := h.store.Merchant(ctx, id)
	if errors.Is(err, central.ErrNotFound) {
		return central.Merchant{}, central.NewError(central.MerchantNotFound, "")
	}
	if err != nil {
		return central.Merchant{}, fmt.Errorf("read merchant %s: %w", id, err)
	}
	return m, nil
}

// checkMerchant checks that the merchant may make this request at all.
func checkMerchant(c *activeRequest) error {
	m := c.merchant
	if m.Status != central.MerchantApproved {
		return central.NewError(central.FailedPrecondition, "The merchant is not approved: its status is "+string(m.Status))
	}
	if !c.endpoint.route.AEPS {
		return nil
	}
	if !m.AEPSReady {
		return central.NewError(central.FailedPrecondition, "AEPS onboarding of the merchant is not finished")
	}
	if c.tid == "" {
		return central.NewError(central.FailedPrecondition, "AEPS onboarding of the merchant is not finished: it has no terminal id at the bank network")
	}
	return nil
}
