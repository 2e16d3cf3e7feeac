package simbank_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/central/bank"
	"galla/central/bank/network"
	. "galla/central/bank/simbank"
	"galla/central/bank/simbank/books"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/secret"
)

const anOTP = "482915"

// serviceKinds are the kinds that are no AEPS transaction, each with what it
// says beyond the reference.
func serviceKinds(t testing.TB) map[network.Kind]network.Transaction {
	t.Helper()
	resident, finger, otp := Aadhaar(t, shivshankar), secret.NewPidData("<PidData/>"), secret.NewOTP(anOTP)
	account := network.Particulars{Sender: "5e0de500-0000-4000-8000-000000000001", Account: "00123456789", IFSC: "SBIN0000001", Receiver: "Ramesh Kumar"}
	customer := network.Particulars{Enrolment: "e0000000-0000-4000-8000-000000000001", OTPRequest: "r1"}
	person := network.Particulars{
		Name: "फ़ातिमा बेदी", Mobile: "9000000003", Email: "f@example.in", PAN: "ABCPB1234F", BirthDate: "1980-01-31", Address: "12, बाज़ार", City: "Pune",
		State: "MH", Pincode: "411001", Shop: "Lakshmi Kirana Store", OTPRequest: "r1", BC: "bc1", Agent: "GAL0000001",
	}
	transfer := account
	transfer.Beneficiary, transfer.ReceiverMobile, transfer.Remarks, transfer.CallerRef = 1_000_001, "9000000009", "rent", "T-1 é"
	original := network.Particulars{Original: "GL261121ABCDEFGHJK", CallerRef: "T-2"}
	return map[network.Kind]network.Transaction{
		network.AgentOnboarding: {Particulars: person}, network.AgentOTP: {Particulars: person}, network.AgentOTPCheck: {Particulars: person, OTP: otp},
		network.AgentPAN: {Particulars: person}, network.AgentUID: {Aadhaar: resident}, network.AgentBiometric: {Aadhaar: resident, PidData: finger},
		network.AgentSubmit: {Particulars: person}, network.AgentStatus: {}, network.AgentDetail: {Particulars: person},
		network.CustomerDetail: {Particulars: person}, network.CustomerOnboarding: {Particulars: person}, network.CustomerOTP: {Particulars: customer},
		network.CustomerOTPCheck: {Particulars: customer, OTP: otp}, network.CustomerUID: {Particulars: customer, Aadhaar: resident},
		network.CustomerBiometric: {Particulars: customer, Aadhaar: resident, PidData: finger}, network.CustomerSubmit: {Particulars: customer},
		network.CustomerStatus: {Particulars: customer}, network.RemitterRegister: {Particulars: person}, network.RemitterDetails: {Particulars: person},
		network.AccountVerification: {Particulars: account}, network.BeneficiaryAdd: {Particulars: account}, network.BeneficiaryGet: {Particulars: account},
		network.BeneficiaryDelete: {Particulars: account}, network.TransferOTP: {Particulars: account, Amount: 2000_50},
		network.Transfer: {Particulars: transfer, Amount: 2000_50, OTP: otp}, network.TransferCharges: {Particulars: account, Amount: 2000_50},
		network.RefundOTP: {Particulars: original}, network.Refund: {Particulars: original, Amount: 2000_50, OTP: otp},
		network.FloatBalance: {}, network.Login: {}, network.BCRegister: {Particulars: person},
		network.BCAgentRegister: {Particulars: person, Aadhaar: resident}, network.BCAgentInitialize: {Particulars: person}, network.BCStatus: {Particulars: person},
	}
}

// asked is a complete request of a kind, in the central's words.
func (h *sandbox) asked(kind network.Kind, t network.Transaction) central.BankRequest {
	r := h.request(central.Kind(kind), t.Amount)
	r.MID, r.TID, r.IIN, r.Latitude, r.Longitude, r.Customer = "c0000000-0000-4000-8000-000000000001", "", "", "", "", ""
	r.Aadhaar, r.PidData, r.OTP, r.Particulars = t.Aadhaar, t.PidData, t.OTP, central.Particulars(t.Particulars)
	return r
}

