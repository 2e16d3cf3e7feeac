// Package finger captures fingerprints at a simulated reader (rdsim), as a merchant's
// program does at a real one. The tests of the whole and the bench use it.
package finger

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"galla/rdservice"
	"galla/shared/secret"
)

// Capture puts a customer's finger on the reader at url and captures it. One capture at a
// time may use a reader.
func Capture(ctx context.Context, url, aadhaar string, options rdservice.Options) (secret.PidData, error) {
	if err := Place(ctx, url, aadhaar); err != nil {
		return secret.PidData{}, err
	}
	client, err := rdservice.New(rdservice.Config{})
	if err != nil {
		return secret.PidData{}, err
	}
	service, err := client.Probe(ctx, url)
	if err != nil {
		return secret.PidData{}, err
	}
	c, err := client.Capture(ctx, service, options)
	if err != nil {
		return secret.PidData{}, err
	}
	if !c.Judgement.Usable {
		return secret.PidData{}, fmt.Errorf("capture a finger: errCode %s %s", c.Reply.ErrCode, c.Reply.ErrInfo)
	}
	return c.PidData, nil
}

// Place puts a customer's finger on the reader at url, where it stays.
func Place(ctx context.Context, url, aadhaar string) error {
	body, err := json.Marshal(map[string]any{"aadhaar": aadhaar, "finger": "RIGHT_INDEX", "quality": 80})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/sim/finger", strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("POST /sim/finger: HTTP %d", resp.StatusCode)
	}
	return nil
}
