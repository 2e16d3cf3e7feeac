package nodestest

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

// readers is how many readers there are: a capture takes some time, and
// callers are many.
const readers = 8

// glass is readers on which the customer's finger lies. The counters have them
// as their device, the merchants' programs call them.
type glass struct {
	client *rdservice.Client
	free   chan reader
}

type reader struct {
	url     string
	service rdservice.Service
}

// newGlass makes a glass of simulated readers.
func newGlass(ctx context.Context, urls []string) (*glass, error) {
	client, err := rdservice.New(rdservice.Config{})
	if err != nil {
		return nil, err
	}
	g := &glass{client: client, free: make(chan reader, len(urls))}
	for _, url := range urls {
		service, err := client.Probe(ctx, url)
		if err != nil {
			return nil, err
		}
		g.free <- reader{url, service}
	}
	return g, nil
}

func (g *glass) capture(ctx context.Context) (string, error) {
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
	return string(c.PidData.Reveal()), nil
}

// State implements edge.Device.
func (g *glass) State() edge.DeviceState { return edge.DeviceState{Status: "READY", Name: "simulator"} }

// Capture implements edge.Device.
func (g *glass) Capture(ctx context.Context) (edge.Capture, error) {
	pid, err := g.capture(ctx)
	return edge.Capture{PidData: secret.NewPidData(pid), CapturedAt: time.Now(), Quality: 80}, err
}
