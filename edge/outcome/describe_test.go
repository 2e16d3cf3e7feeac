package outcome

import (
	"slices"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
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

// stepsOf gives the kind of each route that is a step.
func stepsOf() (out []Kind) {
	for _, s := range steps {
		for _, route := range s.routes {
			out = append(out, KindOfRoute(route))
		}
	}
	return out
}

// TestDescribe: each kind has its words for each case.
func TestDescribe(t *testing.T) {
	book := texts(t)
	for _, l := range i18n.Languages() {
		t.Run(l.Code, func(t *testing.T) { tellAll(t, book.Localizer(l.Code)) })
	}
}

func tellAll(t *testing.T, w *i18n.Localizer) {
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
		"unreached": func(v *edge.View) { v.State, v.HTTP, v.Result.StatusCode = op.Failed, 502, "10" },
		"refused":   func(v *edge.View) { v.State, v.HTTP, v.Result.StatusCode = op.Failed, 400, "02" },
		"reversed":  func(v *edge.View) { v.State = op.Reversed },
		"expired":   func(v *edge.View) { v.State = op.Expired },
		"not-sent":  func(v *edge.View) { v.State = op.NotSent },
	}
	now := time.Date(2026, 11, 21, 4, 44, 0, 0, time.UTC)
	st := edge.Status{Now: now}
	for of, alter := range states {
		for _, k := range slices.Concat(aepsKinds, transferKinds, stepsOf(), []Kind{authenticationKind, otherKind}) {
			v := withdrawal(alter)
			v.Route = k.Route
			v.Result.Balance = new(money.Paise)
			got := Describe(w, v, st)
			if got.Case != of {
				t.Errorf("%s: case %s", of, got.Case)
			}
			for _, text := range []string{got.Title, got.Lead, got.Word} {
				if text == "" || strings.HasPrefix(text, "outcome.") || strings.ContainsAny(text, "{}") {
					t.Errorf("%s %s: %q", k.Name, of, text)
				}
			}
			// Nothing but a success of a withdrawal looks like giving.
			if (got.Tone == ToneGive || got.Icon == "give" || w.Code() == i18n.English && strings.HasPrefix(got.Title, "GIVE")) != (of == "succeeded" && k.Route == op.Withdrawal) {
				t.Errorf("%s %s looks like giving cash: %+v", k.Name, of, got)
			}
		}
	}
	// Cash that went back is never to be given back again.
	back := func(v *edge.View) {
		v.Route, v.State, v.Result.Code, v.CashKept, v.CashGivenAt = op.Transfer, op.Failed, "91", true, now
	}
	if got := Describe(w, withdrawal(back), st); got.Case != "returned" || got.Tone != ToneDone || strings.HasPrefix(got.Title, "outcome.") || strings.ContainsAny(got.Lead+got.Word, "{}") {
		t.Errorf("a transfer whose cash went back: %+v", got)
	}
	// A state that this version does not know never looks like a success.
	if got := Describe(w, withdrawal(func(v *edge.View) { v.State = "new" }), st); got.Tone != ToneWait || w.Code() == i18n.English && !strings.HasPrefix(got.Title, "DO NOT GIVE CASH") {
		t.Errorf("an unknown state: %+v", got)
	}
}

// TestCaseOfARecord: a record without what the counter knows beside it is described by
// its state: nobody reads of a broken connection where nothing was sent.
func TestCaseOfARecord(t *testing.T) {
	for _, c := range []struct {
		state op.State
		up    bool
		want  string
	}{
		{op.Reserved, true, "ready"}, {op.Reserved, false, "ready"}, {op.Queued, true, "sending"}, {op.Queued, false, "waiting"},
		{op.Sent, true, "sending"}, {op.Accepted, true, "bank"}, {op.Unknown, false, "asking"}, {op.Pending, true, "pending"},
		{op.Expired, true, "expired"}, {op.NotSent, true, "not-sent"},
	} {
		v := withdrawal(func(v *edge.View) { v.State = c.state })
		if got := CaseOf(v, edge.LinkState{Online: c.up}); got != c.want {
			t.Errorf("%s with the terminal online %v is described as %q, want %q", c.state, c.up, got, c.want)
		}
	}
}

// TestFlow: every transfer has a way to its refund or to the bank's word on it,
// and nothing else has.
func TestFlow(t *testing.T) {
	book := texts(t)
	w := book.Localizer("en")
	for _, c := range []struct {
		route op.RouteID
		state op.State
		want  string
	}{
		{op.Transfer, op.Succeeded, "Go to the transfer"}, {op.Transfer, op.Reversed, "Refund"}, {op.Transfer, op.Pending, "Go to the transfer"},
		{op.Transfer, op.Failed, "Go to the transfer"}, {op.Refund, op.Succeeded, ""}, {op.Withdrawal, op.Succeeded, ""},
	} {
		if got := TransferLinkText(w, edge.View{Record: edge.Record{Route: c.route, State: c.state}}); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.route, c.state, got, c.want)
		}
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
	i18ntest.Check(t, Catalogue(), "consent.version")
}

