package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"galla/shared/partner"
	"galla/shared/secret"
)

// maxReply limits a reply of the HTTP API.
const maxReply = 4 << 20

// gatewayClient sends through the gateway.
type gatewayClient struct{ client *partner.Client }

func newGatewayClient(url, client string, key secret.Key, verbose bool, w environment) (*gatewayClient, error) {
	cfg := partner.Config{BaseURL: url, ClientID: client, Key: key, Rand: w.rand, Now: w.now}
	if verbose {
		cfg.Trace = func(direction, text string) {
			fmt.Fprintf(w.stderr, "\nthe checksum of the %s covers:\n%s\n\n", direction, indent(text))
		}
	}
	p, err := partner.New(cfg)
	return &gatewayClient{client: p}, err
}

// maxLine is how much of a long line is printed: a payload has up to a megabyte, and
// two that differ do so at once.
const maxLine = 200

func indent(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if len(line) > maxLine {
			line = fmt.Sprintf("%s… (%d characters)", line[:maxLine], len(line))
		}
		lines[i] = "  " + printable(line)
	}
	return strings.Join(lines, "\n")
}

func (d *gatewayClient) send(ctx context.Context, r request) (answer, error) {
	reply, err := d.client.Call(ctx, r.method, r.route, r.body, partner.WithRequestID(r.id))
	if err != nil {
		if partner.SafeToRetry(err) {
			return answer{}, fmt.Errorf("%w: --id %s", err, r.id)
		}
		return answer{}, err
	}
	a := answer{status: reply.Status, body: reply.Body, headers: [][2]string{{"X-Request-Id", reply.Call.ID}}}
	if reply.RetryAfter > 0 {
		a.headers = append(a.headers, [2]string{"Retry-After", fmt.Sprint(int(reply.RetryAfter / time.Second))})
	}
	return a, nil
}

// directClient sends to the HTTP API, with an access token.
type directClient struct {
	base   string
	client string
	secret secret.Key
	http   http.Client
}

func (d *directClient) send(ctx context.Context, r request) (answer, error) {
	token, err := d.token(ctx)
	if err != nil {
		return answer{}, err
	}
	var body io.Reader
	if r.method != http.MethodGet || string(r.body) != "{}" {
		body = bytes.NewReader(r.body)
	}
	q, err := http.NewRequestWithContext(ctx, r.method, d.base+r.route, body)
	if err != nil {
		return answer{}, fmt.Errorf("make the request: %w", err)
	}
	q.Header.Set("Authorization", "Bearer "+token.Reveal())
	q.Header.Set("Content-Type", "application/json")
	if r.method != http.MethodGet {
		q.Header.Set("Idempotency-Key", r.id)
	}
	reply, text, err := d.do(q)
	if err != nil {
		return answer{}, fmt.Errorf("%s %s: no reply: %w. Whether it ran is unknown: repeat it with --id %s", r.method, r.route, err, r.id)
	}
	a := answer{status: reply.StatusCode, body: text}
	for _, name := range []string{"X-Request-Id", "Idempotent-Replayed", "Retry-After", "WWW-Authenticate", "Location"} {
		for _, value := range reply.Header.Values(name) {
			a.headers = append(a.headers, [2]string{name, value})
		}
	}
	if r.method != http.MethodGet {
		a.headers = append(a.headers, [2]string{"Idempotency-Key (sent)", r.id})
	}
	return a, nil
}

// token fetches an access token (RFC 6749 section 4.4).
func (d *directClient) token(ctx context.Context) (secret.Token, error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+"/oauth/token", strings.NewReader(form.Encode()))
	if err != nil {
		return secret.Token{}, fmt.Errorf("make the request for a token: %w", err)
	}
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	q.SetBasicAuth(url.QueryEscape(d.client), url.QueryEscape(string(d.secret.Reveal())))
	reply, text, err := d.do(q)
	if err != nil {
		return secret.Token{}, fmt.Errorf("fetch a token: %w", err)
	}
	var got struct {
		Token string `json:"access_token"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return secret.Token{}, fmt.Errorf("fetch a token: HTTP %d with what is no JSON", reply.StatusCode)
	}
	if reply.StatusCode != http.StatusOK || got.Token == "" {
		return secret.Token{}, fmt.Errorf("fetch a token for %s: HTTP %d, %s", d.client, reply.StatusCode, printable(got.Error))
	}
	return secret.NewToken(got.Token), nil
}

// do sends a request, follows no redirect, and reads the whole reply. Its error has no
// URL.
func (d *directClient) do(q *http.Request) (*http.Response, []byte, error) {
	d.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	reply, err := d.http.Do(q)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return nil, nil, err
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxReply+1))
	if err == nil && len(text) > maxReply {
		err = fmt.Errorf("the reply has more than %d bytes", maxReply)
	}
	return reply, text, err
}
