package services

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"galla/central/bank/network"
)

// Limits of texts that are kept, in characters of any script, and of account
// numbers, in digits. They are the interface's or wider.
const (
	maxName    = 100
	maxText    = 254 // an e-mail address; a postal address or a remark has 200 at most
	maxAccount = 20  // Indian banks use 9 to 18 digits
	minAccount = 5
)

// firstInvalid names the first particular that a kind needs and that is missing or
// malformed; empty: none.
func firstInvalid(checks ...check) string {
	for _, c := range checks {
		if !c.ok {
			return c.field
		}
	}
	return ""
}

// check is one field, judged.
type check struct {
	field string
	ok    bool
}

func digits(s string, least, most int) bool {
	return len(s) >= least && len(s) <= most && strings.Trim(s, "0123456789") == ""
}

func isMobile(field, s string) check { return check{field, digits(s, 10, 10)} }

// orMobile lets a mobile number be absent.
func orMobile(field, s string) check { return check{field, s == "" || digits(s, 10, 10)} }

func isName(field, s string) check {
	return check{field, strings.TrimSpace(s) != "" && utf8.RuneCountInString(s) <= maxName && printable(s)}
}

// isText lets a text be absent.
func isText(field, s string) check {
	return check{field, utf8.RuneCountInString(s) <= maxText && printable(s)}
}

// printable tells whether a text has no control characters, line feeds
// included: it goes into messages of one line.
func printable(s string) bool { return !strings.ContainsFunc(s, unicode.IsControl) }

func isAccount(s string) check {
	return check{"account number", digits(s, minAccount, maxAccount)}
}

// isIFSC wants four letters, a zero and six letters or digits (RBI's Indian
// Financial System Code).
func isIFSC(s string) check {
	ok := len(s) == 11 && s[4] == '0'
	for i, c := range []byte(s) {
		letter, digit := c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
		ok = ok && (letter || digit && i >= 4)
	}
	return check{"IFSC", ok}
}

// isPAN wants five letters, four digits and a letter (Income Tax Department).
func isPAN(s string) check {
	ok := len(s) == 10
	for i, c := range []byte(s) {
		if i >= 5 && i < 9 {
			ok = ok && c >= '0' && c <= '9'
		} else {
			ok = ok && c >= 'A' && c <= 'Z'
		}
	}
	return check{"PAN", ok}
}

// maskPAN shows the first three and the last two characters of a PAN.
func maskPAN(pan string) string { return pan[:3] + "XXXXX" + pan[8:] }

// isBirthDate wants a day before now.
func isBirthDate(s string, now time.Time) check {
	day, err := time.Parse(time.DateOnly, s)
	return check{"date of birth", err == nil && day.Before(now) && day.Year() >= 1900}
}

// isParty judges what correspondents and their agents have in common.
func isParty(p network.Particulars) string {
	return firstInvalid(isName("name", p.Name), isMobile("mobile number", p.Mobile), isPAN(p.PAN), isText("email", p.Email),
		isText("address", p.Address), isText("city", p.City), isText("state", p.State), check{"pincode", p.Pincode == "" || digits(p.Pincode, 6, 6)})
}
