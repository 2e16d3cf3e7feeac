package telemetry

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
	"galla/shared/telemetry"
)

// recorded records spans.
type recorded struct {
	mu    sync.Mutex
	spans []telemetry.Span
}

func (r *recorded) Record(s telemetry.Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spans = append(r.spans, s)
}

func newMetrics(t *testing.T) (*Metrics, *recorded) {
	t.Helper()
	spans := &recorded{}
	w, err := New(Config{Spans: spans, Node: "north"})
	if err != nil {
		t.Fatal(err)
	}
	return w, spans
}

// operationID is the operation of these tests.
const operationID op.ID = "0192d3a0-7c1e-7b3a-8f4e-1a2b3c4d5e6f"

type stubHandler struct {
	central.Handler
	do func(ctx context.Context, c central.Request) central.Reply
}

func (d stubHandler) Handle(ctx context.Context, c central.Request) central.Reply {
	return d.do(ctx, c)
}

type store struct {
	central.EngineStore
	known    central.Operation
	isNew    bool
	finished central.Operation
	err      error
}

func (s store) Create(context.Context, central.Operation, []central.Quota) (central.Operation, bool, error) {
	return s.known, s.isNew, s.err
}

func (s store) Finish(context.Context, central.FinalOutcome) (central.Operation, error) {
	return s.finished, s.err
}

func (s store) MarkPending(context.Context, central.PendingUpdate) (central.Operation, error) {
	return s.finished, s.err
}

func (s store) ClaimEnquiries(context.Context, time.Time, time.Time, int) ([]central.Operation, error) {
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

func TestRequestsAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		reply   central.Reply
		outcome string
	}{
		"a success":        {central.Reply{HTTP: 200, State: op.Succeeded}, "succeeded"},
		"a pending":        {central.Reply{HTTP: 200, State: op.Pending}, "pending"},
		"under way":        {central.Reply{HTTP: 200, State: op.Sent}, string(op.Sent)},
		"an enquiry":       {central.Reply{HTTP: 200}, "answered"},
		"a wrong body":     {central.Reply{HTTP: 400}, "rejected"},
		"a fault":          {central.Reply{HTTP: 500}, "fault"},
		"an unknown state": {central.Reply{HTTP: 200, State: "9123456789"}, "answered"},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := newMetrics(t)
			accepted := op.ID("")
			d := w.WrapHandler(Gateway, stubHandler{do: func(_ context.Context, call central.Request) central.Reply {
				call.OnAccepted(operationID)
				return c.reply
			}})
			got := d.Handle(t.Context(), central.Request{Route: route(t, op.Withdrawal), OnAccepted: func(id op.ID) { accepted = id }})
			if got.HTTP != c.reply.HTTP || accepted != operationID {
				t.Errorf("the reply is %+v, and OnAccepted got %q", got, accepted)
			}
			if n := testutil.ToFloat64(w.requests.WithLabelValues("gateway", "POST /aeps/withdrawal", c.outcome)); n != 1 {
				t.Errorf("%s was counted %v times", c.outcome, n)
			}
		})
	}
}

