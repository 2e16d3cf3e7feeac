package estate

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"galla/central"
	"galla/central/console"
	"galla/central/operator"
	"galla/central/parties"
	"galla/shared/op"
	"galla/shared/secret"
)

// VendorKeys makes and ends vendors' keys.
type VendorKeys interface {
	// Issue makes a key. The errors are those of central.VendorKeys.
	Issue(ctx context.Context, vendor central.VendorID) (IssuedKey, error)
	// KeysOf lists a vendor's keys, oldest first, revoked ones among them.
	KeysOf(ctx context.Context, vendor central.VendorID) ([]Key, error)
	// End revokes a key.
	End(ctx context.Context, id central.KeyID) error
}

// IssuedKey is a new key, shown once.
type IssuedKey struct {
	ID     central.KeyID
	APIKey secret.Token
	Key    secret.Key
}

// Key is a vendor's key with the master key that opens it.
type Key struct {
	central.VendorKey
	// Master is the number of the master key that opens it, 1 the one that seals
	// new ones; 0: none does, and the vendor's messages are refused.
	Master int
}

func (e *Estate) vendorRoutes() []console.Route {
	return []console.Route{
		get("vendors", operator.Viewer, e.vendors),
		post("vendors", operator.Admin, e.addVendor),
		post("aggregators", operator.Admin, e.addAggregator),
		get("vendors/{vendor}", operator.Viewer, e.vendor),
		post("vendors/{vendor}/active", operator.Admin, e.setActive),
		post("vendors/{vendor}/keys", operator.Admin, e.issueKey),
		post("vendors/{vendor}/keys/{key}/revoke", operator.Admin, e.endKey),
	}
}

// vendorsPage is the list's data, with what was typed.
type vendorsPage struct {
	Vendors     []central.Vendor
	Aggregators []parties.Aggregator
	Names       map[central.AggregatorID]string
	Text        string
	Older       string
	Typed       parties.Fields
}

func (e *Estate) vendors(v *console.Visit) { e.showVendors(v, http.StatusOK, "", nil) }

func (e *Estate) showVendors(v *console.Visit, status int, alert string, typed parties.Fields) {
	q := v.Query()
	d := vendorsPage{Text: strings.TrimSpace(q.Get("text")), Names: map[central.AggregatorID]string{}, Typed: typed}
	var err error
	if d.Vendors, err = e.Roll.VendorsBy(v.Context(), parties.Filter{Text: d.Text, AfterName: q.Get("name"), AfterID: q.Get("after"), Limit: pageSize + 1}); err == nil {
		d.Aggregators, err = e.Roll.Aggregators(v.Context())
	}
	if err != nil {
		v.Fail(err)
		return
	}
	for _, a := range d.Aggregators {
		d.Names[a.ID] = a.LegalName
	}
	if len(d.Vendors) > pageSize {
		d.Vendors = d.Vendors[:pageSize]
		last := d.Vendors[pageSize-1]
		d.Older = console.Root + "vendors?" + url.Values{"text": {d.Text}, "name": {last.LegalName}, "after": {string(last.ID)}}.Encode()
	}
	v.Show(status, console.Page{Name: "vendors", Title: "Vendors", Alert: alert, Data: d})
}

// entered tells a step's error on the list, or leads on.
func (e *Estate) entered(v *console.Visit, f parties.Fields, err error, to, done string) {
	if err == nil {
		v.To(to, done)
		return
	}
	if status, text, ok := v.Told(err); ok {
		e.showVendors(v, status, text, f)
	}
}

func (e *Estate) addVendor(v *console.Visit) {
	f := typed(v, parties.FieldName, parties.FieldAggregator)
	var added central.Vendor
	err := v.Do(operator.Change{What: "vendor.add", Note: f[parties.FieldName]}, func(ctx context.Context) (err error) {
		added, err = e.Roll.EnterVendor(ctx, f)
		if errors.Is(err, central.ErrNotFound) {
			return console.Refuse("There is no such aggregator.")
		}
		return words(err)
	})
	e.entered(v, f, err, console.Root+"vendors/"+string(added.ID), "vendor-added")
}

func (e *Estate) addAggregator(v *console.Visit) {
	f := typed(v, parties.FieldName)
	err := v.Do(operator.Change{What: "aggregator.add", Note: f[parties.FieldName]}, func(ctx context.Context) error {
		_, err := e.Roll.EnterAggregator(ctx, f)
		return words(err)
	})
	e.entered(v, nil, err, console.Root+"vendors", "aggregator-added")
}

// vendorPage is one vendor's data.
type vendorPage struct {
	central.Vendor
	AggregatorName string
	Keys           []Key
	Live           int // keys that are not revoked
	MaxLive        int
	Programs       programs
	Aggregators    []parties.Aggregator // to choose from, where it has none
}

// Worn tells of a key that has been used so often that it should be replaced.
func (k Key) Worn() bool { return k.Uses >= wornUses }

// wornUses is when a key should be replaced: a quarter of what random 96-bit
// nonces allow it (NIST SP 800-38D, 8.3).
const wornUses = 1 << 30

