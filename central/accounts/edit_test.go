package accounts

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/secret"
)

// plainly is a hash that a test can read.
func plainly(s secret.Key, _ io.Reader) (string, error) { return "hash of " + string(s.Reveal()), nil }

// changes is the part of a Store that these tests need.
type changes struct {
	memory
	merchants []central.Merchant
	vendors   []central.Vendor
	clients   []central.Client
	secrets   []string
}

func (c *changes) store() Store {
	return Store{Terminals: c, Parties: c, PartyChanges: c, Clients: c, FloatReadings: c, Statistics: c, HealthStore: c, StoredDays: &daysInMemory{}}
}

func (c *changes) ChangeMerchant(_ context.Context, _, is central.Merchant) error {
	c.merchants = append(c.merchants, is)
	return nil
}

func (c *changes) ChangeVendor(_ context.Context, _, is central.Vendor) error {
	c.vendors = append(c.vendors, is)
	return nil
}

func (c *changes) AddClient(_ context.Context, x central.Client, _ time.Time) error {
	c.clients = append(c.clients, x)
	return nil
}

func (c *changes) SetClientSecret(_ context.Context, _ central.Principal, id, hash string, _ time.Time) (int, error) {
	c.secrets = append(c.secrets, id+" "+hash)
	return 3, nil
}

func TestUpdateMerchant(t *testing.T) {
	was := central.Merchant{ID: "m", MID: "GAL0000001", TID: "GAL00001", LegalName: "Lakshmi Stores", Mobile: "9800000001", Status: central.MerchantApproved, MCC: "5411",
		Settlement: &central.SettlementAccount{AccountLast4: "4321", IFSC: "BARB0PUNEXX", BankName: "Bank of Baroda", Holder: "Lakshmi"}}
	for name, c := range map[string]struct {
		change Fields
		wrong  string
	}{
		"nothing": {Fields{}, ""}, "a name": {Fields{FieldName: "Lakshmi Kirana"}, ""}, "no name": {Fields{FieldName: ""}, FieldName}, "a number in it": {Fields{FieldName: "x 9999 4105 7058"}, FieldName},
		"a short mobile": {Fields{FieldMobile: "98"}, FieldMobile}, "half a UPI address": {Fields{FieldVPA: "a@"}, FieldVPA}, "three digits": {Fields{FieldMCC: "541"}, FieldMCC},
		"no account": {Fields{FieldLast4: "", FieldIFSC: "", FieldBank: "", FieldHolder: ""}, ""}, "a whole account": {Fields{FieldLast4: "12344321"}, FieldLast4}, "letters": {Fields{FieldLast4: "43x1"}, FieldLast4},
		"an address": {Fields{FieldAddress: "12 Laxmi Road, Pune 411030"}, ""}, "a number in the address": {Fields{FieldAddress: "call 98000 00001"}, FieldAddress}, "a long address": {Fields{FieldAddress: strings.Repeat("x", maxAddress+1)}, FieldAddress},
		"no IFSC": {Fields{FieldIFSC: ""}, FieldIFSC}, "no holder": {Fields{FieldHolder: ""}, FieldHolder}, "no vendor's id": {Fields{FieldVendor: "x"}, FieldVendor},
	} {
		t.Run(name, func(t *testing.T) {
			m := &changes{}
			d, err := New(m.store(), network{}, plainly, strings.NewReader(""))
			if err != nil {
				t.Fatal(err)
			}
			f := FieldsOf(was)
			maps.Copy(f, c.change)
			err = d.UpdateMerchant(t.Context(), was, f)
			var fault *central.Error
			if c.wrong != "" {
				if !errors.As(err, &fault) || len(fault.Fields) != 1 || fault.Fields[0].Field != c.wrong || m.merchants != nil {
					t.Fatalf("%v, changed %v", err, m.merchants)
				}
				return
			}
			if err != nil || len(m.merchants) != 1 {
				t.Fatalf("%v, changed %v", err, m.merchants)
			}
			got := m.merchants[0]
			if !maps.Equal(FieldsOf(got), f) || got.MID != was.MID || got.TID != was.TID || got.Status != was.Status || got.ID != was.ID {
				t.Errorf("became %+v", got)
			}
		})
	}
}

// TestDifferences: the audit log gets the changes, and the end of a mobile number.
func TestDifferences(t *testing.T) {
	a := Fields{FieldName: "A", FieldMobile: "9800000001", FieldVPA: "", FieldMCC: "5411"}
	b := Fields{FieldName: "A", FieldMobile: "9811111177", FieldVPA: "a@b", FieldMCC: "5411"}
	if was, is := Differences(a, b); was != "mobile …0001; vpa " || is != "mobile …1177; vpa a@b" {
		t.Errorf("%q became %q", was, is)
	}
	if a.Version() == b.Version() || a.Version() != maps.Clone(a).Version() {
		t.Error("the version of a form depends on more than its initial values")
	}
}

func TestUpdateVendor(t *testing.T) {
	const other = "a0000000-0000-4000-8000-000000000002"
	for name, c := range map[string]struct {
		has, typed, want central.AggregatorID
	}{"has one": {"a", other, "a"}, "has none": {"", other, other}, "stays without": {"", "", ""}} {
		m := &changes{}
		d, err := New(m.store(), network{}, plainly, strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.UpdateVendor(t.Context(), central.Vendor{ID: "v", LegalName: "x", Aggregator: c.has, Active: true}, Fields{FieldName: "Konkan Pay", FieldAggregator: string(c.typed)}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := m.vendors[0]; got != (central.Vendor{ID: "v", LegalName: "Konkan Pay", Aggregator: c.want, Active: true}) {
			t.Errorf("%s: became %+v", name, got)
		}
	}
}

// TestClientsOfAParty: secrets are random and long, and the hash is of the returned secret.
func TestClientsOfAParty(t *testing.T) {
	m := &changes{}
	raw := make([]byte, 130)
	for i := range raw {
		raw[i] = byte(i)
	}
	d, err := New(m.store(), network{}, plainly, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	p := central.Principal{Role: op.Merchant, Merchant: "m"}
	made, err := d.NewClient(t.Context(), p)
	if err != nil || made.ID != "merchant-0001020304050607" || len(made.Secret.Reveal()) != 43 {
		t.Fatalf("%+v, %v", made, err)
	}
	if got := m.clients[0]; got.SecretHash != "hash of "+made.Secret.Reveal() || got.Principal != p || !got.Active {
		t.Errorf("recorded %+v", got)
	}
	again, err := d.RenewClient(t.Context(), p, made.ID)
	if err != nil || again.Voided != 3 || again.Secret.Equal(made.Secret) || m.secrets[0] != made.ID+" hash of "+again.Secret.Reveal() {
		t.Errorf("renewed: %+v, %v", m.secrets, err)
	}
	if _, err := d.NewClient(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if _, err := d.NewClient(t.Context(), p); err == nil {
		t.Error("a secret was created without randomness")
	}
}
