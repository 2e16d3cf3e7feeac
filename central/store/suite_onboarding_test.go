package store

import (
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

// onboards takes an operation with a service-KYC step to a state.
func onboards(t *testing.T, s *DB, merchant central.MerchantID, to central.KYCState, end op.State, at time.Time) {
	t.Helper()
	o := inState(t, s, op.Sent, func(o *central.Operation) {
		o.Merchant, o.KYC = merchant, &central.KYCStep{Service: central.ServiceAEPS, To: to}
	})
	x := finalOutcome(o.ID, end)
	x.At = at
	_, err := finish(s, x)
	wantErr(t, "finish", err, nil)
}

func wantKYC(t *testing.T, s *DB, merchant central.MerchantID, state central.KYCState, created, updated time.Time, ready bool) {
	t.Helper()
	got, err := s.KYC(background, merchant, central.ServiceAEPS)
	wantErr(t, "onboarding", err, nil)
	wantSame(t, "onboarding", got, central.ServiceKYC{
		Merchant: merchant, Service: central.ServiceAEPS, State: state, CreatedAt: truncateToMillis(created), UpdatedAt: truncateToMillis(updated),
	})
	m, err := s.Merchant(background, merchant)
	wantErr(t, "merchant", err, nil)
	if m.AEPSReady != ready {
		t.Fatalf("merchant's AEPS is ready: %v, want %v", m.AEPSReady, ready)
	}
}

func suiteOnboarding(t *testing.T, s *DB) {
	at := func(n int) time.Time { return t0.Add(time.Duration(n) * time.Minute) }
	wantKYC(t, s, merchant1, central.KYCApproved, t0, t0, true) // of the seed
	_, err := s.KYC(background, merchant2, central.ServiceAEPS)
	wantErr(t, "before the first step", err, central.ErrNotFound)
	onboards(t, s, merchant2, central.KYCInitialized, op.Failed, at(1))
	_, err = s.KYC(background, merchant2, central.ServiceAEPS)
	wantErr(t, "after a step that failed", err, central.ErrNotFound)

	// Every state follows the one before; what comes again, or late, changes
	// nothing.
	for i, state := range central.KYCStates() {
		ready := state == central.KYCApproved
		onboards(t, s, merchant2, state, op.Succeeded, at(i+2))
		wantKYC(t, s, merchant2, state, at(2), at(i+2), ready)
		for _, earlier := range central.KYCStates()[:i+1] {
			onboards(t, s, merchant2, earlier, op.Succeeded, at(60))
			wantKYC(t, s, merchant2, state, at(2), at(i+2), ready)
		}
	}

	// A step that has no record before it makes one.
	onboards(t, s, merchant3, central.KYCPANVerified, op.Succeeded, at(1))
	wantKYC(t, s, merchant3, central.KYCPANVerified, at(1), at(1), false)
	onboards(t, s, merchant3, central.KYCApproved, op.Succeeded, at(2))
	wantKYC(t, s, merchant3, central.KYCApproved, at(1), at(2), true)
	onboards(t, s, merchant4, central.KYCApproved, op.Succeeded, at(3))
	wantKYC(t, s, merchant4, central.KYCApproved, at(3), at(3), true)
}

func suiteApprove(t *testing.T, s *DB) {
	wantErr(t, "approve nothing", s.ApproveKYC(background, merchant2, central.ServiceAEPS, t0), central.ErrNotFound)
	wantErr(t, "approve nobody", s.ApproveKYC(background, "nobody", central.ServiceAEPS, t0), central.ErrNotFound)
	onboards(t, s, merchant2, central.KYCBioUpdated, op.Succeeded, t0)
	wantErr(t, "approve too early", s.ApproveKYC(background, merchant2, central.ServiceAEPS, t0), central.ErrState)
	wantKYC(t, s, merchant2, central.KYCBioUpdated, t0, t0, false)
	onboards(t, s, merchant2, central.KYCSubmitted, op.Succeeded, t0)
	wantErr(t, "approve another service", s.ApproveKYC(background, merchant2, "UPI", t0), central.ErrNotFound)
	later := t0.Add(time.Hour)
	for range 2 {
		wantErr(t, "approve", s.ApproveKYC(background, merchant2, central.ServiceAEPS, later), nil)
		wantKYC(t, s, merchant2, central.KYCApproved, t0, later, true)
	}
	wantErr(t, "approve again", s.ApproveKYC(background, merchant2, central.ServiceAEPS, later.Add(time.Hour)), nil)
	wantKYC(t, s, merchant2, central.KYCApproved, t0, later, true)
}

func suiteMerchantsOf(t *testing.T, s *DB) {
	seed := map[central.MerchantID]central.Merchant{}
	for _, m := range testSeed().Merchants {
		m.CreatedAt = truncateToMillis(m.CreatedAt)
		seed[m.ID] = m
	}
	for _, look := range []struct {
		vendor        central.VendorID
		offset, limit int
		total         int
		want          []central.MerchantID
	}{
		{vendor1, 0, 10, 2, []central.MerchantID{merchant3, merchant1}}, // merchant2 is pending
		{vendor1, 0, 1, 2, []central.MerchantID{merchant3}},
		{vendor1, 1, 1, 2, []central.MerchantID{merchant1}},
		{vendor1, 2, 10, 2, nil},
		{vendor1, 0, 0, 2, nil},
		{vendor1, -1, 10, 2, []central.MerchantID{merchant3, merchant1}},
		{vendor2, 0, 10, 1, []central.MerchantID{merchant4}},
		{"nobody", 0, 10, 0, nil},
	} {
		list, total, err := s.MerchantsOf(background, look.vendor, look.offset, look.limit)
		wantErr(t, "merchants", err, nil)
		var want []central.Merchant
		for _, id := range look.want {
			want = append(want, seed[id])
		}
		wantSame(t, "merchants", list, want)
		wantSame(t, "total", total, look.total)
	}
}
