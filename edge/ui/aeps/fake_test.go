package aeps

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/api"
	"galla/edge/ui/uitest"
	"galla/edge/users"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/printable"
	"galla/shared/secret"
)

const (
	rightPIN        = "2580"
	initialPINValue = "7391"
)

// fakeNow is the fake counter's clock: 21 November 2026, 10:14 in India.
var fakeNow = time.Date(2026, 11, 21, 4, 44, 0, 0, time.UTC)

// fake is a counter whose operations the test moves. It checks drafts as the real one
// does.
type fake struct {
	uitest.NoPayments
	mu       sync.Mutex
	status   edge.Status
	ops      map[op.ID]*edge.View
	order    []op.ID
	banks    []edge.Bank
	watchers map[chan struct{}]bool
	revision uint64
	drafts   []edge.Request
	captures map[op.ID]int
	wrong    int
	others   []edge.User // beside the agent
	until    map[string]time.Time
	initial  map[string]bool // users with an initial PIN (givenPIN) of an owner
	refuse   error           // error of CreateAEPS and CreateAuthentication
	broken   error           // error of every read and write
	listed   int             // operations that lists gave
}

func newFake() *fake {
	f := &fake{ops: map[op.ID]*edge.View{}, watchers: map[chan struct{}]bool{}, captures: map[op.ID]int{}, until: map[string]time.Time{}}
	f.status = edge.Status{
		Link:    edge.LinkState{Online: true, Since: fakeNow.Add(-time.Hour)},
		Reader:  edge.ReaderState{Status: "READY", Name: "Mantra MFS110"},
		Session: edge.SessionState{Known: true, Active: true, ExpiresAt: fakeNow.Add(19*time.Hour + 12*time.Minute)},
		Agent:   "Fatima", Merchant: "Lakshmi Kirana Store", TID: "GAL00001", Now: fakeNow,
	}
	for _, b := range [][2]string{
		{"607153", "Axis Bank"}, {"606985", "Bank of Baroda"}, {"508505", "Bank of India"}, {"607396", "Canara Bank"},
		{"607264", "Central Bank of India"}, {"607152", "HDFC Bank"}, {"508534", "ICICI Bank"}, {"607126", "Indian Overseas Bank"},
		{"608314", "India Post Payments Bank"}, {"607027", "Punjab National Bank"}, {"990326", "Sandbox Test Bank"},
		{"607094", "State Bank of India"}, {"607161", "Union Bank of India"},
	} {
		f.banks = append(f.banks, edge.Bank{IIN: b[0], Name: b[1]})
	}
	for i := range 90 {
		f.banks = append(f.banks, edge.Bank{IIN: "9901" + string(rune('0'+i/10)) + string(rune('0'+i%10)), Name: "Grameen Co-operative Bank No. " + string(rune('A'+i%26)) + string(rune('A'+i/26))})
	}
	return f
}

func (f *fake) notify() {
	f.revision++
	for ch := range f.watchers {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// change changes the counter's state, and notifies.
func (f *fake) change(alter func(*edge.Status)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	alter(&f.status)
	f.notify()
}

// move changes an operation, and notifies.
func (f *fake) move(id op.ID, alter func(*edge.View)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changeRecord(id, alter)
}

func (f *fake) changeRecord(id op.ID, alter func(*edge.View)) {
	v := f.ops[id]
	alter(v)
	v.Stage = map[op.State]edge.Stage{op.Queued: edge.StageSending, op.Sent: edge.StageSending, op.Accepted: edge.StageBank, op.Unknown: edge.StageAsking}[v.State]
	if v.State == op.Reserved {
		v.Stage = edge.StageReady
	}
	if v.State.Final() {
		v.EndedAt = f.status.Now
	}
	f.count()
	f.notify()
}

func (f *fake) count() {
	f.status.Unresolved, f.status.OpenCash = 0, nil
	for _, id := range f.order {
		v := f.ops[id]
		if v.Cash().IsOpen() {
			f.status.OpenCash = append(f.status.OpenCash, v.Record)
		}
		if !v.State.Final() && !v.Volatile {
			f.status.Unresolved++
		}
	}
}

// add adds an operation.
func (f *fake) add(v edge.View) op.ID {
	id, err := op.NewID(rand.Reader)
	if err != nil {
		panic(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	v.ID = id
	r, _ := op.Find(v.Route)
	v.Class = r.Class
	f.ops[id] = &v
	f.order = append(f.order, id)
	f.changeRecord(id, func(v *edge.View) {
		if v.CreatedAt.IsZero() {
			v.CreatedAt = f.status.Now
		}
	})
	return id
}

// latest is the id of the last operation.
func (f *fake) latest(t testing.TB) op.ID {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.order) == 0 {
		t.Fatal("no operation was begun")
	}
	return f.order[len(f.order)-1]
}

func (f *fake) begun() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.order)
}

func (f *fake) Status() edge.Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

func (f *fake) Revision() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.revision
}

