package api

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/api/field"
	"galla/central/keys"
	"galla/central/selfservice"
	"galla/central/staff"
	"galla/central/webhook"
	"galla/shared/op"
)

// SelfService is what vendors manage by themselves; *selfservice.Service implements it.
// What a vendor does not have is central.ErrNotFound.
type SelfService interface {
	Keys(ctx context.Context, v central.VendorID) ([]keys.VendorKey, error)
	AddKey(ctx context.Context, by staff.Actor, v central.VendorID) (keys.Issued, error)
	EndKey(ctx context.Context, by staff.Actor, v central.VendorID, id central.KeyID, ends time.Time) error

	Clients(ctx context.Context, v central.VendorID) ([]accounts.Client, error)
	AddSecret(ctx context.Context, by staff.Actor, v central.VendorID, client string, formerEnds time.Time) (accounts.Credential, error)
	EndSecret(ctx context.Context, by staff.Actor, v central.VendorID, client string, no int64, ends time.Time) error

	// Of a merchant's callbacks; without a merchant's id, of the vendor's own endpoint.
	Endpoint(ctx context.Context, v central.VendorID, m central.MerchantID) (webhook.Endpoint, error)
	SetEndpoint(ctx context.Context, by staff.Actor, v central.VendorID, m central.MerchantID, url string) error
	AddCallbackSecret(ctx context.Context, by staff.Actor, v central.VendorID, m central.MerchantID, formerEnds time.Time) (webhook.NewSecret, error)
	EndCallbackSecret(ctx context.Context, by staff.Actor, v central.VendorID, m central.MerchantID, id webhook.SecretID, ends time.Time) error

	Callbacks(ctx context.Context, v central.VendorID, f webhook.Filter) ([]webhook.Callback, error)
	Callback(ctx context.Context, v central.VendorID, id op.ID) (webhook.Callback, []webhook.Attempt, error)
	Resend(ctx context.Context, by staff.Actor, v central.VendorID, id op.ID) error

	Operations(ctx context.Context, v central.VendorID, q selfservice.OperationQuery) ([]central.Operation, error)
}

// own serves a route with what the caller manages by itself.
func (h *Handler) own(prepare func(*activeRequest) action) endpoint {
	return plain(func(c *activeRequest) action {
		work := prepare(c)
		if h.cfg.SelfService == nil {
			return func(context.Context) (central.Reply, error) {
				return central.Reply{}, central.NewError(central.NoRoute, "")
			}
		}
		return work
	})
}

// actor is the caller in the audit log: its program, or at the gateway the vendor.
func (c *activeRequest) actor() staff.Actor {
	login := c.Credential.Client
	if login == "" {
		login = c.Principal.Caller()
	}
	return staff.Actor{Login: login, From: staff.InterfaceOrigin(c.Principal.Caller(), c.RequestID)}
}

// maxPlanned is how far ahead an end can be planned, in days.
const maxPlanned = 90

// parseEnd reads the time at which a key or secret ends; zero if it was not sent.
func parseEnd(in *field.Reader, name string) time.Time {
	at := in.Time(name, field.May)
	now := time.Now()
	if !at.IsZero() && (!at.After(now) || at.After(now.AddDate(0, 0, maxPlanned))) {
		in.Fail(name, "range", fmt.Sprintf("must lie in the future, at most %d days ahead", maxPlanned))
	}
	return at
}

// selfServiceError maps an error to a reply: absent is the message for what the vendor does
// not have, and forbidden that for what its state does not allow.
func selfServiceError(err error, absent, forbidden string) error {
	switch {
	case errors.Is(err, central.ErrNotFound):
		return central.NewError(central.NotFound, absent)
	case errors.Is(err, central.ErrState) && forbidden != "":
		return central.NewError(central.FailedPrecondition, forbidden)
	}
	return err
}

// keyData is a vendor's key of the gateway, as a list shows it.
type keyData struct {
	ID        central.KeyID `json:"id"`
	Hint      string        `json:"hint"`
	Live      bool          `json:"live"`
	CreatedAt string        `json:"createdAt"`
	UsedAt    string        `json:"usedAt,omitzero"`
	EndsAt    string        `json:"endsAt,omitzero"`
}

func (h *Handler) listKeys(c *activeRequest) action {
	vendor := c.Principal.Vendor
	return func(ctx context.Context) (central.Reply, error) {
		all, err := h.cfg.SelfService.Keys(ctx, vendor)
		if err != nil {
			return central.Reply{}, err
		}
		now, list := time.Now(), []keyData{}
		for _, k := range all {
			ends := k.RevokedAt
			if ends.IsZero() {
				ends = k.EndsAt
			}
			list = append(list, keyData{ID: k.ID, Hint: k.Hint, Live: k.Live(now), CreatedAt: isoTime(k.CreatedAt), UsedAt: isoTime(k.UsedAt), EndsAt: isoTime(ends)})
		}
		return successReply(200, "Keys", list), nil
	}
}