// TestSpansOfAWithdrawal: the spans of an operation have the right parents without any
// trace header, and the recorded times.
func TestSpansOfAWithdrawal(t *testing.T) {
	w, spans := newMetrics(t)
	begun := time.UnixMilli(1_700_000_000_000)
	o := central.Operation{
		ID: operationID, Route: op.Withdrawal, Reference: "GL1", Kind: central.KindWithdrawal, Terminal: "T1",
		CreatedAt: begun, SentAt: begun.Add(time.Second), PendingReference: "AEPS-NR-1700000003000", Code: "91",
	}
	steps := w.WrapStore(store{isNew: true, finished: o})
	bank := w.WrapBank(network{err: errors.New("silence")})
	d := w.WrapHandler(Uplink, stubHandler{do: func(ctx context.Context, call central.Request) central.Reply {
		_, _, _ = steps.Create(ctx, o, nil)
		call.OnAccepted(o.ID)
		_, _ = bank.Send(ctx, central.BankRequest{Reference: "GL1.auth", InlineFor: "GL1", Kind: central.KindAgentAuth, IIN: "990326"})
		_, _ = bank.Send(ctx, central.BankRequest{Reference: "GL1", Kind: o.Kind, IIN: "990326"})
		_, _ = steps.MarkPending(ctx, central.PendingUpdate{ID: o.ID, At: begun.Add(3 * time.Second)})
		return central.Reply{HTTP: 200, State: op.Pending}
	}})
	d.Handle(t.Context(), central.Request{Route: route(t, op.Withdrawal), ID: o.ID, RequestID: string(o.ID)})
	_, _ = bank.Enquire(t.Context(), "GL1")
	o.State = op.Reversed
	steps = w.WrapStore(store{finished: o})
	_, _ = steps.Finish(t.Context(), central.FinalOutcome{ID: o.ID, To: op.Reversed, At: begun.Add(63 * time.Second)})

	var got []string
	for _, s := range spans.spans {
		if s.Operation != operationID || s.Node != "north" {
			t.Errorf("%+v is of another operation or node", s)
		}
		took := ""
		if s.Step == telemetry.State {
			took = " " + s.End.Sub(s.Start).String()
		}
		got = append(got, fmt.Sprintf("%s%s < %s %s", s.Name, took, s.Parent, s.ParentKey))
	}
	want := []string{
		"bank send < state received", "bank send < state " + string(op.Sent), "received 1s < call ", string(op.Sent) + " 2s < call ",
		"POST /aeps/withdrawal < uplink ", "bank enquire < state pending", "pending 1m0s < press ",
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

// TestTheBankIsMeasured: requests are counted by result, and an unsent request is not
// timed.
func TestTheBankIsMeasured(t *testing.T) {
	for result, n := range map[string]network{
		"approved":   {answer: central.BankAnswer{Status: central.BankApproved, Code: "00"}},
		"declined":   {answer: central.BankAnswer{Status: central.BankDeclined, Code: "51"}},
		"unanswered": {err: context.DeadlineExceeded},
		"unsent":     {err: central.MarkNotSent(errors.New("refused"))},
		"other":      {answer: central.BankAnswer{Status: "?"}},
	} {
		w, _ := newMetrics(t)
		b := w.WrapBank(n)
		_, _ = b.Send(t.Context(), central.BankRequest{Kind: central.KindBalance, IIN: "990326"})
		_, _ = b.Consult(t.Context(), central.BankRequest{Kind: central.KindTransferOTP})
		_, _ = b.Enquire(t.Context(), "GL1")
		for _, labels := range [][]string{{"send", "BALANCE_ENQUIRY", result}, {"consult", "TRANSFER_OTP", result}, {"enquire", "any", result}} {
			if got := testutil.ToFloat64(w.bankRequests.WithLabelValues(labels...)); got != 1 {
				t.Errorf("%v was counted %v times", labels, got)
			}
		}
		want := 3
		if result == "unsent" {
			want = 0
		}
		if got := testutil.CollectAndCount(w.bankSeconds); got != want {
			t.Errorf("%s: %d requests were timed, want %d", result, got, want)
		}
		if got := testutil.ToFloat64(w.issuerRequests.WithLabelValues("990326", result)); got != 1 {
			t.Errorf("%s: the issuer was counted %v times", result, got)
		}
	}
}

// maxSeries bounds what this package exports on one node when every route is requested
// by every entrance. A small Prometheus scrapes 20,000 series of a target with ease.
const maxSeries = 20_000

// TestCardinalityIsBounded: whatever callers, terminals and the bank send, the
// number of series stays within its bound, and no label holds their text.
func TestCardinalityIsBounded(t *testing.T) {
	w, _ := newMetrics(t)
	const secretive = "499118665246"
	for i := range 3000 {
		odd := fmt.Sprint(secretive, i)
		b := w.WrapBank(network{answer: central.BankAnswer{Status: central.BankStatus(odd), Code: odd}})
		_, _ = b.Send(t.Context(), central.BankRequest{Kind: central.Kind(odd), IIN: odd, Reference: central.Reference(odd)})
		b = w.WrapBank(network{answer: central.BankAnswer{Status: central.BankApproved, Code: fmt.Sprintf("%c%c", 'A'+i%26, 'A'+i/26%26)}})
		_, _ = b.Send(t.Context(), central.BankRequest{Kind: central.KindBalance, IIN: fmt.Sprintf("%06d", 600000+i)})
		steps := w.WrapStore(store{isNew: true, finished: central.Operation{Route: op.RouteID(odd), State: op.State(odd)}})
		_, _, _ = steps.Create(t.Context(), central.Operation{ID: op.ID(odd), Reference: central.Reference(odd)}, nil)
		_, _ = steps.Finish(t.Context(), central.FinalOutcome{To: op.Succeeded})
	}
	if n := len(w.references.ids); n > maxReferences {
		t.Errorf("%d references are remembered", n)
	}
	states := []op.State{op.Received, op.Sent, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused, ""}
	for _, entrance := range []Entrance{Direct, Gateway, Uplink} {
		for _, r := range append(op.Table(), op.Route{ID: secretive}) {
			for _, state := range states {
				d := w.WrapHandler(entrance, stubHandler{do: func(context.Context, central.Request) central.Reply { return central.Reply{HTTP: 200, State: state} }})
				d.Handle(t.Context(), central.Request{Route: r, RequestID: secretive})
				s := w.WrapStore(store{finished: central.Operation{Route: r.ID, PendingReference: "DMT-NR-1700000003000"}})
				_, _ = s.Finish(t.Context(), central.FinalOutcome{To: state})
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
	t.Logf("%d series at most, in %d families", series, len(families))
	if series > maxSeries {
		t.Errorf("%d series, want at most %d", series, maxSeries)
	}
	if n := testutil.CollectAndCount(w.bankCodes); n > maxCodes+1 {
		t.Errorf("%d codes have series", n)
	}
	if n := testutil.CollectAndCount(w.issuerSeconds); n > maxIssuers+1 {
		t.Errorf("%d issuers have series", n)
	}
}

// TestMeasuringChangesNothing: errors and results are returned unchanged, and a failed
// step is not counted.
func TestMeasuringChangesNothing(t *testing.T) {
	w, spans := newMetrics(t)
	broken := errors.New("the disk is full")
	s := w.WrapStore(store{err: broken, finished: central.Operation{ID: operationID, Route: op.Balance}})
	if _, err := s.Finish(t.Context(), central.FinalOutcome{To: op.Failed}); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := s.MarkPending(t.Context(), central.PendingUpdate{}); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, _, err := s.Create(t.Context(), central.Operation{Reference: "GL7", ID: operationID}, nil); !errors.Is(err, broken) {
		t.Error(err)
	}
	if n := testutil.CollectAndCount(w.operations); n != 0 || len(spans.spans) != 0 || w.references.find("GL7") != "" {
		t.Errorf("%d counts, %d spans", n, len(spans.spans))
	}
	unsent := central.MarkNotSent(broken)
	if _, err := w.WrapBank(network{err: unsent}).Send(t.Context(), central.BankRequest{}); !central.NotSent(err) {
		t.Error("the error of an unsent request no longer says so")
	}
}
