package console

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"galla/central"

	"galla/central/accounts"
	"galla/central/staff"

	"galla/central/webhook"
	"galla/shared/op"
)

func (e *PartyPages) merchantRoutes() []route {
	return []route{
		getRoute("merchants", staff.Viewer, e.merchants),
		postRoute("merchants", staff.Admin, e.addMerchant),
		getRoute("merchants/{merchant}", staff.Viewer, e.merchant),
		postRoute("merchants/{merchant}/status", staff.Admin, of(e.findMerchant, e.setStatus)),
	}
}

// statuses lists the statuses of merchants.
func statuses() []central.MerchantStatus {
	return []central.MerchantStatus{central.MerchantPending, central.MerchantApproved, central.MerchantSuspended, central.MerchantRejected}
}

// merchantView is a merchant as pages show it.
type merchantView struct{ central.Merchant }

// Tone is the status's CSS class.
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
	Typed        accounts.Fields
}

func (e *PartyPages) merchants(v *visit) error { return e.showMerchants(v, http.StatusOK, "", nil) }

func (e *PartyPages) showMerchants(v *visit, status int, alert string, typed accounts.Fields) error {
	q := v.query()
	d := merchantsPage{Text: strings.TrimSpace(q.Get("text")), Vendor: q.Get("vendor"), Status: central.MerchantStatus(q.Get("status")), Statuses: statuses(), Typed: typed}
	list, err := e.Accounts.MerchantsBy(v.Context(), accounts.Filter{
		Status: d.Status, Vendor: central.VendorID(d.Vendor), Text: d.Text, AfterName: q.Get("name"), AfterID: q.Get("after"), Limit: pageSize + 1,
	})
	if err == nil {
		d.Vendors, err = e.Accounts.VendorsBy(v.Context(), accounts.Filter{Limit: maxVendors})
	}
	if err != nil {
		return err
	}
	if len(list) > pageSize {
		list = list[:pageSize]
		last := list[pageSize-1]
		d.Older = Root + "merchants?" + url.Values{"text": {d.Text}, "vendor": {d.Vendor}, "status": {string(d.Status)}, "name": {last.LegalName}, "after": {string(last.ID)}}.Encode()
	}
	for _, m := range list {
		d.Merchants = append(d.Merchants, merchantView{m})
	}
	return v.show(status, page{Name: "merchants", Title: "Merchants", Alert: alert, Data: d})
}

// maxVendors is how many vendors a form offers.
const maxVendors = 500

// formFields returns fields of a form that are not empty.
func formFields(v *visit, names ...string) accounts.Fields {
	f := accounts.Fields{}
	for _, name := range names {
		if text := strings.TrimSpace(v.field(name)); text != "" {
			f[name] = text
		}
	}
	return f
}

func (e *PartyPages) addMerchant(v *visit) error {
	f := formFields(v, accounts.FieldName, accounts.FieldMID, accounts.FieldAppID, accounts.FieldMobile, accounts.FieldAddress, accounts.FieldVPA, accounts.FieldMCC, accounts.FieldVendor)
	m, err := e.Changes.NewMerchant(v.Context(), v.Actor(), f)
	err = withWords(err)
	return v.after(err, func(status int, text string) error { return e.showMerchants(v, status, text, f) }, Root+"merchants/"+string(m.ID), "merchant-added")
}

// merchantPage is one merchant's data.
type merchantPage struct {
	merchantView
	VendorName string
	VendorOff  bool
	Moves      []central.MerchantStatus
	Terminals  terminalsTable
	Endpoint   webhook.Endpoint
	Place      string // of the endpoint: scheme and host
	// VendorPlace is that of its vendor's endpoint, where the merchant has none.
	VendorPlace string
	Now         time.Time
	Secrets     []webhook.Secret
	Programs    programs
	Lookups     accounts.Lookups
}

func (e *PartyPages) merchant(v *visit) error {
	return e.showMerchant(v, central.MerchantID(v.path("merchant")), http.StatusOK, "")
}

