package httpapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
)

// Clients reads OAuth clients; central.ErrNotFound if there is none.
type Clients interface {
	// Client returns a client as it was within the last second.
	Client(ctx context.Context, id string) (central.Client, error)
	// FreshClient returns a client as it is now.
	FreshClient(ctx context.Context, id string) (central.Client, error)
}

// bearer is the caller that an access token names.
type bearer struct {
	principal  central.Principal
	credential central.Credential
	caller     string // of principal
}

// errClientChanged says that a token was valid before.
var errClientChanged = fmt.Errorf("%w: its client was suspended, or given another secret, after it was issued", errToken)

// checkClient checks that a token's client has not changed since the token was issued.
// The error is errToken, or the database's.
func (s *Server) checkClient(ctx context.Context, b bearer) error {
	client, err := s.clients.Client(ctx, b.credential.Client)
	if err == nil && !b.heldBy(client) && b.credential.Generation >= max(client.Generation, client.Generations) {
		// The token may have been issued a moment ago, at another node. Generations
		// only grow, so older tokens are refused without another read.
		client, err = s.clients.FreshClient(ctx, b.credential.Client)
	}
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return busyError(fmt.Errorf("read a client: %w", err))
	}
	if err != nil || !b.heldBy(client) {
		return errClientChanged
	}
	return nil
}

// heldBy reports whether a client may call with the token.
func (b bearer) heldBy(client central.Client) bool {
	return client.Accepts(b.credential, time.Now()) && client.Principal == b.principal
}
