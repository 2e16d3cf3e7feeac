package network

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"galla/shared/money"
	"galla/shared/secret"
)

// Texts that must not show up in any error.
const (
	secretOTP = "482915"
	canary    = "canary-of-the-particulars"
)

// kinds are all that the protocol declares.
func kinds() []Kind {
	return []Kind{
		Withdrawal, Balance, MiniStatement, Purchase, AgentAuth, CashDeposit,
		AgentOnboarding, AgentOTP, AgentOTPCheck, AgentPAN, AgentUID, AgentBiometric, AgentSubmit, AgentStatus, AgentDetail,
		CustomerDetail, CustomerOnboarding, CustomerOTP, CustomerOTPCheck, CustomerUID, CustomerBiometric, CustomerSubmit, CustomerStatus,
		RemitterRegister, RemitterDetails, AccountVerification, BeneficiaryAdd, BeneficiaryGet, BeneficiaryDelete,
		TransferOTP, Transfer, TransferCharges, RefundOTP, Refund, FloatBalance, Login,
		BCRegister, BCAgentRegister, BCAgentInitialize, BCStatus, ReceiptMessage,
	}
}

// drawParticulars fills every field of the particulars with anything.
func drawParticulars(t *rapid.T) Particulars {
	var p Particulars
	v := reflect.ValueOf(&p).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(rapid.String().Draw(t, name))
		case reflect.Int64:
			f.SetInt(rapid.Int64().Draw(t, name))
		default:
			t.Fatalf("%s is neither a text nor a number", name)
		}
	}
	return p
}

// fullParticulars has every text at its limit, made of the given byte.
func fullParticulars(t testing.TB, with string) Particulars {
	t.Helper()
	limits := map[string]int{}
	for _, x := range new(Particulars).texts() {
		limits[x.name] = x.max
	}
	p := Particulars{Beneficiary: 1}
	v := reflect.ValueOf(&p).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.String {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			max, known := limits[name]
			if !known {
				t.Fatalf("texts does not list %s, so that it has no limit", name)
			}
			f.SetString(strings.Repeat(with, max))
			delete(limits, name)
		}
	}
	if len(limits) != 0 {
		t.Fatalf("texts lists %v, which particulars do not have", limits)
	}
	return p
}

func invalidMembersOf(t Transaction) []string { return t.InvalidMembers() }

// bare is a transaction with what every kind needs and nothing else.
func bare(kind Kind) Transaction {
	return Transaction{
		Reference: "GL261121ABCDEFGHJK", STAN: "000042", Kind: kind, NotAfter: time.UnixMilli(1795000000123),
		MID: "c0000000-0000-4000-8000-000000000001",
	}
}

// TestEachKindHasItsMembers: what a kind can't do without, seen from outside.
func TestEachKindHasItsMembers(t *testing.T) {
	aeps := "tid aadhaar pidData"
	want := map[Kind]string{
		Withdrawal: aeps, Balance: aeps, MiniStatement: aeps, Purchase: aeps, AgentAuth: aeps, CashDeposit: aeps, "SOMETHING": aeps,
		AgentOnboarding: "particulars.mobile", AgentOTP: "particulars.mobile", AgentOTPCheck: "otp particulars.otpRequest",
		AgentPAN: "particulars.pan", AgentUID: "aadhaar", AgentBiometric: "aadhaar pidData", AgentSubmit: "particulars.agent",
		AgentStatus: "", AgentDetail: "particulars.agent",
		CustomerDetail: "particulars.mobile", CustomerOnboarding: "particulars.name particulars.mobile particulars.city particulars.state",
		CustomerOTP: "particulars.enrolment", CustomerOTPCheck: "otp particulars.enrolment particulars.otpRequest",
		CustomerUID: "aadhaar particulars.enrolment", CustomerBiometric: "aadhaar pidData particulars.enrolment",
		CustomerSubmit: "particulars.enrolment", CustomerStatus: "particulars.enrolment",
		RemitterRegister: "particulars.mobile|sender", RemitterDetails: "particulars.mobile", AccountVerification: "particulars.account particulars.ifsc",
		BeneficiaryAdd:    "particulars.sender particulars.account particulars.ifsc particulars.receiver",
		BeneficiaryGet:    "particulars.sender particulars.account particulars.ifsc",
		BeneficiaryDelete: "particulars.sender particulars.account particulars.ifsc",
		TransferOTP:       "amountPaise particulars.sender particulars.account particulars.ifsc",
		Transfer:          "amountPaise otp particulars.sender particulars.account particulars.ifsc particulars.beneficiary",
		TransferCharges:   "amountPaise particulars.sender", RefundOTP: "particulars.original", Refund: "amountPaise otp particulars.original",
		FloatBalance: "", Login: "",
		BCRegister: "particulars.mobile particulars.pan", BCAgentRegister: "aadhaar particulars.bc", BCAgentInitialize: "particulars.agent",
		BCStatus:       "particulars.bc|agent",
		ReceiptMessage: "particulars.mobile particulars.shop particulars.template particulars.language particulars.receipt particulars.day",
	}
	for _, k := range append(kinds(), "SOMETHING") {
		if k.Known() != (k != "SOMETHING") {
			t.Errorf("%s: known is %v", k, k.Known())
		}
		expected, listed := want[k]
		if got := strings.Join(invalidMembersOf(bare(k)), " "); !listed || got != expected {
			t.Errorf("%s without anything has the faults %q, want %q", k, got, expected)
		}
	}
	if len(want) != len(kinds())+1 {
		t.Errorf("%d kinds are tested, %d are declared", len(want), len(kinds())+1)
	}
}

