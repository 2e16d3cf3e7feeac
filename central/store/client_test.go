package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/op"
)

const someHash = "$argon2id$v=19$m=8,t=1,p=1$AAAA$BBBB"

func TestClients(t *testing.T) { onBoth(t, clients) }

// clients: a party's credentials are its own, at most so many live, and a secret
// that was replaced is gone.
func clients(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	at := truncateToMillis(t0)
	shop := central.Principal{Role: op.Merchant, Merchant: merchant1}
	other := central.Principal{Role: op.Vendor, Vendor: vendor1}
	list, err := s.ClientsOf(background, shop, at)
	wantErr(t, "list", err, nil)
	known := len(list) // of the fixture
	add := func(id string, p central.Principal) error {
		return s.AddClient(background, central.Client{ID: id, SecretHash: someHash, Principal: p, Active: true}, at)
	}
	setSecret := func(p central.Principal, id, hash string, at time.Time) error {
		_, err := s.SetClientSecret(background, p, id, hash, at)
		return err
	}
	setActive := func(p central.Principal, active bool) error {
		_, err := s.SetClientActive(background, p, "zz-1", active, at)
		return err
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
	newest := func() accounts.Client {
		t.Helper()
		list, err := s.ClientsOf(background, shop, at)
		wantErr(t, "list", err, nil)
		if len(list) <= known {
			t.Fatalf("listed: %+v", list)
		}
		return list[len(list)-1]
	}
	wantSame(t, "listed", newest(), accounts.Client{ID: "zz-1", Active: true, CreatedAt: at, SecretAt: at, Secrets: []accounts.ClientSecret{{No: 1, CreatedAt: at}}})

	wantErr(t, "another's secret", setSecret(other, "zz-1", someHash+"C", at), central.ErrNotFound)
	wantErr(t, "no client's secret", setSecret(shop, "none", someHash, at), central.ErrNotFound)
	wantErr(t, "renew", setSecret(shop, "zz-1", someHash+"C", at.Add(time.Hour)), nil)
	wantSame(t, "renewed", newest(), accounts.Client{ID: "zz-1", Active: true, CreatedAt: at, SecretAt: at.Add(time.Hour), Secrets: []accounts.ClientSecret{{No: 2, CreatedAt: at.Add(time.Hour)}}})
	if got, err := s.Client(background, "zz-1"); err != nil || got.SecretHash != someHash+"C" {
		t.Errorf("the old hash stands: %+v, %v", got, err)
	}
	if err := setSecret(shop, "zz-1", "in the clear", at); err == nil {
		t.Error("a secret is kept that is no hash")
	}

	wantErr(t, "another's client", setActive(other, false), central.ErrNotFound)
	wantErr(t, "mark pending", setActive(shop, false), nil)
	wantErr(t, "mark pending again", setActive(shop, false), central.ErrState)
	if got, err := s.Client(background, "zz-1"); err != nil || got.Active {
		t.Errorf("suspended: %+v, %v", got, err)
	}
	wantErr(t, "let in", setActive(shop, true), nil)
	live := 0
	list, err = s.ClientsOf(background, shop, at)
	wantErr(t, "list", err, nil)
	for _, x := range list {
		if x.Active {
			live++
		}
	}
	for i := live; i < accounts.MaxLiveClients; i++ {
		wantErr(t, "one more", add(fmt.Sprintf("zy-%d", i), shop), nil)
	}
	if err := add("zy-last", shop); !errors.Is(err, accounts.ErrManyClients) {
		t.Errorf("one too many: %v", err)
	}
	wantErr(t, "mark pending", setActive(shop, false), nil)
	wantErr(t, "below the limit again", add("zy-last", shop), nil)
	if err := setActive(shop, true); !errors.Is(err, accounts.ErrManyClients) {
		t.Errorf("let in beside as many as may live: %v", err)
	}
}

func TestAccessOfClients(t *testing.T) { onBoth(t, accessOfClients) }

// accessOfClients: a suspension and a new secret void the open codes of the client,
// and nobody else's; its credential makes no other, then or later; the terminals
// that its codes enrolled are known.
func accessOfClients(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	at := truncateToMillis(t0)
	shop := central.Principal{Role: op.Merchant, Merchant: merchant1}
	for _, id := range []string{"zz-1", "zz-2"} {
		wantErr(t, "add", s.AddClient(background, central.Client{ID: id, SecretHash: someHash, Principal: shop, Active: true}, at), nil)
	}
	n := byte(0)
	mint := func(client string, generation int64) (hash [32]byte, err error) {
		n++
		hash = [32]byte{n}
		return hash, s.AddEnrolmentCode(background, hash, merchant1, central.Credential{Client: client, Generation: generation}, at, at.Add(time.Hour))
	}
	minted := func(client string, generation int64) [32]byte {
		t.Helper()
		hash, err := mint(client, generation)
		wantErr(t, "make a code", err, nil)
		return hash
	}
	found := func(id string) accounts.Client {
		t.Helper()
		list, err := s.ClientsOf(background, shop, at)
		wantErr(t, "list", err, nil)
		for _, x := range list {
			if x.ID == id {
				return x
			}
		}
		t.Fatalf("%s is not among %+v", id, list)
		return accounts.Client{}
	}
	_, err := mint("nobody", 0)
	wantErr(t, "of no client", err, central.ErrCredentialRevoked)
	_, err = mint("zz-1", 1)
	wantErr(t, "of a generation to come", err, central.ErrCredentialRevoked)
	enrolled, err := s.EnrolTerminal(background, minted("zz-1", 0), newTerminal(1))
	wantErr(t, "enrol", err, nil)
	if enrolled.Client != "zz-1" {
		t.Errorf("it was enrolled with a code of %q", enrolled.Client)
	}
	operators, beside := minted("", 0), minted("zz-2", 0)
	for generation, end := range []func() (int, error){
		func() (int, error) { return s.SetClientActive(background, shop, "zz-1", false, at) },
		func() (int, error) {
			if _, err := s.SetClientActive(background, shop, "zz-1", true, at); err != nil {
				return 0, err
			}
			for range 3 {
				minted("zz-1", 1)
			}
			return s.SetClientSecret(background, shop, "zz-1", someHash, at)
		},
	} {
		var open [32]byte
		if generation == 0 {
			open, _ = minted("zz-1", 0), minted("zz-1", 0)
			wantSame(t, "open", found("zz-1").OpenCodes, 2)
		}
		voided, err := end()
		wantErr(t, "end", err, nil)
		wantSame(t, "voided", voided, 2+generation)
		_, err = mint("zz-1", int64(generation))
		wantErr(t, "by what it had", err, central.ErrCredentialRevoked)
		_, err = s.EnrolTerminal(background, open, newTerminal(2))
		wantErr(t, "enrol with a void code", err, central.ErrNotFound)
		x, err := s.Client(background, "zz-1")
		wantErr(t, "read", err, nil)
		if x.Generation != int64(generation+1) || x.Accepts(central.Credential{Client: "zz-1", Generation: int64(generation)}, at) || x.Accepts(central.Credential{Client: "zz-1", Generation: x.Generation}, at) != x.Active {
			t.Errorf("the client is %+v", x)
		}
		if x := found("zz-1"); x.OpenCodes != 0 || x.Terminals != 1 {
			t.Errorf("listed as %+v", x)
		}
	}
	for i, hash := range [][32]byte{operators, beside} {
		_, err := s.EnrolTerminal(background, hash, newTerminal(3+i))
		wantErr(t, "a code of another", err, nil)
	}
	list, err := s.TerminalsBy(background, accounts.TerminalFilter{Client: "zz-1", AliveSince: at, Limit: 10})
	if err != nil || len(list) != 1 || list[0].ID != enrolled.ID || list[0].Client != "zz-1" {
		t.Errorf("the terminals of the client: %+v, %v", list, err)
	}
	wantErr(t, "revoke", s.RevokeTerminal(background, enrolled.ID, at), nil)
	wantSame(t, "left", found("zz-1").Terminals, 0)
}

func TestTerminalsOfAParty(t *testing.T) { onBoth(t, terminalsOfAParty) }

// terminalsOfAParty: the list of a program's terminals, and of a merchant's, has the
// live ones first, the newest of them first, page by page to the last one; also while
// somebody revokes those of a page that was read.
func terminalsOfAParty(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	const all = 23
	wantErr(t, "add", s.AddClient(background, central.Client{ID: "zz-1", SecretHash: someHash, Principal: central.Principal{Role: op.Merchant, Merchant: merchant1}, Active: true}, t0), nil)
	var live, revoked []central.TerminalID // as they are to be listed
	enrol := func(i int) central.TerminalID {
		t.Helper()
		at := truncateToMillis(t0).Add(time.Duration(i/3) * time.Second) // some at one moment
		hash := [32]byte{1, byte(i)}
		wantErr(t, "make a code", s.AddEnrolmentCode(background, hash, merchant1, central.Credential{Client: "zz-1"}, at, at.Add(time.Hour)), nil)
		x := newTerminal(i)
		x.CreatedAt = at
		x, err := s.EnrolTerminal(background, hash, x)
		wantErr(t, "enrol", err, nil)
		return x.ID
	}
	for i := range all {
		id := enrol(i)
		if i%4 == 1 {
			wantErr(t, "revoke", s.RevokeTerminal(background, id, truncateToMillis(t0)), nil)
			revoked = append(revoked, id)
		} else {
			live = append(live, id)
		}
	}
	slices.Reverse(live)
	slices.Reverse(revoked)
	pages := func(f accounts.TerminalFilter, meanwhile func(page int, last accounts.Terminal)) (got []central.TerminalID) {
		t.Helper()
		for page := range all + 2 {
			list, err := s.TerminalsBy(background, f)
			wantErr(t, "list", err, nil)
			if len(list) > f.Limit {
				t.Fatalf("a page of %d has %d", f.Limit, len(list))
			}
			for _, x := range list {
				got = append(got, x.ID)
			}
			if len(list) < f.Limit {
				return got
			}
			f = f.Next(list[len(list)-1])
			meanwhile(page, list[len(list)-1])
		}
		t.Fatalf("the list does not end: %q", got)
		return nil
	}
	nothing := func(int, accounts.Terminal) {}
	of := map[string]accounts.TerminalFilter{"client": {Client: "zz-1"}, "merchant": {Merchant: merchant1}, "nobody": {Merchant: merchant2}}
	for name, f := range of {
		f.AliveSince = t0
		wantLive, wantRevoked := live, revoked
		if name == "nobody" {
			wantLive, wantRevoked = nil, nil
		}
		for state, want := range map[accounts.TerminalState][]central.TerminalID{
			accounts.AnyTerminal: slices.Concat(wantLive, wantRevoked), accounts.RevokedTerminal: wantRevoked, accounts.OfflineTerminal: wantLive, accounts.OnlineTerminal: nil,
		} {
			for _, limit := range []int{1, 5, all + 1} {
				f.State, f.Limit = state, limit
				if got := pages(f, nothing); !slices.Equal(got, want) {
					t.Errorf("%q of %s by %d:\n%q, want\n%q", state, name, limit, got, want)
				}
			}
		}
		n, err := s.TerminalCount(background, f)
		if want := (accounts.TerminalCount{Live: len(wantLive), Revoked: len(wantRevoked)}); err != nil || n != want {
			t.Errorf("of %s there are %+v, %v, want %+v", name, n, err, want)
		}
	}

	f := of["client"]
	f.AliveSince, f.Limit = t0, 5
	got := pages(f, func(page int, last accounts.Terminal) {
		if page == 0 {
			wantErr(t, "revoke the last one of the page", s.RevokeTerminal(background, last.ID, truncateToMillis(t0)), nil)
		}
	})
	if !slices.Equal(got[:len(live)], live) {
		t.Errorf("while one is revoked:\n%q, want first\n%q", got, live)
	}
}

func TestNetworksOfClients(t *testing.T) { onBoth(t, networksOfClients) }

// networksOfClients: where a client got tokens is known, of the newest networks.
func networksOfClients(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	at := truncateToMillis(t0)
	wantErr(t, "add", s.AddClient(background, central.Client{ID: "zz-1", SecretHash: someHash, Principal: central.Principal{Role: op.Vendor, Vendor: vendor1}, Active: true}, at), nil)
	seen := func(client, network string) time.Time {
		t.Helper()
		when, err := s.ClientNetworkSeenAt(background, client, network)
		wantErr(t, "look", err, nil)
		return when
	}
	wantSame(t, "never", seen("zz-1", "network:192.0.2.1"), time.Time{})
	wantSame(t, "no client", seen("nobody", "network:192.0.2.1"), time.Time{})
	if err := s.RecordClientNetwork(background, "nobody", "network:192.0.2.1", at); err == nil {
		t.Error("a network of nobody was noted")
	}
	for i := range maxNetworks + 2 {
		wantErr(t, "note", s.RecordClientNetwork(background, "zz-1", fmt.Sprint("network:192.0.2.", i), at.Add(time.Duration(i)*time.Minute)), nil)
	}
	wantErr(t, "again", s.RecordClientNetwork(background, "zz-1", "network:192.0.2.2", at.Add(24*time.Hour)), nil)
	wantSame(t, "one too many", seen("zz-1", "network:192.0.2.1"), time.Time{})
	wantSame(t, "again", seen("zz-1", "network:192.0.2.2"), at.Add(24*time.Hour))
	wantErr(t, "much later", s.RecordClientNetwork(background, "zz-1", "network:192.0.2.9", at.Add(networkLife+2*time.Hour)), nil)
	wantSame(t, "long ago", seen("zz-1", "network:192.0.2.8"), time.Time{})
	wantSame(t, "still", seen("zz-1", "network:192.0.2.2"), at.Add(24*time.Hour))
}

func TestChangesOfParties(t *testing.T) { onBoth(t, changesOfParties) }

// changesOfParties: what is changed is changed from what was seen, and nothing
// else of the party.
func changesOfParties(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	was, err := s.Merchant(background, merchant1)
	wantErr(t, "read", err, nil)
	is := was
	is.LegalName, is.Mobile, is.Address, is.Vendor, is.AppID, is.VPA, is.MCC = "Renamed Store", "9000000077", "4 Station Road, Pune", vendor2, "APP7", "renamed@galla", "5499"
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
	a := accounts.Aggregator{ID: aggregator1, LegalName: "Test Aggregator"}
	wantErr(t, "aggregator", s.ChangeAggregator(background, a, accounts.Aggregator{ID: aggregator1, LegalName: "Renamed"}), nil)
	wantErr(t, "aggregator again", s.ChangeAggregator(background, a, a), central.ErrState)
	wantErr(t, "no aggregator", s.ChangeAggregator(background, accounts.Aggregator{ID: "x"}, a), central.ErrNotFound)
}

// togetherAccess: a code that is made while its client, the client's vendor or the
// merchant is suspended, or while the client gets another secret, is void or was
// never made; a terminal that is enrolled meanwhile is known as the client's.
func togetherAccess(t *testing.T, p pair) {
	const many = 8
	shop, partner := central.Principal{Role: op.Merchant, Merchant: merchant1}, central.Principal{Role: op.Vendor, Vendor: vendor1}
	number := 0
	for round := range 6 {
		for what, end := range map[string]func(s *DB, id string) error{
			"suspended": func(s *DB, id string) error {
				_, err := s.SetClientActive(background, shop, id, false, t0)
				return err
			},
			"another secret": func(s *DB, id string) error {
				_, err := s.SetClientSecret(background, shop, id, someHash, t0)
				return err
			},
			"the vendor suspended": func(s *DB, _ string) error { return s.SetVendorActive(background, vendor1, false) },
			"the merchant suspended": func(s *DB, _ string) error {
				return s.SetMerchantStatus(background, merchant1, central.MerchantApproved, central.MerchantSuspended)
			},
		} {
			number++
			id, owner := fmt.Sprintf("race-%d", number), shop
			if what == "the vendor suspended" {
				owner = partner
			}
			wantErr(t, "add", p[0].AddClient(background, central.Client{ID: id, SecretHash: someHash, Principal: owner, Active: true}, t0), nil)
			hash := func(i int) [32]byte { return [32]byte{byte(number), byte(i)} }
			enrolled := make([]bool, many)
			errs := p.together(many, func(s *DB, i int) error {
				if i == round%many {
					return end(s, id)
				}
				err := s.AddEnrolmentCode(background, hash(i), merchant1, central.Credential{Client: id}, t0, t0.Add(time.Hour))
				if err == nil && i%2 == 0 {
					_, err = s.EnrolTerminal(background, hash(i), newTerminal(100*number+i))
					enrolled[i] = err == nil
				}
				return err
			})
			wantErr(t, what, errs[round%many], nil)
			n := 0
			for i, err := range errs {
				if err != nil && !errors.Is(err, central.ErrCredentialRevoked) && !errors.Is(err, central.ErrState) && !errors.Is(err, central.ErrNotFound) {
					t.Errorf("%s: %v", what, err)
				}
				if enrolled[i] {
					n++
				}
				if _, err := p[1].EnrolTerminal(background, hash(i), newTerminal(100*number+50+i)); !errors.Is(err, central.ErrNotFound) {
					t.Errorf("%s: code %d enrols a terminal afterwards: %v", what, i, err)
				}
			}
			list, err := p[0].TerminalsBy(background, accounts.TerminalFilter{Client: id, AliveSince: t0, Limit: 100})
			if err != nil || len(list) != n {
				t.Errorf("%s: %d terminals were enrolled, %d are the client's: %v", what, n, len(list), err)
			}
			switch what {
			case "the vendor suspended":
				err = p[0].SetVendorActive(background, vendor1, true)
			case "the merchant suspended":
				err = p[0].SetMerchantStatus(background, merchant1, central.MerchantSuspended, central.MerchantApproved)
			case "another secret":
				_, err = p[0].SetClientActive(background, shop, id, false, t0)
			}
			wantErr(t, "put back", err, nil)
			if owner == partner {
				_, err = p[0].SetClientActive(background, owner, id, false, t0)
				wantErr(t, "disable one", err, nil)
			} else if what == "the merchant suspended" {
				_, err = p[0].SetClientActive(background, owner, id, false, t0)
				wantErr(t, "disable one", err, nil)
			}
		}
	}
}