func (f *fake) Subscribe() (<-chan struct{}, func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ch := make(chan struct{}, 1)
	f.watchers[ch] = true
	return ch, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watchers, ch)
	}
}

func (f *fake) watching() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.watchers)
}

// Validate checks what the counter checks of an AEPS transaction.
func (f *fake) Validate(d edge.Request) error {
	var wrong []string
	if d.Aadhaar.IsZero() {
		wrong = append(wrong, "aadhaar")
	}
	if !api.IsName(d.Customer, printable.MaxName) {
		wrong = append(wrong, "customer")
	}
	if f.bankName(d.IIN) == "" {
		wrong = append(wrong, "iin")
	}
	if moves := d.Route == op.Withdrawal || d.Route == op.Purchase; moves && !f.Bounds(d.Route).Allow(d.Amount) {
		wrong = append(wrong, "amount")
	}
	if d.Consent == "" {
		wrong = append(wrong, "consent")
	}
	if wrong != nil {
		return &edge.ValidationError{Fields: wrong}
	}
	return nil
}

func (f *fake) bankName(iin string) string {
	for _, b := range f.banks {
		if b.IIN == iin {
			return b.Name
		}
	}
	return ""
}

func (f *fake) Start(d edge.Request) (edge.View, error) {
	if f.refuse != nil {
		return edge.View{}, f.refuse
	}
	if d.Route == op.ReqAuth {
		id := f.add(edge.View{Volatile: true, Record: edge.Record{
			Route: op.ReqAuth, State: op.Reserved, User: d.User, UserID: d.UserID, Customer: d.User, Aadhaar: secret.MaskAadhaar(uitest.AgentAadhaar),
		}})
		return f.Operation(id)
	}
	if d.Route == op.ReceiptMessage {
		return f.startMessage(d)
	}
	if err := f.Validate(d); err != nil {
		return edge.View{}, err
	}
	f.mu.Lock()
	f.drafts = append(f.drafts, d)
	f.mu.Unlock()
	id := f.add(edge.View{Record: edge.Record{
		Route: d.Route, State: op.Reserved, User: d.User, UserID: d.UserID, Customer: d.Customer, Aadhaar: d.Aadhaar.Masked(),
		IIN: d.IIN, BankName: f.bankName(d.IIN), Amount: d.Amount, Consent: d.Consent, Body: []byte(`{"AadharNo":"` + d.Aadhaar.Reveal() + `"}`),
	}})
	return f.Operation(id)
}

// startMessage takes an SMS with a receipt while the counter is online.
func (f *fake) startMessage(d edge.Request) (edge.View, error) {
	if !f.Status().Link.Online {
		return edge.View{}, &edge.PreconditionError{Code: edge.PreconditionLink}
	}
	f.mu.Lock()
	f.drafts = append(f.drafts, d)
	f.mu.Unlock()
	fields, err := api.ParseFields(d.Fields)
	if err != nil {
		return edge.View{}, err
	}
	id := f.add(edge.View{Record: edge.Record{
		Route: d.Route, State: op.Queued, User: d.User, UserID: d.UserID, Title: d.Title, LinkedTo: op.ID(fields.Text("id")), Body: d.Fields,
	}})
	return f.Operation(id)
}

func (f *fake) Bounds(op.RouteID) edge.Bounds {
	return edge.Bounds{Min: money.Rupee, Max: 10_000 * money.Rupee}
}

func (f *fake) Capture(id op.ID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.ops[id]
	if v == nil {
		return edge.ErrNotFound
	}
	f.captures[id]++
	if v.State == op.Reserved {
		v.Stage, v.Problem = edge.StageCapturing, nil
		f.notify()
	}
	return nil
}

func (f *fake) Cancel(id op.ID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.ops[id]
	switch {
	case v == nil:
		return edge.ErrNotFound
	case v.State == op.Expired:
		return nil
	case v.State != op.Reserved && v.State != op.Queued:
		return edge.ErrIllegal
	}
	f.changeRecord(id, func(v *edge.View) {
		v.State, v.Reason = op.Expired, edge.ReasonCancelled
	})
	return nil
}

func (f *fake) Operation(id op.ID) (edge.View, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != nil {
		return edge.View{}, f.broken
	}
	v := f.ops[id]
	if v == nil {
		return edge.View{}, edge.ErrNotFound
	}
	return *v, nil
}

