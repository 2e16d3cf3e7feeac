package contract

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
	"galla/central/form"
	"galla/shared/money"
)

// slabData is section 2.10. An open side of the band is absent.
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

// millionths is how a central.Rate is counted.
const millionths = 1_000_000

// rateNumber writes a rate as the shortest JSON number: 0.45, 12, 0.000001.
func rateNumber(r central.Rate) jsontext.Value {
	text := fmt.Sprintf("%d.%06d", r/millionths, r%millionths)
	return jsontext.Value(strings.TrimRight(strings.TrimRight(text, "0"), "."))
}

// ownVendor sees that the path names the caller's own vendor. Another vendor's
// id, and what is no id, have the same answer.
func ownVendor(c *call) error {
	if c.Params["vendorId"] != string(c.Principal.Vendor) {
		return central.Refuse(central.MerchantNotFound, "Vendor not found")
	}
	return nil
}

func (d *Dispatcher) readSlabs(c *call) step {
	return func(ctx context.Context) (central.Reply, error) {
		if err := ownVendor(c); err != nil {
			return central.Reply{}, err
		}
		slabs, err := d.vendors.Slabs(ctx, c.Principal.Vendor)
		if err != nil {
			return central.Reply{}, fmt.Errorf("list the slabs of vendor %s: %w", c.Principal.Vendor, err)
		}
		list := []slabData{}
		for _, s := range slabs {
			list = append(list, slabOf(s))
		}
		return done(200, "Commission slabs", list), nil
	}
}

// The names of a slab's fields (section 2.10).
const (
	fieldMin      = "minAmount"
	fieldMax      = "maxAmount"
	fieldRate     = "commissionRate"
	fieldRateType = "rateType"
)

// readSlab reads a slab's fields; those that were not sent are nil. A null is
// no value of theirs.
func readSlab(in *form.Reader, need form.Need) central.SlabChange {
	change := central.SlabChange{
		PaymentMethod: readText(in, "paymentMethod", need),
		Provider:      readText(in, "provider", need),
		TxnType:       readText(in, "txnType", need),
		Min:           in.Bound(fieldMin),
		Max:           in.Bound(fieldMax),
		Rate:          in.Rate(fieldRate),
	}
	if word := in.Enum(fieldRateType, form.May, string(central.RateFixed), string(central.RatePercentage)); word != "" {
		change.RateType = (*central.RateType)(&word)
	}
	change.IsDefault = in.Bool("isDefault")
	return change
}

// readText reads a text that is nil where it is not sent.
func readText(in *form.Reader, field string, need form.Need) *string {
	text := in.Text(field, need)
	if !in.Has(field) {
		return nil
	}
	return &text
}