// ask sends or consults, whichever the kind goes by.
func (h *sandbox) ask(ctx context.Context, r central.BankRequest) (central.BankAnswer, error) {
	if r.Kind.IsConsultation() {
		return h.net.Consult(ctx, r)
	}
	return h.net.Send(ctx, r)
}

// TestEachKindReachesItsBackend goes over real HTTP: the adapter, a TCP listener,
// the bank's handler.
func TestEachKindReachesItsBackend(t *testing.T) {
	cfg, _, _ := NewTestConfig(t)
	b, services := Open(t, cfg), &Services{}
	UseServices(b, services)
	s := httptest.NewServer(b.NetworkHandler())
	defer s.Close()
	c, err := bank.New(bank.Config{BaseURL: s.URL, Key: cfg.NetworkKey, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h := &sandbox{t: t, bank: b, net: c}
	for kind, says := range serviceKinds(t) {
		r := h.asked(kind, says)
		a, err := h.ask(t.Context(), r)
		if err != nil || a.Status != central.BankApproved || string(a.Data) != `{"kind":"`+string(kind)+`"}` {
			t.Errorf("%s: %+v, %v", kind, a, err)
			continue
		}
		executed, consulted := services.Took()
		if len(executed)+len(consulted) != 1 || (len(consulted) == 1) != kind.IsConsultation() {
			t.Errorf("%s: executed %d, consulted %d", kind, len(executed), len(consulted))
			continue
		}
		got := append(executed, consulted...)[0]
		if got.Reference != string(r.Reference) || got.STAN != r.STAN || got.Kind != kind || got.MID != r.MID || got.TID != "" || got.Amount != says.Amount ||
			got.NotAfter.UnixMilli() != r.NotAfter.UnixMilli() || got.Particulars != says.Particulars || got.OTP.Reveal() != says.OTP.Reveal() ||
			!got.Aadhaar.Equal(says.Aadhaar) || got.PidData.Reveal() != says.PidData.Reveal() {
			t.Errorf("%s: they got %+v", kind, got)
		}
		if e := h.enquire(r.Reference); e.Status != central.BankNotFound {
			t.Errorf("%s: the books have what the services answered: %+v", kind, e)
		}
	}
	// AEPS transactions and what nobody knows are the books'.
	for kind, code := range map[central.Kind]string{central.KindWithdrawal: "00", central.KindBalance: "00", central.KindCashDeposit: "12", "SOMETHING": "12"} {
		if a, err := c.Send(t.Context(), h.request(kind, 100_00)); err != nil || a.Code != code || a.Data != nil {
			t.Errorf("%s: %+v, %v; want %s", kind, a, err, code)
		}
	}
	if executed, consulted := services.Took(); executed != nil || consulted != nil {
		t.Errorf("they got %v, %v", executed, consulted)
	}
}

// TestEachKindHasOnePath: on another one it is refused, and reaches nobody.
func TestEachKindHasOnePath(t *testing.T) {
	cfg, _, _ := NewTestConfig(t)
	b, services := Open(t, cfg), &Services{}
	UseServices(b, services)
	s := httptest.NewServer(b.NetworkHandler())
	defer s.Close()
	all := serviceKinds(t)
	all[network.Withdrawal] = network.Transaction{}
	all["SOMETHING"] = network.Transaction{}
	for kind, says := range all {
		tx := says
		if !kind.Known() || kind.AEPS() {
			tx = aTransaction(t, "X", 100_00)
		}
		tx.Reference, tx.STAN, tx.Kind, tx.NotAfter, tx.MID = "R1", "000001", kind, time.Now().Add(time.Minute), "GAL0000001"
		body, err := tx.Encode()
		if err != nil {
			t.Fatal(err)
		}
		path, right := network.PathConsultations, network.PathTransactions
		if kind.IsConsultation() {
			path, right = right, path
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(network.HeaderChecksum, network.RequestChecksum(cfg.NetworkKey, http.MethodPost, path, body))
		reply, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if reply.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), right) || strings.Contains(string(text), anOTP) {
			t.Errorf("%s at %s: HTTP %d %s", kind, path, reply.StatusCode, text)
		}
	}
	if executed, consulted := services.Took(); executed != nil || consulted != nil {
		t.Errorf("they got %v, %v", executed, consulted)
	}
	if a, err := b.Enquire(t.Context(), "R1"); err != nil || a.Status != network.NotFound {
		t.Errorf("the books have it: %+v, %v", a, err)
	}
}

// TestServicesAreDeliveredAsTheScenarioWants: what the services say of the
// delivery holds as it does for AEPS, in virtual time.
func TestServicesAreDeliveredAsTheScenarioWants(t *testing.T) {
	for name, tt := range map[string]struct {
		how      books.Delivery
		err      error
		answered bool
		took     time.Duration
	}{
		"at once":      {answered: true},
		"late":         {how: books.Delivery{Wait: 14 * time.Second}, answered: true, took: 14 * time.Second},
		"too late":     {how: books.Delivery{Wait: 20 * time.Second}, took: 15 * time.Second},
		"never":        {how: books.Delivery{Manner: books.Never}, took: 15 * time.Second},
		"broken":       {how: books.Delivery{Manner: books.Broken}},
		"rubbish":      {how: books.Delivery{Manner: books.Rubbish}},
		"not bookable": {err: errors.New("the disk is full")},
	} {
		for _, kind := range []network.Kind{network.Transfer, network.RemitterDetails} {
			t.Run(name+" "+string(kind), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					services := &Services{Say: func(tx network.Transaction) (network.Answer, books.Delivery, error) {
						return ServiceAnswer(tx), tt.how, tt.err
					}}
					cfg, _, wire := NewTestConfig(t)
					b := Open(t, cfg)
					UseServices(b, services)
					Start(t, b)
					synctestWait(t)
					c, err := bank.New(bank.Config{BaseURL: "http://bank.test", Key: cfg.NetworkKey, DialContext: wire.Dial, Logger: slog.New(slog.DiscardHandler)})
					if err != nil {
						t.Fatal(err)
					}
					h := &sandbox{t: t, bank: b, net: c}
					began := time.Now()
					a, err := h.ask(t.Context(), h.asked(kind, serviceKinds(t)[kind]))
					if (err == nil) != tt.answered || central.NotSent(err) || tt.answered && a.Status != central.BankApproved {
						t.Errorf("%+v, %v", a, err)
					}
					if took := time.Since(began).Truncate(time.Second); took != tt.took {
						t.Errorf("took %s, want %s", took, tt.took)
					}
				})
			})
		}
	}
}

