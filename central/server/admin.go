package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"galla/central"
	"galla/central/gateway"
	"galla/central/store"
	"galla/central/uplink"
)

// admin serves health and metrics on an address of its own.
type admin struct {
	engine    *central.Engine
	store     *store.DB
	terminals *uplink.Server
	gateway   *gateway.Gateway
	life      *life
	node      string
	duties    *duties
	log       *slog.Logger
}

// Bounds of the admin listener: its callers are probes and scrapers.
const (
	adminTimeout = 10 * time.Second
	probeTimeout = 3 * time.Second
)

func (a admin) run(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: a.handler(), ReadHeaderTimeout: adminTimeout, ReadTimeout: adminTimeout, WriteTimeout: adminTimeout,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	stop := context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), adminTimeout)
		defer cancel()
		_ = server.Shutdown(last)
	})
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (a admin) handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), backlog{a}, a.duties)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET /readyz", a.ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	return mux
}

// ready answers 200 when operations are taken and the database takes changes.
func (a admin) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
	defer cancel()
	switch err := a.store.Ping(ctx); {
	case err != nil:
		a.log.Warn("not ready: the database does not answer", "error", err)
		say(w, http.StatusServiceUnavailable, "the database does not take changes")
	case a.life.Leaving():
		say(w, http.StatusServiceUnavailable, "about to stop: send calls elsewhere")
	case !a.engine.Running():
		say(w, http.StatusServiceUnavailable, "starting or stopping")
	default:
		say(w, http.StatusOK, "ready")
	}
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}

// backlog is what an operator looks at first.
type backlog struct{ admin }

func describe(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("galla_"+name, help, nil, nil)
}

// Describe implements prometheus.Collector.
func (b backlog) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(b, ch) }

// Collect implements prometheus.Collector.
func (b backlog) Collect(ch chan<- prometheus.Metric) {
	gauge := func(name, help string, value int) {
		ch <- prometheus.MustNewConstMetric(describe(name, help), prometheus.GaugeValue, float64(value))
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	if pending, stuck, err := b.store.Backlog(ctx); err != nil {
		b.log.Warn("the backlog can't be counted", "error", err)
	} else {
		gauge("operations_pending", "Operations that wait for the bank's word.", pending)
		gauge("operations_stuck", "Pending operations that wait for a person.", stuck)
	}
	leaving := 0
	if b.life.Leaving() {
		leaving = 1
	}
	gauge("leaving", "1 while the central was told to stop.", leaving)
	ch <- prometheus.MustNewConstMetric(prometheus.NewDesc("galla_node_info", "The name of this central among those of its database.", []string{"node"}, nil), prometheus.GaugeValue, 1, b.node)
	if load, pooled := b.store.Load(); pooled {
		gauge("database_connections_busy", "Connections to the database that calls have.", load.Busy)
		gauge("database_connections_open", "Connections to the database.", load.Open)
		gauge("database_connections_limit", "Connections to the database at most.", load.Limit)
		gauge("database_calls_waiting", "Calls that wait for a connection to the database.", load.Waiting)
	}
	gauge("terminals_connected", "Terminals with a live uplink.", b.terminals.Connected())
	gauge("terminals_under_way", "Operations of terminals that are waited for.", b.terminals.UnderWay())
	b.countGateway(ch)
}

// countGateway tells of the vendors' messages. Why a message was not authentic
// is told here and in the log, and never to its sender.
func (b backlog) countGateway(ch chan<- prometheus.Metric) {
	counts := b.gateway.Counts()
	counter := func(name, help string, value int64) {
		ch <- prometheus.MustNewConstMetric(describe(name, help), prometheus.CounterValue, float64(value))
	}
	counter("gateway_messages_total", "Messages that came to the vendor gateway.", counts.Messages)
	counter("gateway_limited_total", "Messages of vendors over their limits.", counts.Limited)
	refused := prometheus.NewDesc("galla_gateway_refused_total", "Messages that were not authentic, by cause.", []string{"cause"}, nil)
	for cause, n := range counts.Refused {
		ch <- prometheus.MustNewConstMetric(refused, prometheus.CounterValue, float64(n), string(cause))
	}
	for name, value := range map[string]int{"gateway_keys": counts.Keys, "gateway_keys_worn": counts.WornKeys} {
		help := map[string]string{"gateway_keys": "Live vendor keys.", "gateway_keys_worn": "Live vendor keys used 2^30 times or more, which should be replaced."}[name]
		ch <- prometheus.MustNewConstMetric(describe(name, help), prometheus.GaugeValue, float64(value))
	}
}
