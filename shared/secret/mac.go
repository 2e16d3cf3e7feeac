package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"sync"
)

// MAC computes HMAC-SHA-256 under one key. It keeps states for the next time, so that a
// sum needs no memory. It is safe for concurrent use.
type MAC struct{ states sync.Pool }

// macState is one HMAC and room for its sum and for texts.
type macState struct {
	hash.Hash
	sum  [sha256.Size]byte
	text []byte
}

// WriteString implements io.StringWriter.
func (s *macState) WriteString(text string) (int, error) {
	s.text = append(s.text[:0], text...)
	n, err := s.Write(s.text)
	clear(s.text) // it may be a secret
	return n, err
}

// NewMAC makes a MAC of a key.
func NewMAC(key Key) *MAC {
	return &MAC{sync.Pool{New: func() any {
		s := &macState{Hash: hmac.New(sha256.New, key.Reveal())}
		s.Reset() // later calls put this state back, over what was summed
		return s
	}}}
}

// Sum returns the HMAC of what write writes, by Write or io.WriteString. A hash has no
// errors.
func (m *MAC) Sum(write func(hash.Hash)) [sha256.Size]byte {
	s := m.states.Get().(*macState)
	write(s)
	s.Sum(s.sum[:0])
	sum := s.sum
	s.Reset() // the end of what was summed stands in its buffer
	m.states.Put(s)
	return sum
}
