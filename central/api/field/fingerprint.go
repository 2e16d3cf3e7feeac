package field

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/op"
	"galla/shared/secret"
)

// Fingerprint tells two bodies apart without storing them: HMAC-SHA-256 over the
// route, the acting merchant and the body's canonical form (RFC 8785, but for its
// floats, see Canonical). Order, white space and the spelling of a number make no
// difference, any digit does. The key keeps a reader of the database from trying
// Aadhaar numbers.
//
// The OTP of a transfer or refund is left out, so that a request with another OTP
// is the same request. Of a refund only transactionId and refId count
// (interface.md, section 3.5).
func Fingerprint(key secret.Key, route op.RouteID, merchant central.MerchantID, body []byte) ([32]byte, error) {
	if route != op.Transfer && route != op.Refund {
		return fingerprint(key, route, merchant, body)
	}
	values, err := Decode(body)
	if err != nil {
		return [32]byte{}, err
	}
	kept := Values{}
	for name, v := range values {
		if route == op.Transfer && name != "otp" || name == "transactionId" || name == "refId" {
			kept[name] = v
		}
	}
	rest, err := json.Marshal(kept)
	if err != nil {
		return [32]byte{}, fmt.Errorf("body of %s without its OTP: %w", route, errCanonical)
	}
	return fingerprint(key, route+" without OTP", merchant, rest)
}

func fingerprint(key secret.Key, route op.RouteID, merchant central.MerchantID, body []byte) ([32]byte, error) {
	canonical := jsontext.Value(bytes.Clone(body))
	if len(bytes.TrimSpace(body)) == 0 {
		canonical = jsontext.Value("{}")
	}
	canonical, err := Canonical(canonical)
	if err != nil {
		return [32]byte{}, fmt.Errorf("canonical form of the body of %s: %w", route, errCanonical)
	}
	mac := hmac.New(sha256.New, key.Reveal())
	fmt.Fprintf(mac, "galla/fingerprint/v1\n%s\n%s\n", route, merchant)
	mac.Write(canonical)
	return [32]byte(mac.Sum(nil)), nil
}

// errCanonical stands for the JSON library's error, which could quote a body.
var errCanonical = errors.New("it is not one JSON value")
