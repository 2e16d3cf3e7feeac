package central

import (
	"sync"
	"time"

	"galla/shared/op"
	"galla/shared/secret"
)

// Bounds of refusedOTPs. The bank's OTPs are valid for three minutes.
const (
	refusedOTPLife = 5 * time.Minute
	maxRefusedOTPs = 4096
)

// refusedOTPs remembers for some minutes, by the name of the attempts, the newest
// attempt that the bank refused for its OTP. A client that repeats a refused
// request gets the same reply and does not use up the customer's tries
// (operations.md, section 10).
//
// The OTPs are in memory only, never on disk and not as hashes, since six digits
// are quickly tried. Correctness does not depend on this: on another node or after
// a restart the repeat is another attempt, and the bank refuses it as well.
//
// Its methods are safe for concurrent use.
type refusedOTPs struct {
	mu   sync.Mutex
	last map[string]refusedOTP
}

type refusedOTP struct {
	id  op.ID
	otp secret.OTP
	end *time.Timer // removes the entry
}

// attemptName is what attempts have in common: the party with the caller's
// reference or with the transfer to refund; empty: neither is set.
func attemptName(party, callerRef, refunds string) string {
	if callerRef+refunds == "" {
		return ""
	}
	return party + "\n" + callerRef + "\n" + refunds
}

// newRefusedOTPs makes an empty one.
func newRefusedOTPs() *refusedOTPs { return &refusedOTPs{last: map[string]refusedOTP{}} }

// remember records that the bank refused an attempt for its OTP. When the map is
// full, it is emptied first. An empty name is not recorded.
func (m *refusedOTPs) remember(name string, id op.ID, otp secret.OTP) {
	if name == "" || otp.IsZero() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	last, known := m.last[name]
	switch {
	case known:
		last.end.Stop()
	case len(m.last) >= maxRefusedOTPs:
		for _, g := range m.last {
			g.end.Stop()
		}
		clear(m.last)
	}
	m.last[name] = refusedOTP{id, otp, time.AfterFunc(refusedOTPLife, func() { m.forget(name, id) })}
}

// forget removes an attempt, unless a newer one has replaced it.
func (m *refusedOTPs) forget(name string, id op.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last[name].id == id {
		delete(m.last, name)
	}
}

// find gives the attempt under a name that was refused for this OTP.
func (m *refusedOTPs) find(name string, otp secret.OTP) (op.ID, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	last, known := m.last[name]
	return last.id, known && last.otp.Equal(otp)
}

// matches tells whether the attempt is known to have been refused for this OTP.
func (m *refusedOTPs) matches(name string, id op.ID, otp secret.OTP) bool {
	found, known := m.find(name, otp)
	return known && found == id
}
