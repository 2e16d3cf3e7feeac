package history

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"galla/edge"
	"galla/edge/i18n"
	"galla/shared/ist"
	"galla/shared/money"
)

// maxSearch bounds a search term, in characters.
const maxSearch = 64

// aadhaarDigits is the length of an Aadhaar number, and of a bank's reference (RRN): they
// can't be told apart.
const aadhaarDigits = 12

// mobileDigits is the length of a mobile number without its prefix.
const mobileDigits = 10

// countryCode is the prefix of a full mobile number.
const countryCode = "91"

// searchTerm is a parsed search term. The zero value matches everything.
type searchTerm struct {
	text       string // folded
	digits     string // of a text that is digits, spaces and dashes only
	lastDigits string // the last four digits of a possible Aadhaar number
	mobile     string // a possible mobile number
	amount     money.Paise
	money      bool
}

// parseSearch parses a search term. A possible Aadhaar number is searched by its last four
// digits, which are all that is stored, and whole as a bank's reference. secret says that
// the term may be an Aadhaar or mobile number: it must not be shown again, logged, or put
// into a URL. No term is an error.
func parseSearch(typed string) (s searchTerm, secret bool) {
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
		s = searchTerm{text: digits, digits: digits}
		if rest, ok := strings.CutPrefix(digits, countryCode); ok && len(rest) == mobileDigits {
			s.mobile = rest // or an Aadhaar number with the same beginning
		}
		if len(digits) == aadhaarDigits {
			s.lastDigits = digits[aadhaarDigits-4:]
		}
		return s, true
	}
	s = searchTerm{text: normalize(typed), digits: digits}
	if rest := strings.TrimPrefix(digits, "0"); len(rest) == mobileDigits {
		s.mobile = rest
		return s, true
	}
	if p, err := i18n.ParseRupees(typed); err == nil && p > 0 {
		s.amount, s.money = p, true
	}
	return s, hasRun(typed, aadhaarDigits)
}

// hasRun reports whether a text has n digits in a row, possibly grouped by blanks and
// dashes.
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

// isEmpty reports whether the search matches everything.
func (s searchTerm) isEmpty() bool { return s == searchTerm{} }

// matches reports whether an operation matches: by the last four digits of the Aadhaar
// number, by a reference, RRN or STAN or their end, by the full mobile number of the
// customer or the receiver, or one in the reply, by amount, or by a part of the customer's, beneficiary's or bank's
// name.
func (s searchTerm) matches(r edge.Record) bool {
	if s.isEmpty() {
		return true
	}
	if s.money && r.Amount == s.amount {
		return true
	}
	if len(s.digits) == 4 && strings.HasSuffix(r.Aadhaar, s.digits) || s.lastDigits != "" && strings.HasSuffix(r.Aadhaar, s.lastDigits) {
		return true
	}
	if s.mobile != "" && (r.Mobile == s.mobile || r.ReceiverMobile == s.mobile) {
		return true
	}
	if s.digits != "" {
		for _, number := range []string{r.Result.RRN, r.Result.STAN, r.ReplyValue("mobile_no"), r.ReplyValue("mobile")} {
			if number != "" && (number == s.digits || len(s.digits) >= 4 && strings.HasSuffix(number, s.digits)) {
				return true
			}
		}
	}
	if s.text == "" {
		return false
	}
	for _, reference := range []string{r.Result.Reference, r.ReplyValue("transactionId"), r.ReplyValue("refundId"), string(r.ID)} {
		reference = normalize(reference)
		if reference == s.text || utf8.RuneCountInString(s.text) >= 4 && strings.HasSuffix(reference, s.text) {
			return true
		}
	}
	if s.digits != "" {
		return false // numbers are not parts of names
	}
	for _, name := range []string{r.Customer, r.Title, r.BankName} {
		if strings.Contains(normalize(name), s.text) {
			return true
		}
	}
	return false
}

func normalize(s string) string { return strings.ToLower(strings.TrimFunc(s, unicode.IsSpace)) }

// maxFindDays bounds the days of one search: records are stored for half a year.
const maxFindDays = 190

// find returns the matching operations from last back to first, newest first, up to
// limit; more reports further matches, or more than 190 days. Results beside an error lack
// the operations that can't be read.
func (t *Pages) find(s searchTerm, first, last ist.Day, limit int) (found []edge.Record, more bool, err error) {
	for day, n := last, 0; day >= first; day, n = day.Add(-1), n+1 {
		if n == maxFindDays {
			return found, true, err
		}
		var fits []edge.Record
		err = errors.Join(err, t.book.EachOperation(day, func(r *edge.Record) {
			if s.matches(*r) {
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
