// Package codes says what a bank's response code means, and what the agent at
// the counter does next.
//
// It is data: the table of the AEPS response codes (ISO 8583 with NPCI's and
// UIDAI's additions) from the design's domain notes, that of the codes of money
// transfer, and that of the central's own statusCodes. The same number means
// different things in each: 55 is a wrong one-time password for a transfer, and
// nothing that AEPS knows. A code enters as it was sent, in any case and with
// white space; every code leaves with a meaning, an advice and a class. The table
// never says 'give cash': whether cash may be given follows from an operation's
// state alone, and a code that is not known here means that none is given.
//
// Package told makes an operation's outcome of it, and has the words in all
// languages under the keys that Keys gives.
package codes

import (
	"slices"
	"strings"

	"galla/shared/op"
)

// Family is whose code it is.
type Family string

// The families.
const (
	Bank     Family = "bank"     // ResponseCode of an AEPS transaction: the bank's, NPCI's or UIDAI's
	Transfer Family = "transfer" // the bank's statusCode of any other route
	Central  Family = "central"  // the central's own statusCode, of a reply that is not HTTP 200
)

// FamilyOf tells whose code stands in the reply to an operation of a route.
func FamilyOf(route op.RouteID, http int) Family {
	switch route {
	case op.Withdrawal, op.Balance, op.MiniStatement, op.Purchase, op.ReqAuth:
		if http == 0 || http == 200 {
			return Bank
		}
	}
	if http != 0 && http != 200 {
		return Central
	}
	return Transfer
}

// Class is what kind of end a code is (domain.md, 'AEPS response codes and what
// the agent does').
type Class string

// The classes, with the letters that the design's table has for them.
const (
	// Approved: the code 00. What it means follows from the operation's state.
	Approved Class = "approved"

	// Final (F): nothing moved, and trying the same again does not help.
	Final Class = "final"

	// Again (R): nothing moved; a new capture may help.
	Again Class = "again"

	// Later (L): nothing moved; try later, or another bank. A code 91 may also be
	// the network's own on silence, which the operation's state tells: its advice
	// is true for both.
	Later Class = "later"

	// Support (S): something is wrong with the set-up of this counter.
	Support Class = "support"

	// Uncertain (P): money may have moved. Never hand out cash for it.
	Uncertain Class = "uncertain"

	// Unknown: the code does not stand in the table. Treated as Uncertain.
	Unknown Class = "unknown"
)

// Code is a response code in words for the agent.
type Code struct {
	Code    string // in capitals, such as 51 or U3; empty: the bank sent none
	Class   Class
	Meaning string // a sentence: what the bank says
	Advice  string // what to do next
}

// Advices that several codes share. Each of a code that is not approved begins
// with what must not happen.
const (
	noCash      = "Do not give cash. "
	askBank     = noCash + "The customer asks the bank."
	anotherTry  = noCash + "Begin again with a new capture."
	afterAWhile = noCash + "Try again in some minutes, or with another bank of the customer."
	callSupport = noCash + "Call support and name this code."
	onceMore    = noCash + "Begin again once with a new capture; if it comes back, call support and name this code."
	fixClock    = noCash + "Set this computer's clock right, then begin again with a new capture."
	goByResult  = noCash + "The result that the screen shows for this operation counts. While the bank has not answered, it is followed up by itself: do not start it a second time."
	onceSettled = noCash + "Once the screen says that no money moved, try again in some minutes, or with another bank of the customer."
	unlock      = noCash + "The customer unlocks it with UIDAI (mAadhaar app, uidai.gov.in or 1947) and comes again; an Aadhaar centre helps where that is not possible."
	smaller     = noCash + "Try a smaller amount, if the customer wants."
	renewReader = noCash + "The reader or its service must be registered again: restart its RD service with the internet on; if that does not help, call support."
)

// Meanings of groups, where the table does not tell their codes apart.
const (
	mayReverse    = "It broke off half-way and is reversed, or may be."
	unconfirmed   = "The customer's bank has not confirmed it: it is deemed accepted, or is reversed."
	wrongFinger   = "It was a wrong finger, or the same finger twice."
	notOpened     = "The capture could not be opened or checked (HMAC, encryption, session key or certificate)."
	notRegistered = "The fingerprint reader, its RD service or its certificate is not accepted or has expired."
	locked        = "The customer's biometrics or Aadhaar number is locked, suspended or cancelled."
	uidaiFault    = "UIDAI has an internal fault."
)

