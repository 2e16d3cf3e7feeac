package console

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"galla/central"

	"galla/central/accounts"
	"galla/central/iin"
	"galla/central/keys"
	"galla/central/staff"
	"galla/central/webhook"
	"galla/shared/ist"
)

// pageSize is how many terminals, merchants, vendors or callbacks a page lists.
const pageSize = 50

// PartyParts is what the pages about parties show and act on.
type PartyParts struct {
	Accounts  *accounts.Service
	Changes   *accounts.AuditedParties
	Registry  Registry
	Handler   central.Handler
	Clients   *accounts.Audited
	Callbacks *webhook.Audited
	Keys      *keys.Audited
	Banks     *iin.List
	Lookups   Lookups
	Limits    LimitReader
	Network   NetworkReader
	People    *staff.Service // of vendors, of the realm staff.Portal
	Payments  PaymentReader
	Status    StatusReader
}

// Lookups counts what merchants ask about the bank's customers.
type Lookups interface {
	// LookupsOf returns how many unproven customers a merchant has looked up within
	// the hour, and how often it was refused.
	LookupsOf(ctx context.Context, merchant central.MerchantID, at time.Time) (accounts.Lookups, error)
}

// PartyPages are the pages about terminals, merchants, vendors, slabs, callbacks,
// payments, the float and the day.
type PartyPages struct {
	PartyParts
	lastNow nowCache
}

// NewPartyPages makes them of all their parts.
func NewPartyPages(p PartyParts) (*PartyPages, error) {
	if p.Accounts == nil || p.Changes == nil || p.Registry == nil || p.Handler == nil || p.Callbacks == nil || p.Clients == nil || p.Keys == nil || p.Banks == nil || p.Lookups == nil || p.Limits == nil || p.Network == nil || p.People == nil || p.Payments == nil || p.Status == nil {
		return nil, errors.New("the console's pages about parties need accounts, the registry of terminals, the handler, callbacks, keys, the list of banks, lookups, limits, onboardings, vendors' people, payments and the status")
	}
	return &PartyPages{PartyParts: p}, nil
}

// partyNav are the links to the pages about parties.
func partyNav() []navEntry {
	return []navEntry{
		{Root + "terminals", "Terminals", staff.Viewer},
		{Root + "merchants", "Merchants", staff.Viewer},
		{Root + "vendors", "Vendors", staff.Viewer},
		{Root + "callbacks", "Callbacks", staff.Viewer},
		{Root + "payments", "UPI payments", staff.Viewer},
		{Root + "float", "Float", staff.Viewer},
	}
}

func (e *PartyPages) routes() (all []route) {
	for _, list := range [][]route{
		e.terminalRoutes(), e.merchantRoutes(), e.vendorRoutes(), e.clientRoutes(), e.editRoutes(), e.slabRoutes(), e.callbackRoutes(), e.paymentRoutes(), e.figureRoutes(),
	} {
		all = append(all, list...)
	}
	return all
}

// getRoute is a page's route.
func getRoute(path string, need staff.Role, do handler) route {
	return route{pattern: "GET " + Root + path, minRole: need, handle: do}
}

// postRoute is a form's route.
func postRoute(path string, need staff.Role, do handler) route {
	return route{pattern: "POST " + Root + path, minRole: need, handle: do}
}

// of makes a handler of a page or a step about a record that the address names.
func of[T any](find func(v *visit) (T, error), do func(v *visit, x T) error) handler {
	return func(v *visit) error {
		x, err := find(v)
		if err != nil {
			return err
		}
		return do(v, x)
	}
}

func (e *PartyPages) findMerchant(v *visit) (central.Merchant, error) {
	return e.Accounts.Merchant(v.Context(), central.MerchantID(v.path("merchant")))
}

func (e *PartyPages) findVendor(v *visit) (central.Vendor, error) {
	return e.Accounts.Vendor(v.Context(), central.VendorID(v.path("vendor")))
}

// withoutStepUp makes a form ask for no TOTP code, and says why.
func withoutStepUp(why string, r route) route {
	r.noStepUp = why
	return r
}

// withWords turns errors of accounts into refusals with a text for people.
func withWords(err error) error {
	var known *central.Error
	switch {
	case errors.As(err, &known) && known.Fault == central.Invalid:
		var texts []string
		for _, f := range known.Fields {
			texts = append(texts, fieldLabel(f.Field)+" "+f.Message)
		}
		return &refusal{status: http.StatusUnprocessableEntity, text: strings.Join(texts, "; ") + "."}
	case errors.As(err, &known):
		return &refusal{status: http.StatusConflict, text: known.Message + "."}
	case errors.Is(err, ist.ErrDay):
		return &refusal{status: http.StatusUnprocessableEntity, text: "Write the day as 2026-11-21."}
	case errors.Is(err, accounts.ErrFloat):
		return &refusal{status: http.StatusBadGateway, text: "The network gave no balance of the float. The log has its answer."}
	}
	return err
}

// fieldLabel names a field as its page does.
func fieldLabel(field string) string {
	if text, ok := map[string]string{
		accounts.FieldName: "The name", accounts.FieldMID: "The MID", accounts.FieldAppID: "The application", accounts.FieldMobile: "The mobile number",
		accounts.FieldAddress: "The shop's address",
		accounts.FieldVPA:     "The UPI address", accounts.FieldMCC: "The category code", accounts.FieldVendor: "The vendor", accounts.FieldAggregator: "The aggregator",
		accounts.FieldLast4: "The account", accounts.FieldIFSC: "The IFSC", accounts.FieldBank: "The bank", accounts.FieldHolder: "The account's holder",
		"paymentMethod": "The payment method", "provider": "The provider", "txnType": "The transaction type", "minAmount": "The least amount",
		"maxAmount": "The amount below which", "commissionRate": "The rate", "rateType": "The kind of rate", "isDefault": "The default",
	}[field]; ok {
		return text
	}
	return "The field " + field
}

// confirmPage asks before a step.
type confirmPage struct {
	Question, Text string
	Action, Back   string
	Button         string
	Fields         map[string]string // sent again with the answer
}

// askToConfirm shows the question of a step that is not confirmed yet.
func askToConfirm(v *visit, s confirmPage) error {
	return v.show(http.StatusOK, page{Name: "confirm", Title: "Are you sure?", Back: s.Back, Data: s})
}

// oneTimePage shows a secret, once.
type oneTimePage struct {
	Lead  string
	Lines []labelValue
	Note  string
	More  link // to a page with more; empty: none
}

// link is a link to another page.
type link struct{ Href, Text string }

// labelValue is a label with its value.
type labelValue struct{ Label, Value string }

// today is the Indian day of now.
func today() ist.Day { return ist.DayOf(time.Now()) }