// TestRefusals: every reason that the counter has, and every action that a
// reader asks for, is said in every language, and in no other.
func TestRefusals(t *testing.T) {
	book := texts(t)
	bounds := edge.Bounds{Min: 100 * money.Rupee, Max: 10_000 * money.Rupee, Step: 50 * money.Rupee}
	for _, l := range i18n.Languages() {
		w := book.Localizer(l.Code)
		for _, code := range []string{"number", "session", "link", "disk", "clock", "revoked", "busy"} {
			got := PreconditionText(w, &edge.PreconditionError{Code: edge.Precondition(code)})
			if got == "" || strings.Contains(got, "precondition") {
				t.Errorf("%s %s: %q", l.Code, code, got)
			}
		}
		for _, problem := range []edge.LinkProblem{
			edge.LinkConnecting, edge.LinkStopped, edge.LinkNoNetwork, edge.LinkNoAnswer, edge.LinkBroken, edge.LinkSilent, edge.LinkRestarting,
			edge.LinkBusy, edge.LinkNotAccepted, edge.LinkRevoked, edge.LinkWrongAddress, edge.LinkCertificate, edge.LinkReplaced, edge.LinkVersion,
			edge.LinkRefused, edge.LinkProtocol, edge.LinkNotApplied, edge.LinkSlow, edge.LinkClockSet, edge.LinkNetworkChanged, edge.LinkKey,
		} {
			got := LinkText(w, edge.LinkState{Problem: problem, Detail: "wire 3"})
			if strings.Contains(got, "link.") || strings.Contains(got, "wire 3") != (l.Code == i18n.English) {
				t.Errorf("%s %s: %q", l.Code, problem, got)
			}
		}
		if got := LinkText(w, edge.LinkState{Online: true}); got != "" {
			t.Errorf("%s: online it says %q", l.Code, got)
		}
		for _, action := range []string{"retry-customer", "retry-device", "fix-request", "call-support", ""} {
			got := captureText(w, &edge.CaptureError{Code: "720", Action: action, Message: "M"})
			if (got == "M") != (l.Code == i18n.English) || strings.Contains(got, "rd.") || (got != "M" && !strings.Contains(got, "720")) {
				t.Errorf("%s %s: %q", l.Code, action, got)
			}
		}
		session := &edge.PreconditionError{Code: edge.PreconditionSession, User: "Asha", Previous: "Fatima"}
		if got := PreconditionText(w, session); !strings.Contains(got, "Asha") || !strings.Contains(got, "Fatima") {
			t.Errorf("%s: after another user's authentication it says %q", l.Code, got)
		}
		for _, reason := range []edge.Reason{
			edge.ReasonRestartedDuringCapture, edge.ReasonRestartedBeforeSend, edge.ReasonCancelled, edge.ReasonNoFinger, edge.ReasonOffline,
			edge.ReasonTooLate, edge.ReasonUnreadable, edge.ReasonLinkLost, edge.ReasonNoReply, edge.ReasonNeverArrived,
		} {
			if ReasonText(w, reason) == "" {
				t.Errorf("%s: the reason %s has no text", l.Code, reason)
			}
		}
		for amount, want := range map[money.Paise]string{
			500 * money.Rupee: "", 99 * money.Rupee: "₹10,000.00", 0: "₹100.00", -1: "₹100.00", 10_001 * money.Rupee: "₹10,000.00", 510 * money.Rupee: "₹50.00",
		} {
			if got := AmountText(w, bounds, amount); (want == "") != (got == "") || !strings.Contains(got, want) {
				t.Errorf("%s: %d: %q, want %q in it", l.Code, amount, got, want)
			}
		}
		if got, step := AmountText(w, edge.Bounds{Step: money.Rupee}, 500_97), AmountText(w, edge.Bounds{Step: 50 * money.Rupee}, 500_97); got == "" || got == step || strings.Contains(got, "₹") {
			t.Errorf("%s: of paise in cash it says %q", l.Code, got)
		}
		if got := AmountText(w, edge.Bounds{}, 0); !strings.Contains(got, "₹0.01") {
			t.Errorf("%s: without bounds nothing is enough: %q", l.Code, got)
		}
	}
}

func TestRows(t *testing.T) {
	book := texts(t)
	now := time.Date(2026, 11, 21, 4, 44, 0, 0, time.UTC)
	v := withdrawal(func(v *edge.View) { v.ID, v.State, v.CreatedAt = "01", op.Pending, now.Add(-26*time.Hour) })
	balance := withdrawal(func(v *edge.View) { v.Route, v.State, v.BankName, v.Amount = op.Balance, op.Expired, "", 0 })
	rows := Rows(book.Localizer("en"), []edge.View{v, balance}, edge.Status{Now: now})
	want := Row{"/op/01", TonePending, "stop", "Cash withdrawal", "Shivshankar Choudhury", "XXXXXXXX7058 · State Bank of India", "₹500.00", "20 Nov, 08:14",
		"Do not give cash. Bank has not answered; we ask again.", "cash-pending"}
	if rows[0] != want {
		t.Errorf("got  %+v\nwant %+v", rows[0], want)
	}
	if rows[1].Sum != "" || rows[1].Note != "XXXXXXXX7058" || rows[1].Tone != ToneQuiet {
		t.Errorf("an enquiry is %+v", rows[1])
	}
	message := edge.View{Record: edge.Record{ID: "02", Route: op.ReceiptMessage, State: op.Pending, Title: "XXXXXX4321", LinkedTo: "01", CreatedAt: now}}
	if row := Rows(book.Localizer("en"), []edge.View{message}, edge.Status{Now: now})[0]; row.What != "Receipt by SMS" || row.Note != "XXXXXX4321" || row.Sum != "" {
		t.Errorf("a message is %+v", row)
	}
}
