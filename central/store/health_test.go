package store

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/op"
)

// TestHealth sums the operations of parties, and tells when they were last seen.
func TestHealth(t *testing.T) { onBoth(t, health) }

func health(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	counter := enrolled(t, s, 1)
	at := func(hours int, change ...func(*central.Operation)) func(*central.Operation) {
		return func(o *central.Operation) {
			o.CreatedAt = t0.Add(time.Duration(hours) * time.Hour)
			for _, c := range change {
				c(o)
			}
		}
	}
	ofCounter := func(o *central.Operation) { o.Terminal, o.Merchant = counter.ID, merchant1 }
	amount0 := func(o *central.Operation) { o.Amount, o.Kind = 0, central.KindBalance }
	inState(t, s, op.Succeeded, at(-48))
	inState(t, s, op.Failed, at(-2))
	inState(t, s, op.Succeeded, at(0, ofCounter))
	inState(t, s, op.Succeeded, at(1, ofCounter))
	inState(t, s, op.Pending, at(2))
	balance := inState(t, s, op.Succeeded, at(3, amount0))
	bare := inState(t, s, op.Succeeded, at(2, func(o *central.Operation) { o.Merchant = merchant4 }))
	ms := func(hours int) time.Time { return truncateToMillis(t0.Add(time.Duration(hours) * time.Hour)) }
	byParty, err := s.PartyCounts(background, t0.Add(-2*time.Hour), t0.Add(2*time.Hour))
	wantErr(t, "sum by party", err, nil)
	slices.SortFunc(byParty, func(a, b accounts.PartyCount) int {
		return cmp.Or(cmp.Compare(a.Merchant, b.Merchant), cmp.Compare(a.Terminal, b.Terminal), cmp.Compare(a.State, b.State))
	})
	wantSame(t, "by party", byParty, []accounts.PartyCount{
		{Merchant: merchant1, Vendor: vendor1, State: op.Failed, Count: 1, Sum: 500_00, Last: ms(-2)},
		{Merchant: merchant1, Vendor: vendor1, Terminal: counter.ID, State: op.Succeeded, Count: 2, Sum: 1000_00, Last: ms(1)},
	})

	ids := []central.MerchantID{merchant1, merchant2, merchant4, "nobody", "it's \"one\""}
	for name, c := range map[string]struct {
		limit int
		want  []accounts.RecentCount
	}{
		"all in the time": {100, []accounts.RecentCount{
			{Merchant: merchant1, Terminal: "", State: op.Failed, Today: false, Count: 1, Sum: 500_00, Since: ms(-24)},
			{Merchant: merchant1, Terminal: "", State: op.Pending, Today: true, Count: 1, Sum: 500_00, Since: ms(-24)},
			{Merchant: merchant1, Terminal: counter.ID, State: op.Succeeded, Today: false, Count: 1, Sum: 500_00, Since: ms(-24)},
			{Merchant: merchant1, Terminal: counter.ID, State: op.Succeeded, Today: true, Count: 1, Sum: 500_00, Since: ms(-24)},
			{Merchant: merchant4, Terminal: "", State: op.Succeeded, Today: true, Count: 1, Sum: 500_00, Since: ms(-24)},
		}},
		"the latest three": {3, []accounts.RecentCount{ // one of them moves no money
			{Merchant: merchant1, Terminal: "", State: op.Pending, Today: true, Count: 1, Sum: 500_00, Since: ms(1)},
			{Merchant: merchant1, Terminal: counter.ID, State: op.Succeeded, Today: true, Count: 1, Sum: 500_00, Since: ms(1)},
			{Merchant: merchant4, Terminal: "", State: op.Succeeded, Today: true, Count: 1, Sum: 500_00, Since: ms(-24)},
		}},
	} {
		got, err := s.RecentCounts(background, accounts.RecentQuery{Merchants: ids, From: ms(-24), Today: t0.Add(time.Hour), Limit: c.limit})
		wantErr(t, name, err, nil)
		slices.SortFunc(got, func(a, b accounts.RecentCount) int {
			return cmp.Or(cmp.Compare(a.Merchant, b.Merchant), cmp.Compare(a.Terminal, b.Terminal), cmp.Compare(a.State, b.State), cmp.Compare(oneIf(a.Today), oneIf(b.Today)))
		})
		wantSame(t, name, got, c.want)
	}

	alive := t0.Add(3 * time.Hour)
	second := enrolled(t, s, 2)
	third := enrolled(t, s, 3)
	wantErr(t, "node", s.NodeAlive(background, t0, alive, 2), nil)
	wantErr(t, "met", s.RecordPresence(background, []accounts.Connected{
		{Terminal: counter.ID, Presence: accounts.Presence{ConnectedAt: ms(4)}}, {Terminal: second.ID, Presence: accounts.Presence{ConnectedAt: ms(4)}},
	}, []accounts.Disconnected{{Terminal: second.ID, ConnectedAt: ms(4), At: ms(5)}}), nil)
	wantErr(t, "revoke", s.RevokeTerminal(background, third.ID, t0), nil)
	seen, err := s.MerchantsSeen(background, ids, alive)
	wantErr(t, "seen", err, nil)
	for id, want := range map[central.MerchantID]accounts.MerchantSeen{
		merchant1: {Operation: balance.CreatedAt, Terminal: ms(5), Live: 2, Online: 1}, merchant4: {Operation: bare.CreatedAt}, merchant2: {}, "nobody": {},
	} {
		wantSame(t, "seen of "+string(id), seen[id], want)
	}

	key := newVendorKey(vendor1, 1)
	wantErr(t, "key", s.AddVendorKey(background, key), nil)
	wantErr(t, "use", s.RecordVendorKeyUse(background, map[central.KeyID]time.Time{key.ID: ms(7)}), nil)
	client := "vendor-of-the-test"
	wantErr(t, "client", s.AddClient(background, central.Client{ID: client, SecretHash: argon, Principal: central.Principal{Role: op.Vendor, Vendor: vendor1}, Active: true}, t0), nil)
	wantErr(t, "token", s.RecordClientNetwork(background, client, "192.0.2.1", ms(8)), nil)
	vendors, err := s.VendorsSeen(background, []central.VendorID{vendor1, vendor2})
	wantErr(t, "vendors seen", err, nil)
	wantSame(t, "vendors seen", vendors, map[central.VendorID]accounts.VendorSeen{vendor1: {Key: ms(7), Token: ms(8)}, vendor2: {}})

	onboarded, err := s.OnboardedOf(background, vendor1)
	wantErr(t, "onboarded", err, nil)
	counted, ready := 0, 0
	for _, m := range testSeed().Merchants {
		if m.Vendor == vendor1 {
			counted++
			if m.AEPSReady {
				ready++
			}
		}
	}
	for _, x := range onboarded {
		counted, ready = counted-x.Count, ready-x.Ready
	}
	if counted != 0 || ready != 0 || len(onboarded) < 2 {
		t.Errorf("%+v: %d merchants and %d ready ones are not counted", onboarded, counted, ready)
	}
}

