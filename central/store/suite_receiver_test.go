package store

import (
	"errors"
	"testing"
	"time"

	"galla/central"
	"galla/central/webhook"
	"galla/shared/op"
)

// setEndpoint sets the endpoint of a receiver; an empty URL removes it.
func setEndpoint(t *testing.T, s *DB, r webhook.Receiver, url string) {
	t.Helper()
	var events []string
	if url != "" {
		events = []string{webhook.EventFinished}
	}
	wantErr(t, "set the endpoint of "+r.String(), s.SetEndpoint(background, r, url, events, finishedAt), nil)
}

// TestVendorsEndpoint: a merchant's own endpoint gets its callbacks; where it has none, its
// vendor's does.
func TestVendorsEndpoint(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		vendor, own := webhook.OfVendor(vendor1), webhook.OfMerchant(merchant2)
		receives := func(what string, id op.ID, want webhook.Receiver, state webhook.State) {
			t.Helper()
			x, _ := callbackOfOperation(t, s, id)
			if x.Receiver() != want || x.State != state || x.Merchant != merchant2 {
				t.Errorf("%s: %+v, want it %s for %s", what, x, state, want)
			}
		}
		before := dueCallback(t, s, merchant2)
		setEndpoint(t, s, vendor, "https://vendor.example/events")
		wantErr(t, "an unknown vendor", s.SetEndpoint(background, webhook.OfVendor("nobody"), "", nil, t0), central.ErrNotFound)
		_, err := s.Endpoint(background, webhook.OfVendor("nobody"), t0)
		wantErr(t, "an unknown vendor", err, central.ErrNotFound)
		if _, _, err := s.Callback(background, before); !errors.Is(err, central.ErrNotFound) {
			t.Errorf("a callback of what ended before: %v", err)
		}
		first := dueCallback(t, s, merchant2)
		receives("without an own one", first, vendor, webhook.StateWaiting)
		if x, _ := callbackOfOperation(t, s, dueCallback(t, s, merchant1)); x.Receiver() != webhook.OfMerchant(merchant1) {
			t.Errorf("a merchant with its own endpoint: %+v", x)
		}
		if _, _, err := s.Callback(background, dueCallback(t, s, merchant4)); !errors.Is(err, central.ErrNotFound) {
			t.Errorf("a merchant of another vendor is owed a callback: %v", err)
		}
		wantErr(t, "replay", s.ReplayCallback(background, before, finishedAt), nil)
		receives("for the first time", before, vendor, webhook.StateWaiting)

		setEndpoint(t, s, own, "https://own.example/events")
		receives("with an own one", first, own, webhook.StateWaiting)
		setEndpoint(t, s, vendor, "")
		receives("of a vendor without one", first, own, webhook.StateWaiting)
		setEndpoint(t, s, vendor, "https://vendor.example/events")
		setEndpoint(t, s, own, "")
		receives("its own one removed", first, vendor, webhook.StateWaiting)
		setEndpoint(t, s, vendor, "")
		receives("both removed", first, vendor, webhook.StateGivenUp)
		setEndpoint(t, s, own, "https://own.example/events")
		wantErr(t, "replay", s.ReplayCallback(background, first, finishedAt), nil)
		receives("replayed to its own one", first, own, webhook.StateWaiting)
	})
}

// TestVendorsEndpointGone: a vendor's receiver that is gone ends the callbacks to it, those
// that are shared with other nodes' statements, too, and no merchant's own.
func TestVendorsEndpointGone(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		vendor := webhook.OfVendor(vendor1)
		setEndpoint(t, s, vendor, "https://vendor.example/events")
		first, second, other := dueCallback(t, s, merchant2), dueCallback(t, s, merchant2), dueCallback(t, s, merchant1)
		var gone webhook.Callback
		for _, x := range claimAt(t, s, finishedAt, 10, 1) { // one of each receiver
			if x.Receiver() == vendor {
				gone = x
			}
		}
		wantErr(t, "note", s.RecordAttempt(background, attemptOf(gone, finishedAt, webhook.ResultGone)), nil)
		later := dueCallback(t, s, merchant2)
		for _, id := range []op.ID{first, second, later} {
			if x, _ := callbackOfOperation(t, s, id); x.State != webhook.StateGivenUp {
				t.Errorf("a callback to a receiver that is gone: %+v", x)
			}
		}
		if x, _ := callbackOfOperation(t, s, other); x.State != webhook.StateWaiting {
			t.Errorf("a merchant's own: %+v", x)
		}
		e, err := s.Endpoint(background, vendor, t0)
		if err != nil || e.DisabledAt.IsZero() || e.Receiver != vendor {
			t.Errorf("endpoint %+v, %v", e, err)
		}
		if n, err := s.CallbackBacklog(background); err != nil || n.Disabled != 1 {
			t.Errorf("counts %+v, %v", n, err)
		}
		setEndpoint(t, s, vendor, "https://vendor.example/new")
		if e, err := s.Endpoint(background, vendor, t0); err != nil || !e.DisabledAt.IsZero() {
			t.Errorf("endpoint %+v, %v", e, err)
		}
	})
}

