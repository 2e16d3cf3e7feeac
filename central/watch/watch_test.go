package watch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"galla/central"
	"galla/shared/op"
	"galla/shared/trace"
)

// recorded keeps spans.
type recorded struct {
	mu    sync.Mutex
	spans []trace.Span
}

func (r *recorded) Record(s trace.Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spans = append(r.spans, s)
}

func newWatch(t *testing.T) (*Watch, *recorded) {
	t.Helper()
	spans := &recorded{}
	w, err := New(Config{Spans: spans, Node: "north"})
	if err != nil {
		t.Fatal(err)
	}
	return w, spans
}

// line is one operation's way through a watched central.
const line op.ID = "0192d3a0-7c1e-7b3a-8f4e-1a2b3c4d5e6f"

type dispatcher struct {
	central.Dispatcher
	do func(ctx context.Context, c central.Call) central.Reply
}

func (d dispatcher) Dispatch(ctx context.Context, c central.Call) central.Reply { return d.do(ctx, c) }

type store struct {
	central.EngineStore
	known   central.Operation
	isNew   bool
	settled central.Operation
	err     error
}

func (s store) Begin(context.Context, central.Operation, []central.Quota) (central.Operation, bool, error) {
	return s.known, s.isNew, s.err
}

func (s store) Settle(context.Context, central.Settlement) (central.Operation, error) {
	return s.settled, s.err
}

func (s store) Suspend(context.Context, central.Suspension) (central.Operation, error) {
	return s.settled, s.err
}

func (s store) Claim(context.Context, time.Time, time.Time, int) ([]central.Operation, error) {
	return []central.Operation{s.known}, s.err
}

type network struct {
	answer central.BankAnswer
	err    error
}

func (n network) Send(context.Context, central.BankRequest) (central.BankAnswer, error) {
	return n.answer, n.err
}

func (n network) Consult(context.Context, central.BankRequest) (central.BankAnswer, error) {
	return n.answer, n.err
}

func (n network) Enquire(context.Context, central.Reference) (central.BankAnswer, error) {
	return n.answer, n.err
}

func route(t *testing.T, id op.RouteID) op.Route {
	t.Helper()
	r, ok := op.Find(id)
	if !ok {
		t.Fatalf("no route %s", id)
	}
	return r
}

func TestCallsAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		reply   central.Reply
		outcome string
	}{
		"a success":         {central.Reply{HTTP: 200, State: op.Succeeded}, "succeeded"},
		"a pending":         {central.Reply{HTTP: 200, State: op.Pending}, "pending"},
		"under way":         {central.Reply{HTTP: 200, State: op.Dispatched}, "dispatched"},
		"an enquiry":        {central.Reply{HTTP: 200}, "answered"},
		"a wrong body":      {central.Reply{HTTP: 400}, "rejected"},
		"a fault":           {central.Reply{HTTP: 500}, "fault"},
		"a state of nobody": {central.Reply{HTTP: 200, State: "9123456789"}, "answered"},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := newWatch(t)
			told := op.ID("")
			d := w.Calls(Gateway, dispatcher{do: func(_ context.Context, call central.Call) central.Reply {
				call.Accepted(line)
				return c.reply
			}})
			got := d.Dispatch(t.Context(), central.Call{Route: route(t, op.Withdrawal), Accepted: func(id op.ID) { told = id }})
			if got.HTTP != c.reply.HTTP || told != line {
				t.Errorf("the reply is %+v, and told was %q", got, told)
			}
			if n := testutil.ToFloat64(w.calls.WithLabelValues("gateway", "POST /aeps/withdrawal", c.outcome)); n != 1 {
				t.Errorf("%s was counted %v times", c.outcome, n)
			}
		})
	}
}

