package partner

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

	"galla/shared/envelope"
	"galla/shared/secret"
)

const (
	// prefix begins the gateway's path of a direct route.
	prefix = "/process"
	// maxReply limits a reply: the longest of the interface, a list of banks, has some
	// 20 KB.
	maxReply = 4 << 20
	// replyAge is how far a reply's time may be from this machine's clock: an earlier
	// reply to the same call, replayed by an attacker, is refused.
	replyAge = 5 * time.Minute
	// sendTimeout ends a call of the default HTTP client. If the bank does not answer,
	// the central replies 'pending' long before.
	sendTimeout = 60 * time.Second
)

// Config is whose calls are sent, and where to.
type Config struct {
	// BaseURL is the gateway's address without a path: https://gateway.example.
	BaseURL string
	// ClientID is the API key, sent as X-Client-Id.
	ClientID string
	// Key is the API key's encryption key; envelope.ParseKey reads it.
	Key secret.Key
	// Rand is for IVs and identities: crypto/rand's Reader.
	Rand io.Reader
	// HTTPClient sends; by default one with a time-out of a minute. Redirects are
	// never followed.
	HTTPClient *http.Client
	// Now is the clock; by default time.Now.
	Now func() time.Time
	// Trace, if given, gets the text that the checksum of each message covers, before
	// a request is sent and after a reply came, to find differences between two
	// programs. It has no key and nothing in the clear.
	Trace func(direction, text string)
}

// Directions in Trace.
const (
	Outgoing = "request"
	Incoming = "reply"
)

// Client sends calls of one API key. It is safe for concurrent use if its
// randomness is.
type Client struct {
	base     string
	clientID string
	key      *envelope.Key
	http     http.Client
	rand     io.Reader
	now      func() time.Time
	trace    func(direction, text string)
}

// New makes a client. It sends nothing.
func New(cfg Config) (*Client, error) {
	u, err := url.Parse(cfg.BaseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		return nil, errors.New("gateway address: must be scheme and host without a path, such as https://gateway.example: the checksum covers the path that the gateway sees")
	}
	if cfg.ClientID == "" {
		return nil, errors.New("client id: must be the API key that X-Client-Id has")
	}
	if cfg.Rand == nil {
		return nil, errors.New("randomness: must be given; use Reader of crypto/rand")
	}
	key, err := envelope.New(cfg.Key)
	if err != nil {
		return nil, err
	}
	c := &Client{
		base: u.Scheme + "://" + u.Host, clientID: cfg.ClientID, key: key,
		rand: cfg.Rand, now: cfg.Now, trace: cfg.Trace,
		http: http.Client{Timeout: sendTimeout},
	}
	if cfg.HTTPClient != nil {
		c.http = *cfg.HTTPClient
	}
	// A redirect would send a message to a path that its checksum does not cover.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if c.now == nil {
		c.now = time.Now
	}
	if c.trace == nil {
		c.trace = func(string, string) {}
	}
	return c, nil
}

// Call prepares a call and sends it. The body is a JSON object: nil for {}, []byte,
// json.RawMessage or string unchanged, anything else through encoding/json. A call
// that moves money should be prepared, stored and then sent: see the package comment.
// An error is an *Error.
func (c *Client) Call(ctx context.Context, method, route string, body any, options ...Option) (Reply, error) {
	call, err := c.Prepare(method, route, body, options...)
	if err != nil {
		return Reply{}, err
	}
	return c.Send(ctx, call)
}

// Send sends a prepared call, for the first time or again, and opens the reply. It
// sends one message and never repeats it by itself. An error is an *Error.
func (c *Client) Send(ctx context.Context, call Call) (Reply, error) {
	request, err := c.seal(ctx, call)
	if err != nil {
		return Reply{}, &Error{Call: call, Kind: NotSent, Err: err}
	}
	response, err := c.http.Do(request)
	if err != nil {
		return Reply{}, &Error{Call: call, Kind: NoReply, Err: unwrapURL(err)}
	}
	body, err := readAll(response.Body)
	if err != nil {
		return Reply{}, &Error{Call: call, Kind: NoReply, Status: response.StatusCode, Err: err}
	}
	return c.open(call, response, body)
}

