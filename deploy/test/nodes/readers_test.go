package nodes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"galla/edge"
	"galla/rdservice"
	"galla/shared/secret"
)

// readers is the number of readers: a capture takes some time, and there are many
// callers.
// callers are many.
const readers = 8

// fakeReaders is readers with the customer's finger on them. The counters use them as
// their device, the merchants' programs call them.
type fakeReaders struct {
	client *rdservice.Client
	free   chan reader
}

type reader struct {
	url     string
	service rdservice.Service
}

// newFakeReaders makes a set of simulated readers.
func newFakeReaders(ctx context.Context, urls []string) (*fakeReaders, error) {
	client, err := rdservice.New(rdservice.Config{})
	if err != nil {
		return nil, err
	}
	g := &fakeReaders{client: client, free: make(chan reader, len(urls))}
	for _, url := range urls {
		service, err := client.Probe(ctx, url)
		if err != nil {
			return nil, err
		}
		g.free <- reader{url, service}
	}
	return g, nil
}

func (g *fakeReaders) capture(ctx context.Context) (string, error) {
	r := <-g.free
	defer func() { g.free <- r }()
	lay, err := json.Marshal(fields{"aadhaar": customer, "finger": "RIGHT_INDEX", "quality": 80})
	if err != nil {
		return "", err
	}
	resp, err := http.Post(r.url+"/sim/finger", "application/json", bytes.NewReader(lay))
	if err != nil {
		return "", err
	}
	_ = resp.Body.Close()
	c, err := g.client.Capture(ctx, r.service, rdservice.Options{})
	if err != nil {
		return "", err
	}
	if !c.Judgement.Usable {
		return "", fmt.Errorf("capture: %s %s", c.Reply.ErrCode, c.Reply.ErrInfo)
	}
	return c.PidData.Reveal(), nil
}

// State implements edge.Device.
func (g *fakeReaders) State() edge.ReaderState {
	return edge.ReaderState{Status: "READY", Name: "simulator"}
}

// Capture implements edge.Device.
func (g *fakeReaders) Capture(ctx context.Context) (edge.Capture, error) {
	pid, err := g.capture(ctx)
	return edge.Capture{PidData: secret.NewPidData(pid), CapturedAt: time.Now(), Quality: 80}, err
}
