package central

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

// drawer gives out references and STANs.
type drawer struct {
	rand io.Reader
	mu   sync.Mutex
	stan uint32
}

func newDrawer(rand io.Reader) (*drawer, error) {
	var start [4]byte
	if _, err := io.ReadFull(rand, start[:]); err != nil {
		return nil, fmt.Errorf("draw the first STAN: %w", err)
	}
	return &drawer{rand: rand, stan: binary.BigEndian.Uint32(start[:]) % 999_999}, nil
}

// next gives a reference, "GL", the Indian date and 50 random bits, and the
// next system trace audit number, 000001 to 999999.
func (d *drawer) next(now time.Time) (Reference, string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var bits [7]byte
	if _, err := io.ReadFull(d.rand, bits[:]); err != nil {
		return "", "", fmt.Errorf("draw a reference: %w", err)
	}
	d.stan = d.stan%999_999 + 1
	text := crockford.EncodeToString(bits[:])[:10]
	return Reference("GL" + now.In(india).Format("060102") + text), fmt.Sprintf("%06d", d.stan), nil
}