// seal makes the HTTP request of a call.
func (c *Client) seal(ctx context.Context, call Call) (*http.Request, error) {
	if len(call.Body) > envelope.MaxPlain {
		return nil, fmt.Errorf("the call's JSON has %d bytes; the gateway takes %d", len(call.Body), envelope.MaxPlain)
	}
	path := prefix + call.Route
	h, body, err := c.key.SealRequest(call.Method, path, c.clientID, call.ID, c.now(), call.Body, c.rand)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, call.Method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if sent := request.URL.RequestURI(); sent != path {
		return nil, errors.New("the route must be written as it is sent, with everything in its query escaped: the checksum covers it")
	}
	if call.Method == http.MethodGet {
		// net/http repeats a GET by itself when a kept connection breaks, with the same
		// IV: the gateway would refuse the repeat as a replay.
		request.GetBody = nil
	}
	request.Header = http.Header{
		"Content-Type":               {"application/json"},
		"Accept-Encoding":            {"identity"},
		envelope.HeaderClientID:      {h.ClientID},
		envelope.HeaderTimestamp:     {h.Timestamp},
		envelope.HeaderRequestID:     {h.RequestID},
		canonical(envelope.HeaderIV): {h.IV},
		envelope.HeaderTag:           {h.Tag},
		envelope.HeaderChecksum:      {h.Checksum},
	}
	payload, err := envelope.Payload(body)
	if err != nil {
		return nil, err
	}
	c.trace(Outgoing, envelope.RequestText(call.Method, path, h, payload))
	return request, nil
}

func canonical(name string) string { return http.CanonicalHeaderKey(name) }

// open verifies a reply and decrypts it.
func (c *Client) open(call Call, response *http.Response, body []byte) (Reply, error) {
	status := response.StatusCode
	fail := func(kind Kind, err error) (Reply, error) {
		return Reply{}, &Error{Call: call, Kind: kind, Status: status, Err: err}
	}
	h, sealed, err := replyHeaders(response.Header)
	if !sealed && status == http.StatusUnauthorized {
		return fail(NotAuthenticated, c.clockHint(response.Header))
	}
	if !sealed {
		return fail(NotGenuine, fmt.Errorf("HTTP %d without the gateway's headers: something between here and the gateway answered", status))
	}
	if err != nil {
		return fail(NotGenuine, err)
	}
	payload, err := envelope.Payload(body)
	if err != nil {
		return fail(NotGenuine, err)
	}
	c.trace(Incoming, envelope.ReplyText(status, h, payload))
	if !c.key.SignsReply(status, h, payload) {
		return fail(NotGenuine, errors.New("its checksum is wrong"))
	}
	if h.RequestID != call.ID {
		return fail(NotGenuine, errors.New("it answers another call"))
	}
	at, err := h.Time()
	if age := c.now().Sub(at); err != nil || age.Abs() > replyAge {
		return fail(NotGenuine, fmt.Errorf("its time is %s from this machine's clock", age.Abs().Round(time.Second)))
	}
	plain, err := c.key.Decrypt(h, payload)
	if err != nil {
		return fail(NotGenuine, err)
	}
	return newReply(call, status, retryAfter(response.Header), plain), nil
}

// replyHeaders reads the envelope's headers. sealed is false if there are none.
func replyHeaders(header http.Header) (h envelope.Headers, sealed bool, err error) {
	for _, part := range []struct {
		name string
		to   *string
	}{
		{envelope.HeaderTimestamp, &h.Timestamp}, {envelope.HeaderIV, &h.IV}, {envelope.HeaderTag, &h.Tag},
		{envelope.HeaderChecksum, &h.Checksum}, {envelope.HeaderRequestID, &h.RequestID},
	} {
		values := header.Values(part.name)
		// A plain refusal may have X-Request-Id, too.
		sealed = sealed || len(values) > 0 && part.name != envelope.HeaderRequestID
		if len(values) != 1 {
			err = errors.Join(err, fmt.Errorf("%s stands %d times in the reply", part.name, len(values)))
			continue
		}
		*part.to = values[0]
	}
	if err == nil {
		err = h.Reply()
	}
	return h, sealed, err
}

// clockHint explains a 401 whose Date is far from this machine's clock. That header is
// not authenticated, so it is only a hint.
func (c *Client) clockHint(header http.Header) error {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return nil
	}
	if off := c.now().Sub(at); off.Abs() > replyAge {
		return fmt.Errorf("this machine's clock is %s from the gateway's; at most %s is accepted", off.Abs().Round(time.Second), replyAge)
	}
	return nil
}

func readAll(body io.ReadCloser) ([]byte, error) {
	defer func() { _ = body.Close() }()
	text, err := io.ReadAll(io.LimitReader(body, maxReply+1))
	if err != nil {
		return nil, fmt.Errorf("read the reply: %w", err)
	}
	if len(text) > maxReply {
		return nil, fmt.Errorf("the reply has more than %d bytes", maxReply)
	}
	return text, nil
}

// unwrapURL returns the cause of net/http's error, which repeats the URL.
func unwrapURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
