package stored

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

const pendingID op.ID = "01a1fda3-6789-76b2-bddd-9b2e2a564f1a"

// same compares records as they are after a way through the disk.
func same(a, b edge.Record) bool {
	for _, r := range []*edge.Record{&a, &b} {
		for _, at := range []*time.Time{&r.CreatedAt, &r.CapturedAt, &r.Deadline, &r.SentAt, &r.EndedAt, &r.CashGivenAt, &r.ConsentAt, &r.PrintedAt} {
			*at = at.Round(0).UTC()
		}
		if len(r.Body) == 0 {
			r.Body = nil
		}
	}
	return reflect.DeepEqual(a, b)
}

// filled gives every field of a record a value of its own, by reflection, so
// that a field that is added to edge.Record can't be forgotten here.
func filled(t *testing.T) edge.Record {
	n := int64(1_700_000_000_000_000_000)
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		n += 1_000_000_007
		switch {
		case v.Type() == reflect.TypeFor[time.Time]():
			v.Set(reflect.ValueOf(time.Unix(0, n)))
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		case v.Kind() == reflect.String:
			v.SetString("text " + time.Unix(0, n).String())
		case v.Kind() == reflect.Bool:
			v.SetBool(true)
		case v.CanInt():
			v.SetInt(n % 1_000_000)
		case v.Kind() == reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case v.Type() == reflect.TypeFor[[]byte]():
			v.SetBytes([]byte("bytes"))
		case v.Kind() == reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0))
			fill(v.Index(1))
		default:
			t.Fatalf("a record has a field of kind %s: teach encode, decode and this test", v.Kind())
		}
	}
	var r edge.Record
	fill(reflect.ValueOf(&r).Elem())
	r.ID, r.State = pendingID, op.Pending
	return r
}

func TestRecordsAreStoredWhole(t *testing.T) {
	full := filled(t)
	zero := edge.Record{ID: pendingID, State: op.Reserved}
	balance := money.Paise(0)
	nought := edge.Record{ID: pendingID, State: op.Failed, Result: edge.Result{Balance: &balance}}
	for name, want := range map[string]edge.Record{"full": full, "empty": zero, "a balance of nothing": nought} {
		data, err := Encode(want, 7)
		if err != nil {
			t.Fatal(err)
		}
		got, slot, err := Decode(data)
		want.Body = nil // it is sealed apart
		if err != nil || slot != 7 || !same(got, want) {
			t.Errorf("%s: got %+v, %d, %v\nwant %+v", name, got, slot, err, want)
		}
		if bytes.Contains(data, []byte("bytes")) && name == "empty" {
			t.Error("the body stands in the record")
		}
	}
}

// TestFormat: files of earlier releases are read, and earlier releases read ours.
func TestFormat(t *testing.T) {
	golden, err := os.ReadFile(filepath.Join("testdata", "record.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := filled(t)
	want.Body, want.ReceiverMobile = nil, "" // earlier releases stored none
	if got, slot, err := Decode(golden); err != nil || slot != 7 || !same(got, want) {
		t.Errorf("got %+v, %d, %v\nwant %+v", got, slot, err, want)
	}
	data, err := Encode(want, 7)
	if err != nil {
		t.Fatal(err)
	}
	var then, now map[string]any
	if err := errors.Join(json.Unmarshal(golden, &then), json.Unmarshal(data, &now)); err != nil || !reflect.DeepEqual(now, then) {
		t.Errorf("got %s\nwant %s, %v", data, golden, err)
	}
}

func FuzzDecode(f *testing.F) {
	r := edge.Record{ID: pendingID, Route: op.Withdrawal, State: op.Pending, Amount: 50000, Customer: "Asha"}
	r.Result.MiniStatement = []string{"line"}
	good, err := Encode(r, 3)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"id":"01a1fda3-6789-76b2-bddd-9b2e2a564f1a","state":"queued","slot":-1}`))
	f.Add([]byte(`{"id":"x","id":"y"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, slot, err := Decode(data)
		if err != nil {
			return
		}
		if _, err := op.ParseID(string(r.ID)); err != nil || !IsCounterState(r.State) || slot < 0 || slot > MaxSlots {
			t.Fatalf("decoded %+v, %d", r, slot)
		}
		again, err := Encode(r, slot)
		if err != nil {
			t.Fatal(err)
		}
		back, slotBack, err := Decode(again)
		if err != nil || slotBack != slot || !same(back, r) {
			t.Fatalf("%+v came back as %+v, %v", r, back, err)
		}
	})
}
