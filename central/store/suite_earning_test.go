package store

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// earningOf makes an earning with the figures of the published example
// (domain.md), n times.
func earningOf(o central.Operation, kind string, n money.Paise) *central.Earning {
	e := &central.Earning{
		Vendor: vendor1, Aggregator: aggregator1, Merchant: o.Merchant,
		Combination: central.Combination{PaymentMethod: "DMT", Provider: "NSDL", TxnType: kind},
		Amount:      3400_00 * n, Charge: 20_00 * n, GST: 3_05 * n, ProviderCost: 4_00 * n, Commission: 12_95 * n, TDS: 26 * n,
	}
	e.Postings = []central.Posting{
		{Purpose: "COMMISSION", Debit: "aggregator:1:commission", Credit: "vendor:1", Amount: e.Commission},
		{Purpose: "TDS", Debit: "vendor:1", Credit: "tds", Amount: e.TDS},
		{Purpose: "CHARGE", Debit: "merchant:1", Credit: "charges", Amount: e.Charge},
		{Purpose: "GST", Debit: "charges", Credit: "gst", Amount: e.GST},
		{Purpose: "PROVIDER", Debit: "charges", Credit: "provider", Amount: e.ProviderCost},
		{Purpose: "NOTHING", Debit: "nobody", Credit: "no one", Amount: 0},
	}
	return e
}

// earned brings an operation to success with an earning, at a moment.
func earned(t *testing.T, s *DB, kind string, n money.Paise, at time.Time, change ...func(*central.Operation)) central.Operation {
	t.Helper()
	o := inState(t, s, op.Sent, change...)
	x := finalOutcome(o.ID, op.Succeeded)
	x.At, x.Earning = at, earningOf(o, kind, n)
	o, err := finish(s, x)
	wantErr(t, "finish with an earning", err, nil)
	return o
}

// refundOf begins and marks as sent an operation that reverses another.
func refundOf(t *testing.T, s *DB, original central.Operation) central.Operation {
	t.Helper()
	return inState(t, s, op.Sent, func(o *central.Operation) { o.Original, o.Reverses = original.Reference, original.ID })
}

func wantBalances(t *testing.T, s *DB, when string, want ...balance) {
	t.Helper()
	got, err := balances(s)
	wantErr(t, when, err, nil)
	wantSame(t, when, got, want)
	if sum, err := ledgerSum(s); err != nil || sum != 0 {
		t.Fatalf("%s: the ledger's sum is %d, %v", when, sum, err)
	}
}

// example are the balances after the published example was earned n times.
func example(n money.Paise) []balance {
	return []balance{
		{"aggregator:1:commission", 12_95 * n, 0},
		{"charges", 7_05 * n, 20_00 * n},
		{"gst", 0, 3_05 * n},
		{"merchant:1", 20_00 * n, 0},
		{"provider", 0, 4_00 * n},
		{"tds", 0, 26 * n},
		{"vendor:1", 26 * n, 12_95 * n},
	}
}

func suiteEarnings(t *testing.T, s *DB) {
	wantBalances(t, s, "before anything")
	earned(t, s, "TRANSFER", 1, t0)
	wantBalances(t, s, "after one", example(1)...)
	earned(t, s, "TRANSFER", 2, t0)
	wantBalances(t, s, "after another", example(3)...)
	slab := added(t, s, newSlab("TRANSFER", -1, -1))
	o := inState(t, s, op.Pending)
	x := finalOutcome(o.ID, op.Succeeded)
	x.Earning = earningOf(o, "TRANSFER", 1)
	x.Earning.Slab = slab.ID
	_, err := finish(s, x)
	wantErr(t, "with a slab, after pending", err, nil)
	wantBalances(t, s, "after a third", example(4)...)

	// Only a success earns, and nothing is written of an earning that breaks a
	// rule.
	for name, spoil := range map[string]func(*central.FinalOutcome){
		"a failure":                  func(x *central.FinalOutcome) { x.To = op.Failed },
		"a slab that is none":        func(x *central.FinalOutcome) { x.Earning.Slab = "none" },
		"a vendor that is none":      func(x *central.FinalOutcome) { x.Earning.Vendor = "none" },
		"no merchant":                func(x *central.FinalOutcome) { x.Earning.Merchant = "" },
		"a negative commission":      func(x *central.FinalOutcome) { x.Earning.Commission = -1 },
		"a negative posting":         func(x *central.FinalOutcome) { x.Earning.Postings[4].Amount = -1 },
		"a purpose twice":            func(x *central.FinalOutcome) { x.Earning.Postings[4].Purpose = "TDS" },
		"a posting to its own":       func(x *central.FinalOutcome) { x.Earning.Postings[4].Credit = "charges" },
		"a posting without accounts": func(x *central.FinalOutcome) { x.Earning.Postings[4].Debit = "" },
	} {
		o := inState(t, s, op.Sent)
		x := finalOutcome(o.ID, op.Succeeded)
		x.Earning = earningOf(o, "TRANSFER", 1)
		spoil(&x)
		if _, err := finish(s, x); err == nil {
			t.Errorf("finished an earning with %s", name)
		}
		now, err := s.Operation(background, o.ID)
		wantErr(t, "read", err, nil)
		wantSame(t, "after an earning with "+name, now, o)
	}
	wantBalances(t, s, "after the refusals", example(4)...)
}

