package central

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// ledger is the Operations and Sessions of a store in memory, with the rules
// of store.go; the databases' own are tested in central/store.
type ledger struct {
	mu       sync.Mutex
	byID     map[op.ID]*Operation
	identity map[string]op.ID // "" is a tombstone
	history  map[op.ID][]Step
	sessions map[string]AgentSession
	broken   map[string]error // by method
	events   []op.ID

	refs     map[string]op.ID // by party and CallerRef
	usage    map[string]Used  // by key and period
	quotas   map[op.ID][]Quota
	earnings map[op.ID]Earning
	kyc      map[MerchantID]KYCState
}

func newLedger() *ledger {
	return &ledger{byID: map[op.ID]*Operation{}, identity: map[string]op.ID{}, history: map[op.ID][]Step{},
		sessions: map[string]AgentSession{}, broken: map[string]error{},
		refs: map[string]op.ID{}, usage: map[string]Used{}, quotas: map[op.ID][]Quota{}, earnings: map[op.ID]Earning{}, kyc: map[MerchantID]KYCState{}}
}

func (l *ledger) fault(method string) error { return l.broken[method] }

func (l *ledger) Begin(_ context.Context, o Operation, quotas []Quota) (Operation, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.fault("Begin"); err != nil {
		return Operation{}, false, err
	}
	key, ref := o.Caller+"|"+o.Identity, o.Party+"|"+o.CallerRef
	byRef, refKnown := l.refs[ref]
	if o.Kind == KindRefund && (o.Terminal == "" || o.Identity != string(o.ID)) {
		byRef, refKnown = l.refundOf(o.Original)
	}
	again := func(id op.ID) bool { return l.byID[id].OTPRefused && l.byID[id].Fingerprint == o.Fingerprint }
	id, identified := l.identity[key]
	switch {
	case identified && id == "":
		return Operation{Caller: o.Caller, Identity: o.Identity, Forsworn: true}, false, nil
	case identified && o.Identity == string(o.ID):
		return *l.byID[id], false, nil
	case identified && !refKnown && !(o.Kind == KindRefund && again(id)):
		return *l.byID[id], false, nil
	case identified && refKnown && byRef != id && l.byID[id].CallerRef+string(l.byID[id].Original) != o.CallerRef+string(o.Original):
		return Operation{}, false, ErrState
	case refKnown && !again(byRef):
		if !identified {
			l.identity[key] = byRef
		}
		return *l.byID[byRef], false, nil
	}
	o.Try = 1
	if refKnown {
		o.Try = l.byID[byRef].Try + 1
	}
	for _, known := range l.byID {
		if known.Reference == o.Reference {
			return Operation{}, false, ErrTaken
		}
	}
	for _, q := range quotas {
		used := l.usage[q.Key+"|"+q.Period]
		if q.MaxCount > 0 && used.Count >= q.MaxCount || q.MaxSum > 0 && used.Sum+q.Amount > q.MaxSum {
			return Operation{}, false, &QuotaError{Quota: q, Used: used}
		}
	}
	l.count(quotas, 1)
	if o.CallerRef != "" {
		l.refs[ref] = o.ID
	}
	if !identified || o.Kind == KindRefund { // its key leads to what was made under it
		l.identity[key] = o.ID
	}
	l.byID[o.ID], l.quotas[o.ID] = &o, quotas
	return o, true, nil
}

func (l *ledger) refundOf(original Reference) (op.ID, bool) {
	for id, o := range l.byID {
		if o.Kind == KindRefund && o.Original == original && o.State != op.Failed && o.State != op.Refused && o.State != op.Reversed {
			return id, true
		}
	}
	return "", false
}

// count adds quotas, or with -1 gives them back.
func (l *ledger) count(quotas []Quota, sign int) {
	for _, q := range quotas {
		used := l.usage[q.Key+"|"+q.Period]
		l.usage[q.Key+"|"+q.Period] = Used{Count: used.Count + sign, Sum: used.Sum + money.Paise(sign)*q.Amount}
	}
}

