package contract

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/form"
	"galla/shared/op"
	"galla/shared/secret"
)

// fingerprint tells two bodies apart without keeping them: HMAC-SHA-256 over
// the route, the acting merchant and the body's canonical form (RFC 8785, but
// for its floats: form.Exact), so that order, white space and spellings of one
// number make no difference, and any digit does. The key keeps anyone who reads
// the database from trying Aadhaar numbers.
func fingerprint(key secret.Key, route op.RouteID, merchant central.MerchantID, body []byte) ([32]byte, error) {
	canonical := jsontext.Value(bytes.Clone(body))
	if len(bytes.TrimSpace(body)) == 0 {
		canonical = jsontext.Value("{}")
	}
	canonical, err := form.Exact(canonical)
	if err != nil {
		return [32]byte{}, fmt.Errorf("canonical form of the body of %s: %w", route, errCanonical)
	}
	mac := hmac.New(sha256.New, key.Reveal())
	fmt.Fprintf(mac, "galla/fingerprint/v1\n%s\n%s\n", route, merchant)
	mac.Write(canonical)
	return [32]byte(mac.Sum(nil)), nil
}