// newKeyData is a new key. Nothing of it is shown again.
type newKeyData struct {
	ID     central.KeyID `json:"id"`
	APIKey string        `json:"apiKey"`
	Key    string        `json:"key"` // 32 bytes, base64
}

func (h *Handler) addKey(c *activeRequest) action {
	return func(ctx context.Context) (central.Reply, error) {
		made, err := h.cfg.SelfService.AddKey(ctx, c.actor(), c.Principal.Vendor)
		if err != nil {
			return central.Reply{}, selfServiceError(err, "No such vendor", fmt.Sprintf("The vendor has %d live keys, the most that are allowed: end one first", central.MaxLiveKeys))
		}
		return successReply(201, "Key created; it is not shown again", newKeyData{made.ID, made.APIKey.Reveal(), base64.StdEncoding.EncodeToString(made.Key.Reveal())}), nil
	}
}

func (h *Handler) endKey(c *activeRequest) action {
	id, ends := central.KeyID(c.Params["keyId"]), parseEnd(&c.fields, "at")
	return func(ctx context.Context) (central.Reply, error) {
		if !field.IsUUID(string(id)) {
			return central.Reply{}, central.NewError(central.NotFound, "No such key")
		}
		if err := h.cfg.SelfService.EndKey(ctx, c.actor(), c.Principal.Vendor, id, ends); err != nil {
			return central.Reply{}, selfServiceError(err, "No such key", "The key has ended already")
		}
		return successReply(200, endMessage("key", ends), nil), nil
	}
}

// endMessage says what became of a key or secret.
func endMessage(what string, ends time.Time) string {
	if ends.IsZero() {
		return "The " + what + " has ended"
	}
	return "The " + what + " ends at the given time"
}

// clientData is a program of the vendor, with its live secrets, the newest first.
type clientData struct {
	ID        string       `json:"id"`
	Active    bool         `json:"active"`
	CreatedAt string       `json:"createdAt,omitzero"`
	Secrets   []secretData `json:"secrets"`
}

type secretData struct {
	ID        string `json:"id"`
	CreatedAt string `json:"createdAt,omitzero"`
	EndsAt    string `json:"endsAt,omitzero"`
}

func (h *Handler) listClients(c *activeRequest) action {
	return func(ctx context.Context) (central.Reply, error) {
		all, err := h.cfg.SelfService.Clients(ctx, c.Principal.Vendor)
		if err != nil {
			return central.Reply{}, err
		}
		list := []clientData{}
		for _, x := range all {
			data := clientData{ID: x.ID, Active: x.Active, CreatedAt: isoTime(x.CreatedAt), Secrets: []secretData{}}
			for _, s := range x.Secrets {
				data.Secrets = append(data.Secrets, secretData{strconv.FormatInt(s.No, 10), isoTime(s.CreatedAt), isoTime(s.EndsAt)})
			}
			list = append(list, data)
		}
		return successReply(200, "Clients", list), nil
	}
}

// newSecretData is a program's new secret. It is not shown again.
type newSecretData struct {
	ID     string `json:"id"`
	Client string `json:"client_id"`
	Secret string `json:"client_secret"`
}

func (h *Handler) addClientSecret(c *activeRequest) action {
	client, ends := c.Params["clientId"], parseEnd(&c.fields, "formerEndsAt")
	return func(ctx context.Context) (central.Reply, error) {
		made, err := h.cfg.SelfService.AddSecret(ctx, c.actor(), c.Principal.Vendor, client, ends)
		if err != nil {
			return central.Reply{}, selfServiceError(err, "No such client", fmt.Sprintf("The client has %d live secrets, the most that are allowed: end one first", accounts.MaxLiveSecrets))
		}
		return successReply(201, "Secret created; it is not shown again", newSecretData{strconv.FormatInt(made.No, 10), made.ID, made.Secret.Reveal()}), nil
	}
}

func (h *Handler) endClientSecret(c *activeRequest) action {
	client, ends := c.Params["clientId"], parseEnd(&c.fields, "at")
	no, err := strconv.ParseInt(c.Params["secretId"], 10, 64)
	known := err == nil && strconv.FormatInt(no, 10) == c.Params["secretId"]
	return func(ctx context.Context) (central.Reply, error) {
		if !known {
			return central.Reply{}, central.NewError(central.NotFound, "No such secret")
		}
		if err := h.cfg.SelfService.EndSecret(ctx, c.actor(), c.Principal.Vendor, client, no, ends); err != nil {
			return central.Reply{}, selfServiceError(err, "No such secret", "It is the client's only secret, or its newest one, which has no later end: create another first")
		}
		return successReply(200, endMessage("secret", ends), nil), nil
	}
}