// TestOneOfTwoIsEnough: either of two names does.
func TestOneOfTwoIsEnough(t *testing.T) {
	for kind, some := range map[Kind][]Particulars{
		RemitterRegister: {{Mobile: "9000000001"}, {Sender: "x"}, {Mobile: "9000000001", Sender: "x"}},
		BCStatus:         {{BC: "x"}, {Agent: "x"}},
	} {
		for _, p := range some {
			tx := bare(kind)
			tx.Particulars = p
			if f := tx.InvalidMembers(); f != nil {
				t.Errorf("%s with %+v has the faults %v", kind, p, f)
			}
		}
	}
}

// TestNothingIsSentThatAKindHasNoUseFor: secrets, banks, places, amounts.
func TestNothingIsSentThatAKindHasNoUseFor(t *testing.T) {
	full := aTransaction(t)
	full.OTP, full.InlineFor = secret.NewOTP(secretOTP), "GL1"
	full.Particulars = fullParticulars(t, "A")
	for _, k := range kinds() {
		tx := full
		tx.Kind = k
		want := []string{}
		if k.AEPS() {
			if k != AgentAuth {
				want = append(want, "inlineFor")
			}
			want = append(want, "otp")
		} else {
			needs := invalidMembersOf(bare(k))
			for _, m := range []string{"iin", "amountPaise", "aadhaar", "pidData", "latitude", "longitude", "inlineFor", "otp"} {
				if !slices.Contains(needs, m) {
					want = append(want, m)
				}
			}
		}
		if got := tx.InvalidMembers(); !slices.Equal(got, want) {
			t.Errorf("%s with everything has the faults %v, want %v", k, got, want)
		}
	}
}

// TestParticularsAreBounded: each text has a limit, which holds.
func TestParticularsAreBounded(t *testing.T) {
	tx := bare(AgentStatus)
	tx.Particulars = fullParticulars(t, "A")
	if f := tx.InvalidMembers(); f != nil {
		t.Errorf("particulars at their limits have the faults %v", f)
	}
	v := reflect.ValueOf(&tx.Particulars).Elem()
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			was := f.String()
			f.SetString(was + "A")
			if got := tx.InvalidMembers(); !slices.Equal(got, []string{"particulars." + name}) {
				t.Errorf("one more byte of %s: %v", name, got)
			}
			f.SetString(was)
		case reflect.Int64:
			f.SetInt(-1)
			if got := tx.InvalidMembers(); !slices.Equal(got, []string{"particulars." + name}) {
				t.Errorf("a negative %s: %v", name, got)
			}
			f.SetInt(1)
		}
	}
	transfer := bare(Transfer)
	transfer.Amount, transfer.OTP = money.Rupee, secret.NewOTP(strings.Repeat("1", maxCode+1))
	transfer.Particulars = tx.Particulars
	if got := strings.Join(transfer.InvalidMembers(), " "); got != "otp" {
		t.Errorf("an OTP without an end: %q", got)
	}
	transfer.OTP, transfer.Amount = secret.NewOTP(secretOTP), money.Max+1
	if got := strings.Join(transfer.InvalidMembers(), " "); got != "amountPaise" {
		t.Errorf("an amount over all bounds: %q", got)
	}
	party := bare(Login)
	party.MID = strings.Repeat("A", maxParty+1)
	party.TID = "a b"
	if got := strings.Join(party.InvalidMembers(), " "); got != "mid tid" {
		t.Errorf("wrong parties: %q", got)
	}
}

