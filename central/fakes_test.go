package central

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// memoryStore is the Operations and Sessions of a store in memory, with the rules
// of interfaces.go. The databases are tested in central/store.
type memoryStore struct {
	mu       sync.Mutex
	byID     map[op.ID]*Operation
	identity map[string]op.ID // "": a tombstone
	history  map[op.ID][]Step
	sessions map[string]AgentSession
	broken   map[string]error // by method
	events   []op.ID
	commits  int // of operations: new ones and their steps
	asked    int // for sessions
	reads    int // of operations by id

	createTakes time.Duration

	refs     map[string]op.ID // by party and CallerRef
	usage    map[string]Used  // by key and period
	quotas   map[op.ID][]Quota
	earnings map[op.ID]Earning
	kyc      map[MerchantID]KYCState
}

func newMemoryStore() *memoryStore {
	return &memoryStore{byID: map[op.ID]*Operation{}, identity: map[string]op.ID{}, history: map[op.ID][]Step{},
		sessions: map[string]AgentSession{}, broken: map[string]error{},
		refs: map[string]op.ID{}, usage: map[string]Used{}, quotas: map[op.ID][]Quota{}, earnings: map[op.ID]Earning{}, kyc: map[MerchantID]KYCState{}}
}

func (l *memoryStore) fault(method string) error { return l.broken[method] }

