package estate

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/console"
	"galla/central/operator"
	"galla/shared/money"
	"galla/shared/op"
)

func (e *Estate) slabRoutes() []console.Route {
	return []console.Route{
		get("vendors/{vendor}/slabs", operator.Viewer, e.slabs),
		post("vendors/{vendor}/slabs", operator.Admin, e.addSlab),
		post("vendors/{vendor}/slabs/{slab}", operator.Admin, e.changeSlab),
		post("vendors/{vendor}/slabs/{slab}/delete", operator.Admin, e.deleteSlab),
	}
}

// slab is one of section 2.10, as the routes give it.
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

	typed map[string]string // of its form, where it was refused

	// Beside are the bands of other slabs of the combination that hold an amount
	// of this one's, in words, at most maxNamed; where one does, the narrower of the
	// two applies. BesideMore is how many more there are.
	Beside     []string
	BesideMore int
}

// maxNamed is how many overlapping bands are named at a slab; the rest are counted.
// A vendor may have a thousand slabs that all overlap.
const maxNamed = 5

// bounds are the slab's band; the lower bound of an open one is 0, since no amount
// is below it.
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

// markOverlaps notes at each slab which others overlap it. Amounts are read once a
// slab, since each is compared with all others of its combination.
func markOverlaps(list []slab) {
	type band struct {
		at        int // in the list
		low, high money.Paise
	}
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
		for _, one := range group {
			s := &list[one.at]
			for _, o := range group {
				switch {
				case o.at == one.at || one.low >= o.high || o.low >= one.high:
				case len(s.Beside) < maxNamed:
					s.Beside = append(s.Beside, list[o.at].Band())
				default:
					s.BesideMore++
				}
			}
		}
	}
}

// Band is the slab's band in words.
func (s slab) Band() string {
	switch low, high := string(s.Min), string(s.Max); {
	case low == "" && high == "":
		return "every amount"
	case high == "":
		return rupees(s.Min) + " and more"
	case low == "":
		return "below " + rupees(s.Max)
	default:
		return rupees(s.Min) + " to below " + rupees(s.Max)
	}
}

// Earns is the rate in words.
func (s slab) Earns() string {
	if s.RateType == string(central.RatePercentage) {
		return string(s.Rate) + " %"
	}
	return rupees(s.Rate)
}

// rupees writes a number of rupees for people; one of parts of a paisa, as a rate
// may be, stays as it is.
func rupees(v jsontext.Value) string {
	p, err := money.Parse(string(v))
	if err != nil {
		return "₹" + string(v)
	}
	return p.Rupees()
}

// Fields are what the slab's form begins with: what it is, or what was typed.
func (s slab) Fields() map[string]string {
	if s.typed != nil {
		return s.typed
	}
	return withID(map[string]string{
		"paymentMethod": s.PaymentMethod, "provider": s.Provider, "txnType": s.TxnType, "minAmount": string(s.Min), "maxAmount": string(s.Max),
		"commissionRate": string(s.Rate), "rateType": s.RateType, "isDefault": map[bool]string{true: "yes"}[s.IsDefault],
	}, s.ID)
}

// withID gives fields of one form of several the ids of their elements.
func withID(fields map[string]string, id string) map[string]string {
	fields["id"] = "slab-" + id
	return fields
}

// reply is the envelope of the slab routes.
type reply struct {
	StatusCode string         `json:"statusCode"`
	Message    string         `json:"message"`
	Data       jsontext.Value `json:"data"`
}

