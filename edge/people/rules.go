package people

import (
	"errors"
	"strings"
	"unicode"

	"galla/shared/printable"
	"galla/shared/secret"
)

// What a step is refused for. Pages have words for each.
var (
	ErrNotOwner  = errors.New("only a working owner may do this")
	ErrLastOwner = errors.New("the counter needs a working owner; make another operator an owner first")
	ErrName      = errors.New("a name has 1 to 40 letters, spaces, dots, hyphens or apostrophes")
	ErrNameTaken = errors.New("another operator has this name; records could not tell them apart")
	ErrRole      = errors.New("a role is owner or operator")
	ErrPINLength = errors.New("a PIN has 4 to 12 digits")
	ErrPINEasy   = errors.New("this PIN is among the first that anyone tries; choose digits that neither repeat nor follow one another")
	ErrPINSame   = errors.New("the new PIN is the old one; choose another")
	ErrTooMany   = errors.New("the counter has as many operators as it can keep; put out one who left")
	ErrLeft      = errors.New("this operator was put out; take the operator in again first")
	ErrPINOwn    = errors.New("an own PIN is changed with the old one, whoever owns the counter")
	// ErrPINGiven is told of the right PIN, where somebody else set it and so
	// knows it.
	ErrPINGiven  = errors.New("this PIN was set by an owner; the operator chooses an own one first")
	ErrNoAadhaar = errors.New("the operator's Aadhaar number is not kept here; an owner enters it")
)

// Limits of what is kept.
const (
	// MaxWorking bounds the operators who can unlock the counter: the unlock
	// page shows each as a button.
	MaxWorking = 12
	// maxPeople bounds all that were ever here, so that the list stays a small
	// value of the store.
	maxPeople = 200
	// MaxName bounds a name, in characters.
	MaxName = 40
	// MinPIN and MaxPIN bound a PIN, in digits.
	MinPIN, MaxPIN = 4, 12
)

// CheckNewPIN tells whether a PIN may be chosen: ErrPINLength, ErrPINEasy. It
// never asks whether another operator has it: that would tell.
func CheckNewPIN(pin secret.OTP) error {
	digits := pin.Reveal()
	if len(digits) < MinPIN || len(digits) > MaxPIN || strings.Trim(digits, "0123456789") != "" {
		return ErrPINLength
	}
	if repeats(digits) || follows(digits, 1) || follows(digits, 9) {
		return ErrPINEasy
	}
	return nil
}

// repeats tells whether a shorter piece, said again and again, makes the digits:
// 0000, 1212, 123123.
func repeats(digits string) bool {
	for n := 1; n <= len(digits)/2; n++ {
		if len(digits)%n == 0 && strings.Repeat(digits[:n], len(digits)/n) == digits {
			return true
		}
	}
	return false
}

// follows tells whether each digit is the one before plus step, after 9 comes 0:
// 1234, 7890, and with a step of 9 backwards.
func follows(digits string, step byte) bool {
	for i := 1; i < len(digits); i++ {
		if (digits[i-1]-'0'+step)%10 != digits[i]-'0' {
			return false
		}
	}
	return true
}

// cleanName gives a name with single spaces, or ErrName. Digits are refused, so
// that no Aadhaar or mobile number can end up in a name.
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