// TestSpansOfAWithdrawal: the ids of an operation's spans hang together though
// nothing travels for it, and hold the times on record.
func TestSpansOfAWithdrawal(t *testing.T) {
	w, spans := newWatch(t)
	begun := time.UnixMilli(1_700_000_000_000)
	o := central.Operation{
		ID: line, Route: op.Withdrawal, Reference: "GL1", Kind: central.KindWithdrawal, Terminal: "T1",
		CreatedAt: begun, DispatchedAt: begun.Add(time.Second), PendingReference: "AEPS-NR-1700000003000", Code: "91",
	}
	steps := w.Steps(store{isNew: true, settled: o})
	bank := w.Bank(network{err: errors.New("silence")})
	d := w.Calls(Uplink, dispatcher{do: func(ctx context.Context, call central.Call) central.Reply {
		_, _, _ = steps.Begin(ctx, o, nil)
		call.Accepted(o.ID)
		_, _ = bank.Send(ctx, central.BankRequest{Reference: "GL1.auth", InlineFor: "GL1", Kind: central.KindAgentAuth, IIN: "990326"})
		_, _ = bank.Send(ctx, central.BankRequest{Reference: "GL1", Kind: o.Kind, IIN: "990326"})
		_, _ = steps.Suspend(ctx, central.Suspension{ID: o.ID, At: begun.Add(3 * time.Second)})
		return central.Reply{HTTP: 200, State: op.Pending}
	}})
	d.Dispatch(t.Context(), central.Call{Route: route(t, op.Withdrawal), ID: o.ID, RequestID: string(o.ID)})
	_, _ = bank.Enquire(t.Context(), "GL1")
	o.State = op.Reversed
	steps = w.Steps(store{settled: o})
	_, _ = steps.Settle(t.Context(), central.Settlement{ID: o.ID, To: op.Reversed, At: begun.Add(63 * time.Second)})

	var got []string
	for _, s := range spans.spans {
		if s.Operation != line || s.Node != "north" {
			t.Errorf("%+v is of another operation or node", s)
		}
		took := ""
		if s.Step == trace.State {
			took = " " + s.End.Sub(s.Start).String()
		}
		got = append(got, fmt.Sprintf("%s%s < %s %s", s.Name, took, s.Parent, s.ParentKey))
	}
	want := []string{
		"bank send < state received", "bank send < state dispatched", "received 1s < call ", "dispatched 2s < call ",
		"POST /aeps/withdrawal < line ", "bank enquire < state pending", "pending 1m0s < press ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the spans are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := testutil.ToFloat64(w.operations.WithLabelValues("POST /aeps/withdrawal", "pending")); n != 1 {
		t.Errorf("pending was counted %v times", n)
	}
	if n := testutil.CollectAndCount(w.stateSeconds); n != 3 {
		t.Errorf("times in %d states, want 3", n)
	}
}

// TestTheBankIsMeasured: what came of a call is told apart, and what was not
// sent says nothing about the bank's speed.
func TestTheBankIsMeasured(t *testing.T) {
	for result, n := range map[string]network{
		"approved":   {answer: central.BankAnswer{Status: central.BankApproved, Code: "00"}},
		"declined":   {answer: central.BankAnswer{Status: central.BankDeclined, Code: "51"}},
		"unanswered": {err: context.DeadlineExceeded},
		"unsent":     {err: central.MarkNotSent(errors.New("refused"))},
		"other":      {answer: central.BankAnswer{Status: "?"}},
	} {
		w, _ := newWatch(t)
		b := w.Bank(n)
		_, _ = b.Send(t.Context(), central.BankRequest{Kind: central.KindBalance, IIN: "990326"})
		_, _ = b.Consult(t.Context(), central.BankRequest{Kind: central.KindTransferOTP})
		_, _ = b.Enquire(t.Context(), "GL1")
		for _, labels := range [][]string{{"send", "BALANCE_ENQUIRY", result}, {"consult", "TRANSFER_OTP", result}, {"enquire", "any", result}} {
			if got := testutil.ToFloat64(w.bankCalls.WithLabelValues(labels...)); got != 1 {
				t.Errorf("%v was counted %v times", labels, got)
			}
		}
		want := 3
		if result == "unsent" {
			want = 0
		}
		if got := testutil.CollectAndCount(w.bankSeconds); got != want {
			t.Errorf("%s: %d calls were timed, want %d", result, got, want)
		}
		if got := testutil.ToFloat64(w.issuerCalls.WithLabelValues("990326", result)); got != 1 {
			t.Errorf("%s: the issuer was counted %v times", result, got)
		}
	}
}