// step is the conditional update of every change.
func (l *ledger) step(method string, id op.ID, to op.State, reason string, alter func(*Operation)) (Operation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.fault(method); err != nil {
		return Operation{}, err
	}
	o, ok := l.byID[id]
	if !ok {
		return Operation{}, ErrNotFound
	}
	if !CanBecome(o.State, to) {
		return Operation{}, ErrState
	}
	l.history[id] = append(l.history[id], Step{At: time.Now(), From: o.State, To: to, Reason: reason})
	wasPending := o.State == op.Pending
	o.State = to
	alter(o)
	if wasPending && o.Terminal != "" {
		l.events = append(l.events, id)
	}
	return *o, nil
}

func (l *ledger) Dispatch(_ context.Context, id op.ID, at, bankNotAfter time.Time) error {
	_, err := l.step("Dispatch", id, op.Dispatched, "", func(o *Operation) { o.DispatchedAt, o.BankNotAfter = at, bankNotAfter })
	return err
}

func (l *ledger) Suspend(_ context.Context, s Suspension) (Operation, error) {
	return l.step("Suspend", s.ID, op.Pending, s.Reason, func(o *Operation) {
		o.PendingReference, o.NextEnquiry = fmt.Sprint(s.Prefix, s.At.UnixMilli()), s.NextEnquiry
	})
}

func (l *ledger) Settle(_ context.Context, s Settlement) (Operation, error) {
	return l.step("Settle", s.ID, s.To, s.Reason, func(o *Operation) {
		o.SettledAt, o.Code, o.HTTP, o.Reply, o.Charge = s.At, s.Answer.Code, s.HTTP, s.Reply, s.Answer.Charge
		o.OTPRefused = s.OTPRefused()
		if s.To != op.Succeeded {
			l.count(l.quotas[s.ID], -1)
			return
		}
		if s.Earning != nil {
			l.earnings[s.ID] = *s.Earning
		}
		if o.KYC != nil && !l.kyc[o.Merchant].Reached(o.KYC.To) {
			l.kyc[o.Merchant] = o.KYC.To
		}
		if o.Reverses != "" {
			l.count(l.quotas[o.Reverses], -1)
		}
		if s.Session != nil {
			l.sessions[s.Session.TID] = *s.Session
		}
	})
}

func (l *ledger) Operation(_ context.Context, id op.ID) (Operation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o, ok := l.byID[id]
	if !ok {
		return Operation{}, ErrNotFound
	}
	return *o, nil
}

func (l *ledger) ByIdentity(_ context.Context, caller, identity string) (Operation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, ok := l.identity[caller+"|"+identity]
	if !ok {
		return Operation{}, ErrNotFound
	}
	if id == "" {
		return Operation{Forsworn: true}, nil
	}
	return *l.byID[id], nil
}

func (l *ledger) ByReference(_ context.Context, party string, by ReferenceQuery) (Operation, error) {
	if by.CallerRef != "" {
		l.mu.Lock()
		defer l.mu.Unlock()
		if id, known := l.refs[party+"|"+by.CallerRef]; known {
			return *l.byID[id], nil
		}
		return Operation{}, ErrNotFound
	}
	return l.find(func(o *Operation) bool {
		return o.Party == party && (by.CallerRef != "" && o.CallerRef == by.CallerRef ||
			by.Reference != "" && o.Reference == by.Reference || by.Pending != "" && o.PendingReference == by.Pending)
	})
}

func (l *ledger) RefundOf(_ context.Context, original Reference) (Operation, error) {
	return l.find(func(o *Operation) bool {
		return o.Kind == KindRefund && o.Original == original && o.State != op.Failed && o.State != op.Refused
	})
}

func (l *ledger) find(is func(*Operation) bool) (Operation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.byID {
		if is(o) {
			return *o, nil
		}
	}
	return Operation{}, ErrNotFound
}

func (l *ledger) Ask(_ context.Context, caller, identity string, _ time.Time) (Operation, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, ok := l.identity[caller+"|"+identity]
	if !ok {
		l.identity[caller+"|"+identity] = ""
		return Operation{}, false, nil
	}
	if id == "" {
		return Operation{Forsworn: true}, true, nil
	}
	return *l.byID[id], true, nil
}

