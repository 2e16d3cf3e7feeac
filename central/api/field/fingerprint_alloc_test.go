//go:build !race

package field

import (
	"bytes"
	"strings"
	"testing"

	"galla/shared/op"
	"galla/shared/secret"
)

// The race detector allocates, too, so this test is not built with it.

// TestFingerprintAllocations: a fingerprint copies nothing of the body.
func TestFingerprintAllocations(t *testing.T) {
	key := secret.NewMAC(secret.NewKey(bytes.Repeat([]byte{7}, 32)))
	values, err := Decode([]byte(`{"AadharNo":"999941057058","TxnAmount":500,"PidData":"` + strings.Repeat("x", 1<<16) + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = Fingerprint(key, op.Withdrawal, "m", values) }); n > 0 {
		t.Errorf("a fingerprint allocates %v times", n)
	}
}
