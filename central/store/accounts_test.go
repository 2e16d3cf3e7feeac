package store

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

func TestPresence(t *testing.T) { onBoth(t, presence) }

// presence: a terminal is online while its connection lasts and its node is
// heard, and what it said stays when it is gone.
func presence(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	first, second := enrolled(t, s, 1), enrolled(t, s, 2)
	at := truncateToMillis(t0.Add(time.Hour))
	alive := at.Add(-accounts.NodeTimeout)
	now := func(id central.TerminalID) accounts.Terminal {
		t.Helper()
		got, err := s.TerminalWithPresence(background, id, alive)
		wantErr(t, "read", err, nil)
		return got
	}
	online := func(what string, want bool) {
		t.Helper()
		if got := now(first.ID); got.Online != want {
			t.Errorf("%s: online %t", what, got.Online)
		}
	}
	online("never connected", false)
	said := accounts.Presence{ConnectedAt: at, Version: "v1.2.3", Unresolved: 3, ClockAhead: -90 * time.Second}
	wantErr(t, "met", came(s, first.ID, said), nil)
	online("a node that was never heard", false)
	wantErr(t, "node", s.NodeAlive(background, at.Add(-time.Minute), at, 7), nil)
	want := accounts.Terminal{Terminal: first, Presence: said, MerchantName: "Test Store", Online: true}
	want.SeenAt, want.Node = at, testNode
	wantSame(t, "connected", now(first.ID), want)

	wantErr(t, "a node started anew", s.NodeAlive(background, at.Add(time.Second), at.Add(time.Second), 7), nil)
	online("its node was started since", false)
	wantErr(t, "a silent node", s.NodeAlive(background, at.Add(-time.Minute), alive.Add(-1), 7), nil)
	online("its node is silent", false)
	wantErr(t, "node", s.NodeAlive(background, at.Add(-time.Minute), at, 7), nil)

	for since, want := range map[time.Time]int{alive: 7, at.Add(time.Second): 0} {
		if n, err := s.TerminalsOnline(background, since); err != nil || n != want {
			t.Errorf("%d terminals are online, %v, want %d", n, err, want)
		}
	}

	wantErr(t, "an earlier connection left", left(s, first.ID, at.Add(-time.Second), at, "the line broke"), nil)
	want.Fault, want.FaultAt = "the line broke", at
	wantSame(t, "the earlier connection's end", now(first.ID), want)
	wantErr(t, "left", left(s, first.ID, at, at.Add(time.Minute), ""), nil)
	want.LeftAt, want.Online = at.Add(time.Minute), false
	wantSame(t, "left", now(first.ID), want)

	older := said
	older.ConnectedAt = at.Add(-time.Hour / 2)
	wantErr(t, "met by another clock", came(s, first.ID, older), nil)
	if got := now(first.ID); !got.SeenAt.Equal(at) || !got.LeftAt.IsZero() {
		t.Errorf("met by a clock that is behind: %+v", got)
	}
	wantErr(t, "nobody met", came(s, "nothing", said), nil)
	wantErr(t, "nobody left", left(s, "nothing", at, at, "x"), nil)
	_, err := s.TerminalWithPresence(background, "nothing", alive)
	wantErr(t, "nobody", err, central.ErrNotFound)
	for _, name := range []string{string(first.ID), first.TID} {
		got, err := s.TerminalByName(background, name, alive)
		wantErr(t, "read by a name", err, nil)
		wantSame(t, "by a name", got, now(first.ID))
	}
	_, err = s.TerminalByName(background, "nothing", alive)
	wantErr(t, "nobody of a name", err, central.ErrNotFound)

	wantErr(t, "met", came(s, first.ID, said), nil)
	wantErr(t, "revoke", s.RevokeTerminal(background, second.ID, t0), nil)
	third := enrolled(t, s, 3)
	for state, ids := range map[accounts.TerminalState][]central.TerminalID{
		accounts.AnyTerminal: {first.ID, second.ID, third.ID}, accounts.OnlineTerminal: {first.ID}, accounts.OfflineTerminal: {third.ID}, accounts.RevokedTerminal: {second.ID},
	} {
		for _, merchant := range []central.MerchantID{"", merchant1, merchant2} {
			list, err := s.TerminalsBy(background, accounts.TerminalFilter{Merchant: merchant, State: state, AliveSince: alive, Limit: 10})
			wantErr(t, "list", err, nil)
			var got []central.TerminalID
			for _, x := range list {
				got = append(got, x.ID)
			}
			want := ids
			switch {
			case merchant == merchant2:
				want = nil
			case merchant == merchant1 && state == accounts.AnyTerminal:
				want = []central.TerminalID{third.ID, first.ID, second.ID} // the live ones first, the newest first
			}
			wantSame(t, fmt.Sprintf("%q of %q", state, merchant), got, want)
		}
	}
	list, err := s.TerminalsBy(background, accounts.TerminalFilter{After: first.ID, AliveSince: alive, Limit: 1})
	if err != nil || len(list) != 1 || list[0].ID != second.ID {
		t.Errorf("the page after the first: %v, %v", list, err)
	}
	wantErr(t, "gone", s.NodeStopped(background), nil)
	online("its node has stopped", false)
}

