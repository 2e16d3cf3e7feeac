package outcome

import (
	"slices"
	"strings"

	"galla/shared/op"
)

// Family is the system that defines a code. The same number means different
// things in each: 55 is a wrong one-time password for a transfer, and unknown to
// AEPS.
type Family string

// The families.
const (
	FamilyBank     Family = "bank"     // ResponseCode of an AEPS transaction: the bank's, NPCI's or UIDAI's
	FamilyTransfer Family = "transfer" // the bank's statusCode of any other route
	FamilyCentral  Family = "central"  // the central's own statusCode, of a reply that is not HTTP 200
)

// FamilyOf returns the family of the code in a reply to an operation.
func FamilyOf(route op.RouteID, http int) Family {
	switch route {
	case op.Withdrawal, op.Balance, op.MiniStatement, op.Purchase, op.ReqAuth:
		if http == 0 || http == 200 {
			return FamilyBank
		}
	}
	if http != 0 && http != 200 {
		return FamilyCentral
	}
	return FamilyTransfer
}

// Class is what a code says about the end of an operation (domain.md, 'AEPS
// response codes and what the agent does').
type Class string

// The classes, with their letters in domain.md.
const (
	// ClassApproved: the code 00. What it means follows from the operation's state.
	ClassApproved Class = "approved"

	// ClassFinal (F): no money moved, and the same request fails again.
	ClassFinal Class = "final"

	// ClassRetry (R): no money moved; a new capture may help.
	ClassRetry Class = "again"

	// ClassRetryLater (L): no money moved; try later, or another bank. The network
	// may also send 91 on silence, which the operation's state tells; the advice
	// fits both.
	ClassRetryLater Class = "later"

	// ClassSupport (S): this counter's set-up is wrong.
	ClassSupport Class = "support"

	// ClassUncertain (P): money may have moved. Never hand out cash for it.
	ClassUncertain Class = "uncertain"

	// ClassUnknown: the code is not in the table. Treated as ClassUncertain.
	ClassUnknown Class = "unknown"
)

// Code is a response code. Its texts never say 'give cash': that follows from
// the operation's state alone.
type Code struct {
	Code  string // in capitals, such as 51 or U3; empty: the bank sent none
	Class Class

	meaning, advice string // the code under which the catalogue has the text
}

// codeRow is codes of one class with the same texts. Codes of the other families have
// no texts of their own: the operation's state has them.
type codeRow struct {
	codes           string // separated by spaces
	class           Class
	meaning, advice string
}

// codes are the codes of each family: of the bank in the order of domain.md, of the
// others in that of interface.md. Meaning and advice are named by the first code that
// has them.
var codes = map[Family][]Code{
	FamilyBank: expand([]codeRow{
		{"00", ClassApproved, "00", "00"},

		{"03", ClassSupport, "03", "03"},
		{"30", ClassSupport, "30", "03"},

		{"05", ClassFinal, "05", "05"},
		{"20", ClassFinal, "20", "05"},
		{"12", ClassFinal, "12", "05"},
		{"13", ClassFinal, "13", "13"},

		{"08", ClassRetryLater, "08", "08"},
		{"90", ClassRetryLater, "90", "08"},
		// A 91 that the network sends on silence is uncertain: a second try waits for the
		// end of the first one.
		{"91", ClassRetryLater, "91", "91"},
		{"96", ClassRetryLater, "96", "08"},

		{"22", ClassUncertain, "22", "22"},
		{"68", ClassUncertain, "68", "22"},
		{"40 41", ClassUncertain, "22", "22"},
		{"71", ClassUncertain, "68", "22"},
		{"94", ClassUncertain, "94", "94"},

		{"51", ClassFinal, "51", "51"},
		{"61", ClassFinal, "61", "51"},
		{"UW", ClassFinal, "UW", "51"},
		{"65", ClassFinal, "65", "65"},

		{"52", ClassFinal, "52", "52"},
		{"53", ClassFinal, "53", "53"},
		{"57", ClassFinal, "57", "05"},
		{"59", ClassFinal, "59", "59"},
		{"76", ClassFinal, "76", "53"},
		{"M3", ClassFinal, "M3", "M3"},
		{"M4", ClassFinal, "M4", "05"},

		{"92", ClassFinal, "92", "92"},
		{"72", ClassSupport, "72", "03"},

		{"U3", ClassRetry, "U3", "U3"},
		{"VB VZ W6", ClassRetry, "VB", "VB"},

		{"V0", ClassRetry, "V0", "V0"},
		{"V1", ClassRetry, "V1", "V0"},
		{"OQ", ClassRetry, "OQ", "V0"},
		{"V2", ClassRetry, "V2", "V2"},

		{"V3 U4 VU VV W4 VT", ClassRetry, "V3", "V3"},

		{"U6 X2 X3 WF WG WH WI WU WX WY", ClassSupport, "U6", "U6"},

		{"WA KT KU X7 X8 X9 WS", ClassFinal, "WA", "WA"},

		{"UI", ClassRetryLater, "UI", "08"},
		{"US UT UU UV VM VN VO VP VQ VR", ClassRetryLater, "US", "08"},
	}),
	FamilyTransfer: expand([]codeRow{
		{codes: "00", class: ClassApproved},
		{codes: "55 V0", class: ClassRetry},
		{codes: "05 12 13", class: ClassFinal},
		{codes: "30 51", class: ClassSupport},
		{codes: "52 57 61 76", class: ClassFinal},
		{codes: "91 96", class: ClassRetryLater},
		{codes: "22 68 94", class: ClassUncertain},
	}),
	FamilyCentral: expand([]codeRow{
		{codes: "01", class: ClassFinal},
		{codes: "02 03", class: ClassSupport},
		{codes: "04 05", class: ClassFinal},
		{codes: "06", class: ClassSupport},
		{codes: "07", class: ClassRetryLater},
		{codes: "09", class: ClassSupport},
		{codes: "10 500", class: ClassRetryLater},
	}),
}

func expand(rows []codeRow) (out []Code) {
	for _, r := range rows {
		for code := range strings.FieldsSeq(r.codes) {
			out = append(out, Code{code, r.class, r.meaning, r.advice})
		}
	}
	return out
}

// Codes returns the codes of a family.
func Codes(f Family) []Code { return slices.Clone(codes[f]) }

// Lookup finds a code as it was sent, in any case and with white space. A code that is
// not in the table is of ClassUnknown.
func Lookup(f Family, code string) Code {
	code = normalizeCode(code)
	if i := slices.IndexFunc(codes[f], func(c Code) bool { return c.Code == code }); i >= 0 {
		return codes[f][i]
	}
	if code == "" {
		return Code{Class: ClassUnknown, meaning: "none", advice: "none"}
	}
	return Code{Code: code, Class: ClassUnknown, meaning: "unknown", advice: "unknown"}
}

// TextKeys returns the keys of a bank code's meaning and advice.
func (c Code) TextKeys() (meaning, advice string) {
	return "code." + c.meaning + ".meaning", "code." + c.advice + ".advice"
}

// maxCode bounds how much of an unknown code is shown, in characters; real ones
// have two.
const maxCode = 8

// normalizeCode keeps letters and digits, in capitals.
func normalizeCode(code string) string {
	code = strings.ToUpper(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, code))
	return code[:min(len(code), maxCode)]
}