func (e *Estate) vendor(v *console.Visit) {
	e.showVendor(v, central.VendorID(v.Path("vendor")), http.StatusOK, "")
}

func (e *Estate) showVendor(v *console.Visit, id central.VendorID, status int, alert string) {
	d := vendorPage{MaxLive: central.MaxLiveKeys}
	var err error
	if d.Vendor, err = e.Roll.Vendor(v.Context(), id); err == nil {
		d.Keys, err = e.Keys.KeysOf(v.Context(), id)
	}
	var aggregators []parties.Aggregator
	if err == nil {
		aggregators, err = e.Roll.Aggregators(v.Context())
	}
	if err == nil {
		d.Programs, err = e.programsOf(v.Context(), central.Principal{Role: op.Vendor, Vendor: id}, console.Root+"vendors/"+string(id))
	}
	if err != nil {
		v.Fail(err)
		return
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
	v.Show(status, console.Page{Name: "vendor", Title: d.LegalName, Back: console.Root + "vendors", Alert: alert, Data: d})
}

// activity is whether a vendor may call, in a word.
func activity(active bool) string {
	if active {
		return "active"
	}
	return "suspended"
}

func (e *Estate) setActive(v *console.Visit) {
	vendor, err := e.Roll.Vendor(v.Context(), central.VendorID(v.Path("vendor")))
	if err != nil {
		v.Fail(err)
		return
	}
	here := console.Root + "vendors/" + string(vendor.ID)
	active := v.Form("to") == activity(true)
	if !active && !v.Sure() {
		ask(v, sure{Question: "Suspend " + vendor.LegalName + "?", Button: "Yes, suspend", Action: here + "/active", Back: here, Fields: map[string]string{"to": activity(false)},
			Text: "From now on every call of the vendor is refused, at the gateway and directly. Open enrolment codes that its programs made are void. Its merchants' own calls go on: suspend them one by one where they must not. It can be let in again."})
		return
	}
	err = v.Do(operator.Change{What: "vendor.active", Subject: string(vendor.ID), Was: activity(!active), Became: activity(active)}, func(ctx context.Context) error {
		return e.Roll.SetVendorActive(ctx, vendor.ID, active)
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showVendor(v, vendor.ID, status, text)
		}
		return
	}
	v.To(here, map[bool]string{true: "vendor-on", false: "vendor-off"}[active])
}

func (e *Estate) issueKey(v *console.Visit) {
	vendor, err := e.Roll.Vendor(v.Context(), central.VendorID(v.Path("vendor")))
	if err != nil {
		v.Fail(err)
		return
	}
	var issued IssuedKey
	err = v.Do(operator.Change{What: "vendor.key.add", Subject: string(vendor.ID)}, func(ctx context.Context) (err error) {
		issued, err = e.Keys.Issue(ctx, vendor.ID)
		if errors.Is(err, central.ErrState) {
			return &console.Refusal{Status: http.StatusConflict, Text: "The vendor has as many live keys as it may: revoke one first."}
		}
		return err
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showVendor(v, vendor.ID, status, text)
		}
		return
	}
	v.Show(http.StatusOK, console.Page{Name: "once", Title: "Key of " + vendor.LegalName, Back: console.Root + "vendors/" + string(vendor.ID), Data: once{
		Lead: "The vendor's program seals its messages with these (gateway.md). The keys that it has stay as they are.",
		Lines: []line{
			{"Key's id", string(issued.ID)}, {"X-Client-Id", issued.APIKey.Reveal()}, {"AES key, base64", base64.StdEncoding.EncodeToString(issued.Key.Reveal())},
		},
		Note: "They are not shown again: the central keeps the key sealed, and of the X-Client-Id a hash. Hand them over by a way that only the vendor reads.",
	}})
}

func (e *Estate) endKey(v *console.Visit) {
	id := central.KeyID(v.Path("key"))
	vendor, err := e.Roll.Vendor(v.Context(), central.VendorID(v.Path("vendor")))
	if err != nil {
		v.Fail(err)
		return
	}
	keys, err := e.Keys.KeysOf(v.Context(), vendor.ID)
	if err != nil {
		v.Fail(err)
		return
	}
	own := false
	for _, k := range keys {
		own = own || k.ID == id
	}
	if !own {
		v.Fail(central.ErrNotFound)
		return
	}
	here := console.Root + "vendors/" + string(vendor.ID)
	if !v.Sure() {
		ask(v, sure{Question: "Revoke this key of " + vendor.LegalName + "?", Button: "Yes, revoke", Action: here + "/keys/" + string(id) + "/revoke", Back: here,
			Text: "Every message under it is refused from the next second on. It can't be taken back: the vendor needs another key first."})
		return
	}
	err = v.Do(operator.Change{What: "vendor.key.revoke", Subject: string(vendor.ID), Note: "key " + string(id), Became: "revoked"}, func(ctx context.Context) error {
		return e.Keys.End(ctx, id)
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showVendor(v, vendor.ID, status, text)
		}
		return
	}
	v.To(here, "key-revoked")
}
