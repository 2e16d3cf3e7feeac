package console

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
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

// merchantRow is a merchant of the list.
type merchantRow struct {
	merchantView
	accounts.Health
	Seen       accounts.MerchantSeen
	VendorName string
}

// merchantsPage is the list's data, with what was typed.
type merchantsPage struct {
	partyList
	Merchants    []merchantRow
	Text, Vendor string
	Status       central.MerchantStatus
	Statuses     []central.MerchantStatus
	Vendors      []central.Vendor
	Older        string
	Typed        accounts.Fields
}

// Fields are the fields of the form of a new merchant.
func (d merchantsPage) Fields() merchantFields { return merchantFields{d.Typed, d.Vendors, true} }

func (e *PartyPages) merchants(v *visit) error { return e.showMerchants(v, http.StatusOK, "", nil) }

func (e *PartyPages) showMerchants(v *visit, status int, alert string, typed accounts.Fields) error {
	l, wrongSort := readPartyList(v, "merchants", "text", "vendor", "status")
	d := merchantsPage{partyList: l, Text: l.fields.Get("text"), Vendor: l.fields.Get("vendor"), Statuses: statuses(), Typed: typed}
	var wrong, err error
	if d.Status, wrong = choose(l, "status", statuses()...); wrong != nil || wrongSort != nil {
		status, alert = http.StatusUnprocessableEntity, joinRefusals(wrong, wrongSort).Error()
	}
	if d.Vendors, err = e.Accounts.VendorsBy(v.Context(), accounts.Filter{Limit: maxVendors}); err != nil {
		return err
	}
	list, err := e.listMerchants(v, &d)
	if err != nil {
		return err
	}
	if d.Merchants, err = e.merchantRows(v.Context(), list, d.Vendors, time.Now()); err != nil {
		return err
	}
	if d.Sort != "" { // by the figures that the page shows
		slices.SortStableFunc(d.Merchants, func(a, b merchantRow) int { return compareTotals(d.Sort, a.Today, b.Today) })
	}
	return v.show(status, page{Name: "merchants", Title: "Merchants", Alert: alert, Data: d})
}

// listMerchants reads one page of the list: by name, or the first ones by today's figures.
func (e *PartyPages) listMerchants(v *visit, d *merchantsPage) ([]central.Merchant, error) {
	f := accounts.Filter{Status: d.Status, Vendor: central.VendorID(d.Vendor), Text: d.Text, AfterName: v.query().Get("name"), AfterID: v.query().Get("after"), Limit: pageSize + 1}
	if d.Sort != "" {
		day, err := e.Accounts.TodayByParty(v.Context(), time.Now())
		if err != nil {
			return nil, err
		}
		return readRanked(rank(day.Merchants, d.Sort),
			func(ids []central.MerchantID) ([]central.Merchant, error) {
				return e.Accounts.MerchantsAmong(v.Context(), ids, f)
			},
			func(m central.Merchant) central.MerchantID { return m.ID })
	}
	list, err := e.Accounts.MerchantsBy(v.Context(), f)
	if len(list) > pageSize {
		list = list[:pageSize]
		last := list[pageSize-1]
		d.Older = d.with(url.Values{"name": {last.LegalName}, "after": {string(last.ID)}})
	}
	return list, err
}

// merchantRows adds to merchants how they do.
func (e *PartyPages) merchantRows(ctx context.Context, list []central.Merchant, vendors []central.Vendor, now time.Time) ([]merchantRow, error) {
	ids := make([]central.MerchantID, len(list))
	for i, m := range list {
		ids[i] = m.ID
	}
	health, err := e.Accounts.HealthOf(ctx, ids, now)
	if err != nil {
		return nil, err
	}
	seen, err := e.Accounts.MerchantsSeen(ctx, ids, now.Add(-accounts.NodeTimeout))
	rows := make([]merchantRow, len(list))
	for i, m := range list {
		rows[i] = merchantRow{merchantView: merchantView{m}, Health: health.Merchants[m.ID], Seen: seen[m.ID]}
		for _, x := range vendors {
			if x.ID == m.Vendor {
				rows[i].VendorName = x.LegalName
			}
		}
	}
	return rows, err
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
	LookupLimit int // of an hour
	Tiles       []tile
	Latest      latestOperations
	Limits      []limitRow
	Onboarding  onboarding
	Session     agentSession // of the merchant's own TID
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
	if d.Terminals, err = e.terminalsOf(v, accounts.TerminalFilter{Merchant: id}, partyList{path: Root + "terminals", fields: url.Values{"merchant": {string(id)}}}); err == nil {
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
	if err == nil {
		err = e.fillMerchant(v, &d)
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

// fillMerchant reads how a merchant does, and what is set for it.
func (e *PartyPages) fillMerchant(v *visit, d *merchantPage) (err error) {
	ids, ctx := []central.MerchantID{d.ID}, v.Context()
	health, err := e.Accounts.HealthOf(ctx, ids, d.Now)
	if err != nil {
		return err
	}
	seen, err := e.Accounts.MerchantsSeen(ctx, ids, d.Now.Add(-accounts.NodeTimeout))
	if err != nil {
		return err
	}
	x := seen[d.ID]
	d.Tiles = append(healthTiles(health.Merchants[d.ID], Root+"operations?merchant="+string(d.ID)),
		seenTile(x.At(), d.Now, x.Online, fmt.Sprintf("%d of %d terminals online", x.Online, x.Live), Root+"terminals?merchant="+string(d.ID)))
	d.Limits, d.LookupLimit = limitRows(e.Limits.InForce(d.Now)), e.Limits.Lookups(d.ID)
	if d.Onboarding, err = e.onboardingOf(ctx, d.Merchant); err != nil {
		return err
	}
	if d.Session, err = e.agentSession(ctx, d.TID, d.Now); err != nil {
		return err
	}
	d.Latest, err = latestOf(v, listFilter{Merchant: string(d.ID)})
	return err
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
