package nodes

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/queue"
	"galla/edge/uplink"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// counter is a shop's daemon with a real queue and a real line.
type counter struct {
	*edge.Counter
	h        *system
	line     *uplink.Client
	terminal string // its id
}

// newCounter enrols a counter of merchant 1 through a node; it connects to the given
// address.
func (h *system) newCounter(at *node, line string) *counter {
	h.t.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	h.must(err)
	bearer := "Bearer " + h.token(at.addr, merchant1)
	var minted struct{ Data struct{ Code string } }
	h.call(at, &minted, "POST", "/terminals", fields{}, "Authorization", bearer)
	var enrolled struct {
		Data struct{ TerminalID, MerchantID, TID, MerchantName, Audience string }
	}
	h.call(at, &enrolled, "POST", "/terminals/enrol", fields{
		"code": minted.Data.Code, "publicKey": base64.StdEncoding.EncodeToString(public), "name": "Counter",
	})
	log := slog.New(slog.DiscardHandler)
	seal := make([]byte, 32)
	_, _ = rand.Read(seal)
	q, _, err := queue.Open(queue.Config{Path: filepath.Join(h.t.TempDir(), "queue.db"), Key: secret.NewKey(seal), Rand: rand.Reader, Now: time.Now, Logger: log})
	h.must(err)
	own, err := secret.ParseAadhaar(customer) // the agent is a customer, too
	h.must(err)
	c := &counter{h: h, terminal: enrolled.Data.TerminalID}
	c.Counter, err = edge.New(q, h.readers, edge.Config{
		Agent: "Fatima", AgentAadhaar: own, Merchant: enrolled.Data.MerchantName, MerchantID: enrolled.Data.MerchantID, TID: enrolled.Data.TID,
		Latitude: "18.5204", Longitude: "73.8567",
		Rand: rand.Reader, Logger: log,
	})
	h.must(err)
	c.line, err = uplink.New(uplink.Config{
		URL: "ws://" + line + "/uplink", Plain: true, TerminalID: c.terminal, Audience: enrolled.Data.Audience,
		Key: key, Version: "test", OnChange: c.Notify, Now: time.Now, Rand: rand.Reader, Logger: log,
		Addresses: func() ([]net.Addr, error) { return nil, nil },
	}, c.Counter)
	h.must(err)
	c.SetLink(c.line)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) })
	running.Go(func() { _ = c.line.Run(ctx) })
	h.t.Cleanup(func() {
		cancel()
		running.Wait()
		if err := q.Close(); err != nil {
			h.t.Error(err)
		}
	})
	eventually(h.t, "the counter's line is up", func() bool { return c.line.State().Online })
	eventually(h.t, "the list of banks", func() bool {
		banks, _ := c.Banks()
		return len(banks) > 0
	})
	eventually(h.t, "the day's session", c.signIn)
	return c
}

// signIn gives the agent's finger, once more if the bank did not answer in time, and
// reports whether the day's session is there.
func (c *counter) signIn() bool {
	v, err := c.Start(edge.Request{Route: op.ReqAuth, User: "Fatima", UserID: edge.AgentID})
	if err == nil {
		err = c.Capture(v.ID)
	}
	c.h.must(err)
	ctx, cancel := context.WithTimeout(c.h.t.Context(), patience)
	defer cancel()
	if v, err = c.Await(ctx, v.ID); err != nil {
		c.h.t.Fatalf("the agent's finger: %s %s, %v", v.State, v.Reason, err)
	}
	if v.State != op.Succeeded {
		c.h.t.Logf("the agent's finger: %s %s; once more", v.State, v.Reason)
		return false
	}
	eventually(c.h.t, "the session that was opened", func() bool { return c.Status().Session.Active })
	return true
}

// call makes a request that must succeed.
func (h *system) call(at *node, into any, method, path string, body any, header ...string) {
	h.t.Helper()
	text, err := json.Marshal(body)
	h.must(err)
	a, err := send(h.client(), at.addr, method, path, text, header...)
	if err != nil || a.http >= 300 {
		h.t.Fatalf("%s %s at %s: %v, HTTP %d %s", method, path, at.name, err, a.http, a.raw)
	}
	if into != nil {
		h.must(json.Unmarshal(a.raw, into))
	}
}

// withdraw begins a withdrawal at the counter and gives it when it is final or
// pending.
func (c *counter) withdraw(paise int64) (edge.View, error) {
	a, err := secret.ParseAadhaar(customer)
	if err != nil {
		return edge.View{}, err
	}
	v, err := c.Start(edge.Request{
		Route: op.Withdrawal, Aadhaar: a, Customer: "Kumar", IIN: bankOf, Consent: "en-1", User: "Fatima", UserID: edge.AgentID, Amount: money.Paise(paise),
	})
	if err != nil {
		return v, err
	}
	if err := c.Capture(v.ID); err != nil {
		return v, err
	}
	ctx, cancel := context.WithTimeout(c.h.t.Context(), patience)
	defer cancel()
	return c.Await(ctx, v.ID)
}
