//go:build linux

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"galla/deploy/test/finger"
	"galla/rdservice"
)

// The sandbox's customers and parties that the tests use (sandbox.md, sections 2 and
// 3).
const (
	choudhury = "999941057058"
	agarwal   = "999971658847"
	fatima    = "999933119405"
	pandey    = "999955183433"
	kapoor    = "999990501894"

	lakshmi       = "merchant-lakshmi"
	lakshmiSecret = "sandbox-merchant-1"
)

// iins are the customers' banks.
var iins = map[string]string{choudhury: "990326", agarwal: "607094", fatima: "606985", pandey: "607027", kapoor: "608314"}

// caller uses one connection for each call: Go's client repeats a call by itself when a
// kept connection breaks, and these tests count calls.
var caller = &http.Client{Timeout: 60 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// maxReply bounds what is read of any reply, in bytes.
const maxReply = 16 << 20

// do makes a call; body is JSON, raw bytes, or nil.
func (h *sandbox) do(method, u string, body any, header ...string) (int, http.Header, []byte, error) {
	var in io.Reader
	switch b := body.(type) {
	case nil:
	case []byte:
		in = bytes.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			return 0, nil, nil, err
		}
		in = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, u, in)
	if err != nil {
		return 0, nil, nil, err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := caller.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	return resp.StatusCode, resp.Header, reply, err
}

// get reads JSON of a part that is up; everything else ends the test.
func (h *sandbox) get(u string, into any) {
	h.t.Helper()
	if err := h.tryGet(u, into); err != nil {
		h.t.Fatal(err)
	}
}

func (h *sandbox) tryGet(u string, into any) error {
	status, _, body, err := h.do("GET", u, nil, "Accept", "application/json")
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("GET %s: HTTP %d: %s", u, status, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("GET %s: %w: %s", u, err, body)
	}
	return nil
}

// newToken gets a token of a client.
func (h *sandbox) newToken(client, secret string) (string, error) {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secret}}
	status, _, body, err := h.do("POST", h.url("CENTRAL")+"/oauth/token", []byte(form.Encode()), "Content-Type", "application/x-www-form-urlencoded")
	if err != nil {
		return "", err
	}
	var reply struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
		ExpiresIn   int    `json:"expires_in"`
	}
	if err := json.Unmarshal(body, &reply); err != nil || status != http.StatusOK || reply.TokenType != "Bearer" || reply.ExpiresIn <= 0 {
		return "", fmt.Errorf("POST /oauth/token: HTTP %d: %s", status, body)
	}
	h.tokens.Store(reply.AccessToken, client)
	return reply.AccessToken, nil
}

// token is newToken of a central that is up.
func (h *sandbox) token(client, secret string) string {
	h.t.Helper()
	token, err := h.newToken(client, secret)
	if err != nil {
		h.t.Fatal(err)
	}
	return token
}

// captures remembers every PidData that the tests saw, for the canary.
type captures struct {
	mu  sync.Mutex
	all []string
}

func (c *captures) add(xml string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, xml)
}

// reader is one fingerprint reader behind its RD service.
type reader struct {
	url   string
	glass sync.Mutex // one finger at a time is on it
}

// placeFinger puts a customer's finger on the sandbox's own reader.
func (h *sandbox) placeFinger(aadhaar string) error { return h.placeFingerOn(h.url("RDSIM"), aadhaar) }

func (h *sandbox) placeFingerOn(url, aadhaar string) error {
	return finger.Place(context.Background(), url, aadhaar)
}

// capture takes a fingerprint as a merchant's program does.
func (h *sandbox) capture(r *reader, aadhaar string) (string, error) {
	r.glass.Lock()
	defer r.glass.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	pid, err := finger.Capture(ctx, r.url, aadhaar, rdservice.Options{})
	if err != nil {
		return "", err
	}
	xml := pid.Reveal()
	h.captures.add(xml)
	return xml, nil
}

