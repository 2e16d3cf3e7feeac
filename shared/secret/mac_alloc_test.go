//go:build !race

package secret

import (
	"hash"
	"io"
	"testing"
)

// TestMACAllocations: a sum allocates nothing beside what its text does. The race
// detector allocates, too, so this test is not built with it.
func TestMACAllocations(t *testing.T) {
	m := NewMAC(NewKey(make([]byte, 32)))
	n := testing.AllocsPerRun(100, func() {
		m.Sum(func(mac hash.Hash) {
			_, _ = io.WriteString(mac, "text")
			mac.Write([]byte{'!'})
		})
	})
	if n > 1 { // the slice of one byte
		t.Errorf("a sum allocates %v times", n)
	}
}
