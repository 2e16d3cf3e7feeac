package users

import (
	"errors"
	"strings"
	"unicode"

	"galla/shared/printable"
	"galla/shared/secret"
)

// Why a change is refused. The pages have texts for each.
var (
	ErrNotOwner     = errors.New("only a working owner may do this")
	ErrLastOwner    = errors.New("the counter needs a working owner; make another user an owner first")
	ErrName         = errors.New("a name has 1 to 40 letters, spaces, dots, hyphens or apostrophes")
	ErrNameTaken    = errors.New("another user has this name")
	ErrRole         = errors.New("a role is owner or operator")
	ErrPINLength    = errors.New("a PIN has 4 to 12 digits")
	ErrPINEasy      = errors.New("this PIN is among the first that anyone tries; choose digits that neither repeat nor follow one another")
	ErrPINSame      = errors.New("the new PIN is the old one; choose another")
	ErrTooManyUsers = errors.New("the counter has too many users; disable one who left")
	ErrDisabled     = errors.New("this user is disabled; enable the user first")
	ErrOwnPIN       = errors.New("an own PIN is changed with the old one, whoever owns the counter")
	// ErrPINMustChange reports a right PIN that somebody else set and so knows.
	ErrPINMustChange = errors.New("this PIN was set by an owner; the user has to choose an own one first")
)

// Limits.
const (
	// MaxEnabled bounds the enabled users: the unlock page shows each as a button.
	MaxEnabled = 12
	// maxUsers bounds all that were ever here, so that the list stays a small
	// value of the store.
	maxUsers = 200
	// MaxName bounds a name, in characters.
	MaxName = 40
	// MinPIN and MaxPIN bound a PIN, in digits.
	MinPIN, MaxPIN = 4, 12
)

// CheckNewPIN reports whether a PIN may be chosen: ErrPINLength, ErrPINEasy. It
// does not compare with other users' PINs, which would reveal them.
func CheckNewPIN(pin secret.OTP) error {
	digits := pin.Reveal()
	if len(digits) < MinPIN || len(digits) > MaxPIN || strings.Trim(digits, "0123456789") != "" {
		return ErrPINLength
	}
	if isRepetition(digits) || isSequence(digits, 1) || isSequence(digits, 9) {
		return ErrPINEasy
	}
	return nil
}

// isRepetition reports whether a shorter sequence, repeated, makes the digits:
// 0000, 1212, 123123.
func isRepetition(digits string) bool {
	for n := 1; n <= len(digits)/2; n++ {
		if len(digits)%n == 0 && strings.Repeat(digits[:n], len(digits)/n) == digits {
			return true
		}
	}
	return false
}

// isSequence reports whether each digit is the one before plus step, with 0 after
// 9: 1234, 7890; a step of 9 is backwards.
func isSequence(digits string, step byte) bool {
	for i := 1; i < len(digits); i++ {
		if (digits[i-1]-'0'+step)%10 != digits[i]-'0' {
			return false
		}
	}
	return true
}

// cleanName returns a name with single spaces, or ErrName. Digits are refused, so
// that no Aadhaar or mobile number becomes a name.
func cleanName(name string) (string, error) {
	name, err := printable.Name(name, len(name)+1)
	if err != nil {
		return "", ErrName
	}
	name = strings.Join(strings.Fields(name), " ")
	letters := 0
	for _, r := range name {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsMark(r), strings.ContainsRune(" .-'’\u200c\u200d", r):
		default:
			return "", ErrName
		}
	}
	if letters == 0 || len([]rune(name)) > MaxName {
		return "", ErrName
	}
	return name, nil
}
