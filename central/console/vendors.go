package console

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"galla/central"

	"galla/central/accounts"
	"galla/central/keys"
	"galla/central/staff"
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

// vendorsPage is the list's data, with what was typed.
type vendorsPage struct {
	Vendors     []central.Vendor
	Aggregators []accounts.Aggregator
	Names       map[central.AggregatorID]string
	Text        string
	Older       string
	Typed       accounts.Fields
}

func (e *PartyPages) vendors(v *visit) error { return e.showVendors(v, http.StatusOK, "", nil) }

func (e *PartyPages) showVendors(v *visit, status int, alert string, typed accounts.Fields) error {
	q := v.query()
	d := vendorsPage{Text: strings.TrimSpace(q.Get("text")), Names: map[central.AggregatorID]string{}, Typed: typed}
	var err error
	if d.Vendors, err = e.Accounts.VendorsBy(v.Context(), accounts.Filter{Text: d.Text, AfterName: q.Get("name"), AfterID: q.Get("after"), Limit: pageSize + 1}); err == nil {
		d.Aggregators, err = e.Accounts.Aggregators(v.Context())
	}
	if err != nil {
		return err
	}
	for _, a := range d.Aggregators {
		d.Names[a.ID] = a.LegalName
	}
	if len(d.Vendors) > pageSize {
		d.Vendors = d.Vendors[:pageSize]
		last := d.Vendors[pageSize-1]
		d.Older = Root + "vendors?" + url.Values{"text": {d.Text}, "name": {last.LegalName}, "after": {string(last.ID)}}.Encode()
	}
	return v.show(status, page{Name: "vendors", Title: "Vendors", Alert: alert, Data: d})
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