// TestTheLargestTransactionFits: PidData of the interface's limit, quoted, and
// everything else at its limit, in characters that are quoted, too.
func TestTheLargestTransactionFits(t *testing.T) {
	tx := aTransaction(t)
	tx.PidData, tx.OTP, tx.Particulars = secret.PidData{}, secret.NewOTP(strings.Repeat(`"`, maxCode)), fullParticulars(t, `"`)
	tx.Customer, tx.Latitude, tx.Longitude = strings.Repeat(`"`, maxName), strings.Repeat("1", maxDegrees), strings.Repeat("1", maxDegrees)
	b, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > MaxBody-1<<20 {
		t.Errorf("all but the PidData has %d bytes, and the limit is %d", len(b), MaxBody-1<<20)
	}
}

// TestNoErrorShowsWhatWasWritten: OTP and particulars in messages that are
// refused.
func TestNoErrorShowsWhatWasWritten(t *testing.T) {
	tx := bare(Transfer)
	tx.OTP, tx.Amount = secret.NewOTP(secretOTP), money.Rupee
	tx.Particulars = Particulars{Sender: canary, Beneficiary: 7, Account: canary, IFSC: canary}
	good, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := DecodeTransaction(good); err != nil || !same(tx, back) || back.InvalidMembers() != nil {
		t.Fatalf("%+v, %v", back, err)
	}
	for name, change := range map[string][2]string{
		"unknown particular": {`"sender":`, `"senderId":`},
		"case variant":       {`"ifsc":`, `"IFSC":`},
		"duplicate":          {`"sender":`, `"account":"1","sender":`},
		"number as text":     {`"beneficiary":7`, `"beneficiary":"7"`},
		"fraction":           {`"beneficiary":7`, `"beneficiary":7.5`},
		"OTP as a number":    {`"` + secretOTP + `"`, secretOTP},
		"particulars a list": {`"particulars":{`, `"particulars":[{`},
		"particulars a text": {`"particulars":{`, `"particulars":"` + canary + `","x":{`},
		"OTP not UTF-8":      {secretOTP, secretOTP + "\xff"},
	} {
		bad := strings.Replace(string(good), change[0], change[1], 1)
		if bad == string(good) {
			t.Fatalf("%s: nothing was changed", name)
		}
		_, err := DecodeTransaction([]byte(bad))
		if err == nil {
			t.Errorf("%s was decoded", name)
			continue
		}
		if s := err.Error(); strings.Contains(s, secretOTP) || strings.Contains(s, canary) {
			t.Errorf("%s: the error shows the message: %s", name, s)
		}
	}
	tx.OTP = secret.NewOTP(secretOTP + "\xff")
	if _, err := tx.Encode(); err == nil || strings.Contains(err.Error(), secretOTP) {
		t.Errorf("an OTP that is not UTF-8: %v", err)
	}
	if s := fmt.Sprintf("%v %+v %#v %v", tx, tx, tx, tx.InvalidMembers()); strings.Contains(s, secretOTP) {
		t.Errorf("printed, the transaction shows the OTP: %s", s)
	}
}

