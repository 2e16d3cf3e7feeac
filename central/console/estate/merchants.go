package estate

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"galla/central"
	"galla/central/console"
	"galla/central/customer"
	"galla/central/duty"
	"galla/central/operator"
	"galla/central/parties"
	"galla/shared/op"
)

func (e *Estate) merchantRoutes() []console.Route {
	return []console.Route{
		get("merchants", operator.Viewer, e.merchants),
		post("merchants", operator.Admin, e.addMerchant),
		get("merchants/{merchant}", operator.Viewer, e.merchant),
		post("merchants/{merchant}/status", operator.Admin, e.setStatus),
	}
}

// statuses lists a merchant's statuses.
func statuses() []central.MerchantStatus {
	return []central.MerchantStatus{central.MerchantPending, central.MerchantApproved, central.MerchantSuspended, central.MerchantRejected}
}

// merchantView is a merchant as pages show it.
type merchantView struct{ central.Merchant }

// Tone is the status's colour.
func (m merchantView) Tone() string {
	switch m.Status {
	case central.MerchantApproved:
		return "ok"
	case central.MerchantPending:
		return "warn"
	}
	return "bad"
}

// merchantsPage is the list's data, with what was typed.
type merchantsPage struct {
	Merchants    []merchantView
	Text, Vendor string
	Status       central.MerchantStatus
	Statuses     []central.MerchantStatus
	Vendors      []central.Vendor
	Older        string
	Typed        parties.Fields
}

func (e *Estate) merchants(v *console.Visit) { e.showMerchants(v, http.StatusOK, "", nil) }

func (e *Estate) showMerchants(v *console.Visit, status int, alert string, typed parties.Fields) {
	q := v.Query()
	d := merchantsPage{Text: strings.TrimSpace(q.Get("text")), Vendor: q.Get("vendor"), Status: central.MerchantStatus(q.Get("status")), Statuses: statuses(), Typed: typed}
	list, err := e.Roll.MerchantsBy(v.Context(), parties.Filter{
		Status: d.Status, Vendor: central.VendorID(d.Vendor), Text: d.Text, AfterName: q.Get("name"), AfterID: q.Get("after"), Limit: pageSize + 1,
	})
	if err == nil {
		d.Vendors, err = e.Roll.VendorsBy(v.Context(), parties.Filter{Limit: maxVendors})
	}
	if err != nil {
		v.Fail(err)
		return
	}
	if len(list) > pageSize {
		list = list[:pageSize]
		last := list[pageSize-1]
		d.Older = console.Root + "merchants?" + url.Values{"text": {d.Text}, "vendor": {d.Vendor}, "status": {string(d.Status)}, "name": {last.LegalName}, "after": {string(last.ID)}}.Encode()
	}
	for _, m := range list {
		d.Merchants = append(d.Merchants, merchantView{m})
	}
	v.Show(status, console.Page{Name: "merchants", Title: "Merchants", Alert: alert, Data: d})
}

// maxVendors is how many vendors a form offers.
const maxVendors = 500

// typed gives fields of a form.
func typed(v *console.Visit, names ...string) parties.Fields {
	f := parties.Fields{}
	for _, name := range names {
		if text := strings.TrimSpace(v.Form(name)); text != "" {
			f[name] = text
		}
	}
	return f
}

func (e *Estate) addMerchant(v *console.Visit) {
	f := typed(v, parties.FieldName, parties.FieldMID, parties.FieldAppID, parties.FieldMobile, parties.FieldVPA, parties.FieldMCC, parties.FieldVendor)
	var m central.Merchant
	err := v.Do(operator.Change{What: "merchant.add", Subject: f[parties.FieldMID], Became: string(central.MerchantPending)}, func(ctx context.Context) (err error) {
		m, err = e.Roll.AddMerchant(ctx, f)
		switch {
		case errors.Is(err, central.ErrTaken):
			return console.Refuse("Another merchant has this MID.")
		case errors.Is(err, central.ErrNotFound):
			return console.Refuse("There is no such vendor.")
		}
		return words(err)
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showMerchants(v, status, text, f)
		}
		return
	}
	v.To(console.Root+"merchants/"+string(m.ID), "merchant-added")
}

