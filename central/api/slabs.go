package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/money"
)

// slabData is a commission slab (interface.md, section 2.10). An open end of the
// band is absent.
type slabData struct {
	ID            central.SlabID       `json:"id"`
	Vendor        central.VendorID     `json:"vendorId"`
	Aggregator    central.AggregatorID `json:"aggregatorId"`
	PaymentMethod string               `json:"paymentMethod"`
	Provider      string               `json:"provider"`
	TxnType       string               `json:"txnType"`
	Min           jsontext.Value       `json:"minAmount,omitzero"`
	Max           jsontext.Value       `json:"maxAmount,omitzero"`
	Rate          jsontext.Value       `json:"commissionRate"`
	RateType      central.RateType     `json:"rateType"`
	IsDefault     bool                 `json:"isDefault"`
}

func slabOf(s central.Slab) slabData {
	data := slabData{
		ID: s.ID, Vendor: s.Vendor, Aggregator: s.Aggregator,
		PaymentMethod: s.PaymentMethod, Provider: s.Provider, TxnType: s.TxnType,
		Rate: rateNumber(s.Rate), RateType: s.RateType, IsDefault: s.IsDefault,
	}
	if s.Min != nil {
		data.Min = rupees(*s.Min)
	}
	if s.Max != nil {
		data.Max = rupees(*s.Max)
	}
	return data
}

// millionths is the unit of central.Rate.
const millionths = 1_000_000

// rateNumber writes a rate as the shortest JSON number: 0.45, 12, 0.000001.
func rateNumber(r central.Rate) jsontext.Value {
	text := fmt.Sprintf("%d.%06d", r/millionths, r%millionths)
	return jsontext.Value(strings.TrimRight(strings.TrimRight(text, "0"), "."))
}

// checkOwnVendor checks that the path names the caller's own vendor. Another
// vendor's id and an invalid id get the same reply.
func checkOwnVendor(c *activeRequest) error {
	if c.Params["vendorId"] != string(c.Principal.Vendor) {
		return central.NewError(central.MerchantNotFound, "Vendor not found")
	}
	return nil
}

func (h *Handler) listSlabs(c *activeRequest) action {
	return func(ctx context.Context) (central.Reply, error) {
		if err := checkOwnVendor(c); err != nil {
			return central.Reply{}, err
		}
		slabs, err := h.vendors.Slabs(ctx, c.Principal.Vendor)
		if err != nil {
			return central.Reply{}, fmt.Errorf("list the slabs of vendor %s: %w", c.Principal.Vendor, err)
		}
		list := []slabData{}
		for _, s := range slabs {
			list = append(list, slabOf(s))
		}
		return successReply(200, "Commission slabs", list), nil
	}
}

// Names of a slab's fields (interface.md, section 2.10).
const (
	fieldMin      = "minAmount"
	fieldMax      = "maxAmount"
	fieldRate     = "commissionRate"
	fieldRateType = "rateType"
)

// parseSlab reads a slab's fields; those that were not sent are nil. No field may
// be null.
func parseSlab(in *field.Reader, need field.Need) central.SlabChange {
	change := central.SlabChange{
		PaymentMethod: parseText(in, "paymentMethod", need),
		Provider:      parseText(in, "provider", need),
		TxnType:       parseText(in, "txnType", need),
		Min:           in.Bound(fieldMin),
		Max:           in.Bound(fieldMax),
		Rate:          in.Rate(fieldRate),
	}
	if word := in.Enum(fieldRateType, field.May, string(central.RateFixed), string(central.RatePercentage)); word != "" {
		change.RateType = (*central.RateType)(&word)
	}
	change.IsDefault = in.Bool("isDefault")
	return change
}

// parseText reads a text; nil if it was not sent.
func parseText(in *field.Reader, name string, need field.Need) *string {
	text := in.Text(name, need)
	if !in.Has(name) {
		return nil
	}
	return &text
}

// applyChange returns the slab as it is after a change.
func applyChange(s central.Slab, change central.SlabChange) central.Slab {
	s.PaymentMethod = *cmp.Or(change.PaymentMethod, &s.PaymentMethod)
	s.Provider = *cmp.Or(change.Provider, &s.Provider)
	s.TxnType = *cmp.Or(change.TxnType, &s.TxnType)
	s.Min = cmp.Or(change.Min, s.Min)
	s.Max = cmp.Or(change.Max, s.Max)
	s.Rate = *cmp.Or(change.Rate, &s.Rate)
	s.RateType = *cmp.Or(change.RateType, &s.RateType)
	s.IsDefault = *cmp.Or(change.IsDefault, &s.IsDefault)
	return s
}

