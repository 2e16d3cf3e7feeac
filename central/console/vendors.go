package console

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"galla/central"

	"galla/central/accounts"
	"galla/central/keys"
	"galla/central/staff"
	"galla/central/webhook"
	"galla/shared/op"
)

func (e *PartyPages) vendorRoutes() []route {
	return []route{
		getRoute("vendors", staff.Viewer, e.vendors),
		postRoute("vendors", staff.Admin, e.addVendor),
		postRoute("aggregators", staff.Admin, e.addAggregator),
		getRoute("vendors/{vendor}", staff.Viewer, e.vendor),
		postRoute("vendors/{vendor}/active", staff.Admin, of(e.findVendor, e.setVendorActive)),
		postRoute("vendors/{vendor}/keys", staff.Admin, of(e.findVendor, e.issueKey)),
		postRoute("vendors/{vendor}/keys/{key}/revoke", staff.Admin, of(e.findVendor, e.revokeKey)),
		postRoute("vendors/{vendor}/people", staff.Admin, of(e.findVendor, e.invite)),
		postRoute("vendors/{vendor}/people/{login}/reset", staff.Admin, of(e.findVendor, e.resetPerson)),
	}
}

// vendorRow is a vendor of the list.
type vendorRow struct {
	central.Vendor
	vendorHealth
}

// vendorHealth is how a vendor does today.
type vendorHealth struct {
	Today accounts.Totals // of its merchants
	Seen  time.Time       // an operation of today, or a use of a key, was last seen; zero: never
	Token time.Time       // the day of a program's last token, where that is later than Seen
}

// vendorsPage is the list's data, with what was typed.
type vendorsPage struct {
	partyList
	Vendors     []vendorRow
	Aggregators []accounts.Aggregator
	Names       map[central.AggregatorID]string
	Text        string
	State       string
	States      []string
	Older       string
	Typed       accounts.Fields
}

// Chosen is the aggregator that the form of a new vendor has.
func (d vendorsPage) Chosen() string { return d.Typed[accounts.FieldAggregator] }

// VendorName is the field of a new vendor's name.
func (d vendorsPage) VendorName() companyField {
	return companyField{"legal_name", d.Typed[accounts.FieldName]}
}

// AggregatorName is the field of a new aggregator's name.
func (d vendorsPage) AggregatorName() companyField { return companyField{ID: "aggregator_name"} }

func (e *PartyPages) vendors(v *visit) error { return e.showVendors(v, http.StatusOK, "", nil) }

func (e *PartyPages) showVendors(v *visit, status int, alert string, typed accounts.Fields) error {
	l, wrongSort := readPartyList(v, "vendors", "text", "state")
	d := vendorsPage{partyList: l, Text: l.fields.Get("text"), States: []string{accounts.ActiveText(true), accounts.ActiveText(false)}, Names: map[central.AggregatorID]string{}, Typed: typed}
	var wrong, err error
	if d.State, wrong = choose(l, "state", d.States...); wrong != nil || wrongSort != nil {
		status, alert = http.StatusUnprocessableEntity, joinRefusals(wrong, wrongSort).Error()
	}
	if d.Aggregators, err = e.Accounts.Aggregators(v.Context()); err != nil {
		return err
	}
	for _, a := range d.Aggregators {
		d.Names[a.ID] = a.LegalName
	}
	if err := e.listVendors(v, &d); err != nil {
		return err
	}
	return v.show(status, page{Name: "vendors", Title: "Vendors", Alert: alert, Data: d})
}

// listVendors reads one page of the list: by name, or the first ones of the filter's first
// 1000 by today's figures.
func (e *PartyPages) listVendors(v *visit, d *vendorsPage) error {
	f := accounts.Filter{Text: d.Text, Active: d.State, AfterName: v.query().Get("name"), AfterID: v.query().Get("after"), Limit: pageSize + 1}
	if d.Sort != "" {
		f.AfterName, f.AfterID, f.Limit = "", "", sortedOf
	}
	list, err := e.Accounts.VendorsBy(v.Context(), f)
	if err != nil {
		return err
	}
	if d.Sort != "" {
		day, err := e.Accounts.TodayByParty(v.Context(), time.Now())
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(x central.Vendor) bool { return day.Vendors[x.ID].Count() == 0 })
		slices.SortStableFunc(list, func(a, b central.Vendor) int { return compareTotals(d.Sort, day.Vendors[a.ID], day.Vendors[b.ID]) })
	}
	if len(list) > pageSize {
		list = list[:pageSize]
		last := list[pageSize-1]
		if d.Sort == "" {
			d.Older = d.with(url.Values{"name": {last.LegalName}, "after": {string(last.ID)}})
		}
	}
	ids := make([]central.VendorID, len(list))
	for i, x := range list {
		ids[i] = x.ID
	}
	health, err := e.vendorsHealth(v.Context(), ids, time.Now())
	for _, x := range list {
		d.Vendors = append(d.Vendors, vendorRow{x, health[x.ID]})
	}
	return err
}

