package network

import (
	"slices"
	"strings"

	"galla/shared/money"
)

// Limits of the messages' texts, in bytes. Each is a multiple of what the
// field carries, so that only nonsense is cut off.
const (
	maxReference = 40  // ours have 18
	maxParty     = 40  // MID and TID; a party's id is a UUID of 36
	maxKind      = 32  // ours have at most 20
	maxIIN       = 16  // six digits; a wrong one is the bank's to refuse (92)
	maxName      = 400 // 100 characters of any script: people, shops, towns
	maxLine      = 800 // 200 characters of any script: an address, remarks
	maxDegrees   = 32  // a coordinate
	maxHandle    = 64  // an id that the network gave; UUIDs have 36
	maxCallerRef = 256 // 64 characters of any script, the interface's own limit
	maxCode      = 32  // mobile, PAN, date, PIN code, account, IFSC, OTP; ours have at most 18
	maxEmail     = 254 // RFC 5321
)

// MaxBody is the largest request in bytes: the interface's own limit of 1 MiB
// holds the PidData, quoted as JSON, and all other members together stay under
// 16 KiB.
const MaxBody = 1<<20 + 16<<10

// MaxReply is the largest reply in bytes. The largest is a remitter's record
// with a hundred beneficiaries, who may have 3 to 4 KiB each in a script of
// three bytes a character; a mini statement of a hundred lines has under 4 KiB.
const MaxReply = 512 << 10

