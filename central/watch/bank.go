package watch

import (
	"context"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/trace"
)

// Ways to ask the bank, as metrics name them.
const (
	send    = "send"
	consult = "consult"
	enquire = "enquire"
)

// Results of asking that are no word of the bank's.
const (
	unsent     = "unsent"     // not one byte was written
	unanswered = "unanswered" // it may have been executed
)

// Bank wraps the upstream network.
func (w *Watch) Bank(next central.Bank) central.Bank { return &bank{next: next, watch: w} }

type bank struct {
	next  central.Bank
	watch *Watch
}

// Send implements central.Bank.
func (b *bank) Send(ctx context.Context, req central.BankRequest) (central.BankAnswer, error) {
	about := asking{call: send, kind: req.Kind, issuer: req.IIN, key: string(req.Reference), state: op.Dispatched}
	about.operation = b.watch.names.find(req.Reference)
	if req.InlineFor != "" { // an authentication within that operation, before it is dispatched
		about.operation, about.state = b.watch.names.find(req.InlineFor), op.Received
	}
	about.begun = time.Now()
	answer, err := b.next.Send(ctx, req)
	b.watch.asked(about, answer, err)
	return answer, err
}

// Consult implements central.Bank.
func (b *bank) Consult(ctx context.Context, req central.BankRequest) (central.BankAnswer, error) {
	about := asking{call: consult, kind: req.Kind, issuer: req.IIN, operation: from(ctx).trace, key: string(req.Reference), begun: time.Now()}
	answer, err := b.next.Consult(ctx, req)
	b.watch.asked(about, answer, err)
	return answer, err
}

// Enquire implements central.Bank.
func (b *bank) Enquire(ctx context.Context, ref central.Reference) (central.BankAnswer, error) {
	begun := time.Now()
	operation := b.watch.names.find(ref)
	answer, err := b.next.Enquire(ctx, ref)
	// Each enquiry is a span of its own, told apart by its moment.
	b.watch.asked(asking{
		call: enquire, operation: operation, key: begun.UTC().Format(time.RFC3339Nano), state: op.Pending, begun: begun,
	}, answer, err)
	return answer, err
}

// asking is one question to the bank.
type asking struct {
	call      string
	kind      central.Kind // of an enquiry: not known
	issuer    string
	operation op.ID
	key       string
	state     op.State // in which the operation is asked about; empty: it is none
	begun     time.Time
}

// asked counts a question to the bank.
func (w *Watch) asked(a asking, answer central.BankAnswer, err error) {
	end := time.Now()
	result := resultOf(answer, err)
	kind := kindOf(a.kind)
	w.bankCalls.WithLabelValues(a.call, kind, result).Inc()
	if result != unsent { // what was not sent says nothing about the bank's speed
		w.bankSeconds.WithLabelValues(a.call).Observe(since(a.begun, end))
	}
	if err == nil && a.call != enquire && answer.Code != "" {
		w.bankCodes.WithLabelValues(w.codes.of(answer.Code)).Inc()
	}
	if a.issuer != "" {
		issuer := w.issuers.of(a.issuer)
		w.issuerCalls.WithLabelValues(issuer, result).Inc()
		if result != unsent {
			w.issuerSeconds.WithLabelValues(issuer).Observe(since(a.begun, end))
		}
	}
	parent := trace.State
	if a.state == "" {
		parent = trace.Call
	}
	w.span(trace.Span{
		Operation: a.operation, Step: trace.Bank, Key: a.key, Parent: parent, ParentKey: string(a.state), Kind: trace.Client, Name: "bank " + a.call,
		Start: a.begun, End: end, Outcome: result, BankKind: kind, Code: answer.Code, Failed: err != nil,
	})
}

// resultOf is the bank's word as a label, or what stands in its place.
func resultOf(a central.BankAnswer, err error) string {
	switch {
	case central.NotSent(err):
		return unsent
	case err != nil:
		return unanswered
	}
	switch a.Status {
	case central.BankApproved:
		return "approved"
	case central.BankDeclined:
		return "declined"
	case central.BankInProgress:
		return "in-progress"
	case central.BankReversed:
		return "reversed"
	case central.BankNotFound:
		return "not-found"
	}
	return other
}

// kindOf is a kind as a label: the code names kinds in capitals and
// underscores; of an enquiry none is known.
func kindOf(k central.Kind) string {
	if k == "" {
		return "any"
	}
	for _, c := range k {
		if (c < 'A' || c > 'Z') && c != '_' {
			return other
		}
	}
	return string(k)
}