func (l *ledger) Abandoned(_ context.Context, node string, state op.State, before time.Time, limit int) ([]Operation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Operation
	for _, o := range l.byID {
		if o.State == state && (node == "" || o.Node == node) && o.CreatedAt.Before(before) && len(out) < limit {
			out = append(out, *o)
		}
	}
	return out, nil
}

func (l *ledger) Claim(_ context.Context, now, until time.Time, limit int) ([]Operation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Operation
	for _, o := range l.byID {
		if o.State == op.Pending && o.StuckAt.IsZero() && !o.NextEnquiry.After(now) && len(out) < limit {
			o.NextEnquiry = until
			out = append(out, *o)
		}
	}
	return out, nil
}

func (l *ledger) Postpone(_ context.Context, id op.ID, at, next time.Time, _ string, stuck bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.byID[id]
	if o.State != op.Pending {
		return ErrState
	}
	o.Attempts++
	o.NextEnquiry = next
	if stuck {
		o.StuckAt = at
	}
	return nil
}

func (l *ledger) History(_ context.Context, id op.ID) ([]Step, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.history[id], nil
}

func (l *ledger) Session(_ context.Context, tid string) (AgentSession, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.sessions[tid]
	if !ok {
		return AgentSession{}, ErrNotFound
	}
	return s, nil
}

func (l *ledger) OpenSession(_ context.Context, s AgentSession) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions[s.TID] = s
	return nil
}

func (l *ledger) setBroken(method string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken[method] = err
}

// teller is a bank whose behaviour is scripted, with books of its own.
type teller struct {
	mu       sync.Mutex
	requests []BankRequest
	executed map[Reference]int
	send     func(context.Context, BankRequest) (BankAnswer, error) // default: approve
	enquire  func(context.Context, Reference) (BankAnswer, error)   // default: what the books say
	asked    int
	consult  func(context.Context, BankRequest) (BankAnswer, error) // default: approve
}

func (b *teller) Send(ctx context.Context, r BankRequest) (BankAnswer, error) {
	b.mu.Lock()
	b.requests = append(b.requests, r)
	send := b.send
	b.mu.Unlock()
	if send != nil && r.Kind != KindAgentAuth {
		return send(ctx, r)
	}
	return b.execute(r), nil
}

func (b *teller) note(r BankRequest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append(b.requests, r)
}

func (b *teller) execute(r BankRequest) BankAnswer {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.executed[r.Reference]++
	a := BankAnswer{Status: BankApproved, Code: "00", Message: "SUCCESS", STAN: r.STAN, RRN: "123456789012", AuthCode: "A1B2C3"}
	if r.Kind == KindTransfer {
		a.Charge = fee
	}
	return a
}

func (b *teller) Enquire(ctx context.Context, ref Reference) (BankAnswer, error) {
	b.mu.Lock()
	b.asked++
	enquire, n := b.enquire, b.executed[ref]
	b.mu.Unlock()
	switch {
	case enquire != nil:
		return enquire(ctx, ref)
	case n > 0:
		return BankAnswer{Status: BankApproved, Code: "00", Message: "SUCCESS"}, nil
	}
	return BankAnswer{Status: BankNotFound}, nil
}

func (b *teller) Consult(ctx context.Context, r BankRequest) (BankAnswer, error) {
	b.mu.Lock()
	b.requests = append(b.requests, r)
	consult := b.consult
	b.mu.Unlock()
	if consult != nil {
		return consult(ctx, r)
	}
	return BankAnswer{Status: BankApproved, Code: "00"}, nil
}

// fee is what the customer pays for a transfer at this bank.
const fee = 20 * money.Rupee

func (b *teller) enquiries() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asked
}

func (b *teller) count(kind Kind) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, r := range b.requests {
		if r.Kind == kind {
			n++
		}
	}
	return n
}

// pen is a Renderer whose replies name what they say.
type pen struct{}

func (pen) Answered(_ Operation, to op.State, a BankAnswer) (int, []byte) {
	return 200, fmt.Appendf(nil, `{"state":%q,"code":%q}`, to, a.Code)
}

func (pen) Undone(_ Operation, why *Error) (int, []byte) {
	return 500, fmt.Appendf(nil, `{"fault":%q,"message":%q}`, why.Fault, why.Message)
}

