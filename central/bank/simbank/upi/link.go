package upi

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"galla/shared/money"
)

// Limits of a link, the texts in characters.
const (
	maxLink = 2 << 10 // bytes; no QR code holds more
	maxVPA  = 255
	maxTR   = 35
	maxName = 99
	maxNote = 80
)

// linkStart begins every link.
const linkStart = "upi://pay?"

// ErrLink says that a text is no payment link.
var ErrLink = errors.New("must be a link that begins with " + linkStart)

// Link is a payment link, such as a QR code holds.
type Link struct {
	Payee  string      // VPA
	Name   string      // of the payee, as the link says it; empty: it does not
	TR     string      // transaction reference; empty: none
	Note   string      // empty: none
	Amount money.Paise // 0: the payer enters it
}

// ParseLink reads a payment link. Each parameter has a value and occurs once, whatever its
// case, and the currency is the rupee. Parameters that no payer needs are passed over.
// An error quotes names of parameters only.
func ParseLink(text string) (Link, error) {
	query, found := strings.CutPrefix(text, linkStart)
	if !found || len(text) > maxLink {
		return Link{}, ErrLink
	}
	values := map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, err := parameter(pair)
		if err != nil {
			return Link{}, err
		}
		if _, twice := values[name]; twice {
			return Link{}, fmt.Errorf("has the parameter %s twice", name)
		}
		values[name] = value
	}
	return linkOf(values)
}

// parameter reads a pair; the name is in lower case.
func parameter(pair string) (name, value string, err error) {
	name, raw, _ := strings.Cut(pair, "=")
	name = strings.ToLower(name)
	if name == "" || len(name) > 20 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		return "", "", errors.New("has a parameter without a readable name")
	}
	// A plus is a plus here, as payment apps show it.
	value, err = url.PathUnescape(raw)
	switch {
	case err != nil, strings.ContainsAny(raw, "#?"):
		return "", "", fmt.Errorf("has a parameter %s that is not properly escaped", name)
	case value == "":
		return "", "", fmt.Errorf("has a parameter %s without a value", name)
	case !isText(value):
		return "", "", fmt.Errorf("has a parameter %s that is no readable text", name)
	}
	return name, value, nil
}

// isText tells whether a value is UTF-8 without control characters.
func isText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// linkOf checks the values of a link.
func linkOf(values map[string]string) (Link, error) {
	l := Link{Payee: values["pa"], Name: values["pn"], TR: values["tr"], Note: values["tn"]}
	if !ValidVPA(l.Payee) {
		return Link{}, errors.New("must have pa, the payee's VPA")
	}
	for _, check := range []struct {
		name string
		bad  bool
	}{
		{"pn", utf8.RuneCountInString(l.Name) > maxName},
		{"tr", l.TR != "" && !ValidTR(l.TR)},
		{"tn", utf8.RuneCountInString(l.Note) > maxNote},
		{"cu", values["cu"] != "" && values["cu"] != "INR"},
	} {
		if check.bad {
			return Link{}, fmt.Errorf("has a parameter %s that a payment app refuses", check.name)
		}
	}
	if am, has := values["am"]; has {
		amount, err := money.Parse(am)
		if err != nil || amount <= 0 {
			return Link{}, errors.New("has a parameter am that is no amount in rupees above zero")
		}
		l.Amount = amount
	}
	return l, nil
}

// ValidVPA tells whether a text has the form of a VPA: a name, an @ and a handle, in
// printable ASCII.
func ValidVPA(s string) bool {
	name, handle, found := strings.Cut(s, "@")
	return found && name != "" && handle != "" && len(s) <= maxVPA && isPlain(s) && !strings.Contains(handle, "@")
}

// ValidTR tells whether a text can be a transaction reference: at most 35 characters of
// printable ASCII without spaces.
func ValidTR(s string) bool { return s != "" && len(s) <= maxTR && isPlain(s) }

// isPlain tells whether a text is printable ASCII without spaces.
func isPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
