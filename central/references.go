package central

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"galla/shared/ist"
)

// crockford leaves out letters that people take for digits: references are read
// out on the telephone.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// CrockfordText writes bits in Crockford's base 32.
func CrockfordText(bits []byte) string { return crockford.EncodeToString(bits) }

// ReferenceGenerator makes references and system trace audit numbers (STAN, of ISO
// 8583) for requests to the bank network. Its methods are safe for concurrent use.
type ReferenceGenerator struct {
	rand io.Reader
	mu   sync.Mutex
	stan uint32
}

// NewReferenceGenerator makes a generator. The first STAN is random.
func NewReferenceGenerator(rand io.Reader) (*ReferenceGenerator, error) {
	var start [4]byte
	if _, err := io.ReadFull(rand, start[:]); err != nil {
		return nil, fmt.Errorf("generate the first STAN: %w", err)
	}
	return &ReferenceGenerator{rand: rand, stan: binary.BigEndian.Uint32(start[:]) % 999_999}, nil
}

// Next gives a reference ("GL", the Indian date and 50 random bits) and the next
// STAN, 000001 to 999999. The reference may be in use: the store's unique index
// decides (ErrTaken).
func (g *ReferenceGenerator) Next(now time.Time) (reference, stan string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var bits [7]byte
	if _, err := io.ReadFull(g.rand, bits[:]); err != nil {
		return "", "", fmt.Errorf("generate a reference: %w", err)
	}
	g.stan = g.stan%999_999 + 1
	var room [32]byte // one string is allocated, not one for each part
	text := now.In(ist.Zone()).AppendFormat(append(room[:0], "GL"...), "060102")
	text = append(text, CrockfordText(bits[:])[:10]...)
	return string(text), strconv.Itoa(1_000_000 + int(g.stan))[1:], nil // the STAN with all its zeros
}
