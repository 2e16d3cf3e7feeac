package accounts

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"galla/central"
	"galla/shared/secret"
)

// MaxLiveClients is how many active clients a party may have: a few, each with its
// successor.
const MaxLiveClients = 6

// ErrManyClients says that a party has MaxLiveClients active clients.
var ErrManyClients = errors.New("the party has the most live programs allowed: suspend one first")

// MaxLiveSecrets is how many secrets a client may have at one time: two, so that it can
// change them without a gap.
const MaxLiveSecrets = 2

// ClientSecret is one of a client's live secrets, as lists show it.
type ClientSecret struct {
	No        int64     // counts the client's secrets
	CreatedAt time.Time // zero: not recorded
	EndsAt    time.Time // zero: no end is planned
}

// Client is a program's credential for the direct routes, as lists show it.
type Client struct {
	ID        string // client_id
	Active    bool
	CreatedAt time.Time      // zero: not recorded
	SecretAt  time.Time      // when its newest secret was made; zero: not recorded
	Secrets   []ClientSecret // the live ones, the newest first
	Terminals int            // enrolled with its codes, and not revoked
	OpenCodes int            // its enrolment codes that can still be used
}

// Clients stores programs' credentials. A principal is the party that owns them;
// central.ErrNotFound: that party has no such client.
type Clients interface {
	// Client reads a client of any party; central.ErrNotFound.
	Client(ctx context.Context, id string) (central.Client, error)
	// ClientsOf lists a party's clients by id; open codes are counted at the time at.
	ClientsOf(ctx context.Context, p central.Principal, at time.Time) ([]Client, error)
	// AddClient records an active client. central.ErrTaken: the id is in use;
	// central.ErrNotFound: there is no such party; ErrManyClients.
	AddClient(ctx context.Context, x central.Client, at time.Time) error
	// SetClientSecret replaces all secrets of a client by one. The same transaction makes its tokens
	// and its open enrolment codes void; voided counts the codes.
	SetClientSecret(ctx context.Context, p central.Principal, id, hash string, at time.Time) (voided int, err error)
	// AddClientSecret gives a client another secret, and returns its number. The one before
	// is valid until formerEnds; zero: until it is ended. central.ErrState: the client has
	// MaxLiveSecrets already.
	AddClientSecret(ctx context.Context, p central.Principal, id, hash string, at, formerEnds time.Time) (no int64, err error)
	// EndClientSecret ends a secret, with the tokens that it got, and all open enrolment codes
	// of the client; voided counts them. If ends is after at, it only plans the end of the
	// older secret. central.ErrNotFound: no such live secret; central.ErrState: it is the
	// only one, or the newest one should end later.
	EndClientSecret(ctx context.Context, p central.Principal, id string, no int64, at, ends time.Time) (voided int, err error)
	// SetClientActive enables or suspends a client. A suspension makes tokens and codes
	// void as SetClientSecret does. central.ErrState: it is so already; ErrManyClients.
	SetClientActive(ctx context.Context, p central.Principal, id string, active bool, at time.Time) (voided int, err error)
}

// Hash computes the stored hash of a client's secret, with salt from rand.
type Hash func(s secret.Key, rand io.Reader) (string, error)

// Random bytes of a client's id and of its secret.
const (
	clientIDBytes     = 8
	clientSecretBytes = 32
)

// Credential is a client's id and its secret, which is shown once.
type Credential struct {
	ID     string
	Secret secret.Token
	No     int64 // of the secret; 1 of a new client
	// Voided counts the open enrolment codes that ended with the former secret.
	Voided int
}

// ClientIssuer creates programs' credentials.
type ClientIssuer struct {
	Clients
	hash Hash
	rand io.Reader
}

// NewClientIssuer returns an issuer that stores clients with the hash of their secret; ids
// and secrets are drawn from rand.
func NewClientIssuer(clients Clients, hash Hash, rand io.Reader) ClientIssuer {
	return ClientIssuer{clients, hash, rand}
}

// NewClient creates a credential for a program of a party. Errors are those of
// Clients.AddClient.
func (i ClientIssuer) NewClient(ctx context.Context, p central.Principal) (Credential, error) {
	raw := make([]byte, clientIDBytes)
	if _, err := io.ReadFull(i.rand, raw); err != nil {
		return Credential{}, fmt.Errorf("draw a client's id: %w", err)
	}
	made, hash, err := i.credential(string(p.Role) + "-" + hex.EncodeToString(raw))
	if err != nil {
		return Credential{}, err
	}
	made.No = 1
	return made, i.AddClient(ctx, central.Client{ID: made.ID, SecretHash: hash, Principal: p, Active: true}, time.Now())
}

// RenewClient gives a party's client a new secret; the old one and the tokens that it got
// become void. central.ErrNotFound.
func (i ClientIssuer) RenewClient(ctx context.Context, p central.Principal, id string) (Credential, error) {
	made, hash, err := i.credential(id)
	if err != nil {
		return Credential{}, err
	}
	made.Voided, err = i.SetClientSecret(ctx, p, id, hash, time.Now())
	return made, err
}

// RotateClient gives a party's client another secret beside its present one, which is valid
// until formerEnds; zero: until it is ended. Errors as of Clients.AddClientSecret.
func (i ClientIssuer) RotateClient(ctx context.Context, p central.Principal, id string, formerEnds time.Time) (Credential, error) {
	made, hash, err := i.credential(id)
	if err != nil {
		return Credential{}, err
	}
	made.No, err = i.AddClientSecret(ctx, p, id, hash, time.Now(), formerEnds)
	return made, err
}

// credential draws a secret and returns its hash.
func (i ClientIssuer) credential(id string) (Credential, string, error) {
	raw := make([]byte, clientSecretBytes)
	if _, err := io.ReadFull(i.rand, raw); err != nil {
		return Credential{}, "", fmt.Errorf("draw a client's secret: %w", err)
	}
	text := base64.RawURLEncoding.EncodeToString(raw)
	hash, err := i.hash(secret.NewKey([]byte(text)), i.rand)
	if err != nil {
		return Credential{}, "", fmt.Errorf("hash the secret of client %s: %w", id, err)
	}
	return Credential{ID: id, Secret: secret.NewToken(text)}, hash, nil
}
