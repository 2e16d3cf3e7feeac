package services

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/shared/money"
)

func TestRemitter(t *testing.T) {
	bubble(t, Config{RegistrationFee: 10 * money.Rupee}, func(t *testing.T, b *bank) {
		who := particulars(network.Particulars{Mobile: mobile})
		b.refused("76", network.RefusedNotFound, "customer", network.RemitterRegister, who)
		b.refused("30", "", "mobile", network.RemitterRegister)
		b.refused("76", network.RefusedNotFound, "customer", network.RemitterRegister, particulars(network.Particulars{Sender: "x"}))
		ref := b.enrol(mobile, customerApproved)
		b.refused("76", network.RefusedNotFound, "remitter", network.RemitterDetails, who)
		b.refused("76", network.RefusedNotFound, "customer", network.RemitterRegister, particulars(network.Particulars{Sender: ref, Mobile: "9999999999"}))
		first := b.ok("senderid registrationFeeCharged", network.RemitterRegister, particulars(network.Particulars{Sender: ref}))
		if first["registrationFeeCharged"] != 10.0 || b.float() != defaultFloat-10*money.Rupee {
			t.Errorf("first registration: %v, float %s", first, b.float())
		}
		sender := first["senderid"].(string)
		for _, p := range []network.Particulars{{Mobile: mobile}, {Sender: ref}, {Sender: sender}} {
			if again := b.ok("senderid registrationFeeCharged", network.RemitterRegister, particulars(p)); again["senderid"] != sender || again["registrationFeeCharged"] != 0.0 {
				t.Errorf("again by %+v: %v", p, again)
			}
		}
		const keys = "senderId status remitter TransactionDone AviableLimit AviabledayLimit AviableMonthLimit monthLimit beneficiarydetail"
		a := b.send(network.RemitterDetails, who)
		d := b.data(keys, a)
		if d["senderId"] != sender || d["status"] != true || d["AviableLimit"] != 25000.0 || d["AviabledayLimit"] != 25000.0 || d["TransactionDone"] != 0.0 ||
			!strings.Contains(string(a.Data), `"beneficiarydetail":[]`) {
			t.Errorf("details %s", a.Data)
		}
		b.balanced()
	})
}

func TestBeneficiaries(t *testing.T) {
	const keys = "beneficiaryid beneficiaryname beneficiarymobilenumber beneficiaryemailid bank state city branch address ifscode accountnumber beneficiarystatus impsstatus accountnumberText"
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		sender := b.sender(mobile)
		p := receiver(sender)
		b.refused("76", network.RefusedNotFound, "beneficiary", network.BeneficiaryGet, particulars(p))
		b.refused("76", network.RefusedNotFound, "beneficiary", network.BeneficiaryDelete, particulars(p))
		id := b.beneficiary(sender).Beneficiary
		a := b.send(network.BeneficiaryGet, particulars(p))
		b.data(keys, a)
		for _, part := range []string{`"accountnumber":1234567891234,`, `"accountnumberText":"001234567891234"`, `"beneficiarymobilenumber":9876543210`,
			`"beneficiarystatus":1`, `"bank":"State Bank of India"`, `"beneficiaryname":"Ramesh Kumar 100%d"`} {
			if !strings.Contains(string(a.Data), part) {
				t.Errorf("%s is not in %s", part, a.Data)
			}
		}
		if got := b.ok("status", network.BeneficiaryDelete, particulars(p)); got["status"] != "DELETED" {
			t.Errorf("delete: %v", got)
		}
		b.refused("76", network.RefusedNotFound, "beneficiary", network.BeneficiaryDelete, particulars(p))
		b.refused("76", network.RefusedNotFound, "beneficiary", network.TransferOTP, particulars(p), amount(100_00))
		for range 2 {
			if again := b.beneficiary(sender).Beneficiary; again != id {
				t.Errorf("the same account again has the number %d, want %d", again, id)
			}
		}
		for field, change := range map[string]func(*network.Particulars){
			"name":    func(p *network.Particulars) { p.Receiver = " " },
			"account": func(p *network.Particulars) { p.Account = "12a45" },
			"IFSC":    func(p *network.Particulars) { p.IFSC = "SBIN1001234" },
			"mobile":  func(p *network.Particulars) { p.ReceiverMobile = "1" },
		} {
			wrong := p
			change(&wrong)
			b.refused("30", "", field, network.BeneficiaryAdd, particulars(wrong))
		}
		foreign := p
		foreign.Sender = "8f14e45f-ceea-4671-a000-000000000000"
		for _, kind := range []network.Kind{network.BeneficiaryAdd, network.BeneficiaryGet, network.BeneficiaryDelete, network.TransferOTP, network.TransferCharges} {
			b.refused("76", network.RefusedNotFound, "sender", kind, particulars(foreign), amount(100_00))
		}
		b.unchecked = true
		for n := 1; n < maxBeneficiaries; n++ {
			more := p
			more.Receiver = strings.Repeat("न", maxName)
			more.Address, more.Branch = strings.Repeat("न", 200), strings.Repeat("न", 200)
			more.City, more.State = strings.Repeat("न", maxName), strings.Repeat("न", maxName)
			more.ReceiverEmail = strings.Repeat("e", maxText)
			more.Account = fmt.Sprintf("70000000%04d1", n)
			if a := b.send(network.BeneficiaryAdd, particulars(more)); a.Code != "00" {
				t.Fatalf("beneficiary %d: %+v", n, a)
			}
		}
		more := p
		more.Account = "99999999999"
		b.refused("61", network.RefusedLimit, "none is left", network.BeneficiaryAdd, particulars(more))
		details := b.send(network.RemitterDetails, particulars(network.Particulars{Mobile: mobile}))
		if n := strings.Count(string(details.Data), `"beneficiaryid"`); n != maxBeneficiaries || len(details.Data) > 400<<10 {
			t.Errorf("%d beneficiaries in %d bytes", n, len(details.Data))
		}
	})
}