// validateSlab records contradictions between a slab's fields. Fields that are wrong by
// themselves are in none.
func validateSlab(in *field.Reader, s central.Slab) {
	low := money.Paise(0)
	if s.Min != nil {
		low = *s.Min
	}
	if s.Max != nil && *s.Max <= low && !in.IsWrong(fieldMin) && !in.IsWrong(fieldMax) {
		in.Fail(fieldMax, "order", "must be more than minAmount: the band is minAmount ≤ amount < maxAmount")
	}
	switch {
	case in.IsWrong(fieldRate) || in.IsWrong(fieldRateType):
	case s.RateType == central.RatePercentage && s.Rate > 100*millionths:
		in.Fail(fieldRate, "percentage", "must be at most 100 where rateType is PERCENTAGE")
	case s.RateType == central.RateFixed && s.Rate%(millionths/100) != 0:
		in.Fail(fieldRate, "decimals", "must have at most two decimals where rateType is FIXED: it is an amount of rupees")
	}
}

// createSlab adds a slab. A rate without a rateType is an amount (FIXED); a slab
// without a rate earns nothing.
func (h *Handler) createSlab(c *activeRequest) action {
	change := parseSlab(&c.fields, field.Must)
	slab := applyChange(central.Slab{Vendor: c.Principal.Vendor, RateType: central.RateFixed}, change)
	validateSlab(&c.fields, slab)
	return func(ctx context.Context) (central.Reply, error) {
		if err := checkOwnVendor(c); err != nil {
			return central.Reply{}, err
		}
		v, err := h.ownVendor(ctx, c)
		if err != nil {
			return central.Reply{}, err
		}
		if v.Aggregator == "" {
			return central.Reply{}, central.NewError(central.FailedPrecondition, "The vendor has no aggregator assigned")
		}
		id, err := uuid.NewRandomFromReader(h.cfg.Rand)
		if err != nil {
			return central.Reply{}, fmt.Errorf("draw a slab's id: %w", err)
		}
		now := time.Now()
		slab.ID, slab.Aggregator, slab.CreatedAt, slab.UpdatedAt = central.SlabID(id.String()), v.Aggregator, now, now
		added, err := h.vendors.AddSlab(ctx, slab)
		if err != nil {
			return central.Reply{}, slabError(err, slab)
		}
		return successReply(201, "Commission slab created successfully", slabOf(added)), nil
	}
}

// changeSlab changes the fields that were sent. The rules apply to the resulting
// slab.
func (h *Handler) changeSlab(c *activeRequest) action {
	change := parseSlab(&c.fields, field.May)
	return func(ctx context.Context) (central.Reply, error) {
		present, err := h.findSlab(ctx, c)
		if err != nil {
			return central.Reply{}, err
		}
		after := applyChange(present, change)
		validateSlab(&c.fields, after)
		if err := c.fields.Err(); err != nil {
			return central.Reply{}, err
		}
		// Both bounds were checked together, so both are written: two changes at
		// the same time leave one of the two pairs and no mixture.
		if change.Min != nil || change.Max != nil {
			change.Min, change.Max = after.Min, after.Max
		}
		if change.Rate != nil || change.RateType != nil {
			change.Rate, change.RateType = &after.Rate, &after.RateType
		}
		changed, err := h.vendors.ChangeSlab(ctx, present.Vendor, present.ID, change, time.Now())
		if err != nil {
			return central.Reply{}, slabError(err, after)
		}
		return successReply(200, "Commission slab updated successfully", slabOf(changed)), nil
	}
}

func (h *Handler) deleteSlab(c *activeRequest) action {
	return func(ctx context.Context) (central.Reply, error) {
		present, err := h.findSlab(ctx, c)
		if err != nil {
			return central.Reply{}, err
		}
		if err := h.vendors.RemoveSlab(ctx, present.Vendor, present.ID, time.Now()); err != nil {
			return central.Reply{}, slabError(err, present)
		}
		return successReply(200, "Commission slab deleted successfully", nil), nil
	}
}

// findSlab returns the caller's slab that the path names.
func (h *Handler) findSlab(ctx context.Context, c *activeRequest) (central.Slab, error) {
	if err := checkOwnVendor(c); err != nil {
		return central.Slab{}, err
	}
	slabs, err := h.vendors.Slabs(ctx, c.Principal.Vendor)
	if err != nil {
		return central.Slab{}, fmt.Errorf("list the slabs of vendor %s: %w", c.Principal.Vendor, err)
	}
	for _, s := range slabs {
		if string(s.ID) == c.Params["slabId"] {
			return s, nil
		}
	}
	return central.Slab{}, errNoSlab()
}

func errNoSlab() error { return central.NewError(central.NotFound, "No such commission slab") }

// slabError maps the store's errors to replies.
func slabError(err error, s central.Slab) error {
	switch {
	case errors.Is(err, central.ErrNotFound):
		return errNoSlab()
	case errors.Is(err, central.ErrState):
		return central.NewError(central.Conflict, "The slab was changed at the same moment, or the vendor has as many slabs as it may (1000); read the slabs and repeat the call")
	case errors.Is(err, central.ErrSameBand):
		return central.NewError(central.Conflict, "A slab with this combination already exists; adjust min/max amount or txnType")
	}
	return fmt.Errorf("write a slab of vendor %s: %w", s.Vendor, err)
}