// table is domain.md's table, one line a code, in its order.
var table = []Code{
	{"00", Approved, "The bank approved it.", "Go by the result that the screen shows for this operation."},

	{"03", Support, "The bank does not know this merchant.", callSupport},
	{"30", Support, "The bank did not understand the request (format error).", callSupport},

	{"05", Final, "The customer's bank does not honour it.", askBank},
	{"20", Final, "The customer's bank refused it without a reason.", askBank},
	{"12", Final, "This transaction is not allowed for the account.", askBank},
	{"13", Final, "The bank does not accept this amount.", noCash + "Begin again with another amount."},

	{"08", Later, "The customer's bank has a fault in its system.", afterAWhile},
	{"90", Later, "The customer's bank is closing its day.", afterAWhile},
	// A 91 that the network makes on silence is uncertain: a second try waits for
	// the first one's end.
	{"91", Later, "The customer's bank can't be reached.", onceSettled},
	{"96", Later, "The bank network has a fault.", afterAWhile},

	{"22", Uncertain, mayReverse, goByResult},
	{"68", Uncertain, unconfirmed, goByResult},
	{"40", Uncertain, mayReverse, goByResult},
	{"41", Uncertain, mayReverse, goByResult},
	{"71", Uncertain, unconfirmed, goByResult},
	{"94", Uncertain, "The bank has this operation already (duplicate).", noCash + "Look for the first one in the list of operations; its result counts."},

	{"51", Final, "There is not enough money in the account.", smaller},
	{"61", Final, "The amount is over the limit of the account or of the day.", smaller},
	{"UW", Final, "The amount is over the limit of the customer's bank.", smaller},
	{"65", Final, "The customer has withdrawn too often.", noCash + "The customer comes again on another day."},

	{"52", Final, "The customer's Aadhaar number is not linked to an account at this bank.", noCash + "Check that the right bank was chosen; otherwise the customer asks the bank to link it."},
	{"53", Final, "The customer has no account of this kind at this bank.", noCash + "Check that the right bank was chosen; otherwise the customer asks the bank."},
	{"57", Final, "The account is frozen, or not allowed to do this.", askBank},
	{"59", Final, "The bank suspects fraud.", noCash + "Do not try again. The customer asks the bank."},
	{"76", Final, "The bank can't find the account.", noCash + "Check that the right bank was chosen; otherwise the customer asks the bank."},
	{"M3", Final, "The account is dormant: it was not used for long.", noCash + "The customer goes to the bank to have it opened again."},
	{"M4", Final, "The account belongs to a non-resident (NRE), for which this is not allowed.", askBank},

	{"92", Final, "The bank that was chosen can't be reached under its number (IIN).", noCash + "Check that the right bank was chosen and begin again."},
	{"72", Support, "The request has a version that the bank does not take.", callSupport},

	{"U3", Again, "The fingerprint did not match.", noCash + "Clean finger and glass, use the finger that is enrolled with Aadhaar, and begin again with a new capture."},
	{"VB", Again, wrongFinger, noCash + "Clean finger and glass, and begin again with another finger of the customer."},
	{"VZ", Again, wrongFinger, noCash + "Clean finger and glass, and begin again with another finger of the customer."},
	{"W6", Again, wrongFinger, noCash + "Clean finger and glass, and begin again with another finger of the customer."},

	{"V0", Again, "The capture had expired when it arrived.", fixClock},
	{"V1", Again, "The time of the capture is wrong.", fixClock},
	{"OQ", Again, "The capture is older than 20 minutes.", fixClock},
	{"V2", Again, "The capture was used before (PID used twice).", anotherTry},

	{"V3", Again, notOpened, onceMore},
	{"U4", Again, notOpened, onceMore},
	{"VU", Again, notOpened, onceMore},
	{"VV", Again, notOpened, onceMore},
	{"W4", Again, notOpened, onceMore},
	{"VT", Again, notOpened, onceMore},

	{"U6", Support, notRegistered, renewReader},
	{"X2", Support, notRegistered, renewReader},
	{"X3", Support, notRegistered, renewReader},
	{"WF", Support, notRegistered, renewReader},
	{"WG", Support, notRegistered, renewReader},
	{"WH", Support, notRegistered, renewReader},
	{"WI", Support, notRegistered, renewReader},
	{"WU", Support, notRegistered, renewReader},
	{"WX", Support, notRegistered, renewReader},
	{"WY", Support, notRegistered, renewReader},

	{"WA", Final, locked, unlock},
	{"KT", Final, locked, unlock},
	{"KU", Final, locked, unlock},
	{"X7", Final, locked, unlock},
	{"X8", Final, locked, unlock},
	{"X9", Final, locked, unlock},
	{"WS", Final, locked, unlock},

	{"UI", Later, "UIDAI does not answer.", afterAWhile},
	{"US", Later, uidaiFault, afterAWhile},
	{"UT", Later, uidaiFault, afterAWhile},
	{"UU", Later, uidaiFault, afterAWhile},
	{"UV", Later, uidaiFault, afterAWhile},
	{"VM", Later, uidaiFault, afterAWhile},
	{"VN", Later, uidaiFault, afterAWhile},
	{"VO", Later, uidaiFault, afterAWhile},
	{"VP", Later, uidaiFault, afterAWhile},
	{"VQ", Later, uidaiFault, afterAWhile},
	{"VR", Later, uidaiFault, afterAWhile},
}