// call makes a vendor's call of a slab route, in the vendor's name, through the
// path of all doors: its rules are the rules. A refusal has the reply's words.
func (e *Estate) call(ctx context.Context, vendor central.VendorID, route op.RouteID, slab string, body []byte, into any) error {
	r, ok := op.Find(route)
	if !ok {
		return fmt.Errorf("the interface has no route %s", route)
	}
	got := e.Calls.Dispatch(ctx, central.Call{
		Principal: central.Principal{Role: op.Vendor, Vendor: vendor}, Route: r, Body: body,
		Params: map[string]string{"vendorId": string(vendor), "slabId": slab},
	})
	var envelope reply
	if err := json.Unmarshal(got.Body, &envelope); err != nil {
		return fmt.Errorf("the reply of %s (HTTP %d) can't be read: %w", route, got.HTTP, err)
	}
	if got.HTTP >= http.StatusInternalServerError {
		return fmt.Errorf("%s: HTTP %d %s: %s", route, got.HTTP, envelope.StatusCode, envelope.Message)
	}
	if got.HTTP >= http.StatusBadRequest {
		return &console.Refusal{Status: http.StatusUnprocessableEntity, Text: told(envelope)}
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(envelope.Data, into)
}

// told gives the words of a refused call, field by field.
func told(r reply) string {
	var data struct {
		Errors []central.FieldError `json:"errors"`
	}
	if json.Unmarshal(r.Data, &data) == nil && len(data.Errors) > 0 {
		var texts []string
		for _, f := range data.Errors {
			texts = append(texts, label(f.Field)+" "+f.Message)
		}
		return strings.Join(texts, "; ") + "."
	}
	return strings.TrimSuffix(r.Message, ".") + "."
}

// slabFields are those that are typed.
func slabFields() []string {
	return []string{"paymentMethod", "provider", "txnType", "minAmount", "maxAmount", "commissionRate", "rateType"}
}

// isNumber tells whether a field of a slab is one.
func isNumber(field string) bool {
	return strings.HasSuffix(field, "Amount") || field == "commissionRate"
}

// slabBody writes what was typed as a body; what is empty is left out. Amounts and
// rates are numbers where they read as such, and the route says what is wrong with
// those that do not. Spaces at the ends of a text count, as those of a slab that a
// program made do; trim takes them off what was typed anew.
func slabBody(v *console.Visit, trim bool) ([]byte, map[string]string, error) {
	values, typed := map[string]jsontext.Value{}, map[string]string{"isDefault": ""}
	for _, name := range slabFields() {
		text := v.Form(name)
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
	if v.Form("isDefault") == "yes" {
		values["isDefault"], typed["isDefault"] = jsontext.Value("true"), "yes"
	}
	body, err := json.Marshal(values, json.Deterministic(true))
	return body, typed, err
}

// slabsPage is the data of a vendor's slabs, with what was typed.
type slabsPage struct {
	Vendor central.Vendor
	Slabs  []slab
	New    map[string]string // what the form of a new one begins with
	Change string            // the slab whose change was refused; empty: none
	Listed bool              // the slabs could be read
}

// Overlap tells whether bands do.
func (p slabsPage) Overlap() bool {
	return slices.ContainsFunc(p.Slabs, func(s slab) bool { return len(s.Beside) > 0 })
}

func (e *Estate) slabs(v *console.Visit) { e.showSlabs(v, http.StatusOK, "", nil, "") }

func (e *Estate) showSlabs(v *console.Visit, status int, alert string, typed map[string]string, change string) {
	vendor, err := e.Roll.Vendor(v.Context(), central.VendorID(v.Path("vendor")))
	if err != nil {
		v.Fail(err)
		return
	}
	d := slabsPage{Vendor: vendor, Change: change, New: map[string]string{}}
	for _, name := range append(slabFields(), "isDefault") {
		d.New[name] = ""
		if change == "" {
			d.New[name] = typed[name]
		}
	}
	withID(d.New, "new")
	if err := e.call(v.Context(), vendor.ID, op.SlabList, "", nil, &d.Slabs); err != nil {
		why, text, ok := v.Told(err)
		if !ok {
			return
		}
		status, alert = why, text
	} else {
		d.Listed = true
	}
	markOverlaps(d.Slabs)
	for i := range d.Slabs {
		if d.Slabs[i].ID == change && typed != nil {
			d.Slabs[i].typed = withID(typed, change)
		}
	}
	v.Show(status, console.Page{Name: "slabs", Title: "Slabs of " + vendor.LegalName, Back: console.Root + "vendors/" + string(vendor.ID), Alert: alert, Data: d})
}

// slabStep makes a change under the trail.
func (e *Estate) slabStep(v *console.Visit, what operator.Action, route op.RouteID, body []byte, typed map[string]string, done string) {
	vendor, id := central.VendorID(v.Path("vendor")), v.Path("slab")
	err := v.Do(operator.Change{What: what, Subject: string(vendor), Note: strings.TrimSpace(id + " " + string(body))}, func(ctx context.Context) error {
		return e.call(ctx, vendor, route, id, body, nil)
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showSlabs(v, status, text, typed, id)
		}
		return
	}
	v.To(console.Root+"vendors/"+string(vendor)+"/slabs", done)
}

func (e *Estate) addSlab(v *console.Visit) {
	body, typed, err := slabBody(v, true)
	if err != nil {
		v.Fail(err)
		return
	}
	e.slabStep(v, "slab.add", op.SlabCreate, body, typed, "slab-added")
}

func (e *Estate) changeSlab(v *console.Visit) {
	body, typed, err := slabBody(v, false)
	if err != nil {
		v.Fail(err)
		return
	}
	e.slabStep(v, "slab.change", op.SlabChange, body, typed, "slab-changed")
}

func (e *Estate) deleteSlab(v *console.Visit) {
	here := console.Root + "vendors/" + v.Path("vendor") + "/slabs"
	if !v.Sure() {
		ask(v, sure{Question: "Delete this slab?", Button: "Yes, delete", Action: here + "/" + v.Path("slab") + "/delete", Back: here,
			Text: "Operations from now on earn nothing by it. What it earned stays, and so does its record."})
		return
	}
	e.slabStep(v, "slab.delete", op.SlabDelete, nil, nil, "slab-deleted")
}