// transaction writes the body of an AEPS transaction with a fresh capture.
func (h *sandbox) transaction(r *reader, aadhaar string, paise int64) ([]byte, error) {
	pid, err := h.capture(r, aadhaar)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{
		"AadharNo": aadhaar, "TxnAmount": json.Number(fmt.Sprintf("%d.%02d", paise/100, paise%100)),
		"Latitude": "18.5204", "Longitude": "73.8567", "CustomerName": "Customer", "BankName": iins[aadhaar], "PidData": pid,
	})
}

// answer is the central's reply to a transaction.
type answer struct {
	http     int
	raw      []byte
	replayed bool

	StatusCode string `json:"statusCode"`
	Message    string `json:"message"`
	TxnStatus  string `json:"txnStatus"`
	Reference  string `json:"reference"`
	Data       *struct {
		ResponseCode            string `json:"ResponseCode"`
		Balance                 string `json:"Balance"`
		RetailerReferenceNumber string `json:"RetailerReferenceNumber"`
		ReferenceNo             string `json:"ReferenceNo"`
		AuthCode                string `json:"AuthCode"`
		AadharNo                string `json:"AadharNo"`
		TxnStatus               string `json:"txnStatus"`
	} `json:"data"`
}

// postTransaction posts an AEPS transaction in direct mode.
func (h *sandbox) postTransaction(route, token, key string, body []byte) (answer, error) {
	status, header, raw, err := h.do("POST", h.url("CENTRAL")+route, body, "Authorization", "Bearer "+token, "Idempotency-Key", key)
	if err != nil {
		return answer{}, err
	}
	a := answer{http: status, raw: raw, replayed: header.Get("Idempotent-Replayed") == "true"}
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, fmt.Errorf("POST %s: HTTP %d, no JSON: %q", route, status, raw)
	}
	return a, nil
}

// execution is a line of the bank's books.
type execution struct {
	Reference   string    `json:"reference"`
	Kind        string    `json:"kind"`
	AmountPaise int64     `json:"amountPaise"`
	Status      string    `json:"status"`
	At          time.Time `json:"at"`
}

// executions reads the books of a span.
func (h *sandbox) executions(from, to time.Time) []execution {
	h.t.Helper()
	list, err := h.tryExecutions(from, to)
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}

// tryExecutions is executions for a bank that may be away.
func (h *sandbox) tryExecutions(from, to time.Time) ([]execution, error) {
	q := url.Values{"from": {from.UTC().Format(time.RFC3339Nano)}, "to": {to.UTC().Format(time.RFC3339Nano)}}
	var list []execution
	err := h.tryGet(h.url("BANK")+"/books/executions?"+q.Encode(), &list)
	return list, err
}

// balance is what a customer has at the bank, in paise.
func (h *sandbox) balance(aadhaar string) int64 {
	h.t.Helper()
	var reply struct {
		Balance string `json:"balance"`
	}
	h.get(h.url("BANK")+"/books/balance/"+aadhaar, &reply)
	var rupees, paise int64
	if _, err := fmt.Sscanf(reply.Balance, "%d.%02d", &rupees, &paise); err != nil {
		h.t.Fatalf("balance %q: %v", reply.Balance, err)
	}
	return rupees*100 + paise
}

// checkDoubleEntry checks the books for double entry.
func (h *sandbox) checkDoubleEntry() {
	h.t.Helper()
	var trial struct {
		DebitsPaise  *int64 `json:"debitsPaise"`
		CreditsPaise *int64 `json:"creditsPaise"`
	}
	h.get(h.url("BANK")+"/books/trial", &trial)
	if trial.DebitsPaise == nil || trial.CreditsPaise == nil || *trial.DebitsPaise != *trial.CreditsPaise {
		h.t.Errorf("the books do not balance: %+v", trial)
	}
}

// filesUnder lists all files of a folder.
func filesUnder(dir string) ([]string, error) {
	var all []string
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			all = append(all, p)
		}
		return err
	})
	return all, err
}

// rupees writes paise for people.
func rupees(paise int64) string {
	return strings.TrimSuffix(fmt.Sprintf("%d.%02d", paise/100, paise%100), ".00")
}