func TestAccountVerification(t *testing.T) {
	bubble(t, Config{TimeScale: 2}, func(t *testing.T, b *bank) {
		ask := func(account string, want float64) {
			t.Helper()
			keys := "status"
			if want == 1 {
				keys += " account_holder_name"
			}
			if got := b.ok(keys, network.AccountVerification, particulars(network.Particulars{Account: account, IFSC: ifsc})); got["status"] != want {
				t.Errorf("%s: %v, want %v", account, got, want)
			}
		}
		ask(account, 1)
		for _, common := range []string{"1234567890", "1234500", "1234590", "1234591", "500000", "90", "100091"} {
			ask(strings.Repeat("1", max(0, 6-len(common)))+common, 1) // no scenario: its last six digits are none
		}
		ask("1000000", 0)
		ask("1000090", -1)
		ask("1000091", 91)
		sender := b.sender(mobile)
		waits := receiver(sender)
		waits.Account = "1000091"
		b.ok("beneficiaryid", network.BeneficiaryAdd, particulars(waits))
		status := func(want string) {
			t.Helper()
			if a := b.send(network.BeneficiaryGet, particulars(waits)); !strings.Contains(string(a.Data), `"beneficiarystatus":`+want) {
				t.Errorf("%s, want status %s", a.Data, want)
			}
		}
		status("0")
		time.Sleep(59 * time.Second) // scaled by 2
		ask("1000090", -1)
		ask("1000091", 91)
		status("0")
		time.Sleep(time.Second)
		ask("1000090", 1)
		ask("1000091", 1)
		ask("1000000", 0)
		status("1")
		b.refused("30", "", "account", network.AccountVerification, particulars(network.Particulars{Account: "1", IFSC: ifsc}))
		b.refused("30", "", "IFSC", network.AccountVerification, particulars(network.Particulars{Account: account, IFSC: "SBIN"}))
		b.refused("76", network.RefusedNotFound, "sender", network.AccountVerification, particulars(network.Particulars{Account: account, IFSC: ifsc, Sender: "x"}))
		b.ok("status account_holder_name", network.AccountVerification, particulars(network.Particulars{Account: account, IFSC: ifsc, Sender: sender}))
	})
}

