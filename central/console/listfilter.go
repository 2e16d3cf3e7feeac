package console

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/api/field"
	"galla/central/staff"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// listFilter is a filter of the list, as the address has it. Merchant, Vendor and Bank are
// ids once they are found; their names stand beside them.
type listFilter struct {
	State, Kind              string
	Merchant, Vendor, Bank   string
	Terminal                 string
	Least, Most              string // rupees
	Period                   string // a preset; empty: From and To
	From, To                 string // Indian days
	Sort                     string
	MerchantName, VendorName string
	BankName, TerminalName   string
}

// values are the filter's fields that are set, by their names in the address.
func (f listFilter) values() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{
		"state": f.State, "kind": f.Kind, "merchant": f.Merchant, "vendor": f.Vendor, "bank": f.Bank, "terminal": f.Terminal,
		"least": f.Least, "most": f.Most, "period": f.Period, "from": f.From, "to": f.To, "sort": f.Sort,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

func (f listFilter) encode() string { return f.values().Encode() }

// Query is the filter as an address has it.
func (f listFilter) Query() string { return f.encode() }

// Filtered reports whether a filter is set.
func (f listFilter) Filtered() bool { return f.encode() != "" }

// with is the address of the list with one field of the filter changed; empty: without it.
func (f listFilter) with(name, value string) string {
	q := f.values()
	q.Set(name, value)
	if value == "" {
		q.Del(name)
	}
	return strings.TrimSuffix(Root+"operations?"+q.Encode(), "?")
}

// Narrow reports whether a field beyond the ones that are always shown is set.
func (f listFilter) Narrow() bool { return f.Vendor+f.Bank+f.Terminal+f.Least+f.Most+f.From+f.To != "" }

// period is a range of days with a name. days are counted back from today.
type period struct {
	name, title    string
	first, lastDay int
}

func periods() []period {
	return []period{
		{"", "Any time", 0, 0}, {"today", "Today", 0, 0}, {"yesterday", "Yesterday", 1, 1}, {"week", "Last 7 days", 6, 0}, {"month", "Last 30 days", 29, 0},
	}
}

// periodLinks are the presets, each with the other fields of a filter.
func periodLinks(f listFilter) (list []link) {
	f.From, f.To = "", ""
	for _, p := range periods() {
		list = append(list, link{f.with("period", p.name), p.title})
	}
	return list
}

// PeriodTitle is the preset that is chosen; empty: days are.
func (f listFilter) PeriodTitle() string {
	if f.From+f.To != "" {
		return ""
	}
	for _, p := range periods() {
		if p.name == f.Period {
			return p.title
		}
	}
	return ""
}

// parseFilter reads a filter from an address. Every field that is wrong is in the error.
// *manyNames: a name is that of several parties.
func (c *Console) parseFilter(ctx context.Context, q url.Values, now time.Time) (listFilter, staff.ListQuery, error) {
	text := func(name string) string { return filterText(q.Get(name)) }
	f := listFilter{
		State: text("state"), Kind: text("kind"), Merchant: text("merchant"), Vendor: text("vendor"), Bank: text("bank"), Terminal: text("terminal"),
		Least: text("least"), Most: text("most"), Period: text("period"), From: text("from"), To: text("to"), Sort: text("sort"),
	}
	out := staff.ListQuery{Kind: central.Kind(f.Kind)}
	var wrong []string
	note := func(err error) {
		if err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	note(parseListState(f.State, &out))
	note(checkListKind(f))
	if f.Sort != "" && columnOrders[f.Sort] == nil {
		note(fmt.Errorf("the list can't be sorted by %q", f.Sort))
	}
	note(parseRupees("the least amount", f.Least, &out.Min))
	note(parseRupees("the largest amount", f.Most, &out.Max))
	note(f.parseDays(now, &out))
	note(parseCursor(q.Get("before"), &out))
	if len(wrong) > 0 {
		return f, out, refuse("%s", sentence(strings.Join(wrong, "; ")))
	}
	if err := c.resolveTerminal(ctx, &f, &out); err != nil {
		return f, out, err
	}
	return f, out, c.resolveNames(ctx, &f, &out)
}

// resolveTerminal turns a typed TID into the id of its terminal, and chooses the terminal's
// merchant, whose operations are listed by an index.
func (c *Console) resolveTerminal(ctx context.Context, f *listFilter, out *staff.ListQuery) error {
	if f.Terminal == "" || c.Parties == nil {
		return nil
	}
	t, err := c.Parties.Accounts.TerminalByName(ctx, f.Terminal, time.Now().Add(-accounts.NodeTimeout))
	if errors.Is(err, central.ErrNotFound) {
		return refuse("There is no terminal with the TID or id %s.", staff.RedactNumbers(f.Terminal))
	}
	if err != nil {
		return err
	}
	f.Terminal, f.TerminalName, out.Terminal = string(t.ID), t.TID, t.ID
	if f.Merchant == "" {
		f.Merchant = string(t.Merchant)
	}
	return nil
}

// filterText is a typed field of a filter, without a customer's number. A party's id is none,
// even if it begins with ten digits.
func filterText(typed string) string {
	typed = strings.TrimSpace(typed)
	if field.IsUUID(typed) {
		return typed
	}
	return withoutNumbers(typed)
}

// checkListKind checks a kind. One without an amount is listed only of one merchant, since
// the list of all has those with an amount.
func checkListKind(f listFilter) error {
	switch kind := central.Kind(f.Kind); {
	case f.Kind == "" || slices.Contains(moneyKinds(), kind):
		return nil
	case !slices.Contains(listKinds(), kind):
		return fmt.Errorf("there is no kind %q", f.Kind)
	case f.Merchant+f.Terminal == "" && f.State != "open" && f.State != "stuck":
		return fmt.Errorf("choose a merchant, too: %s has no amount, and the list of all merchants has what moves money", kindName(kind))
	}
	return nil
}

func parseListState(text string, out *staff.ListQuery) error {
	switch {
	case text == "":
	case !slices.Contains(listStates(), text):
		return fmt.Errorf("there is no state %q", text)
	case text == "open":
		out.Open = true
	case text == "stuck":
		out.Stuck = true
	default:
		out.State = op.State(text)
	}
	return nil
}

func parseRupees(what, text string, to *money.Paise) error {
	if text == "" {
		return nil
	}
	amount, err := money.Parse(strings.ReplaceAll(strings.TrimPrefix(text, "₹"), ",", ""))
	if err != nil {
		return fmt.Errorf("%s is not in rupees, such as 500 or 499.50", what)
	}
	*to = amount
	return nil
}

// parseDays reads the preset or the days.
func (f *listFilter) parseDays(now time.Time, out *staff.ListQuery) error {
	if f.From != "" || f.To != "" {
		f.Period = ""
		asked, _, err := parseAuditQuery(url.Values{"from": {f.From}, "to": {f.To}})
		out.From, out.To = asked.From, asked.To
		if err == nil && !out.From.IsZero() && !out.To.IsZero() && !out.From.Before(out.To) {
			err = errors.New("the first day is after the last one")
		}
		return err
	}
	i := slices.IndexFunc(periods(), func(p period) bool { return p.name == f.Period })
	switch {
	case i < 0:
		return fmt.Errorf("there is no period %q", f.Period)
	case f.Period == "":
		return nil
	}
	p := periods()[i]
	local := now.In(ist.Zone())
	midnight := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, ist.Zone())
	out.From = midnight.AddDate(0, 0, -p.first)
	if p.lastDay > 0 {
		out.To = midnight.AddDate(0, 0, 1-p.lastDay)
	}
	return nil
}

// parseCursor reads where a page continues: milliseconds, a dot, and an operation's id.
func parseCursor(text string, out *staff.ListQuery) error {
	if text == "" {
		return nil
	}
	at, id, _ := strings.Cut(text, ".")
	ms, err := strconv.ParseInt(at, 10, 64)
	if err != nil || ms <= 0 || len(id) > 64 {
		return errors.New("the address of this page is cut off: begin at the first page")
	}
	out.Before, out.BeforeID = time.UnixMilli(ms), op.ID(id)
	return nil
}

// named is a party or a bank with its name.
type named struct{ ID, Name string }

// manyNames is that a typed name is that of several parties.
type manyNames struct {
	field, text string
	of          []named
}

func (e *manyNames) Error() string { return fmt.Sprintf("%d have the name %q", len(e.of), e.text) }

// maxChoices is how many parties of a name are offered.
const maxChoices = 20

// resolveNames turns the typed names into ids.
func (c *Console) resolveNames(ctx context.Context, f *listFilter, out *staff.ListQuery) error {
	for _, x := range []struct {
		field      string
		text, name *string
	}{
		{"merchant", &f.Merchant, &f.MerchantName}, {"vendor", &f.Vendor, &f.VendorName}, {"bank", &f.Bank, &f.BankName},
	} {
		if *x.text == "" {
			continue
		}
		found, err := c.partiesNamed(ctx, x.field, *x.text, maxChoices)
		if err != nil {
			return err
		}
		one, err := chooseOne(x.field, *x.text, found)
		if err != nil {
			return err
		}
		*x.text, *x.name = one.ID, one.Name
	}
	out.Merchant, out.Vendor, out.IIN = central.MerchantID(f.Merchant), central.VendorID(f.Vendor), f.Bank
	return nil
}

// chooseOne is the only one of a name, or the one that has exactly that name or id.
func chooseOne(field, text string, found []named) (named, error) {
	exact := slices.DeleteFunc(slices.Clone(found), func(x named) bool { return x.ID != text && !strings.EqualFold(x.Name, text) })
	switch {
	case len(found) == 0:
		return named{}, refuse("There is no %s with the name or id %s.", field, staff.RedactNumbers(text))
	case len(found) == 1:
		return found[0], nil
	case len(exact) == 1:
		return exact[0], nil
	}
	return named{}, &manyNames{field, text, found}
}

// partiesNamed finds merchants, vendors or banks by their id or a part of their name.
func (c *Console) partiesNamed(ctx context.Context, field, text string, limit int) (list []named, err error) {
	if c.Parties == nil {
		return []named{{ID: text, Name: text}}, nil
	}
	return c.Parties.named(ctx, field, text, limit)
}
