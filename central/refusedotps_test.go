package central

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
	"galla/shared/secret"
)

func TestRefusedOTPs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, wrong, right := newRefusedOTPs(), secret.NewOTP("111111"), secret.NewOTP("222222")
		m.remember("m1 r1", "a", wrong)
		m.remember("", "b", wrong)
		m.remember("m1 r2", "c", secret.OTP{})
		for _, tt := range []struct {
			name string
			otp  secret.OTP
			want op.ID
		}{{"m1 r1", wrong, "a"}, {"m1 r1", right, ""}, {"m2 r1", wrong, ""}, {"", wrong, ""}, {"m1 r2", secret.OTP{}, ""}} {
			id, found := m.find(tt.name, tt.otp)
			if found != (tt.want != "") || found && id != tt.want {
				t.Errorf("%q: %q, %t; want %q", tt.name, id, found, tt.want)
			}
		}
		if !m.matches("m1 r1", "a", wrong) || m.matches("m1 r1", "z", wrong) {
			t.Error("attempts of one name are mixed up")
		}
		m.remember("m1 r1", "d", right) // only the newest attempt counts
		if _, found := m.find("m1 r1", wrong); found {
			t.Error("an earlier attempt is remembered")
		}
		time.Sleep(refusedOTPLife / 2)
		m.remember("m1 r1", "f", wrong)
		time.Sleep(refusedOTPLife/2 + time.Second) // past the end of the attempt before it
		if !m.matches("m1 r1", "f", wrong) {
			t.Error("a newer attempt is forgotten with an older one")
		}
		// Nothing else calls the memory.
		time.Sleep(refusedOTPLife)
		synctest.Wait()
		if len(m.last) != 0 {
			t.Error("it is remembered for ever")
		}
		for i := range maxRefusedOTPs + 1 {
			m.remember(fmt.Sprint(i), "e", wrong)
		}
		if len(m.last) > maxRefusedOTPs {
			t.Errorf("%d are remembered", len(m.last))
		}
	})
}
