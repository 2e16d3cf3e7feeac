package galla

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// early is how long before its end a token is renewed.
const early = time.Minute

// tokens has the access token of a client.
type tokens struct {
	basic string
	send  func(context.Context, request) (*reply, error)
	now   func() time.Time

	mu      sync.Mutex // held while a token is asked for: others wait for it
	token   string
	renewAt time.Time
}

// basic is the header of HTTP Basic, as OAuth has it.
func basic(id, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id)+":"+url.QueryEscape(secret)))
}

// get gives a token that still lives.
func (t *tokens) get(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token != "" && t.now().Before(t.renewAt) {
		return t.token, nil
	}
	began := t.now()
	p, err := t.send(ctx, request{
		method: "POST", path: "/oauth/token", body: []byte("grant_type=client_credentials"),
		header: http.Header{"Authorization": {t.basic}, "Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}},
	})
	if err != nil {
		return "", &failure{err: fmt.Errorf("no access token: %w", err)} // the call itself was not sent
	}
	if p.status == http.StatusBadRequest || p.status == http.StatusUnauthorized {
		return "", &Error{Kind: ErrAuthentication, Message: "no access token: the client id or secret is wrong, or the client is suspended", HTTPStatus: p.status, StatusCode: "03"}
	}
	var body struct {
		AccessToken string  `json:"access_token"`
		ExpiresIn   float64 `json:"expires_in"`
	}
	if err := json.Unmarshal(p.text, &body); err != nil || p.status != http.StatusOK || body.AccessToken == "" || !(body.ExpiresIn > 0) {
		return "", &failure{err: fmt.Errorf("no access token: HTTP %d from /oauth/token", p.status)}
	}
	life := time.Duration(min(body.ExpiresIn, 1e9) * float64(time.Second))
	if life > 2*early {
		life -= early
	} else {
		life /= 2
	}
	t.token, t.renewAt = body.AccessToken, began.Add(life)
	return t.token, nil
}

// forget drops a token that was refused, unless another one is in use by now.
func (t *tokens) forget(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token == token {
		t.token = ""
	}
}