func TestRoll(t *testing.T) { onBoth(t, roll) }

func roll(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	names := func(f accounts.Filter) (out []string) {
		t.Helper()
		f.Limit = 10
		list, err := s.MerchantsBy(background, f)
		wantErr(t, "list", err, nil)
		for _, m := range list {
			out = append(out, m.LegalName)
		}
		return out
	}
	for what, c := range map[string]struct {
		filter accounts.Filter
		want   []string
	}{
		"all":                {accounts.Filter{}, []string{"Bare Store", "Fourth Store", "Other Store", "Test Store", "Third Store"}},
		"approved":           {accounts.Filter{Status: central.MerchantApproved}, []string{"Fourth Store", "Test Store"}},
		"of a vendor":        {accounts.Filter{Vendor: vendor2}, []string{"Fourth Store"}},
		"by name":            {accounts.Filter{Text: "TEST"}, []string{"Test Store"}},
		"by MID":             {accounts.Filter{Text: "TST0000004"}, []string{"Fourth Store"}},
		"by mobile":          {accounts.Filter{Text: "9000000002"}, []string{"Other Store"}},
		"by id":              {accounts.Filter{Text: string(merchant3)}, []string{"Third Store"}},
		"a sign of patterns": {accounts.Filter{Text: "%"}, nil},
		"after one":          {accounts.Filter{AfterName: "Other Store", AfterID: string(merchant2)}, []string{"Test Store", "Third Store"}},
	} {
		wantSame(t, what, names(c.filter), c.want)
	}

	m := central.Merchant{ID: "c0000000-0000-4000-8000-0000000000ff", MID: "NEW0000001", LegalName: "New Store", Vendor: vendor1, Status: central.MerchantPending, HasInfo: true, Mobile: "9000000009", CreatedAt: t0}
	added, err := s.AddMerchant(background, m)
	wantErr(t, "add", err, nil)
	if added.TID != "GAL00101" {
		t.Errorf("the merchant has the number %q", added.TID)
	}
	got, err := s.Merchant(background, m.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "added", got, added)
	for what, c := range map[string]struct {
		change func(*central.Merchant)
		want   error
	}{
		"the same id":   {func(m *central.Merchant) { m.MID = "NEW0000002" }, central.ErrTaken},
		"the same MID":  {func(m *central.Merchant) { m.ID = "other" }, central.ErrTaken},
		"a vendor less": {func(m *central.Merchant) { m.ID, m.MID, m.Vendor = "other", "NEW0000002", "nobody" }, central.ErrNotFound},
	} {
		bad := m
		c.change(&bad)
		_, err := s.AddMerchant(background, bad)
		wantErr(t, what, err, c.want)
	}

	hash := sha256.Sum256([]byte("a code"))
	wantErr(t, "code", s.AddEnrolmentCode(background, hash, merchant1, central.Credential{}, t0, t0.Add(time.Hour)), nil)
	wantErr(t, "mark pending", s.SetMerchantStatus(background, merchant1, central.MerchantApproved, central.MerchantSuspended), nil)
	wantErr(t, "mark pending again", s.SetMerchantStatus(background, merchant1, central.MerchantApproved, central.MerchantSuspended), central.ErrState)
	wantErr(t, "mark pending nobody", s.SetMerchantStatus(background, "nobody", central.MerchantApproved, central.MerchantSuspended), central.ErrNotFound)
	_, err = s.EnrolTerminal(background, hash, newTerminal(1))
	wantErr(t, "enrol with a suspended merchant's code", err, central.ErrNotFound)
	if m, err := s.Merchant(background, merchant1); err != nil || m.Status != central.MerchantSuspended || m.Active {
		t.Errorf("suspended: %+v, %v", m, err)
	}
	wantErr(t, "let go on", s.SetMerchantStatus(background, merchant1, central.MerchantSuspended, central.MerchantApproved), nil)
	if m, err := s.Merchant(background, merchant1); err != nil || m.Status != central.MerchantApproved || !m.Active {
		t.Errorf("approved: %+v, %v", m, err)
	}
	rollOfVendors(t, s)
}

