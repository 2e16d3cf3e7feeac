package webhook

import (
	"context"
	"slices"
	"time"

	"galla/central"
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
	ListSecrets(ctx context.Context, m central.MerchantID) ([]Secret, error)
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

// SetEndpoint sets a merchant's endpoint, for all events; an empty URL ends its callbacks.
// The log has the URL's scheme and host. *URLError, and errors as of
// AdminStore.SetEndpoint.
func (a *Audited) SetEndpoint(ctx context.Context, by staff.Actor, m central.MerchantID, url string) error {
	c := staff.Change{What: "callback.endpoint", Subject: string(m), Became: "none"}
	var events []string
	var invalid error
	if url != "" {
		events, invalid = []string{EventFinished}, CheckURL(url, a.sandbox)
		c.Became = "refused"
		if invalid == nil {
			c.Became = RedactURL(url)
		}
	}
	return a.log.RunAudited(ctx, by, c, func(ctx context.Context) error {
		if invalid != nil {
			return &URLError{invalid}
		}
		return a.AuditedStore.SetEndpoint(ctx, m, url, events, time.Now())
	})
}

// MintSecret makes a secret for a merchant. Errors as of Vault.Mint.
func (a *Audited) MintSecret(ctx context.Context, by staff.Actor, m central.MerchantID) (made NewSecret, err error) {
	err = a.log.RunAudited(ctx, by, staff.Change{What: "callback.secret.mint", Subject: string(m)}, func(ctx context.Context) (err error) {
		made, err = a.vault.Mint(ctx, m)
		return err
	})
	return made, err
}

// RevokeSecret revokes a merchant's secret; an empty merchant is any.
// central.ErrNotFound: there is no such secret, or it is not the merchant's.
func (a *Audited) RevokeSecret(ctx context.Context, by staff.Actor, m central.MerchantID, id SecretID) error {
	if m != "" {
		list, err := a.ListSecrets(ctx, m)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(list, func(s Secret) bool { return s.ID == id }) {
			return central.ErrNotFound
		}
	}
	c := staff.Change{What: "callback.secret.revoke", Subject: string(m), Note: "secret " + string(id), Became: "revoked"}
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
