package accounts

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/shared/op"
	"galla/shared/secret"
)

// CustomerStore is the part of the database that CustomerPolicy needs.
type CustomerStore interface {
	Customers
	Correspondents
	Vendor(ctx context.Context, id central.VendorID) (central.Vendor, error)
}

// CustomerPolicy checks requests about the bank's customers before the bank is asked. Its
// methods are safe for concurrent use.
type CustomerPolicy struct {
	store       CustomerStore
	key         secret.Key
	lookupLimit func(central.MerchantID) int
	log         *slog.Logger
}

// NewCustomerPolicy returns a policy. most is the limit of lookups of a merchant in an
// hour; key is the key of request fingerprints.
func NewCustomerPolicy(store CustomerStore, key secret.Key, most func(central.MerchantID) int, log *slog.Logger) *CustomerPolicy {
	return &CustomerPolicy{store, key, most, log}
}

// CustomerRequest is a request to check.
type CustomerRequest struct {
	RequestID string
	Principal central.Principal
	Merchant  central.MerchantID // that acts; empty: none
	// IsRepeat reports whether the request has the identity of an earlier operation,
	// which the engine answers from the record.
	IsRepeat func(ctx context.Context) (bool, error)
}

// errUnprovenCustomer tells the caller which step is missing.
func errUnprovenCustomer() error {
	return central.NewError(central.FailedPrecondition, "This shop has not had the customer's OTP or finger: have the customer pass validate_otp or updatebiodetail of the onboarding, or a transfer, at this shop first; then delete the beneficiary")
}

// Check refuses a request that the caller may not make. A repeat of an operation is not
// checked: it is answered from the record. A consultation has no record and is checked
// each time.
func (p *CustomerPolicy) Check(ctx context.Context, c CustomerRequest, r central.BankRequest) error {
	rule := p.ruleFor(c, r)
	if rule == nil {
		return nil
	}
	if !r.Kind.IsConsultation() {
		if known, err := c.IsRepeat(ctx); err != nil || known {
			return err
		}
	}
	return rule(ctx)
}

// ruleFor returns the rule of a request; nil: none.
func (p *CustomerPolicy) ruleFor(c CustomerRequest, r central.BankRequest) func(context.Context) error {
	about := r.Particulars
	owned := func(kind CorrespondentKind, id string) func(context.Context) error {
		return func(ctx context.Context) error { return p.checkOwner(ctx, c, kind, id) }
	}
	switch r.Kind {
	case central.KindCustomerDetail, central.KindCustomerOnboarding, central.KindRemitterDetails, central.KindRemitterRegister:
		return func(ctx context.Context) error { return p.countLookup(ctx, c, r) }
	case central.KindBeneficiaryDelete:
		return func(ctx context.Context) error { return p.checkMayDelete(ctx, c, about.Sender) }
	case central.KindBCAgentRegister:
		return owned(BusinessCorrespondent, about.BC)
	case central.KindBCAgentInitialize:
		return owned(CorrespondentAgent, about.Agent)
	case central.KindBCStatus:
		if about.Agent != "" {
			return owned(CorrespondentAgent, about.Agent)
		}
		return owned(BusinessCorrespondent, about.BC)
	}
	return nil
}

// customerKey is the keyed hash by which lookups are counted: of the mobile number, or of
// the remitter's id if the request has no mobile number.
func (p *CustomerPolicy) customerKey(about central.Particulars) CustomerKey {
	if about.Mobile == "" {
		return hashCustomer(p.key, "sender\n"+about.Sender)
	}
	return CustomerByMobile(p.key, about.Mobile)
}

// CustomerByMobile is the customer with a mobile number.
func CustomerByMobile(key secret.Key, mobile string) CustomerKey {
	return hashCustomer(key, "mobile\n"+mobile)
}

func hashCustomer(key secret.Key, text string) (hash CustomerKey) {
	mac := hmac.New(sha256.New, key.Reveal())
	mac.Write([]byte("galla/bank-customer/v1\n" + text))
	mac.Sum(hash[:0])
	return hash
}

// countLookup counts a lookup, and refuses it over the limit.
func (p *CustomerPolicy) countLookup(ctx context.Context, c CustomerRequest, r central.BankRequest) error {
	err := p.store.CountLookup(ctx, c.Merchant, p.customerKey(r.Particulars), p.lookupLimit(c.Merchant), time.Now())
	var over *LookupError
	if errors.As(err, &over) {
		p.log.Warn("a merchant is over its limit of customer lookups", slog.String("request", c.RequestID),
			slog.String("merchant", string(c.Merchant)), slog.String("caller", c.Principal.Caller()), slog.Int("limit", over.Limit))
		return &central.Error{Fault: central.TooMany, Message: over.Error(), RetryAfter: over.Wait}
	}
	return err
}

