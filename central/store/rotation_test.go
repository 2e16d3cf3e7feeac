package store

import (
	"slices"
	"testing"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/selfservice"
	"galla/central/webhook"
	"galla/shared/op"
)

func TestKeysEndAsPlanned(t *testing.T) { onBoth(t, keysEndAsPlanned) }

// keysEndAsPlanned: a key with a planned end counts until then, and makes room after it.
func keysEndAsPlanned(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	first, second, third := newVendorKey(vendor1, 1), newVendorKey(vendor1, 2), newVendorKey(vendor1, 3)
	wantErr(t, "first", s.AddVendorKey(background, first), nil)
	wantErr(t, "second", s.AddVendorKey(background, second), nil)
	ends := third.CreatedAt.Add(time.Minute)
	wantErr(t, "end another vendor's", s.EndVendorKey(background, bareVendor, first.ID, t0, ends), central.ErrNotFound)
	wantErr(t, "end none", s.EndVendorKey(background, vendor1, "none", t0, ends), central.ErrNotFound)
	wantErr(t, "plan", s.EndVendorKey(background, vendor1, first.ID, t0, ends.Add(time.Hour)), nil)
	wantErr(t, "plan another end", s.EndVendorKey(background, vendor1, first.ID, t0, ends), nil)
	wantErr(t, "third, before the end", s.AddVendorKey(background, third), central.ErrState)
	list, err := s.VendorKeysOf(background, vendor1)
	wantErr(t, "list", err, nil)
	if k := list[0]; !k.EndsAt.Equal(truncateToMillis(ends)) || !k.Live(ends.Add(-time.Second)) || k.Live(ends) || !list[1].Live(ends) {
		t.Errorf("listed as %+v", list)
	}
	third.CreatedAt = ends
	wantErr(t, "end after the end", s.EndVendorKey(background, vendor1, first.ID, ends, ends.Add(time.Hour)), central.ErrState)
	wantErr(t, "third, after the end", s.AddVendorKey(background, third), nil)
	list, err = s.VendorKeysOf(background, vendor1)
	wantErr(t, "list", err, nil)
	if !list[0].RevokedAt.Equal(truncateToMillis(ends)) {
		t.Errorf("the first key ended at %v, and was revoked at %v", ends, list[0].RevokedAt)
	}
}

func TestTwoSecrets(t *testing.T) { onBoth(t, twoSecrets) }

