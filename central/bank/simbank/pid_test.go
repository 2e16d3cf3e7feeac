package simbank_test

import (
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	. "galla/central/bank/simbank"
	"galla/rdservice/rdcrypto"
	"galla/shared/money"
	"galla/shared/secret"
)

func TestPIDRules(t *testing.T) {
	k := TheKit()
	capture := func(t *testing.T, ago time.Duration, aadhaar string, change ...func(*Parts)) func(*central.BankRequest) {
		return func(r *central.BankRequest) {
			r.PidData = k.Capture(t, time.Now().Add(-ago), aadhaar, rdcrypto.RightIndex, change...)
		}
	}
	spoil := func(what func(*rdcrypto.Sealed)) func(*Parts) {
		return func(p *Parts) {
			if p.Sealed.Data != "" {
				what(&p.Sealed)
			}
		}
	}
	other := TheKit().Spent()
	tests := map[string]struct {
		change func(*testing.T) func(*central.BankRequest)
		code   string
	}{
		"fresh":                {func(t *testing.T) func(*central.BankRequest) { return capture(t, 0, shivshankar) }, "00"},
		"19 minutes old":       {func(t *testing.T) func(*central.BankRequest) { return capture(t, 19*time.Minute, shivshankar) }, "00"},
		"21 minutes old":       {func(t *testing.T) func(*central.BankRequest) { return capture(t, 21*time.Minute, shivshankar) }, "OQ"},
		"4 minutes ahead":      {func(t *testing.T) func(*central.BankRequest) { return capture(t, -4*time.Minute, shivshankar) }, "00"},
		"6 minutes ahead":      {func(t *testing.T) func(*central.BankRequest) { return capture(t, -6*time.Minute, shivshankar) }, "V1"},
		"another one's finger": {func(t *testing.T) func(*central.BankRequest) { return capture(t, 0, kumar) }, "U3"},
		"no finger at all": {func(t *testing.T) func(*central.BankRequest) {
			return capture(t, 0, shivshankar, func(p *Parts) { p.Raw = []byte("noise") })
		}, "U3"},
		"HMAC of another": {func(t *testing.T) func(*central.BankRequest) {
			return capture(t, 0, shivshankar, spoil(func(s *rdcrypto.Sealed) { s.Hmac = flip(s.Hmac) }))
		}, "V3"},
		"data altered": {func(t *testing.T) func(*central.BankRequest) {
			return capture(t, 0, shivshankar, spoil(func(s *rdcrypto.Sealed) { s.Data = flip(s.Data) }))
		}, "U4"},
		"session key altered": {func(t *testing.T) func(*central.BankRequest) {
			return capture(t, 0, shivshankar, spoil(func(s *rdcrypto.Sealed) { s.Skey = flip(s.Skey) }))
		}, "VU"},
		"for another authority": {func(t *testing.T) func(*central.BankRequest) {
			return capture(t, 0, shivshankar, func(p *Parts) { p.Seal = other })
		}, "VV"},
		"not signed by the device": {func(t *testing.T) func(*central.BankRequest) {
			return capture(t, 0, shivshankar, func(p *Parts) { p.DC = "dc-2" }, func(p *Parts) { p.DC = "dc-2" })
		}, "X2"},
		"no PidData": {func(*testing.T) func(*central.BankRequest) {
			return func(r *central.BankRequest) { r.PidData = secret.NewPidData("<html/>") }
		}, "30"},
	}
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		for name, tt := range tests {
			r := h.request(central.KindWithdrawal, 100*money.Rupee, tt.change(t))
			if a := h.send(r); a.Code != tt.code {
				t.Errorf("%s: %s %q, want %s", name, a.Code, a.Message, tt.code)
			}
			if a := h.enquire(r.Reference); a.Code != tt.code {
				t.Errorf("%s: the enquiry says %s, want %s", name, a.Code, tt.code)
			}
		}
	})
	// The spent certificate ended when the year was 1926; a bubble's clock is
	// later than that.
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		r := h.request(central.KindWithdrawal, 100*money.Rupee, capture(t, 0, shivshankar, func(p *Parts) { p.Device = k.Spent() }))
		if a := h.send(r); a.Code != "X3" {
			t.Errorf("device certificate ended: %s, want X3", a.Code)
		}
	})
}

// flip alters one character in the middle of a base64 text.
func flip(s string) string {
	b := []byte(s)
	i := len(b) / 2
	if b[i] == 'A' {
		b[i] = 'B'
	} else {
		b[i] = 'A'
	}
	return string(b)
}

// TestOnePIDServesOnce: except for an authentication marked inline and its
// transaction.
func TestOnePIDServesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		share := func(p secret.PidData) func(*central.BankRequest) {
			return func(r *central.BankRequest) { r.PidData = p }
		}
		code := func(r central.BankRequest) string { return h.send(r).Code }

		first := h.request(central.KindWithdrawal, 100*money.Rupee)
		if code(first) != "00" || code(h.request(central.KindWithdrawal, 100*money.Rupee, share(first.PidData))) != "V2" ||
			code(h.request(central.KindBalance, 0, share(first.PidData))) != "V2" {
			t.Error("one PID block served two transactions")
		}
		declined := h.request(central.KindWithdrawal, 100*money.Rupee+5)
		if code(declined) != "05" || code(h.request(central.KindBalance, 0, share(declined.PidData))) != "V2" {
			t.Error("the PID block of a declined transaction served again")
		}

		txn := h.request(central.KindWithdrawal, 100*money.Rupee)
		auth := h.request(central.KindAgentAuth, 0, share(txn.PidData), func(r *central.BankRequest) { r.InlineFor = txn.Reference })
		again := h.request(central.KindAgentAuth, 0, share(txn.PidData), func(r *central.BankRequest) { r.InlineFor = txn.Reference })
		if code(auth) != "00" || code(again) != "V2" || code(txn) != "00" {
			t.Error("an inline authentication and its transaction do not share one PID block, or share it with a third")
		}
		if code(h.request(central.KindBalance, 0, share(txn.PidData))) != "V2" {
			t.Error("a third transaction used the pair's PID block")
		}

		alone := h.request(central.KindAgentAuth, 0)
		marked := h.request(central.KindBalance, 0, share(alone.PidData))
		if code(alone) != "00" || code(marked) != "V2" {
			t.Error("an authentication that is not marked shared its PID block")
		}
	})
}
