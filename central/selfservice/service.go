package selfservice

import (
	"context"
	"errors"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/keys"
	"galla/central/staff"
	"galla/central/webhook"
	"galla/shared/op"
)

// Clients are the programs of parties, with their secrets.
type Clients interface {
	ClientsOf(ctx context.Context, p central.Principal, at time.Time) ([]accounts.Client, error)
}

// Merchants reads merchants; central.ErrNotFound.
type Merchants interface {
	Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error)
}

// Parts do the work. All are needed.
type Parts struct {
	Keys       *keys.Audited
	Clients    Clients
	Secrets    *accounts.Audited
	Callbacks  *webhook.Audited
	Merchants  Merchants
	Operations OperationStore
}

// Service manages what is a vendor's own. Its methods may be called concurrently. Their
// errors are those of the packages that do the work; central.ErrNotFound for what the
// vendor does not have.
type Service struct {
	keys       *keys.Audited
	clients    Clients
	secrets    *accounts.Audited
	callbacks  *webhook.Audited
	merchants  Merchants
	operations OperationStore
}

// New returns a Service.
func New(p Parts) (*Service, error) {
	if p.Keys == nil || p.Clients == nil || p.Secrets == nil || p.Callbacks == nil || p.Merchants == nil || p.Operations == nil {
		return nil, errors.New("selfservice: keys, clients, secrets, callbacks, merchants and operations are needed")
	}
	return &Service{p.Keys, p.Clients, p.Secrets, p.Callbacks, p.Merchants, p.Operations}, nil
}

// principal is the vendor as the owner of programs.
func principal(v central.VendorID) central.Principal {
	return central.Principal{Role: op.Vendor, Vendor: v}
}

// Keys lists the vendor's keys of the gateway, oldest first, with those that have ended.
func (s *Service) Keys(ctx context.Context, v central.VendorID) ([]keys.VendorKey, error) {
	return s.keys.List(ctx, v)
}

// AddKey makes a key. central.ErrState: the vendor has central.MaxLiveKeys already.
func (s *Service) AddKey(ctx context.Context, by staff.Actor, v central.VendorID) (keys.Issued, error) {
	return s.keys.Add(ctx, by, v)
}

// EndKey ends a key at a time; zero: now. central.ErrState: it has ended.
func (s *Service) EndKey(ctx context.Context, by staff.Actor, v central.VendorID, id central.KeyID, ends time.Time) error {
	return s.keys.End(ctx, by, v, id, ends)
}

// Clients lists the vendor's programs, with the numbers of their live secrets.
func (s *Service) Clients(ctx context.Context, v central.VendorID) ([]accounts.Client, error) {
	return s.clients.ClientsOf(ctx, principal(v), time.Now())
}

// AddSecret gives a program another secret; the present one is valid until formerEnds;
// zero: until it is ended. central.ErrState: it has accounts.MaxLiveSecrets already.
func (s *Service) AddSecret(ctx context.Context, by staff.Actor, v central.VendorID, client string, formerEnds time.Time) (accounts.Credential, error) {
	return s.secrets.RotateClient(ctx, by, principal(v), client, formerEnds)
}

// EndSecret ends a secret of a program at a time; zero: now. central.ErrState: it is the
// only one, or the newest one should end later.
func (s *Service) EndSecret(ctx context.Context, by staff.Actor, v central.VendorID, client string, no int64, ends time.Time) error {
	return s.secrets.EndClientSecret(ctx, by, principal(v), client, no, ends)
}

// merchantOf reads a merchant of the vendor.
func (s *Service) merchantOf(ctx context.Context, v central.VendorID, id central.MerchantID) (central.Merchant, error) {
	m, err := s.merchants.Merchant(ctx, id)
	if err == nil && (m.Vendor != v || v == "") {
		err = central.ErrNotFound
	}
	if err != nil {
		return central.Merchant{}, err
	}
	return m, nil
}

