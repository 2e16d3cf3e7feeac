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

// Principal is the authenticated caller of a request.
type Principal struct {
	Role       op.Role
	Merchant   MerchantID   // role merchant
	Vendor     VendorID     // role vendor
	Aggregator AggregatorID // role aggregator
	Terminal   TerminalID   // set for a terminal on the uplink, with role merchant
}

// Caller names the owner of identities: two callers never share an identity, two
// connections of one caller do.
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

// Credential is the OAuth client of a request. The zero value is none: a terminal,
// a vendor at the gateway, or staff.
type Credential struct {
	Client string // client_id
	// Generation is the client's generation when the token was issued.
	Generation int64
}

// Party names the owner of callers' references: a merchant and its terminals are
// one party, a vendor is another.
func (p Principal) Party() string {
	if p.Merchant != "" {
		return "merchant:" + string(p.Merchant)
	}
	return p.Caller()
}

// MerchantStatus is a merchant's mstatus (interface.md, section 2.9).
type MerchantStatus string

// The statuses of a merchant.
const (
	MerchantPending   MerchantStatus = "PENDING"
	MerchantApproved  MerchantStatus = "APPROVED"
	MerchantSuspended MerchantStatus = "SUSPENDED"
	MerchantRejected  MerchantStatus = "REJECTED"
)

// Merchant is a shop whose agent serves customers.
type Merchant struct {
	ID        MerchantID
	MID       string // the merchant at the bank network
	LegalName string
	Vendor    VendorID
	Status    MerchantStatus
	HasInfo   bool   // merchantinfo exists
	AEPSReady bool   // AEPS onboarding is finished
	TID       string // the terminal at the bank network for requests that name none, such as GAL00001
	Mobile    string // also the shop's phone on receipts
	Address   string // of the shop, as receipts show it; empty: not known
	AppID     string // the application at the network (interface.md, section 2.9); also the reference of submit
	RiskFlag  int
	Active    bool   // status (interface.md, section 2.9)
	VPA       string // UPI address that QR codes pay to
	MCC       string // merchant category code, four digits
	CreatedAt time.Time

	Settlement *SettlementAccount // nil: none configured
	Callback   *Callback          // nil: none configured
}

// SettlementAccount is the bank account of a merchant. Only the last four digits
// of its number are stored in the clear, for display.
type SettlementAccount struct {
	AccountLast4 string
	IFSC         string
	BankName     string
	Holder       string
}

// Callback is where a merchant gets events.
type Callback struct {
	URL    string
	Events []string
}

// Vendor is a partner company that has merchants.
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
	// Generation is that of the secret. Each secret has its own, and a suspension gives
	// new ones; tokens of any other generation are refused.
	Generation int64
	// Generations is the last generation that was given: no token has a later one.
	Generations int64
	// Former is the secret before this one, where both are valid; zero: there is none.
	Former FormerSecret
}

// FormerSecret is the older of a client's two secrets.
type FormerSecret struct {
	Hash       string // argon2id, PHC text; empty: none
	Generation int64
	EndsAt     time.Time // zero: no end is planned
}

// Live tells whether the secret is valid at a time.
func (f FormerSecret) Live(at time.Time) bool {
	return f.Hash != "" && (f.EndsAt.IsZero() || at.Before(f.EndsAt))
}

// Accepts tells whether a credential is valid at a time.
func (c Client) Accepts(by Credential, at time.Time) bool {
	return c.Active && c.ID == by.Client &&
		(c.Generation == by.Generation || c.Former.Live(at) && c.Former.Generation == by.Generation)
}

// Terminal is an enrolled counter.
type Terminal struct {
	ID        TerminalID
	Merchant  MerchantID
	Name      string
	TID       string // at the bank network
	PublicKey []byte // Ed25519, 32 bytes
	Client    string // client_id of the program that made its enrolment code; empty: staff
	CreatedAt time.Time
	RevokedAt time.Time // zero: live
	SeenAt    time.Time // of its last hello
}

// EnrolmentCode is the one-time credential that binds a terminal's key to a
// merchant. Only the hash of the code is stored.
type EnrolmentCode struct {
	Code      secret.Token
	Merchant  MerchantID
	ExpiresAt time.Time
}

// AgentSession is the agent's daily authentication on one terminal of the bank
// network (interface.md, section 2.4).
type AgentSession struct {
	TID       string
	OpenedAt  time.Time
	ExpiresAt time.Time
}

// SessionLife is how long an agent session lasts (interface.md, section 8).
const SessionLife = 24 * time.Hour