// twoSecrets: a program changes its secret without a gap. Tokens follow their own secret,
// and none that was ended comes back.
func twoSecrets(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	at := truncateToMillis(t0)
	p, other := central.Principal{Role: op.Vendor, Vendor: vendor1}, central.Principal{Role: op.Merchant, Merchant: merchant1}
	wantErr(t, "add", s.AddClient(background, central.Client{ID: "zz-1", SecretHash: someHash, Principal: p, Active: true}, at), nil)
	read := func() central.Client {
		t.Helper()
		x, err := s.Client(background, "zz-1")
		wantErr(t, "read", err, nil)
		return x
	}
	accepts := func(what string, generation int64, now time.Time, want bool) {
		t.Helper()
		if got := read().Accepts(central.Credential{Client: "zz-1", Generation: generation}, now); got != want {
			t.Errorf("%s: accepts %v, want %v of %+v", what, got, want, read())
		}
	}
	numbers := func(now time.Time) (all []int64) {
		t.Helper()
		list, err := s.ClientsOf(background, p, now)
		wantErr(t, "list", err, nil)
		i := slices.IndexFunc(list, func(x accounts.Client) bool { return x.ID == "zz-1" })
		for _, x := range list[i].Secrets {
			all = append(all, x.No)
		}
		return all
	}
	rotate := func(hash string, ends time.Time) (int64, error) {
		return s.AddClientSecret(background, p, "zz-1", someHash+hash, at, ends)
	}
	end := func(no int64, ends time.Time) error {
		_, err := s.EndClientSecret(background, p, "zz-1", no, at, ends)
		return err
	}
	first := read().Generation
	_, err := s.AddClientSecret(background, other, "zz-1", someHash, at, time.Time{})
	wantErr(t, "rotate another's", err, central.ErrNotFound)
	_, err = s.EndClientSecret(background, other, "zz-1", 1, at, at)
	wantErr(t, "end another's", err, central.ErrNotFound)
	wantErr(t, "end the only one", end(1, at), central.ErrState)
	no, err := rotate("B", time.Time{})
	wantErr(t, "rotate", err, nil)
	wantSame(t, "number", no, int64(2))
	second := read().Generation
	if x := read(); x.SecretHash != someHash+"B" || x.Former.Hash != someHash || second == first {
		t.Errorf("after a rotation: %+v", x)
	}
	accepts("the first secret's token", first, at, true)
	accepts("the second secret's token", second, at, true)
	_, err = rotate("C", time.Time{})
	wantErr(t, "a third secret", err, central.ErrState)
	wantErr(t, "the newest should end later", end(2, at.Add(time.Hour)), central.ErrState)
	wantErr(t, "end none", end(7, at), central.ErrNotFound)

	// A planned end.
	wantErr(t, "plan", end(1, at.Add(time.Hour)), nil)
	accepts("before the end", first, at.Add(time.Hour-1), true)
	accepts("at the end", first, at.Add(time.Hour), false)
	wantSame(t, "before the end", numbers(at), []int64{2, 1})
	wantSame(t, "after the end", numbers(at.Add(time.Hour)), []int64{2})
	code := [32]byte{1}
	by := central.Credential{Client: "zz-1", Generation: first}
	wantErr(t, "a code by the first, before", s.AddEnrolmentCode(background, code, merchant1, by, at, at.Add(2*time.Hour)), nil)
	wantErr(t, "and after", s.AddEnrolmentCode(background, [32]byte{2}, merchant1, by, at.Add(time.Hour), at.Add(2*time.Hour)), central.ErrCredentialRevoked)

	// The newest is ended: the older stays, and the next generation is a new one.
	voided, err := s.EndClientSecret(background, p, "zz-1", 2, at, at)
	wantErr(t, "end the newest", err, nil)
	wantSame(t, "voided codes", voided, 1)
	accepts("the second secret's token", second, at, false)
	accepts("the first secret's token", first, at, true)
	wantSame(t, "left", numbers(at), []int64{1})
	no, err = rotate("D", time.Time{})
	wantErr(t, "rotate again", err, nil)
	wantSame(t, "number", no, int64(3))
	third := read().Generation
	accepts("the second secret's token again", second, at, false)

	// A suspension ends the tokens of both; both secrets get new ones afterwards.
	for _, active := range []bool{false, true} {
		_, err := s.SetClientActive(background, p, "zz-1", active, at)
		wantErr(t, "suspend and enable", err, nil)
		accepts("the first secret's token", first, at, false)
		accepts("the third secret's token", third, at, false)
	}
	x := read()
	if x.Generation == x.Former.Generation || x.Former.Hash != someHash {
		t.Errorf("after a suspension: %+v", x)
	}
	accepts("the first secret's new token", x.Former.Generation, at, true)
	accepts("the third secret's new token", x.Generation, at, true)

	// An operator's renewal leaves one secret.
	_, err = s.SetClientSecret(background, p, "zz-1", someHash+"E", at)
	wantErr(t, "renew", err, nil)
	wantSame(t, "one is left", numbers(at), []int64{4})
	accepts("the first secret's new token", x.Former.Generation, at, false)
	accepts("the third secret's new token", x.Generation, at, false)
}

func TestOperationsOfAVendor(t *testing.T) { onBoth(t, operationsOfAVendor) }

