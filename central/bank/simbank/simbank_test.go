package simbank_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/central/bank"
	. "galla/central/bank/simbank"
	"galla/central/bank/simbank/books"
	"galla/rdservice/rdcrypto"
	"galla/shared/ist"
	"galla/shared/money"
)

// The residents of the sandbox.
const (
	shivshankar = "999941057058" // 990326, 25,000.00
	kumar       = "999971658847" // 607094, 80,000.00
	fatima      = "999933119405" // 606985, 4,200.50
	rohit       = "999955183433" // 607027, 150.00
	unknown     = "234123412346" // banks elsewhere
)

// sandbox is a running bank and the central's adapter to it.
type sandbox struct {
	t      *testing.T
	bank   *Bank
	net    *bank.Client
	public *http.Client
	n      int
}

// open makes a running bank; change may alter the bank's configuration.
func open(t *testing.T, change ...func(*Config)) *sandbox {
	t.Helper()
	cfg, public, wire := NewTestConfig(t)
	for _, c := range change {
		c(&cfg)
	}
	b := Open(t, cfg)
	Start(t, b)
	c, err := bank.New(bank.Config{BaseURL: "http://bank.test", Key: cfg.NetworkKey, DialContext: wire.Dial, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	transport := &http.Transport{DialContext: public.Dial, DisableKeepAlives: true}
	synctestWait(t)
	return &sandbox{t: t, bank: b, net: c, public: &http.Client{Transport: transport}}
}

// synctestWait lets Run reach its listeners, in a bubble.
func synctestWait(t *testing.T) {
	t.Helper()
	time.Sleep(time.Millisecond)
}

// request is a withdrawal from Shivshankar with a fresh capture of his finger.
func (h *sandbox) request(kind central.Kind, amount money.Paise, change ...func(*central.BankRequest)) central.BankRequest {
	h.t.Helper()
	h.n++
	r := central.BankRequest{
		Reference: central.Reference(fmt.Sprintf("GL%06d", h.n)), STAN: fmt.Sprintf("%06d", h.n), Kind: kind, MID: "GAL0000001", TID: "GAL00001",
		IIN: "990326", Amount: amount, Aadhaar: Aadhaar(h.t, shivshankar), Customer: "Shivshankar Choudhury", Latitude: "18.5204", Longitude: "73.8567",
		PidData: TheKit().Capture(h.t, time.Now(), shivshankar, rdcrypto.RightIndex), NotAfter: time.Now().Add(15 * time.Second),
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

// of makes a request another resident's, with that resident's finger.
func of(t *testing.T, aadhaar, iin string) func(*central.BankRequest) {
	return func(r *central.BankRequest) {
		r.Aadhaar, r.IIN, r.PidData = Aadhaar(t, aadhaar), iin, TheKit().Capture(t, time.Now(), aadhaar, rdcrypto.LeftThumb)
	}
}

func (h *sandbox) send(r central.BankRequest) central.BankAnswer {
	h.t.Helper()
	a, err := h.net.Send(h.t.Context(), r)
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

func (h *sandbox) enquire(ref central.Reference) central.BankAnswer {
	h.t.Helper()
	a, err := h.net.Enquire(h.t.Context(), ref)
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

func (h *sandbox) balance(aadhaar string) money.Paise {
	h.t.Helper()
	p, err := h.bank.Balance(h.t.Context(), Aadhaar(h.t, aadhaar))
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

func (h *sandbox) executions(ref central.Reference) []books.Execution {
	h.t.Helper()
	e, err := h.bank.Executions(h.t.Context(), books.Filter{Reference: string(ref)})
	if err != nil {
		h.t.Fatal(err)
	}
	return e
}

// TestScenarios plays the table of the sandbox, paise by paise, through the
// real adapter, in virtual time.
func TestScenarios(t *testing.T) {
	const none, executed, back, refused = "", books.Executed, books.Reversed, books.Declined
	type moment struct {
		after  time.Duration // since the request
		status central.BankStatus
		code   string
		books  books.ExecutionStatus
	}
	tests := map[money.Paise]struct {
		status central.BankStatus // empty: no answer is had
		code   string
		took   time.Duration
		then   []moment
	}{
		0:  {central.BankApproved, "00", 0, []moment{{0, central.BankApproved, "00", executed}}},
		5:  {central.BankDeclined, "05", 0, []moment{{0, central.BankDeclined, "05", refused}}},
		51: {central.BankDeclined, "51", 0, []moment{{0, central.BankDeclined, "51", refused}}},
		91: {central.BankDeclined, "91", 0, []moment{{0, central.BankDeclined, "91", refused}}},
		63: {central.BankDeclined, "U3", 0, []moment{{0, central.BankDeclined, "U3", refused}}},
		97: {"", "", 15 * time.Second, []moment{{15 * time.Second, central.BankApproved, "00", executed}}},
		98: {"", "", 15 * time.Second, []moment{
			{15 * time.Second, central.BankNotFound, "", none}, {59 * time.Second, central.BankNotFound, "", none},
			{60 * time.Second, central.BankDeclined, "91", none},
		}},
		99: {"", "", 15 * time.Second, []moment{{15 * time.Second, central.BankApproved, "00", executed}}},
		96: {"", "", 0, []moment{{0, central.BankApproved, "00", executed}}},
		95: {"", "", 0, []moment{{0, central.BankApproved, "00", executed}}},
		94: {central.BankInProgress, "68", 0, []moment{
			{0, central.BankInProgress, "68", executed}, {9 * time.Second, central.BankInProgress, "68", executed},
			{10 * time.Second, central.BankApproved, "00", executed},
		}},
		93: {central.BankInProgress, "68", 0, []moment{
			{9 * time.Second, central.BankInProgress, "68", executed}, {10 * time.Second, central.BankReversed, "22", back},
		}},
	}
	for paise, tt := range tests {
		for _, kind := range []central.Kind{central.KindWithdrawal, central.KindPurchase} {
			t.Run(fmt.Sprintf("%02d %s", paise, kind), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					h := open(t)
					r := h.request(kind, 500*money.Rupee+paise)
					began := time.Now()
					a, err := h.net.Send(t.Context(), r)
					switch {
					case tt.status == "" && (err == nil || central.NotSent(err)):
						t.Fatalf("answer %+v, %v; want an error that is pending", a, err)
					case tt.status != "" && (err != nil || a.Status != tt.status || a.Code != tt.code || a.STAN != r.STAN || len(a.RRN) != 12):
						t.Fatalf("answer %+v, %v; want %s %s", a, err, tt.status, tt.code)
					}
					if took := time.Since(began).Truncate(time.Second); took != tt.took {
						t.Errorf("took %s, want %s", took, tt.took)
					}
					for _, m := range tt.then {
						time.Sleep(time.Until(began.Add(m.after)))
						if a := h.enquire(r.Reference); a.Status != m.status || a.Code != m.code {
							t.Errorf("after %s the enquiry says %s %s, want %s %s", m.after, a.Status, a.Code, m.status, m.code)
						}
						e := h.executions(r.Reference)
						if (m.books == none) != (len(e) == 0) || len(e) > 1 || len(e) == 1 && (e[0].Status != m.books || e[0].Amount != r.Amount) {
							t.Errorf("after %s the books say %+v, want %q", m.after, e, m.books)
						}
						want := 25_000 * money.Rupee
						if m.books == executed {
							want -= r.Amount
						}
						if got := h.balance(shivshankar); got != want {
							t.Errorf("after %s the balance is %s, want %s", m.after, got, want)
						}
					}
				})
			})
		}
	}
}

// TestLateAnswerArrives: who waits long enough has the answer of .99, and a
// refused transaction is delivered by its scenario, too.
func TestLateAnswerArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, _, wire := NewTestConfig(t)
		cfg.TimeScale = 0.5
		b := Open(t, cfg)
		Start(t, b)
		synctestWait(t)
		c, err := bank.New(bank.Config{BaseURL: "http://bank.test", Key: cfg.NetworkKey, DialContext: wire.Dial, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		h := &sandbox{t: t, bank: b, net: c}
		for _, amount := range []money.Paise{100_99, 30_000_99} {
			began := time.Now()
			a := h.send(h.request(central.KindWithdrawal, amount))
			if took := time.Since(began); took != 10*time.Second {
				t.Errorf("took %s at half the time, want 10s", took)
			}
			if want := map[money.Paise]string{100_99: "00", 30_000_99: "51"}[amount]; a.Code != want {
				t.Errorf("%s: code %s, want %s", amount, a.Code, want)
			}
		}
	})
}

func TestKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		w := h.send(h.request(central.KindWithdrawal, 500*money.Rupee))
		if w.Code != "00" || w.Message != "SUCCESS" || w.Balance == nil || *w.Balance != 24_500*money.Rupee || len(w.AuthCode) != 6 || len(w.RRN) != 12 || w.STAN != "000001" {
			t.Errorf("withdrawal %+v", w)
		}
		p := h.send(h.request(central.KindPurchase, 250*money.Rupee+50))
		if p.Code != "00" || len(p.AuthCode) != 6 || p.RRN == w.RRN {
			t.Errorf("purchase %+v", p)
		}
		b := h.send(h.request(central.KindBalance, 0))
		if b.Code != "00" || b.Balance == nil || *b.Balance != 24_249*money.Rupee+50 || b.AuthCode != "" {
			t.Errorf("balance enquiry %+v", b)
		}
		h.send(h.request(central.KindWithdrawal, 100*money.Rupee+93))
		time.Sleep(11 * time.Second)
		m := h.send(h.request(central.KindMiniStatement, 0))
		date := time.Now().In(ist.Zone()).Format("02/01")
		want := strings.Join([]string{
			date + " AEPS WDL REVERSAL C 100.93", date + " AEPS CASH WDL     D 100.93", date + " AADHAAR PAY       D 250.50",
			date + " AEPS CASH WDL     D 500.00", date + " OPENING BALANCE   C 25000.00",
		}, "\n")
		if m.Code != "00" || m.MiniStatement != want || m.Balance != nil {
			t.Errorf("mini statement %+v\nwant\n%s", m, want)
		}
		if a := h.send(h.request(central.KindAgentAuth, 0, of(t, fatima, "990326"))); a.Code != "00" || a.Balance != nil || a.AuthCode != "" {
			t.Errorf("agent authentication %+v", a)
		}
		if a := h.send(h.request(central.KindAgentAuth, 1)); a.Code != "13" {
			t.Errorf("agent authentication with an amount: %+v", a)
		}
		if a := h.send(h.request(central.KindWithdrawal, 0)); a.Code != "13" {
			t.Errorf("withdrawal of nothing: %+v", a)
		}
		if a := h.send(h.request(central.KindCashDeposit, 100*money.Rupee)); a.Code != "12" {
			t.Errorf("cash deposit: %+v", a)
		}
		if a := h.send(h.request(central.Kind("SOMETHING"), 100*money.Rupee)); a.Code != "12" {
			t.Errorf("unknown kind: %+v", a)
		}
		if e, err := h.bank.Executions(t.Context(), books.Filter{}); err != nil || len(e) != 4 {
			t.Errorf("executions %+v, %v; want four, with the declined withdrawal", e, err)
		}
	})
}

func TestMiniStatementShowsTheNewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		for i := range 12 {
			h.send(h.request(central.KindWithdrawal, money.Paise(i+1)*money.Rupee))
		}
		lines := strings.Split(h.send(h.request(central.KindMiniStatement, 0)).MiniStatement, "\n")
		if len(lines) != 9 || !strings.HasSuffix(lines[0], " D 12.00") || !strings.HasSuffix(lines[8], " D 4.00") {
			t.Errorf("lines %q", lines)
		}
	})
}

func TestCustomersAndMoney(t *testing.T) {
	rich := func(c *Config) {
		a := Aadhaar(t, kumar)
		c.Customers = []books.Customer{
			{Aadhaar: a, Name: "Kumar Agarwal", Bank: "State Bank of India", IIN: "607094", Mobile: "9000000002", Opening: 5_00_000 * money.Rupee},
		}
	}
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		for name, tt := range map[string]struct {
			change func(*central.BankRequest)
			amount money.Paise
			code   string
		}{
			"another bank's IIN":  {of(t, shivshankar, "607094"), 100_00, "52"},
			"unknown resident":    {of(t, unknown, "990326"), 100_00, "52"},
			"malformed IIN":       {of(t, shivshankar, "99032"), 100_00, "92"},
			"letters in the IIN":  {of(t, shivshankar, "99o326"), 100_00, "92"},
			"more than there is":  {of(t, rohit, "607027"), 150_01, "51"},
			"all there is":        {of(t, rohit, "607027"), 150_00, "00"},
			"more than a day's":   {of(t, shivshankar, "990326"), 1_00_001_00, "61"},
			"another bank's own":  {of(t, kumar, "607094"), 100_00, "00"},
			"balance elsewhere":   {of(t, kumar, "990326"), 0, "52"},
			"authentication only": {of(t, kumar, "990326"), 0, "00"},
		} {
			kind := central.KindWithdrawal
			switch name {
			case "balance elsewhere":
				kind = central.KindBalance
			case "authentication only":
				kind = central.KindAgentAuth
			}
			if a := h.send(h.request(kind, tt.amount, tt.change)); a.Code != tt.code || (a.Status == central.BankApproved) != (tt.code == "00") {
				t.Errorf("%s: %s %s, want %s", name, a.Status, a.Code, tt.code)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		h := open(t, rich)
		day := func(amount money.Paise) string {
			return h.send(h.request(central.KindWithdrawal, amount, of(t, kumar, "607094"))).Code
		}
		if day(60_000_00) != "00" || day(40_000_01) != "61" || day(10_000_93) != "68" || day(30_000_00) != "61" {
			t.Error("the day's ceiling does not hold")
		}
		time.Sleep(11 * time.Second) // what is reversed no longer counts
		if day(40_000_00) != "00" || day(1) != "61" {
			t.Error("the day's ceiling does not take a reversal off")
		}
		time.Sleep(24 * time.Hour)
		if day(1_00_000_00) != "00" {
			t.Error("the day's ceiling does not end with the day")
		}
	})
}

func TestReferencesServeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		r := h.request(central.KindWithdrawal, 500*money.Rupee)
		h.send(r)
		again := h.request(central.KindWithdrawal, 900*money.Rupee)
		again.Reference = r.Reference
		if _, err := h.net.Send(t.Context(), again); !errors.Is(err, bank.ErrDuplicate) || central.NotSent(err) {
			t.Errorf("the second use of a reference: %v, want ErrDuplicate, pending", err)
		}
		if a := h.enquire(r.Reference); a.Status != central.BankApproved || *a.Balance != 24_500*money.Rupee || a.AuthCode == "" || a.RRN == "" {
			t.Errorf("enquiry %+v", a)
		}
		if h.balance(shivshankar) != 24_500*money.Rupee || len(h.executions(r.Reference)) != 1 {
			t.Error("the second use changed the books")
		}
		if a := h.enquire("GL999999"); a.Status != central.BankNotFound {
			t.Errorf("an unknown reference: %+v", a)
		}
	})
}

// TestConnectionsServeAgain: the bank keeps connections, beyond the slowest answers,
// and ends only those on which a scenario breaks off.
func TestConnectionsServeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		for range 3 {
			h.send(h.request(central.KindWithdrawal, 100*money.Rupee))
			time.Sleep(2 * time.Second)
		}
		h.enquire("GL999999")
		if opened, reused := h.net.Connections(); opened != 1 || reused != 3 {
			t.Errorf("%d connections opened, %d times one was used again", opened, reused)
		}
		for _, paise := range []money.Paise{95, 96} {
			if _, err := h.net.Send(t.Context(), h.request(central.KindWithdrawal, 100*money.Rupee+paise)); err == nil || central.NotSent(err) {
				t.Errorf(".%d: %v", paise, err)
			}
			if a := h.send(h.request(central.KindWithdrawal, 100*money.Rupee)); a.Status != central.BankApproved {
				t.Errorf("after .%d: %+v", paise, a)
			}
		}
		if opened, _ := h.net.Connections(); opened != 3 {
			t.Errorf("%d connections opened, want 3", opened)
		}
	})
}