// TestServicesAnswerInFull: what the services say arrives, and what it must not say
// cuts the connection.
func TestServicesAnswerInFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var say network.Answer
		services := &Services{Say: func(tx network.Transaction) (network.Answer, books.Delivery, error) {
			a := say
			a.Reference, a.STAN = tx.Reference, tx.STAN
			return a, books.Delivery{}, nil
		}}
		cfg, _, wire := NewTestConfig(t)
		b := Open(t, cfg)
		UseServices(b, services)
		Start(t, b)
		synctestWait(t)
		c, err := bank.New(bank.Config{BaseURL: "http://bank.test", Key: cfg.NetworkKey, DialContext: wire.Dial, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		h := &sandbox{t: t, bank: b, net: c}
		kinds := serviceKinds(t)
		say = network.Answer{Status: network.Failed, Code: "61", Message: "LIMIT EXCEEDED, 1200.50 left", Refusal: network.RefusedLimit}
		if a, err := h.ask(t.Context(), h.asked(network.Transfer, kinds[network.Transfer])); err != nil || a.Refusal != central.RefusedLimit || a.Message != say.Message || a.Data != nil {
			t.Errorf("%+v, %v", a, err)
		}
		say = network.Answer{Status: network.Success, Code: "00", RRN: "632512345678", Charge: 20 * money.Rupee, Data: []byte(`{"rrn":"632512345678","n":1.50}`)}
		if a, err := h.ask(t.Context(), h.asked(network.Transfer, kinds[network.Transfer])); err != nil || a.Charge != 20_00 || a.RRN != say.RRN || string(a.Data) != string(say.Data) {
			t.Errorf("%+v, %v", a, err)
		}
		large := strings.Repeat("x", network.MaxReply/2)
		say = network.Answer{Status: network.Success, Code: "00", Data: []byte(`{"x":"` + large + `"}`)}
		if a, err := h.ask(t.Context(), h.asked(network.RemitterDetails, kinds[network.RemitterDetails])); err != nil || len(a.Data) != len(say.Data) {
			t.Errorf("a large answer: %d bytes, %v", len(a.Data), err)
		}
		for name, data := range map[string]string{"a list": `[]`, "no JSON": `{`, "too large": `{"x":"` + large + large + `"}`} {
			say.Data = []byte(data)
			if a, err := h.ask(t.Context(), h.asked(network.Transfer, kinds[network.Transfer])); err == nil || central.NotSent(err) {
				t.Errorf("data that is %s: %+v, %v", name, a, err)
			}
		}
	})
}