// drawObject draws a JSON object, at most some levels deep.
func drawObject(t *rapid.T, depth int) map[string]any {
	out := map[string]any{}
	for _, name := range rapid.SliceOfN(rapid.String(), 0, 4).Draw(t, "names") {
		switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
		case what == 0 && depth > 0:
			out[name] = drawObject(t, depth-1)
		case what == 1 && depth > 0:
			out[name] = []any{drawObject(t, depth-1), nil, true}
		case what == 2:
			out[name] = json.Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,4})?`).Draw(t, "number"))
		default:
			out[name] = rapid.String().Draw(t, "text")
		}
	}
	return out
}

func TestAnAnswerComesBackAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Answer{
			Reference: rapid.String().Draw(t, "reference"), Status: Status(rapid.String().Draw(t, "status")), Code: rapid.String().Draw(t, "code"),
			Message: rapid.String().Draw(t, "message"), STAN: rapid.String().Draw(t, "stan"), RRN: rapid.String().Draw(t, "rrn"),
			Refusal: Refusal(rapid.String().Draw(t, "refusal")), Charge: money.Paise(rapid.Int64().Draw(t, "charge")),
		}
		if rapid.Bool().Draw(t, "data") {
			data, err := json.Marshal(drawObject(t, 3))
			if err != nil {
				t.Fatal(err)
			}
			a.Data = data
		}
		b, err := EncodeAnswer(a)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeAnswer(b)
		if err != nil {
			t.Fatal(err)
		}
		if !sameJSON(t, a.Data, back.Data) {
			t.Fatalf("data %s came back as %s", a.Data, back.Data)
		}
		a.Data, back.Data = nil, nil
		if !reflect.DeepEqual(a, back) {
			t.Fatalf("%+v came back as %+v", a, back)
		}
	})
}

// sameJSON compares values; numbers digit by digit.
func sameJSON(t interface{ Fatal(...any) }, a, b jsontext.Value) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	var values [2]any
	for i, v := range []jsontext.Value{a, b} {
		d := json.NewDecoder(strings.NewReader(string(v)))
		d.UseNumber()
		if err := d.Decode(&values[i]); err != nil {
			t.Fatal(err)
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

func TestDataIsOneObject(t *testing.T) {
	wrong := []string{`null`, `[]`, `[{}]`, `"x"`, `1`, `true`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`, "{\"a\":\"\xff\"}", `{"a":1`, `{}{}`, ``, ` `}
	for _, data := range wrong {
		if a, err := DecodeAnswer([]byte(`{"reference":"A","status":"SUCCESS","code":"00","message":"","data":` + data + `}`)); err == nil {
			t.Errorf("the data %s was decoded: %s", data, a.Data)
		} else if strings.Contains(err.Error(), `"a"`) {
			t.Errorf("the data %s: the error shows it: %v", data, err)
		}
		if b, err := EncodeAnswer(Answer{Reference: "A", Data: jsontext.Value(data)}); err == nil && data != "" {
			t.Errorf("the data %s was encoded: %s", data, b)
		}
	}
	for _, none := range []jsontext.Value{nil, {}} {
		if b, err := EncodeAnswer(Answer{Reference: "A", Data: none}); err != nil || strings.Contains(string(b), "data") {
			t.Errorf("no data: %s, %v", b, err)
		}
	}
	// What is read stays as it came: order, spaces, digits of numbers.
	const as = `{ "z": 1.50, "a": 100000000000000000000001, "accountnumber": 12,  "t": "\u00e9", "n": null }`
	a, err := DecodeAnswer([]byte(`{"reference":"A","status":"SUCCESS","code":"00","message":"","data":` + as + `}`))
	if err != nil || string(a.Data) != as {
		t.Errorf("data %s, %v; want %s", a.Data, err, as)
	}
	if b, err := EncodeAnswer(a); err != nil || !strings.Contains(string(b), `"z":1.50,"a":100000000000000000000001`) {
		t.Errorf("written again: %s, %v", b, err)
	}
}

// TestAHundredBeneficiariesFit: the largest record that the interface has, in
// a script of three bytes a character.
func TestAHundredBeneficiariesFit(t *testing.T) {
	text := func(n int) string { return strings.Repeat("क", n) }
	var list []map[string]any
	for i := range 100 {
		list = append(list, map[string]any{
			"beneficiaryid": 1_000_000 + i, "beneficiaryname": text(100), "beneficiarymobilenumber": 9000000001,
			"beneficiaryemailid": strings.Repeat("a", maxEmail), "bank": text(60), "state": text(100), "city": text(100), "branch": text(200),
			"address": text(200), "ifscode": "SBIN0000001", "accountnumber": json.Number(strings.Repeat("9", 18)),
			"accountnumberText": strings.Repeat("9", 18), "beneficiarystatus": 1, "impsstatus": 1,
		})
	}
	data, err := json.Marshal(map[string]any{"beneficiarydetail": list})
	if err != nil {
		t.Fatal(err)
	}
	b, err := EncodeAnswer(Answer{Reference: "A", Status: Success, Code: "00", Data: data})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of %d", len(b), MaxReply)
	data, err = json.Marshal(map[string]any{"x": strings.Repeat("x", MaxReply)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := EncodeAnswer(Answer{Reference: "A", Data: data}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("an answer over the limit: %v", err)
	}
}

func TestConsultationsAndRefusals(t *testing.T) {
	for _, k := range kinds() {
		if k.IsConsultation() && (k.AEPS() || k.Debits()) {
			t.Errorf("%s consults and is an AEPS transaction", k)
		}
	}
	for r, want := range map[Refusal]bool{"": true, RefusedOrder: true, RefusedNotFound: true, RefusedLimit: true, "order": false, "OTHER": false} {
		if r.Valid() != want {
			t.Errorf("refusal %q: valid is %v", r, !want)
		}
	}
}
