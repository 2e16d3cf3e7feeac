package webtest

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

// answer is what the server answered a form with, where that is the page that is
// shown. Its address may be another page's, and the form is sent once, so the
// page can only be seen again as it came.
type answer struct {
	mu      sync.Mutex
	id      network.RequestID // empty: the page was asked for by its address
	status  int64
	headers network.Headers
	body    []byte // once it was read
	again   bool   // it is being shown again, and stays the answer
	paused  chan fetch.RequestID
}

func newAnswer() *answer { return &answer{paused: make(chan fetch.RequestID, 1)} }

// hears takes what the tab tells of its requests.
func (a *answer) hears(event any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent: // of a redirect, too
		if e.Type != network.ResourceTypeDocument || a.again {
			return
		}
		a.id, a.body = "", nil
		if e.Request.Method == http.MethodPost {
			a.id = e.RequestID
		}
	case *network.EventResponseReceived:
		if e.RequestID == a.id && !a.again {
			a.status, a.headers = e.Response.Status, e.Response.Headers
		}
	case *fetch.EventRequestPaused:
		select {
		case a.paused <- e.RequestID:
		default:
		}
	}
}

// shown tells whether the page is what answered a form.
func (a *answer) shown() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.id != ""
}

// replayed are the heads of an answer that shape its page.
var replayed = []string{"content-type", "content-security-policy", "referrer-policy", "x-content-type-options", "cache-control"}

// whole gives the answer's body and heads.
func (a *answer) whole(ctx context.Context) (status int64, heads []*fetch.HeaderEntry, body []byte, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.body == nil {
		id := a.id
		a.mu.Unlock() // the tab tells of its requests meanwhile
		got, err := chromedp.Call(ctx, network.GetResponseBody, network.GetResponseBodyParams{RequestID: id})
		a.mu.Lock()
		if err != nil {
			return 0, nil, nil, fmt.Errorf("read what answered a form: %w", err)
		}
		a.body = got.Body
	}
	for name, value := range a.headers {
		for _, keep := range replayed {
			if strings.EqualFold(name, keep) {
				heads = append(heads, &fetch.HeaderEntry{Name: name, Value: fmt.Sprint(value)})
			}
		}
	}
	return a.status, heads, a.body, nil
}

// seeAgain shows the page once more, as F5 does. What answered a form is shown
// as it came, without the server.
func (b *Browser) seeAgain() {
	b.T.Helper()
	path := Eval[string](b, `location.pathname + location.search`)
	if !b.answer.shown() {
		was := b.opened
		b.Go(path)
		b.opened = was
		return
	}
	status, heads, body, err := b.answer.whole(b.Ctx)
	if err != nil {
		b.T.Fatalf("%s: %v", b.Size, err)
	}
	b.answer.show(true)
	defer b.answer.show(false)
	catch := &fetch.RequestPattern{URLPattern: b.Base + path, ResourceType: network.ResourceTypeDocument}
	if _, err := chromedp.Call(b.Ctx, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{catch}}); err != nil {
		b.T.Fatalf("%s: show what answered a form again: %v", b.Size, err)
	}
	gone, stop := context.WithCancel(b.Ctx)
	defer stop()
	given := make(chan error, 1)
	go func() {
		select {
		case id := <-b.answer.paused:
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

// show says whether the answer is being shown again.
func (a *answer) show(again bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.again = again
}
