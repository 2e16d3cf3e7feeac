package staff

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

// The second factor is TOTP (RFC 6238) with what every authenticator supports: six
// digits, HMAC-SHA-1, steps of 30 seconds.
const (
	period     = 30 * time.Second
	drift      = 1  // steps that the telephone's clock may be off, each way
	factorSize = 20 // bytes, the hash's size (RFC 4226, section 4)
	codeDigits = 6
	issuer     = "Galla"
)

var b32 = base32.StdEncoding.WithPadding(base32.NoPadding)

// Factor is the secret of a member's second factor.
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

// code returns the code of a time step.
func (f Factor) code(step int64) (string, error) {
	return hotp.GenerateCodeCustom(b32.EncodeToString(f.key.Reveal()), uint64(step),
		hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
}

// CodeAt returns the code of a moment.
func (f Factor) CodeAt(at time.Time) (secret.OTP, error) {
	text, err := f.code(stepOf(at))
	return secret.NewOTP(text), err
}

func stepOf(at time.Time) int64 { return at.Unix() / int64(period/time.Second) }

// step returns the time step of a code, among those around now and after the used one;
// 0: none. It compares with all of them, so that the time says nothing.
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