// vendorsHealth reads how vendors do.
func (e *PartyPages) vendorsHealth(ctx context.Context, ids []central.VendorID, now time.Time) (map[central.VendorID]vendorHealth, error) {
	day, err := e.Accounts.TodayByParty(ctx, now)
	if err != nil {
		return nil, err
	}
	seen, err := e.Accounts.VendorsSeen(ctx, ids)
	out := make(map[central.VendorID]vendorHealth, len(ids))
	for _, id := range ids {
		x := vendorHealth{Today: day.Vendors[id], Seen: day.VendorAt[id]}
		if seen[id].Key.After(x.Seen) {
			x.Seen = seen[id].Key
		}
		if seen[id].Token.After(x.Seen) {
			x.Token = seen[id].Token
		}
		out[id] = x
	}
	return out, err
}

func (e *PartyPages) addVendor(v *visit) error {
	f := formFields(v, accounts.FieldName, accounts.FieldAggregator)
	added, err := e.Changes.NewVendor(v.Context(), v.Actor(), f)
	err = withWords(err)
	return v.after(err, func(status int, text string) error { return e.showVendors(v, status, text, f) }, Root+"vendors/"+string(added.ID), "vendor-added")
}

func (e *PartyPages) addAggregator(v *visit) error {
	f := formFields(v, accounts.FieldName)
	_, err := e.Changes.NewAggregator(v.Context(), v.Actor(), f)
	err = withWords(err)
	return v.after(err, func(status int, text string) error { return e.showVendors(v, status, text, nil) }, Root+"vendors", "aggregator-added")
}

// vendorPage is one vendor's data.
type vendorPage struct {
	central.Vendor
	AggregatorName string
	Keys           []keys.VendorKey
	Live           int // keys that are not revoked
	MaxLive        int
	Programs       programs
	Aggregators    []accounts.Aggregator // to choose from, where it has none
	People         []staff.Member        // of the portal
	Tiles          []tile
	Latest         latestOperations
	Onboarded      []accounts.OnboardedCount
	Limits         []limitRow
	Callbacks      webhook.Endpoint
	Place          string // of the callbacks: scheme and host; empty: none
}

func (e *PartyPages) vendor(v *visit) error {
	return e.showVendor(v, central.VendorID(v.path("vendor")), http.StatusOK, "")
}

func (e *PartyPages) showVendor(v *visit, id central.VendorID, status int, alert string) error {
	d := vendorPage{MaxLive: central.MaxLiveKeys}
	var err error
	if d.Vendor, err = e.Accounts.Vendor(v.Context(), id); err == nil {
		d.Keys, err = e.Keys.List(v.Context(), id)
	}
	var aggregators []accounts.Aggregator
	if err == nil {
		aggregators, err = e.Accounts.Aggregators(v.Context())
	}
	if err == nil {
		d.Programs, err = e.programsOf(v.Context(), central.Principal{Role: op.Vendor, Vendor: id}, Root+"vendors/"+string(id))
	}
	if err == nil {
		d.People, err = e.People.Within(id).Members(v.Context())
	}
	if err == nil {
		err = e.fillVendor(v, &d)
	}
	if err != nil {
		return err
	}
	if d.Aggregator == "" {
		d.Aggregators = aggregators
	}
	for _, a := range aggregators {
		if a.ID == d.Aggregator {
			d.AggregatorName = a.LegalName
		}
	}
	for _, k := range d.Keys {
		if k.RevokedAt.IsZero() {
			d.Live++
		}
	}
	return v.show(status, page{Name: "vendor", Title: d.LegalName, Back: Root + "vendors", Alert: alert, Data: d})
}

// Name is the field of the vendor's name.
func (d vendorPage) Name() companyField { return companyField{"legal_name", d.LegalName} }

// Chosen is the aggregator that the form has: none, since a vendor's is never replaced.
func (d vendorPage) Chosen() string { return "" }

// fillVendor reads how a vendor does, and what is set for it.
func (e *PartyPages) fillVendor(v *visit, d *vendorPage) (err error) {
	now := time.Now()
	d.Limits = limitRows(e.Limits.InForce(now))
	health, err := e.vendorsHealth(v.Context(), []central.VendorID{d.ID}, now)
	if err != nil {
		return err
	}
	d.Tiles = health[d.ID].tiles(Root+"operations?vendor="+string(d.ID), now)
	if d.Latest, err = latestOf(v, listFilter{Vendor: string(d.ID)}); err != nil {
		return err
	}
	if d.Onboarded, err = e.Accounts.OnboardedOf(v.Context(), d.ID); err != nil {
		return err
	}
	if d.Callbacks, err = e.Callbacks.Endpoint(v.Context(), webhook.OfVendor(d.ID), now); err != nil {
		return err
	}
	if d.Callbacks.URL != "" {
		d.Place = webhook.RedactURL(d.Callbacks.URL)
	}
	return nil
}