// TestAfterItsDeadlineNothingStarts: the bank is slow, and the deadline passes
// on the way.
func TestAfterItsDeadlineNothingStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		latency := 5 * time.Second
		if err := h.bank.ChangeControl(t.Context(), Change{Latency: &latency}); err != nil {
			t.Fatal(err)
		}
		r := h.request(central.KindWithdrawal, 500*money.Rupee, func(r *central.BankRequest) { r.NotAfter = time.Now().Add(4 * time.Second) })
		began := time.Now()
		if a := h.send(r); a.Code != "V0" || time.Since(began) != latency {
			t.Errorf("answer %+v after %s, want V0 after 5s", a, time.Since(began))
		}
		if a := h.enquire(r.Reference); a.Status != central.BankDeclined || a.Code != "V0" {
			t.Errorf("enquiry %+v, want FAILED V0", a)
		}
		if h.balance(shivshankar) != 25_000*money.Rupee {
			t.Error("money moved")
		}
		// Who gives up while the request is on its way finds nothing begun.
		r = h.request(central.KindWithdrawal, 500*money.Rupee)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if _, err := h.net.Send(ctx, r); err == nil || central.NotSent(err) {
			t.Errorf("error %v", err)
		}
		time.Sleep(time.Minute)
		if a := h.enquire(r.Reference); a.Status != central.BankNotFound {
			t.Errorf("enquiry %+v, want NOT_FOUND", a)
		}
	})
}

func TestDownInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		down, up := true, false
		// Under way when the bank goes down: executed, and the answer lost.
		r := h.request(central.KindWithdrawal, 500*money.Rupee+97)
		sent := make(chan error)
		go func() {
			_, err := h.net.Send(context.Background(), r)
			sent <- err
		}()
		time.Sleep(time.Second)
		if err := h.bank.ChangeControl(t.Context(), Change{Down: &down}); err != nil {
			t.Fatal(err)
		}
		if err := <-sent; err == nil || central.NotSent(err) {
			t.Errorf("the connection was cut: %v, want pending", err)
		}
		if _, err := h.net.Send(t.Context(), h.request(central.KindWithdrawal, 100)); !central.NotSent(err) {
			t.Errorf("the bank is down: %v, want not sent", err)
		}
		if err := h.bank.ChangeControl(t.Context(), Change{Down: &up}); err != nil {
			t.Fatal(err)
		}
		if a := h.enquire(r.Reference); a.Status != central.BankApproved {
			t.Errorf("enquiry %+v", a)
		}
	})
}

// TestDeferredSurvivesARestart: what is due is in the database.
func TestDeferredSurvivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, _, wire := NewTestConfig(t)
		c, err := bank.New(bank.Config{BaseURL: "http://bank.test", Key: cfg.NetworkKey, DialContext: wire.Dial, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		h := &sandbox{t: t, net: c}
		h.bank, err = New(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		stop := Start(t, h.bank)
		synctestWait(t)
		back, good := h.request(central.KindWithdrawal, 500_93), h.request(central.KindWithdrawal, 500_94)
		h.send(back)
		h.send(good)
		stop()
		if err := h.bank.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := h.net.Send(t.Context(), h.request(central.KindWithdrawal, 100)); !central.NotSent(err) {
			t.Errorf("the bank is not there: %v, want not sent", err)
		}
		time.Sleep(time.Hour)
		h.bank = Open(t, cfg)
		defer Start(t, h.bank)()
		synctestWait(t)
		if a := h.enquire(back.Reference); a.Status != central.BankReversed || a.Balance != nil {
			t.Errorf("enquiry %+v, want REVERSED", a)
		}
		if a := h.enquire(good.Reference); a.Status != central.BankApproved || a.AuthCode == "" || a.Balance == nil {
			t.Errorf("enquiry %+v, want SUCCESS", a)
		}
		if h.balance(shivshankar) != 24_499*money.Rupee+6 {
			t.Errorf("balance %s", h.balance(shivshankar))
		}
	})
}
