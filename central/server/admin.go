package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"galla/central"
	"galla/central/bank"
	"galla/central/console"
	"galla/central/gateway"
	"galla/central/httpapi"
	"galla/central/keys"
	"galla/central/store"
	"galla/central/telemetry"
	"galla/central/uplink"
)

// adminServer serves health and metrics on an address of its own.
type adminServer struct {
	engine      *central.Engine
	store       *store.DB
	terminals   *uplink.Server
	gateway     *gateway.Gateway
	bank        *bank.Client
	lifecycle   *lifecycle
	node        string
	data        string // folder
	version     string
	background  *background
	metrics     *telemetry.Metrics
	certificate *keys.Certificate // of the public addresses
	tls         bool              // this address speaks TLS, too
	console     *console.Console
	docs        map[string]httpapi.Page // by path
	log         *slog.Logger
}

// Bounds of the admin listener: its callers are probes and scrapers.
const (
	adminTimeout = 10 * time.Second
	probeTimeout = 3 * time.Second
)

func (a adminServer) run(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: a.handler(private(l)), ReadHeaderTimeout: adminTimeout, ReadTimeout: adminTimeout, WriteTimeout: adminTimeout,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	stop := context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), adminTimeout)
		defer cancel()
		_ = server.Shutdown(last)
	})
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// register adds what the parts count to the metrics.
func (a adminServer) register() error {
	registry := a.metrics.Registry()
	var errs []error
	for _, c := range []prometheus.Collector{
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), metricsCollector{a}, a.background,
	} {
		errs = append(errs, registry.Register(c))
	}
	return errors.Join(errs...)
}

// handler serves probes, metrics, the console and the documentation to which its pages
// lead. The console answers only requests over the loopback interface, such as from a forwarded port, or over TLS.
func (a adminServer) handler(private bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(console.Root, a.console.Handler())
	for path, page := range a.docs {
		mux.Handle("GET "+path, page)
	}
	if !private && !a.tls {
		a.log.Warn("the console answers on the loopback interface only: other machines reach the admin address without TLS; forward a port to it, give it a loopback address, or begin admin-addr with https:// and set tls-cert")
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, aliveText) })
	mux.HandleFunc("GET /readyz", a.ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.metrics.Registry(), promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	return mux
}

// aliveText is the answer of /healthz.
const aliveText = "alive"

// check is one condition of readiness; an empty problem means that it is met.
type check struct {
	name    string
	problem string
	err     error // for the log
}

// checks returns the conditions of readiness, in the order of the answer.
func (a adminServer) checks(ctx context.Context) []check {
	list := []check{{name: "not stopping"}, {name: "engine"}, {name: "database"}, {name: "schema"}, {name: "master key"}}
	if a.lifecycle.Stopping() {
		list[0].problem = "about to stop: send requests to another node"
	}
	if !a.engine.Running() {
		list[1].problem = "starting or stopping"
	}
	if err := a.store.Ping(ctx); err != nil {
		list[2].problem, list[2].err = "the database does not accept changes", err
		list[3].problem, list[4].problem = "not known", "not known"
		return list
	}
	switch has, brings, err := a.store.SchemaVersion(ctx); {
	case err != nil:
		list[3].problem, list[3].err = "the schema's version can't be read", err
	case has < brings:
		list[3].problem = fmt.Sprintf("the database has schema version %d, this program needs %d: restart it, a start migrates the database", has, brings)
	}
	switch opened, unopened, err := a.gateway.CheckKeys(ctx); {
	case err != nil:
		list[4].problem, list[4].err = "the vendors' keys can't be read", err
	case opened == 0 && unopened > 0:
		list[4].problem = fmt.Sprintf("the master key opens none of the %d live vendors' keys: it is not the key that sealed them", unopened)
	}
	return list
}

// ready answers 200 when this node is ready for requests, else 503. The first line says
// which, and each condition has a line of its own.
func (a adminServer) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
	defer cancel()
	summary, status := "ready", http.StatusOK
	var lines strings.Builder
	for _, c := range a.checks(ctx) {
		if c.problem == "" {
			fmt.Fprintf(&lines, "\nok      %s", c.name)
			continue
		}
		fmt.Fprintf(&lines, "\nnot ok  %s: %s", c.name, c.problem)
		if status == http.StatusOK {
			summary, status = "not ready: "+c.problem, http.StatusServiceUnavailable
		}
		if c.err != nil {
			a.log.Warn("not ready", "check", c.name, "problem", c.problem, "error", c.err)
		}
	}
	writeText(w, status, summary+lines.String())
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}
