package services

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central/bank/network"
	"galla/shared/money"
	"galla/shared/secret"
)

// TestOTPs: what makes an OTP wrong makes no difference to who sends it.
func TestOTPs(t *testing.T) {
	bubble(t, Config{TimeScale: 0.01}, func(t *testing.T, b *bank) {
		p := b.beneficiary(b.sender(mobile))
		ask := func() string {
			b.ok("status", network.TransferOTP, particulars(p), amount(100_00))
			return b.otp(mobile)
		}
		try := func(otp, code string) network.Answer {
			t.Helper()
			a := b.send(network.Transfer, particulars(p), amount(100_00), otpIs(otp))
			if a.Code != code {
				t.Errorf("%s %s, want %s", a.Code, a.Message, code)
			}
			return a
		}
		otp := ask()
		words := map[string]bool{}
		wrong := func(otp string) {
			t.Helper()
			a := try(otp, "55")
			a.Reference, a.STAN, a.RRN = "", "", ""
			b, err := network.EncodeAnswer(a)
			if err != nil {
				t.Fatal(err)
			}
			words[string(b)] = true
		}
		// Two wrong tries, the third is right.
		wrong(other(otp))
		wrong("")
		try(otp, "00")
		wrong(otp) // used
		// Three wrong ones.
		otp = ask()
		for range 3 {
			wrong(other(otp))
		}
		wrong(otp)
		// A newer one takes its place.
		older := ask()
		newer := ask()
		if older != newer {
			wrong(older)
		}
		try(newer, "00")
		// Three minutes, whatever the scale of the bank's time.
		otp = ask()
		time.Sleep(3*time.Minute - time.Millisecond)
		try(otp, "00")
		otp = ask()
		time.Sleep(3 * time.Minute)
		wrong(otp)
		// A restart.
		otp = ask()
		b.reopen()
		wrong(otp)
		if texts, err := b.Inbox(t.Context(), mobile); err != nil || len(texts) == 0 || texts[0].OTP != "" {
			t.Errorf("after a restart: %+v, %v", texts, err)
		}
		// Of another person or purpose.
		const second = "9000000002"
		q := b.beneficiary(b.sender(second))
		b.ok("status", network.TransferOTP, particulars(q), amount(100_00))
		wrong(b.otp(second))
		ref := b.enrol("9000000003", customerStarted)
		request := b.ok("otpreqid", network.CustomerOTP, enrolled(ref))["otpreqid"].(string)
		wrong(b.otp("9000000003"))
		b.refused("55", network.RefusedOTP, "INVALID OTP", network.CustomerOTPCheck, particulars(network.Particulars{Enrolment: ref, OTPRequest: "another"}), otpIs(b.otp("9000000003")))
		b.ok("status", network.CustomerOTPCheck, particulars(network.Particulars{Enrolment: ref, OTPRequest: request}), otpIs(b.otp("9000000003")))
		if len(words) != 1 {
			t.Errorf("wrong OTPs are told apart: %v", words)
		}
	})
}