func suiteReversals(t *testing.T, s *DB) {
	quota := daily("reversed", 3400_00, 0, 0)
	begin := newOperation()
	transfer, _, err := s.Create(background, begin, []central.Quota{quota})
	wantErr(t, "begin", err, nil)
	wantErr(t, "mark as sent", step(s, transfer.ID, op.Sent), nil)

	// What has not ended can't be reversed; the refund waits as it is.
	first, second := refundOf(t, s, transfer), refundOf(t, s, transfer)
	_, err = finish(s, finalOutcome(first.ID, op.Succeeded))
	wantErr(t, "reverse what is under way", err, central.ErrState)
	x := finalOutcome(transfer.ID, op.Succeeded)
	x.Earning = earningOf(transfer, "TRANSFER", 1)
	_, err = finish(s, x)
	wantErr(t, "finish", err, nil)
	wantUsed(t, s, quota.Key, 1, 3400_00)

	// A refund that fails reverses nothing.
	failed := refundOf(t, s, transfer)
	_, err = finish(s, finalOutcome(failed.ID, op.Failed))
	wantErr(t, "a failed refund", err, nil)
	wantBalances(t, s, "after a failed refund", example(1)...)
	wantUsed(t, s, quota.Key, 1, 3400_00)

	got, err := finish(s, finalOutcome(first.ID, op.Succeeded))
	wantErr(t, "refund", err, nil)
	if got.State != op.Succeeded {
		t.Fatalf("refund is %s", got.State)
	}
	var zero []balance
	for _, b := range example(1) {
		zero = append(zero, balance{b.Account, b.Debits + b.Credits, b.Debits + b.Credits})
	}
	wantBalances(t, s, "after the refund", zero...)
	wantUsed(t, s, quota.Key, 0, 0)

	// Once: the second stays as it is, and so does everything else.
	before, err := s.Operation(background, second.ID)
	wantErr(t, "read", err, nil)
	_, err = finish(s, finalOutcome(second.ID, op.Succeeded))
	wantErr(t, "a second refund", err, central.ErrState)
	after, err := s.Operation(background, second.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "after the refusal", after, before)
	wantBalances(t, s, "after a second refund", zero...)
	wantUsed(t, s, quota.Key, 0, 0)
	_, err = finish(s, finalOutcome(second.ID, op.Failed))
	wantErr(t, "end the second refund", err, nil)

	// What earned nothing, or was reversed by the bank, is reversed once, too.
	for _, state := range []op.State{op.Succeeded, op.Reversed} {
		plain := inState(t, s, state)
		for i, want := range []error{nil, central.ErrState} {
			refund := refundOf(t, s, plain)
			_, err := finish(s, finalOutcome(refund.ID, op.Succeeded))
			wantErr(t, fmt.Sprintf("refund %d of a %s one", i+1, state), err, want)
		}
	}
	for _, state := range []op.State{op.Failed, op.Refused, op.Received, op.Pending} {
		refund := refundOf(t, s, inState(t, s, state))
		_, err := finish(s, finalOutcome(refund.ID, op.Succeeded))
		wantErr(t, "reverse a "+string(state)+" one", err, central.ErrState)
	}
}

