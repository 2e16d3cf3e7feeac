package watch

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"galla/central/iin"
	"galla/shared/op"
	"galla/shared/trace"
)

// Limits of labels whose values come from elsewhere. Whatever exceeds them is
// counted as 'other', so that nobody can grow the metrics at will.
const (
	// maxIssuers bounds the customers' banks that are told apart: those that
	// call first. India's largest fifty have nearly all of the accounts.
	maxIssuers = 50
	// maxCodes bounds the bank's response codes. ISO 8583 has some ninety.
	maxCodes = 100
)

// other is the label of what is over a limit or unknown.
const other = "other"

// Config sets up a Watch.
type Config struct {
	// Spans receives the spans of operations; nil: none are made.
	Spans trace.Recorder
	// Node names this central in spans.
	Node string
}

// Watch counts. Its methods may be called from many goroutines.
type Watch struct {
	registry *prometheus.Registry
	spans    trace.Recorder
	node     string
	classes  map[op.RouteID]op.Class
	issuers  *labels
	codes    *labels
	names    *names

	calls         *prometheus.CounterVec
	callSeconds   *prometheus.HistogramVec
	replayed      *prometheus.CounterVec
	operations    *prometheus.CounterVec
	stateSeconds  *prometheus.HistogramVec
	bankCalls     *prometheus.CounterVec
	bankSeconds   *prometheus.HistogramVec
	bankCodes     *prometheus.CounterVec
	issuerCalls   *prometheus.CounterVec
	issuerSeconds *prometheus.HistogramVec
}

// quick are the bounds of what a person waits for, in seconds: the counter's
// patience ends at 90 s, the bank's time-out is 15 s.
func quick() []float64 {
	return []float64{0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 90}
}

// long are the bounds of how long an operation stays in a state, in seconds:
// from the quickest dispatch to the seven days after which a person is asked.
func long() []float64 {
	const hour, day = 3600, 24 * 3600
	return []float64{0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 900, hour, 6 * hour, day, 7 * day}
}

// New makes a watch with a registry of its own.
func New(cfg Config) (*Watch, error) {
	banks, err := iin.Load()
	if err != nil {
		return nil, err
	}
	if cfg.Node == "" {
		return nil, errors.New("watch: the node's name is missing")
	}
	w := &Watch{
		registry: prometheus.NewRegistry(), spans: cfg.Spans, node: cfg.Node, classes: map[op.RouteID]op.Class{},
		issuers: newLabels(maxIssuers, banks.Known), codes: newLabels(maxCodes, isCode), names: newNames(maxNames),
	}
	for _, r := range op.Table() {
		w.classes[r.ID] = r.Class
	}
	w.calls = counter(w.registry, "calls_total", "Calls that were answered, by door, route and what came of them.", "door", "route", "outcome")
	w.callSeconds = histogram(w.registry, "call_seconds", "How long calls took, by door and the route's class.", quick(), "door", "class")
	w.replayed = counter(w.registry, "calls_replayed_total", "Repeats of known calls, which were answered from the record.", "door")
	w.operations = counter(w.registry, "operations_total", "Operations that this node brought to a state: pending, or a final one.", "route", "state")
	w.stateSeconds = histogram(w.registry, "operation_state_seconds", "How long operations were in a state that they left.", long(), "state", "class")
	w.bankCalls = counter(w.registry, "bank_calls_total", "What the bank was asked, by call and kind, and what came of it.", "call", "kind", "result")
	w.bankSeconds = histogram(w.registry, "bank_call_seconds", "How long the bank took to answer.", quick(), "call")
	w.bankCodes = counter(w.registry, "bank_codes_total", "Response codes of the bank, enquiries not counted.", "code")
	w.issuerCalls = counter(w.registry, "issuer_calls_total", "What the bank was asked, by the customer's bank and what came of it.", "issuer", "result")
	w.issuerSeconds = histogram(w.registry, "issuer_call_seconds", "How long the bank took to answer, by the customer's bank.", quick(), "issuer")
	return w, nil
}

// Registry is where the metrics are, and where the composition adds those of
// its parts.
func (w *Watch) Registry() *prometheus.Registry { return w.registry }

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

// route is a route's label: what stands in the table, or other.
func (w *Watch) route(id op.RouteID) string {
	if _, known := w.classes[id]; known {
		return string(id)
	}
	return other
}

// class is a route's class as a label.
func (w *Watch) class(id op.RouteID) string {
	if c, known := w.classes[id]; known {
		return string(c)
	}
	return other
}

// span hands a span on, if anybody wants it.
func (w *Watch) span(s trace.Span) {
	if w.spans == nil || s.Operation == "" {
		return
	}
	s.Node = w.node
	w.spans.Record(s)
}

// since is a length of time that a clock which was set back makes no negative.
func since(from, to time.Time) float64 { return max(0, to.Sub(from).Seconds()) }