// TestOTPsTouchNoDisk looks into the books' files and the log for what a
// person's telephone got.
func TestOTPsTouchNoDisk(t *testing.T) {
	var log bytes.Buffer
	b := openBank(t, Config{})
	b.scfg.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	b.cfg.Logger = b.scfg.Logger
	b.reopen()
	p := b.beneficiary(b.sender(mobile))
	a := b.pay(p, 100_00, mobile)
	b.ok("status", network.RefundOTP, original(a.Reference))
	b.ok("amount status", network.Refund, original(a.Reference), amount(100_00), otpIs(b.otp(mobile)))
	b.ok("bcId status", network.BCRegister, particulars(network.Particulars{Name: "S", Mobile: mobile, PAN: "ABCDE1234F"}))
	texts, err := b.Inbox(t.Context(), mobile)
	if err != nil || len(texts) < 4 {
		t.Fatalf("%d texts, %v", len(texts), err)
	}
	for _, name := range []string{"books.db", "books.db-wal"} {
		content, err := os.ReadFile(filepath.Join(b.cfg.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range []string{"is the OTP", shivshankar, "ABCDE1234F", "PidData"} {
			if bytes.Contains(content, []byte(what)) || strings.Contains(log.String(), what) {
				t.Errorf("%s or the log holds %q", name, what)
			}
		}
	}
	for _, m := range texts {
		if m.OTP != "" && strings.Contains(log.String(), m.OTP+" ") {
			t.Errorf("the log holds an OTP: %s", log.String())
		}
	}
}

func TestOTPsAreBounded(t *testing.T) {
	now := time.Now()
	o := newOTPs(fill)
	for n := range maxOTPs {
		if err := o.send(purpose(fmt.Sprint(n)), "", mobile, " is the OTP", now); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.send("one more", "", mobile, "", now); !errors.Is(err, errManyOTPs) {
		t.Errorf("one more: %v", err)
	}
	if err := o.send("7", "", mobile, "", now); err != nil {
		t.Errorf("a newer one in place of an older one: %v", err)
	}
	if len(o.texts) != maxTexts || len(o.inbox(mobile)) != maxTexts || o.inbox(mobile)[0].Text != "000007" {
		t.Errorf("%d texts", len(o.texts))
	}
	if err := o.send("one more", "", mobile, "", now.Add(otpLife)); err != nil || len(o.live) != 1 {
		t.Errorf("after all have expired: %v, %d live", err, len(o.live))
	}
	s := &Services{otps: o}
	o.live = map[purpose]*otp{}
	for n := range maxOTPs {
		o.live[purpose(fmt.Sprint(n))] = &otp{ends: now.Add(time.Hour)}
	}
	if v, err := s.sendOTP("x", "", mobile, "", now); err != nil || v == nil || v.Code != codeTooBusy {
		t.Errorf("%+v, %v", v, err)
	}
}

// fill is a source that draws 7.
func fill(p []byte) error {
	copy(p, []byte{0, 0, 0, 7})
	return nil
}

func TestDraw(t *testing.T) {
	for name, tt := range map[string]struct {
		raw  []byte
		want string
	}{
		"small":           {[]byte{0, 0, 0, 7}, "000007"},
		"a million":       {[]byte{0, 15, 66, 64}, "000000"},
		"the last fair":   {[]byte{255, 241, 61, 127}, "999999"},
		"unfair at first": {[]byte{255, 255, 255, 255, 0, 0, 0, 8}, "000008"},
		"never fair":      {bytes.Repeat([]byte{255}, 4*maxDraws), ""},
		"ended":           {nil, ""},
	} {
		r := bytes.NewReader(tt.raw)
		got, err := newOTPs(func(p []byte) error { _, err := io.ReadFull(r, p); return err }).draw()
		if (err != nil) != (tt.want == "") || err == nil && !got.Equal(secret.NewOTP(tt.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTwoRefundsOfOneTransfer at once, all with the right OTP: one is paid.
func TestTwoRefundsOfOneTransfer(t *testing.T) {
	b := openBank(t, Config{})
	b.unchecked = true
	p := b.beneficiary(b.sender(mobile))
	sent := b.pay(p, 100_00, mobile)
	b.ok("status", network.RefundOTP, original(sent.Reference))
	otp := b.otp(mobile)
	before := b.float()
	codes := b.atOnce(8, func(int) network.Transaction {
		return b.request(network.Refund, original(sent.Reference), amount(100_00), otpIs(otp))
	})
	if codes["00"] != 1 || codes["12"] != 7 || b.float() != before+100_00 {
		t.Errorf("refunds: %v, float %s", codes, b.float())
	}
	b.balanced()
}

// TestTwoTransfersOverTheLimit at once: together they exceed it, each alone
// does not.
func TestTwoTransfersOverTheLimit(t *testing.T) {
	b := openBank(t, Config{DayLimit: 1_000 * money.Rupee})
	b.unchecked = true
	p := b.beneficiary(b.sender(mobile))
	var asked []network.Transaction
	for n := range 6 {
		sum := 600_00 + money.Paise(n)*money.Rupee
		b.ok("status", network.TransferOTP, particulars(p), amount(sum))
		asked = append(asked, b.request(network.Transfer, particulars(p), amount(sum), otpIs(b.otp(mobile))))
	}
	codes := b.atOnce(len(asked), func(n int) network.Transaction { return asked[n] })
	if codes["00"] != 1 || codes["61"] != 5 {
		t.Errorf("transfers: %v", codes)
	}
	// One reference at once: one transfer.
	b = openBank(t, Config{})
	b.unchecked = true
	p = b.beneficiary(b.sender(mobile))
	b.ok("status", network.TransferOTP, particulars(p), amount(100_00))
	r := b.request(network.Transfer, particulars(p), amount(100_00), otpIs(b.otp(mobile)))
	if codes := b.atOnce(8, func(int) network.Transaction { return r }); codes["00"] != 1 || codes["94"] != 7 || b.float() != defaultFloat-110_00 {
		t.Errorf("one reference: %v, float %s", codes, b.float())
	}
	b.balanced()
}

// atOnce executes requests side by side and counts the codes of their answers.
func (b *bank) atOnce(n int, request func(int) network.Transaction) map[string]int {
	codes := map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			a, _, err := b.Execute(b.t.Context(), request(i))
			if err != nil {
				b.t.Error(err)
			}
			mu.Lock()
			codes[a.Code]++
			mu.Unlock()
			if _, err := b.Inbox(b.t.Context(), mobile); err != nil {
				b.t.Error(err)
			}
		})
	}
	all.Wait()
	return codes
}
