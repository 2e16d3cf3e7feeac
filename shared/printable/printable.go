// Package printable has the one rule on texts that people give a person, a
// place or a thing: names, addresses, remarks. Both halves judge by it, so that
// the counter never asks a customer for a finger with a name that the central
// then refuses.
//
// It promises that a text which passed shows all that it holds, on one line and
// in its own order, and is no formula to a spreadsheet; and that a cell made by
// Cell is none either, whatever it was made of.
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

// fields are the names of the interface's fields that are read by the rule, and
// how many characters each takes at most.
var fields = map[string]int{
	"CustomerName": MaxName, "name": MaxName, "shopName": MaxName, "receivername": MaxName, "account_holder_name": MaxName,
	"city": MaxName, "state": MaxName, "branch_contact": MaxName, "remarks": MaxName, "address": MaxAddress,
}

// Fields gives the interface's fields that hold a name, and each one's length.
func Fields() map[string]int {
	out := make(map[string]int, len(fields))
	for name, most := range fields {
		out[name] = most
	}
	return out
}

// Name gives a text without the space around it, if it may be a name of at most
// max characters. ErrLength, ErrHidden, ErrFormula.
func Name(text string, max int) (string, error) {
	text = strings.TrimSpace(text)
	switch n := utf8.RuneCountInString(text); {
	case n < 1 || n > max:
		return "", ErrLength
	case hides(text):
		return "", ErrHidden
	case formula(text):
		return "", ErrFormula
	}
	return text, nil
}

// hides tells whether a text has a character that nobody sees.
func hides(text string) bool {
	if !utf8.ValidString(text) {
		return true
	}
	before := rune(-1)
	for _, r := range text {
		if hidden(r) && !(joiner(r) && joins(before)) {
			return true
		}
		before = r
	}
	return false
}

// hidden tells whether a character shows nothing, breaks the line, or turns the
// order of others: controls, format characters (among them the bidirectional
// ones and those without width), line separators, fillers, and what Unicode does
// not know.
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

// joiner tells whether r is one of the two characters by which Indian scripts
// choose the form of a letter.
func joiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// joins tells whether a joiner means something after a character.
func joins(before rune) bool {
	return unicode.In(before, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
		unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala)
}

// formula tells whether a name begins as a formula. A hyphen alone and a
// telephone number with its plus are none: people write both.
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

// Line gives a text on one line: what can't be seen is a space.
func Line(text string) string {
	before := rune(-1)
	return strings.Map(func(r rune) rune {
		was := before
		before = r
		if hidden(r) && !(joiner(r) && joins(was)) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
}

// Cell gives a text as a cell of a table for spreadsheets: on one line, and with
// an apostrophe before what one would take for a formula.
func Cell(text string) string {
	text = Line(text)
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text, unicode.IsSpace))
	if strings.ContainsRune("=+-@＝＋－＠|%", first) && first != utf8.RuneError {
		return "'" + text
	}
	return text
}
