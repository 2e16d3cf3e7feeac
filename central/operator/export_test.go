package operator

import (
	"fmt"
	"strings"
	"time"

	"galla/shared/password"
	"galla/shared/secret"
)

// Watch has the desk tell which work it does to judge a sign-in: each hash with
// its cost, and each look for a code.
func (d *Desk) Watch(told func(work string)) {
	d.proofs = proofs{
		password: func(stored string, typed secret.Token) (bool, error) {
			told("hash " + strings.Join(strings.Split(stored, "$")[:4], "$"))
			return password.Verify(stored, typed)
		},
		code: func(f Factor, typed secret.OTP, now time.Time, used int64) (int64, error) {
			told(fmt.Sprintf("code of %d bytes", len(f.key.Reveal())))
			return f.step(typed, now, used)
		},
	}
}