// operationsOfAVendor: pages have every transaction of its merchants once, newest first,
// also where several have one time, and nobody else's.
func operationsOfAVendor(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	foreign := created(t, s, func(o *central.Operation) { o.Merchant = merchant4 })
	created(t, s, func(o *central.Operation) { o.Kind = central.KindAgentPAN })
	var want []op.ID // newest first
	for i := range 7 {
		o := created(t, s, createdAt(t0.Add(time.Duration(i/2)*time.Second)), func(o *central.Operation) {
			if i == 3 {
				o.Kind = central.KindBalance
			}
		})
		want = append(want, o.ID)
	}
	slices.Reverse(want)
	q := selfservice.OperationQuery{From: t0.Add(-time.Hour), To: t0.Add(time.Hour), Limit: 3}
	ids := func(q selfservice.OperationQuery) (all []op.ID) {
		t.Helper()
		for {
			page, err := s.OperationsOfVendor(background, vendor1, q)
			wantErr(t, "list", err, nil)
			for _, o := range page {
				all = append(all, o.ID)
			}
			if len(page) < q.Limit {
				return all
			}
			q.After = page[len(page)-1].ID
		}
	}
	wantSame(t, "all pages", ids(q), want)
	narrow := q
	narrow.Kind = central.KindBalance
	wantSame(t, "balances", len(ids(narrow)), 1)
	narrow = q
	narrow.State = op.Succeeded
	wantSame(t, "succeeded", len(ids(narrow)), 0)
	narrow = q
	narrow.From, narrow.To = t0.Add(time.Second), t0.Add(3*time.Second)
	wantSame(t, "of two seconds", len(ids(narrow)), 4)
	narrow = q
	narrow.Merchant = merchant4
	wantSame(t, "of another's merchant", len(ids(narrow)), 0)
	for _, after := range []op.ID{foreign.ID, newID()} {
		q.After = after
		_, err := s.OperationsOfVendor(background, vendor1, q)
		wantErr(t, "after another's", err, central.ErrNotFound)
	}
	counts, err := s.CountOfVendor(background, vendor1, q.From, q.To)
	wantErr(t, "count", err, nil)
	wantSame(t, "counts", counts, []selfservice.Count{{State: op.Received, Count: 7, Sum: 7 * 500_00}})
}

func TestCallbacksOfAVendor(t *testing.T) { onBoth(t, callbacksOfAVendor) }

func callbacksOfAVendor(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	for _, m := range []central.MerchantID{merchant1, merchant4} {
		wantErr(t, "set an endpoint", s.SetEndpoint(background, webhook.OfMerchant(m), "https://x.example.in/", []string{webhook.EventFinished}, t0), nil)
	}
	var want []op.ID
	for range 5 {
		want = append(want, dueCallback(t, s, merchant1))
	}
	foreign := dueCallback(t, s, merchant4)
	f := webhook.Filter{Vendor: vendor1, Limit: 2}
	var got []op.ID
	for {
		page, err := s.ListCallbacks(background, f)
		wantErr(t, "list", err, nil)
		for _, x := range page {
			got = append(got, x.Operation)
		}
		if len(page) < f.Limit {
			break
		}
		f.After = page[len(page)-1].Operation
	}
	slices.Sort(want)
	slices.Sort(got)
	wantSame(t, "all pages", got, want)
	if slices.Contains(got, foreign) {
		t.Error("another's callback is listed")
	}
	page, err := s.ListCallbacks(background, webhook.Filter{Vendor: vendor1, Until: finishedAt, Limit: 10})
	wantErr(t, "list", err, nil)
	wantSame(t, "before all", len(page), 0)
}

// TestTransactionKindsAreListed: the statements name the kinds that count as transactions.
func TestTransactionKindsAreListed(t *testing.T) {
	s := openSeeded(t, testConfig())
	for _, k := range selfservice.TransactionKinds() {
		created(t, s, func(o *central.Operation) { o.Kind = k })
	}
	list, err := s.OperationsOfVendor(background, vendor1, selfservice.OperationQuery{From: t0.Add(-time.Hour), To: t0.Add(time.Hour), Limit: 100})
	wantErr(t, "list", err, nil)
	wantSame(t, "listed", len(list), len(selfservice.TransactionKinds()))
}
