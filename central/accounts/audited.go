package accounts

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/staff"
	"galla/shared/op"
)

// Registry revokes terminals; central.TerminalRegistry implements it.
type Registry interface {
	Revoke(ctx context.Context, merchant central.MerchantID, id central.TerminalID) error
}

// Audited makes people's changes of clients and terminals, in the console and by
// commands. Each is in the audit log before and after it is made.
type Audited struct {
	issuer    ClientIssuer
	terminals Terminals
	registry  Registry
	log       *staff.AuditLog
}

// NewAudited returns an Audited.
func NewAudited(issuer ClientIssuer, terminals Terminals, registry Registry, log *staff.AuditLog) *Audited {
	return &Audited{issuer, terminals, registry, log}
}

// subjectOf is the id of a principal's party.
func subjectOf(p central.Principal) string {
	switch p.Role {
	case op.Merchant:
		return string(p.Merchant)
	case op.Vendor:
		return string(p.Vendor)
	}
	return string(p.Aggregator)
}

// NewClient makes a credential for a program of a party. Errors as of
// ClientIssuer.NewClient.
func (a *Audited) NewClient(ctx context.Context, by staff.Actor, p central.Principal) (made Credential, err error) {
	c := staff.Change{What: "client.add", Subject: subjectOf(p), Became: "live"}
	err = a.log.RunAudited(ctx, by, c, func(ctx context.Context) (err error) {
		made, err = a.issuer.NewClient(ctx, p)
		return err
	})
	return made, err
}

// RenewClient gives a party's client another secret. Errors as of
// ClientIssuer.RenewClient.
func (a *Audited) RenewClient(ctx context.Context, by staff.Actor, p central.Principal, id string) (made Credential, err error) {
	c := staff.Change{What: "client.secret", Subject: subjectOf(p), Note: "client " + id, Became: "another secret"}
	err = a.log.RunAudited(ctx, by, c, func(ctx context.Context) (err error) {
		made, err = a.issuer.RenewClient(ctx, p, id)
		return err
	})
	return made, err
}

// RotateClient gives a party's client another secret beside its present one. Errors as of
// ClientIssuer.RotateClient.
func (a *Audited) RotateClient(ctx context.Context, by staff.Actor, p central.Principal, id string, formerEnds time.Time) (made Credential, err error) {
	c := staff.Change{What: "client.secret.add", Subject: subjectOf(p), Note: "client " + id, Became: "the former secret " + EndText(formerEnds)}
	err = a.log.RunAudited(ctx, by, c, func(ctx context.Context) (err error) {
		made, err = a.issuer.RotateClient(ctx, p, id, formerEnds)
		return err
	})
	return made, err
}

// EndClientSecret ends a secret of a party's client at a time; zero: now. Errors as of
// Clients.EndClientSecret.
func (a *Audited) EndClientSecret(ctx context.Context, by staff.Actor, p central.Principal, id string, no int64, ends time.Time) error {
	c := staff.Change{What: "client.secret.end", Subject: subjectOf(p), Note: fmt.Sprintf("client %s, secret %d", id, no), Became: "ended"}
	if !ends.IsZero() {
		c.Became = EndText(ends)
	}
	return a.log.RunAudited(ctx, by, c, func(ctx context.Context) error {
		_, err := a.issuer.EndClientSecret(ctx, p, id, no, time.Now(), ends)
		return err
	})
}

// EndText says when a key or secret ends, for the audit log.
func EndText(at time.Time) string {
	if at.IsZero() {
		return "has no planned end"
	}
	return "ends " + at.UTC().Format(time.RFC3339)
}

// ActiveText is whether a party or client may call, in a word.
func ActiveText(active bool) string {
	if active {
		return "active"
	}
	return "suspended"
}

// SetClientActive enables or suspends a party's client, and returns how many of its
// enrolment codes became void. Errors as of Clients.SetClientActive.
func (a *Audited) SetClientActive(ctx context.Context, by staff.Actor, p central.Principal, id string, active bool) (voided int, err error) {
	c := staff.Change{What: "client.active", Subject: subjectOf(p), Note: "client " + id, Was: ActiveText(!active), Became: ActiveText(active)}
	err = a.log.RunAudited(ctx, by, c, func(ctx context.Context) (err error) {
		voided, err = a.issuer.SetClientActive(ctx, p, id, active, time.Now())
		return err
	})
	return voided, err
}

// Status is a terminal's state, in a word.
func (t Terminal) Status() string {
	switch {
	case !t.RevokedAt.IsZero():
		return string(RevokedTerminal)
	case t.Online:
		return string(OnlineTerminal)
	case t.ConnectedAt.IsZero():
		return "never seen"
	}
	return string(OfflineTerminal)
}

// RevokeTerminal revokes a terminal at once, its open connection included.
// central.ErrNotFound.
func (a *Audited) RevokeTerminal(ctx context.Context, by staff.Actor, id central.TerminalID) error {
	t, err := a.terminals.TerminalWithPresence(ctx, id, time.Now().Add(-NodeTimeout))
	if err != nil {
		return err
	}
	c := staff.Change{What: "terminal.revoke", Subject: string(id), Was: t.Status(), Became: string(RevokedTerminal)}
	return a.log.RunAudited(ctx, by, c, func(ctx context.Context) error { return a.registry.Revoke(ctx, t.Merchant, id) })
}