// tiles are the figures above a vendor's page. operations is the address of the list of its
// operations.
func (h vendorHealth) tiles(operations string, now time.Time) []tile {
	seen := seenTile(h.Seen, now, 0, "an operation, or a message at the gateway", operations)
	if !h.Token.IsZero() {
		seen.Value, seen.Note, seen.Tone = formatDay(h.Token), "a program got a token that day", ""
	}
	return []tile{
		{Label: "Moved today", Value: h.Today.Moved.Rupees(), Note: "by its merchants", Href: operations + "&period=today"},
		{Label: "Success rate today", Value: share(h.Today), Note: formatCount(h.Today.Failed) + " failed", Href: operations + "&period=today&state=failed"},
		{Label: "Operations today", Value: formatCount(h.Today.Count()), Note: formatCount(h.Today.Unfinished) + " open", Href: operations + "&period=today"},
		seen,
	}
}

func (e *PartyPages) setVendorActive(v *visit, vendor central.Vendor) error {
	here := Root + "vendors/" + string(vendor.ID)
	active := v.field("to") == accounts.ActiveText(true)
	if !active && !v.confirmed() {
		return askToConfirm(v, confirmPage{Question: "Suspend " + vendor.LegalName + "?", Button: "Suspend", Action: here + "/active", Back: here, Fields: map[string]string{"to": accounts.ActiveText(false)},
			Text: "From now on every request of the vendor is refused, at the gateway and directly. Open enrolment codes that its programs made are void. Its merchants' own requests go on: suspend those merchants one by one if necessary. The vendor can be enabled again."})
	}
	err := e.Changes.EnableVendor(v.Context(), v.Actor(), vendor.ID, active)
	return v.after(err, func(status int, text string) error { return e.showVendor(v, vendor.ID, status, text) }, here, map[bool]string{true: "vendor-on", false: "vendor-off"}[active])
}

func (e *PartyPages) issueKey(v *visit, vendor central.Vendor) error {
	issued, err := e.Keys.Add(v.Context(), v.Actor(), vendor.ID)
	if errors.Is(err, central.ErrState) {
		err = &refusal{status: http.StatusConflict, text: "The vendor has the largest number of live keys: revoke one first."}
	}
	if err != nil {
		return v.refuse(err, func(status int, text string) error { return e.showVendor(v, vendor.ID, status, text) })
	}
	return v.show(http.StatusOK, page{Name: "one-time", Title: "Key of " + vendor.LegalName, Back: Root + "vendors/" + string(vendor.ID), Data: oneTimePage{
		Lead: "The vendor's program seals its messages with these (gateway.md). Its other keys stay valid.",
		Lines: []labelValue{
			{"Key's id", string(issued.ID)}, {"X-Client-Id", issued.APIKey.Reveal()}, {"AES key, base64", base64.StdEncoding.EncodeToString(issued.Key.Reveal())},
		},
		Note: "They are not shown again: the central stores the key sealed, and a hash of the X-Client-Id. Send them over a channel that only the vendor reads.",
	}})
}

func (e *PartyPages) revokeKey(v *visit, vendor central.Vendor) error {
	id := v.path("key")
	list, err := e.Keys.List(v.Context(), vendor.ID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(k keys.VendorKey) bool { return string(k.ID) == id }) {
		return central.ErrNotFound
	}
	here := Root + "vendors/" + string(vendor.ID)
	if !v.confirmed() {
		return askToConfirm(v, confirmPage{Question: "Revoke this key of " + vendor.LegalName + "?", Button: "Revoke", Action: here + "/keys/" + id + "/revoke", Back: here,
			Text: "Every message under it is refused within a second. This can't be undone: the vendor needs another key first."})
	}
	_, err = e.Keys.Revoke(v.Context(), v.Actor(), vendor.ID, id)
	return v.after(err, func(status int, text string) error { return e.showVendor(v, vendor.ID, status, text) }, here, "key-revoked")
}

// invite adds an owner of the vendor's part of the portal, who adds the others.
func (e *PartyPages) invite(v *visit, vendor central.Vendor) error {
	setup, err := e.People.Within(vendor.ID).Add(v.Context(), v.field("login"), v.field("name"), staff.Owner, v.Actor())
	return e.showInvitation(v, vendor, setup, err)
}

// resetPerson lets a person of the vendor set up the access again.
func (e *PartyPages) resetPerson(v *visit, vendor central.Vendor) error {
	setup, err := e.People.Within(vendor.ID).Reset(v.Context(), v.path("login"), v.Actor())
	return e.showInvitation(v, vendor, setup, err)
}

func (e *PartyPages) showInvitation(v *visit, vendor central.Vendor, setup staff.Setup, err error) error {
	if err != nil {
		return v.refuse(err, func(status int, text string) error { return e.showVendor(v, vendor.ID, status, text) })
	}
	return showSetupCode(v, setup, Root+"vendors/"+string(vendor.ID), PortalRoot)
}