func TestTariff(t *testing.T) {
	for sum, want := range map[money.Paise]tariff{
		1:        {10_00, 1_53, 4_47},
		999_99:   {10_00, 1_53, 4_47},
		1_000_49: {10_00, 1_53, 4_47},
		1_000_50: {10_01, 1_53, 4_48},  // 10.005, half up
		2_000_00: {20_00, 3_05, 12_95}, // the published example's charge
		5_000_00: {50_00, 7_63, 38_37},
	} {
		if got := tariffOf(sum); got != want {
			t.Errorf("tariff of %s: %+v, want %+v", sum, got, want)
		}
	}
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		sender := particulars(network.Particulars{Sender: b.sender(mobile)})
		got := b.ok("charge totalAmount gst commission", network.TransferCharges, sender, amount(2_050_50))
		if got["charge"] != 20.51 || got["totalAmount"] != 2071.01 || got["gst"] != 3.13 {
			t.Errorf("charges %v", got)
		}
		b.refused("13", "", "AMOUNT", network.TransferCharges, sender)
	})
}

func TestTransfer(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		p := b.beneficiary(b.sender(mobile))
		a := b.pay(p, 1_234_50, mobile)
		d := b.data("rrn status", a)
		if a.Code != "00" || d["status"] != "SUCCESS" || d["rrn"] != a.RRN || len(a.RRN) != 12 || a.Charge != 12_35 || b.float() != defaultFloat-1_234_50-12_35 {
			t.Errorf("transfer %+v, %v, float %s", a, d, b.float())
		}
		texts, err := b.Inbox(t.Context(), mobile)
		if err != nil || len(texts) == 0 || !strings.HasPrefix(texts[0].Text, "Rs 1234.50 sent to Ramesh Kumar 100%d, account XXXX1234, on ") || texts[0].OTP != "" {
			t.Errorf("texts %+v, %v", texts, err)
		}
		details := b.ok("senderId status remitter TransactionDone AviableLimit AviabledayLimit AviableMonthLimit monthLimit beneficiarydetail",
			network.RemitterDetails, particulars(network.Particulars{Mobile: mobile}))
		if details["TransactionDone"] != 1.0 || details["AviableLimit"] != 23765.5 || details["AviabledayLimit"] != 25000.0 || details["AviableMonthLimit"] != 23765.5 {
			t.Errorf("details %v", details)
		}
		// Every decline, with an OTP that would be right.
		for name, tt := range map[string]struct {
			change func(*network.Particulars)
			sum    money.Paise
			code   string
			why    network.Refusal
		}{
			"unknown sender":                 {func(p *network.Particulars) { p.Sender = "x" }, 100_00, "76", network.RefusedNotFound},
			"unknown beneficiary":            {func(p *network.Particulars) { p.Beneficiary++ }, 100_00, "76", network.RefusedNotFound},
			"no beneficiary":                 {func(p *network.Particulars) { p.Beneficiary = 0 }, 100_00, "76", network.RefusedNotFound},
			"another account":                {func(p *network.Particulars) { p.Account = "1234567" }, 100_00, "76", network.RefusedNotFound},
			"another branch":                 {func(p *network.Particulars) { p.IFSC = "SBIN0001235" }, 100_00, "76", network.RefusedNotFound},
			"nothing":                        {func(*network.Particulars) {}, 0, "13", ""},
			"over the most in one":           {func(*network.Particulars) {}, 5_000_01, "61", network.RefusedLimit},
			"remarks longer than any screen": {func(p *network.Particulars) { p.Remarks = strings.Repeat("a", maxText+1) }, 100_00, "30", ""},
			"no OTP for this amount":         {func(*network.Particulars) {}, 101_00, "55", network.RefusedOTP},
		} {
			b.ok("status", network.TransferOTP, particulars(p), amount(100_00))
			wrong := p
			tt.change(&wrong)
			got := b.send(network.Transfer, particulars(wrong), amount(tt.sum), otpIs(b.otp(mobile)))
			if got.Code != tt.code || got.Refusal != tt.why {
				t.Errorf("%s: %s %q %q, want %s %q", name, got.Code, got.Refusal, got.Message, tt.code, tt.why)
			}
		}
		b.refused("61", network.RefusedLimit, "Rs 23765.50 are left today and Rs 23765.50 this month, at most Rs 5000.00", network.Transfer, particulars(p), amount(6_000_00))
		b.refused("13", "", "AMOUNT", network.TransferOTP, particulars(p))
		if a := b.pay(p, 500_00, mobile, func(t *network.Transaction) { t.NotAfter = time.Now().Add(-time.Second) }); a.Code != "V0" {
			t.Errorf("late: %+v", a)
		}
		if a := b.send(network.TransferOTP, particulars(p), amount(1), func(t *network.Transaction) { t.NotAfter = time.Now().Add(-time.Second) }); a.Code != "V0" {
			t.Errorf("late consultation: %+v", a)
		}
		b.ok("status account_holder_name", network.AccountVerification, particulars(network.Particulars{Account: account, IFSC: ifsc}))
		failed := receiver(p.Sender)
		failed.Account = "5000000"
		b.ok("status", network.AccountVerification, particulars(failed))
		failed.Beneficiary = int64(b.ok("beneficiaryid", network.BeneficiaryAdd, particulars(failed))["beneficiaryid"].(float64))
		if a := b.pay(failed, 100_00, mobile); a.Code != "57" {
			t.Errorf("to an account that failed: %+v", a)
		}
		b.balanced()
	})
}

