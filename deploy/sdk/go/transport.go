package galla

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// The bounds of a reply, and of one that is a file.
const (
	maxReply = 4 << 20
	maxFile  = 64 << 20
)

// isFile reports whether a reply is a file, and no JSON.
func isFile(h http.Header) bool { return strings.HasPrefix(h.Get("Content-Type"), "text/csv") }

// request is one HTTP exchange.
type request struct {
	method, path string
	header       http.Header
	body         []byte // nil: none
}

// caller is what both clients are made of.
type caller struct {
	cfg      Config
	about    string
	base     string // address without a path
	prefix   string // path before every route, of a proxy
	http     http.Client
	sealed   bool
	exchange func(context.Context, *call) (*reply, error)
}

// newCaller reads a Config. Without Insecure, http goes to this machine only.
func newCaller(cfg Config, about string) (*caller, error) {
	cfg, err := cfg.defaults()
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(cfg.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("galla: BaseURL must be an address such as https://api.example.org")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("galla: BaseURL must have no credentials, query or fragment")
	}
	ip := net.ParseIP(u.Hostname())
	here := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme == "http" && !here && !cfg.Insecure {
		return nil, errors.New("galla: BaseURL is http to another machine, which anyone between can read: use https, or set Insecure")
	}
	transport := cfg.Transport
	if transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DisableCompression = true
		t.MaxIdleConnsPerHost = 64
		transport = t
	}
	return &caller{
		cfg: cfg, about: about, base: u.Scheme + "://" + u.Host, prefix: strings.TrimRight(u.EscapedPath(), "/"),
		http: http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

// send makes one exchange. An error is a *failure, which tells how far it came.
func (c *caller) send(ctx context.Context, q request) (*reply, error) {
	var sent atomic.Bool
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Timeout, fmt.Errorf("no reply within %s", c.cfg.Timeout.Round(time.Millisecond)))
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	h, err := http.NewRequestWithContext(ctx, q.method, c.base+c.prefix+q.path, nil)
	if err != nil {
		return nil, &failure{err: errors.New("the path of the call can't be sent"), final: true}
	}
	h.Header = q.header
	if q.body != nil {
		// Without GetBody: net/http must not repeat a message by itself, which the gateway
		// refuses as a replay.
		h.Body, h.ContentLength = io.NopCloser(bytes.NewReader(q.body)), int64(len(q.body))
		if h.Header.Get("Content-Type") == "" {
			h.Header.Set("Content-Type", "application/json")
		}
	}
	got, err := c.http.Do(h)
	if err != nil {
		return nil, &failure{err: plainError(ctx, err), sent: sent.Load()}
	}
	defer func() { _ = got.Body.Close() }()
	limit := maxReply
	if isFile(got.Header) {
		limit = maxFile
	}
	text, err := io.ReadAll(io.LimitReader(got.Body, int64(limit)+1))
	if err == nil && len(text) > limit {
		err = fmt.Errorf("the reply has more than %d MiB", limit>>20)
	}
	if err != nil {
		return nil, &failure{err: fmt.Errorf("the reply broke off: %w", plainError(ctx, err)), sent: true}
	}
	return &reply{status: got.StatusCode, header: got.Header, text: text}, nil
}

// plainError is an error without the address, whose query may name a customer.
func plainError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