func rollOfVendors(t *testing.T, s *DB) {
	t.Helper()
	aggregator := accounts.Aggregator{ID: "a0000000-0000-4000-8000-0000000000ff", LegalName: "Second Aggregator"}
	wantErr(t, "aggregator", s.AddAggregator(background, aggregator), nil)
	wantErr(t, "aggregator again", s.AddAggregator(background, aggregator), central.ErrTaken)
	list, err := s.Aggregators(background)
	wantErr(t, "aggregators", err, nil)
	wantSame(t, "aggregators", list, []accounts.Aggregator{{ID: aggregator1, LegalName: "Test Aggregator"}, aggregator})
	v := central.Vendor{ID: "b0000000-0000-4000-8000-0000000000ff", LegalName: "Another Vendor", Aggregator: aggregator.ID, Active: true}
	wantErr(t, "vendor", s.AddVendor(background, v), nil)
	wantErr(t, "vendor again", s.AddVendor(background, v), central.ErrTaken)
	wantErr(t, "of no aggregator", s.AddVendor(background, central.Vendor{ID: "x", LegalName: "x", Aggregator: "nobody"}), central.ErrNotFound)
	wantErr(t, "mark pending", s.SetVendorActive(background, v.ID, false), nil)
	wantErr(t, "mark pending again", s.SetVendorActive(background, v.ID, false), central.ErrState)
	wantErr(t, "mark pending nobody", s.SetVendorActive(background, "nobody", false), central.ErrNotFound)
	v.Active = false
	got, err := s.VendorsBy(background, accounts.Filter{Text: "VENDOR", Limit: 10})
	wantErr(t, "vendors", err, nil)
	wantSame(t, "vendors", got, []central.Vendor{v, {ID: vendor1, LegalName: "Test Vendor", Aggregator: aggregator1, Active: true}})
	got, err = s.VendorsBy(background, accounts.Filter{AfterName: "Test Vendor", AfterID: string(vendor1), Limit: 1})
	wantErr(t, "the page after", err, nil)
	wantSame(t, "the page after", got, []central.Vendor{{ID: vendor2, LegalName: "Without Aggregator"}})
}

func TestFiguresOfADay(t *testing.T) { onBoth(t, figuresOfADay) }