func suiteEarningsReport(t *testing.T, s *DB) {
	// Midnight in India is 18:30 UTC.
	noon := time.Date(2026, 11, 21, 6, 30, 0, 0, time.UTC)
	evening := time.Date(2026, 11, 21, 18, 29, 59, 999_000_000, time.UTC)
	midnight := time.Date(2026, 11, 21, 18, 30, 0, 0, time.UTC)
	a := earned(t, s, "TRANSFER", 1, noon)
	earned(t, s, "TRANSFER", 2, evening)
	earned(t, s, "VALIDATION", 3, noon, func(o *central.Operation) { o.Merchant = merchant3 })
	b := earned(t, s, "TRANSFER", 4, midnight)
	other := inState(t, s, op.Sent)
	x := finalOutcome(other.ID, op.Succeeded)
	x.At, x.Earning = noon, earningOf(other, "TRANSFER", 1)
	x.Earning.Vendor = vendor2
	_, err := finish(s, x)
	wantErr(t, "another vendor's", err, nil)
	for _, back := range []struct {
		o  central.Operation
		at time.Time
	}{{a, midnight}, {b, midnight.Add(time.Hour)}} {
		x := finalOutcome(refundOf(t, s, back.o).ID, op.Succeeded)
		x.At = back.at
		_, err := finish(s, x)
		wantErr(t, "refund", err, nil)
	}

	sum := func(count, reversed int, n money.Paise) central.EarningSum {
		return central.EarningSum{Count: count, Reversed: reversed, Volume: 3400_00 * n, Charge: 20_00 * n, GST: 3_05 * n,
			ProviderCost: 4_00 * n, Commission: 12_95 * n, TDS: 26 * n}
	}
	on := func(day ist.Day, x central.EarningSum) central.EarningSum { x.Day = day; return x }
	of := func(merchant central.MerchantID, x central.EarningSum) central.EarningSum {
		x.Merchant = merchant
		return x
	}
	as := func(kind string, x central.EarningSum) central.EarningSum {
		x.Combination = central.Combination{PaymentMethod: "DMT", Provider: "NSDL", TxnType: kind}
		return x
	}
	const day1, day2 = ist.Day("2026-11-21"), ist.Day("2026-11-22")
	type groups = []central.EarningGroup
	for _, look := range []struct {
		from, to ist.Day
		by       groups
		want     []central.EarningSum
	}{
		{day1, day2, nil, []central.EarningSum{sum(2, 2, 5)}},
		{day1, day1, nil, []central.EarningSum{sum(3, 0, 6)}},
		{day2, day2, nil, []central.EarningSum{sum(-1, 2, -1)}},
		{day1, day2, groups{central.ByDay}, []central.EarningSum{on(day1, sum(3, 0, 6)), on(day2, sum(-1, 2, -1))}},
		{day1, day2, groups{central.ByMerchant}, []central.EarningSum{of(merchant1, sum(1, 2, 2)), of(merchant3, sum(1, 0, 3))}},
		{day1, day2, groups{central.ByType}, []central.EarningSum{as("TRANSFER", sum(1, 2, 2)), as("VALIDATION", sum(1, 0, 3))}},
		{day1, day2, groups{central.ByType, central.ByDay}, []central.EarningSum{
			as("TRANSFER", on(day1, sum(2, 0, 3))), as("TRANSFER", on(day2, sum(-1, 2, -1))), as("VALIDATION", on(day1, sum(1, 0, 3)))}},
		{day1, day2, groups{central.ByDay, central.ByMerchant, central.ByType}, []central.EarningSum{
			on(day1, of(merchant1, as("TRANSFER", sum(2, 0, 3)))), on(day1, of(merchant3, as("VALIDATION", sum(1, 0, 3)))),
			on(day2, of(merchant1, as("TRANSFER", sum(-1, 2, -1))))}},
		{"2026-11-01", "2026-11-20", groups{central.ByDay}, nil},
		{"2026-11-23", "2026-12-31", nil, nil},
		{day2, day1, nil, nil},
	} {
		got, err := s.EarningsOf(background, vendor1, look.from, look.to, look.by)
		wantErr(t, "report", err, nil)
		wantSame(t, fmt.Sprintf("report from %s to %s by %v", look.from, look.to, look.by), got, look.want)
	}
	for _, by := range []groups{{"year"}, {central.ByDay, central.ByDay}} {
		if _, err := s.EarningsOf(background, vendor1, day1, day2, by); err == nil {
			t.Errorf("a report by %v was given", by)
		}
	}
	if got, err := s.EarningsOf(background, "nobody", day1, day2, nil); err != nil || got != nil {
		t.Errorf("the report of nobody: %v, %v", got, err)
	}
}

