package console

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/reconcile"
	"galla/central/staff"
	"galla/shared/op"
)

const (
	// maxFound is how many operations a search lists.
	maxFound = 100
	// lookBack is the period of a search without days.
	lookBack = 7 * 24 * time.Hour
	// maxPartiesFound is how many merchants, and how many vendors, a search lists.
	maxPartiesFound = 10
)

// findRoutes are the routes of the search that is on every page.
func (c *Console) findRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "find", minRole: staff.Viewer, handle: c.findForm},
		{pattern: "POST " + Root + "find", minRole: staff.Viewer, noStepUp: "it looks, and changes nothing", handle: c.find},
	}
}

// findPage is the search's data, with what was typed. What may be a customer's number is
// not sent back.
type findPage struct {
	Text       string
	From, To   string // Indian days
	Asked      bool
	As         string // how the text was understood
	Operations []listedOperation
	More       bool // there are more operations than are listed
	Merchants  []merchantView
	Vendors    []central.Vendor
	Terminals  []terminalView
}

// Nothing reports whether nothing was found.
func (d findPage) Nothing() bool {
	return len(d.Operations)+len(d.Merchants)+len(d.Vendors)+len(d.Terminals) == 0
}

func (c *Console) findForm(v *visit) error {
	return v.show(http.StatusOK, page{Name: "find", Title: "Search", Data: findPage{}})
}

var (
	fourDigits = regexp.MustCompile(`^[0-9]{4}$`)
	tenDigits  = regexp.MustCompile(`^[6-9][0-9]{9}$`)
	caseName   = regexp.MustCompile(`^20[0-9]{2}-[0-9]{2}-[0-9]{2}\.[0-9]+\.[0-9]+$`)
)

// withoutNumbers is typed text as it is sent back: nothing that may have a customer's
// number in it.
func withoutNumbers(typed string) string {
	if staff.HasLongNumber(typed) {
		return ""
	}
	return typed
}

// searchRequest is what a search asks for.
type searchRequest struct {
	name        string // any name of an operation or a party; or the search
	search      staff.Search
	order       string // beside the search: digits may be the name of an order, too
	description string // for the audit log
}

// withoutSpacing is a number as people group it, without spaces and hyphens.
func withoutSpacing(text string) string {
	return strings.TrimPrefix(strings.NewReplacer(" ", "", "-", "").Replace(text), "+91")
}

// parseSearch reads a search form.
func (c *Console) parseSearch(f url.Values, now time.Time) (searchRequest, findPage, error) {
	text := func(name string) string { return strings.TrimSpace(f.Get(name)) }
	typed := text("text")
	d := findPage{Text: withoutNumbers(typed), From: text("from"), To: text("to"), Asked: true}
	q := searchRequest{search: staff.Search{From: now.Add(-lookBack), To: now.Add(time.Minute), Limit: maxFound + 1}}
	asked, _, err := parseAuditQuery(url.Values{"from": {d.From}, "to": {d.To}})
	if err != nil {
		return q, d, refuse("%s", sentence(err.Error()))
	}
	if d.From != "" {
		q.search.From = asked.From
	}
	if d.To != "" {
		q.search.To = asked.To
	}
	number := withoutSpacing(typed)
	switch {
	case typed == "":
		return q, d, refuse("Type what you have: a reference, an RRN, an order, four digits, a mobile number, a merchant or a terminal.")
	case fourDigits.MatchString(typed):
		d.As, q.order = "the last four digits of an Aadhaar number, or an order", typed
		q.search.Aadhaar, q.description = "XXXXXXXX"+typed, "by the last four digits "+typed
	case tenDigits.MatchString(number):
		d.As, q.order = "a mobile number, or an order", typed
		q.search.Mobile, q.search.Hash, q.description = number, c.CustomerKey(number), "by mobile "+staff.RedactNumbers(number)
	default:
		q.name, q.description = typed, "by name "+staff.RedactNumbers(typed)
		return q, d, nil
	}
	q.description += ", " + formatTime(q.search.From) + " to " + formatTime(q.search.To)
	return q, d, nil
}

