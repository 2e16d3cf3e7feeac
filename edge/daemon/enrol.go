package daemon

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"galla/edge/users"
	"galla/shared/printable"
	"galla/shared/seal"
	"galla/shared/secret"
)

// Enrolment is what a person gives to enrol a counter.
type Enrolment struct {
	Central      string // base URL of the central
	Code         secret.Token
	Name         string // of the terminal, for people
	Agent        string // name
	PIN          secret.OTP
	AgentAadhaar string // digits as typed
	Latitude     string // decimal degrees
	Longitude    string // decimal degrees
}

// enrolTimeout bounds the one call that enrolment makes.
const enrolTimeout = 30 * time.Second

// maxTerminal bounds the name of a counter, in characters, as the central does.
const maxTerminal = 64

// maxReply bounds the central's reply to it, in bytes.
const maxReply = 64 << 10

// Enrol makes the terminal's keys in the data folder, binds the public one to
// the merchant of the code, and writes the settings. The private key never
// leaves the folder.
func Enrol(ctx context.Context, data string, e Enrolment, rand io.Reader) (Settings, error) {
	f := folder(data)
	if err := checkCentral(e.Central); err != nil {
		return Settings{}, err
	}
	aadhaar, err := secret.ParseAadhaar(e.AgentAadhaar)
	if err != nil {
		return Settings{}, fmt.Errorf("the agent's Aadhaar number %w", err)
	}
	if err := users.CheckNewPIN(e.PIN); err != nil {
		return Settings{}, fmt.Errorf("the agent's PIN: %w", err)
	}
	if strings.TrimSpace(e.Agent) == "" {
		return Settings{}, errors.New("the agent's name is missing")
	}
	if e.Agent, err = printable.Name(e.Agent, printable.MaxName); err != nil {
		return Settings{}, fmt.Errorf("the agent's name %w", err)
	}
	if e.Name, err = printable.Name(e.Name, maxTerminal); err != nil {
		return Settings{}, fmt.Errorf("the counter's name %w", err)
	}
	seed, err := seal.EnsureKeyFile(f.terminalKey(), rand)
	if err != nil {
		return Settings{}, err
	}
	queueKey, err := seal.EnsureKeyFile(f.queueKey(), rand)
	if err != nil {
		return Settings{}, err
	}
	hash, err := users.HashPIN(e.PIN, rand)
	if err != nil {
		return Settings{}, err
	}
	s, err := postEnrolment(ctx, e, ed25519.NewKeyFromSeed(seed.Reveal()).Public().(ed25519.PublicKey))
	if err != nil {
		return Settings{}, err
	}
	s.Agent, s.PINHash, s.AgentAadhaar = e.Agent, hash, aadhaar
	s.Latitude, s.Longitude = e.Latitude, e.Longitude
	return s, f.save(s, queueKey, rand)
}

// checkCentral refuses an address at which anybody on the way could read the code,
// and answer in the central's place: the counter would be theirs from then on.
func checkCentral(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("the central's address is none: it must read https://host")
	case u.Scheme == "http" && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback():
		return fmt.Errorf("the central's address %s would carry the one-time code in the clear, and anybody on the way could answer in its place: use https://", text)
	}
	return nil
}

// Enrolled tells whether the data folder holds settings that can be read.
func Enrolled(data string, rand io.Reader) (bool, error) {
	_, _, _, err := folder(data).load(rand)
	if errors.Is(err, ErrNotEnrolled) {
		return false, nil
	}
	return err == nil, err
}

func postEnrolment(ctx context.Context, e Enrolment, public ed25519.PublicKey) (Settings, error) {
	ctx, cancel := context.WithTimeout(ctx, enrolTimeout)
	defer cancel()
	body, err := json.Marshal(map[string]any{"code": e.Code.Reveal(), "publicKey": []byte(public), "name": e.Name})
	if err != nil {
		return Settings{}, fmt.Errorf("write the enrolment: %w", err)
	}
	address := strings.TrimSuffix(e.Central, "/") + "/terminals/enrol"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return Settings{}, fmt.Errorf("enrol at %s: %w", address, err)
	}
	req.Header.Set("Content-Type", "application/json")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return Settings{}, fmt.Errorf("enrol: the central can't be reached: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	var reply struct {
		Message string `json:"message"`
		Data    struct {
			TerminalID   string `json:"terminalId"`
			MerchantID   string `json:"merchantId"`
			MerchantName string `json:"merchantName"`
			MID          string `json:"mid"`
			TID          string `json:"tid"`
			Uplink       string `json:"uplink"`
			Audience     string `json:"audience"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxReply)).Decode(&reply); err != nil {
		return Settings{}, fmt.Errorf("enrol at %s: HTTP %d, and the reply is not the central's", address, resp.StatusCode)
	}
	d := reply.Data
	if resp.StatusCode/100 != 2 || d.TerminalID == "" || d.Uplink == "" {
		return Settings{}, fmt.Errorf("enrol at %s: HTTP %d: %s", address, resp.StatusCode, reply.Message)
	}
	return Settings{
		TerminalID: d.TerminalID, MerchantID: d.MerchantID, Merchant: d.MerchantName, MID: d.MID, TID: d.TID,
		Uplink: d.Uplink, Audience: d.Audience,
	}, nil
}