// suiteWhole: a settlement that fails at its last part leaves nothing of the
// parts before it.
func suiteWhole(t *testing.T, s *DB) {
	transfer := earned(t, s, "TRANSFER", 1, t0)
	o := inState(t, s, op.Pending, func(o *central.Operation) {
		o.Merchant, o.KYC, o.Reverses = merchant2, &central.KYCStep{Service: central.ServiceAEPS, To: central.KYCApproved}, transfer.ID
	})
	x := finalOutcome(o.ID, op.Succeeded)
	x.Session = &central.AgentSession{TID: "GAL00042", OpenedAt: t0, ExpiresAt: t0.Add(time.Hour)}
	x.Earning = earningOf(o, "TRANSFER", 1)
	x.Earning.Postings[4].Amount = -1
	if _, err := finish(s, x); err == nil {
		t.Fatal("finished with a negative posting")
	}
	now, err := s.Operation(background, o.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "after the refusal", now, o)
	_, err = s.KYC(background, merchant2, central.ServiceAEPS)
	wantErr(t, "the onboarding", err, central.ErrNotFound)
	_, err = s.Session(background, "GAL00042")
	wantErr(t, "the session", err, central.ErrNotFound)
	wantBalances(t, s, "after the refusal", example(1)...)

	x.Earning.Postings[4].Amount = 4_00
	_, err = finish(s, x)
	wantErr(t, "finish", err, nil)
	wantKYC(t, s, merchant2, central.KYCApproved, x.At, x.At, true)
	_, err = s.Session(background, "GAL00042")
	wantErr(t, "the session", err, nil)
	if list, err := s.EarningsOf(background, vendor1, "2026-11-21", "2026-11-21", nil); err != nil || len(list) != 1 || list[0].Count != 1 || list[0].Reversed != 1 {
		t.Fatalf("report: %+v, %v", list, err)
	}
}

// gambler is one of the callers of suiteRandomOperations and what it knows.
type gambler struct {
	s        *DB
	kind     string
	quotas   []central.Quota
	live     []central.Operation // counted, not final
	done     []central.Operation // succeeded, counted
	counted  int
	earned   money.Paise
	earnings int
	reversed int
}

// play takes one step; what it draws was drawn before.
func (g *gambler) play(move, pick int, amount money.Paise) error {
	switch {
	case move < 4:
		o := newOperation()
		o.Amount = amount
		quotas := slices.Clone(g.quotas)
		for i := range quotas {
			quotas[i].Amount = amount
		}
		o, _, err := g.s.Create(background, o, quotas)
		var refusal *central.QuotaError
		if errors.As(err, &refusal) {
			return nil
		}
		if err == nil {
			err = step(g.s, o.ID, op.Sent)
			g.live = append(g.live, o)
			g.counted++
		}
		return err
	case move < 8 && len(g.live) > 0:
		i := pick % len(g.live)
		o := g.live[i]
		g.live = slices.Delete(g.live, i, i+1)
		x := finalOutcome(o.ID, op.Succeeded)
		if move == 4 {
			x.To = op.Failed
			g.counted--
		} else {
			x.Earning = earningOf(o, g.kind, o.Amount)
			g.done = append(g.done, o)
			g.earned += o.Amount
			g.earnings++
		}
		_, err := finish(g.s, x)
		return err
	case len(g.done) > 0:
		i := pick % len(g.done)
		original := g.done[i]
		refund := newOperation()
		refund.Reverses = original.ID
		refund, _, err := g.s.Create(background, refund, nil)
		if err == nil {
			err = step(g.s, refund.ID, op.Sent)
		}
		if err == nil {
			_, err = finish(g.s, finalOutcome(refund.ID, op.Succeeded))
		}
		g.done = slices.Delete(g.done, i, i+1)
		g.earned -= original.Amount
		g.reversed++
		g.counted--
		return err
	}
	return nil
}

