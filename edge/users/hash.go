package users

import (
	"errors"
	"fmt"
	"io"

	"galla/shared/password"
	"galla/shared/secret"
)

// HashPIN makes the argon2id hash of a PIN as PHC text, with a salt drawn from
// rand.
func HashPIN(pin secret.OTP, rand io.Reader) (string, error) {
	return password.Hash(asToken(pin), rand, password.DefaultCost())
}

// asToken is a PIN as hashes take it.
func asToken(pin secret.OTP) secret.Token { return secret.NewToken(pin.Reveal()) }

// VerifyPIN compares a PIN with the PHC text that HashPIN made, now or under other
// costs. It fails where the hash can't be read.
func VerifyPIN(phc string, pin secret.OTP) (bool, error) {
	right, err := password.Verify(phc, asToken(pin))
	if errors.Is(err, password.ErrHash) {
		err = fmt.Errorf("%w; set a new PIN (galla-edge pin, for an owner)", err)
	}
	return right, err
}
