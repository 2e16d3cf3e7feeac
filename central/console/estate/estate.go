// Package estate is the console's pages about what belongs to the house: its
// terminals, merchants and vendors with their keys, slabs and callbacks, the
// float, and the day in figures.
//
// # Promises
//
//   - A viewer looks; an operator acts on terminals, codes, callbacks and the
//     float; an admin on merchants, vendors, keys and slabs. The console's own path
//     judges that (console.Room).
//   - Each change is in the trail before it is done and again with what came of it,
//     and what can't be undone is asked about once more.
//   - Codes, keys and secrets are shown once, on the page that answers the form that
//     made them, and are in no address, log or trail. Of a callback's URL the scheme
//     and host are shown: merchants put tokens into the rest.
//   - Slabs are changed by the calls that a vendor would make, through the one path
//     of all doors, so that one set of rules holds.
//
// # The way of the data
//
//	console.Visit ──► a page's handler ──► parties.Desk, central.Registry, the dispatcher,
//	                                       duty.CallbackDesk, the keepers of keys
//	page ──► template (templates/, pieces in templates/pieces/) ──► browser
package estate

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"galla/central"
	"galla/central/console"
	"galla/central/customer"
	"galla/central/iin"
	"galla/central/operator"
	"galla/central/parties"
)

//go:embed templates static
var files embed.FS

// pageSize is how many terminals, merchants, vendors or callbacks a page has.
const pageSize = 50

// Parts is what the pages show and act on.
type Parts struct {
	Roll      *parties.Desk
	Registry  Registry
	Calls     central.Dispatcher
	Callbacks Callbacks
	Receivers Receivers
	Keys      VendorKeys
	Banks     *iin.List
	Lookups   Lookups
}

// Lookups is what merchants ask of the bank's customers.
type Lookups interface {
	// LookupsOf tells how many strangers a merchant has looked up within the hour, and
	// how often it was refused.
	LookupsOf(ctx context.Context, merchant central.MerchantID, at time.Time) (customer.Lookups, error)
}

// Estate is the pages.
type Estate struct{ Parts }

// New makes them.
func New(p Parts) (*Estate, error) {
	if p.Roll == nil || p.Registry == nil || p.Calls == nil || p.Callbacks == nil || p.Receivers == nil || p.Keys == nil || p.Banks == nil || p.Lookups == nil {
		return nil, errors.New("the console's pages about parties need the roll, the registry of terminals, the dispatcher, callbacks, keys, the list of banks and lookups")
	}
	return &Estate{p}, nil
}

// Files implements console.Room.
func (e *Estate) Files() fs.FS { return files }

// Ways implements console.Room.
func (e *Estate) Ways() []console.Way {
	return []console.Way{
		{Href: console.Root + "figures", Title: "Day", Need: operator.Viewer},
		{Href: console.Root + "terminals", Title: "Terminals", Need: operator.Viewer},
		{Href: console.Root + "merchants", Title: "Merchants", Need: operator.Viewer},
		{Href: console.Root + "vendors", Title: "Vendors", Need: operator.Viewer},
		{Href: console.Root + "callbacks", Title: "Callbacks", Need: operator.Viewer},
		{Href: console.Root + "float", Title: "Float", Need: operator.Viewer},
	}
}

// Routes implements console.Room.
func (e *Estate) Routes() (all []console.Route) {
	for _, list := range [][]console.Route{
		e.terminalRoutes(), e.merchantRoutes(), e.vendorRoutes(), e.clientRoutes(), e.editRoutes(), e.slabRoutes(), e.callbackRoutes(), e.figureRoutes(),
	} {
		all = append(all, list...)
	}
	return all
}

// get and post name a route.
func get(path string, need operator.Role, do func(*console.Visit)) console.Route {
	return console.Route{Pattern: "GET " + console.Root + path, Need: need, Do: do}
}

func post(path string, need operator.Role, do func(*console.Visit)) console.Route {
	return console.Route{Pattern: "POST " + console.Root + path, Need: need, Do: do}
}

// free says why a form asks for no code of the second factor.
func free(why string, r console.Route) console.Route {
	r.Free = why
	return r
}