// suiteRandomOperations lets several callers at once begin operations that
// share quotas, finish and refund them, and holds the quotas, the ledger and
// the report against what each of them knows.
func suiteRandomOperations(t *testing.T, s *DB) {
	round := 0
	var all money.Paise // what all rounds earned
	ever := money.Paise(0)
	rapid.Check(t, func(rt *rapid.T) {
		round++
		key := func(part string) string { return fmt.Sprint("random ", round, part) }
		quotas := []central.Quota{daily(key("sum"), 0, 0, 60), daily(key("count"), 0, 12, 0), daily(key("both"), 0, 20, 70)}
		const players = 4
		type move struct {
			what, pick int
			amount     money.Paise
		}
		var gamblers [players]*gambler
		var games [players][]move
		for i := range players {
			gamblers[i] = &gambler{s: s, kind: key("type"), quotas: quotas}
			for range rapid.IntRange(1, 12).Draw(rt, "moves") {
				games[i] = append(games[i], move{
					what: rapid.IntRange(0, 9).Draw(rt, "what"), pick: rapid.IntRange(0, 99).Draw(rt, "pick"),
					amount: money.Paise(rapid.IntRange(1, 15).Draw(rt, "amount")),
				})
			}
		}
		var wg sync.WaitGroup
		for i, g := range gamblers {
			wg.Go(func() {
				for _, m := range games[i] {
					if err := errors.Join(g.play(m.what, m.pick, m.amount), withinBounds(s, quotas)); err != nil {
						t.Errorf("a random call: %v", err)
					}
				}
			})
		}
		wg.Wait()
		var want central.Used
		var sum central.EarningSum
		earned := money.Paise(0)
		for _, g := range gamblers {
			for _, o := range append(g.live, g.done...) {
				want.Count++
				want.Sum += o.Amount
			}
			earned += g.earned
			sum.Count += g.earnings - g.reversed
			sum.Reversed += g.reversed
			ever += money.Paise(g.earnings)
		}
		all += earned
		used, err := usage(s, quotas)
		if err != nil || used[0] != want || used[1] != want || used[2] != want {
			rt.Fatalf("used %+v, want %+v three times, %v", used, want, err)
		}
		list, err := s.EarningsOf(background, vendor1, "2026-11-21", "2026-11-21", []central.EarningGroup{central.ByType})
		if err != nil {
			rt.Fatal(err)
		}
		var got central.EarningSum
		for _, x := range list {
			if x.TxnType == key("type") {
				got = x
			}
		}
		if got.Count != sum.Count || got.Reversed != sum.Reversed || got.Commission != 12_95*earned || got.TDS != 26*earned {
			rt.Fatalf("report %+v, want %+v and %d earned", got, sum, earned)
		}
		auditLedger(rt, s, all)
	})
	if ever == 0 {
		t.Error("nothing was ever earned: the test does not see the ledger")
	}
}

// withinBounds looks whether a quota is over its bound, or below zero.
func withinBounds(s *DB, quotas []central.Quota) error {
	used, err := usage(s, quotas)
	if err != nil {
		return err
	}
	for i, q := range quotas {
		if u := used[i]; u.Count < 0 || u.Sum < 0 || q.MaxCount > 0 && u.Count > q.MaxCount || q.MaxSum > 0 && u.Sum > q.MaxSum {
			return fmt.Errorf("quota %+v has %+v used", q, u)
		}
	}
	return nil
}

// auditLedger holds the ledger's balances against the figures of what was
// earned and not reversed.
func auditLedger(t *rapid.T, s *DB, earned money.Paise) {
	if sum, err := ledgerSum(s); err != nil || sum != 0 {
		t.Fatalf("the ledger's sum is %d, %v", sum, err)
	}
	list, err := balances(s)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]money.Paise{}
	for _, b := range example(earned) {
		want[b.Account] = b.Credits - b.Debits
	}
	for _, b := range list {
		if b.Credits-b.Debits != want[b.Account] {
			t.Fatalf("account %s has %d more credits than debits, want %d", b.Account, b.Credits-b.Debits, want[b.Account])
		}
	}
}

// balance is an account of the commission ledger, in paise.
type balance struct {
	Account string
	Debits  money.Paise
	Credits money.Paise
}

// balances sums the whole commission ledger by account, ordered by their names.
func balances(s *DB) ([]balance, error) {
	return listRows(background, s.task("sum the commission ledger"), func(row row, b *balance) error { return row.Scan(&b.Account, &b.Debits, &b.Credits) },
		`SELECT account, CAST(sum(debit) AS BIGINT), CAST(sum(credit) AS BIGINT) FROM (
				SELECT debit AS account, amount AS debit, 0 AS credit FROM ledger_entries
				UNION ALL
				SELECT credit AS account, 0 AS debit, amount AS credit FROM ledger_entries
			) AS sides GROUP BY account ORDER BY account`)
}

// ledgerSum is the debits of all accounts minus their credits: zero in an intact ledger.
func ledgerSum(s *DB) (sum money.Paise, err error) {
	list, err := balances(s)
	for _, b := range list {
		sum += b.Debits - b.Credits
	}
	return sum, err
}
