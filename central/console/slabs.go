package console

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"

	"galla/central/staff"
	"galla/shared/money"
	"galla/shared/op"
)

func (e *PartyPages) slabRoutes() []route {
	return []route{
		getRoute("vendors/{vendor}/slabs", staff.Viewer, e.slabs),
		postRoute("vendors/{vendor}/slabs", staff.Admin, e.addSlab),
		postRoute("vendors/{vendor}/slabs/{slab}", staff.Admin, e.changeSlab),
		postRoute("vendors/{vendor}/slabs/{slab}/delete", staff.Admin, e.deleteSlab),
	}
}

// slab is a slab as the API returns it (interface.md, section 2.10).
type slab struct {
	ID            string         `json:"id"`
	PaymentMethod string         `json:"paymentMethod"`
	Provider      string         `json:"provider"`
	TxnType       string         `json:"txnType"`
	Min           jsontext.Value `json:"minAmount"`
	Max           jsontext.Value `json:"maxAmount"`
	Rate          jsontext.Value `json:"commissionRate"`
	RateType      string         `json:"rateType"`
	IsDefault     bool           `json:"isDefault"`

	typed map[string]string // in its form, where that was refused

	// Overlaps are the bands of other slabs of the combination that have an amount in
	// common with this one, at most maxNamed; the narrower band applies to it.
	// MoreOverlaps is how many more there are.
	Overlaps     []string
	MoreOverlaps int
}

// maxNamed is how many overlapping bands are named at a slab; the others are counted.
// A vendor may have a thousand slabs that all overlap.
const maxNamed = 5

// bounds is the slab's band; without a lower bound it begins at 0.
func (s slab) bounds() (low, high money.Paise) {
	low, high = 0, math.MaxInt64
	if p, err := money.Parse(string(s.Min)); err == nil {
		low = p
	}
	if p, err := money.Parse(string(s.Max)); err == nil {
		high = p
	}
	return low, high
}

// combination is what the slab is for.
func (s slab) combination() central.Combination {
	return central.Combination{PaymentMethod: s.PaymentMethod, Provider: s.Provider, TxnType: s.TxnType}
}

// band is the amounts of a slab.
type band struct {
	at        int // in the list
	low, high money.Paise
}

// isEvery reports whether the slab is for every amount.
func (b band) isEvery() bool { return b.low == 0 && b.high == math.MaxInt64 }

// markOverlaps names at each slab the others that overlap it.
func markOverlaps(list []slab) {
	var groups [][]band
	for i, s := range list {
		low, high := s.bounds()
		g := slices.IndexFunc(groups, func(g []band) bool { return list[g[0].at].combination().Same(s.combination()) })
		if g < 0 {
			g, groups = len(groups), append(groups, nil)
		}
		groups[g] = append(groups[g], band{i, low, high})
	}
	for _, group := range groups {
		// By amount, the band of every amount last: slabs of one millisecond have no order.
		slices.SortStableFunc(group, func(a, b band) int {
			if every := a.isEvery(); every != b.isEvery() {
				return map[bool]int{true: 1, false: -1}[every]
			}
			return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high))
		})
		for _, one := range group {
			s := &list[one.at]
			for _, o := range group {
				switch {
				case o.at == one.at || one.low >= o.high || o.low >= one.high:
				case len(s.Overlaps) < maxNamed:
					s.Overlaps = append(s.Overlaps, list[o.at].Band())
				default:
					s.MoreOverlaps++
				}
			}
		}
	}
}

// Band describes the slab's band.
func (s slab) Band() string {
	switch low, high := string(s.Min), string(s.Max); {
	case low == "" && high == "":
		return "every amount"
	case high == "":
		return rupeesText(s.Min) + " and more"
	case low == "":
		return "below " + rupeesText(s.Max)
	default:
		return rupeesText(s.Min) + " to below " + rupeesText(s.Max)
	}
}

// Earns describes the rate.
func (s slab) Earns() string {
	if s.RateType == string(central.RatePercentage) {
		return string(s.Rate) + " %"
	}
	return rupeesText(s.Rate)
}

