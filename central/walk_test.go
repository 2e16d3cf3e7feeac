package central

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// The random walk does to an engine everything that can happen, and then compares
// the store with the bank's records. The script is generated before the bubble
// begins, since rapid and synctest each need their own goroutine.

// act is one step of the script.
type act struct {
	Do       string // submit, consult, ask, sleep, restart, disk, tariff
	Identity int
	Ref      int // 0: none
	Body     int
	OTP      string
	Kind     Kind
	Bank     string // what the bank does with it
	Caller   string
	Seconds  int
	Break    string // method of the store; "" repairs all
}

func acts() *rapid.Generator[[]act] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) act {
		return act{
			Do:       rapid.SampledFrom([]string{"submit", "submit", "submit", "submit", "submit", "consult", "ask", "sleep", "restart", "disk", "tariff"}).Draw(t, "do"),
			Identity: rapid.IntRange(0, 5).Draw(t, "identity"),
			Ref:      rapid.IntRange(0, 3).Draw(t, "ref"),
			Body:     rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "body"),
			OTP:      rapid.SampledFrom([]string{"111111", "222222"}).Draw(t, "otp"),
			Kind:     rapid.SampledFrom([]Kind{KindWithdrawal, KindTransfer, KindTransfer, KindInitialize, KindAgentPAN, KindBeneficiaryAdd}).Draw(t, "kind"),
			Bank:     rapid.SampledFrom([]string{"approve", "approve", "decline", "wrong otp", "wrong otp", "in progress", "silent, executes", "silent", "unreachable", "panic"}).Draw(t, "bank"),
			Caller:   rapid.SampledFrom([]string{"merchant:m1", "terminal:t1"}).Draw(t, "caller"),
			Seconds:  rapid.SampledFrom([]int{0, 1, 20, 90}).Draw(t, "seconds"),
			Break:    rapid.SampledFrom([]string{"", "Create", "MarkSent", "Finish", "MarkPending"}).Draw(t, "break"),
		}
	}), 1, 25)
}

// walkRoutes is the route of each kind of the walk.
var walkRoutes = map[Kind]op.RouteID{
	KindWithdrawal: op.Withdrawal, KindTransfer: op.Transfer, KindInitialize: op.AgentInitialize,
	KindAgentPAN: op.AgentVerifyPAN, KindBeneficiaryAdd: op.BeneficiaryAdd,
}

const (
	walkMaxCount = 3
	walkMaxSum   = 3 * 340000
)

func (a act) submission() Submission {
	s := transfer(fmt.Sprintf("k%d", a.Identity), "")
	s.Caller, s.Route, s.Request.Kind = a.Caller, walkRoutes[a.Kind], a.Kind
	s.Fingerprint = [32]byte{byte(a.Body)}
	switch a.Kind {
	case KindTransfer:
		if a.Ref > 0 {
			s.CallerRef = fmt.Sprintf("ref-%d", a.Ref) // which is in the body
			s.Request.Particulars.CallerRef = s.CallerRef
			s.Request.OTP = secret.NewOTP(a.OTP)
			s.Fingerprint[1] = byte(a.Ref)
		}
		s.Quotas = []Quota{{Key: "remitter:s1", Period: "2000-01", Amount: s.Request.Amount, MaxCount: walkMaxCount, MaxSum: walkMaxSum}}
	case KindInitialize:
		s.KYC = &KYCStep{Service: ServiceAEPS, To: KYCInitialized}
	case KindAgentPAN:
		s.KYC = &KYCStep{Service: ServiceAEPS, To: KYCPANVerified}
	}
	return s
}

// walkBank does with a request what the script says, once.
type walkBank struct {
	*fakeBank
	mu     sync.Mutex
	script map[op.RouteID][]string // by kind of request, in order
	seen   map[Reference]int
	asked  map[Reference]int
}

func (b *walkBank) Enquire(ctx context.Context, r Reference) (BankAnswer, error) {
	b.mu.Lock()
	b.asked[r]++
	b.mu.Unlock()
	return b.fakeBank.Enquire(ctx, r)
}

