package api

import (
	"context"
	"errors"
	"flag"
	"strings"
	"sync"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

var update = flag.Bool("update", false, "write the golden replies anew")

// Parties of the sandbox.
const (
	m1 = central.MerchantID("c0000000-0000-4000-8000-000000000001")
	m2 = central.MerchantID("c0000000-0000-4000-8000-000000000002") // not onboarded
	m3 = central.MerchantID("c0000000-0000-4000-8000-000000000003") // of vendor 2
	m4 = central.MerchantID("c0000000-0000-4000-8000-000000000004") // pending
	v1 = central.VendorID("b0000000-0000-4000-8000-000000000001")
	v2 = central.VendorID("b0000000-0000-4000-8000-000000000002")
	v3 = central.VendorID("b0000000-0000-4000-8000-000000000003")
	t1 = central.TerminalID("0190a000-0000-7000-8000-000000000001")
	t2 = central.TerminalID("0190a000-0000-7000-8000-000000000002") // revoked

	opID = op.ID("0190b000-0000-7000-8000-000000000001")

	aadhaar = "999941057058"
	pid     = `<PidData><Resp errCode="0"/><Skey ci="20221021">c2tleQ==</Skey><Hmac>aG1hYw==</Hmac><Data type="X">ZGF0YWNhbmFyeQ==</Data></PidData>`
)

var (
	day       = time.Date(2026, 11, 21, 9, 30, 0, 123_000_000, time.UTC)
	merchant1 = central.Principal{Role: op.Merchant, Merchant: m1}
	vendor1   = central.Principal{Role: op.Vendor, Vendor: v1}
	terminal1 = central.Principal{Role: op.Merchant, Merchant: m1, Terminal: t1}
)

// fakeStore holds the sandbox's parties.
type fakeStore struct {
	sessions   map[string]central.AgentSession
	operations map[op.ID]central.Operation
	kyc        map[central.MerchantID]central.ServiceKYC
	broken     error
	fakeCustomers

	brokenReads, brokenRefunds error // of ByReference and RefundOf
}

func (s *fakeStore) Merchant(_ context.Context, id central.MerchantID) (central.Merchant, error) {
	m := central.Merchant{ID: id, MID: "GAL0000001", LegalName: "Lakshmi Kirana Store", Vendor: v1, Status: central.MerchantApproved, HasInfo: true, AEPSReady: true, TID: "GAL00001"}
	switch id {
	case m1:
	case m2:
		m.AEPSReady, m.TID = false, ""
	case m3:
		m.Vendor = v2
	case m4:
		m.Status = central.MerchantPending
	default:
		return central.Merchant{}, errors.Join(central.ErrNotFound, s.broken)
	}
	return m, s.broken
}

func (s *fakeStore) Vendor(_ context.Context, id central.VendorID) (central.Vendor, error) {
	switch id {
	case v1:
		return central.Vendor{ID: id, Aggregator: a1, Active: true}, nil
	case v2:
		return central.Vendor{ID: id}, nil
	case v3:
		return central.Vendor{ID: id, Active: true}, nil
	}
	return central.Vendor{}, central.ErrNotFound
}

func (s *fakeStore) Terminal(_ context.Context, id central.TerminalID) (central.Terminal, error) {
	t := central.Terminal{ID: id, Merchant: m1, TID: "GAL00007"}
	switch id {
	case t1:
	case t2:
		t.RevokedAt = day
	default:
		return central.Terminal{}, central.ErrNotFound
	}
	return t, nil
}

func (s *fakeStore) Session(_ context.Context, tid string) (central.AgentSession, error) {
	session, ok := s.sessions[tid]
	if !ok {
		return central.AgentSession{}, central.ErrNotFound
	}
	return session, nil
}

func (s *fakeStore) Operation(_ context.Context, id op.ID) (central.Operation, error) {
	o, ok := s.operations[id]
	if !ok {
		return central.Operation{}, central.ErrNotFound
	}
	return o, nil
}

func (s *fakeStore) ByIdentity(_ context.Context, caller, identity string) (central.Operation, error) {
	for _, o := range s.operations {
		if o.Caller == caller && o.Identity == identity {
			return o, nil
		}
	}
	return central.Operation{}, central.ErrNotFound
}

func (s *fakeStore) ByReference(_ context.Context, party string, by central.ReferenceQuery) (central.Operation, error) {
	if s.brokenReads != nil {
		return central.Operation{}, s.brokenReads
	}
	for _, o := range s.operations {
		if o.Party == party && (by.CallerRef != "" && o.CallerRef == by.CallerRef ||
			by.Reference != "" && o.Reference == by.Reference || by.Pending != "" && o.PendingReference == by.Pending) {
			return o, nil
		}
	}
	return central.Operation{}, central.ErrNotFound
}

func (s *fakeStore) RefundOf(_ context.Context, original central.Reference) (central.Operation, error) {
	if s.brokenRefunds != nil {
		return central.Operation{}, s.brokenRefunds
	}
	for _, o := range s.operations {
		if o.Original == original && o.State != op.Failed && o.State != op.Refused {
			return o, nil
		}
	}
	return central.Operation{}, central.ErrNotFound
}

func (s *fakeStore) KYC(_ context.Context, m central.MerchantID, _ central.Service) (central.ServiceKYC, error) {
	k, ok := s.kyc[m]
	if !ok {
		return central.ServiceKYC{}, central.ErrNotFound
	}
	return k, nil
}

func (s *fakeStore) ApproveKYC(_ context.Context, m central.MerchantID, _ central.Service, _ time.Time) error {
	k := s.kyc[m]
	if !k.State.Reached(central.KYCSubmitted) {
		return central.ErrState
	}
	k.State = central.KYCApproved
	s.kyc[m] = k
	return nil
}

// fakeCustomers keeps what is known of customers and correspondents; its zero value
// is empty. lookups, where it is set, is what CountLookup answers.
type fakeCustomers struct {
	names   map[accounts.CustomerName]accounts.CustomerKey
	proofs  map[string]bool
	owners  map[string]string
	looked  []accounts.CustomerKey
	lookups error
	lost    error // of all that is written
}

func (f *fakeCustomers) NameCustomer(_ context.Context, name accounts.CustomerName, key accounts.CustomerKey, _ time.Time) error {
	if f.names == nil {
		f.names = map[accounts.CustomerName]accounts.CustomerKey{}
	}
	f.names[name] = key
	return f.lost
}

func (f *fakeCustomers) AliasCustomer(ctx context.Context, name, known accounts.CustomerName, at time.Time) error {
	key, ok := f.names[known]
	if !ok {
		return f.lost
	}
	return f.NameCustomer(ctx, name, key, at)
}

func (f *fakeCustomers) ProveCustomer(_ context.Context, m central.MerchantID, name accounts.CustomerName, _ time.Time) error {
	if f.proofs == nil {
		f.proofs = map[string]bool{}
	}
	f.proofs[string(m)+" "+string(name)] = true
	return f.lost
}

func (f *fakeCustomers) CustomerProven(_ context.Context, m central.MerchantID, name accounts.CustomerName) (bool, error) {
	key, known := f.names[name]
	for other, its := range f.names {
		if known && its == key && f.proofs[string(m)+" "+string(other)] {
			return true, nil
		}
	}
	return f.proofs[string(m)+" "+string(name)], nil
}

func (f *fakeCustomers) CountLookup(_ context.Context, _ central.MerchantID, key accounts.CustomerKey, _ int, _ time.Time) error {
	f.looked = append(f.looked, key)
	return f.lookups
}

func (f *fakeCustomers) CorrespondentOwner(_ context.Context, kind accounts.CorrespondentKind, id string) (string, error) {
	party, ok := f.owners[string(kind)+" "+id]
	if !ok {
		return "", central.ErrNotFound
	}
	return party, nil
}

// fakeLimits bounds AEPS as the sandbox does, and counts transfers a remitter.
type fakeLimits struct {
	subjects []central.LimitSubject
	refuse   error // where it is set
}

func (l *fakeLimits) Check(at time.Time, s central.LimitSubject) ([]central.Quota, error) {
	l.subjects = append(l.subjects, s)
	if l.refuse != nil {
		return nil, l.refuse
	}
	switch s.Kind {
	case central.KindWithdrawal, central.KindPurchase:
		if s.Amount < money.Rupee || s.Amount > 10_000*money.Rupee {
			return nil, central.NewError(central.FailedPrecondition, "The amount is outside of the limits: from 1.00 to 10000.00 rupees")
		}
	case central.KindTransfer:
		if s.Amount > 5_000*money.Rupee {
			return nil, central.NewError(central.FailedPrecondition, "The amount is over the limit: a transfer has at most 5000.00 rupees")
		}
		return []central.Quota{{Key: "remitter:" + s.Sender, Period: string(ist.DayOf(at)), Amount: s.Amount, MaxSum: 25_000 * money.Rupee, What: "this remitter's transfers today"}}, nil
	}
	return nil, nil
}

func (*fakeLimits) Lookups(central.MerchantID) int { return 60 }

func (*fakeLimits) InForce(time.Time) []central.Limit {
	return []central.Limit{
		{Kinds: []central.Kind{central.KindWithdrawal, central.KindPurchase}, Scope: central.PerTransaction, Min: money.Rupee, Max: 10_000 * money.Rupee, Days: ist.Days{From: "2026-01-01"}},
		{Kinds: []central.Kind{central.KindTransfer}, Scope: central.PerRemitterDay, Sum: 25_000 * money.Rupee, Days: ist.Days{From: "2026-01-01"}},
		{Kinds: []central.Kind{central.KindUPIPayment}, Scope: central.PerMerchantDay, Sum: 50_000 * money.Rupee, Days: ist.Days{From: "2026-01-01"}},
	}
}

// fakeExecutor ends every operation as configured, and keeps identities as the
// engine does.
type fakeExecutor struct {
	mu     sync.Mutex
	state  op.State
	answer central.BankAnswer
	why    *central.Error // ends operations undone
	err    error          // of Submit
	panics bool
	last   central.Submission
	count  int // executions
	known  map[string]central.Operation

	consulted  []central.BankRequest
	consultErr error
}

func (d *fakeExecutor) Consult(_ context.Context, r central.BankRequest) (central.BankAnswer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.consulted = append(d.consulted, r)
	return d.answer, d.consultErr
}

func (d *fakeExecutor) Submit(_ context.Context, s central.Submission) (central.Operation, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.panics {
		panic("the executor broke")
	}
	if d.err != nil {
		return central.Operation{}, false, d.err
	}
	identity := s.Identity
	if identity == "" {
		identity = string(opID)
	}
	key := s.Caller + "/" + identity
	_, named := d.known[s.Party+"#"+s.CallerRef]
	if named = named && s.CallerRef != ""; named {
		key = s.Party + "#" + s.CallerRef
	}
	if o, ok := d.known[key]; ok && (s.Identity != "" || named) {
		if o.Fingerprint != s.Fingerprint || o.Route != s.Route {
			return central.Operation{}, false, central.NewError(central.Conflict, "")
		}
		if !o.NameReusable() {
			return o, true, nil
		}
	}
	if s.RefuseNew != nil {
		return central.Operation{}, false, s.RefuseNew
	}
	d.last = s
	d.count++
	o := central.Operation{
		ID: opID, Caller: s.Caller, Identity: identity, Route: s.Route, Fingerprint: s.Fingerprint, Merchant: s.Merchant,
		Kind: s.Request.Kind, Amount: s.Request.Amount, Aadhaar: s.Request.Aadhaar.Masked(), TID: s.Request.TID,
		Reference: "GL261121ABCDEFGHJK", STAN: "000042", State: d.state, CreatedAt: day,
		Party: s.Party, CallerRef: s.CallerRef, Sender: s.Request.Particulars.Sender,
		Original: central.Reference(s.Request.Particulars.Original), KYC: s.KYC, Reverses: s.Reverses,
	}
	switch {
	case d.why != nil:
		o.HTTP, o.Reply = Renderer{}.NotExecutedReply(o, d.why)
	case o.State.Final():
		o.Code = d.answer.Code
		o.HTTP, o.Reply = Renderer{}.FinalReply(o, o.State, d.answer)
	case o.State == op.Pending:
		o.PendingReference = "AEPS-NR-1795253400123"
		if !o.Kind.AEPS() && !strings.HasPrefix(string(o.Kind), "AGENT_") {
			o.PendingReference = "DMT-NR-1795253400123"
		}
	}
	d.known[key] = o
	if s.CallerRef != "" {
		d.known[s.Party+"#"+s.CallerRef] = o
	}
	return o, false, nil
}

func (d *fakeExecutor) FindOrTombstone(_ context.Context, caller, identity string) (central.Operation, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, ok := d.known[caller+"/"+identity]
	return o, ok, d.err
}

// fakeRegistry has one valid code.
type fakeRegistry struct {
	minted  central.MerchantID
	name    string
	revoked central.TerminalID
	panics  bool
}

func (r *fakeRegistry) CreateEnrolmentCode(_ context.Context, m central.MerchantID, _ central.Credential) (central.EnrolmentCode, error) {
	if r.panics {
		panic("the registry broke")
	}
	r.minted = m
	return central.EnrolmentCode{Code: secret.NewToken("ABCD-EFGH-JKMN-PQRS"), Merchant: m, ExpiresAt: day.Add(central.CodeLife)}, nil
}

func (r *fakeRegistry) Enrol(_ context.Context, code secret.Token, _ []byte, name string) (central.Terminal, error) {
	if code.Reveal() != "ABCD-EFGH-JKMN-PQRS" {
		return central.Terminal{}, central.NewError(central.Unauthenticated, "The enrolment code is not valid")
	}
	r.name = name
	return central.Terminal{ID: t1, Merchant: m1, Name: name, TID: "GAL00007"}, nil
}

func (r *fakeRegistry) List(_ context.Context, m central.MerchantID) ([]central.Terminal, error) {
	if m != m1 {
		return nil, nil
	}
	return []central.Terminal{
		{ID: t1, Name: "Counter 1", TID: "GAL00007", CreatedAt: day, SeenAt: day.Add(time.Hour)},
		{ID: t2, Name: "Counter 2", TID: "GAL00008", CreatedAt: day, RevokedAt: day},
	}, nil
}

func (r *fakeRegistry) Revoke(_ context.Context, m central.MerchantID, id central.TerminalID) error {
	if m != m1 || id != t1 {
		return central.NewError(central.NotFound, "No such terminal")
	}
	r.revoked = id
	return nil
}
