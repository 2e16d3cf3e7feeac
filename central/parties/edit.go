package parties

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"galla/central"
	"galla/central/form"
)

// Names of the fields of a settlement account. Of its number the last four digits
// are kept, and no more is ever asked for.
const (
	FieldLast4  = "account_last4"
	FieldIFSC   = "ifsc"
	FieldBank   = "bank_name"
	FieldHolder = "holder"
)

// merchantFields are what can be changed of a merchant, in the order of the form.
// The MID and the TID are the network's, and operations name them.
func merchantFields() []string {
	return []string{FieldName, FieldMobile, FieldVendor, FieldAppID, FieldVPA, FieldMCC, FieldLast4, FieldIFSC, FieldBank, FieldHolder}
}

// FieldsOf gives what can be changed of a merchant as its form begins.
func FieldsOf(m central.Merchant) Fields {
	f := Fields{FieldName: m.LegalName, FieldMobile: m.Mobile, FieldVendor: string(m.Vendor), FieldAppID: m.AppID, FieldVPA: m.VPA, FieldMCC: m.MCC,
		FieldLast4: "", FieldIFSC: "", FieldBank: "", FieldHolder: ""}
	if s := m.Settlement; s != nil {
		f[FieldLast4], f[FieldIFSC], f[FieldBank], f[FieldHolder] = s.AccountLast4, s.IFSC, s.BankName, s.Holder
	}
	return f
}

// Edition names what a form began with, so that what others changed meanwhile is
// not undone.
func (f Fields) Edition() string {
	sum := sha256.New()
	for _, name := range merchantFields() {
		fmt.Fprintf(sum, "%s\x00%d\x00%s", name, len(f[name]), f[name])
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Differences tells of two merchants what differs, for the trail: of a mobile
// number the last four digits.
func Differences(was, is Fields) (before, after string) {
	var a, b []string
	for _, name := range merchantFields() {
		if was[name] == is[name] {
			continue
		}
		old, now := was[name], is[name]
		if name == FieldMobile {
			old, now = ending(old), ending(now)
		}
		a, b = append(a, name+" "+old), append(b, name+" "+now)
	}
	return strings.Join(a, "; "), strings.Join(b, "; ")
}

// ending is a number's last four digits.
func ending(number string) string { return "…" + number[max(0, len(number)-4):] }

// EditMerchant changes what can be changed of a merchant, from what was to what
// was typed. *central.Error with the fields that are wrong; central.ErrState: it
// is not any more what it was; central.ErrNotFound: no such merchant or vendor.
func (d *Desk) EditMerchant(ctx context.Context, was central.Merchant, f Fields) error {
	in, is := f.reader(), was
	is.LegalName, is.Mobile, is.AppID = name(in), in.Mobile(FieldMobile, form.Must), in.ID(FieldAppID, form.May)
	is.Vendor = central.VendorID(in.UUID(FieldVendor, form.May))
	is.VPA, is.MCC = vpa(in, f), mcc(in, f)
	is.Settlement = account(in, f)
	if err := in.Err(); err != nil {
		return err
	}
	return d.ChangeMerchant(ctx, was, is)
}

// account reads a settlement account: all of it, or none.
func account(in *form.Reader, f Fields) *central.SettlementAccount {
	if f[FieldLast4]+f[FieldIFSC]+f[FieldBank]+f[FieldHolder] == "" {
		return nil
	}
	if last := f[FieldLast4]; len(last) != 4 || !form.Within(last, 4, digit) {
		in.Fail(FieldLast4, "digits", "must be the last four digits of the account's number, and no more of it")
	}
	return &central.SettlementAccount{
		AccountLast4: f[FieldLast4], IFSC: in.IFSC(FieldIFSC, form.Must), BankName: in.Name(FieldBank, form.Must, maxName), Holder: in.Name(FieldHolder, form.Must, maxName),
	}
}

// RenameVendor changes a vendor's name, and gives it an aggregator where it has
// none: its slabs and what they earned name the one that it has. Errors as of
// EditMerchant.
func (d *Desk) RenameVendor(ctx context.Context, was central.Vendor, f Fields) error {
	in, is := f.reader(), was
	is.LegalName = name(in)
	if was.Aggregator == "" {
		is.Aggregator = central.AggregatorID(in.UUID(FieldAggregator, form.May))
	}
	if err := in.Err(); err != nil {
		return err
	}
	return d.ChangeVendor(ctx, was, is)
}

// RenameAggregator changes an aggregator's name. Errors as of EditMerchant.
func (d *Desk) RenameAggregator(ctx context.Context, was Aggregator, f Fields) error {
	in, is := f.reader(), was
	is.LegalName = name(in)
	if err := in.Err(); err != nil {
		return err
	}
	return d.ChangeAggregator(ctx, was, is)
}
