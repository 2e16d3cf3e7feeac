package services

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"galla/central/bank/network"
	"galla/shared/money"
	"galla/shared/secret"
)

// FuzzParticulars sends every kind with foreign words in every field: the bank
// always has an answer, never an error, and its data is an object. What a
// decoder lets through is UTF-8.
func FuzzParticulars(f *testing.F) {
	f.Add(uint8(0), "A", "9000000001", "ABCDE1234F", "SBIN0001234", "1234567", int64(100_00))
	f.Add(uint8(7), "Ramesh\x00", "0000000000", "AAAAA0000A", "AAAA0AAAAAA", "00000", int64(1))
	f.Add(uint8(12), "é%s'\"", "90000000011", "ABCDE1234", "SBIN1001234", "123456789012345678901", int64(-5))
	b := openBank(f, Config{})
	b.unchecked = true
	p := b.beneficiary(b.sender(mobile))
	ref := b.enrol("9000000007", customerStarted)
	kinds := slices.Sorted(maps.Keys(b.deciders))
	kinds = append(kinds, slices.Sorted(maps.Keys(b.consultants))...)
	a, err := secret.ParseAadhaar(kumar)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, n uint8, name, digits, pan, code, number string, sum int64) {
		for _, s := range []*string{&name, &digits, &pan, &code, &number} {
			*s = strings.ToValidUTF8(*s, "?")
		}
		kind := kinds[int(n)%len(kinds)]
		q := network.Particulars{
			Enrolment: ref, OTPRequest: name, Name: name, Mobile: digits, Email: name, PAN: pan, BirthDate: code, Address: name, City: name, State: name,
			Pincode: digits, Shop: name, BC: code, Agent: name, Sender: p.Sender, Beneficiary: p.Beneficiary, Account: number, IFSC: code,
			Receiver: name, ReceiverMobile: digits, ReceiverEmail: name, Branch: name, Remarks: name, CallerRef: name, Original: number,
			Template: code, Language: pan, Receipt: name, Value: number, Day: name,
		}
		r := b.request(kind, particulars(q), amount(money.Paise(max(0, sum)%int64(money.Max))), otpIs(digits))
		if n%2 == 0 {
			r.Aadhaar = a
		}
		do := b.Execute
		if kind.IsConsultation() {
			do = b.Consult
		}
		answer, _, err := do(t.Context(), r)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if answer.Data != nil && answer.Data.Kind() != '{' {
			t.Errorf("%s: data %s", kind, answer.Data)
		}
		if _, err := network.EncodeAnswer(answer); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	})
}