// mostSeries is what one node may export by this room at the very most, with
// every route called by every door: some 20,000 is what a small Prometheus
// takes of a target without a thought.
const mostSeries = 20_000

// TestCardinalityIsBounded: whatever callers, terminals and the bank send, the
// number of series stays within its bound, and what they send stands in none.
func TestCardinalityIsBounded(t *testing.T) {
	w, _ := newWatch(t)
	const secretive = "499118665246"
	for i := range 3000 {
		odd := fmt.Sprint(secretive, i)
		b := w.Bank(network{answer: central.BankAnswer{Status: central.BankStatus(odd), Code: odd}})
		_, _ = b.Send(t.Context(), central.BankRequest{Kind: central.Kind(odd), IIN: odd, Reference: central.Reference(odd)})
		b = w.Bank(network{answer: central.BankAnswer{Status: central.BankApproved, Code: fmt.Sprintf("%c%c", 'A'+i%26, 'A'+i/26%26)}})
		_, _ = b.Send(t.Context(), central.BankRequest{Kind: central.KindBalance, IIN: fmt.Sprintf("%06d", 600000+i)})
		steps := w.Steps(store{isNew: true, settled: central.Operation{Route: op.RouteID(odd), State: op.State(odd)}})
		_, _, _ = steps.Begin(t.Context(), central.Operation{ID: op.ID(odd), Reference: central.Reference(odd)}, nil)
		_, _ = steps.Settle(t.Context(), central.Settlement{To: op.Succeeded})
	}
	if n := len(w.names.of); n > maxNames {
		t.Errorf("%d references are remembered", n)
	}
	states := []op.State{op.Received, op.Dispatched, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused, ""}
	for _, door := range []Door{Direct, Gateway, Uplink} {
		for _, r := range append(op.Table(), op.Route{ID: secretive}) {
			for _, state := range states {
				d := w.Calls(door, dispatcher{do: func(context.Context, central.Call) central.Reply { return central.Reply{HTTP: 200, State: state} }})
				d.Dispatch(t.Context(), central.Call{Route: r, RequestID: secretive})
				s := w.Steps(store{settled: central.Operation{Route: r.ID, PendingReference: "DMT-NR-1700000003000"}})
				_, _ = s.Settle(t.Context(), central.Settlement{To: state})
			}
		}
	}
	families, err := w.Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	series := 0
	for _, f := range families {
		for _, m := range f.GetMetric() {
			series += 1 + len(m.GetHistogram().GetBucket())
			for _, l := range m.GetLabel() {
				if strings.Contains(l.GetValue(), secretive) {
					t.Errorf("%s has a label with a foreign value: %s", f.GetName(), l)
				}
			}
		}
	}
	t.Logf("%d series in %d families at the most", series, len(families))
	if series > mostSeries {
		t.Errorf("%d series, want at most %d", series, mostSeries)
	}
	if n := testutil.CollectAndCount(w.bankCodes); n > maxCodes+1 {
		t.Errorf("%d codes are told apart", n)
	}
	if n := testutil.CollectAndCount(w.issuerSeconds); n > maxIssuers+1 {
		t.Errorf("%d issuers are told apart", n)
	}
}

// TestWatchingChangesNothing: errors and results are handed on as they came,
// and what failed moves no count of operations.
func TestWatchingChangesNothing(t *testing.T) {
	w, spans := newWatch(t)
	broken := errors.New("the disk is full")
	s := w.Steps(store{err: broken, settled: central.Operation{ID: line, Route: op.Balance}})
	if _, err := s.Settle(t.Context(), central.Settlement{To: op.Failed}); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := s.Suspend(t.Context(), central.Suspension{}); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, _, err := s.Begin(t.Context(), central.Operation{Reference: "GL7", ID: line}, nil); !errors.Is(err, broken) {
		t.Error(err)
	}
	if n := testutil.CollectAndCount(w.operations); n != 0 || len(spans.spans) != 0 || w.names.find("GL7") != "" {
		t.Errorf("%d counts, %d spans", n, len(spans.spans))
	}
	unsent := central.MarkNotSent(broken)
	if _, err := w.Bank(network{err: unsent}).Send(t.Context(), central.BankRequest{}); !central.NotSent(err) {
		t.Error("what was not sent looks as if it had been")
	}
}