// TestPartiesAmong reads the parties of some ids by a filter.
func TestPartiesAmong(t *testing.T) { onBoth(t, partiesAmong) }

func partiesAmong(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	all := []central.MerchantID{merchant1, merchant2, merchant4, "nobody"}
	for name, c := range map[string]struct {
		ids    []central.MerchantID
		filter accounts.Filter
		want   []central.MerchantID
	}{
		"none":                   {nil, accounts.Filter{}, nil},
		"all":                    {all, accounts.Filter{}, []central.MerchantID{merchant1, merchant2, merchant4}},
		"a status":               {all, accounts.Filter{Status: central.MerchantPending}, []central.MerchantID{merchant2}},
		"a vendor and a mobile":  {all, accounts.Filter{Vendor: vendor1, Text: "9000000001"}, []central.MerchantID{merchant1}},
		"a part of a name":       {all, accounts.Filter{Text: "HER"}, []central.MerchantID{merchant2}},
		"what is not among them": {[]central.MerchantID{merchant2}, accounts.Filter{Text: "Test Store"}, nil},
	} {
		list, err := s.MerchantsAmong(background, c.ids, c.filter)
		wantErr(t, name, err, nil)
		var got []central.MerchantID
		for _, m := range list {
			got = append(got, m.ID)
		}
		slices.Sort(got)
		wantSame(t, name, got, c.want)
	}

	first, second := enrolled(t, s, 1), enrolled(t, s, 2)
	wantErr(t, "revoke", s.RevokeTerminal(background, second.ID, t0), nil)
	wantErr(t, "node", s.NodeAlive(background, t0, t0.Add(time.Hour), 1), nil)
	wantErr(t, "met", came(s, first.ID, accounts.Presence{ConnectedAt: t0.Add(time.Minute)}), nil)
	both := []central.TerminalID{first.ID, second.ID, "nothing"}
	for name, c := range map[string]struct {
		ids    []central.TerminalID
		filter accounts.TerminalFilter
		want   int
	}{
		"all":                   {both, accounts.TerminalFilter{}, 2},
		"one":                   {both[:1], accounts.TerminalFilter{}, 1},
		"online":                {both, accounts.TerminalFilter{State: accounts.OnlineTerminal}, 1},
		"offline":               {both, accounts.TerminalFilter{State: accounts.OfflineTerminal}, 0},
		"revoked":               {both, accounts.TerminalFilter{State: accounts.RevokedTerminal}, 1},
		"a name":                {both, accounts.TerminalFilter{Text: "counter 2"}, 1},
		"a TID":                 {both, accounts.TerminalFilter{Text: first.TID}, 1},
		"its merchant's":        {both, accounts.TerminalFilter{Merchant: merchant1}, 2},
		"another merchant's":    {both, accounts.TerminalFilter{Merchant: merchant2}, 0},
		"one with no such name": {both, accounts.TerminalFilter{Text: "%"}, 0},
	} {
		c.filter.AliveSince = t0
		list, err := s.TerminalsAmong(background, c.ids, c.filter)
		if err != nil || len(list) != c.want {
			t.Errorf("%s: %d terminals, %v, want %d", name, len(list), err, c.want)
		}
	}
	list, err := s.TerminalsBy(background, accounts.TerminalFilter{Text: "COUNTER 1", AliveSince: t0, Limit: 10})
	if err != nil || len(list) != 1 || list[0].ID != first.ID || !list[0].Online {
		t.Errorf("the list by a name: %+v, %v", list, err)
	}
	for text, want := range map[string]int{"counter": 2, "counter 2": 1, first.TID: 1, "none": 0} {
		list, err := s.TerminalsBy(background, accounts.TerminalFilter{Merchant: merchant1, Text: text, AliveSince: t0, Limit: 10})
		if err != nil || len(list) != want {
			t.Errorf("the merchant's terminals named %q: %d, %v, want %d", text, len(list), err, want)
		}
	}
	for active, want := range map[string]int{"": 2, accounts.ActiveText(true): 1, accounts.ActiveText(false): 1} {
		vendors, err := s.VendorsBy(background, accounts.Filter{Active: active, Limit: 10})
		if err != nil || len(vendors) != want {
			t.Errorf("vendors that are %q: %+v, %v", active, vendors, err)
		}
	}
}