// source is a seeded random source that many goroutines may read.
type source struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func (s *source) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Read(p)
}

// tariff pays one rupee for every operation, unless it is broken.
type tariff struct {
	mu     sync.Mutex
	broken error
	asked  int
}

func (f *tariff) Earn(_ context.Context, o Operation, a BankAnswer, _ time.Time) (*Earning, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if f.broken != nil {
		return nil, f.broken
	}
	return &Earning{Merchant: o.Merchant, Amount: o.Amount, Charge: a.Charge, Commission: money.Rupee}, nil
}

func (f *tariff) setBroken(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = err
}

// desk is a running engine with its fakes.
type desk struct {
	t     *testing.T
	e     *Engine
	store *ledger
	bank  *teller
	stop  func()
}

// start runs an engine over a ledger that may have lived before. It must run
// in a synctest bubble; stop it before the bubble ends.
func start(t *testing.T, store *ledger, bank *teller, cfg EngineConfig) *desk {
	t.Helper()
	return startAt(t, store, bank, bank, cfg)
}

// startAt is start at a bank that wraps the teller.
func startAt(t *testing.T, store *ledger, bank Bank, books *teller, cfg EngineConfig) *desk {
	t.Helper()
	cfg.Node = cmp.Or(cfg.Node, "node-1")
	seed := [32]byte{byte(len(store.byID)), cfg.Node[len(cfg.Node)-1] - '1'}
	cfg.Rand, cfg.Logger = &source{r: rand.NewChaCha8(seed)}, slog.New(slog.DiscardHandler)
	e, err := NewEngine(store, bank, pen{}, NewBell(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	synctest.Wait()
	return &desk{t: t, e: e, store: store, bank: books, stop: func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
	}}
}

func inDesk(t *testing.T, test func(t *testing.T, d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := start(t, newLedger(), &teller{executed: map[Reference]int{}}, EngineConfig{})
		defer d.stop()
		test(t, d)
	})
}

func submission(t testing.TB, identity string) Submission {
	a, err := secret.ParseAadhaar("999941057058")
	if err != nil {
		t.Fatal(err)
	}
	return Submission{
		Caller: "merchant:m1", Identity: identity, Route: op.Withdrawal, Merchant: "m1",
		Fingerprint: [32]byte{1},
		Request:     BankRequest{Kind: KindWithdrawal, TID: "GAL00001", Amount: 50000, Aadhaar: a},
	}
}

// transfer is a transfer of one merchant with a reference of its own.
func transfer(identity, ref string) Submission {
	return Submission{
		Caller: "merchant:m1", Identity: identity, Route: op.Transfer, Merchant: "m1", Fingerprint: [32]byte{1},
		Party: "merchant:m1", CallerRef: ref,
		Request: BankRequest{Kind: KindTransfer, Amount: 340000, Particulars: Particulars{Sender: "s1", CallerRef: ref}},
	}
}

// initialize is a local operation.
func initialize(identity string) Submission {
	return Submission{
		Caller: "merchant:m1", Identity: identity, Route: op.AgentInitialize, Merchant: "m1", Fingerprint: [32]byte{1}, Party: "merchant:m1",
		KYC: &KYCStep{Service: ServiceAEPS, To: KYCInitialized}, Local: true,
		Request: BankRequest{Kind: KindInitialize},
	}
}

func (d *desk) submit(s Submission) (Operation, bool, error) {
	return d.e.Submit(d.t.Context(), s)
}

func (d *desk) want(id op.ID, state op.State) Operation {
	d.t.Helper()
	o, err := d.store.Operation(d.t.Context(), id)
	if err != nil || o.State != state {
		d.t.Errorf("operation is %s, %v; want %s", o.State, err, state)
	}
	return o
}

var errSilent = errors.New("no answer")

// silent never answers; executes says whether it executes.
func (b *teller) silent(executes bool) func(context.Context, BankRequest) (BankAnswer, error) {
	return func(ctx context.Context, r BankRequest) (BankAnswer, error) {
		if executes {
			b.execute(r)
		}
		<-ctx.Done()
		return BankAnswer{}, errSilent
	}
}