// TestInboxShowsOTPs: as JSON for programs, as a page for people.
func TestInboxShowsOTPs(t *testing.T) {
	cfg, _, _ := NewTestConfig(t)
	b := Open(t, cfg)
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, ist.Zone())
	UseServices(b, &Services{Texts: func(mobile string) ([]Message, error) {
		switch mobile {
		case "9000000001":
			return []Message{
				{At: at.Add(time.Minute), Text: anOTP + " is the OTP to send Rs 2000.00 <b>to</b> Ramesh", OTP: anOTP},
				{At: at, Text: "Welcome"},
			}, nil
		case "9000000002":
			return nil, nil
		}
		return nil, errors.New("the disk is gone")
	}})
	d := b.PublicHandler()
	const want = `[{"at":"2026-11-21T04:01:00.000Z","text":"482915 is the OTP to send Rs 2000.00 <b>to</b> Ramesh","otp":"482915"},{"at":"2026-11-21T04:00:00.000Z","text":"Welcome","otp":""}]`
	for _, accept := range []string{"application/json", "*/*", "text/html, application/json"} {
		w := ask(t, d, "GET", "/inbox/9000000001", "", "Accept", accept)
		var got, wanted any
		if err := errors.Join(json.Unmarshal(w.Body.Bytes(), &got), json.Unmarshal([]byte(want), &wanted)); err != nil || w.Code != 200 || !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s: HTTP %d %s, %v", accept, w.Code, w.Body, err)
		}
	}
	w := ask(t, d, "GET", "/inbox/9000000001", "", "Accept", "text/html")
	page := w.Body.String()
	if w.Code != 200 || strings.Count(page, "<strong>482915</strong>") != 1 || strings.Count(page, "OTP <strong>") != 1 || strings.Contains(page, "<b>to") ||
		!strings.Contains(page, "21-11-2026 09:31:00") || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("page: HTTP %d\n%s", w.Code, page)
	}
	if w := ask(t, d, "GET", "/inbox/9000000002", ""); w.Body.String() != "[]" {
		t.Errorf("an empty inbox: %s", w.Body)
	}
	if w := ask(t, d, "GET", "/inbox/9000000003", ""); w.Code != 500 || strings.Contains(w.Body.String(), "disk") {
		t.Errorf("an inbox that can't be read: HTTP %d %s", w.Code, w.Body)
	}
}

// TestBankDownHoldsForServices: no listener, so nothing was sent.
func TestBankDownHoldsForServices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		down := true
		if err := h.bank.ChangeControl(t.Context(), Change{Down: &down}); err != nil {
			t.Fatal(err)
		}
		for _, kind := range []network.Kind{network.Transfer, network.TransferOTP} {
			if _, err := h.ask(t.Context(), h.asked(kind, serviceKinds(t)[kind])); !central.NotSent(err) {
				t.Errorf("%s: %v, want not sent", kind, err)
			}
		}
	})
}
