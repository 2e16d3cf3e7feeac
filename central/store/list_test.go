package store

import (
	"testing"
	"time"

	"galla/central"
	"galla/central/staff"
	"galla/shared/op"
)

// TestList lists operations by a filter, page by page.
func TestList(t *testing.T) { onBoth(t, list) }

func list(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	at := func(hours int, change ...func(*central.Operation)) func(*central.Operation) {
		return func(o *central.Operation) {
			o.CreatedAt = t0.Add(time.Duration(hours) * time.Hour)
			for _, c := range change {
				c(o)
			}
		}
	}
	counter := enrolled(t, s, 1)
	first := inState(t, s, op.Succeeded, at(0, func(o *central.Operation) { o.Terminal = counter.ID }))
	small := inState(t, s, op.Failed, at(1, func(o *central.Operation) { o.Amount, o.IIN = 100_00, "607152" }))
	other := inState(t, s, op.Succeeded, at(2, func(o *central.Operation) { o.Merchant = merchant2 }))
	balance := inState(t, s, op.Succeeded, at(3, func(o *central.Operation) { o.Amount, o.Kind = 0, central.KindBalance }))
	pending := inState(t, s, op.Pending, at(4, func(o *central.Operation) { o.Merchant = merchant2 }))
	stuck := inState(t, s, op.Pending, at(5))
	wantErr(t, "stick", s.PostponeEnquiry(background, stuck.ID, t0, t0.Add(time.Hour), "", true), nil)
	vendor := func(m central.MerchantID) central.VendorID {
		found, err := s.Merchant(background, m)
		wantErr(t, "read a merchant", err, nil)
		return found.Vendor
	}
	for name, c := range map[string]struct {
		query staff.ListQuery
		want  []op.ID
	}{
		"all":              {staff.ListQuery{}, []op.ID{stuck.ID, pending.ID, other.ID, small.ID, first.ID}},
		"state":            {staff.ListQuery{State: op.Succeeded}, []op.ID{other.ID, first.ID}},
		"open":             {staff.ListQuery{Open: true}, []op.ID{stuck.ID, pending.ID}},
		"open of a shop":   {staff.ListQuery{Open: true, Merchant: merchant2}, []op.ID{pending.ID}},
		"stuck":            {staff.ListQuery{Stuck: true}, []op.ID{stuck.ID}},
		"kind":             {staff.ListQuery{Kind: central.KindTransfer}, nil},
		"a bank":           {staff.ListQuery{IIN: "607152"}, []op.ID{small.ID}},
		"at least":         {staff.ListQuery{Min: 100_01}, []op.ID{stuck.ID, pending.ID, other.ID, first.ID}},
		"at most":          {staff.ListQuery{Max: 100_00}, []op.ID{small.ID}},
		"a shop":           {staff.ListQuery{Merchant: merchant1}, []op.ID{stuck.ID, balance.ID, small.ID, first.ID}},
		"a shop's kind":    {staff.ListQuery{Merchant: merchant1, Kind: central.KindBalance}, []op.ID{balance.ID}},
		"a terminal":       {staff.ListQuery{Merchant: merchant1, Terminal: counter.ID}, []op.ID{first.ID}},
		"of a terminal":    {staff.ListQuery{Terminal: counter.ID}, []op.ID{first.ID}},
		"its open":         {staff.ListQuery{Open: true, Terminal: counter.ID}, nil},
		"from":             {staff.ListQuery{From: t0.Add(2 * time.Hour)}, []op.ID{stuck.ID, pending.ID, other.ID}},
		"to":               {staff.ListQuery{To: t0.Add(2 * time.Hour)}, []op.ID{small.ID, first.ID}},
		"one of a vendor":  {staff.ListQuery{Vendor: vendor(merchant2), State: op.Succeeded, From: t0.Add(time.Hour)}, []op.ID{other.ID}},
		"another vendor's": {staff.ListQuery{Merchant: merchant2, Vendor: "none"}, nil},
		"no such vendor":   {staff.ListQuery{Vendor: "none"}, nil},
		"its open ones":    {staff.ListQuery{Vendor: "none", Open: true}, nil},
	} {
		for _, limit := range []int{1, 2, 100} {
			q := c.query
			q.Look, q.Limit = 100, limit
			got, _ := listPages(t, s, q)
			wantSame(t, name, got, c.want)
		}
	}
	q := staff.ListQuery{State: op.Failed, Look: 2, Limit: 10}
	got, pages := listPages(t, s, q)
	if wantSame(t, "few of many", got, []op.ID{small.ID}); pages != 3 {
		t.Errorf("%d pages of at most two operations were looked at, want 3", pages)
	}
	got, _ = listPages(t, s, staff.ListQuery{Merchant: merchant1, State: op.Failed, Look: 1, Limit: 10})
	wantSame(t, "few of a shop's many", got, []op.ID{small.ID})
}

// listPages reads all pages of a list, and counts them.
func listPages(t *testing.T, s *DB, q staff.ListQuery) (ids []op.ID, pages int) {
	t.Helper()
	for pages = 1; pages < 100; pages++ {
		page, err := s.List(background, q)
		wantErr(t, "list", err, nil)
		for _, o := range page.Operations {
			ids = append(ids, o.ID)
		}
		switch n := len(page.Operations); {
		case n == q.Limit:
			q.Before, q.BeforeID = page.Operations[n-1].CreatedAt, page.Operations[n-1].ID
		case !page.LookedTo.IsZero():
			q.Before, q.BeforeID = page.LookedTo, ""
		default:
			return ids, pages
		}
	}
	t.Fatal("the pages have no end")
	return nil, 0
}