func (c *Console) find(v *visit) error {
	q, d, err := c.parseSearch(v.r.PostForm, time.Now())
	if err != nil {
		return v.refuse(err, func(status int, text string) error {
			return v.show(status, page{Name: "find", Title: "Search", Alert: text, Data: d})
		})
	}
	err = c.Staff.CountSearch(v.Context(), v.Login())
	if err == nil {
		err = c.Staff.Record(v.Context(), v.Actor(), staff.Change{What: "operation.search", Note: q.description})
	}
	if err != nil {
		return err
	}
	if caseName.MatchString(q.name) {
		if _, err := reconcile.ParseCaseID(q.name); err == nil {
			return v.redirect(Root+"cases/"+q.name, "")
		}
	}
	if err := c.searchOperations(v, q, &d); err != nil {
		return err
	}
	if err := c.searchParties(v, q, &d); err != nil {
		return err
	}
	if to := d.only(); to != "" {
		return v.redirect(to, "")
	}
	return v.show(http.StatusOK, page{Name: "find", Title: "Search", Data: d})
}

func (c *Console) searchOperations(v *visit, q searchRequest, d *findPage) error {
	var found []central.Operation
	var err error
	if q.name != "" {
		found, err = c.Operations.FindByAnyName(v.Context(), q.name, maxFound+1)
	} else if found, err = c.Operations.FindByAnyName(v.Context(), q.order, maxFound+1); err == nil {
		var more []central.Operation
		more, err = c.Operations.Search(v.Context(), q.search)
		found = withoutRepeats(append(found, more...))
	}
	if d.More = len(found) > maxFound; d.More {
		found = found[:maxFound]
	}
	d.Operations = c.named(v, found)
	return err
}

// withoutRepeats keeps the first of each operation.
func withoutRepeats(list []central.Operation) []central.Operation {
	seen := map[op.ID]bool{}
	return slices.DeleteFunc(list, func(o central.Operation) bool {
		known := seen[o.ID]
		seen[o.ID] = true
		return known
	})
}

// searchParties finds merchants, vendors and terminals by what was typed. What looks like a
// customer's number is compared with merchants' mobile numbers only.
func (c *Console) searchParties(v *visit, q searchRequest, d *findPage) error {
	text := q.name + q.search.Mobile
	if c.Parties == nil || text == "" {
		return nil
	}
	e := c.Parties
	merchants, err := e.Accounts.MerchantsBy(v.Context(), accounts.Filter{Text: text, Limit: maxPartiesFound})
	if err != nil {
		return err
	}
	for _, m := range merchants {
		d.Merchants = append(d.Merchants, merchantView{m})
	}
	if q.name == "" {
		return nil
	}
	if d.Vendors, err = e.Accounts.VendorsBy(v.Context(), accounts.Filter{Text: text, Limit: maxPartiesFound}); err != nil {
		return err
	}
	t, err := e.Accounts.TerminalByName(v.Context(), text, time.Now().Add(-accounts.NodeTimeout))
	switch {
	case err == nil:
		d.Terminals = []terminalView{{Terminal: t}}
	case !errors.Is(err, central.ErrNotFound):
		return err
	}
	return nil
}

// only is the address of the one thing that was found; empty: there is none, or there are
// several. What was found by four digits is listed, since it may be somebody else's.
func (d findPage) only() string {
	if d.As != "" || len(d.Operations)+len(d.Merchants)+len(d.Vendors)+len(d.Terminals) != 1 {
		return ""
	}
	switch {
	case len(d.Operations) == 1:
		return Root + "operations/" + string(d.Operations[0].ID)
	case len(d.Merchants) == 1:
		return Root + "merchants/" + string(d.Merchants[0].ID)
	case len(d.Vendors) == 1:
		return Root + "vendors/" + string(d.Vendors[0].ID)
	}
	return Root + "terminals/" + string(d.Terminals[0].ID)
}