func figuresOfADay(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	for _, state := range []op.State{op.Received, op.Sent, op.Pending, op.Succeeded, op.Succeeded, op.Failed, op.Refused} {
		inState(t, s, state)
	}
	inState(t, s, op.Succeeded, func(o *central.Operation) { o.Amount = 0 })
	inState(t, s, op.Succeeded, func(o *central.Operation) { o.CreatedAt = t0.Add(time.Hour) })
	inState(t, s, op.Succeeded, func(o *central.Operation) { o.CreatedAt = t0.Add(24 * time.Hour) })
	from := truncateToMillis(t0.Add(-5 * time.Hour))
	list, err := s.HourCounts(background, from, from.Add(24*time.Hour))
	wantErr(t, "tallies", err, nil)
	got := map[string]int{}
	for _, x := range list {
		if x.Kind != central.KindWithdrawal || int64(x.Sum) != int64(x.Count)*500_00 {
			t.Errorf("%+v", x)
		}
		got[fmt.Sprintf("%d %s", x.Hour, x.State)] = x.Count
	}
	wantSame(t, "tallies", got, map[string]int{"5 received": 1, "5 sent": 1, "5 pending": 1, "5 succeeded": 2, "5 failed": 1, "5 refused": 1, "6 succeeded": 1})
	paces, err := s.LatencyCounts(background, from, from.Add(24*time.Hour))
	wantErr(t, "paces", err, nil)
	answers, silent := 0, 0
	for _, p := range paces {
		if p.IIN != "990326" || p.Hour != 5 && p.Hour != 6 || p.Step < accounts.NoAnswer || p.Step > accounts.LastLatencyStep {
			t.Errorf("%+v", p)
		}
		if p.Step == accounts.NoAnswer {
			silent += p.Count
		} else {
			answers += p.Count
		}
	}
	if silent != 1 || answers < 3 {
		t.Errorf("%d answers and %d silences in %+v", answers, silent, paces)
	}
	open, err := s.UnfinishedCounts(background, from, from.Add(24*time.Hour))
	wantErr(t, "unfinished", err, nil)
	wantSame(t, "unfinished", open, []accounts.HourCount{{Hour: 5, State: op.Received, Count: 1}, {Hour: 5, State: op.Sent, Count: 1}, {Hour: 5, State: op.Pending, Count: 1}})
	none, err := s.UnfinishedCounts(background, from.Add(-24*time.Hour), from)
	wantErr(t, "unfinished of the day before", err, nil)
	wantSame(t, "unfinished of the day before", len(none), 0)

	_, err = s.StoredDay(background, "2026-11-21")
	wantErr(t, "a day that is not stored", err, central.ErrNotFound)
	for _, text := range []string{"{}", `{"at":1}`} {
		wantErr(t, "store a day", s.StoreDay(background, "2026-11-21", []byte(text)), nil)
		stored, err := s.StoredDay(background, "2026-11-21")
		wantErr(t, "read a day", err, nil)
		wantSame(t, "the stored day", string(stored), text)
	}
	wantErr(t, "store a day", s.StoreDay(background, "2026-11-20", []byte("{}")), nil)
	days, err := s.StoredSince(background, "2026-11-21")
	wantErr(t, "list days", err, nil)
	wantSame(t, "the days since one", days, []ist.Day{"2026-11-21"})
}

func TestReadingsOfTheFloat(t *testing.T) { onBoth(t, readingsOfTheFloat) }

func readingsOfTheFloat(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	for i, balance := range []money.Paise{100, -5, 70} {
		r := accounts.FloatReading{Aggregator: aggregator1, At: truncateToMillis(t0).Add(time.Duration(i) * time.Minute), Balance: balance, Source: accounts.ScheduledSource}
		wantErr(t, "record", s.AddFloatReading(background, r), nil)
		wantErr(t, "record again", s.AddFloatReading(background, r), nil)
	}
	list, err := s.FloatReadingsSince(background, aggregator1, truncateToMillis(t0).Add(time.Minute), 5)
	wantErr(t, "list", err, nil)
	wantSame(t, "readings", list, []accounts.FloatReading{
		{Aggregator: aggregator1, At: truncateToMillis(t0).Add(2 * time.Minute), Balance: 70, Source: accounts.ScheduledSource}, {Aggregator: aggregator1, At: truncateToMillis(t0).Add(time.Minute), Balance: -5, Source: accounts.ScheduledSource},
	})
	if err := tryWrite(s, `UPDATE float_readings SET balance = 1`); err == nil {
		t.Error("a reading was changed")
	}
}
