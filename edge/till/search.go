package till

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"galla/edge"
	"galla/edge/words"
	"galla/shared/money"
)

// maxSearch bounds the text of a search, in characters.
const maxSearch = 64

// aadhaarDigits is how long an Aadhaar number is, and a bank's reference (RRN)
// too: which of them was typed can't be told.
const aadhaarDigits = 12

// mobileDigits is how long a mobile number is without its prefix.
const mobileDigits = 10

// countryCode stands before a mobile number that is written in full.
const countryCode = "91"

// Search is what somebody looks for. The zero Search finds everything.
type Search struct {
	text   string // folded
	digits string // of a text that is digits, spaces and dashes only
	ending string // the last four of what may be an Aadhaar number
	mobile string // ten digits that may be a mobile number
	amount money.Paise
	money  bool
}

// ParseSearch reads what was typed into the search box. Of what may be an
// Aadhaar number only the last four digits are looked for, as only they are
// known, and the whole as a bank's reference. secret says that the text may be
// an Aadhaar or a mobile number: it must not be shown again, logged, or put into
// a URL. Nothing is refused: what fits nothing finds nothing.
func ParseSearch(typed string) (s Search, secret bool) {
	typed = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.ToValidUTF8(typed, "")), "+91"))
	if utf8.RuneCountInString(typed) > maxSearch {
		typed = string([]rune(typed)[:maxSearch])
	}
	digits := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return r
		case r == ' ' || r == '-':
			return -1
		}
		return 'x'
	}, typed)
	if strings.Contains(digits, "x") {
		digits = ""
	}
	if len(digits) >= aadhaarDigits {
		s = Search{text: digits, digits: digits}
		if rest, ok := strings.CutPrefix(digits, countryCode); ok && len(rest) == mobileDigits {
			s.mobile = rest // or an Aadhaar number that begins so
		}
		if len(digits) == aadhaarDigits {
			s.ending = digits[aadhaarDigits-4:]
		}
		return s, true
	}
	s = Search{text: fold(typed), digits: digits}
	if rest := strings.TrimPrefix(digits, "0"); len(rest) == mobileDigits {
		s.mobile = rest
		return s, true
	}
	if p, err := words.ParseRupees(typed); err == nil && p > 0 {
		s.amount, s.money = p, true
	}
	return s, hasRun(typed, aadhaarDigits)
}

// hasRun tells whether so many digits stand in a text, side by side or grouped
// by blanks and dashes, as an Aadhaar number beside a name does.
func hasRun(s string, n int) bool {
	run := 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			if run++; run >= n {
				return true
			}
		case !unicode.IsSpace(r) && r != '-':
			run = 0
		}
	}
	return false
}

// Empty tells whether the search finds everything.
func (s Search) Empty() bool { return s == Search{} }

// Match tells whether an operation is looked for: by the last four digits of
// the customer's Aadhaar number, by a reference, RRN or STAN or their end, by
// the customer's mobile number in full, by one that the reply tells, by amount, or
// by a part of the customer's or beneficiary's name or the bank's.
func (s Search) Match(r edge.Record) bool {
	if s.Empty() {
		return true
	}
	if s.money && r.Amount == s.amount {
		return true
	}
	if len(s.digits) == 4 && strings.HasSuffix(r.Aadhaar, s.digits) || s.ending != "" && strings.HasSuffix(r.Aadhaar, s.ending) {
		return true
	}
	if s.mobile != "" && r.Mobile == s.mobile {
		return true
	}
	if s.digits != "" {
		for _, number := range []string{r.Result.RRN, r.Result.STAN, r.Value("mobile_no"), r.Value("mobile")} {
			if number != "" && (number == s.digits || len(s.digits) >= 4 && strings.HasSuffix(number, s.digits)) {
				return true
			}
		}
	}
	if s.text == "" {
		return false
	}
	for _, reference := range []string{r.Result.Reference, r.Value("transactionId"), r.Value("refundId"), string(r.ID)} {
		reference = fold(reference)
		if reference == s.text || utf8.RuneCountInString(s.text) >= 4 && strings.HasSuffix(reference, s.text) {
			return true
		}
	}
	if s.digits != "" {
		return false // numbers are no part of a name
	}
	for _, name := range []string{r.Customer, r.Title, r.BankName} {
		if strings.Contains(fold(name), s.text) {
			return true
		}
	}
	return false
}

func fold(s string) string { return strings.ToLower(strings.TrimFunc(s, unicode.IsSpace)) }

// Find gives the operations that are looked for, in their order, up to limit;
// more says that there are others.
func (s Search) Find(records []edge.Record, limit int) (found []edge.Record, more bool) {
	for _, r := range records {
		if !s.Match(r) {
			continue
		}
		if len(found) == limit {
			return found, true
		}
		found = append(found, r)
	}
	return found, false
}

// maxLook bounds the days of one Look: records are kept for half a year.
const maxLook = 190

// Look gives the operations that are looked for, newest first, from the last
// day back to the first, up to limit; more says that there are others, or that
// the days were more than 190. An error beside them names operations that
// can't be read.
func (t *Till) Look(s Search, first, last Day, limit int) (found []edge.Record, more bool, err error) {
	for day, n := last, 0; day >= first; day, n = day.Add(-1), n+1 {
		if n == maxLook {
			return found, true, err
		}
		var fits []edge.Record
		from, to := day.Span(t.cfg.Offset())
		err = errors.Join(err, t.each(from, to, func(r *edge.Record) {
			if s.Match(*r) {
				fits = append(fits, *r)
			}
		}))
		for _, r := range slices.Backward(fits) {
			if len(found) == limit {
				return found, true, err
			}
			found = append(found, r)
		}
	}
	return found, false, err
}
