// Package printable checks names, addresses and remarks that people enter. Both halves
// use it, so that the counter never asks for a fingerprint with a name that the central
// then refuses.
//
// It promises that a text which passed shows everything that it contains, on one line
// and in its own order, and is no spreadsheet formula; and that a cell made by Cell is
// no formula either.
package printable

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Why a name is refused.
var (
	ErrLength  = errors.New("must have at least one character and not more than the field takes")
	ErrHidden  = errors.New("must not contain control characters, or others that cannot be seen")
	ErrFormula = errors.New("must not begin as a spreadsheet's formula does: with =, @, + or -")
)

// Lengths of names, in characters.
const (
	MaxName    = 100
	MaxAddress = 200
)

// fields are the interface's fields that are checked by Name, with their lengths
// (interface.md, section 2.12).
var fields = map[string]int{
	"CustomerName": MaxName, "name": MaxName, "shopName": MaxName, "receivername": MaxName, "account_holder_name": MaxName,
	"city": MaxName, "state": MaxName, "branch_contact": MaxName, "remarks": MaxName, "address": MaxAddress,
}

// Fields returns the interface's fields that hold a name, with their lengths.
func Fields() map[string]int {
	out := make(map[string]int, len(fields))
	for name, most := range fields {
		out[name] = most
	}
	return out
}

// Name returns a text without blanks at its ends, if it is a valid name of at most max
// characters. Errors are ErrLength, ErrHidden and ErrFormula.
func Name(text string, max int) (string, error) {
	text = strings.TrimSpace(text)
	switch n := utf8.RuneCountInString(text); {
	case n < 1 || n > max:
		return "", ErrLength
	case hasHidden(text):
		return "", ErrHidden
	case formula(text):
		return "", ErrFormula
	}
	return text, nil
}

func hasHidden(text string) bool {
	if !utf8.ValidString(text) {
		return true
	}
	before := rune(-1)
	for _, r := range text {
		if hidden(r) && !(joiner(r) && takesJoiner(before)) {
			return true
		}
		before = r
	}
	return false
}

// hidden reports whether a character is invisible, breaks the line, or changes the
// order of others: controls, format characters (also bidirectional ones and those of
// width zero), line separators, fillers, and what Unicode does not define.
func hidden(r rune) bool {
	switch {
	case r == ' ':
		return false
	case r == unicode.ReplacementChar, r == '\u2800': // an empty Braille cell
		return true
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Bidi_Control):
		return true
	}
	return !unicode.IsGraphic(r) || unicode.In(r, unicode.Zl, unicode.Zp)
}

// joiner reports whether r is one of the two characters with which Indian scripts
// choose the form of a letter.
func joiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

func takesJoiner(before rune) bool {
	return unicode.In(before, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
		unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala)
}

// formula reports whether a name begins as a formula. A hyphen alone and a telephone
// number with its plus are none: people write both.
func formula(text string) bool {
	first, size := utf8.DecodeRuneInString(text)
	switch first {
	case '=', '@', '＝', '＠':
		return true
	case '+', '-', '＋', '－':
		return strings.Trim(text[size:], "0123456789 -()") != ""
	}
	return false
}

// Line returns a text on one line: invisible characters become blanks.
func Line(text string) string {
	before := rune(-1)
	return strings.Map(func(r rune) rune {
		was := before
		before = r
		if hidden(r) && !(joiner(r) && takesJoiner(was)) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
}

// Cell returns a text as a cell for spreadsheets: on one line, with an apostrophe in
// front if it would be a formula.
func Cell(text string) string {
	text = Line(text)
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text, unicode.IsSpace))
	if strings.ContainsRune("=+-@＝＋－＠|%", first) && first != utf8.RuneError {
		return "'" + text
	}
	return text
}
