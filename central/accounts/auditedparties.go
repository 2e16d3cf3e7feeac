package accounts

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"galla/central"
	"galla/central/staff"
)

// AuditedParties adds parties and changes their state, for people in the console and for
// commands. Each change is in the audit log before and after it is made.
type AuditedParties struct {
	PartyEditor
	log *staff.AuditLog
}

// NewAuditedParties returns an AuditedParties.
func NewAuditedParties(editor PartyEditor, log *staff.AuditLog) *AuditedParties {
	return &AuditedParties{editor, log}
}

// refusedFields adds each wrong field to the text of an error, for the audit log.
func refusedFields(err error) error {
	var known *central.Error
	if !errors.As(err, &known) || len(known.Fields) == 0 {
		return err
	}
	words := make([]string, len(known.Fields))
	for i, f := range known.Fields {
		words[i] = f.Field + " " + f.Message
	}
	return fmt.Errorf("%s: %w", strings.Join(words, "; "), err)
}

// NewMerchant adds a merchant as PENDING. *central.Error names wrong fields; a vendor that
// does not exist and a MID in use are among them.
func (a *AuditedParties) NewMerchant(ctx context.Context, by staff.Actor, f Fields) (m central.Merchant, err error) {
	c := staff.Change{What: "merchant.add", Subject: f[FieldMID], Became: string(central.MerchantPending)}
	err = a.log.RunAudited(ctx, by, c, func(ctx context.Context) (err error) {
		m, err = a.CreateMerchant(ctx, f)
		switch {
		case errors.Is(err, central.ErrTaken):
			err = central.NewFieldError(FieldMID, "taken", "is in use: another merchant has this MID")
		case errors.Is(err, central.ErrNotFound):
			err = central.NewFieldError(FieldVendor, "exists", "is unknown: there is no such vendor")
		}
		return refusedFields(err)
	})
	return m, err
}

// MoveMerchant changes a merchant's status from one to another. Errors as of
// PartyEditor.SetStatus.
func (a *AuditedParties) MoveMerchant(ctx context.Context, by staff.Actor, id central.MerchantID, from, to central.MerchantStatus) error {
	c := staff.Change{What: "merchant.status", Subject: string(id), Was: string(from), Became: string(to)}
	return a.log.RunAudited(ctx, by, c, func(ctx context.Context) error { return a.SetStatus(ctx, id, from, to) })
}

// NewVendor adds an active vendor. *central.Error names wrong fields; an aggregator that
// does not exist is among them.
func (a *AuditedParties) NewVendor(ctx context.Context, by staff.Actor, f Fields) (v central.Vendor, err error) {
	err = a.log.RunAudited(ctx, by, staff.Change{What: "vendor.add", Note: f[FieldName]}, func(ctx context.Context) (err error) {
		v, err = a.CreateVendor(ctx, f)
		if errors.Is(err, central.ErrNotFound) {
			err = central.NewFieldError(FieldAggregator, "exists", "is unknown: there is no such aggregator")
		}
		return refusedFields(err)
	})
	return v, err
}

// EnableVendor enables or suspends a vendor. Errors as of Parties.SetVendorActive.
func (a *AuditedParties) EnableVendor(ctx context.Context, by staff.Actor, id central.VendorID, active bool) error {
	c := staff.Change{What: "vendor.active", Subject: string(id), Was: ActiveText(!active), Became: ActiveText(active)}
	return a.log.RunAudited(ctx, by, c, func(ctx context.Context) error { return a.SetVendorActive(ctx, id, active) })
}

// NewAggregator adds an aggregator. *central.Error names wrong fields.
func (a *AuditedParties) NewAggregator(ctx context.Context, by staff.Actor, f Fields) (x Aggregator, err error) {
	err = a.log.RunAudited(ctx, by, staff.Change{What: "aggregator.add", Note: f[FieldName]}, func(ctx context.Context) (err error) {
		x, err = a.CreateAggregator(ctx, f)
		return refusedFields(err)
	})
	return x, err
}
