package httpapi

import (
	"context"
	"sync"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/api"
	"galla/shared/op"
	"galla/shared/secret"
)

// fakeDirectory is the directory and the rest of the store that the contract reads.
type fakeDirectory struct {
	// Not reached by the tests of httpapi.
	central.Onboardings
	accounts.Customers
	accounts.Correspondents
	central.VendorAdmin

	mu       sync.Mutex
	clients  map[string]central.Client
	networks map[string]time.Time // by client and network, as they were noted
	looks    int                  // at clients
	looked   chan struct{}        // closed by the next look, if there is one
	broken   error
}

func (*fakeDirectory) ByReference(context.Context, string, central.ReferenceQuery) (central.Operation, error) {
	return central.Operation{}, central.ErrNotFound
}

func (*fakeDirectory) RefundOf(context.Context, central.Reference) (central.Operation, error) {
	return central.Operation{}, central.ErrNotFound
}

func newFakeDirectory() *fakeDirectory {
	p := &fakeDirectory{clients: map[string]central.Client{}, networks: map[string]time.Time{}}
	add := func(id, secret string, principal central.Principal) {
		p.clients[id] = central.Client{ID: id, SecretHash: cheap(secret), Principal: principal, Active: true}
	}
	add("merchant-lakshmi", clientSecret, central.Principal{Role: op.Merchant, Merchant: m1})
	add("merchant-nila", clientSecret, central.Principal{Role: op.Merchant, Merchant: m4})
	add("vendor-sahyadri", "p:ä +%", central.Principal{Role: op.Vendor, Vendor: v1})
	add("vendor-gone", clientSecret, central.Principal{Role: op.Vendor, Vendor: v2})
	add("agg-galla", clientSecret, central.Principal{Role: op.Aggregator, Aggregator: a1})
	add("incoherent", clientSecret, central.Principal{Role: op.Merchant, Vendor: v1})
	off := p.clients["merchant-lakshmi"]
	off.ID, off.Active = "merchant-off", false
	p.clients["merchant-off"] = off
	p.clients["damaged"] = central.Client{ID: "damaged", SecretHash: "plain", Active: true, Principal: central.Principal{Role: op.Vendor, Vendor: v1}}
	return p
}

func (p *fakeDirectory) Client(_ context.Context, id string) (central.Client, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looks++
	if p.looked != nil {
		close(p.looked)
		p.looked = nil
	}
	c, ok := p.clients[id]
	if !ok {
		return central.Client{}, central.ErrNotFound
	}
	return c, p.broken
}

func (p *fakeDirectory) FreshClient(ctx context.Context, id string) (central.Client, error) {
	return p.Client(ctx, id)
}

// nextLook is closed when a client is read the next time. What is changed after that
// was not seen by who read.
func (p *fakeDirectory) nextLook() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looked = make(chan struct{})
	return p.looked
}

// change changes a client, as another node would.
func (p *fakeDirectory) change(id string, change func(*central.Client)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.clients[id]
	change(&c)
	p.clients[id] = c
}

func (p *fakeDirectory) ClientNetworkSeenAt(_ context.Context, id, network string) (time.Time, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.networks[id+" "+network], nil
}

func (p *fakeDirectory) RecordClientNetwork(_ context.Context, id, network string, at time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.networks[id+" "+network] = at
	return nil
}

func (p *fakeDirectory) Merchant(_ context.Context, id central.MerchantID) (central.Merchant, error) {
	m := central.Merchant{ID: id, MID: "GAL0000001", LegalName: "Lakshmi Kirana Store", Vendor: v1, Status: central.MerchantApproved, AEPSReady: true, TID: "GAL00001"}
	if id == m4 {
		m.Status = central.MerchantPending
	} else if id != m1 {
		return central.Merchant{}, central.ErrNotFound
	}
	return m, nil
}

func (p *fakeDirectory) Vendor(_ context.Context, id central.VendorID) (central.Vendor, error) {
	return central.Vendor{ID: id, Active: id == v1}, nil
}

func (p *fakeDirectory) Terminal(context.Context, central.TerminalID) (central.Terminal, error) {
	return central.Terminal{}, central.ErrNotFound
}

func (p *fakeDirectory) Session(context.Context, string) (central.AgentSession, error) {
	return central.AgentSession{}, central.ErrNotFound
}

func (p *fakeDirectory) Operation(context.Context, op.ID) (central.Operation, error) {
	return central.Operation{}, central.ErrNotFound
}

func (p *fakeDirectory) ByIdentity(_ context.Context, _, identity string) (central.Operation, error) {
	if identity == "order 17/ä" {
		return central.Operation{}, central.ErrNotFound
	}
	return central.Operation{}, central.ErrNotFound
}

// fakeExecutor approves everything, once an identity; hold makes it wait.
type fakeExecutor struct {
	mu    sync.Mutex
	known map[string]central.Operation
	count int
	last  central.Submission
	began chan struct{} // receives when a submission waits
	hold  chan struct{} // closed: go on
}

func (d *fakeExecutor) Submit(ctx context.Context, s central.Submission) (central.Operation, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := s.Caller + "/" + s.Identity
	if o, ok := d.known[key]; ok && s.Identity != "" {
		if o.Fingerprint != s.Fingerprint {
			return central.Operation{}, false, central.NewError(central.Conflict, "")
		}
		return o, true, nil
	}
	d.count++
	d.last = s
	o := central.Operation{Route: s.Route, State: op.Succeeded, Fingerprint: s.Fingerprint, Reference: "GL1", STAN: "000001", Aadhaar: s.Request.Aadhaar.Masked()}
	if d.hold != nil {
		d.began <- struct{}{}
		select {
		case <-d.hold:
		case <-ctx.Done():
			o.State = op.Sent
			return o, false, nil
		}
	}
	o.HTTP, o.Reply = api.Renderer{}.FinalReply(o, op.Succeeded, central.BankAnswer{Code: "00", Message: "SUCCESS", RRN: "1", AuthCode: "A"})
	d.known[key] = o
	return o, false, nil
}

func (d *fakeExecutor) Consult(context.Context, central.BankRequest) (central.BankAnswer, error) {
	return central.BankAnswer{Status: central.BankApproved, Code: "00", Message: "SUCCESS", Data: []byte("{}")}, nil
}

func (d *fakeExecutor) FindOrTombstone(context.Context, string, string) (central.Operation, bool, error) {
	return central.Operation{}, false, nil
}

// fakeRegistry has one code.
type fakeRegistry struct{}

func (fakeRegistry) CreateEnrolmentCode(_ context.Context, m central.MerchantID, _ central.Credential) (central.EnrolmentCode, error) {
	return central.EnrolmentCode{Code: secret.NewToken("ABCD"), Merchant: m, ExpiresAt: time.Now().Add(central.CodeLife)}, nil
}

func (fakeRegistry) Enrol(_ context.Context, code secret.Token, _ []byte, name string) (central.Terminal, error) {
	if code.Reveal() != "ABCD" {
		return central.Terminal{}, central.NewError(central.Unauthenticated, "")
	}
	return central.Terminal{ID: "t", Merchant: m1, Name: name}, nil
}

func (fakeRegistry) List(context.Context, central.MerchantID) ([]central.Terminal, error) {
	return nil, nil
}

func (fakeRegistry) Revoke(_ context.Context, _ central.MerchantID, id central.TerminalID) error {
	return central.NewError(central.NotFound, "No such terminal")
}
