package dmt

import (
	"sync"
	"time"

	"galla/shared/op"
	"galla/shared/secret"
)

// credentials proves the customer's identity in one step. It is never stored.
type credentials struct {
	otp     secret.OTP
	aadhaar secret.Aadhaar
	consent string
}

// proofFor is how long a proof waits for the step that needs it: the customer stands at
// the counter, and the bank answers meanwhile.
const proofFor = time.Minute

// proofs holds what a form proved for the step after the form's own, by flow: one form has
// the Aadhaar number, which the bank checks first, and the consent to the finger. It is in
// memory only, for proofFor. After that, and after a restart, the customer is asked again.
type proofs struct {
	mu   sync.Mutex
	byID map[op.ID]*proof
}

type proof struct {
	credentials
	end *time.Timer
}

func newProofs() *proofs { return &proofs{byID: map[op.ID]*proof{}} }

func (s *proofs) keep(flow op.ID, c credentials) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(flow)
	p := &proof{credentials: c}
	p.end = time.AfterFunc(proofFor, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.byID[flow] == p {
			delete(s.byID, flow)
		}
	})
	s.byID[flow] = p
}

// take returns a flow's proof, once.
func (s *proofs) take(flow op.ID) (credentials, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.remove(flow)
	if p == nil {
		return credentials{}, false
	}
	return p.credentials, true
}

// remove removes a flow's proof; nil: there is none. The caller holds the lock.
func (s *proofs) remove(flow op.ID) *proof {
	p := s.byID[flow]
	if p != nil {
		p.end.Stop()
		delete(s.byID, flow)
	}
	return p
}
