package uitest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// formResponse is the server's answer to a form, if that is the page shown. Its address
// may be another page's, and the form is sent once, so a reload must show the recorded
// answer.
type formResponse struct {
	mu        sync.Mutex
	id        network.RequestID // empty: the page was requested by its address
	status    int64
	headers   network.Headers
	body      []byte // once it was read
	replaying bool   // the answer is being shown again
	paused    chan fetch.RequestID
}

func newFormResponse() *formResponse { return &formResponse{paused: make(chan fetch.RequestID, 1)} }

// observe handles the tab's network events.
func (a *formResponse) observe(event any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent: // including redirects
		if e.Type != network.ResourceTypeDocument || a.replaying {
			return
		}
		a.id, a.body = "", nil
		if e.Request.Method == http.MethodPost {
			a.id = e.RequestID
		}
	case *network.EventResponseReceived:
		if e.RequestID == a.id && !a.replaying {
			a.status, a.headers = e.Response.Status, e.Response.Headers
		}
	case *fetch.EventRequestPaused:
		select {
		case a.paused <- e.RequestID:
		default:
		}
	}
}

// isFormResponse reports whether the page is the answer to a form.
func (a *formResponse) isFormResponse() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.id != ""
}

// replayedHeaders are the headers that affect the page.
var replayedHeaders = []string{"content-type", "content-security-policy", "referrer-policy", "x-content-type-options", "cache-control"}

// read returns the answer's body and headers.
func (a *formResponse) read(ctx context.Context) (status int64, heads []*fetch.HeaderEntry, body []byte, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.body == nil {
		id := a.id
		a.mu.Unlock() // network events arrive meanwhile
		got, err := chromedp.Call(ctx, network.GetResponseBody, network.GetResponseBodyParams{RequestID: id})
		a.mu.Lock()
		if err != nil {
			return 0, nil, nil, fmt.Errorf("read what answered a form: %w", err)
		}
		a.body = got.Body
	}
	for name, value := range a.headers {
		for _, keep := range replayedHeaders {
			if strings.EqualFold(name, keep) {
				heads = append(heads, &fetch.HeaderEntry{Name: name, Value: fmt.Sprint(value)})
			}
		}
	}
	return a.status, heads, a.body, nil
}

// reload reloads the page, as F5 does. The answer to a form is shown again without the
// server.
func (b *Browser) reload() {
	b.T.Helper()
	path := Eval[string](b, `location.pathname + location.search`)
	if !b.response.isFormResponse() {
		was := b.opened
		b.Navigate(path)
		b.opened = was
		return
	}
	status, heads, body, err := b.response.read(b.Ctx)
	if err != nil {
		b.T.Fatalf("%s: %v", b.Size, err)
	}
	b.response.setReplaying(true)
	defer b.response.setReplaying(false)
	catch := &fetch.RequestPattern{URLPattern: b.Base + path, ResourceType: network.ResourceTypeDocument}
	if _, err := chromedp.Call(b.Ctx, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{catch}}); err != nil {
		b.T.Fatalf("%s: show what answered a form again: %v", b.Size, err)
	}
	gone, stop := context.WithCancel(b.Ctx)
	defer stop()
	given := make(chan error, 1)
	go func() {
		select {
		case id := <-b.response.paused:
			_, err := chromedp.Call(b.Ctx, fetch.FulfillRequest, fetch.FulfillRequestParams{RequestID: id, ResponseCode: status, ResponseHeaders: heads, Body: body})
			given <- err
		case <-gone.Done():
			given <- gone.Err()
		}
	}()
	b.Do(chromedp.Navigate(b.Base + path))
	stop()
	if err := <-given; err != nil {
		b.T.Fatalf("%s: show what answered a form again: %v", b.Size, err)
	}
	if _, err := chromedp.Call(b.Ctx, fetch.Disable, cdp.Empty{}); err != nil {
		b.T.Fatalf("%s: let requests pass again: %v", b.Size, err)
	}
}

// setReplaying sets whether the answer is being shown again.
func (a *formResponse) setReplaying(again bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.replaying = again
}
