package central

import (
	"time"

	"galla/shared/op"
	"galla/shared/secret"
)

// Ids of parties, UUIDs in canonical text.
type (
	MerchantID   string
	VendorID     string
	AggregatorID string
	TerminalID   string
)

// Principal is who calls, as a door established it.
type Principal struct {
	Role       op.Role
	Merchant   MerchantID   // role merchant
	Vendor     VendorID     // role vendor
	Aggregator AggregatorID // role aggregator
	Terminal   TerminalID   // set when an enrolled terminal calls over the uplink, with role merchant
}

// Caller names the principal as the owner of identities: two callers never
// share an identity, two connections of one caller do.
func (p Principal) Caller() string {
	switch {
	case p.Terminal != "":
		return "terminal:" + string(p.Terminal)
	case p.Role == op.Merchant:
		return "merchant:" + string(p.Merchant)
	case p.Role == op.Vendor:
		return "vendor:" + string(p.Vendor)
	default:
		return string(p.Role) + ":" + string(p.Aggregator)
	}
}

// Credential is the OAuth client that a call came with. The zero value is a call
// with none: a terminal's, a vendor's at the gateway, or an operator's.
type Credential struct {
	Client string // client_id
	// Generation is the client's at the moment when the token was issued.
	Generation int64
}

// Party names who owns the references that callers choose: a merchant and its
// terminals are one party, a vendor is another.
func (p Principal) Party() string {
	if p.Merchant != "" {
		return "merchant:" + string(p.Merchant)
	}
	return p.Caller()
}

// MerchantStatus is a merchant's mstatus (section 2.9, interface-decisions.md).
type MerchantStatus string

// The statuses of a merchant.
const (
	MerchantPending   MerchantStatus = "PENDING"
	MerchantApproved  MerchantStatus = "APPROVED"
	MerchantSuspended MerchantStatus = "SUSPENDED"
	MerchantRejected  MerchantStatus = "REJECTED"
)

// Merchant is a shop that banks.
type Merchant struct {
	ID        MerchantID
	MID       string // the merchant at the bank network
	LegalName string
	Vendor    VendorID
	Status    MerchantStatus
	HasInfo   bool   // merchantinfo exists
	AEPSReady bool   // AEPS onboarding is finished
	TID       string // the terminal at the bank network for calls that name none, such as GAL00001
	Mobile    string
	AppID     string // the application at the network (section 2.9); also the reference of submit
	RiskFlag  int
	Active    bool   // section 2.9, status
	VPA       string // UPI address that QR codes pay to
	MCC       string // merchant category code, four digits
	CreatedAt time.Time

	Settlement *SettlementAccount // nil: none configured
	Callback   *Callback          // nil: none configured
}

// SettlementAccount is where a merchant's money goes (interface-decisions.md).
// Only the last four digits of the account number are kept for showing.
type SettlementAccount struct {
	AccountLast4 string
	IFSC         string
	BankName     string
	Holder       string
}

// Callback is where a merchant wants to be told of events.
type Callback struct {
	URL    string
	Events []string
}

// Vendor is a partner company with merchants of its own.
type Vendor struct {
	ID         VendorID
	LegalName  string
	Aggregator AggregatorID // empty: none assigned
	Active     bool
}

// Client is an OAuth client of the token route: a credential of one party.
type Client struct {
	ID         string // client_id
	SecretHash string // argon2id, PHC text
	Principal  Principal
	Active     bool
	// Generation grows with each suspension and each new secret: what was given
	// out in an earlier one is void.
	Generation int64
}

// Holds tells whether a credential is still good.
func (c Client) Holds(by Credential) bool {
	return c.Active && c.ID == by.Client && c.Generation == by.Generation
}

// Terminal is an enrolled counter.
type Terminal struct {
	ID        TerminalID
	Merchant  MerchantID
	Name      string
	TID       string // at the bank network
	PublicKey []byte // Ed25519, 32 bytes
	Client    string // client_id of the program that made its code; empty: an operator
	CreatedAt time.Time
	RevokedAt time.Time // zero: live
	SeenAt    time.Time // last hello
}

// EnrolmentCode is the one-time credential that binds a terminal's key to a
// merchant. Only the hash of the code is stored.
type EnrolmentCode struct {
	Code      secret.Token
	Merchant  MerchantID
	ExpiresAt time.Time
}

// AgentSession is the day's authentication of the agent on one terminal of the
// bank network (section 2.4).
type AgentSession struct {
	TID       string
	OpenedAt  time.Time
	ExpiresAt time.Time
}

// SessionLife is how long an agent session lasts (section 8).
const SessionLife = 24 * time.Hour
