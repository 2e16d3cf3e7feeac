package customer

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/shared/op"
	"galla/shared/secret"
)

// Store is what the guard needs of the database.
type Store interface {
	Customers
	Correspondents
	Vendor(ctx context.Context, id central.VendorID) (central.Vendor, error)
}

// Guard judges calls before the bank is asked. Its methods may be called from many
// goroutines.
type Guard struct {
	store Store
	key   secret.Key
	most  func(central.MerchantID) int
	log   *slog.Logger
}

// NewGuard makes a guard; most is how many strangers a merchant may look up in an
// hour, and the key is that of fingerprints.
func NewGuard(store Store, key secret.Key, most func(central.MerchantID) int, log *slog.Logger) *Guard {
	return &Guard{store, key, most, log}
}

// Call is a call as the guard sees it.
type Call struct {
	RequestID string
	Principal central.Principal
	Merchant  central.MerchantID // that acts; empty: none does
	// Repeats tells whether the call has the identity of an earlier operation, which
	// the desk answers without asking the bank.
	Repeats func(ctx context.Context) (bool, error)
}

// errStranger asks for the step that is missing, in words for the caller.
func errStranger() error {
	return central.Refuse(central.Precluded, "This shop has not had the customer's OTP or finger: have the customer pass validate_otp or updatebiodetail of the onboarding, or a transfer, at this shop first; then delete the beneficiary")
}

// Admit refuses what the caller may not ask of the bank, whatever the bank would say.
// The repeat of an operation asks nothing of it: the desk answers from its record,
// whatever has changed since. A question leaves no record, and is judged each time.
func (g *Guard) Admit(ctx context.Context, c Call, r central.BankRequest) error {
	judge := g.judging(c, r)
	if judge == nil {
		return nil
	}
	if !r.Kind.Consults() {
		if known, err := c.Repeats(ctx); err != nil || known {
			return err
		}
	}
	return judge(ctx)
}

// judging gives what a request is judged by; nil: by nothing.
func (g *Guard) judging(c Call, r central.BankRequest) func(context.Context) error {
	p := r.Particulars
	owned := func(kind Correspondent, id string) func(context.Context) error {
		return func(ctx context.Context) error { return g.owned(ctx, c, kind, id) }
	}
	switch r.Kind {
	case central.KindCustomerDetail, central.KindCustomerOnboarding, central.KindRemitterDetails, central.KindRemitterRegister:
		return func(ctx context.Context) error { return g.countLookup(ctx, c, r) }
	case central.KindBeneficiaryDelete:
		return func(ctx context.Context) error { return g.mayDelete(ctx, c, p.Sender) }
	case central.KindBCAgentRegister:
		return owned(BusinessCorrespondent, p.BC)
	case central.KindBCAgentInitialize:
		return owned(Agent, p.Agent)
	case central.KindBCStatus:
		if p.Agent != "" {
			return owned(Agent, p.Agent)
		}
		return owned(BusinessCorrespondent, p.BC)
	}
	return nil
}

// keyOf is the keyed hash by which lookups are counted: of the mobile number, or
// of the remitter's id where a call names the customer by that.
func (g *Guard) keyOf(p central.Particulars) (key Key) {
	text := "mobile\n" + p.Mobile
	if p.Mobile == "" {
		text = "sender\n" + p.Sender
	}
	mac := hmac.New(sha256.New, g.key.Reveal())
	mac.Write([]byte("galla/bank-customer/v1\n" + text))
	mac.Sum(key[:0])
	return key
}

// countLookup counts what tells of the bank's customer, and refuses it over the limit.
func (g *Guard) countLookup(ctx context.Context, c Call, r central.BankRequest) error {
	err := g.store.CountLookup(ctx, c.Merchant, g.keyOf(r.Particulars), g.most(c.Merchant), time.Now())
	var over *LookupError
	if errors.As(err, &over) {
		g.log.Warn("a merchant looks up more of the bank's customers than it may", slog.String("request", c.RequestID),
			slog.String("merchant", string(c.Merchant)), slog.String("caller", c.Principal.Caller()), slog.Int("limit", over.Most))
		return &central.Error{Fault: central.TooMany, Message: over.Error(), RetryAfter: over.Wait}
	}
	return err
}

// mayDelete lets a merchant delete who passed a step with the customer.
func (g *Guard) mayDelete(ctx context.Context, c Call, sender string) error {
	proven, err := g.store.CustomerProven(ctx, c.Merchant, SenderName(sender))
	if err != nil || proven {
		return err
	}
	return errStranger()
}

