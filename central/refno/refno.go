// Package refno draws the names of requests at the bank network: our reference,
// which no two requests share, and the system trace audit number of ISO 8583.
//
// It promises that a reference is a date and 50 random bits, readable over the
// telephone, and nothing about its being free: whoever records it finds that out.
package refno

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"time"
)

// india is the zone of every date that people in the trade read. It has no
// daylight saving, so a fixed zone is exact.
var india = time.FixedZone("IST", 5*3600+1800)

// crockford leaves out the letters that are taken for digits when a reference
// is read over the telephone.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// Text writes bits as they are read over the telephone.
func Text(bits []byte) string { return crockford.EncodeToString(bits) }

// Drawer gives out references and STANs.
type Drawer struct {
	rand io.Reader
	mu   sync.Mutex
	stan uint32
}

// New makes a drawer; the first STAN is any.
func New(rand io.Reader) (*Drawer, error) {
	var start [4]byte
	if _, err := io.ReadFull(rand, start[:]); err != nil {
		return nil, fmt.Errorf("draw the first STAN: %w", err)
	}
	return &Drawer{rand: rand, stan: binary.BigEndian.Uint32(start[:]) % 999_999}, nil
}

// Next gives a reference, "GL", the Indian date and 50 random bits, and the
// next system trace audit number, 000001 to 999999.
func (d *Drawer) Next(now time.Time) (reference, stan string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var bits [7]byte
	if _, err := io.ReadFull(d.rand, bits[:]); err != nil {
		return "", "", fmt.Errorf("draw a reference: %w", err)
	}
	d.stan = d.stan%999_999 + 1
	text := Text(bits[:])[:10]
	return "GL" + now.In(india).Format("060102") + text, fmt.Sprintf("%06d", d.stan), nil
}