func TestFloatMustSuffice(t *testing.T) {
	bubble(t, Config{FloatOpening: 1_000 * money.Rupee, RegistrationFee: 1_001 * money.Rupee}, func(t *testing.T, b *bank) {
		b.enrol(mobile, customerApproved)
		b.refused("51", "", "FLOAT", network.RemitterRegister, particulars(network.Particulars{Mobile: mobile}))
		b.scfg.RegistrationFee = 0
		b.reopen() // with the float that was opened, and not another one
		p := b.beneficiary(b.ok("senderid registrationFeeCharged", network.RemitterRegister, particulars(network.Particulars{Mobile: mobile}))["senderid"].(string))
		if a := b.pay(p, 990_01, mobile); a.Code != "51" {
			t.Errorf("%+v", a)
		}
		if a := b.pay(p, 990_00, mobile); a.Code != "00" || b.float() != 0 {
			t.Errorf("%+v, float %s", a, b.float())
		}
		b.balanced()
	})
}

func TestFloatIsRefilled(t *testing.T) {
	const opening, refill = 1_000 * money.Rupee, 500 * money.Rupee
	bubble(t, Config{FloatOpening: opening, FloatRefill: refill}, func(t *testing.T, b *bank) {
		p := b.beneficiary(b.sender(mobile))
		if a := b.pay(p, 490_00, mobile); a.Code != "00" || b.float() != refill {
			t.Errorf("%+v, float %s; want what is just enough", a, b.float())
		}
		if a := b.pay(p, 1_00, mobile); a.Code != "00" || b.float() != opening {
			t.Errorf("%+v, float %s; want a full one", a, b.float())
		}
		if a := b.pay(p, 1_000_00, mobile); a.Code != "51" || b.float() != opening {
			t.Errorf("%+v, float %s; want a decline", a, b.float())
		}
		b.balanced()
	})
}

// TestFloatOfALongDay: thousands of transfers of many remitters, of which some are
// reversed or unanswered, never meet an empty float, and the books balance.
func TestFloatOfALongDay(t *testing.T) {
	const opening, refill, transfers = 12_000 * money.Rupee, 6_000 * money.Rupee, 2_000
	bubble(t, Config{FloatOpening: opening, FloatRefill: refill}, func(t *testing.T, b *bank) {
		var senders []network.Particulars
		mobiles := []string{"9000000001", "9000000002", "9000000003", "9000000004", "9000000005"}
		for _, m := range mobiles {
			senders = append(senders, b.beneficiary(b.sender(m)))
		}
		b.scfg.DayLimit, b.scfg.MonthLimit = money.Max, money.Max
		b.reopen()
		spent := money.Paise(0)
		for n := range transfers {
			time.Sleep(time.Minute) // the next customer
			who := n % len(mobiles)
			sum := money.Paise(4_990_00 + []int{0, 5, 94, 93, 96}[n%5])
			a := b.pay(senders[who], sum, mobiles[who])
			if a.Code == "51" || a.Code == "61" {
				t.Fatalf("transfer %d of %s: %+v, float %s", n, sum, a, b.float())
			}
			if spent += sum; b.float() < refill {
				t.Fatalf("transfer %d leaves %s in the float", n, b.float())
			}
		}
		if spent < 100*opening {
			t.Errorf("only %s was sent", spent)
		}
		b.balanced()
	})
}

