package telemetry

import (
	"context"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/telemetry"
)

// Methods of central.Bank, as metrics name them.
const (
	send    = "send"
	consult = "consult"
	enquire = "enquire"
)

// Results without an answer of the bank.
const (
	unsent     = "unsent"     // not one byte was written
	unanswered = "unanswered" // it may have been executed
)

// WrapBank measures requests to the bank network.
func (w *Metrics) WrapBank(next central.Bank) central.Bank {
	return &meteredBank{next: next, metrics: w}
}

type meteredBank struct {
	next    central.Bank
	metrics *Metrics
}

// Send measures central.Bank.Send.
func (b *meteredBank) Send(ctx context.Context, req central.BankRequest) (central.BankAnswer, error) {
	about := bankRequest{method: send, kind: req.Kind, issuer: req.IIN, key: string(req.Reference), state: op.Sent}
	about.operation = b.metrics.references.find(req.Reference)
	if req.InlineFor != "" { // the agent's authentication for that operation, before it is sent
		about.operation, about.state = b.metrics.references.find(req.InlineFor), op.Received
	}
	about.begun = time.Now()
	answer, err := b.next.Send(ctx, req)
	b.metrics.countBankRequest(about, answer, err)
	return answer, err
}

// Consult measures central.Bank.Consult.
func (b *meteredBank) Consult(ctx context.Context, req central.BankRequest) (central.BankAnswer, error) {
	about := bankRequest{method: consult, kind: req.Kind, issuer: req.IIN, operation: logScopeOf(ctx).trace, key: string(req.Reference), begun: time.Now()}
	answer, err := b.next.Consult(ctx, req)
	b.metrics.countBankRequest(about, answer, err)
	return answer, err
}

// Enquire measures central.Bank.Enquire.
func (b *meteredBank) Enquire(ctx context.Context, ref central.Reference) (central.BankAnswer, error) {
	begun := time.Now()
	operation := b.metrics.references.find(ref)
	answer, err := b.next.Enquire(ctx, ref)
	// Each enquiry is a span of its own: its time is the span's key.
	b.metrics.countBankRequest(bankRequest{
		method: enquire, operation: operation, key: begun.UTC().Format(time.RFC3339Nano), state: op.Pending, begun: begun,
	}, answer, err)
	return answer, err
}

// bankRequest is one request to the bank.
type bankRequest struct {
	method    string
	kind      central.Kind // empty: an enquiry, whose kind is not known
	issuer    string
	operation op.ID
	key       string
	state     op.State // of the operation; empty: the request belongs to no operation
	begun     time.Time
}

// countBankRequest counts a request to the bank.
func (w *Metrics) countBankRequest(a bankRequest, answer central.BankAnswer, err error) {
	end := time.Now()
	result := resultLabel(answer, err)
	kind := kindLabel(a.kind)
	w.bankRequests.WithLabelValues(a.method, kind, result).Inc()
	if result != unsent { // an unsent request says nothing about the bank's speed
		w.bankSeconds.WithLabelValues(a.method).Observe(secondsBetween(a.begun, end))
	}
	if err == nil && a.method != enquire && answer.Code != "" {
		w.bankCodes.WithLabelValues(w.codes.value(answer.Code)).Inc()
	}
	if a.issuer != "" {
		issuer := w.issuers.value(a.issuer)
		w.issuerRequests.WithLabelValues(issuer, result).Inc()
		if result != unsent {
			w.issuerSeconds.WithLabelValues(issuer).Observe(secondsBetween(a.begun, end))
		}
	}
	parent := telemetry.State
	if a.state == "" {
		parent = telemetry.Call
	}
	w.recordSpan(telemetry.Span{
		Operation: a.operation, Step: telemetry.Bank, Key: a.key, Parent: parent, ParentKey: string(a.state), Kind: telemetry.Client, Name: "bank " + a.method,
		Start: a.begun, End: end, Outcome: result, BankKind: kind, Code: answer.Code, Failed: err != nil,
	})
}

// resultLabel returns the status of the bank's answer, or unsent or unanswered.
func resultLabel(a central.BankAnswer, err error) string {
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

// kindLabel returns a kind as a label. Kinds are capitals and underscores; an enquiry
// has none.
func kindLabel(k central.Kind) string {
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
