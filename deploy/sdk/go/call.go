package galla

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// place is where a field travels that is not in the body.
type place int

const (
	inPath place = iota + 1
	inQuery
)

// route is a route as the client needs it. routes.go has them all.
type route struct {
	name, method, path                                                         string
	identity, repeatable, gateway, open, acting, pending, aeps, transfer, bare bool
	places                                                                     map[string]place
}

// call is one call with its key, over all its attempts.
type call struct {
	route  *route
	key    string
	sealed bool
	path   string
	body   []byte // nil: none
	fields map[string]any
}

// CallOption changes one call.
type CallOption func(*call)

// WithKey sets the idempotency key. At the gateway it is a UUID in lower case.
func WithKey(key string) CallOption { return func(c *call) { c.key = key } }

// invoke makes a call of a route.
func invoke[T any](ctx context.Context, c *caller, r *route, params any, options []CallOption) (*Result[T], error) {
	one, err := c.prepare(r, params, options)
	if err != nil {
		return nil, err
	}
	result, err := c.run(ctx, one, c.cfg.Attempts)
	if err != nil {
		return nil, err
	}
	return typed[T](result), nil
}

// Call calls any path, such as POST /aeps/balance, for what has no method. body is the text
// of a JSON object, or nil.
func (r gatewayRoutes) Call(ctx context.Context, method, path string, body []byte, options ...CallOption) (*Result[Raw], error) {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "/process/") {
		return nil, errors.New("galla: the path must be that of the direct route, such as /aeps/balance")
	}
	one, err := r.c.start(routeOf(method, path), options)
	if err != nil {
		return nil, err
	}
	one.path = path
	if body != nil {
		one.body = body
	} else if r.c.sealed || method != http.MethodGet {
		one.body = []byte("{}")
	}
	if err := json.Unmarshal(one.body, &one.fields); one.body != nil && err != nil {
		return nil, errors.New("galla: the body must be one JSON object")
	}
	return r.c.run(ctx, one, r.c.cfg.Attempts)
}

// routeOf finds the route of a path. One that is none of the document's is sent as it is.
func routeOf(method, path string) *route {
	plain, _, _ := strings.Cut(path, "?")
	for _, r := range routes {
		pattern := regexp.MustCompile(`\\\{[^}]+\\\}`).ReplaceAllString(regexp.QuoteMeta(r.path), "[^/]+")
		if r.method == method && regexp.MustCompile("^"+pattern+"$").MatchString(plain) {
			return r
		}
	}
	return &route{name: method + " " + plain, method: method, path: path, repeatable: method == http.MethodGet, gateway: true}
}