func TestTransferScenarios(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		p := b.beneficiary(b.sender(mobile))
		left := func() float64 {
			return b.ok("senderId status remitter TransactionDone AviableLimit AviabledayLimit AviableMonthLimit monthLimit beneficiarydetail",
				network.RemitterDetails, particulars(network.Particulars{Mobile: mobile}))["AviableLimit"].(float64)
		}
		for paise, code := range map[money.Paise]string{5: "05", 51: "51", 91: "91", 63: "U3"} {
			before := b.float()
			if a := b.pay(p, 100_00+paise, mobile); a.Code != code || b.float() != before || left() != 25000 {
				t.Errorf(".%02d: %+v, float %s", paise, a, b.float())
			}
			b.refused("55", network.RefusedOTP, "INVALID OTP", network.Transfer, particulars(p), amount(100_00+paise), otpIs(b.otp(mobile))) // it was right, and is used up
		}
		type how struct {
			status  network.Status
			manner  books.Manner
			wait    time.Duration
			ends    network.Status
			settles time.Duration
		}
		want := map[money.Paise]how{
			97: {network.Success, books.Never, 0, network.Success, 0},
			99: {network.Success, books.Whole, 20 * time.Second, network.Success, 0},
			96: {network.Success, books.Broken, 0, network.Success, 0},
			95: {network.Success, books.Rubbish, 0, network.Success, 0},
			98: {network.NotFound, books.Never, 0, network.Failed, time.Minute},
			94: {network.Pending, books.Whole, 0, network.Success, 10 * time.Second},
			93: {network.Pending, books.Whole, 0, network.Reversed, 10 * time.Second},
		}
		for paise, w := range want {
			sum := 100_00 + paise
			before, limit := b.float(), left()
			b.ok("status", network.TransferOTP, particulars(p), amount(sum))
			r := b.request(network.Transfer, particulars(p), amount(sum), otpIs(b.otp(mobile)))
			a, d, err := b.Execute(t.Context(), r)
			if err != nil || a.Status != w.status || d.Manner != w.manner || d.Wait != w.wait || (a.Data != nil) != (w.status == network.Success) {
				t.Errorf(".%02d: %+v, %+v, %v", paise, a, d, err)
			}
			moved := b.float() != before && left() != limit
			if moved != (paise != 98) {
				t.Errorf(".%02d: moved %v", paise, moved)
			}
			time.Sleep(w.settles)
			end, err := b.books.Enquire(t.Context(), r.Reference)
			if err != nil || end.Status != w.ends || (end.Data != nil) != (w.ends == network.Success) || (end.Charge != 0) != (w.ends == network.Success) {
				t.Errorf(".%02d in the end: %+v, %v", paise, end, err)
			}
			if w.ends == network.Reversed && left() != limit {
				t.Errorf(".%02d: the limit was not given back", paise)
			}
			if paise == 98 { // its OTP never arrived either
				if a := b.send(network.Transfer, particulars(p), amount(100_00), otpIs(b.otp(mobile))); a.Code != "55" {
					t.Errorf("OTP of another amount: %+v", a)
				}
			}
		}
		b.balanced()
	})
}

func TestLimits(t *testing.T) {
	bubble(t, Config{DayLimit: 2_000 * money.Rupee, MonthLimit: 3_000 * money.Rupee}, func(t *testing.T, b *bank) {
		p := b.beneficiary(b.sender(mobile))
		pay := func(sum money.Paise, code string) string {
			t.Helper()
			a := b.pay(p, sum, mobile)
			if a.Code != code || code == "61" && a.Refusal != network.RefusedLimit {
				t.Errorf("%s: %+v, want %s", sum, a, code)
			}
			return a.Reference
		}
		details := func(left, ceiling, month float64) {
			t.Helper()
			d := b.ok("senderId status remitter TransactionDone AviableLimit AviabledayLimit AviableMonthLimit monthLimit beneficiarydetail",
				network.RemitterDetails, particulars(network.Particulars{Mobile: mobile}))
			if d["AviableLimit"] != left || d["AviabledayLimit"] != ceiling || d["AviableMonthLimit"] != month || d["monthLimit"] != 3000.0 {
				t.Errorf("details %v, want %v of %v, and %v in the month", d, left, ceiling, month)
			}
		}
		pay(1_500_00, "00")
		pay(500_01, "61")
		reversed := pay(500_00-7, "68") // .93: it counts while it waits
		pay(100_00, "61")
		time.Sleep(10 * time.Second)
		pay(500_00, "00")
		details(0, 2000, 1000)
		time.Sleep(24 * time.Hour)
		details(1000, 1000, 1000) // the month leaves less than the day
		pay(1_000_01, "61")
		refunded := pay(1_000_00, "00")
		details(0, 1000, 0)
		b.ok("status", network.RefundOTP, original(refunded))
		b.ok("amount status", network.Refund, original(refunded), amount(1_000_00), otpIs(b.otp(mobile)))
		details(1000, 1000, 1000)
		b.ok("status", network.RefundOTP, original(reversed))
		b.ok("amount status", network.Refund, original(reversed), amount(500_00-7), otpIs(b.otp(mobile)))
		details(1000, 1000, 1000) // the reversal had given it back
		pay(1_000_00, "00")
		time.Sleep(31 * 24 * time.Hour)
		details(2000, 2000, 3000)
		b.balanced()
	})
}

