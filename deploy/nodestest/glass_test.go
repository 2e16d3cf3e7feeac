package nodestest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"galla/edge"
	"galla/rdservice"
	"galla/shared/secret"
)

// glass is the reader on which the customer's finger lies. The counters have it
// as their device, the merchants' programs call it.
type glass struct {
	url     string
	client  *rdservice.Client
	service rdservice.Service

	mu sync.Mutex // one finger at a time
}

// newGlass lays the customer's finger onto a simulated reader.
func newGlass(ctx context.Context, url string) (*glass, error) {
	client, err := rdservice.New(rdservice.Config{})
	if err != nil {
		return nil, err
	}
	service, err := client.Probe(ctx, url)
	if err != nil {
		return nil, err
	}
	return &glass{url: url, client: client, service: service}, nil
}

func (g *glass) capture(ctx context.Context) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	lay, err := json.Marshal(fields{"aadhaar": customer, "finger": "RIGHT_INDEX", "quality": 80})
	if err != nil {
		return "", err
	}
	resp, err := http.Post(g.url+"/sim/finger", "application/json", bytes.NewReader(lay))
	if err != nil {
		return "", err
	}
	_ = resp.Body.Close()
	c, err := g.client.Capture(ctx, g.service, rdservice.Options{})
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