func (f *fake) Recent(before op.ID, limit int) ([]edge.View, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != nil {
		return nil, f.broken
	}
	var out []edge.View
	for _, id := range slices.Backward(f.order) {
		if (before == "" || id < before) && len(out) < limit {
			out = append(out, *f.ops[id])
		}
	}
	f.listed += len(out)
	return out, nil
}

// Enquiries returns all operations: they are in memory only.
func (f *fake) Enquiries() []edge.View {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []edge.View
	for _, id := range slices.Backward(f.order) {
		out = append(out, *f.ops[id])
	}
	return out
}

func (f *fake) Unfinished() ([]edge.View, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != nil {
		return nil, f.broken
	}
	var out []edge.View
	for _, id := range slices.Backward(f.order) {
		if !f.ops[id].State.Final() {
			out = append(out, *f.ops[id])
		}
	}
	f.listed += len(out)
	return out, nil
}

func (f *fake) ConfirmCash(id op.ID, operator edge.User) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.ops[id]
	switch {
	case v == nil:
		return edge.ErrNotFound
	case f.broken != nil:
		return f.broken
	case v.Cash() == edge.CashGiven:
	case !v.Cash().IsOpen() || v.Cash() == edge.CashReversed:
		return edge.ErrIllegal
	default:
		v.CashGivenAt, v.CashBy, v.CashByID = f.status.Now.Add(time.Minute), operator.Name, operator.ID
		f.count()
		f.notify()
	}
	return nil
}

func (f *fake) AnswerCash(id op.ID, operator edge.User, answer edge.CashState) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.ops[id]
	from := map[edge.CashState]edge.CashState{edge.CashNotGiven: edge.CashDue, edge.CashAcknowledged: edge.CashReversed}[answer]
	switch {
	case v == nil:
		return edge.ErrNotFound
	case f.broken != nil:
		return f.broken
	case v.Cash() == answer:
	case from == edge.CashNone || v.Cash() != from:
		return edge.ErrIllegal
	default:
		v.CashBy, v.CashByID = operator.Name, operator.ID
		f.count()
		f.notify()
	}
	return nil
}

// MessagesOf returns the messages with a receipt, newest first.
func (f *fake) MessagesOf(receipt op.ID) (out []edge.View) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range slices.Backward(f.order) {
		if v := f.ops[id]; v.IsMessage() && v.LinkedTo == receipt {
			out = append(out, *v)
		}
	}
	return out
}

func (f *fake) Banks() ([]edge.Bank, time.Time) { return f.banks, fakeNow.Add(-26 * time.Hour) }

func (f *fake) EnabledUsers(context.Context) []edge.User {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := append([]edge.User{{ID: edge.AgentID, Name: "Fatima", Role: edge.RoleOwner}}, f.others...)
	for i := range out {
		out[i].Wait = max(time.Until(f.until[out[i].ID]), 0)
	}
	return out
}

func (f *fake) CheckPIN(_ context.Context, operator string, pin secret.OTP) (edge.User, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if operator == edge.AgentID && pin.Equal(secret.NewOTP(rightPIN)) {
		f.wrong = 0
		return edge.User{ID: edge.AgentID, Name: "Fatima", Role: edge.RoleOwner}, nil
	}
	for _, o := range f.others {
		switch {
		case operator != o.ID:
		case f.initial[o.ID] && pin.Equal(secret.NewOTP(initialPINValue)):
			return o, users.ErrPINMustChange
		case !f.initial[o.ID] && pin.Equal(secret.NewOTP(rightPIN)):
			return o, nil
		}
	}
	f.wrong++
	if f.wrong >= 5 {
		wait := 30 * time.Second << (f.wrong - 5)
		f.until[operator] = time.Now().Add(wait)
		return edge.User{}, &edge.PINError{Wait: wait}
	}
	return edge.User{}, &edge.PINError{TriesLeft: 5 - f.wrong}
}

// ChangePIN replaces an initial PIN by rightPIN.
func (f *fake) ChangePIN(_ context.Context, operator string, old, pin secret.OTP) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case pin.Equal(old):
		return users.ErrPINSame
	case !f.initial[operator] || !old.Equal(secret.NewOTP(initialPINValue)) || !pin.Equal(secret.NewOTP(rightPIN)):
		return &edge.PINError{TriesLeft: 4}
	}
	delete(f.initial, operator)
	return nil
}

// PaymentsOf implements the customer's screen's Counter: there are none.
func (f *fake) PaymentsOf(string) []edge.Record { return nil }

// Payments implements the customer's screen's Counter: there are none.
func (f *fake) Payments(int) []edge.Record { return nil }
