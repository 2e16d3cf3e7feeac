package estate

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"

	"galla/central"
	"galla/central/console"
	"galla/central/operator"
	"galla/central/parties"
	"galla/shared/op"
)

// editRoutes are an admin's ways to change what is known of parties.
func (e *Estate) editRoutes() []console.Route {
	return []console.Route{
		get("merchants/{merchant}/change", operator.Admin, e.changeMerchant),
		post("merchants/{merchant}/change", operator.Admin, e.doChangeMerchant),
		post("vendors/{vendor}/change", operator.Admin, e.doChangeVendor),
		get("aggregators/{aggregator}", operator.Viewer, e.aggregator),
		post("aggregators/{aggregator}/change", operator.Admin, e.doChangeAggregator),
	}
}

// changePage is the data of a merchant's change.
type changePage struct {
	central.Merchant
	Typed   parties.Fields
	Edition string // of what the form began with
	Vendors []central.Vendor
}

func (e *Estate) changeMerchant(v *console.Visit) {
	m, err := e.Roll.Merchant(v.Context(), central.MerchantID(v.Path("merchant")))
	if err != nil {
		v.Fail(err)
		return
	}
	f := parties.FieldsOf(m)
	e.showChange(v, m, f, f.Edition(), http.StatusOK, "")
}

func (e *Estate) showChange(v *console.Visit, m central.Merchant, f parties.Fields, edition string, status int, alert string) {
	vendors, err := e.Roll.VendorsBy(v.Context(), parties.Filter{Limit: maxVendors})
	if err != nil {
		v.Fail(err)
		return
	}
	v.Show(status, console.Page{Name: "merchant-change", Title: "Change " + m.LegalName, Back: console.Root + "merchants/" + string(m.ID), Alert: alert,
		Data: changePage{m, f, edition, vendors}})
}

func (e *Estate) doChangeMerchant(v *console.Visit) {
	m, err := e.Roll.Merchant(v.Context(), central.MerchantID(v.Path("merchant")))
	if err != nil {
		v.Fail(err)
		return
	}
	was, is := parties.FieldsOf(m), parties.Fields{}
	for name := range was {
		is[name] = strings.TrimSpace(v.Form(name))
	}
	here := console.Root + "merchants/" + string(m.ID)
	if edition := v.Form("edition"); edition != was.Edition() {
		e.showChange(v, m, was, was.Edition(), http.StatusConflict, "Somebody changed it since the page was opened: this is what it is now. Nothing of yours was changed.")
		return
	}
	if maps.Equal(was, is) {
		v.To(here, "")
		return
	}
	before, after := parties.Differences(was, is)
	err = v.Do(operator.Change{What: "merchant.change", Subject: string(m.ID), Was: before, Became: after}, func(ctx context.Context) error {
		err := e.Roll.EditMerchant(ctx, m, is)
		if errors.Is(err, central.ErrNotFound) {
			return console.Refuse("There is no such vendor.")
		}
		return words(err)
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showChange(v, m, is, was.Edition(), status, text)
		}
		return
	}
	v.To(here, "merchant-changed")
}

func (e *Estate) doChangeVendor(v *console.Visit) {
	was, err := e.Roll.Vendor(v.Context(), central.VendorID(v.Path("vendor")))
	if err != nil {
		v.Fail(err)
		return
	}
	f := typed(v, parties.FieldName, parties.FieldAggregator)
	c := operator.Change{What: "vendor.change", Subject: string(was.ID), Was: was.LegalName, Became: f[parties.FieldName]}
	if was.Aggregator == "" && f[parties.FieldAggregator] != "" {
		c.Note = "aggregator " + f[parties.FieldAggregator]
	}
	err = v.Do(c, func(ctx context.Context) error {
		err := e.Roll.RenameVendor(ctx, was, f)
		if errors.Is(err, central.ErrNotFound) {
			return console.Refuse("There is no such aggregator.")
		}
		return words(err)
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showVendor(v, was.ID, status, text)
		}
		return
	}
	v.To(console.Root+"vendors/"+string(was.ID), "vendor-changed")
}

// findAggregator reads the aggregator that the address names.
func (e *Estate) findAggregator(v *console.Visit) (parties.Aggregator, error) {
	list, err := e.Roll.Aggregators(v.Context())
	if err != nil {
		return parties.Aggregator{}, err
	}
	for _, a := range list {
		if string(a.ID) == v.Path("aggregator") {
			return a, nil
		}
	}
	return parties.Aggregator{}, central.ErrNotFound
}

// aggregatorPage is one aggregator's data.
type aggregatorPage struct {
	parties.Aggregator
	Typed    string
	Programs programs
}

func (e *Estate) aggregator(v *console.Visit) {
	a, err := e.findAggregator(v)
	if err != nil {
		v.Fail(err)
		return
	}
	e.showAggregator(v, a, http.StatusOK, "", nil)
}

func (e *Estate) showAggregator(v *console.Visit, a parties.Aggregator, status int, alert string, f parties.Fields) {
	d := aggregatorPage{Aggregator: a, Typed: a.LegalName}
	if f != nil {
		d.Typed = f[parties.FieldName]
	}
	var err error
	if d.Programs, err = e.programsOf(v.Context(), central.Principal{Role: op.Aggregator, Aggregator: a.ID}, console.Root+"aggregators/"+string(a.ID)); err != nil {
		v.Fail(err)
		return
	}
	v.Show(status, console.Page{Name: "aggregator", Title: a.LegalName, Back: console.Root + "vendors", Alert: alert, Data: d})
}

func (e *Estate) doChangeAggregator(v *console.Visit) {
	was, err := e.findAggregator(v)
	if err != nil {
		v.Fail(err)
		return
	}
	f := typed(v, parties.FieldName)
	err = v.Do(operator.Change{What: "aggregator.change", Subject: string(was.ID), Was: was.LegalName, Became: f[parties.FieldName]}, func(ctx context.Context) error {
		return words(e.Roll.RenameAggregator(ctx, was, f))
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showAggregator(v, was, status, text, f)
		}
		return
	}
	v.To(console.Root+"aggregators/"+string(was.ID), "aggregator-changed")
}
