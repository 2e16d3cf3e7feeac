package form

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

// Fingerprints gives the fingerprint of a call's body, and for routes whose OTP
// is no part of what makes two bodies the same, the one that earlier releases gave
// it (zero for all others). A refund is known by its transfer and nothing else.
func Fingerprints(key secret.Key, route op.RouteID, merchant central.MerchantID, body []byte) (print, former [32]byte, err error) {
	print, err = Fingerprint(key, route, merchant, body)
	if err != nil || route != op.Transfer && route != op.Refund {
		return print, [32]byte{}, err
	}
	values, err := Decode(body)
	if err != nil {
		return print, former, err
	}
	former = print
	kept := Values{}
	for name, v := range values {
		if route == op.Transfer && name != "otp" || name == "transactionId" || name == "refId" {
			kept[name] = v
		}
	}
	rest, err := json.Marshal(kept)
	if err != nil {
		return print, former, fmt.Errorf("body of %s without its OTP: %w", route, errCanonical)
	}
	print, err = Fingerprint(key, route+" without OTP", merchant, rest)
	return print, former, err
}

// Fingerprint tells two bodies apart without keeping them: HMAC-SHA-256 over
// the route, the acting merchant and the body's canonical form (RFC 8785, but
// for its floats: Exact), so that order, white space and spellings of one number
// make no difference, and any digit does. The key keeps anyone who reads the
// database from trying Aadhaar numbers.
func Fingerprint(key secret.Key, route op.RouteID, merchant central.MerchantID, body []byte) ([32]byte, error) {
	canonical := jsontext.Value(bytes.Clone(body))
	if len(bytes.TrimSpace(body)) == 0 {
		canonical = jsontext.Value("{}")
	}
	canonical, err := Exact(canonical)
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
