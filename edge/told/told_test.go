package told

import (
	"slices"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/words"
	"galla/shared/money"
	"galla/shared/op"
)

// withdrawal is one of 500 rupees in a state.
func withdrawal(alter func(*edge.View)) edge.View {
	v := edge.View{Record: edge.Record{
		Route: op.Withdrawal, Customer: "Shivshankar Choudhury", Aadhaar: "XXXXXXXX7058", BankName: "State Bank of India", Amount: 500 * money.Rupee,
	}}
	alter(&v)
	return v
}

// TestTold: each kind has its words for each case.
func TestTold(t *testing.T) {
	book, err := words.Load(Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range words.Languages() {
		t.Run(l.Code, func(t *testing.T) { tellAll(t, book.In(l.Code)) })
	}
}

func tellAll(t *testing.T, w *words.Words) {
	states := map[string]func(*edge.View){
		"ready": func(v *edge.View) { v.State, v.Stage = op.Reserved, edge.StageReady },
		"problem": func(v *edge.View) {
			v.State, v.Stage, v.Problem = op.Reserved, edge.StageReady, &edge.CaptureError{Message: "M."}
		},
		"capturing": func(v *edge.View) { v.State, v.Stage = op.Reserved, edge.StageCapturing },
		"waiting":   func(v *edge.View) { v.State, v.Stage = op.Queued, edge.StageSending },
		"sending":   func(v *edge.View) { v.State, v.Stage = op.Sent, edge.StageSending },
		"bank":      func(v *edge.View) { v.State, v.Stage = op.Accepted, edge.StageBank },
		"asking":    func(v *edge.View) { v.State, v.Stage = op.Unknown, edge.StageAsking },
		"pending":   func(v *edge.View) { v.State = op.Pending },
		"succeeded": func(v *edge.View) { v.State = op.Succeeded },
		"declined":  func(v *edge.View) { v.State, v.Result.Code = op.Failed, "51" },
		"unreached": func(v *edge.View) { v.State = op.Failed },
		"reversed":  func(v *edge.View) { v.State = op.Reversed },
		"expired":   func(v *edge.View) { v.State = op.Expired },
		"not-sent":  func(v *edge.View) { v.State = op.NotSent },
	}
	now := time.Date(2026, 11, 21, 4, 44, 0, 0, time.UTC)
	st := edge.Status{Now: now}
	for of, alter := range states {
		for _, k := range append(slices.Clone(kinds), dayKind, otherKind) {
			v := withdrawal(alter)
			v.Route = k.Route
			v.Result.Balance = new(money.Paise)
			got := Tell(w, v, st)
			if got.Case != of {
				t.Errorf("%s: case %s", of, got.Case)
			}
			for _, text := range []string{got.Title, got.Lead, got.Word} {
				if text == "" || strings.HasPrefix(text, "told.") || strings.ContainsAny(text, "{}") {
					t.Errorf("%s %s: %q", k.Name, of, text)
				}
			}
			// Nothing but a success of a withdrawal looks like giving.
			if (got.Tone == ToneGive || got.Icon == "give" || w.Code() == words.English && strings.HasPrefix(got.Title, "GIVE")) != (of == "succeeded" && k.Route == op.Withdrawal) {
				t.Errorf("%s %s looks like giving cash: %+v", k.Name, of, got)
			}
		}
	}
	// A state that this version does not know never looks like a success.
	if got := Tell(w, withdrawal(func(v *edge.View) { v.State = "new" }), st); got.Tone != ToneWait || w.Code() == words.English && !strings.HasPrefix(got.Title, "DO NOT GIVE CASH") {
		t.Errorf("an unknown state: %+v", got)
	}
}

func TestCustomerLanguage(t *testing.T) {
	for version, want := range map[string]string{"AEPS-HI-1": "hi", "AEPS-EN-1": "en", "AEPS-XX-1": "", "": "", "AEPS-TA": ""} {
		if got := CustomerLanguage(version); got != want {
			t.Errorf("CustomerLanguage(%q) = %q, want %q", version, got, want)
		}
	}
}

// TestTexts: every language has every text.
func TestTexts(t *testing.T) {
	for _, fault := range words.Faults(Catalogue(), "consent.version") {
		t.Error(fault)
	}
}
