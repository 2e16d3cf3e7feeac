package telemetry

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"galla/central/iin"
	"galla/central/payments"
	"galla/shared/op"
	"galla/shared/telemetry"
)

// Limits of labels whose values come from outside. Values beyond a limit are counted
// as 'other', so that no caller can grow the metrics at will.
const (
	// maxIssuers bounds the customers' banks with a series of their own: the first
	// that are seen. India's largest fifty have nearly all of the accounts.
	maxIssuers = 50
	// maxCodes bounds the bank's response codes. ISO 8583 has some ninety.
	maxCodes = 100
)

// other is the label of a value that is unknown or over a limit.
const other = "other"

// Config configures Metrics.
type Config struct {
	// Spans receives the spans of operations; nil: no spans.
	Spans telemetry.Recorder
	// Node names this central in spans.
	Node string
}

// Metrics counts what a central does. Its methods are safe for concurrent use.
type Metrics struct {
	registry   *prometheus.Registry
	spans      telemetry.Recorder
	node       string
	classes    map[op.RouteID]op.Class
	issuers    *labelSet
	codes      *labelSet
	references *referenceCache

	requests       *prometheus.CounterVec
	requestSeconds *prometheus.HistogramVec
	replayed       *prometheus.CounterVec
	operations     *prometheus.CounterVec
	stateSeconds   *prometheus.HistogramVec
	bankRequests   *prometheus.CounterVec
	bankSeconds    *prometheus.HistogramVec
	bankCodes      *prometheus.CounterVec
	issuerRequests *prometheus.CounterVec
	issuerSeconds  *prometheus.HistogramVec
	payments       *prometheus.CounterVec
}

// waitBuckets are bounds in seconds for durations that a person waits: the bank's
// time-out is 15 s, the counter stops waiting after 90 s.
func waitBuckets() []float64 {
	return []float64{0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 90}
}

// stateBuckets are bounds in seconds for the time in a state: from the fastest send
// to the seven days after which a person must decide.
func stateBuckets() []float64 {
	const hour, day = 3600, 24 * 3600
	return []float64{0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 900, hour, 6 * hour, day, 7 * day}
}

// New returns Metrics with a registry of their own.
func New(cfg Config) (*Metrics, error) {
	banks, err := iin.Load()
	if err != nil {
		return nil, err
	}
	if cfg.Node == "" {
		return nil, errors.New("telemetry: the node's name is missing")
	}
	w := &Metrics{
		registry: prometheus.NewRegistry(), spans: cfg.Spans, node: cfg.Node, classes: map[op.RouteID]op.Class{},
		issuers: newLabelSet(maxIssuers, banks.Known), codes: newLabelSet(maxCodes, isCode), references: newReferenceCache(maxReferences),
	}
	for _, r := range op.Table() {
		w.classes[r.ID] = r.Class
	}
	w.requests = counter(w.registry, "requests_total", "Answered requests, by entrance, route and outcome.", "entrance", "route", "outcome")
	w.requestSeconds = histogram(w.registry, "request_seconds", "Duration of requests, by entrance and the route's class.", waitBuckets(), "entrance", "class")
	w.replayed = counter(w.registry, "requests_replayed_total", "Repeats of known requests, answered from the record.", "entrance")
	w.operations = counter(w.registry, "operations_total", "Operations that this node moved to pending or to a final state.", "route", "state")
	w.stateSeconds = histogram(w.registry, "operation_state_seconds", "Time that operations were in a state that they left.", stateBuckets(), "state", "class")
	w.bankRequests = counter(w.registry, "bank_requests_total", "Requests to the bank, by method, kind and result.", "method", "kind", "result")
	w.bankSeconds = histogram(w.registry, "bank_request_seconds", "Time that the bank took to answer.", waitBuckets(), "method")
	w.bankCodes = counter(w.registry, "bank_codes_total", "Response codes of the bank, enquiries not counted.", "code")
	w.issuerRequests = counter(w.registry, "issuer_requests_total", "Requests to the bank, by the customer's bank and result.", "issuer", "result")
	w.issuerSeconds = histogram(w.registry, "issuer_request_seconds", "Time that the bank took to answer, by the customer's bank.", waitBuckets(), "issuer")
	w.payments = counter(w.registry, "upi_payments_total", "Payments by UPI that this node recorded, and their returns: how they became known, what they were matched to, and whether they are over a limit of the merchant.", "event", "source", "match", "limit")
	return w, nil
}

// RecordPayment counts a payment that was recorded, or its return.
func (w *Metrics) RecordPayment(p payments.Payment) {
	event := "received"
	if p.Refunded() {
		event = "returned"
	}
	limit := "within"
	if p.OverLimit != "" {
		limit = "over"
	}
	w.payments.WithLabelValues(event, string(p.Source), string(p.Match), limit).Inc()
}

// Registry holds the metrics. The server registers those of its parts there.
func (w *Metrics) Registry() *prometheus.Registry { return w.registry }

func counter(r *prometheus.Registry, name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "galla_" + name, Help: help}, labels)
	r.MustRegister(v)
	return v
}

func histogram(r *prometheus.Registry, name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
	v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "galla_" + name, Help: help, Buckets: bounds}, labels)
	r.MustRegister(v)
	return v
}

// routeLabel returns the id of a route in the route table, or other.
func (w *Metrics) routeLabel(id op.RouteID) string {
	if _, known := w.classes[id]; known {
		return string(id)
	}
	return other
}

// classLabel returns the class of a route in the route table, or other.
func (w *Metrics) classLabel(id op.RouteID) string {
	if c, known := w.classes[id]; known {
		return string(c)
	}
	return other
}

// recordSpan records the span of an operation, if spans are recorded.
func (w *Metrics) recordSpan(s telemetry.Span) {
	if w.spans == nil || s.Operation == "" {
		return
	}
	s.Node = w.node
	w.spans.Record(s)
}

// secondsBetween returns 0 where a clock that was set back would give a negative duration.
func secondsBetween(from, to time.Time) float64 { return max(0, to.Sub(from).Seconds()) }
