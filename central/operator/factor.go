package operator

import (
	"crypto/subtle"
	"encoding/base32"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"

	"galla/shared/secret"
)

// The second factor, as every authenticator on a telephone has it: six digits of
// HMAC-SHA-1 over the number of the half minute (RFC 6238).
const (
	period     = 30 * time.Second
	drift      = 1  // half minutes that the telephone's clock may be off, each way
	factorSize = 20 // bytes, the hash's size (RFC 4226, section 4)
	codeDigits = 6
	issuer     = "Galla"
)

var b32 = base32.StdEncoding.WithPadding(base32.NoPadding)

// Factor is the secret of somebody's second factor.
type Factor struct {
	login string
	key   secret.Key
}

func newFactor(login string, rand io.Reader) (Factor, error) {
	raw := make([]byte, factorSize)
	if _, err := io.ReadFull(rand, raw); err != nil {
		return Factor{}, fmt.Errorf("draw the secret of a second factor: %w", err)
	}
	return Factor{login, secret.NewKey(raw)}, nil
}

// Text is the secret as people type it into an authenticator.
func (f Factor) Text() secret.Token { return secret.NewToken(b32.EncodeToString(f.key.Reveal())) }

// URI is the secret as an authenticator scans it.
func (f Factor) URI() secret.Token {
	return secret.NewToken("otpauth://totp/" + url.PathEscape(issuer+":"+f.login) + "?issuer=" + issuer +
		"&algorithm=SHA1&digits=6&period=30&secret=" + b32.EncodeToString(f.key.Reveal()))
}

// code gives the code of a half minute.
func (f Factor) code(step int64) (string, error) {
	return hotp.GenerateCodeCustom(b32.EncodeToString(f.key.Reveal()), uint64(step),
		hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
}

// CodeAt gives the code of a moment.
func (f Factor) CodeAt(at time.Time) (secret.OTP, error) {
	text, err := f.code(stepOf(at))
	return secret.NewOTP(text), err
}

func stepOf(at time.Time) int64 { return at.Unix() / int64(period/time.Second) }

// step gives the half minute that a code is of, of those around now that were
// not used; 0: of none. It looks at all of them, whatever it finds.
func (f Factor) step(typed secret.OTP, now time.Time, used int64) (int64, error) {
	given := strings.Join(strings.Fields(typed.Reveal()), "")
	var found int64
	for n := stepOf(now) - drift; n <= stepOf(now)+drift; n++ {
		want, err := f.code(n)
		if err != nil {
			return 0, fmt.Errorf("make a code of the second factor: %w", err)
		}
		if subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1 && n > used {
			found = n
		}
	}
	return found, nil
}