func TestRefund(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		p := b.beneficiary(b.sender(mobile))
		missing := func(ref string, changes ...with) {
			t.Helper()
			b.refused("76", network.RefusedNotFound, "transfer", network.RefundOTP, append([]with{original(ref)}, changes...)...)
			b.refused("76", network.RefusedNotFound, "transfer", network.Refund, append([]with{original(ref), amount(100_00), otpIs("123456")}, changes...)...)
		}
		missing("NEVER")
		b.refused("05", "", "", network.Transfer, append([]with{particulars(p), amount(100_05)}, func(tr *network.Transaction) {
			b.ok("status", network.TransferOTP, particulars(p), amount(100_05))
			otpIs(b.otp(mobile))(tr)
			named("FAILED")(tr)
		})...)
		b.refused("12", "", "FAILED", network.RefundOTP, original("FAILED"))
		b.pay(p, 100_98, mobile, named("LOST"))
		missing("LOST")
		opening := b.float()
		for name, sum := range map[string]money.Paise{"SUCCESS": 300_00, "LATE": 300_94, "REVERSED": 300_93} {
			before := b.float()
			b.pay(p, sum, mobile, named(name))
			missing(name, by(lakshmi)) // another merchant's is as absent
			if name != "SUCCESS" {
				b.refused("12", "", "PENDING", network.RefundOTP, original(name))
				b.refused("12", "", "PENDING", network.Refund, original(name), amount(sum), otpIs("123456"))
				time.Sleep(10 * time.Second)
			}
			b.ok("status", network.RefundOTP, original(name))
			otp := b.otp(mobile)
			b.refused("13", "", "AMOUNT", network.Refund, original(name), amount(sum+1), otpIs(otp))
			b.refused("55", network.RefusedOTP, "INVALID OTP", network.Refund, original(name), amount(sum), otpIs(other(otp)))
			got := b.ok("amount status", network.Refund, original(name), amount(sum), otpIs(otp), named("R-"+name))
			if got["amount"] != float64(sum)/100 || got["status"] != "REFUNDED" {
				t.Errorf("%s: %v", name, got)
			}
			want := before - 10_00 // the charge of what succeeded stays
			if name == "REVERSED" {
				want = before
			}
			if b.float() != want {
				t.Errorf("%s: float %s, want %s", name, b.float(), want)
			}
			b.refused("12", "", "REFUNDED ALREADY", network.RefundOTP, original(name))
			b.refused("12", "", "REFUNDED ALREADY", network.Refund, original(name), amount(sum), otpIs(otp))
			texts, err := b.Inbox(t.Context(), mobile)
			if err != nil || !strings.Contains(texts[0].Text, "were paid back to you") {
				t.Errorf("texts %+v, %v", texts[0], err)
			}
		}
		if b.float() != opening-2*10_00 {
			t.Errorf("float %s", b.float())
		}
		// What the oracle lists.
		for ref, want := range map[string]books.ExecutionStatus{"SUCCESS": books.Executed, "LATE": books.Executed, "REVERSED": books.Reversed,
			"R-SUCCESS": books.Executed, "R-REVERSED": books.Executed, "FAILED": books.Declined, "LOST": ""} {
			found, err := b.books.Executions(t.Context(), books.Filter{Reference: ref})
			if err != nil || want == "" && len(found) != 0 || want != "" && (len(found) != 1 || found[0].Status != want) {
				t.Errorf("%s: %+v, %v, want %s", ref, found, err, want)
			}
		}
		b.balanced()
	})
}