func (b *walkBank) Send(ctx context.Context, r BankRequest) (BankAnswer, error) {
	b.mu.Lock()
	b.seen[r.Reference]++
	queue := b.script[walkRoutes[r.Kind]]
	what := "approve"
	if len(queue) > 0 {
		what, b.script[walkRoutes[r.Kind]] = queue[0], queue[1:]
	}
	b.mu.Unlock()
	b.record(r)
	switch what {
	case "decline":
		return BankAnswer{Status: BankDeclined, Code: "51"}, nil
	case "wrong otp":
		return BankAnswer{Status: BankDeclined, Code: "55", Refusal: RefusedOTP}, nil
	case "in progress":
		b.execute(r)
		return BankAnswer{Status: BankInProgress}, nil
	case "silent, executes":
		return b.silent(true)(ctx, r)
	case "silent":
		return b.silent(false)(ctx, r)
	case "unreachable":
		return BankAnswer{}, MarkNotSent(errors.New("connection refused"))
	case "panic":
		panic("adapter")
	}
	return b.execute(r), nil
}

// debits counts the executions under each caller's reference of a transfer.
func (b *walkBank) debits() map[string]int {
	n := map[string]int{}
	for _, r := range b.requests {
		if name := r.Particulars.CallerRef; name != "" {
			n[name] += b.executed[r.Reference]
		}
	}
	return n
}

// walk is the state of one walk, and the faults it found.
type walk struct {
	d       *fixture
	bank    *walkBank
	store   *memoryStore
	tariff  *fakeTariff
	replies map[op.ID]string // the first final reply
	wrong   []string
}

func (w *walk) say(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

func (w *walk) start(t *testing.T) {
	// Short leases and pauses keep the virtual time short.
	w.d = startAt(t, w.store, w.bank, w.bank.fakeBank, EngineConfig{Tariff: w.tariff, Enquiries: EnquiryConfig{Poll: 2 * time.Second, Max: time.Minute}})
}

func (w *walk) do(t *testing.T, a act) {
	switch a.Do {
	case "submit":
		w.submit(a)
	case "consult":
		if _, err := w.d.engine.Consult(t.Context(), BankRequest{Kind: KindTransferOTP}); err != nil {
			w.say("Consult = %v", err)
		}
	case "ask":
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_, _, _ = w.d.engine.FindOrTombstone(ctx, a.Caller, fmt.Sprintf("k%d", a.Identity))
	case "sleep":
		time.Sleep(time.Duration(a.Seconds) * time.Second)
	case "restart":
		w.d.stop()
		w.mend() // no node starts on a broken database
		w.start(t)
	case "disk":
		w.mend()
		if a.Break != "" {
			w.store.setBroken(a.Break, errors.New("disk full"))
		}
	case "tariff":
		w.tariff.setBroken(nil)
		if a.Body == 1 {
			w.tariff.setBroken(errors.New("slabs can't be read"))
		}
	}
}

func (w *walk) mend() {
	for _, method := range []string{"Create", "MarkSent", "Finish", "MarkPending"} {
		w.store.setBroken(method, nil)
	}
}

// submit submits with the script's time-out and compares the reply with earlier
// ones.
func (w *walk) submit(a act) {
	s := a.submission()
	w.bank.mu.Lock()
	w.bank.script[s.Route] = append(w.bank.script[s.Route], a.Bank)
	w.bank.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(a.Seconds)*time.Second+time.Millisecond)
	defer cancel()
	o, _, err := w.d.engine.Submit(ctx, s)
	if err != nil {
		switch f := AsError(err).Fault; f {
		case Conflict, FailedPrecondition:
		case Internal:
			if w.store.broken["Create"] == nil {
				w.say("Submit = %v", err)
			}
		default:
			w.say("Submit = %s: %v", f, err)
		}
		return
	}
	if o.Route != s.Route || o.Fingerprint != s.Fingerprint || o.CallerRef != s.CallerRef {
		w.say("answered with the record of another body: %s %q for %s %q", o.Route, o.CallerRef, s.Route, s.CallerRef)
	}
	if o.State.Final() {
		if first, ok := w.replies[o.ID]; ok && first != string(o.Reply) {
			w.say("reply changed from %s to %s", first, o.Reply)
		}
		w.replies[o.ID] = string(o.Reply)
	}
}

