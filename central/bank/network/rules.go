package network

import (
	"slices"

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
	if s == "" || len(s) > maxReference {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// ValidIIN tells whether a text has the form of an issuer identification
// number: six digits.
func ValidIIN(s string) bool { return len(s) == 6 && digits(s) }

// Known tells whether the protocol declares the kind.
func (k Kind) Known() bool {
	if k.AEPS() {
		return true
	}
	_, known := k.requirements()
	return known
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

// requirements returns what a kind contains; false: it is not declared, or is an AEPS
// transaction.
func (k Kind) requirements() (requirements, bool) {
	for _, family := range []func(Kind) (requirements, bool){Kind.agentRequirements, Kind.customerRequirements, Kind.remitterRequirements, Kind.transferRequirements, Kind.bcRequirements} {
		if n, known := family(k); known {
			return n, true
		}
	}
	return requirements{}, false
}

// agentRequirements is for the onboarding of an agent for AEPS.
func (k Kind) agentRequirements() (requirements, bool) {
	switch k {
	case AgentOnboarding, AgentOTP:
		return requirements{particulars: []string{"mobile"}}, true
	case AgentOTPCheck:
		return requirements{particulars: []string{"otpRequest"}, otp: true}, true
	case AgentPAN:
		return requirements{particulars: []string{"pan"}}, true
	case AgentUID:
		return requirements{aadhaar: true}, true
	case AgentBiometric:
		return requirements{aadhaar: true, pidData: true}, true
	case AgentSubmit, AgentDetail:
		return requirements{particulars: []string{"agent"}}, true
	case AgentStatus:
		return requirements{}, true
	}
	return requirements{}, false
}

// customerRequirements is for the onboarding of a remitting customer.
func (k Kind) customerRequirements() (requirements, bool) {
	enrolment := []string{"enrolment"}
	switch k {
	case CustomerDetail:
		return requirements{particulars: []string{"mobile"}}, true
	case CustomerOnboarding:
		return requirements{particulars: []string{"name", "mobile", "city", "state"}}, true
	case CustomerOTP, CustomerSubmit, CustomerStatus:
		return requirements{particulars: enrolment}, true
	case CustomerOTPCheck:
		return requirements{particulars: append(enrolment, "otpRequest"), otp: true}, true
	case CustomerUID:
		return requirements{particulars: enrolment, aadhaar: true}, true
	case CustomerBiometric:
		return requirements{particulars: enrolment, aadhaar: true, pidData: true}, true
	}
	return requirements{}, false
}

// remitterRequirements is for remitters and their beneficiaries.
func (k Kind) remitterRequirements() (requirements, bool) {
	switch k {
	case RemitterRegister:
		return requirements{particulars: []string{"mobile|sender"}}, true
	case RemitterDetails:
		return requirements{particulars: []string{"mobile"}}, true
	case AccountVerification:
		return requirements{particulars: []string{"account", "ifsc"}}, true
	case BeneficiaryAdd:
		return requirements{particulars: []string{"sender", "account", "ifsc", "receiver"}}, true
	case BeneficiaryGet, BeneficiaryDelete:
		return requirements{particulars: []string{"sender", "account", "ifsc"}}, true
	}
	return requirements{}, false
}

// transferRequirements is for transfers, refunds and their consultations.
func (k Kind) transferRequirements() (requirements, bool) {
	switch k {
	case TransferOTP:
		return requirements{particulars: []string{"sender", "account", "ifsc"}, amount: true}, true
	case Transfer:
		return requirements{particulars: []string{"sender", "beneficiary", "account", "ifsc"}, amount: true, otp: true}, true
	case TransferCharges:
		return requirements{particulars: []string{"sender"}, amount: true}, true
	case RefundOTP:
		return requirements{particulars: []string{"original"}}, true
	case Refund:
		return requirements{particulars: []string{"original"}, amount: true, otp: true}, true
	case FloatBalance, Login:
		return requirements{}, true
	}
	return requirements{}, false
}

// bcRequirements is for the onboarding of business correspondents and their agents.
func (k Kind) bcRequirements() (requirements, bool) {
	switch k {
	case BCRegister:
		return requirements{particulars: []string{"mobile", "pan"}}, true
	case BCAgentRegister:
		return requirements{particulars: []string{"bc"}, aadhaar: true}, true
	case BCAgentInitialize:
		return requirements{particulars: []string{"agent"}}, true
	case BCStatus:
		return requirements{particulars: []string{"bc|agent"}}, true
	}
	return requirements{}, false
}

// text is one of the particulars: its name on the wire, its value, and its
// limit in bytes.
type text struct {
	name  string
	value string
	max   int
}

// texts lists the particulars that are texts.
func (p Particulars) texts() []text {
	return []text{
		{"enrolment", p.Enrolment, maxHandle}, {"otpRequest", p.OTPRequest, maxHandle},
		{"name", p.Name, maxName}, {"mobile", p.Mobile, maxCode}, {"email", p.Email, maxEmail}, {"pan", p.PAN, maxCode},
		{"birthDate", p.BirthDate, maxCode}, {"address", p.Address, maxLine}, {"city", p.City, maxName}, {"state", p.State, maxName},
		{"pincode", p.Pincode, maxCode}, {"shop", p.Shop, maxName},
		{"bc", p.BC, maxHandle}, {"agent", p.Agent, maxHandle},
		{"sender", p.Sender, maxHandle}, {"account", p.Account, maxCode}, {"ifsc", p.IFSC, maxCode}, {"receiver", p.Receiver, maxName},
		{"receiverMobile", p.ReceiverMobile, maxCode}, {"receiverEmail", p.ReceiverEmail, maxEmail}, {"branch", p.Branch, maxLine},
		{"remarks", p.Remarks, maxLine}, {"callerRef", p.CallerRef, maxCallerRef}, {"original", p.Original, maxHandle},
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
func (t Transaction) InvalidMembers() []string {
	var out invalidMembers
	out.addIf(!ValidReference(t.Reference), "reference")
	out.addIf(len(t.STAN) != 6 || !digits(t.STAN), "stan")
	out.addIf(!isToken(string(t.Kind), maxKind), "kind")
	out.addIf(t.NotAfter.UnixMilli() <= 0, "notAfter")
	out.addIf(!isToken(t.MID, maxParty), "mid")
	n, other := t.Kind.requirements()
	if other {
		t.checkMembers(n, &out)
	} else {
		t.checkAEPSMembers(&out)
	}
	for _, p := range t.Particulars.texts() {
		lacking := p.value == "" && slices.Contains(n.particulars, p.name)
		out.addIf(lacking || len(p.value) > p.max, "particulars."+p.name)
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

func (t Transaction) checkAEPSMembers(out *invalidMembers) {
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

func (t Transaction) checkMembers(n requirements, out *invalidMembers) {
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

func digits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