// Done implements console.Room.
func (e *Estate) Done() map[string]string {
	return map[string]string{
		"terminal-revoked":   "The terminal was revoked. It enrols again with a new code only.",
		"merchant-added":     "The merchant was entered. It may call when it is approved.",
		"approved":           "The merchant is approved: its calls are taken from now on.",
		"rejected":           "The merchant was rejected.",
		"suspended":          "The merchant is suspended: its new calls are refused from now on.",
		"vendor-added":       "The vendor was entered. Make a key for it.",
		"aggregator-added":   "The aggregator was entered.",
		"vendor-off":         "The vendor is suspended: its own calls are refused from now on.",
		"vendor-on":          "The vendor may call again.",
		"merchant-changed":   "The merchant was changed.",
		"vendor-changed":     "The vendor was changed.",
		"aggregator-changed": "The aggregator was changed.",
		"client-on":          "The program gets tokens again. Those that it had stay void.",
		"client-off":         "The program is suspended: it gets no token, its tokens open nothing within a second, and its open enrolment codes are void. Revoke the terminals below that nobody knows.",
		"key-revoked":        "The key was revoked: within a second no node takes it.",
		"slab-added":         "The slab was added.",
		"slab-changed":       "The slab was changed.",
		"slab-deleted":       "The slab was deleted.",
		"endpoint":           "The endpoint was changed.",
		"secret-revoked":     "The secret was revoked: nothing is signed with it any more.",
		"replayed":           "The callback is sent now.",
		"all-replayed":       "The callbacks are sent now.",
		"float-read":         "The network was asked.",
	}
}

// words gives an error of the calls' path its words for people.
func words(err error) error {
	var known *central.Error
	switch {
	case errors.As(err, &known) && known.Fault == central.Invalid:
		var texts []string
		for _, f := range known.Fields {
			texts = append(texts, label(f.Field)+" "+f.Message)
		}
		return &console.Refusal{Status: http.StatusUnprocessableEntity, Text: strings.Join(texts, "; ") + "."}
	case errors.As(err, &known):
		return &console.Refusal{Status: http.StatusConflict, Text: known.Message + "."}
	case errors.Is(err, parties.ErrDay):
		return &console.Refusal{Status: http.StatusUnprocessableEntity, Text: "A day is written as 2026-11-21."}
	case errors.Is(err, parties.ErrFloat):
		return &console.Refusal{Status: http.StatusBadGateway, Text: "The network gave no balance of the float. The log has its answer."}
	}
	return err
}

// label is a field as its page names it.
func label(field string) string {
	if text, ok := map[string]string{
		parties.FieldName: "The name", parties.FieldMID: "The MID", parties.FieldAppID: "The application", parties.FieldMobile: "The mobile number",
		parties.FieldVPA: "The UPI address", parties.FieldMCC: "The category code", parties.FieldVendor: "The vendor", parties.FieldAggregator: "The aggregator",
		parties.FieldLast4: "The account", parties.FieldIFSC: "The IFSC", parties.FieldBank: "The bank", parties.FieldHolder: "The account's holder",
		"paymentMethod": "The payment method", "provider": "The provider", "txnType": "The transaction type", "minAmount": "The least amount",
		"maxAmount": "The amount below which", "commissionRate": "The rate", "rateType": "The kind of rate", "isDefault": "The default",
	}[field]; ok {
		return text
	}
	return "The field " + field
}

// sure is a page that asks once more.
type sure struct {
	Question, Text string
	Action, Back   string
	Button         string
	Fields         map[string]string // sent again
}

// ask shows the question of a step that was not confirmed yet.
func ask(v *console.Visit, s sure) {
	v.Show(http.StatusOK, console.Page{Name: "sure", Title: "Are you sure?", Back: s.Back, Data: s})
}

// once is a page that shows what is shown once.
type once struct {
	Lead  string
	Lines []line
	Note  string
	More  link // to where more is told; empty: nowhere
}

// link is a way to another page.
type link struct{ Href, Text string }

// line is a label with its value.
type line struct{ Label, Value string }

// india is the zone of every date that people here read.
var india = time.FixedZone("IST", 5*3600+1800)

// today is the Indian day of now.
func today() central.Day { return central.DayOf(time.Now()) }
