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

// bankCodes is the table of domain.md, one line a code, in its order. Codes with
// the same meaning or advice share the text of the first of them.
var bankCodes = []Code{
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
	{"40", ClassUncertain, "22", "22"},
	{"41", ClassUncertain, "22", "22"},
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
	{"VB", ClassRetry, "VB", "VB"},
	{"VZ", ClassRetry, "VB", "VB"},
	{"W6", ClassRetry, "VB", "VB"},

	{"V0", ClassRetry, "V0", "V0"},
	{"V1", ClassRetry, "V1", "V0"},
	{"OQ", ClassRetry, "OQ", "V0"},
	{"V2", ClassRetry, "V2", "V2"},

	{"V3", ClassRetry, "V3", "V3"},
	{"U4", ClassRetry, "V3", "V3"},
	{"VU", ClassRetry, "V3", "V3"},
	{"VV", ClassRetry, "V3", "V3"},
	{"W4", ClassRetry, "V3", "V3"},
	{"VT", ClassRetry, "V3", "V3"},

	{"U6", ClassSupport, "U6", "U6"},
	{"X2", ClassSupport, "U6", "U6"},
	{"X3", ClassSupport, "U6", "U6"},
	{"WF", ClassSupport, "U6", "U6"},
	{"WG", ClassSupport, "U6", "U6"},
	{"WH", ClassSupport, "U6", "U6"},
	{"WI", ClassSupport, "U6", "U6"},
	{"WU", ClassSupport, "U6", "U6"},
	{"WX", ClassSupport, "U6", "U6"},
	{"WY", ClassSupport, "U6", "U6"},

	{"WA", ClassFinal, "WA", "WA"},
	{"KT", ClassFinal, "WA", "WA"},
	{"KU", ClassFinal, "WA", "WA"},
	{"X7", ClassFinal, "WA", "WA"},
	{"X8", ClassFinal, "WA", "WA"},
	{"X9", ClassFinal, "WA", "WA"},
	{"WS", ClassFinal, "WA", "WA"},

	{"UI", ClassRetryLater, "UI", "08"},
	{"US", ClassRetryLater, "US", "08"},
	{"UT", ClassRetryLater, "US", "08"},
	{"UU", ClassRetryLater, "US", "08"},
	{"UV", ClassRetryLater, "US", "08"},
	{"VM", ClassRetryLater, "US", "08"},
	{"VN", ClassRetryLater, "US", "08"},
	{"VO", ClassRetryLater, "US", "08"},
	{"VP", ClassRetryLater, "US", "08"},
	{"VQ", ClassRetryLater, "US", "08"},
	{"VR", ClassRetryLater, "US", "08"},
}

// BankCodes returns the table of AEPS response codes.
func BankCodes() []Code { return slices.Clone(bankCodes) }

// Lookup finds a code of a family. Codes of the other families have no texts of
// their own: the operation's state has them.
func Lookup(f Family, code string) Code {
	if f == FamilyBank {
		return BankCode(code)
	}
	code = normalizeCode(code)
	for _, c := range otherCodes[f] {
		if c.Code == code {
			return c
		}
	}
	return Code{Code: code, Class: ClassUnknown}
}

// otherCodes are the codes of the other families, in the order of interface.md.
var otherCodes = map[Family][]Code{
	FamilyTransfer: {
		{Code: "00", Class: ClassApproved}, {Code: "55", Class: ClassRetry}, {Code: "V0", Class: ClassRetry},
		{Code: "05", Class: ClassFinal}, {Code: "12", Class: ClassFinal}, {Code: "13", Class: ClassFinal}, {Code: "30", Class: ClassSupport},
		{Code: "51", Class: ClassSupport}, {Code: "52", Class: ClassFinal}, {Code: "57", Class: ClassFinal}, {Code: "61", Class: ClassFinal}, {Code: "76", Class: ClassFinal},
		{Code: "91", Class: ClassRetryLater}, {Code: "96", Class: ClassRetryLater},
		{Code: "22", Class: ClassUncertain}, {Code: "68", Class: ClassUncertain}, {Code: "94", Class: ClassUncertain},
	},
	FamilyCentral: {
		{Code: "01", Class: ClassFinal}, {Code: "02", Class: ClassSupport}, {Code: "03", Class: ClassSupport}, {Code: "04", Class: ClassFinal},
		{Code: "05", Class: ClassFinal}, {Code: "06", Class: ClassSupport}, {Code: "07", Class: ClassRetryLater}, {Code: "09", Class: ClassSupport},
		{Code: "10", Class: ClassRetryLater}, {Code: "500", Class: ClassRetryLater},
	},
}

// Codes returns the codes of a family.
func Codes(f Family) []Code {
	if f == FamilyBank {
		return BankCodes()
	}
	return slices.Clone(otherCodes[f])
}

// TextKeys returns the keys of a bank code's meaning and advice.
func (c Code) TextKeys() (meaning, advice string) {
	return "code." + c.meaning + ".meaning", "code." + c.advice + ".advice"
}

// maxCode bounds how much of an unknown code is shown, in characters; real ones
// have two.
const maxCode = 8

// BankCode finds a response code as the bank sent it, in any case and with white
// space. A code that is not in the table is of ClassUnknown.
func BankCode(code string) Code {
	code = normalizeCode(code)
	if i := slices.IndexFunc(bankCodes, func(c Code) bool { return c.Code == code }); i >= 0 {
		return bankCodes[i]
	}
	if code == "" {
		return Code{Class: ClassUnknown, meaning: "none", advice: "none"}
	}
	return Code{Code: code, Class: ClassUnknown, meaning: "unknown", advice: "unknown"}
}

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