// merchantPage is one merchant's data.
type merchantPage struct {
	merchantView
	VendorName string
	VendorOff  bool
	Moves      []central.MerchantStatus
	Terminals  terminalsTable
	Endpoint   duty.Endpoint
	Place      string // of the endpoint: scheme and host
	Secrets    []duty.CallbackSecret
	Programs   programs
	Lookups    customer.Lookups
}

func (e *Estate) merchant(v *console.Visit) {
	e.showMerchant(v, central.MerchantID(v.Path("merchant")), http.StatusOK, "")
}

func (e *Estate) showMerchant(v *console.Visit, id central.MerchantID, status int, alert string) {
	m, err := e.Roll.Merchant(v.Context(), id)
	if err != nil {
		v.Fail(err)
		return
	}
	d := merchantPage{merchantView: merchantView{m}, Moves: parties.Moves(m.Status)}
	if m.Vendor != "" {
		vendor, err := e.Roll.Vendor(v.Context(), m.Vendor)
		if err != nil {
			v.Fail(err)
			return
		}
		d.VendorName, d.VendorOff = vendor.LegalName, !vendor.Active
	}
	if d.Terminals, err = e.terminalsOf(v, parties.TerminalFilter{Merchant: id}, console.Root+"terminals"); err == nil {
		d.Terminals.Own = true
		d.Endpoint, err = e.Callbacks.Endpoint(v.Context(), id)
	}
	if err == nil {
		d.Secrets, err = e.Callbacks.SecretsOf(v.Context(), id)
	}
	if err == nil {
		d.Lookups, err = e.Lookups.LookupsOf(v.Context(), id, time.Now())
	}
	if err == nil {
		d.Programs, err = e.programsOf(v.Context(), central.Principal{Role: op.Merchant, Merchant: id}, console.Root+"merchants/"+string(id))
	}
	if err != nil {
		v.Fail(err)
		return
	}
	if d.Endpoint.URL != "" {
		d.Place = e.Receivers.Place(d.Endpoint.URL)
	}
	v.Show(status, console.Page{Name: "merchant", Title: m.LegalName, Back: console.Root + "merchants", Alert: alert, Data: d})
}

// setStatus moves a merchant; refusing its calls is asked about once more.
func (e *Estate) setStatus(v *console.Visit) {
	m, err := e.Roll.Merchant(v.Context(), central.MerchantID(v.Path("merchant")))
	if err != nil {
		v.Fail(err)
		return
	}
	to := central.MerchantStatus(v.Form("to"))
	here := console.Root + "merchants/" + string(m.ID)
	if text := consequence(to); text != "" && !v.Sure() {
		ask(v, sure{Question: verbs()[to] + " " + m.LegalName + "?", Text: text, Action: here + "/status", Back: here,
			Button: "Yes, " + strings.ToLower(verbs()[to]), Fields: map[string]string{"to": string(to), "from": string(m.Status)}})
		return
	}
	// What the page showed is what is left: another's step meanwhile is not undone.
	from := central.MerchantStatus(v.Form("from"))
	err = v.Do(operator.Change{What: "merchant.status", Subject: string(m.ID), Was: string(from), Became: string(to)}, func(ctx context.Context) error {
		return e.Roll.SetStatus(ctx, m.ID, from, to)
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showMerchant(v, m.ID, status, text)
		}
		return
	}
	v.To(here, strings.ToLower(string(to)))
}

// verbs are the statuses as steps.
func verbs() map[central.MerchantStatus]string {
	return map[central.MerchantStatus]string{central.MerchantApproved: "Approve", central.MerchantSuspended: "Suspend", central.MerchantRejected: "Reject"}
}

// Verb is a status as a step, for a button.
func (m merchantPage) Verb(to central.MerchantStatus) string { return verbs()[to] }

// consequence is what a step costs; empty: it is not asked about.
func consequence(to central.MerchantStatus) string {
	switch to {
	case central.MerchantSuspended:
		return "From now on every new call of the merchant is refused: of its terminals, its own programs and its vendor's. Its open enrolment codes end. What was begun goes on to its end, and callbacks are still sent. It can be approved again."
	case central.MerchantRejected:
		return "A merchant that was rejected is never approved: it would have to be entered anew, with another MID."
	}
	return ""
}
