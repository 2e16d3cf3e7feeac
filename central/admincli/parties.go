package admincli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/accounts"
	"galla/central/staff"
	"galla/central/store"
)

// Parties manages merchants, vendors and aggregators by the rules of the console. Running
// centrals use a change within a second.
type Parties struct {
	changes *accounts.AuditedParties
	actor   staff.Actor
	db      *store.DB
	json    bool // print JSON in place of text for people
}

// OpenParties opens the database of an existing central. Close ends it.
func OpenParties(ctx context.Context, cfg Config) (*Parties, error) {
	db, c, err := openAudited(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := db.ForAccounts()
	editor := accounts.NewPartyEditor(s.Parties, s.PartyChanges, cfg.Rand)
	return &Parties{accounts.NewAuditedParties(editor, c.AuditLog), c.actor, db, cfg.JSON}, nil
}

func (p *Parties) Close() error { return p.db.Close() }

// PrintJSON prints a value as indented JSON.
func PrintJSON(out io.Writer, v any) error {
	return json.MarshalWrite(out, v, jsontext.WithIndent("  "), json.FormatNilSliceAsNull(false))
}

// flagOf is the flag of a party's field.
func flagOf(field string) string {
	if field == accounts.FieldName {
		return "--name"
	}
	return "--" + field
}

// explain turns the error of a party's fields into a text that names every wrong flag.
func explain(what string, err error) error {
	var known *central.Error
	if !errors.As(err, &known) || len(known.Fields) == 0 {
		return err
	}
	lines := make([]string, len(known.Fields))
	for i, f := range known.Fields {
		lines[i] = "\n  " + flagOf(f.Field) + " " + f.Message
	}
	return fmt.Errorf("%s is not added:%s", what, strings.Join(lines, ""))
}

// merchantRecord is a merchant as --json prints it.
type merchantRecord struct {
	ID     central.MerchantID     `json:"id"`
	Name   string                 `json:"name"`
	MID    string                 `json:"mid"`
	TID    string                 `json:"tid"`
	Status central.MerchantStatus `json:"status"`
	Vendor central.VendorID       `json:"vendor"`
	Mobile string                 `json:"mobile"`
	// Address is that of the shop, as receipts show it.
	Address string `json:"address"`
}

func recordOf(m central.Merchant) merchantRecord {
	return merchantRecord{ID: m.ID, Name: m.LegalName, MID: m.MID, TID: m.TID, Status: m.Status, Vendor: m.Vendor, Mobile: m.Mobile, Address: m.Address}
}

// AddMerchant adds a merchant and prints it. It is PENDING, or, with approve, APPROVED.
// The error names every wrong field.
func (p *Parties) AddMerchant(ctx context.Context, f accounts.Fields, approve bool, out io.Writer) error {
	m, err := p.changes.NewMerchant(ctx, p.actor, f)
	if err != nil {
		return explain("the merchant", err)
	}
	if approve {
		if err := p.changes.MoveMerchant(ctx, p.actor, m.ID, m.Status, central.MerchantApproved); err != nil {
			return fmt.Errorf("merchant %s is added, and not approved: %w", m.ID, err)
		}
		m.Status = central.MerchantApproved
	}
	return p.printMerchant(m, out)
}

func (p *Parties) printMerchant(m central.Merchant, out io.Writer) error {
	if p.json {
		return PrintJSON(out, recordOf(m))
	}
	_, err := fmt.Fprintf(out, "id        %s\nname      %s\nmid       %s\ntid       %s\nvendor    %s\nmobile    %s\naddress   %s\nstatus    %s\n",
		m.ID, m.LegalName, m.MID, m.TID, orNone(string(m.Vendor)), m.Mobile, orNone(m.Address), m.Status)
	if err != nil || m.Status != central.MerchantPending {
		return err
	}
	_, err = fmt.Fprintf(out, "\nIts requests are refused until it is approved: galla-central merchant approve %s\n", m.ID)
	return err
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// findMerchant reads a merchant, or says that there is none.
func (p *Parties) findMerchant(ctx context.Context, id string) (central.Merchant, error) {
	m, err := p.changes.Merchant(ctx, central.MerchantID(id))
	if errors.Is(err, central.ErrNotFound) {
		err = fmt.Errorf("there is no merchant %s: merchant list shows all", id)
	}
	return m, err
}

// ShowMerchant prints a merchant.
func (p *Parties) ShowMerchant(ctx context.Context, id string, out io.Writer) error {
	m, err := p.findMerchant(ctx, id)
	if err != nil {
		return err
	}
	return p.printMerchant(m, out)
}

// SetMerchantStatus changes a merchant's status from its present one, and prints the
// merchant.
func (p *Parties) SetMerchantStatus(ctx context.Context, id string, to central.MerchantStatus, out io.Writer) error {
	m, err := p.findMerchant(ctx, id)
	if err != nil {
		return err
	}
	err = p.changes.MoveMerchant(ctx, p.actor, m.ID, m.Status, to)
	if errors.Is(err, central.ErrState) {
		return fmt.Errorf("merchant %s is %s, and can't become %s", id, m.Status, to)
	}
	if err != nil {
		return err
	}
	m.Status = to
	return p.printMerchant(m, out)
}

// pages calls list for page after page until one is not full. It returns all rows.
func pages[T any](list func(after *T) ([]T, error)) (all []T, err error) {
	var after *T
	for {
		page, err := list(after)
		all = append(all, page...)
		if err != nil || len(page) < maxShown {
			return all, err
		}
		after = &page[len(page)-1]
	}
}

// Merchants prints the merchants of a filter, by name.
func (p *Parties) Merchants(ctx context.Context, f accounts.Filter, out io.Writer) error {
	f.Limit = maxShown
	list, err := pages(func(after *central.Merchant) ([]central.Merchant, error) {
		if after != nil {
			f.AfterName, f.AfterID = after.LegalName, string(after.ID)
		}
		return p.changes.MerchantsBy(ctx, f)
	})
	if err != nil {
		return err
	}
	if p.json {
		records := make([]merchantRecord, len(list))
		for i, m := range list {
			records[i] = recordOf(m)
		}
		return PrintJSON(out, records)
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tNAME\tMID\tTID\tVENDOR\tSTATUS")
	for _, m := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", m.ID, m.LegalName, m.MID, m.TID, orNone(string(m.Vendor)), m.Status)
	}
	return t.Flush()
}

// vendorRecord is a vendor as --json prints it.
type vendorRecord struct {
	ID         central.VendorID     `json:"id"`
	Name       string               `json:"name"`
	Aggregator central.AggregatorID `json:"aggregator"`
	Active     bool                 `json:"active"`
}

func (p *Parties) printVendor(v central.Vendor, out io.Writer) error {
	if p.json {
		return PrintJSON(out, vendorRecord{v.ID, v.LegalName, v.Aggregator, v.Active})
	}
	_, err := fmt.Fprintf(out, "id          %s\nname        %s\naggregator  %s\nstate       %s\n", v.ID, v.LegalName, orNone(string(v.Aggregator)), accounts.ActiveText(v.Active))
	return err
}

// AddVendor adds an active vendor and prints it. The error names every wrong field.
func (p *Parties) AddVendor(ctx context.Context, f accounts.Fields, out io.Writer) error {
	v, err := p.changes.NewVendor(ctx, p.actor, f)
	if err != nil {
		return explain("the vendor", err)
	}
	return p.printVendor(v, out)
}

// EnableVendor enables or suspends a vendor, and prints it.
func (p *Parties) EnableVendor(ctx context.Context, id string, active bool, out io.Writer) error {
	v, err := p.changes.Vendor(ctx, central.VendorID(id))
	if errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("there is no vendor %s: vendor list shows all", id)
	}
	if err == nil {
		err = p.changes.EnableVendor(ctx, p.actor, v.ID, active)
	}
	if errors.Is(err, central.ErrState) {
		return fmt.Errorf("vendor %s is %s already", id, accounts.ActiveText(active))
	}
	if err != nil {
		return err
	}
	v.Active = active
	return p.printVendor(v, out)
}

// Vendors prints the vendors whose name or id is given by a text, or all, by name.
func (p *Parties) Vendors(ctx context.Context, text string, out io.Writer) error {
	f := accounts.Filter{Text: text, Limit: maxShown}
	list, err := pages(func(after *central.Vendor) ([]central.Vendor, error) {
		if after != nil {
			f.AfterName, f.AfterID = after.LegalName, string(after.ID)
		}
		return p.changes.VendorsBy(ctx, f)
	})
	if err != nil {
		return err
	}
	if p.json {
		records := make([]vendorRecord, len(list))
		for i, v := range list {
			records[i] = vendorRecord{v.ID, v.LegalName, v.Aggregator, v.Active}
		}
		return PrintJSON(out, records)
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tNAME\tAGGREGATOR\tSTATE")
	for _, v := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", v.ID, v.LegalName, orNone(string(v.Aggregator)), accounts.ActiveText(v.Active))
	}
	return t.Flush()
}

// aggregatorRecord is an aggregator as --json prints it.
type aggregatorRecord struct {
	ID   central.AggregatorID `json:"id"`
	Name string               `json:"name"`
}

// AddAggregator adds an aggregator and prints it. The error names every wrong field.
func (p *Parties) AddAggregator(ctx context.Context, f accounts.Fields, out io.Writer) error {
	a, err := p.changes.NewAggregator(ctx, p.actor, f)
	if err != nil {
		return explain("the aggregator", err)
	}
	if p.json {
		return PrintJSON(out, aggregatorRecord{a.ID, a.LegalName})
	}
	_, err = fmt.Fprintf(out, "id    %s\nname  %s\n", a.ID, a.LegalName)
	return err
}

// Aggregators prints all aggregators, by id.
func (p *Parties) Aggregators(ctx context.Context, out io.Writer) error {
	list, err := p.changes.Aggregators(ctx)
	if err != nil {
		return err
	}
	if p.json {
		records := make([]aggregatorRecord, len(list))
		for i, a := range list {
			records[i] = aggregatorRecord{a.ID, a.LegalName}
		}
		return PrintJSON(out, records)
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tNAME")
	for _, a := range list {
		fmt.Fprintf(t, "%s\t%s\n", a.ID, a.LegalName)
	}
	return t.Flush()
}
