package console

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"galla/central"
	"galla/central/staff"
	"galla/shared/ist"
	"galla/shared/op"
)

const (
	// listLook is how many operations a page of the list, or a part of the CSV file, looks at.
	listLook = 20_000
	// exportBatch is how many operations of the CSV file one query returns, and
	// maxExport how many lines the file has at most.
	exportBatch, maxExport = 200, 500_000
	// sortedOf is how many operations are sorted by another column than the time.
	sortedOf = 1000
)

// moneyKinds are the kinds with an amount, of which the list without a merchant consists.
func moneyKinds() []central.Kind {
	return []central.Kind{central.KindWithdrawal, central.KindPurchase, central.KindCashDeposit, central.KindTransfer, central.KindRefund, central.KindUPIPayment, central.KindUPIRefund}
}

// listKinds are the kinds that the filter offers.
func listKinds() []central.Kind {
	return append(moneyKinds(), central.KindBalance, central.KindMiniStatement)
}

// listStates are what the filter calls states: those of operations, and two groups.
func listStates() []string {
	return []string{"succeeded", "open", "stuck", "failed", "refused", "reversed"}
}

// columnOrders sort operations by a column.
var columnOrders = map[string]func(a, b central.Operation) int{
	"amount": func(a, b central.Operation) int { return cmp.Compare(b.Amount, a.Amount) },
	"kind":   func(a, b central.Operation) int { return cmp.Compare(kindName(a.Kind), kindName(b.Kind)) },
	"state":  func(a, b central.Operation) int { return cmp.Compare(a.State, b.State) },
}

// listedOperation is an operation with the names of its parties.
type listedOperation struct {
	central.Operation
	MerchantName, BankName string
}

// listPage is the list's data.
type listPage struct {
	listFilter
	Kinds        []central.Kind
	States       []string
	Periods      []link
	Views        []link
	Operations   []listedOperation
	Choices      []link // merchants or vendors of the typed name
	ChoicesOf    string
	Older        string // address of the next page; empty: this is the last
	Latest       string // address of the first page; empty: this is it
	LookedTo     time.Time
	Export, Here string
	// Live is the address from which the list is loaded again; empty: it is not.
	Live string
}

// Sorted returns the address of the list sorted by a column.
func (d listPage) Sorted(column string) string { return d.with("sort", column) }

func (c *Console) operations(v *visit) error {
	q, d, err := c.prepareList(v, v.query())
	if err != nil {
		return c.refuseList(v, d, err)
	}
	if err := c.recordList(v, d.listFilter); err != nil {
		return err
	}
	found, err := c.Operations.List(v.Context(), q)
	if err != nil {
		return err
	}
	c.fillList(v, &d, q, found)
	views, err := c.Staff.Views(v.Context(), v.Login())
	if err != nil {
		return err
	}
	for _, x := range views {
		d.Views = append(d.Views, link{Root + "operations?" + x.Query, x.Name})
	}
	return v.show(http.StatusOK, page{Name: "operations", Title: "Operations", Data: d})
}

// filterOperations leads from the form to the list. The form is sent in a body, since somebody
// may type a customer's number into it, which no address may have.
func (c *Console) filterOperations(v *visit) error {
	_, d, err := c.prepareList(v, v.r.PostForm)
	if err != nil {
		return c.refuseList(v, d, err)
	}
	return v.redirect(d.Here, "")
}

// prepareList reads a filter.
func (c *Console) prepareList(v *visit, fields url.Values) (staff.ListQuery, listPage, error) {
	f, q, err := c.parseFilter(v.Context(), fields, time.Now())
	d := listPage{listFilter: f, Kinds: listKinds(), States: listStates()}
	d.Periods = periodLinks(f)
	d.Export, d.Here = Root+"operations.csv?"+f.encode(), Root+"operations?"+f.encode()
	q.Look, q.Limit = listLook, pageSize+1
	if d.Sort != "" {
		q.Limit = sortedOf
	}
	return q, d, err
}

// refuseList shows why a filter was refused, and what else its names may mean.
func (c *Console) refuseList(v *visit, d listPage, err error) error {
	var many *manyNames
	if errors.As(err, &many) {
		d.ChoicesOf = many.text
		for _, x := range many.of {
			d.Choices = append(d.Choices, link{d.with(many.field, x.ID), x.Name + " · " + x.ID})
		}
		return v.show(http.StatusOK, page{Name: "operations", Title: "Operations", Data: d})
	}
	return v.refuse(err, func(status int, text string) error {
		return v.show(status, page{Name: "operations", Title: "Operations", Alert: text, Data: d})
	})
}

// fillList puts what was found on the page.
func (c *Console) fillList(v *visit, d *listPage, q staff.ListQuery, found staff.ListPage) {
	list := found.Operations
	if order := columnOrders[d.Sort]; order != nil {
		slices.SortStableFunc(list, order)
		list = list[:min(len(list), pageSize)]
	} else if len(list) > pageSize {
		list = list[:pageSize]
		last := list[pageSize-1]
		d.Older = d.at(last.CreatedAt, last.ID)
	} else if !found.LookedTo.IsZero() {
		d.LookedTo, d.Older = found.LookedTo, d.at(found.LookedTo, "")
	}
	if q.Before.IsZero() {
		d.Live = d.Here
	} else {
		d.Latest = d.Here
	}
	d.Operations = c.named(v, list)
}