// start begins a call: its key is drawn, or checked.
func (c *caller) start(r *route, options []CallOption) (*call, error) {
	one := &call{route: r, key: NewKey(), sealed: c.sealed}
	for _, o := range options {
		o(one)
	}
	if c.sealed && !regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`).MatchString(one.key) {
		return nil, errors.New("galla: at the gateway a key is a UUID in lower case")
	}
	if !regexp.MustCompile(`^[!-~]{1,128}$`).MatchString(one.key) {
		return nil, errors.New("galla: a key has 1 to 128 visible ASCII characters")
	}
	return one, nil
}

// prepare puts the fields of a call where they travel.
func (c *caller) prepare(r *route, params any, options []CallOption) (*call, error) {
	one, err := c.start(r, options)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("galla: %s: a field can't be written as JSON", r.name) // the cause may quote it
	}
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("galla: %s: the parameters are no object", r.name)
	}
	if _, given := raw["merchantId"]; r.acting && !given && c.cfg.MerchantID != "" {
		raw["merchantId"], _ = json.Marshal(c.cfg.MerchantID)
	}
	one.path = r.path
	query := url.Values{}
	for name, where := range r.places {
		value := plainText(raw[name])
		switch {
		case where == inPath && value == "":
			return nil, fmt.Errorf("galla: %s needs %s", r.name, name)
		case where == inPath:
			one.path = strings.ReplaceAll(one.path, "{"+name+"}", url.PathEscape(value))
			delete(raw, name)
		case !c.sealed:
			if value != "" {
				query.Set(name, value)
			}
			delete(raw, name)
		}
	}
	if len(query) > 0 {
		one.path += "?" + query.Encode()
	}
	if c.sealed || r.method != http.MethodGet {
		if raw == nil {
			raw = map[string]json.RawMessage{}
		}
		if one.body, err = json.Marshal(raw); err != nil {
			return nil, fmt.Errorf("galla: %s: the body can't be written as JSON", r.name)
		}
	}
	return one, json.Unmarshal(text, &one.fields)
}

// plainText is a field's value as it stands in a path or a query.
func plainText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// text is a field of the request, for wait.
func (one *call) text(name string) string {
	text, _ := one.fields[name].(string)
	return text
}

// run makes the attempts of a call, all with its key.
func (c *caller) run(ctx context.Context, one *call, attempts int) (*Result[json.RawMessage], error) {
	doubt := false
	for n := 1; ; n++ {
		p, err := c.exchange(ctx, one)
		v := judge(one, p, err, doubt)
		doubt = doubt || v.doubt
		pause := v.after
		if pause < 0 {
			pause = c.backoff(n)
		}
		if v.repeat && n < attempts && pause <= c.cfg.MaxRetryAfter && ctx.Err() == nil && c.cfg.Sleep(ctx, pause) == nil {
			continue
		}
		return v.result, v.err
	}
}

// backoff is the pause before attempt n+1: 0.25 s, doubled up to 4 s, with jitter.
func (c *caller) backoff(n int) time.Duration {
	pause := 250 * time.Millisecond << min(n-1, 4)
	return time.Duration(float64(pause) * (0.5 + c.cfg.Jitter()/2))
}

// direct is one attempt on the direct route; a token that has ended is replaced once.
func direct(ctx context.Context, c *caller, t *tokens, one *call) (*reply, error) {
	for first := true; ; first = false {
		header, token := http.Header{}, ""
		if one.route.method != http.MethodGet {
			header.Set("Idempotency-Key", one.key)
		}
		if !one.route.open {
			var err error
			if token, err = t.get(ctx); err != nil {
				return nil, err
			}
			header.Set("Authorization", "Bearer "+token)
		}
		p, err := c.send(ctx, request{method: one.route.method, path: one.path, header: header, body: one.body})
		if err != nil {
			return nil, err
		}
		if p.status == http.StatusUnauthorized && token != "" && first {
			t.forget(token)
			continue
		}
		p.genuine = true
		return p, nil
	}
}

// maxAge bounds the time of a sealed reply, against this machine's clock.
const maxAge = 300 * time.Second

// sealed is one attempt through the gateway, with a new IV and time.
func sealed(ctx context.Context, c *caller, clientID string, key Key, one *call) (*reply, error) {
	iv := make([]byte, ivSize)
	if _, err := rand.Read(iv); err != nil {
		return nil, &failure{err: errors.New("no randomness"), final: true}
	}
	path, now := "/process"+one.path, strconv.FormatInt(c.cfg.Now().UnixMilli(), 10)
	m, err := key.SealRequest(one.route.method, path, clientID, one.key, now, iv, one.body)
	if err != nil {
		return nil, &failure{err: err, final: true}
	}
	// Canonical names: Go would write X-Iv, which is the same to every server.
	header := http.Header{}
	for name, value := range map[string]string{
		"X-Client-Id": clientID, "X-Timestamp": m.Timestamp, "X-Request-Id": m.RequestID, "X-Iv": m.IV, "X-Tag": m.Tag, "X-Checksum": m.Checksum,
	} {
		header.Set(name, value)
	}
	body, err := json.Marshal(map[string]string{"payload": m.Payload})
	if err != nil {
		return nil, &failure{err: err, final: true}
	}
	p, err := c.send(ctx, request{method: one.route.method, path: path, header: header, body: body})
	if err != nil {
		return nil, err
	}
	return openSealed(c, key, one, p)
}

// openSealed believes nothing of a reply before it is proven genuine.
func openSealed(c *caller, key Key, one *call, p *reply) (*reply, error) {
	if p.header.Get("X-Checksum") == "" {
		if p.status != http.StatusUnauthorized {
			p.text = nil
		}
		return p, nil
	}
	refuse := func(why string) (*reply, error) {
		return nil, &failure{err: errors.New("the reply is not genuine: " + why), sent: true, final: true}
	}
	var body struct {
		Payload string `json:"payload"`
	}
	if err := json.Unmarshal(p.text, &body); err != nil {
		return refuse("it is no envelope")
	}
	m := Sealed{
		RequestID: p.header.Get("X-Request-Id"), Timestamp: p.header.Get("X-Timestamp"), IV: p.header.Get("X-Iv"),
		Tag: p.header.Get("X-Tag"), Checksum: p.header.Get("X-Checksum"), Payload: body.Payload,
	}
	text, err := key.OpenReply(p.status, m)
	if err != nil {
		return refuse(err.Error())
	}
	if m.RequestID != one.key {
		return refuse("it belongs to another call")
	}
	at, err := strconv.ParseInt(m.Timestamp, 10, 64)
	if off := c.cfg.Now().Sub(time.UnixMilli(at)); err != nil || off > maxAge || off < -maxAge {
		return refuse("its time is not now")
	}
	p.text, p.genuine = text, true
	return p, nil
}
