package accounts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"galla/central"
	"galla/central/api/field"
)

// Names of the fields of a settlement account. Only the last four digits of its number
// are read and stored.
const (
	FieldLast4  = "account_last4"
	FieldIFSC   = "ifsc"
	FieldBank   = "bank_name"
	FieldHolder = "holder"
)

// merchantFields are the fields of a merchant that can be changed, in the order of the
// form. MID and TID can't: the network assigned them, and operations refer to them.
func merchantFields() []string {
	return []string{FieldName, FieldMobile, FieldAddress, FieldVendor, FieldAppID, FieldVPA, FieldMCC, FieldLast4, FieldIFSC, FieldBank, FieldHolder}
}

// FieldsOf returns a merchant's fields as the initial values of its form.
func FieldsOf(m central.Merchant) Fields {
	f := Fields{FieldName: m.LegalName, FieldMobile: m.Mobile, FieldAddress: m.Address, FieldVendor: string(m.Vendor), FieldAppID: m.AppID, FieldVPA: m.VPA, FieldMCC: m.MCC,
		FieldLast4: "", FieldIFSC: "", FieldBank: "", FieldHolder: ""}
	if s := m.Settlement; s != nil {
		f[FieldLast4], f[FieldIFSC], f[FieldBank], f[FieldHolder] = s.AccountLast4, s.IFSC, s.BankName, s.Holder
	}
	return f
}

// Version identifies the initial values of a form, so that a change does not overwrite
// another person's change.
func (f Fields) Version() string {
	sum := sha256.New()
	for _, name := range merchantFields() {
		fmt.Fprintf(sum, "%s\x00%d\x00%s", name, len(f[name]), f[name])
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Differences lists the fields that differ, for the audit log; mobile numbers by their
// last four digits.
func Differences(was, is Fields) (before, after string) {
	var a, b []string
	for _, name := range merchantFields() {
		if was[name] == is[name] {
			continue
		}
		old, now := was[name], is[name]
		if name == FieldMobile {
			old, now = lastFour(old), lastFour(now)
		}
		a, b = append(a, name+" "+old), append(b, name+" "+now)
	}
	return strings.Join(a, "; "), strings.Join(b, "; ")
}

// lastFour returns a number's last four digits.
func lastFour(number string) string { return "…" + number[max(0, len(number)-4):] }

// UpdateMerchant changes a merchant from was to the given fields. *central.Error names
// wrong fields; central.ErrState: the merchant differs from was; central.ErrNotFound: no
// such merchant or vendor.
func (e PartyEditor) UpdateMerchant(ctx context.Context, was central.Merchant, f Fields) error {
	in, is := f.reader(), was
	is.LegalName, is.Mobile, is.AppID = companyName(in), in.Mobile(FieldMobile, field.Must), in.ID(FieldAppID, field.May)
	is.Vendor = central.VendorID(in.UUID(FieldVendor, field.May))
	is.VPA, is.MCC, is.Address = vpa(in, f), mcc(in, f), shopAddress(in)
	is.Settlement = settlementAccount(in, f)
	if err := in.Err(); err != nil {
		return err
	}
	return e.ChangeMerchant(ctx, was, is)
}

// settlementAccount reads a settlement account; nil: all its fields are empty.
func settlementAccount(in *field.Reader, f Fields) *central.SettlementAccount {
	if f[FieldLast4]+f[FieldIFSC]+f[FieldBank]+f[FieldHolder] == "" {
		return nil
	}
	if !fourDigits.MatchString(f[FieldLast4]) {
		in.Fail(FieldLast4, "digits", "must be the last four digits of the account's number, and only those")
	}
	return &central.SettlementAccount{
		AccountLast4: f[FieldLast4], IFSC: in.IFSC(FieldIFSC, field.Must), BankName: in.Name(FieldBank, field.Must, maxName), Holder: in.Name(FieldHolder, field.Must, maxName),
	}
}

// UpdateVendor changes a vendor's name, and sets its aggregator if it has none. An
// aggregator can't be replaced because slabs and earnings refer to it. Errors are those of
// UpdateMerchant.
func (e PartyEditor) UpdateVendor(ctx context.Context, was central.Vendor, f Fields) error {
	in, is := f.reader(), was
	is.LegalName = companyName(in)
	if was.Aggregator == "" {
		is.Aggregator = central.AggregatorID(in.UUID(FieldAggregator, field.May))
	}
	if err := in.Err(); err != nil {
		return err
	}
	return e.ChangeVendor(ctx, was, is)
}

// UpdateAggregator changes an aggregator's name. Errors are those of UpdateMerchant.
func (e PartyEditor) UpdateAggregator(ctx context.Context, was Aggregator, f Fields) error {
	in, is := f.reader(), was
	is.LegalName = companyName(in)
	if err := in.Err(); err != nil {
		return err
	}
	return e.ChangeAggregator(ctx, was, is)
}