// merge gives the slab as it is after a change.
func merge(s central.Slab, change central.SlabChange) central.Slab {
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

// judgeSlab notes where a slab's fields contradict each other.
func judgeSlab(in *form.Reader, s central.Slab) {
	low := money.Paise(0)
	if s.Min != nil {
		low = *s.Min
	}
	if s.Max != nil && *s.Max <= low {
		in.Fail(fieldMax, "order", "must be more than minAmount: the band is minAmount ≤ amount < maxAmount")
	}
	switch {
	case s.RateType == central.RatePercentage && s.Rate > 100*millionths:
		in.Fail(fieldRate, "percentage", "must be at most 100 where rateType is PERCENTAGE")
	case s.RateType == central.RateFixed && s.Rate%(millionths/100) != 0:
		in.Fail(fieldRate, "decimals", "must have at most two decimals where rateType is FIXED: it is an amount of rupees")
	}
}

// readSlabCreate makes a slab. A rate without a rateType is an amount (FIXED),
// and a slab without a rate earns nothing.
func (d *Dispatcher) readSlabCreate(c *call) step {
	noted := c.in.Failures()
	change := readSlab(&c.in, form.Must)
	slab := merge(central.Slab{Vendor: c.Principal.Vendor, RateType: central.RateFixed}, change)
	if c.in.Failures() == noted {
		judgeSlab(&c.in, slab)
	}
	return func(ctx context.Context) (central.Reply, error) {
		if err := ownVendor(c); err != nil {
			return central.Reply{}, err
		}
		v, err := d.store.Vendor(ctx, slab.Vendor)
		if err != nil {
			return central.Reply{}, fmt.Errorf("read vendor %s: %w", slab.Vendor, err)
		}
		if v.Aggregator == "" {
			return central.Reply{}, central.Refuse(central.Precluded, "The vendor has no aggregator assigned")
		}
		id, err := uuid.NewRandomFromReader(d.cfg.Rand)
		if err != nil {
			return central.Reply{}, fmt.Errorf("draw a slab's id: %w", err)
		}
		now := time.Now()
		slab.ID, slab.Aggregator, slab.CreatedAt, slab.UpdatedAt = central.SlabID(id.String()), v.Aggregator, now, now
		added, err := d.vendors.AddSlab(ctx, slab)
		if err != nil {
			return central.Reply{}, slabError(err, slab)
		}
		return done(201, "Commission slab created successfully", slabOf(added)), nil
	}
}

// readSlabChange alters the fields that were sent. The rules hold for the slab
// as it is afterwards.
func (d *Dispatcher) readSlabChange(c *call) step {
	change := readSlab(&c.in, form.May)
	return func(ctx context.Context) (central.Reply, error) {
		present, err := d.findSlab(ctx, c)
		if err != nil {
			return central.Reply{}, err
		}
		after := merge(present, change)
		judgeSlab(&c.in, after)
		if err := c.in.Err(); err != nil {
			return central.Reply{}, err
		}
		// What was judged together is written together, so that two changes at
		// once leave one of the two pairs and no mixture.
		if change.Min != nil || change.Max != nil {
			change.Min, change.Max = after.Min, after.Max
		}
		if change.Rate != nil || change.RateType != nil {
			change.Rate, change.RateType = &after.Rate, &after.RateType
		}
		changed, err := d.vendors.ChangeSlab(ctx, present.Vendor, present.ID, change, time.Now())
		if err != nil {
			return central.Reply{}, slabError(err, after)
		}
		return done(200, "Commission slab updated successfully", slabOf(changed)), nil
	}
}

func (d *Dispatcher) readSlabDelete(c *call) step {
	return func(ctx context.Context) (central.Reply, error) {
		present, err := d.findSlab(ctx, c)
		if err != nil {
			return central.Reply{}, err
		}
		if err := d.vendors.RemoveSlab(ctx, present.Vendor, present.ID, time.Now()); err != nil {
			return central.Reply{}, slabError(err, present)
		}
		return done(200, "Commission slab deleted successfully", nil), nil
	}
}

// findSlab gives the caller's slab that the path names.
func (d *Dispatcher) findSlab(ctx context.Context, c *call) (central.Slab, error) {
	if err := ownVendor(c); err != nil {
		return central.Slab{}, err
	}
	slabs, err := d.vendors.Slabs(ctx, c.Principal.Vendor)
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

func errNoSlab() error { return central.Refuse(central.NotFound, "No such commission slab") }

// slabError gives the store's error its words.
func slabError(err error, s central.Slab) error {
	switch {
	case errors.Is(err, central.ErrNotFound):
		return errNoSlab()
	case errors.Is(err, central.ErrState):
		return central.Refuse(central.Conflict, "The slab was changed at the same moment, or the vendor has as many slabs as it may (1000); read the slabs and repeat the call")
	case errors.Is(err, central.ErrSameBand):
		return central.Refuse(central.Conflict, "A slab with this combination already exists; adjust min/max amount or txnType")
	}
	return fmt.Errorf("write a slab of vendor %s: %w", s.Vendor, err)
}
