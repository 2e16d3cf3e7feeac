package webhook

import (
	"context"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/staff"
	"galla/shared/op"
)

// URLError says why a URL can't be an endpoint.
type URLError struct{ Err error }

func (e *URLError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *URLError) Unwrap() error { return e.Err }

// AuditedStore is where Audited reads and changes callbacks.
type AuditedStore interface {
	AdminStore
	ListSecrets(ctx context.Context, r Receiver) ([]Secret, error)
	RevokeSecret(ctx context.Context, id SecretID, at time.Time) error
}

// Audited makes people's changes of callbacks, in the console and by commands. Each is
// in the audit log before and after it is made.
type Audited struct {
	AuditedStore
	vault   *Vault
	log     *staff.AuditLog
	sandbox bool
}

// NewAudited returns an Audited. A sandbox's endpoints may have private addresses.
func NewAudited(store AuditedStore, vault *Vault, log *staff.AuditLog, sandbox bool) *Audited {
	return &Audited{store, vault, log, sandbox}
}

// SetEndpoint sets a receiver's endpoint, for all events; an empty URL removes it. The log
// has the URL's scheme and host. *URLError, and errors as of AdminStore.SetEndpoint.
func (a *Audited) SetEndpoint(ctx context.Context, by staff.Actor, r Receiver, url string) error {
	c := staff.Change{What: "callback.endpoint", Subject: r.ID(), Became: "none"}
	var events []string
	var invalid error
	if url != "" {
		events, invalid = Events(), CheckURL(url, a.sandbox)
		c.Became = "refused"
		if invalid == nil {
			c.Became = RedactURL(url)
		}
	}
	return a.log.RunAudited(ctx, by, c, func(ctx context.Context) error {
		if invalid != nil {
			return &URLError{invalid}
		}
		return a.AuditedStore.SetEndpoint(ctx, r, url, events, time.Now())
	})
}

// MintSecret makes a secret for a receiver, whose other one ends at formerEnds; zero: as it
// was planned. Errors as of Vault.Mint.
func (a *Audited) MintSecret(ctx context.Context, by staff.Actor, r Receiver, formerEnds time.Time) (made NewSecret, err error) {
	c := staff.Change{What: "callback.secret.mint", Subject: r.ID()}
	if !formerEnds.IsZero() {
		c.Note = "the secret before " + accounts.EndText(formerEnds)
	}
	err = a.log.RunAudited(ctx, by, c, func(ctx context.Context) (err error) {
		made, err = a.vault.Mint(ctx, r, formerEnds)
		return err
	})
	return made, err
}

// EndSecret ends a receiver's secret at a time; zero: now. Errors as of Vault.End.
func (a *Audited) EndSecret(ctx context.Context, by staff.Actor, r Receiver, id SecretID, ends time.Time) error {
	c := staff.Change{What: "callback.secret.end", Subject: r.ID(), Note: "secret " + string(id), Became: "revoked"}
	if !ends.IsZero() {
		c.Became = accounts.EndText(ends)
	}
	return a.log.RunAudited(ctx, by, c, func(ctx context.Context) error { return a.vault.End(ctx, r, id, ends) })
}

// RevokeSecret revokes a secret, whosever it is. central.ErrNotFound: there is no such
// secret.
func (a *Audited) RevokeSecret(ctx context.Context, by staff.Actor, id SecretID) error {
	c := staff.Change{What: "callback.secret.revoke", Note: "secret " + string(id), Became: "revoked"}
	return a.log.RunAudited(ctx, by, c, func(ctx context.Context) error {
		return a.AuditedStore.RevokeSecret(ctx, id, time.Now())
	})
}

// ReplayCallback sends an operation's callback again, now. Errors as of
// AdminStore.ReplayCallback.
func (a *Audited) ReplayCallback(ctx context.Context, by staff.Actor, id op.ID) error {
	return a.log.RunAudited(ctx, by, staff.Change{What: "callback.replay", Subject: string(id)}, func(ctx context.Context) error {
		return a.AuditedStore.ReplayCallback(ctx, id, time.Now())
	})
}

// ReplayCallbacksSince sends again, now, a merchant's callbacks that were created at or
// after a time, and returns their number.
func (a *Audited) ReplayCallbacksSince(ctx context.Context, by staff.Actor, m central.MerchantID, since time.Time) (n int, err error) {
	c := staff.Change{What: "callback.replay", Subject: string(m), Note: "all since " + since.Format(time.RFC3339)}
	err = a.log.RunAudited(ctx, by, c, func(ctx context.Context) (err error) {
		n, err = a.AuditedStore.ReplayCallbacksSince(ctx, m, since, time.Now())
		return err
	})
	return n, err
}