// All gives the table, for pages that list it and for translators.
func All() []Code { return slices.Clone(table) }

// In explains a code of a family. One of a family whose codes are not the bank's
// own has no advice of its own: the operation's state has it.
func In(f Family, code string) Code {
	if f == Bank {
		return Of(code)
	}
	code = clean(code)
	for _, c := range others[f] {
		if c.Code == code {
			return c
		}
	}
	return Code{Code: code, Class: Unknown}
}

// others are the codes of the other families, in the order of the interface's
// and the bank's documents.
var others = map[Family][]Code{
	Transfer: {
		{Code: "00", Class: Approved}, {Code: "55", Class: Again}, {Code: "V0", Class: Again},
		{Code: "05", Class: Final}, {Code: "12", Class: Final}, {Code: "13", Class: Final}, {Code: "30", Class: Support},
		{Code: "51", Class: Support}, {Code: "52", Class: Final}, {Code: "57", Class: Final}, {Code: "61", Class: Final}, {Code: "76", Class: Final},
		{Code: "91", Class: Later}, {Code: "96", Class: Later},
		{Code: "22", Class: Uncertain}, {Code: "68", Class: Uncertain}, {Code: "94", Class: Uncertain},
	},
	Central: {
		{Code: "01", Class: Final}, {Code: "02", Class: Support}, {Code: "03", Class: Support}, {Code: "04", Class: Final},
		{Code: "05", Class: Final}, {Code: "06", Class: Support}, {Code: "07", Class: Later}, {Code: "09", Class: Support},
		{Code: "10", Class: Later}, {Code: "500", Class: Later},
	},
}

// AllIn gives the codes of a family.
func AllIn(f Family) []Code {
	if f == Bank {
		return All()
	}
	return slices.Clone(others[f])
}

// Keys names the texts of a code of the bank's: what it says, and what to do.
// Codes with one meaning, or one advice, share those of the first of them.
func (c Code) Keys() (says, do string) {
	if c.Class == Unknown && c.Code == "" {
		return "code.none.says", "code.none.do"
	}
	says, do = "unknown", "unknown"
	for _, other := range slices.Backward(table) {
		if other.Meaning == c.Meaning {
			says = other.Code
		}
		if other.Advice == c.Advice && c.Class != Unknown {
			do = other.Code
		}
	}
	return "code." + says + ".says", "code." + do + ".do"
}

// maxCode bounds how much of an unknown code is shown, in characters; real ones
// have two.
const maxCode = 8

// Of explains a response code as the bank sent it. A code that is not in the
// table is refused, by the side of safety.
func Of(code string) Code {
	code = clean(code)
	if i := slices.IndexFunc(table, func(c Code) bool { return c.Code == code }); i >= 0 {
		return table[i]
	}
	if code == "" {
		return Code{Class: Unknown, Meaning: "The bank gave no response code.", Advice: noCash + "Call support."}
	}
	return Code{
		Code: code, Class: Unknown, Meaning: "The bank refused it with code " + code + ", which is not known here.",
		Advice: callSupport,
	}
}

// clean makes a code fit to be compared and shown.
func clean(code string) string {
	code = strings.ToUpper(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, code))
	return code[:min(len(code), maxCode)]
}