// Merchant returns one of the vendor's merchants.
func (s *Service) Merchant(ctx context.Context, v central.VendorID, id central.MerchantID) (central.Merchant, error) {
	return s.merchantOf(ctx, v, id)
}

// receiver is one of the vendor's merchants as a receiver of callbacks, or without an id the
// vendor itself.
func (s *Service) receiver(ctx context.Context, v central.VendorID, id central.MerchantID) (webhook.Receiver, error) {
	if id == "" {
		return webhook.OfVendor(v), nil
	}
	_, err := s.merchantOf(ctx, v, id)
	return webhook.OfMerchant(id), err
}

// Endpoint returns where a merchant gets callbacks, and the secrets that sign them. Without
// a merchant's id, it is the vendor's own, for its merchants that have none.
func (s *Service) Endpoint(ctx context.Context, v central.VendorID, id central.MerchantID) (webhook.Endpoint, error) {
	r, err := s.receiver(ctx, v, id)
	if err != nil {
		return webhook.Endpoint{}, err
	}
	return s.callbacks.Endpoint(ctx, r, time.Now())
}

// SetEndpoint sets where a merchant, or without an id the vendor, gets callbacks; an empty
// URL removes it. *webhook.URLError.
func (s *Service) SetEndpoint(ctx context.Context, by staff.Actor, v central.VendorID, id central.MerchantID, url string) error {
	r, err := s.receiver(ctx, v, id)
	if err != nil {
		return err
	}
	return s.callbacks.SetEndpoint(ctx, by, r, url)
}

// AddCallbackSecret makes a secret that signs the callbacks of a merchant, or without an id
// of the vendor; the present one is valid until formerEnds; zero: until it is ended.
// central.ErrState: it has webhook.MaxSecrets already.
func (s *Service) AddCallbackSecret(ctx context.Context, by staff.Actor, v central.VendorID, id central.MerchantID, formerEnds time.Time) (webhook.NewSecret, error) {
	r, err := s.receiver(ctx, v, id)
	if err != nil {
		return webhook.NewSecret{}, err
	}
	return s.callbacks.MintSecret(ctx, by, r, formerEnds)
}

// EndCallbackSecret ends a secret of a merchant, or without an id of the vendor, at a time;
// zero: now. central.ErrState: it has ended.
func (s *Service) EndCallbackSecret(ctx context.Context, by staff.Actor, v central.VendorID, id central.MerchantID, secret webhook.SecretID, ends time.Time) error {
	r, err := s.receiver(ctx, v, id)
	if err != nil {
		return err
	}
	return s.callbacks.EndSecret(ctx, by, r, secret, ends)
}

// Callbacks lists callbacks to the vendor's merchants, newest first. ErrAfter.
func (s *Service) Callbacks(ctx context.Context, v central.VendorID, f webhook.Filter) ([]webhook.Callback, error) {
	if f.After != "" {
		if _, _, err := s.Callback(ctx, v, f.After); errors.Is(err, central.ErrNotFound) {
			return nil, ErrAfter
		} else if err != nil {
			return nil, err
		}
	}
	f.Vendor = v
	return s.callbacks.ListCallbacks(ctx, f)
}

// Callback returns a callback to one of the vendor's merchants, with its attempts.
func (s *Service) Callback(ctx context.Context, v central.VendorID, id op.ID) (webhook.Callback, []webhook.Attempt, error) {
	c, attempts, err := s.callbacks.Callback(ctx, id)
	if err == nil {
		_, err = s.merchantOf(ctx, v, c.Merchant)
	}
	if err != nil {
		return webhook.Callback{}, nil, err
	}
	return c, attempts, nil
}

// Resend sends the callback of an operation again, now. central.ErrState: a node sends it
// at this moment, or the operation has none.
func (s *Service) Resend(ctx context.Context, by staff.Actor, v central.VendorID, id op.ID) error {
	if _, err := s.Operation(ctx, v, id); err != nil {
		return err
	}
	return s.callbacks.ReplayCallback(ctx, by, id)
}