func (l *memoryStore) Create(_ context.Context, o Operation, quotas []Quota) (Operation, bool, error) {
	l.mu.Lock()
	takes := l.createTakes
	l.mu.Unlock()
	time.Sleep(takes)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.fault("Create"); err != nil {
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
		return Operation{Caller: o.Caller, Identity: o.Identity, Tombstone: true}, false, nil
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
	o.Attempt = 1
	if refKnown {
		o.Attempt = l.byID[byRef].Attempt + 1
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
	if !identified || o.Kind == KindRefund { // the identity leads to the newest
		l.identity[key] = o.ID
	}
	l.byID[o.ID], l.quotas[o.ID] = &o, quotas
	l.history[o.ID] = []Step{{At: o.CreatedAt, To: op.Received}}
	if o.State == op.Sent {
		l.history[o.ID] = append(l.history[o.ID], Step{At: o.SentAt, From: op.Received, To: op.Sent})
	}
	l.commits++
	return o, true, nil
}

func (l *memoryStore) refundOf(original Reference) (op.ID, bool) {
	for id, o := range l.byID {
		if o.Kind == KindRefund && o.Original == original && o.State != op.Failed && o.State != op.Refused && o.State != op.Reversed {
			return id, true
		}
	}
	return "", false
}

// count adds quotas; sign -1 releases them.
func (l *memoryStore) count(quotas []Quota, sign int) {
	for _, q := range quotas {
		used := l.usage[q.Key+"|"+q.Period]
		l.usage[q.Key+"|"+q.Period] = Used{Count: used.Count + sign, Sum: used.Sum + money.Paise(sign)*q.Amount}
	}
}

// step is the conditional update of every change.
func (l *memoryStore) step(method string, id op.ID, to op.State, reason string, alter func(*Operation)) (Operation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.fault(method); err != nil {
		return Operation{}, err
	}
	o, ok := l.byID[id]
	if !ok {
		return Operation{}, ErrNotFound
	}
	if !CanTransition(o.State, to) {
		return Operation{}, ErrState
	}
	l.commits++
	l.history[id] = append(l.history[id], Step{At: time.Now(), From: o.State, To: to, Reason: reason})
	wasPending := o.State == op.Pending
	o.State = to
	alter(o)
	if wasPending && o.Terminal != "" {
		l.events = append(l.events, id)
	}
	return *o, nil
}

func (l *memoryStore) MarkSent(_ context.Context, x SentUpdate) error {
	_, err := l.step("MarkSent", x.ID, op.Sent, "", func(o *Operation) { o.SentAt, o.BankNotAfter = x.At, x.BankNotAfter })
	return err
}

func (l *memoryStore) MarkPending(_ context.Context, s PendingUpdate) (Operation, error) {
	return l.step("MarkPending", s.ID, op.Pending, s.Reason, func(o *Operation) {
		o.PendingReference, o.NextEnquiry = fmt.Sprint(s.Prefix, s.At.UnixMilli()), s.NextEnquiry
	})
}

func (l *memoryStore) Finish(_ context.Context, s FinalOutcome) (Operation, error) {
	return l.step("Finish", s.ID, s.To, s.Reason, func(o *Operation) {
		o.FinishedAt, o.Code, o.HTTP, o.Reply, o.Charge = s.At, s.Answer.Code, s.HTTP, s.Reply, s.Answer.Charge
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

func (l *memoryStore) Operation(_ context.Context, id op.ID) (Operation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	o, ok := l.byID[id]
	if !ok {
		return Operation{}, ErrNotFound
	}
	return *o, nil
}

func (l *memoryStore) ByIdentity(_ context.Context, caller, identity string) (Operation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, ok := l.identity[caller+"|"+identity]
	if !ok {
		return Operation{}, ErrNotFound
	}
	if id == "" {
		return Operation{Tombstone: true}, nil
	}
	return *l.byID[id], nil
}

func (l *memoryStore) ByReference(_ context.Context, party string, by ReferenceQuery) (Operation, error) {
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

func (l *memoryStore) RefundOf(_ context.Context, original Reference) (Operation, error) {
	return l.find(func(o *Operation) bool {
		return o.Kind == KindRefund && o.Original == original && o.State != op.Failed && o.State != op.Refused
	})
}

func (l *memoryStore) find(is func(*Operation) bool) (Operation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.byID {
		if is(o) {
			return *o, nil
		}
	}
	return Operation{}, ErrNotFound
}

func (l *memoryStore) FindOrTombstone(_ context.Context, caller, identity string, _ time.Time) (Operation, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, ok := l.identity[caller+"|"+identity]
	if !ok {
		l.identity[caller+"|"+identity] = ""
		return Operation{}, false, nil
	}
	if id == "" {
		return Operation{Tombstone: true}, true, nil
	}
	return *l.byID[id], true, nil
}

func (l *memoryStore) Unfinished(_ context.Context, q UnfinishedQuery) ([]Operation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Operation
	for _, o := range l.byID {
		if o.State == q.State && (q.Node == "" || o.Node == q.Node) && (q.Before.IsZero() || o.CreatedAt.Before(q.Before)) && oldestFirst(q.After, *o) < 0 {
			out = append(out, *o)
		}
	}
	slices.SortFunc(out, oldestFirst)
	return out[:min(len(out), q.Limit)], nil
}

func oldestFirst(a, b Operation) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

func (l *memoryStore) ClaimEnquiries(_ context.Context, now, until time.Time, limit int) ([]Operation, error) {
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

func (l *memoryStore) PostponeEnquiry(_ context.Context, id op.ID, at, next time.Time, _ string, stuck bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.byID[id]
	if o.State != op.Pending {
		return ErrState
	}
	o.Enquiries++
	o.NextEnquiry = next
	if stuck {
		o.StuckAt = at
	}
	return nil
}

func (l *memoryStore) History(_ context.Context, id op.ID) ([]Step, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.history[id], nil
}

func (l *memoryStore) Session(_ context.Context, tid string) (AgentSession, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	s, ok := l.sessions[tid]
	if !ok {
		return AgentSession{}, ErrNotFound
	}
	return s, nil
}

func (l *memoryStore) OpenSession(_ context.Context, s AgentSession) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions[s.TID] = s
	return nil
}

func (l *memoryStore) setBroken(method string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken[method] = err
}

func (b *fakeBank) count(kind Kind) int {
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

// fakeRenderer is a Renderer of short replies.
type fakeRenderer struct{}

func (fakeRenderer) FinalReply(_ Operation, to op.State, a BankAnswer) (int, []byte) {
	return 200, fmt.Appendf(nil, `{"state":%q,"code":%q}`, to, a.Code)
}

func (fakeRenderer) NotExecutedReply(_ Operation, why *Error) (int, []byte) {
	return 500, fmt.Appendf(nil, `{"fault":%q,"message":%q}`, why.Fault, why.Message)
}

// lockedRand is a seeded random source that many goroutines may read.
type lockedRand struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func (s *lockedRand) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Read(p)
}

// fakeTariff pays one rupee for every operation, unless it is broken.
type fakeTariff struct {
	mu     sync.Mutex
	broken error
	asked  int
}

func (f *fakeTariff) Earning(_ context.Context, o Operation, a BankAnswer, _ time.Time) (*Earning, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if f.broken != nil {
		return nil, f.broken
	}
	return &Earning{Merchant: o.Merchant, Amount: o.Amount, Charge: a.Charge, Commission: money.Rupee}, nil
}

func (f *fakeTariff) setBroken(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = err
}

// fixture is a running engine with its fakes.
type fixture struct {
	t      *testing.T
	engine *Engine
	store  *memoryStore
	bank   *fakeBank
	stop   func()
}

// start runs an engine on a store that may have been used before. It must run in a
// synctest bubble; stop it before the bubble ends.
func start(t *testing.T, store *memoryStore, bank *fakeBank, cfg EngineConfig) *fixture {
	t.Helper()
	return startAt(t, store, bank, bank, cfg)
}

// startAt is start with a bank that wraps the fakeBank.
func startAt(t *testing.T, store *memoryStore, bank Bank, fake *fakeBank, cfg EngineConfig) *fixture {
	t.Helper()
	return startOn(t, store, store, bank, fake, cfg)
}

// startOn is startAt with a store that wraps the memoryStore.
func startOn(t *testing.T, own EngineStore, store *memoryStore, bank Bank, fake *fakeBank, cfg EngineConfig) *fixture {
	t.Helper()
	cfg.Node = cmp.Or(cfg.Node, "node-1")
	seed := [32]byte{byte(len(store.byID)), cfg.Node[len(cfg.Node)-1] - '1'}
	cfg.Rand, cfg.Logger = &lockedRand{r: rand.NewChaCha8(seed)}, cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	e, err := NewEngine(own, bank, fakeRenderer{}, NewNotifier(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	synctest.Wait()
	return &fixture{t: t, engine: e, store: store, bank: fake, stop: func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
	}}
}

func withEngine(t *testing.T, test func(t *testing.T, d *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := start(t, newMemoryStore(), &fakeBank{executed: map[Reference]int{}}, EngineConfig{})
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

// transfer is a transfer of one merchant with a CallerRef.
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
		KYC:     &KYCStep{Service: ServiceAEPS, To: KYCInitialized},
		Request: BankRequest{Kind: KindInitialize},
	}
}

func (d *fixture) submit(s Submission) (Operation, bool, error) {
	return d.engine.Submit(d.t.Context(), s)
}

func (d *fixture) want(id op.ID, state op.State) Operation {
	d.t.Helper()
	o, err := d.store.Operation(d.t.Context(), id)
	if err != nil || o.State != state {
		d.t.Errorf("operation is %s, %v; want %s", o.State, err, state)
	}
	return o
}