// TestVendorsShare: a vendor's endpoint is one receiver, of however many merchants.
func TestVendorsShare(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		setEndpoint(t, s, webhook.OfMerchant(merchant1), "")
		setEndpoint(t, s, webhook.OfVendor(vendor1), "https://vendor.example/events")
		setEndpoint(t, s, webhook.OfMerchant(merchant4), "https://fourth.example/events")
		for range 3 {
			dueCallback(t, s, merchant1)
			dueCallback(t, s, merchant2)
			dueCallback(t, s, merchant4)
		}
		count := map[webhook.Receiver]int{}
		for _, x := range claimAt(t, s, finishedAt, 10, 2) {
			count[x.Receiver()]++
		}
		wantSame(t, "claimed", count, map[webhook.Receiver]int{webhook.OfVendor(vendor1): 2, webhook.OfMerchant(merchant4): 2})
	})
}

// TestMovedMerchant: what waits for a merchant's former vendor does not reach it.
func TestMovedMerchant(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		setEndpoint(t, s, webhook.OfVendor(vendor1), "https://vendor.example/events")
		first, under := dueCallback(t, s, merchant2), dueCallback(t, s, merchant2)
		claimed := claimAt(t, s, finishedAt, 1, 1)[0]
		if claimed.Operation == first {
			first, under = under, first
		}
		was, err := s.Merchant(background, merchant2)
		wantErr(t, "read", err, nil)
		is := was
		is.Vendor = vendor2
		wantErr(t, "move", s.ChangeMerchant(background, was, is), nil)
		if x, _ := callbackOfOperation(t, s, first); x.State != webhook.StateGivenUp || x.Vendor != "" {
			t.Errorf("one that waits: %+v", x)
		}
		wantErr(t, "note", s.RecordAttempt(background, attemptOf(claimed, finishedAt, webhook.ResultRetry)), nil)
		if x, _ := callbackOfOperation(t, s, under); x.Vendor != "" {
			t.Errorf("one that was under way: %+v", x)
		}
		setEndpoint(t, s, webhook.OfVendor(vendor2), "https://second.example/events")
		wantErr(t, "replay", s.ReplayCallback(background, first, finishedAt), nil)
		if x, _ := callbackOfOperation(t, s, first); x.Receiver() != webhook.OfVendor(vendor2) {
			t.Errorf("replayed: %+v", x)
		}
	})
}

// TestEndsOfCallbackSecrets: a secret ends at its time and is free for another; only its
// receiver ends it.
func TestEndsOfCallbackSecrets(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		at := truncateToMillis(t0.Add(time.Minute))
		vendor, shop := webhook.OfVendor(vendor1), webhook.OfMerchant(merchant1)
		live := func(r webhook.Receiver, at time.Time) (ids []webhook.SecretID) {
			t.Helper()
			e, err := s.Endpoint(background, r, at)
			wantErr(t, "endpoint", err, nil)
			for _, x := range e.Secrets {
				ids = append(ids, x.ID)
			}
			return ids
		}
		first, second, third := newSecretOf(vendor, 1), newSecretOf(vendor, 2), newSecretOf(vendor, 3)
		wantErr(t, "an unknown vendor's", s.AddSecret(background, newSecretOf(webhook.OfVendor("nobody"), 1), time.Time{}), central.ErrNotFound)
		wantErr(t, "first", s.AddSecret(background, first, time.Time{}), nil)
		wantErr(t, "second", s.AddSecret(background, second, at.Add(2*time.Hour)), nil)
		third.CreatedAt = at.Add(time.Hour)
		wantErr(t, "a third", s.AddSecret(background, third, time.Time{}), central.ErrState)
		wantSame(t, "both", live(vendor, at), []webhook.SecretID{first.ID, second.ID})
		wantSame(t, "the merchant's", live(shop, at), []webhook.SecretID(nil))

		wantErr(t, "another's", s.EndSecret(background, shop, first.ID, at, at), central.ErrNotFound)
		wantErr(t, "none", s.EndSecret(background, vendor, "none", at, at), central.ErrNotFound)
		wantErr(t, "an end", s.EndSecret(background, vendor, first.ID, at, at.Add(time.Hour)), nil)
		wantSame(t, "before the end", live(vendor, at.Add(time.Hour-time.Millisecond)), []webhook.SecretID{first.ID, second.ID})
		wantSame(t, "at the end", live(vendor, at.Add(time.Hour)), []webhook.SecretID{second.ID})
		wantErr(t, "after its end", s.EndSecret(background, vendor, first.ID, at.Add(time.Hour), at.Add(2*time.Hour)), central.ErrState)
		wantErr(t, "a third in its place", s.AddSecret(background, third, time.Time{}), nil)
		wantSame(t, "the new two", live(vendor, at.Add(time.Hour)), []webhook.SecretID{second.ID, third.ID})
		list, err := s.ListSecrets(background, vendor)
		wantErr(t, "list", err, nil)
		first.EndsAt = at.Add(time.Hour)
		first.RevokedAt = first.EndsAt
		wantSame(t, "all", list, []webhook.Secret{first, second, third})
	})
}