// waitUntilFinal waits until all operations are final.
func (w *walk) waitUntilFinal() {
	w.mend()
	w.tariff.setBroken(nil)
	time.Sleep(20 * time.Minute)
	w.d.stop()
}

// check compares the store with the bank's records.
func (w *walk) check() {
	refs := map[string]op.ID{}
	var held Used
	kyc := false
	owned := map[Reference]bool{}
	for id, o := range w.store.byID {
		owned[o.Reference] = true
		executed, sent := w.bank.executed[o.Reference], w.bank.seen[o.Reference]
		_, earned := w.store.earnings[id]
		succeeded := o.State == op.Succeeded
		if executed > 1 || sent > 1 {
			w.say("%s was sent %d times and executed %d times", id, sent, executed)
		}
		if !o.State.Final() {
			w.say("%s %s stays %s", o.Kind, id, o.State)
		}
		if o.Kind.IsLocal() && sent+executed+w.bank.asked[o.Reference] > 0 {
			w.say("local operation %s reached the bank", id)
		}
		if !o.Kind.IsLocal() && succeeded != (executed == 1) {
			w.say("%s %s is %s, executed %d times", o.Kind, id, o.State, executed)
		}
		if earned != (succeeded && !o.Kind.IsLocal()) {
			w.say("%s %s is %s, earned: %v", o.Kind, id, o.State, earned)
		}
		if reply, known := w.replies[id]; known && reply != string(o.Reply) {
			w.say("%s replied %s and has %s now", id, reply, o.Reply)
		}
		if o.CallerRef != "" {
			if other, twice := refs[o.CallerRef]; twice && !o.OTPRefused {
				w.say("%s and %s have the reference %s, and neither was refused for its OTP", id, other, o.CallerRef)
			}
			if !o.OTPRefused {
				refs[o.CallerRef] = id
			}
		}
		if o.Kind == KindTransfer && succeeded {
			held = Used{held.Count + 1, held.Sum + o.Amount}
		}
		kyc = kyc || succeeded && o.KYC != nil
	}
	if used := w.store.usage["remitter:s1|2000-01"]; used != held || used.Count > walkMaxCount || used.Sum > money.Paise(walkMaxSum) {
		w.say("the quota says %+v, the succeeded transfers %+v", used, held)
	}
	if kyc != (w.store.kyc["m1"] != "") {
		w.say("service KYC is %q, a step succeeded: %v", w.store.kyc["m1"], kyc)
	}
	for name, n := range w.bank.debits() {
		if n > 1 {
			w.say("the bank executed %d transfers under the name %s", n, name)
		}
	}
	for reference := range maps.Keys(w.bank.executed) {
		if w.bank.seen[reference] == 0 {
			w.say("the bank executed %s, which nobody sent", reference)
		}
		if !owned[reference] {
			w.say("the bank executed %s, which is no operation's", reference)
		}
	}
}

func TestRandomWalk(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		script := acts().Draw(rt, "script")
		w := &walk{
			bank:  &walkBank{fakeBank: &fakeBank{executed: map[Reference]int{}}, script: map[op.RouteID][]string{}, seen: map[Reference]int{}, asked: map[Reference]int{}},
			store: newMemoryStore(), tariff: &fakeTariff{}, replies: map[op.ID]string{},
		}
		synctest.Test(t, func(t *testing.T) {
			w.start(t)
			for _, a := range script {
				w.do(t, a)
			}
			w.waitUntilFinal()
			w.check()
		})
		for _, fault := range w.wrong {
			rt.Error(fault)
		}
	})
}
