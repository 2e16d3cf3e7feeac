package queue

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

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
	r.ID, r.State = newID(t), op.Pending
	return r
}

func TestRecordsAreStoredWhole(t *testing.T) {
	full := filled(t)
	zero := edge.Record{ID: newID(t), State: op.Reserved}
	balance := money.Paise(0)
	nought := edge.Record{ID: newID(t), State: op.Failed, Result: edge.Result{Balance: &balance}}
	for name, want := range map[string]edge.Record{"full": full, "empty": zero, "a balance of nothing": nought} {
		data, err := encode(want, 7)
		if err != nil {
			t.Fatal(err)
		}
		got, slot, err := decode(data)
		want.Body = nil // it is sealed apart
		if err != nil || slot != 7 || !same(got, want) {
			t.Errorf("%s: got %+v, %d, %v\nwant %+v", name, got, slot, err, want)
		}
		if bytes.Contains(data, []byte("bytes")) && name == "empty" {
			t.Error("the body stands in the record")
		}
	}
}

func FuzzDecode(f *testing.F) {
	r := record("01a1fda3-6789-76b2-bddd-9b2e2a564f1a", op.Pending)
	r.Result.MiniStatement = []string{"line"}
	good, err := encode(r, 3)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"id":"01a1fda3-6789-76b2-bddd-9b2e2a564f1a","state":"queued","slot":-1}`))
	f.Add([]byte(`{"id":"x","id":"y"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, slot, err := decode(data)
		if err != nil {
			return
		}
		if _, err := op.ParseID(string(r.ID)); err != nil || !known(r.State) || slot < 0 || slot > maxSlots {
			t.Fatalf("decoded %+v, %d", r, slot)
		}
		again, err := encode(r, slot)
		if err != nil {
			t.Fatal(err)
		}
		back, slotBack, err := decode(again)
		if err != nil || slotBack != slot || !same(back, r) {
			t.Fatalf("%+v came back as %+v, %v", r, back, err)
		}
	})
}
