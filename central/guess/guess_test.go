package guess

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
	"galla/shared/secret"
)

func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, wrong, right := New(), secret.NewOTP("111111"), secret.NewOTP("222222")
		m.Note("m1 r1", "a", wrong)
		m.Note("", "b", wrong)
		m.Note("m1 r2", "c", secret.OTP{})
		for _, tt := range []struct {
			name string
			otp  secret.OTP
			want op.ID
		}{{"m1 r1", wrong, "a"}, {"m1 r1", right, ""}, {"m2 r1", wrong, ""}, {"", wrong, ""}, {"m1 r2", secret.OTP{}, ""}} {
			id, found := m.Find(tt.name, tt.otp)
			if found != (tt.want != "") || found && id != tt.want {
				t.Errorf("%q: %q, %t; want %q", tt.name, id, found, tt.want)
			}
		}
		if !m.Is("m1 r1", "a", wrong) || m.Is("m1 r1", "z", wrong) {
			t.Error("attempts of one name are not told apart")
		}
		m.Note("m1 r1", "d", right) // the newest attempt alone
		if _, found := m.Find("m1 r1", wrong); found {
			t.Error("an earlier attempt is remembered")
		}
		time.Sleep(life / 2)
		m.Note("m1 r1", "f", wrong)
		time.Sleep(life/2 + time.Second) // the end of the attempt before it
		if !m.Is("m1 r1", "f", wrong) {
			t.Error("a newer attempt is forgotten with an older one")
		}
		// Nobody asks for the name again, and nobody notes another one.
		time.Sleep(life)
		synctest.Wait()
		if len(m.last) != 0 {
			t.Error("it is remembered for ever")
		}
		for i := range most + 1 {
			m.Note(fmt.Sprint(i), "e", wrong)
		}
		if len(m.last) > most {
			t.Errorf("%d are remembered", len(m.last))
		}
	})
}