// rupeesText writes a number of rupees for people. One with parts of a paisa, as a
// rate may have, stays as it is.
func rupeesText(v jsontext.Value) string {
	p, err := money.Parse(string(v))
	if err != nil {
		return "₹" + string(v)
	}
	return p.Rupees()
}

// Fields are what the slab's form begins with: its values, or what was typed.
func (s slab) Fields() map[string]string {
	if s.typed != nil {
		return s.typed
	}
	return withID(map[string]string{
		"paymentMethod": s.PaymentMethod, "provider": s.Provider, "txnType": s.TxnType, "minAmount": string(s.Min), "maxAmount": string(s.Max),
		"commissionRate": string(s.Rate), "rateType": s.RateType, "isDefault": map[bool]string{true: "yes"}[s.IsDefault],
	}, s.ID)
}

// withID adds the id for the form's elements, since a page has several forms.
func withID(fields map[string]string, id string) map[string]string {
	fields["id"] = "slab-" + id
	return fields
}

// slabReply is the envelope of the slab routes' replies.
type slabReply struct {
	StatusCode string         `json:"statusCode"`
	Message    string         `json:"message"`
	Data       jsontext.Value `json:"data"`
}

// callAPI makes a vendor's request to a slab route, in the vendor's name, through the
// handler of all entrances, so that the same rules hold. A refused one gives a refusal
// with the reply's text.
func (e *PartyPages) callAPI(ctx context.Context, vendor central.VendorID, route op.RouteID, slab string, body []byte, into any) error {
	r, ok := op.Find(route)
	if !ok {
		return fmt.Errorf("the interface has no route %s", route)
	}
	got := e.Handler.Handle(ctx, central.Request{
		Principal: central.Principal{Role: op.Vendor, Vendor: vendor}, Route: r, Body: body,
		Params: map[string]string{"vendorId": string(vendor), "slabId": slab},
	})
	var envelope slabReply
	if err := json.Unmarshal(got.Body, &envelope); err != nil {
		return fmt.Errorf("the reply of %s (HTTP %d) can't be read: %w", route, got.HTTP, err)
	}
	if got.HTTP >= http.StatusInternalServerError {
		return fmt.Errorf("%s: HTTP %d %s: %s", route, got.HTTP, envelope.StatusCode, envelope.Message)
	}
	if got.HTTP >= http.StatusBadRequest {
		return &refusal{status: http.StatusUnprocessableEntity, text: replyErrors(envelope)}
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(envelope.Data, into)
}

// replyErrors is the text of a refused request, field by field.
func replyErrors(r slabReply) string {
	var data struct {
		Errors []central.FieldError `json:"errors"`
	}
	if json.Unmarshal(r.Data, &data) == nil && len(data.Errors) > 0 {
		var texts []string
		for _, f := range data.Errors {
			texts = append(texts, fieldLabel(f.Field)+" "+f.Message)
		}
		return strings.Join(texts, "; ") + "."
	}
	return strings.TrimSuffix(r.Message, ".") + "."
}

// slabFields are the fields that are typed.
func slabFields() []string {
	return []string{"paymentMethod", "provider", "txnType", "minAmount", "maxAmount", "commissionRate", "rateType"}
}

// isNumber reports whether a field is a number.
func isNumber(field string) bool {
	return strings.HasSuffix(field, "Amount") || field == "commissionRate"
}

// slabBody writes typed fields as a request's body, without empty ones. Amounts and
// rates are numbers where they read as such; of others the route says what is wrong.
// Spaces around a text count, as in a slab that a program made; trim removes them.
func slabBody(v *visit, trim bool) ([]byte, map[string]string, error) {
	values, typed := map[string]jsontext.Value{}, map[string]string{"isDefault": ""}
	for _, name := range slabFields() {
		text := v.field(name)
		if trimmed := strings.TrimSpace(text); trim || trimmed == "" || isNumber(name) {
			text = trimmed
		}
		typed[name] = text
		if text == "" {
			continue
		}
		number := jsontext.Value(text)
		if isNumber(name) {
			if number.IsValid() && number.Kind() == '0' {
				values[name] = number
				continue
			}
		}
		quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, ""))
		if err != nil {
			return nil, nil, fmt.Errorf("write a slab's field: %w", err)
		}
		values[name] = quoted
	}
	values["isDefault"] = jsontext.Value("false")
	if v.field("isDefault") == "yes" {
		values["isDefault"], typed["isDefault"] = jsontext.Value("true"), "yes"
	}
	body, err := json.Marshal(values, json.Deterministic(true))
	return body, typed, err
}