func (e *PartyPages) showMerchant(v *visit, id central.MerchantID, status int, alert string) error {
	m, err := e.Accounts.Merchant(v.Context(), id)
	if err != nil {
		return err
	}
	d := merchantPage{merchantView: merchantView{m}, Now: time.Now(), Moves: accounts.Transitions(m.Status)}
	if m.Vendor != "" {
		vendor, err := e.Accounts.Vendor(v.Context(), m.Vendor)
		if err != nil {
			return err
		}
		d.VendorName, d.VendorOff = vendor.LegalName, !vendor.Active
	}
	if d.Terminals, err = e.terminalsOf(v, accounts.TerminalFilter{Merchant: id}, Root+"terminals"); err == nil {
		d.Terminals.Own = true
		d.Endpoint, err = e.Callbacks.Endpoint(v.Context(), webhook.OfMerchant(id), time.Now())
	}
	if err == nil {
		d.Secrets, err = e.Callbacks.ListSecrets(v.Context(), webhook.OfMerchant(id))
	}
	if err == nil {
		d.Lookups, err = e.Lookups.LookupsOf(v.Context(), id, time.Now())
	}
	if err == nil {
		d.Programs, err = e.programsOf(v.Context(), central.Principal{Role: op.Merchant, Merchant: id}, Root+"merchants/"+string(id))
	}
	if err != nil {
		return err
	}
	if d.Endpoint.URL != "" {
		d.Place = webhook.RedactURL(d.Endpoint.URL)
	} else if d.VendorPlace, err = e.vendorPlace(v.Context(), m.Vendor); err != nil {
		return err
	}
	return v.show(status, page{Name: "merchant", Title: m.LegalName, Back: Root + "merchants", Alert: alert, Data: d})
}

// vendorPlace is scheme and host of a vendor's endpoint; empty: none.
func (e *PartyPages) vendorPlace(ctx context.Context, id central.VendorID) (string, error) {
	if id == "" {
		return "", nil
	}
	x, err := e.Callbacks.Endpoint(ctx, webhook.OfVendor(id), time.Now())
	if err != nil || x.URL == "" {
		return "", err
	}
	return webhook.RedactURL(x.URL), nil
}

// setStatus changes a merchant's status; a change that refuses its requests asks
// first.
func (e *PartyPages) setStatus(v *visit, m central.Merchant) error {
	to := central.MerchantStatus(v.field("to"))
	here := Root + "merchants/" + string(m.ID)
	if text := consequence(to); text != "" && !v.confirmed() {
		return askToConfirm(v, confirmPage{Question: statusVerbs()[to] + " " + m.LegalName + "?", Text: text, Action: here + "/status", Back: here,
			Button: "Yes, " + strings.ToLower(statusVerbs()[to]), Fields: map[string]string{"to": string(to), "from": string(m.Status)}})
	}
	// The status that the page showed: somebody else's change meanwhile is not undone.
	from := central.MerchantStatus(v.field("from"))
	err := e.Changes.MoveMerchant(v.Context(), v.Actor(), m.ID, from, to)
	return v.after(err, func(status int, text string) error { return e.showMerchant(v, m.ID, status, text) }, here, "merchant-"+strings.ToLower(string(to)))
}

// statusVerbs names the steps to the statuses.
func statusVerbs() map[central.MerchantStatus]string {
	return map[central.MerchantStatus]string{central.MerchantApproved: "Approve", central.MerchantSuspended: "Suspend", central.MerchantRejected: "Reject"}
}

// Verb names the step to a status, for a button.
func (m merchantPage) Verb(to central.MerchantStatus) string { return statusVerbs()[to] }

// consequence says what a step means; empty: it is not asked about.
func consequence(to central.MerchantStatus) string {
	switch to {
	case central.MerchantSuspended:
		return "From now on every new request of the merchant is refused: of its terminals, its own programs and its vendor's. Its open enrolment codes become void. Operations that are under way go on, and callbacks are still sent. It can be approved again."
	case central.MerchantRejected:
		return "A rejected merchant can never be approved: it would have to be added again, with another MID."
	}
	return ""
}
