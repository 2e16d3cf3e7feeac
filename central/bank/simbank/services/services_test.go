package services

import (
	"log/slog"
	"math"
	"strings"
	"testing"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/shared/money"
)

func TestConfigNamesEveryFault(t *testing.T) {
	_, err := New(nil, Config{FloatOpening: -1, FloatRefill: -1, DayLimit: -1, MonthLimit: -1, TransferMax: money.Max + 1, RegistrationFee: -1, TimeScale: math.NaN(), Onboarded: []string{""}})
	for _, want := range []string{"books are missing", "FloatOpening", "FloatRefill", "DayLimit", "MonthLimit", "TransferMax", "RegistrationFee", "TimeScale", "Onboarded", "Logger"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
}

// TestEveryKindHasAnAnswer: each kind of the protocol is either AEPS or here,
// and on one side only.
func TestEveryKindHasAnAnswer(t *testing.T) {
	b := openBank(t, Config{})
	for kind := range b.deciders {
		if kind.IsConsultation() || kind.AEPS() || !books.IsService(kind) {
			t.Errorf("%s is executed here and should not be", kind)
		}
	}
	for kind := range b.consultants {
		if !kind.IsConsultation() || kind.AEPS() || books.IsService(kind) {
			t.Errorf("%s is consulted here and should not be", kind)
		}
	}
	if len(b.deciders) != 21 || len(b.consultants) != 14 {
		t.Errorf("%d kinds are executed and %d consulted, want 21 and 14 (network.Kind)", len(b.deciders), len(b.consultants))
	}
	for _, kind := range []network.Kind{network.Withdrawal, network.FloatBalance, "DMT_PROCESS"} {
		if a, _, err := b.Execute(t.Context(), b.request(kind)); err != nil || a.Code != "12" || a.Status != network.Failed {
			t.Errorf("%s executed: %+v, %v", kind, a, err)
		}
	}
	for _, kind := range []network.Kind{network.Transfer, network.Withdrawal, "DMT_PROCESS"} {
		if a, _, err := b.Consult(t.Context(), b.request(kind)); err != nil || a.Code != "12" {
			t.Errorf("%s consulted: %+v, %v", kind, a, err)
		}
	}
	// The books themselves execute no service.
	a, _, err := b.books.Execute(t.Context(), b.request(network.Transfer, amount(100_00)))
	if err != nil || a.Code != "12" {
		t.Errorf("transfer without its rules: %+v, %v", a, err)
	}
}

func TestLogin(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		first := b.ok("sessionId expiresAt", network.Login)
		second := b.ok("sessionId expiresAt", network.Login)
		if first["sessionId"] == second["sessionId"] || first["expiresAt"] != "2000-01-02T00:00:00.000Z" || len(first["sessionId"].(string)) != 36 {
			t.Errorf("%v, %v", first, second)
		}
	})
}

// TestAnswersSurvive: books that are closed and opened answer as before, and
// the story goes on.
func TestAnswersSurvive(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		p := b.beneficiary(b.sender(mobile))
		b.unchecked = true
		sent := b.pay(p, 100_00, mobile)
		waits := b.pay(p, 100_93, mobile)
		refused := b.send(network.Transfer, particulars(p), amount(100_00), otpIs("000000"))
		order := b.send(network.CustomerSubmit, enrolled(b.enrol("9000000009", customerStarted)))
		float := b.float()
		b.reopen()
		for _, a := range []network.Answer{sent, waits, refused, order} {
			if found, err := b.books.Enquire(t.Context(), a.Reference); err != nil || !same(a, found) {
				t.Errorf("after the restart\n%+v is\n%+v, %v", a, found, err)
			}
		}
		if b.float() != float {
			t.Errorf("float %s, want %s", b.float(), float)
		}
		if again := b.send(network.Transfer, particulars(p), amount(100_00), named(sent.Reference)); again.Code != "94" {
			t.Errorf("the reference again: %+v", again)
		}
		b.ok("status", network.RefundOTP, original(sent.Reference))
		b.ok("amount status", network.Refund, original(sent.Reference), amount(100_00), otpIs(b.otp(mobile)))
		b.balanced()
	})
}

// TestSourceOfRandomness that ends: nothing is recorded, and the error says so.
func TestSourceOfRandomnessEnds(t *testing.T) {
	b := openBank(t, Config{})
	s, err := New(b.books, Config{Rand: strings.NewReader(""), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r := b.request(network.CustomerOnboarding, particulars(network.Particulars{Name: "A", Mobile: mobile, City: "Pune", State: "MH"}))
	if _, _, err := s.Execute(t.Context(), r); err == nil || !strings.Contains(err.Error(), "draw an id") {
		t.Errorf("error %v", err)
	}
	if a, err := b.books.Enquire(t.Context(), r.Reference); err != nil || a.Status != network.NotFound {
		t.Errorf("recorded: %+v, %v", a, err)
	}
	if _, _, err := s.Consult(t.Context(), b.request(network.Login)); err == nil {
		t.Error("a session without an id")
	}
}
