package console

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"

	"galla/central"

	"galla/central/accounts"
	"galla/central/staff"
	"galla/shared/op"
)

// editRoutes are an admin's routes to change parties.
func (e *PartyPages) editRoutes() []route {
	return []route{
		getRoute("merchants/{merchant}/change", staff.Admin, of(e.findMerchant, e.changeMerchant)),
		postRoute("merchants/{merchant}/change", staff.Admin, of(e.findMerchant, e.doChangeMerchant)),
		postRoute("vendors/{vendor}/change", staff.Admin, of(e.findVendor, e.doChangeVendor)),
		getRoute("aggregators/{aggregator}", staff.Viewer, of(e.findAggregator, e.aggregator)),
		postRoute("aggregators/{aggregator}/change", staff.Admin, of(e.findAggregator, e.doChangeAggregator)),
	}
}

// changePage is the data of a merchant's change.
type changePage struct {
	central.Merchant
	Typed   accounts.Fields
	Version string // of the fields that the form shows
	Vendors []central.Vendor
}

// merchantFields are the fields of a merchant's form.
type merchantFields struct {
	Typed   accounts.Fields
	Vendors []central.Vendor
	New     bool // with the MID, which can't be changed
}

// Fields are the fields of the form.
func (d changePage) Fields() merchantFields { return merchantFields{d.Typed, d.Vendors, false} }

// companyField is the field of a company's name.
type companyField struct{ ID, Value string }

func (e *PartyPages) changeMerchant(v *visit, m central.Merchant) error {
	f := accounts.FieldsOf(m)
	return e.showChange(v, m, f, f.Version(), http.StatusOK, "")
}

func (e *PartyPages) showChange(v *visit, m central.Merchant, f accounts.Fields, version string, status int, alert string) error {
	vendors, err := e.Accounts.VendorsBy(v.Context(), accounts.Filter{Limit: maxVendors})
	if err != nil {
		return err
	}
	return v.show(status, page{Name: "merchant-change", Title: "Change " + m.LegalName, Back: Root + "merchants/" + string(m.ID), Alert: alert,
		Data: changePage{m, f, version, vendors}})
}

func (e *PartyPages) doChangeMerchant(v *visit, m central.Merchant) error {
	was, is := accounts.FieldsOf(m), accounts.Fields{}
	for name := range was {
		is[name] = strings.TrimSpace(v.field(name))
	}
	here := Root + "merchants/" + string(m.ID)
	if version := v.field("version"); version != was.Version() {
		return e.showChange(v, m, was, was.Version(), http.StatusConflict, "Somebody changed it since the page was opened. These are the present values; yours were not saved.")
	}
	if maps.Equal(was, is) {
		return v.redirect(here, "")
	}
	before, after := accounts.Differences(was, is)
	err := v.runAudited(staff.Change{What: "merchant.change", Subject: string(m.ID), Was: before, Became: after}, func(ctx context.Context) error {
		err := e.Accounts.UpdateMerchant(ctx, m, is)
		if errors.Is(err, central.ErrNotFound) {
			return refuse("There is no such vendor.")
		}
		return withWords(err)
	})
	return v.after(err, func(status int, text string) error { return e.showChange(v, m, is, was.Version(), status, text) }, here, "merchant-changed")
}

func (e *PartyPages) doChangeVendor(v *visit, was central.Vendor) error {
	f := formFields(v, accounts.FieldName, accounts.FieldAggregator)
	c := staff.Change{What: "vendor.change", Subject: string(was.ID), Was: was.LegalName, Became: f[accounts.FieldName]}
	if was.Aggregator == "" && f[accounts.FieldAggregator] != "" {
		c.Note = "aggregator " + f[accounts.FieldAggregator]
	}
	err := v.runAudited(c, func(ctx context.Context) error {
		err := e.Accounts.UpdateVendor(ctx, was, f)
		if errors.Is(err, central.ErrNotFound) {
			return refuse("There is no such aggregator.")
		}
		return withWords(err)
	})
	return v.after(err, func(status int, text string) error { return e.showVendor(v, was.ID, status, text) }, Root+"vendors/"+string(was.ID), "vendor-changed")
}

// findAggregator reads the aggregator that the address names.
func (e *PartyPages) findAggregator(v *visit) (accounts.Aggregator, error) {
	list, err := e.Accounts.Aggregators(v.Context())
	if err != nil {
		return accounts.Aggregator{}, err
	}
	for _, a := range list {
		if string(a.ID) == v.path("aggregator") {
			return a, nil
		}
	}
	return accounts.Aggregator{}, central.ErrNotFound
}

// aggregatorPage is one aggregator's data.
type aggregatorPage struct {
	accounts.Aggregator
	Typed    string
	Programs programs
}

// Name is the field of the aggregator's name.
func (d aggregatorPage) Name() companyField { return companyField{"legal_name", d.Typed} }

func (e *PartyPages) aggregator(v *visit, a accounts.Aggregator) error {
	return e.showAggregator(v, a, http.StatusOK, "", nil)
}

func (e *PartyPages) showAggregator(v *visit, a accounts.Aggregator, status int, alert string, f accounts.Fields) error {
	d := aggregatorPage{Aggregator: a, Typed: a.LegalName}
	if f != nil {
		d.Typed = f[accounts.FieldName]
	}
	var err error
	if d.Programs, err = e.programsOf(v.Context(), central.Principal{Role: op.Aggregator, Aggregator: a.ID}, Root+"aggregators/"+string(a.ID)); err != nil {
		return err
	}
	return v.show(status, page{Name: "aggregator", Title: a.LegalName, Back: Root + "vendors", Alert: alert, Data: d})
}

func (e *PartyPages) doChangeAggregator(v *visit, was accounts.Aggregator) error {
	f := formFields(v, accounts.FieldName)
	err := v.runAudited(staff.Change{What: "aggregator.change", Subject: string(was.ID), Was: was.LegalName, Became: f[accounts.FieldName]}, func(ctx context.Context) error {
		return withWords(e.Accounts.UpdateAggregator(ctx, was, f))
	})
	return v.after(err, func(status int, text string) error { return e.showAggregator(v, was, status, text, f) }, Root+"aggregators/"+string(was.ID), "aggregator-changed")
}