// slabsPage is the data of a vendor's slabs, with what was typed.
type slabsPage struct {
	Vendor central.Vendor
	Slabs  []slab
	New    map[string]string // the values in the form of a new one
	Change string            // the slab whose change was refused; empty: none
	Listed bool              // the slabs could be read
}

// Overlap reports whether any bands overlap.
func (p slabsPage) Overlap() bool {
	return slices.ContainsFunc(p.Slabs, func(s slab) bool { return len(s.Overlaps) > 0 })
}

func (e *PartyPages) slabs(v *visit) error { return e.showSlabs(v, http.StatusOK, "", nil, "") }

func (e *PartyPages) showSlabs(v *visit, status int, alert string, typed map[string]string, change string) error {
	vendor, err := e.Accounts.Vendor(v.Context(), central.VendorID(v.path("vendor")))
	if err != nil {
		return err
	}
	d := slabsPage{Vendor: vendor, Change: change, New: map[string]string{}}
	for _, name := range append(slabFields(), "isDefault") {
		d.New[name] = ""
		if change == "" {
			d.New[name] = typed[name]
		}
	}
	withID(d.New, "new")
	err = e.callAPI(v.Context(), vendor.ID, op.SlabList, "", nil, &d.Slabs)
	if known, ok := toUserError(err); ok {
		status, alert = known.status, known.text
	} else if err != nil {
		return err
	}
	d.Listed = err == nil
	markOverlaps(d.Slabs)
	for i := range d.Slabs {
		if d.Slabs[i].ID == change && typed != nil {
			d.Slabs[i].typed = withID(typed, change)
		}
	}
	return v.show(status, page{Name: "slabs", Title: "Slabs of " + vendor.LegalName, Back: Root + "vendors/" + string(vendor.ID), Alert: alert, Data: d})
}

// slabStep makes an audited change.
func (e *PartyPages) slabStep(v *visit, what staff.Action, route op.RouteID, body []byte, typed map[string]string, done string) error {
	vendor, id := central.VendorID(v.path("vendor")), v.path("slab")
	err := v.runAudited(staff.Change{What: what, Subject: string(vendor), Note: strings.TrimSpace(id + " " + string(body))}, func(ctx context.Context) error {
		return e.callAPI(ctx, vendor, route, id, body, nil)
	})
	return v.after(err, func(status int, text string) error { return e.showSlabs(v, status, text, typed, id) }, Root+"vendors/"+string(vendor)+"/slabs", done)
}

func (e *PartyPages) addSlab(v *visit) error {
	body, typed, err := slabBody(v, true)
	if err != nil {
		return err
	}
	return e.slabStep(v, "slab.add", op.SlabCreate, body, typed, "slab-added")
}

func (e *PartyPages) changeSlab(v *visit) error {
	body, typed, err := slabBody(v, false)
	if err != nil {
		return err
	}
	return e.slabStep(v, "slab.change", op.SlabChange, body, typed, "slab-changed")
}

func (e *PartyPages) deleteSlab(v *visit) error {
	here := Root + "vendors/" + v.path("vendor") + "/slabs"
	if !v.confirmed() {
		return askToConfirm(v, confirmPage{Question: "Delete this slab?", Button: "Delete", Action: here + "/" + v.path("slab") + "/delete", Back: here,
			Text: "Later operations earn nothing by it. Earnings so far stay, and so does its record."})
	}
	return e.slabStep(v, "slab.delete", op.SlabDelete, nil, nil, "slab-deleted")
}
