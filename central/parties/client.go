package parties

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

// MaxLiveClients is how many programs of one party may have tokens at a time: a
// few, each of which may stand beside its successor.
const MaxLiveClients = 6

// ErrManyClients says that a party has as many live clients as it may.
var ErrManyClients = errors.New("the party has as many live programs as it may: suspend one first")

// Client is a program's credential at the direct door, as lists show it.
type Client struct {
	ID        string // client_id
	Active    bool
	CreatedAt time.Time // zero: nobody noted it
	SecretAt  time.Time // since when its secret is what it is; zero: since it was made
	Terminals int       // that its enrolment codes enrolled, and nobody has revoked
	OpenCodes int       // enrolment codes of its own that can still be used
}

// Clients is where programs' credentials are kept. A principal says whose they
// are; central.ErrNotFound where that party has no such client.
type Clients interface {
	// Client gives one, whosever it is; central.ErrNotFound.
	Client(ctx context.Context, id string) (central.Client, error)
	// ClientsOf lists a party's, by their ids, as they are at a moment.
	ClientsOf(ctx context.Context, p central.Principal, at time.Time) ([]Client, error)
	// AddClient records a live one. central.ErrTaken: the id is in use;
	// central.ErrNotFound: there is no such party; ErrManyClients.
	AddClient(ctx context.Context, x central.Client, at time.Time) error
	// SetClientSecret puts another secret in place of the one that it has. In the
	// same transaction its tokens and its open enrolment codes become void; it
	// tells how many codes.
	SetClientSecret(ctx context.Context, p central.Principal, id, hash string, at time.Time) (voided int, err error)
	// SetClientActive lets one have tokens, or not, and voids what it has where
	// not, as SetClientSecret does; for good. central.ErrState: it is so already;
	// ErrManyClients.
	SetClientActive(ctx context.Context, p central.Principal, id string, active bool, at time.Time) (voided int, err error)
}

// Hash makes the hash of a client's secret that is kept of it, with salt from rand.
type Hash func(s secret.Key, rand io.Reader) (string, error)

// Bytes of a client's id, which nobody need guess, and of its secret.
const (
	clientIDBytes     = 8
	clientSecretBytes = 32
)

// Credential is a client with its secret, which is shown once.
type Credential struct {
	ID     string
	Secret secret.Token
	// Voided are the open enrolment codes that ended with the secret before.
	Voided int
}

// Programs makes programs' credentials.
type Programs struct {
	Clients
	hash Hash
	rand io.Reader
}

// NewPrograms makes them where clients are kept: of secrets, which are drawn from
// rand, hash is kept.
func NewPrograms(clients Clients, hash Hash, rand io.Reader) Programs {
	return Programs{clients, hash, rand}
}

// NewClient makes a credential for a program of a party. Errors as of
// Clients.AddClient.
func (d Programs) NewClient(ctx context.Context, p central.Principal) (Credential, error) {
	raw := make([]byte, clientIDBytes)
	if _, err := io.ReadFull(d.rand, raw); err != nil {
		return Credential{}, fmt.Errorf("draw a client's id: %w", err)
	}
	made, hash, err := d.credential(string(p.Role) + "-" + hex.EncodeToString(raw))
	if err != nil {
		return Credential{}, err
	}
	return made, d.AddClient(ctx, central.Client{ID: made.ID, SecretHash: hash, Principal: p, Active: true}, time.Now())
}

// RenewClient gives a party's client another secret: the old one opens nothing
// from then on, nor do the tokens that it got. central.ErrNotFound.
func (d Programs) RenewClient(ctx context.Context, p central.Principal, id string) (Credential, error) {
	made, hash, err := d.credential(id)
	if err != nil {
		return Credential{}, err
	}
	made.Voided, err = d.SetClientSecret(ctx, p, id, hash, time.Now())
	return made, err
}

// credential draws a secret.
func (d Programs) credential(id string) (Credential, string, error) {
	raw := make([]byte, clientSecretBytes)
	if _, err := io.ReadFull(d.rand, raw); err != nil {
		return Credential{}, "", fmt.Errorf("draw a client's secret: %w", err)
	}
	text := base64.RawURLEncoding.EncodeToString(raw)
	hash, err := d.hash(secret.NewKey([]byte(text)), d.rand)
	if err != nil {
		return Credential{}, "", fmt.Errorf("hash the secret of client %s: %w", id, err)
	}
	return Credential{ID: id, Secret: secret.NewToken(text)}, hash, nil
}
