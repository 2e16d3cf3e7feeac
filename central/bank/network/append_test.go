package network

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"galla/shared/money"
	"galla/shared/secret"
)

// FuzzTransactionIsWrittenAsJSON: Append writes what the JSON library makes of the
// message, byte for byte, and refuses what it refuses.
func FuzzTransactionIsWrittenAsJSON(f *testing.F) {
	f.Add("GL261121ABCDEFGHJK", "CASH_WITHDRAWAL", int64(50000), "<PidData ts=\"1\">\n</PidData>", "Śiva \u2028 & <\x7f>", "", "", "", int64(0))
	f.Add("A", "TRANSFER", int64(1), "", "", "GLINLINE", "482915", "remarks \"\\", int64(7))
	f.Add("A", "TRANSFER", int64(-1), "\xff", "\x00", "\xed\xa0\x80", "", "", int64(-7))
	f.Fuzz(func(t *testing.T, reference, kind string, number int64, pid, customer, inlineFor, otp, remarks string, beneficiary int64) {
		aadhaar, err := secret.ParseAadhaar("999941057058")
		if err != nil {
			t.Fatal(err)
		}
		in := Transaction{
			Reference: reference, STAN: "000042", Kind: Kind(kind), NotAfter: time.UnixMilli(number), MID: "GAL0000001", TID: remarks, IIN: "990326",
			Amount: money.Paise(number), Aadhaar: aadhaar, PidData: secret.NewPidData(pid), Customer: customer, Latitude: "18.5", Longitude: kind,
			InlineFor: inlineFor, OTP: secret.NewOTP(otp), Particulars: Particulars{Remarks: remarks, Beneficiary: beneficiary},
		}
		want, wrong := json.Marshal(transaction{
			Reference: reference, STAN: "000042", Kind: kind, NotAfter: number, MID: "GAL0000001", TID: remarks, IIN: "990326", AmountPaise: number,
			Aadhaar: "999941057058", PidData: pid, Customer: customer, Latitude: "18.5", Longitude: kind,
			InlineFor: inlineFor, OTP: otp, Particulars: in.Particulars,
		})
		before := []byte("what is before stays")
		got, err := in.Append(bytes.Clone(before))
		switch {
		case (err != nil) != (wrong != nil):
			t.Fatalf("error %v, the library's %v", err, wrong)
		case err != nil && !bytes.Equal(got, before):
			t.Fatalf("a failed Append leaves %q", got)
		case err == nil && !bytes.Equal(got, append(before, want...)):
			t.Fatalf("written %s\nwant    %s", got[len(before):], want)
		}
	})
}

// TestEveryMemberIsWritten: the fields of the message and of Append are the same.
func TestEveryMemberIsWritten(t *testing.T) {
	var full transaction
	v := reflect.ValueOf(&full).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("999941057058")
		case reflect.Int64:
			f.SetInt(int64(1000 + i))
		}
	}
	p := reflect.ValueOf(&full.Particulars).Elem()
	for i := range p.NumField() {
		switch f := p.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(p.Type().Field(i).Name)
		case reflect.Int64:
			f.SetInt(int64(1000 + i))
		}
	}
	want, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	read, err := DecodeTransaction(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read.Encode(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("written %s, %v\nwant    %s", got, err, want)
	}
}

// TestAnAnswerHasNothingOfItsBytes: the buffer is used for the next reply.
func TestAnAnswerHasNothingOfItsBytes(t *testing.T) {
	b := []byte(`{"reference":"GL1","status":"SUCCESS","code":"00","message":"a message","stan":"000042","miniStatement":"lines","data":{"name":"Asha"},"refusal":""}`)
	got, err := DecodeAnswer(b)
	if err != nil {
		t.Fatal(err)
	}
	want, err := DecodeAnswer(bytes.Clone(b))
	if err != nil {
		t.Fatal(err)
	}
	clear(b)
	if !reflect.DeepEqual(got, want) || string(got.Data) != `{"name":"Asha"}` {
		t.Errorf("the answer changed with its bytes: %+v", got)
	}
}