// ValidReference tells whether a text can be a reference: 1 to 40 capital
// letters, digits and hyphens.
func ValidReference(s string) bool {
	return s != "" && len(s) <= maxReference && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

// ValidIIN tells whether a text has the form of an issuer identification
// number: six digits.
func ValidIIN(s string) bool { return len(s) == 6 && digits(s) }

// Known tells whether the protocol declares the kind.
func (k Kind) Known() bool {
	_, known := required[k]
	return known || k.AEPS()
}

// Valid tells whether the protocol declares the refusal; no refusal is empty.
func (r Refusal) Valid() bool {
	switch r {
	case "", RefusedOrder, RefusedNotFound, RefusedLimit, RefusedOTP:
		return true
	}
	return false
}

// requirements is what a transaction of a kind that is no AEPS transaction contains
// beside its reference, STAN, deadline and merchant.
type requirements struct {
	// particulars are those without which the request means nothing, by their
	// names on the wire; "a|b" means at least one of them.
	particulars []string
	amount      bool // more than nothing
	aadhaar     bool
	pidData     bool
	otp         bool
}

// required lists the kinds that are no AEPS transactions.
var required = map[Kind]requirements{
	AgentOnboarding: {particulars: []string{"mobile"}},
	AgentOTP:        {particulars: []string{"mobile"}},
	AgentOTPCheck:   {particulars: []string{"otpRequest"}, otp: true},
	AgentPAN:        {particulars: []string{"pan"}},
	AgentUID:        {aadhaar: true},
	AgentBiometric:  {aadhaar: true, pidData: true},
	AgentSubmit:     {particulars: []string{"agent"}},
	AgentStatus:     {},
	AgentDetail:     {particulars: []string{"agent"}},

	CustomerDetail:     {particulars: []string{"mobile"}},
	CustomerOnboarding: {particulars: []string{"name", "mobile", "city", "state"}},
	CustomerOTP:        {particulars: []string{"enrolment"}},
	CustomerOTPCheck:   {particulars: []string{"enrolment", "otpRequest"}, otp: true},
	CustomerUID:        {particulars: []string{"enrolment"}, aadhaar: true},
	CustomerBiometric:  {particulars: []string{"enrolment"}, aadhaar: true, pidData: true},
	CustomerSubmit:     {particulars: []string{"enrolment"}},
	CustomerStatus:     {particulars: []string{"enrolment"}},

	RemitterRegister:    {particulars: []string{"mobile|sender"}},
	RemitterDetails:     {particulars: []string{"mobile"}},
	AccountVerification: {particulars: []string{"account", "ifsc"}},
	BeneficiaryAdd:      {particulars: []string{"sender", "account", "ifsc", "receiver"}},
	BeneficiaryGet:      {particulars: []string{"sender", "account", "ifsc"}},
	BeneficiaryDelete:   {particulars: []string{"sender", "account", "ifsc"}},
	TransferOTP:         {particulars: []string{"sender", "account", "ifsc"}, amount: true},
	Transfer:            {particulars: []string{"sender", "beneficiary", "account", "ifsc"}, amount: true, otp: true},
	TransferCharges:     {particulars: []string{"sender"}, amount: true},
	RefundOTP:           {particulars: []string{"original"}},
	Refund:              {particulars: []string{"original"}, amount: true, otp: true},
	FloatBalance:        {},
	Login:               {},

	BCRegister:        {particulars: []string{"mobile", "pan"}},
	BCAgentRegister:   {particulars: []string{"bc"}, aadhaar: true},
	BCAgentInitialize: {particulars: []string{"agent"}},
	BCStatus:          {particulars: []string{"bc|agent"}},

	ReceiptMessage: {particulars: []string{"mobile", "shop", "template", "language", "receipt", "day"}},
}

// text is one of the particulars: its name on the wire, its value, and its
// limit in bytes.
type text struct {
	name  string
	value string
	max   int
}

// texts lists the particulars that are texts.
func (p *Particulars) texts() [29]text {
	return [29]text{
		{"enrolment", p.Enrolment, maxHandle}, {"otpRequest", p.OTPRequest, maxHandle},
		{"name", p.Name, maxName}, {"mobile", p.Mobile, maxCode}, {"email", p.Email, maxEmail}, {"pan", p.PAN, maxCode},
		{"birthDate", p.BirthDate, maxCode}, {"address", p.Address, maxLine}, {"city", p.City, maxName}, {"state", p.State, maxName},
		{"pincode", p.Pincode, maxCode}, {"shop", p.Shop, maxName},
		{"bc", p.BC, maxHandle}, {"agent", p.Agent, maxHandle},
		{"sender", p.Sender, maxHandle}, {"account", p.Account, maxCode}, {"ifsc", p.IFSC, maxCode}, {"receiver", p.Receiver, maxName},
		{"receiverMobile", p.ReceiverMobile, maxCode}, {"receiverEmail", p.ReceiverEmail, maxEmail}, {"branch", p.Branch, maxLine},
		{"remarks", p.Remarks, maxLine}, {"callerRef", p.CallerRef, maxCallerRef}, {"original", p.Original, maxHandle},
		{"template", p.Template, maxHandle}, {"language", p.Language, maxCode}, {"receipt", p.Receipt, maxHandle}, {"value", p.Value, maxCode}, {"day", p.Day, maxCode},
	}
}

// InvalidMembers names the members of a transaction that break the protocol, all of
// them; nil: none. Which members a kind has is the protocol's table, in the
// package comment of central/bank; a secret, a bank, a place or an amount that
// the kind has no use for is a fault, since it should not have been sent.
//
// An unknown kind and a malformed IIN are no faults here, since both have
// response codes of their own: an unknown kind is checked as an AEPS
// transaction.
func (t *Transaction) InvalidMembers() []string {
	var out invalidMembers
	out.addIf(!ValidReference(t.Reference), "reference")
	out.addIf(len(t.STAN) != 6 || !digits(t.STAN), "stan")
	out.addIf(!isToken(string(t.Kind), maxKind), "kind")
	out.addIf(t.NotAfter.UnixMilli() <= 0, "notAfter")
	out.addIf(!isToken(t.MID, maxParty), "mid")
	n, other := required[t.Kind]
	if other {
		t.checkMembers(n, &out)
	} else {
		t.checkAEPSMembers(&out)
	}
	for _, p := range t.Particulars.texts() {
		if lacking := p.value == "" && slices.Contains(n.particulars, p.name); lacking || len(p.value) > p.max {
			out = append(out, "particulars."+p.name)
		}
	}
	p := t.Particulars
	out.addIf(p.Beneficiary < 0 || p.Beneficiary == 0 && slices.Contains(n.particulars, "beneficiary"), "particulars.beneficiary")
	out.addIf(p.Mobile == "" && p.Sender == "" && slices.Contains(n.particulars, "mobile|sender"), "particulars.mobile|sender")
	out.addIf(p.BC == "" && p.Agent == "" && slices.Contains(n.particulars, "bc|agent"), "particulars.bc|agent")
	return out
}

// invalidMembers are names of members.
type invalidMembers []string

func (f *invalidMembers) addIf(bad bool, name string) {
	if bad {
		*f = append(*f, name)
	}
}

func (t *Transaction) checkAEPSMembers(out *invalidMembers) {
	out.addIf(!isToken(t.TID, maxParty), "tid")
	out.addIf(len(t.IIN) > maxIIN, "iin")
	out.addIf(t.Amount < 0 || t.Amount > money.Max, "amountPaise")
	out.addIf(t.Aadhaar.IsZero(), "aadhaar")
	out.addIf(t.PidData.IsZero(), "pidData")
	out.addIf(len(t.Customer) > maxName, "customer")
	out.addIf(len(t.Latitude) > maxDegrees, "latitude")
	out.addIf(len(t.Longitude) > maxDegrees, "longitude")
	out.addIf(t.InlineFor != "" && (t.Kind != AgentAuth || !ValidReference(t.InlineFor) || t.InlineFor == t.Reference), "inlineFor")
	out.addIf(!t.OTP.IsZero(), "otp")
}

func (t *Transaction) checkMembers(n requirements, out *invalidMembers) {
	out.addIf(t.TID != "" && !isToken(t.TID, maxParty), "tid")
	out.addIf(t.IIN != "", "iin")
	out.addIf((t.Amount > 0) != n.amount || t.Amount < 0 || t.Amount > money.Max, "amountPaise")
	out.addIf(t.Aadhaar.IsZero() == n.aadhaar, "aadhaar")
	out.addIf(t.PidData.IsZero() == n.pidData, "pidData")
	out.addIf(len(t.Customer) > maxName, "customer")
	out.addIf(t.Latitude != "", "latitude")
	out.addIf(t.Longitude != "", "longitude")
	out.addIf(t.InlineFor != "", "inlineFor")
	out.addIf(t.OTP.IsZero() == n.otp || t.otpLength() > maxCode, "otp")
}

// isToken tells whether a text is printable ASCII without spaces, not empty and
// not longer than max.
func isToken(s string, max int) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return s != "" && len(s) <= max
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }
