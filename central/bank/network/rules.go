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
	_, known := k.needs()
	return known
}

// Valid tells whether the protocol declares the refusal; no refusal is empty.
func (r Refusal) Valid() bool {
	switch r {
	case "", RefusedOrder, RefusedAbsent, RefusedLimit, RefusedOTP:
		return true
	}
	return false
}

// needs is what a transaction of a kind that is no AEPS transaction carries
// beside its reference, STAN, deadline and merchant.
type needs struct {
	// particulars are those without which the request means nothing, by their
	// names on the wire; one that stands as "a|b" means at least one of them.
	particulars []string
	amount      bool // more than nothing
	aadhaar     bool
	pidData     bool
	otp         bool
}

// needs tells what a kind carries; false: it is not declared, or is an AEPS
// transaction.
func (k Kind) needs() (needs, bool) {
	for _, family := range []func(Kind) (needs, bool){Kind.agentNeeds, Kind.customerNeeds, Kind.remitterNeeds, Kind.transferNeeds, Kind.bcNeeds} {
		if n, known := family(k); known {
			return n, true
		}
	}
	return needs{}, false
}

// agentNeeds is for the onboarding of an agent for AEPS.
func (k Kind) agentNeeds() (needs, bool) {
	switch k {
	case AgentOnboarding, AgentOTP:
		return needs{particulars: []string{"mobile"}}, true
	case AgentOTPCheck:
		return needs{particulars: []string{"otpRequest"}, otp: true}, true
	case AgentPAN:
		return needs{particulars: []string{"pan"}}, true
	case AgentUID:
		return needs{aadhaar: true}, true
	case AgentBiometric:
		return needs{aadhaar: true, pidData: true}, true
	case AgentSubmit, AgentDetail:
		return needs{particulars: []string{"agent"}}, true
	case AgentStatus:
		return needs{}, true
	}
	return needs{}, false
}

// customerNeeds is for the onboarding of a remitting customer.
func (k Kind) customerNeeds() (needs, bool) {
	enrolment := []string{"enrolment"}
	switch k {
	case CustomerDetail:
		return needs{particulars: []string{"mobile"}}, true
	case CustomerOnboarding:
		return needs{particulars: []string{"name", "mobile", "city", "state"}}, true
	case CustomerOTP, CustomerSubmit, CustomerStatus:
		return needs{particulars: enrolment}, true
	case CustomerOTPCheck:
		return needs{particulars: append(enrolment, "otpRequest"), otp: true}, true
	case CustomerUID:
		return needs{particulars: enrolment, aadhaar: true}, true
	case CustomerBiometric:
		return needs{particulars: enrolment, aadhaar: true, pidData: true}, true
	}
	return needs{}, false
}

// remitterNeeds is for remitters and their beneficiaries.
func (k Kind) remitterNeeds() (needs, bool) {
	switch k {
	case RemitterRegister:
		return needs{particulars: []string{"mobile|sender"}}, true
	case RemitterDetails:
		return needs{particulars: []string{"mobile"}}, true
	case AccountVerification:
		return needs{particulars: []string{"account", "ifsc"}}, true
	case BeneficiaryAdd:
		return needs{particulars: []string{"sender", "account", "ifsc", "receiver"}}, true
	case BeneficiaryGet, BeneficiaryDelete:
		return needs{particulars: []string{"sender", "account", "ifsc"}}, true
	}
	return needs{}, false
}

// transferNeeds is for transfers, refunds and what goes with them.
func (k Kind) transferNeeds() (needs, bool) {
	switch k {
	case TransferOTP:
		return needs{particulars: []string{"sender", "account", "ifsc"}, amount: true}, true
	case Transfer:
		return needs{particulars: []string{"sender", "beneficiary", "account", "ifsc"}, amount: true, otp: true}, true
	case TransferCharges:
		return needs{particulars: []string{"sender"}, amount: true}, true
	case RefundOTP:
		return needs{particulars: []string{"original"}}, true
	case Refund:
		return needs{particulars: []string{"original"}, amount: true, otp: true}, true
	case FloatBalance, Login:
		return needs{}, true
	}
	return needs{}, false
}

// bcNeeds is for the onboarding of business correspondents and their agents.
func (k Kind) bcNeeds() (needs, bool) {
	switch k {
	case BCRegister:
		return needs{particulars: []string{"mobile", "pan"}}, true
	case BCAgentRegister:
		return needs{particulars: []string{"bc"}, aadhaar: true}, true
	case BCAgentInitialize:
		return needs{particulars: []string{"agent"}}, true
	case BCStatus:
		return needs{particulars: []string{"bc|agent"}}, true
	}
	return needs{}, false
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

// Faults names the members of a transaction that break the protocol, all of
// them; nil: none. Which members a kind has is the protocol's table, in the
// package comment of central/bank; a secret, a bank, a place or an amount that
// the kind has no use for is a fault, since it should not have been sent.
//
// An unknown kind and a malformed IIN are no faults here, since both have
// response codes of their own: an unknown kind is judged as an AEPS
// transaction.
func (t Transaction) Faults() []string {
	var out faults
	out.add(!ValidReference(t.Reference), "reference")
	out.add(len(t.STAN) != 6 || !digits(t.STAN), "stan")
	out.add(!name(string(t.Kind), maxKind), "kind")
	out.add(t.NotAfter.UnixMilli() <= 0, "notAfter")
	out.add(!name(t.MID, maxParty), "mid")
	n, other := t.Kind.needs()
	if other {
		t.faultsOf(n, &out)
	} else {
		t.faultsOfAEPS(&out)
	}
	for _, p := range t.Particulars.texts() {
		lacking := p.value == "" && slices.Contains(n.particulars, p.name)
		out.add(lacking || len(p.value) > p.max, "particulars."+p.name)
	}
	p := t.Particulars
	out.add(p.Beneficiary < 0 || p.Beneficiary == 0 && slices.Contains(n.particulars, "beneficiary"), "particulars.beneficiary")
	out.add(p.Mobile == "" && p.Sender == "" && slices.Contains(n.particulars, "mobile|sender"), "particulars.mobile|sender")
	out.add(p.BC == "" && p.Agent == "" && slices.Contains(n.particulars, "bc|agent"), "particulars.bc|agent")
	return out
}

// faults are names of members.
type faults []string

func (f *faults) add(bad bool, name string) {
	if bad {
		*f = append(*f, name)
	}
}

func (t Transaction) faultsOfAEPS(out *faults) {
	out.add(!name(t.TID, maxParty), "tid")
	out.add(len(t.IIN) > maxIIN, "iin")
	out.add(t.Amount < 0 || t.Amount > money.Max, "amountPaise")
	out.add(t.Aadhaar.IsZero(), "aadhaar")
	out.add(t.PidData.IsZero(), "pidData")
	out.add(len(t.Customer) > maxName, "customer")
	out.add(len(t.Latitude) > maxDegrees, "latitude")
	out.add(len(t.Longitude) > maxDegrees, "longitude")
	out.add(t.InlineFor != "" && (t.Kind != AgentAuth || !ValidReference(t.InlineFor) || t.InlineFor == t.Reference), "inlineFor")
	out.add(!t.OTP.IsZero(), "otp")
}

func (t Transaction) faultsOf(n needs, out *faults) {
	out.add(t.TID != "" && !name(t.TID, maxParty), "tid")
	out.add(t.IIN != "", "iin")
	out.add((t.Amount > 0) != n.amount || t.Amount < 0 || t.Amount > money.Max, "amountPaise")
	out.add(t.Aadhaar.IsZero() == n.aadhaar, "aadhaar")
	out.add(t.PidData.IsZero() == n.pidData, "pidData")
	out.add(len(t.Customer) > maxName, "customer")
	out.add(t.Latitude != "", "latitude")
	out.add(t.Longitude != "", "longitude")
	out.add(t.InlineFor != "", "inlineFor")
	out.add(t.OTP.IsZero() == n.otp || t.otpLength() > maxCode, "otp")
}

// name tells whether a text is printable ASCII without spaces, not empty and
// not longer than max.
func name(s string, max int) bool {
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
