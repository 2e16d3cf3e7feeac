//go:build unix

package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"galla/shared/secret"
)

// Limits of the enrolment.
const (
	callTimeout  = 20 * time.Second // one call to the central; argon2id on a slow machine takes a second
	enrolTimeout = 60 * time.Second // galla-edge enrol, its own call to the central included
	maxReply     = 1 << 20          // bytes of a reply
)

// enrolTerminal enrols the terminal of the counter's owner, with the same requests that
// a merchant's program makes. A counter that is enrolled stays as it is.
func (h *Sandbox) enrolTerminal(ctx context.Context) error {
	token, err := h.token(ctx)
	if err != nil {
		return fmt.Errorf("enrol the counter: %w", err)
	}
	code, err := h.newCredentials(ctx, token)
	if err != nil {
		return fmt.Errorf("enrol the counter: %w", err)
	}
	if err := h.enrolEdge(ctx, code); err != nil {
		return err
	}
	return h.pinReader(ctx)
}

// pinReader makes the simulator of this sandbox the counter's reader: other programs
// may listen where readers are looked for.
func (h *Sandbox) pinReader(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, enrolTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.program("galla-edge"), "devices", "--use", h.cfg.RDSim.URL())
	cmd.Env = h.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make the simulator the counter's reader: galla-edge devices --use: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// token gets a token of the counter's owner.
func (h *Sandbox) token(ctx context.Context) (secret.Token, error) {
	owner := client{}
	for _, c := range clients() {
		if c.id == ownerClient {
			owner = c
		}
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.cfg.Central.URL()+"/oauth/token", strings.NewReader(form.Encode()))
	if err != nil {
		return secret.Token{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(owner.id, owner.secret)
	var reply struct {
		AccessToken secret.Token `json:"access_token"`
	}
	if err := h.call(req, &reply); err != nil {
		return secret.Token{}, fmt.Errorf("get a token for %s: %w", owner.id, err)
	}
	return reply.AccessToken, nil
}

// newCredentials gets a one-time enrolment code.
func (h *Sandbox) newCredentials(ctx context.Context, token secret.Token) (secret.Token, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.cfg.Central.URL()+"/terminals", bytes.NewReader([]byte("{}")))
	if err != nil {
		return secret.Token{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token.Reveal())
	var reply struct {
		Data struct {
			Code secret.Token `json:"code"`
		} `json:"data"`
	}
	if err := h.call(req, &reply); err != nil {
		return secret.Token{}, fmt.Errorf("get an enrolment code (POST /terminals): %w", err)
	}
	if reply.Data.Code.IsZero() {
		return secret.Token{}, errors.New("get an enrolment code (POST /terminals): the reply holds none")
	}
	return reply.Data.Code, nil
}

// call makes a request to the central and reads its JSON. The error has the central's
// own message, never what was sent.
func (h *Sandbox) call(req *http.Request, reply any) error {
	client := http.Client{Timeout: callTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return fmt.Errorf("read the reply: %w", err)
	}
	if resp.StatusCode/100 != 2 {
		var refusal struct {
			Message string `json:"message"`
		}
		_ = json.Unmarshal(body, &refusal)
		return fmt.Errorf("the central answered HTTP %d %q", resp.StatusCode, refusal.Message)
	}
	if err := json.Unmarshal(body, reply); err != nil {
		return errors.New("the central's reply is not the JSON that was expected")
	}
	return nil
}

// enrolEdge runs `galla-edge enrol`. Secrets pass in files that only this user can read
// and that are removed afterwards: a command line is visible to everybody on the
// machine.
func (h *Sandbox) enrolEdge(ctx context.Context, code secret.Token) error {
	dir, err := os.MkdirTemp(h.cfg.Data, ".enrol-")
	if err != nil {
		return fmt.Errorf("enrol the counter: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		err = errors.Join(err, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	args := []string{"enrol", "--if-needed",
		"--central", h.cfg.Central.URL(),
		"--name", counterName,
		"--agent-name", agentName,
		"--code-file", file("code", code.Reveal()),
		"--agent-pin-file", file("pin", agentPIN),
		"--agent-aadhaar-file", file("aadhaar", agentAadhaar),
	}
	if err != nil {
		return fmt.Errorf("enrol the counter: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, enrolTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.program("galla-edge"), args...)
	cmd.Env = h.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("enrol the counter: galla-edge enrol: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