// checkMayDelete refuses a merchant that has passed no step with the customer.
func (p *CustomerPolicy) checkMayDelete(ctx context.Context, c CustomerRequest, sender string) error {
	proven, err := p.store.CustomerProven(ctx, c.Merchant, CustomerByRemitter(sender))
	if err != nil || proven {
		return err
	}
	return errUnprovenCustomer()
}

// checkOwner refuses an id that the caller neither registered nor shares: a vendor
// registers agents of its aggregator's business correspondents, and an aggregator uses its
// vendors' agents. The refusal is the same as for an absent id.
func (p *CustomerPolicy) checkOwner(ctx context.Context, c CustomerRequest, kind CorrespondentKind, id string) error {
	absent := central.NewError(central.NotFound, "No such agent")
	if kind == BusinessCorrespondent {
		absent = central.NewError(central.NotFound, "No such business correspondent")
	}
	owner, err := p.store.CorrespondentOwner(ctx, kind, id)
	switch {
	case errors.Is(err, central.ErrNotFound):
		return absent
	case err != nil:
		return err
	case owner == c.Principal.Party():
		return nil
	}
	upper, lower := owner, c.Principal.Party() // an aggregator, and a vendor of it
	if kind == CorrespondentAgent {
		upper, lower = lower, upper
	}
	vendor, aggregator := vendorOf(lower), aggregatorOf(upper)
	if vendor == "" || aggregator == "" {
		return absent
	}
	v, err := p.store.Vendor(ctx, vendor)
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return fmt.Errorf("read vendor %s: %w", vendor, err)
	}
	if err != nil || v.Aggregator != aggregator {
		return absent
	}
	return nil
}

func vendorOf(party string) central.VendorID {
	return central.VendorID(partyID(party, op.Vendor))
}

func aggregatorOf(party string) central.AggregatorID {
	return central.AggregatorID(partyID(party, op.Aggregator))
}

// Record stores what later checks need from a successful reply. A write that fails is
// repeated by the next lookup or step.
func (p *CustomerPolicy) Record(ctx context.Context, c CustomerRequest, r central.BankRequest, reply central.Reply) {
	if err := p.recordReply(ctx, c, r, reply.Body); err != nil {
		p.log.Error("the bank's reply about a customer can't be recorded: this shop may be asked for an OTP again", slog.String("request", c.RequestID), slog.Any("error", err))
	}
}

func (p *CustomerPolicy) recordReply(ctx context.Context, c CustomerRequest, r central.BankRequest, body []byte) error {
	about := r.Particulars
	switch r.Kind {
	case central.KindCustomerDetail, central.KindCustomerOnboarding, central.KindRemitterDetails, central.KindRemitterRegister,
		central.KindCustomerOTPCheck, central.KindCustomerBiometric:
	default:
		return nil
	}
	var reply struct {
		StatusCode string `json:"statusCode"`
		Data       struct {
			Reference string `json:"referenceid"`
			Sender    string `json:"senderid"` // senderId in some replies
		} `json:"data"`
	}
	if json.Unmarshal(body, &reply, json.MatchCaseInsensitiveNames(true)) != nil || reply.StatusCode != "00" {
		return nil
	}
	now := time.Now()
	if r.Kind == central.KindCustomerOTPCheck || r.Kind == central.KindCustomerBiometric {
		return p.store.ProveCustomer(ctx, c.Merchant, CustomerByEnrolment(about.Enrolment), now)
	}
	var wrong []error
	if reply.Data.Reference != "" && about.Mobile != "" {
		wrong = append(wrong, p.store.NameCustomer(ctx, CustomerByEnrolment(reply.Data.Reference), p.customerKey(about), now))
	}
	switch sender := CustomerByRemitter(reply.Data.Sender); {
	case reply.Data.Sender == "":
	case about.Mobile != "":
		wrong = append(wrong, p.store.NameCustomer(ctx, sender, p.customerKey(about), now))
	default: // a registration by id names a remitter, or an onboarding
		wrong = append(wrong, p.store.AliasCustomer(ctx, sender, CustomerByRemitter(about.Sender), now), p.store.AliasCustomer(ctx, sender, CustomerByEnrolment(about.Sender), now))
	}
	return errors.Join(wrong...)
}

// partyID returns the id of a party of a role; empty: it has another role.
func partyID(party string, role op.Role) string {
	id, ok := strings.CutPrefix(party, string(role)+":")
	if !ok {
		return ""
	}
	return id
}

// CustomerLimitKey is the keyed hash of an Aadhaar number that names a customer in the
// keys of limits; empty: no number.
func CustomerLimitKey(key *secret.MAC, a secret.Aadhaar) string {
	if a.IsZero() {
		return ""
	}
	sum := key.Sum(func(mac hash.Hash) {
		_, _ = io.WriteString(mac, "galla/limit-customer/v1\n")
		_, _ = io.WriteString(mac, a.Reveal())
	})
	return hex.EncodeToString(sum[:16])
}