// named gives operations the names of their merchants and banks. A name that can't be read
// is missing: the list is worth more.
func (c *Console) named(v *visit, list []central.Operation) []listedOperation {
	return c.namedFrom(v, list, map[central.MerchantID]string{})
}

// namedFrom is named with the names that were read before, to which it adds.
func (c *Console) namedFrom(v *visit, list []central.Operation, names map[central.MerchantID]string) []listedOperation {
	out := make([]listedOperation, len(list))
	for i, o := range list {
		out[i] = listedOperation{Operation: o}
		if c.Parties == nil {
			continue
		}
		name, known := names[o.Merchant]
		if !known && o.Merchant != "" {
			if m, err := c.Parties.Accounts.Merchant(v.Context(), o.Merchant); err == nil {
				name = m.LegalName
			}
			names[o.Merchant] = name
		}
		out[i].MerchantName, out[i].BankName = name, c.Parties.Banks.Name(o.IIN)
	}
	return out
}

// recordList records a read of the list. A list that is loaded again and again by a live
// page is recorded once in a quarter of an hour.
func (c *Console) recordList(v *visit, f listFilter) error {
	if !c.lists.isNew(v.Login(), f.encode(), time.Now()) {
		return nil
	}
	return c.Staff.Record(v.Context(), v.Actor(), staff.Change{What: "operation.list", Note: cmp.Or(f.encode(), "all")})
}

// exportOperations sends the filtered operations as a CSV file, latest first.
func (c *Console) exportOperations(v *visit) error {
	q, d, err := c.prepareList(v, v.query())
	if err != nil {
		return c.refuseList(v, d, err)
	}
	if err := c.Staff.Record(v.Context(), v.Actor(), staff.Change{What: "operation.export", Note: cmp.Or(d.encode(), "all")}); err != nil {
		return err
	}
	v.csv("galla-operations.csv")
	out := csv.NewWriter(v.w)
	_ = out.Write([]string{"created", "reference", "RRN", "kind", "state", "amount", "charge", "merchant", "merchant id", "terminal", "TID", "bank", "IIN", "Aadhaar", "code", "finished", "caller's reference"})
	q.Limit = exportBatch
	names := map[central.MerchantID]string{}
	for n := 0; n < maxExport; {
		found, err := c.Operations.List(v.Context(), q)
		if err != nil {
			c.log.Error("an export of operations was cut off", "error", err)
			panic(http.ErrAbortHandler) // so that the browser knows that the file is not complete
		}
		for _, o := range c.namedFrom(v, found.Operations, names) {
			_ = out.Write(csvCells(isoTime(o.CreatedAt), string(o.Reference), o.RRN, kindName(o.Kind), string(o.State), o.Amount.String(), o.Charge.String(),
				o.MerchantName, string(o.Merchant), string(o.Terminal), o.TID, o.BankName, o.IIN, o.Aadhaar, o.Code, isoTime(o.FinishedAt), staff.RedactNumbers(o.CallerRef)))
		}
		n += len(found.Operations)
		switch {
		case len(found.Operations) == exportBatch:
			last := found.Operations[exportBatch-1]
			q.Before, q.BeforeID = last.CreatedAt, last.ID
		case !found.LookedTo.IsZero():
			q.Before, q.BeforeID = found.LookedTo, ""
		default:
			n = maxExport
		}
		out.Flush()
		v.flush()
	}
	return nil
}

// isoTime prints a time in India for programs; zero is empty.
func isoTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(ist.Zone()).Format("2006-01-02T15:04:05.000-07:00")
}

// saveView keeps the filter of the list under a name, for the member.
func (c *Console) saveView(v *visit) error {
	name, query := strings.TrimSpace(v.field("name")), v.field("query")
	values, err := url.ParseQuery(query)
	var f listFilter
	if err == nil {
		f, _, err = c.parseFilter(v.Context(), values, time.Now())
	}
	if err != nil {
		return refuse("This filter can't be saved: show the list with it first.")
	}
	err = c.Staff.SaveView(v.Context(), v.Login(), staff.View{Name: name, Query: f.encode()})
	back := func(status int, text string) error { return v.message(status, "The view was not saved", text) }
	return v.after(err, back, Root+"operations?"+f.encode(), "view-saved")
}

// deleteView deletes one of the member's views.
func (c *Console) deleteView(v *visit) error {
	err := c.Staff.DeleteView(v.Context(), v.Login(), v.field("name"))
	back := func(status int, text string) error { return v.message(status, "The view was not deleted", text) }
	return v.after(err, back, Root+"operations", "view-deleted")
}

// at is the address of the page that continues after an operation.
func (f listFilter) at(before time.Time, id op.ID) string {
	return Root + "operations?" + strings.TrimPrefix(f.encode()+"&before="+url.QueryEscape(fmt.Sprint(before.UnixMilli())+"."+string(id)), "&")
}
