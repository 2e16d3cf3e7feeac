package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"galla/central"
	"galla/central/webhook"
)

// LimitReader tells the limits in force; *limits.RuleSet implements it.
type LimitReader interface {
	InForce(at time.Time) []central.Limit
	// Lookups is how many unknown customers a merchant may look up in an hour.
	Lookups(merchant central.MerchantID) int
}

// NetworkReader reads how merchants and terminals stand at the bank network.
type NetworkReader interface {
	// KYC gives a merchant's onboarding for a service, or central.ErrNotFound.
	KYC(ctx context.Context, merchant central.MerchantID, service central.Service) (central.ServiceKYC, error)
	// Session gives the latest session of an agent on a terminal, or central.ErrNotFound.
	Session(ctx context.Context, tid string) (central.AgentSession, error)
}

// limitRow is a limit in words.
type limitRow struct{ Kinds, Scope, Rule string }

// limitScopes are the scopes of limits as pages name them.
var limitScopes = map[central.LimitScope]string{
	central.PerTransaction:         "each operation",
	central.PerCustomerTerminalDay: "a customer at a terminal, in a day",
	central.PerTerminalDay:         "a terminal, in a day",
	central.PerRemitterDay:         "a remitter, in a day",
	central.PerRemitterMonth:       "a remitter, in a month",
	central.PerMerchantDay:         "a merchant, in a day",
	central.PerMerchantMonth:       "a merchant, in a month",
}

// limitRows puts limits into words, in their order.
func limitRows(list []central.Limit) []limitRow {
	rows := make([]limitRow, len(list))
	for i, l := range list {
		kinds := make([]string, len(l.Kinds))
		for j, k := range l.Kinds {
			kinds[j] = kindName(k)
		}
		scope := limitScopes[l.Scope]
		if scope == "" {
			scope = string(l.Scope)
		}
		rows[i] = limitRow{strings.Join(kinds, ", "), scope, limitText(l)}
	}
	return rows
}

// limitText says what a limit allows.
func limitText(l central.Limit) string {
	var parts []string
	add := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(l.Min > 0 && l.Max > 0, "%s to %s", l.Min.Rupees(), l.Max.Rupees())
	add(l.Min > 0 && l.Max == 0, "at least %s", l.Min.Rupees())
	add(l.Min == 0 && l.Max > 0, "at most %s", l.Max.Rupees())
	add(l.Step > 0, "in steps of %s", l.Step.Rupees())
	add(l.Count == 1, "at most one operation")
	add(l.Count > 1, "at most %s operations", formatCount(l.Count))
	add(l.Sum > 0, "at most %s together", l.Sum.Rupees())
	if parts == nil {
		return "no limit"
	}
	return strings.Join(parts, ", ")
}

// kycTexts are the states of an onboarding, in words.
var kycTexts = map[central.KYCState]string{
	central.KYCInitialized: "recorded here", central.KYCOnboarding: "begun at the network, the first OTP is sent", central.KYCOTPVerified: "mobile number verified by OTP",
	central.KYCPANVerified: "PAN verified", central.KYCUIDUpdated: "Aadhaar number given", central.KYCBioUpdated: "fingerprint given",
	central.KYCSubmitted: "submitted, the network examines it", central.KYCApproved: "approved by the network",
}

// onboarding is how far a merchant has come at the network.
type onboarding struct {
	Begun      bool
	Step, All  int
	Text, Next string // of the step that is done, and of the one that follows; empty: none does
	Since      time.Time
	Ready      bool // it may do AEPS
}

// onboardingOf reads a merchant's onboarding for AEPS.
func (e *PartyPages) onboardingOf(ctx context.Context, m central.Merchant) (onboarding, error) {
	states := central.KYCStates()
	o := onboarding{Ready: m.AEPSReady, All: len(states), Next: kycTexts[states[0]]}
	record, err := e.Network.KYC(ctx, m.ID, central.ServiceAEPS)
	if errors.Is(err, central.ErrNotFound) {
		return o, nil
	}
	if err != nil {
		return o, err
	}
	o.Begun, o.Step, o.Text, o.Since, o.Next = true, record.State.Rank(), kycTexts[record.State], record.UpdatedAt, ""
	if o.Step < o.All {
		o.Next = kycTexts[states[o.Step]]
	}
	return o, nil
}

// agentSession is the latest session of the agent at the bank on a terminal.
type agentSession struct {
	central.AgentSession
	Open bool
}

// agentSession reads the latest session of a terminal of the network; zero: there was none.
func (e *PartyPages) agentSession(ctx context.Context, tid string, now time.Time) (agentSession, error) {
	if tid == "" {
		return agentSession{}, nil
	}
	s, err := e.Network.Session(ctx, tid)
	if errors.Is(err, central.ErrNotFound) {
		return agentSession{}, nil
	}
	return agentSession{s, now.Before(s.ExpiresAt)}, err
}

// callbackPlace is scheme and host of the endpoint that gets a merchant's callbacks: its own,
// or its vendor's; empty: none does.
func (e *PartyPages) callbackPlace(ctx context.Context, m central.Merchant) (string, error) {
	own, err := e.Callbacks.Endpoint(ctx, webhook.OfMerchant(m.ID), time.Now())
	if err != nil {
		return "", err
	}
	if own.URL != "" {
		return webhook.RedactURL(own.URL), nil
	}
	return e.vendorPlace(ctx, m.Vendor)
}
