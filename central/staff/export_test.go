package staff

import (
	"fmt"
	"strings"
	"time"

	"galla/shared/password"
	"galla/shared/secret"
)

// OnVerify reports the work that the service does to judge a sign-in: each hash with
// its cost, and each check of a code.
func (s *Service) OnVerify(record func(work string)) {
	s.verifiers = verifiers{
		password: func(stored string, typed secret.Token) (bool, error) {
			record("hash " + strings.Join(strings.Split(stored, "$")[:4], "$"))
			return password.Verify(stored, typed)
		},
		code: func(f Factor, typed secret.OTP, now time.Time, used int64) (int64, error) {
			record(fmt.Sprintf("code of %d bytes", len(f.key.Reveal())))
			return f.step(typed, now, used)
		},
	}
}
