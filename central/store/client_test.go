package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"galla/central"
	"galla/central/parties"
	"galla/shared/op"
)

const someHash = "$argon2id$v=19$m=8,t=1,p=1$AAAA$BBBB"

func TestClients(t *testing.T) { onBoth(t, clients) }

// clients: a party's credentials are its own, at most so many live, and a secret
// that was replaced is gone.
func clients(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	at := cut(t0)
	shop := central.Principal{Role: op.Merchant, Merchant: merchant1}
	other := central.Principal{Role: op.Vendor, Vendor: vendor1}
	list, err := s.ClientsOf(background, shop)
	wantErr(t, "list", err, nil)
	known := len(list) // of the fixture
	add := func(id string, p central.Principal) error {
		return s.AddClient(background, central.Client{ID: id, SecretHash: someHash, Principal: p, Active: true}, at)
	}
	wantErr(t, "add", add("zz-1", shop), nil)
	wantErr(t, "the same id", add("zz-1", other), central.ErrTaken)
	wantErr(t, "of nobody", add("zz-2", central.Principal{Role: op.Merchant, Merchant: "nobody"}), central.ErrNotFound)
	if err := add("zz-2", central.Principal{Role: "agent", Merchant: merchant1}); err == nil {
		t.Error("a client of an agent was recorded")
	}
	got, err := s.Client(background, "zz-1")
	wantErr(t, "read", err, nil)
	wantSame(t, "added", got, central.Client{ID: "zz-1", SecretHash: someHash, Principal: shop, Active: true})
	newest := func() parties.Client {
		t.Helper()
		list, err := s.ClientsOf(background, shop)
		wantErr(t, "list", err, nil)
		if len(list) <= known {
			t.Fatalf("listed: %+v", list)
		}
		return list[len(list)-1]
	}
	wantSame(t, "listed", newest(), parties.Client{ID: "zz-1", Active: true, CreatedAt: at, SecretAt: at})

	wantErr(t, "another's secret", s.SetClientSecret(background, other, "zz-1", someHash+"C", at), central.ErrNotFound)
	wantErr(t, "no client's secret", s.SetClientSecret(background, shop, "none", someHash, at), central.ErrNotFound)
	wantErr(t, "renew", s.SetClientSecret(background, shop, "zz-1", someHash+"C", at.Add(time.Hour)), nil)
	wantSame(t, "renewed", newest(), parties.Client{ID: "zz-1", Active: true, CreatedAt: at, SecretAt: at.Add(time.Hour)})
	if got, err := s.Client(background, "zz-1"); err != nil || got.SecretHash != someHash+"C" {
		t.Errorf("the old hash stands: %+v, %v", got, err)
	}
	if err := s.SetClientSecret(background, shop, "zz-1", "in the clear", at); err == nil {
		t.Error("a secret is kept that is no hash")
	}

	wantErr(t, "another's client", s.SetClientActive(background, other, "zz-1", false), central.ErrNotFound)
	wantErr(t, "suspend", s.SetClientActive(background, shop, "zz-1", false), nil)
	wantErr(t, "suspend again", s.SetClientActive(background, shop, "zz-1", false), central.ErrState)
	if got, err := s.Client(background, "zz-1"); err != nil || got.Active {
		t.Errorf("suspended: %+v, %v", got, err)
	}
	wantErr(t, "let in", s.SetClientActive(background, shop, "zz-1", true), nil)
	live := 0
	list, err = s.ClientsOf(background, shop)
	wantErr(t, "list", err, nil)
	for _, x := range list {
		if x.Active {
			live++
		}
	}
	for i := live; i < parties.MaxLiveClients; i++ {
		wantErr(t, "one more", add(fmt.Sprintf("zy-%d", i), shop), nil)
	}
	if err := add("zy-last", shop); !errors.Is(err, parties.ErrManyClients) {
		t.Errorf("one too many: %v", err)
	}
	wantErr(t, "suspend", s.SetClientActive(background, shop, "zz-1", false), nil)
	wantErr(t, "room again", add("zy-last", shop), nil)
	if err := s.SetClientActive(background, shop, "zz-1", true); !errors.Is(err, parties.ErrManyClients) {
		t.Errorf("let in beside as many as may live: %v", err)
	}
}

func TestChangesOfParties(t *testing.T) { onBoth(t, changesOfParties) }

// changesOfParties: what is changed is changed from what was seen, and nothing
// else of the party.
func changesOfParties(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	was, err := s.Merchant(background, merchant1)
	wantErr(t, "read", err, nil)
	is := was
	is.LegalName, is.Mobile, is.Vendor, is.AppID, is.VPA, is.MCC = "Renamed Store", "9000000077", vendor2, "APP7", "renamed@galla", "5499"
	is.Settlement = &central.SettlementAccount{AccountLast4: "0042", IFSC: "BARB0PUNEXX", BankName: "Bank of Baroda", Holder: "Renamed Store"}
	wantErr(t, "change", s.ChangeMerchant(background, was, is), nil)
	got, err := s.Merchant(background, merchant1)
	wantErr(t, "read", err, nil)
	wantSame(t, "changed", got, is)
	wantErr(t, "from what it is not any more", s.ChangeMerchant(background, was, is), central.ErrState)
	bare := is
	bare.Vendor, bare.Settlement, bare.VPA = "", nil, ""
	wantErr(t, "to none", s.ChangeMerchant(background, is, bare), nil)
	got, err = s.Merchant(background, merchant1)
	wantErr(t, "read", err, nil)
	wantSame(t, "none of it", got, bare)
	lost := bare
	lost.Vendor = "nobody"
	wantErr(t, "of no vendor", s.ChangeMerchant(background, bare, lost), central.ErrNotFound)
	lost.ID = "nobody"
	wantErr(t, "nobody", s.ChangeMerchant(background, lost, lost), central.ErrNotFound)

	v := central.Vendor{ID: vendor2, LegalName: "Without Aggregator"}
	named := central.Vendor{ID: vendor2, LegalName: "With Aggregator", Aggregator: aggregator1}
	wantErr(t, "no such aggregator", s.ChangeVendor(background, v, central.Vendor{ID: vendor2, LegalName: "x", Aggregator: "nobody"}), central.ErrNotFound)
	wantErr(t, "vendor", s.ChangeVendor(background, v, named), nil)
	if got, err := s.Vendor(background, vendor2); err != nil || got != named {
		t.Errorf("the vendor is %+v, %v", got, err)
	}
	wantErr(t, "vendor again", s.ChangeVendor(background, v, named), central.ErrState)
	wantErr(t, "no vendor", s.ChangeVendor(background, central.Vendor{ID: "x"}, central.Vendor{ID: "x"}), central.ErrNotFound)
	a := parties.Aggregator{ID: aggregator1, LegalName: "Test Aggregator"}
	wantErr(t, "aggregator", s.ChangeAggregator(background, a, parties.Aggregator{ID: aggregator1, LegalName: "Renamed"}), nil)
	wantErr(t, "aggregator again", s.ChangeAggregator(background, a, a), central.ErrState)
	wantErr(t, "no aggregator", s.ChangeAggregator(background, parties.Aggregator{ID: "x"}, a), central.ErrNotFound)
}
