package accounts

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"

	"galla/central"
	"galla/shared/money"
)

// memory is the part of a Store that these tests need.
type memory struct {
	Store
	readings []FloatReading
	added    []central.Merchant
	moved    []central.MerchantStatus
	days     daysInMemory
}

func (m *memory) store() Store {
	return Store{Terminals: m, Parties: m, PartyChanges: m, Clients: m, FloatReadings: m, Statistics: m, HealthStore: m, StoredDays: &m.days}
}

func (m *memory) AddFloatReading(_ context.Context, r FloatReading) error {
	m.readings = append(m.readings, r)
	return nil
}

func (m *memory) Aggregators(context.Context) ([]Aggregator, error) {
	return []Aggregator{{ID: "first"}, {ID: "second"}}, nil
}

func (m *memory) AddMerchant(_ context.Context, x central.Merchant) (central.Merchant, error) {
	m.added = append(m.added, x)
	return x, nil
}

func (m *memory) SetMerchantStatus(_ context.Context, _ central.MerchantID, from, to central.MerchantStatus) error {
	m.moved = append(m.moved, from, to)
	return nil
}

// network answers as the test says, by the party of the request.
type network map[string]central.BankAnswer

func (n network) Consult(_ context.Context, req central.BankRequest) (central.BankAnswer, error) {
	a, ok := n[req.MID]
	if !ok || req.Kind != central.KindFloatBalance {
		return central.BankAnswer{}, errors.New("no answer")
	}
	return a, nil
}

func newService(t *testing.T, m *memory, n network) *Service {
	t.Helper()
	d, err := New(m.store(), n, plainly, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFieldsOfAMerchant(t *testing.T) {
	good := Fields{FieldName: "Konkan 24x7 Stores", FieldMID: "GAL0000099", FieldMobile: "9800000099", FieldVPA: "konkan.stores-1@galla", FieldMCC: "5411"}
	for name, c := range map[string]struct{ field, text, wrong string }{
		"as it should be": {"", "", ""}, "no name": {FieldName, " ", FieldName}, "a mobile number in it": {FieldName, "Shop 98000 00099", FieldName}, "an Aadhaar number in it": {FieldName, "9999-4105-7058", FieldName},
		"two short numbers": {FieldName, "Shop 12345 x 67890", ""}, "no MID": {FieldMID, "", FieldMID}, "small letters": {FieldMID, "gal1", FieldMID}, "a short mobile": {FieldMobile, "98000", FieldMobile},
		"no UPI address": {FieldVPA, "", ""}, "half a UPI address": {FieldVPA, "konkan@", FieldVPA}, "two of them": {FieldVPA, "a@b@c", FieldVPA}, "a dot in the bank": {FieldVPA, "a@b.c", FieldVPA},
		"an address": {FieldAddress, "12 Laxmi Road, Pune 411030", ""}, "an Aadhaar number in the address": {FieldAddress, "9999 4105 7058", FieldAddress},
		"three digits": {FieldMCC, "541", FieldMCC}, "letters": {FieldMCC, "54l1", FieldMCC}, "no vendor's id": {FieldVendor, "sahyadri", FieldVendor}, "no UTF-8": {FieldName, "\xff", FieldName},
	} {
		m := &memory{}
		f := Fields{}
		for k, v := range good {
			f[k] = v
		}
		if c.field != "" {
			f[c.field] = c.text
		}
		got, err := newService(t, m, nil).CreateMerchant(t.Context(), f)
		var wrong *central.Error
		switch {
		case c.wrong == "" && (err != nil || len(m.added) != 1 || got.Status != central.MerchantPending || got.Active || len(got.ID) != 36):
			t.Errorf("%s: %+v, %v", name, got, err)
		case c.wrong != "" && (!errors.As(err, &wrong) || len(m.added) > 0 || !slices.ContainsFunc(wrong.Fields, func(f central.FieldError) bool { return f.Field == c.wrong })):
			t.Errorf("%s: %v", name, err)
		case err != nil && len(c.text) > 3 && strings.Contains(err.Error(), c.text):
			t.Errorf("%s: the error quotes the input: %v", name, err)
		}
	}
}

func TestTransitionsOfAMerchant(t *testing.T) {
	all := []central.MerchantStatus{central.MerchantPending, central.MerchantApproved, central.MerchantSuspended, central.MerchantRejected, ""}
	may := 0
	for _, from := range all {
		for _, to := range all {
			m := &memory{}
			err := newService(t, m, nil).SetStatus(t.Context(), "x", from, to)
			if err == nil {
				may++
			} else if !errors.Is(err, central.ErrState) || m.moved != nil {
				t.Errorf("%s to %s: %v", from, to, err)
			}
		}
	}
	if may != 4 {
		t.Errorf("%d changes of status are allowed", may)
	}
}

func TestFloat(t *testing.T) {
	approved := func(data string) central.BankAnswer {
		return central.BankAnswer{Status: central.BankApproved, Code: "00", Data: []byte(data)}
	}
	m := &memory{}
	d := newService(t, m, network{"first": approved(`{"balance":1234.5}`), "second": approved(`{"balance":"x"}`), "third": {Status: central.BankDeclined, Code: "05"}})
	if r, err := d.ReadFloat(t.Context(), "first", "asha"); err != nil || r.Balance != 1234_50 || r.Source != "asha" || len(m.readings) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, a := range []central.AggregatorID{"second", "third"} {
		if _, err := d.ReadFloat(t.Context(), a, "asha"); !errors.Is(err, ErrFloat) {
			t.Errorf("%s: %v", a, err)
		}
	}
	if _, err := d.ReadFloat(t.Context(), "nobody", "asha"); err == nil || errors.Is(err, ErrFloat) || len(m.readings) != 1 {
		t.Errorf("without an answer: %v, %d readings", err, len(m.readings))
	}
	// One float that can't be read does not prevent the others.
	note, err := d.FloatJob().Run(t.Context())
	if note != "1 floats were read" || !errors.Is(err, ErrFloat) || len(m.readings) != 2 || m.readings[1].Source != ScheduledSource {
		t.Errorf("the scheduled job: %q, %v, %+v", note, err, m.readings)
	}
}

func FuzzBalance(f *testing.F) {
	for _, s := range []string{`{"balance":1}`, `{"balance":-1.05}`, `{"balance":null}`, `{"balance":{}}`, `{}`, ``, `[`, `{"balance":1,"balance":2}`, `{"Balance":3}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := balanceOf(central.BankAnswer{Status: central.BankApproved, Data: data})
		if err == nil && (got > money.Max || got < -money.Max) {
			t.Errorf("%s is %d", data, got)
		}
		if err == nil {
			if again, err := money.Parse(got.Number()); err != nil || again != got {
				t.Errorf("%d: %d, %v", got, again, err)
			}
		}
	})
}