// owned refuses an id that neither the caller registered nor, where the caller is an
// aggregator or one of its vendors, the other of these two may use: a vendor registers
// agents of its aggregator's business correspondents, and the aggregator sees its
// vendors' agents. All others have the answer of an absent id.
func (g *Guard) owned(ctx context.Context, c Call, kind Correspondent, id string) error {
	absent := central.Refuse(central.NotFound, "No such agent")
	if kind == BusinessCorrespondent {
		absent = central.Refuse(central.NotFound, "No such business correspondent")
	}
	owner, err := g.store.CorrespondentOwner(ctx, kind, id)
	switch {
	case errors.Is(err, central.ErrNotFound):
		return absent
	case err != nil:
		return err
	case owner == c.Principal.Party():
		return nil
	}
	upper, lower := owner, c.Principal.Party() // an aggregator, and a vendor of it
	if kind == Agent {
		upper, lower = lower, upper
	}
	vendor, aggregator := vendorOf(lower), aggregatorOf(upper)
	if vendor == "" || aggregator == "" {
		return absent
	}
	v, err := g.store.Vendor(ctx, vendor)
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("read vendor %s: %w", vendor, err)
	}
	if err != nil || v.Aggregator != aggregator {
		return absent
	}
	return nil
}

func vendorOf(party string) central.VendorID {
	return central.VendorID(cutRole(party, op.Vendor))
}

func aggregatorOf(party string) central.AggregatorID {
	return central.AggregatorID(cutRole(party, op.Aggregator))
}

// Learn takes from a success what the next calls are judged by. What can't be written
// is told again by the next lookup or step.
func (g *Guard) Learn(ctx context.Context, c Call, r central.BankRequest, reply central.Reply) {
	if err := g.note(ctx, c, r, reply.Body); err != nil {
		g.log.Error("what the bank said of a customer can't be noted: this shop may be asked for an OTP again", slog.String("request", c.RequestID), slog.Any("error", err))
	}
}

func (g *Guard) note(ctx context.Context, c Call, r central.BankRequest, body []byte) error {
	p := r.Particulars
	switch r.Kind {
	case central.KindCustomerDetail, central.KindCustomerOnboarding, central.KindRemitterDetails, central.KindRemitterRegister,
		central.KindCustomerOTPCheck, central.KindCustomerBiometric:
	default:
		return nil
	}
	var said struct {
		StatusCode string `json:"statusCode"`
		Data       struct {
			Reference string `json:"referenceid"`
			Sender    string `json:"senderid"` // senderId in some replies
		} `json:"data"`
	}
	if json.Unmarshal(body, &said, json.MatchCaseInsensitiveNames(true)) != nil || said.StatusCode != "00" {
		return nil
	}
	now := time.Now()
	if r.Kind == central.KindCustomerOTPCheck || r.Kind == central.KindCustomerBiometric {
		return g.store.ProveCustomer(ctx, c.Merchant, EnrolmentName(p.Enrolment), now)
	}
	var wrong []error
	if said.Data.Reference != "" && p.Mobile != "" {
		wrong = append(wrong, g.store.NameCustomer(ctx, EnrolmentName(said.Data.Reference), g.keyOf(p), now))
	}
	switch sender := SenderName(said.Data.Sender); {
	case said.Data.Sender == "":
	case p.Mobile != "":
		wrong = append(wrong, g.store.NameCustomer(ctx, sender, g.keyOf(p), now))
	default: // a registration by id names a remitter, or an onboarding
		wrong = append(wrong, g.store.AliasCustomer(ctx, sender, SenderName(p.Sender), now), g.store.AliasCustomer(ctx, sender, EnrolmentName(p.Sender), now))
	}
	return errors.Join(wrong...)
}

// cutRole gives the id of a party of a role; empty: it is of another one.
func cutRole(party string, role op.Role) string {
	id, ok := strings.CutPrefix(party, string(role)+":")
	if !ok {
		return ""
	}
	return id
}

// LimitKey names a customer in the limits' keys: a keyed hash, from which no
// Aadhaar number can be recovered without the key.
func LimitKey(key secret.Key, a secret.Aadhaar) string {
	if a.IsZero() {
		return ""
	}
	mac := hmac.New(sha256.New, key.Reveal())
	mac.Write([]byte("galla/limit-customer/v1\n" + a.Reveal()))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
