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
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/errgroup"

	"galla/central"
	"galla/central/console"
	"galla/central/credential"
	"galla/central/gateway"
	"galla/central/store"
	"galla/central/uplink"
	"galla/central/watch"
)

// admin serves health and metrics on an address of its own.
type admin struct {
	engine    *central.Engine
	store     *store.DB
	terminals *uplink.Server
	gateway   *gateway.Gateway
	life      *life
	node      string
	data      string // folder
	version   string
	duties    *duties
	watch     *watch.Watch
	shown     *credential.Certificate
	console   *console.Console
	log       *slog.Logger
}

// Bounds of the admin listener: its callers are probes and scrapers.
const (
	adminTimeout = 10 * time.Second
	probeTimeout = 3 * time.Second
)

func (a admin) run(ctx context.Context, l net.Listener) error {
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
	listeners := []net.Listener{l}
	if a.shown != nil {
		e, plain, shaken := newEither(l, a.shown)
		listeners = []net.Listener{plain, shaken}
		var handing sync.WaitGroup
		handing.Go(func() { e.run(ctx) })
		defer handing.Wait()
	}
	var serving errgroup.Group
	for _, l := range listeners {
		serving.Go(func() error {
			if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
				return err
			}
			return nil
		})
	}
	return serving.Wait()
}

// register adds what the parts count to the metrics.
func (a admin) register() error {
	registry := a.watch.Registry()
	var errs []error
	for _, c := range []prometheus.Collector{
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), account{a}, a.duties,
	} {
		errs = append(errs, registry.Register(c))
	}
	return errors.Join(errs...)
}

// handler serves probes and scrapers, and people where nobody on the way can
// listen: the console looks at each request, and answers those that came over the
// loopback interface, as by a port that is forwarded to it, or over TLS.
func (a admin) handler(private bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(console.Root, a.console.Handler())
	if !private && a.shown == nil {
		a.log.Warn("the operators' console answers on the loopback interface only: the administration's address is reached from other machines without TLS; forward a port to it, give it a loopback address, or a certificate (GALLA_TLS_CERT)")
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, aliveText) })
	mux.HandleFunc("GET /readyz", a.ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.watch.Registry(), promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	return mux
}

// aliveText is what /healthz says.
const aliveText = "alive"

// check is one condition of readiness; an empty problem is none.
type check struct {
	name    string
	problem string
	err     error // for the log
}

// checks gives the conditions under which this node should get calls, in the
// order in which they are told.
func (a admin) checks(ctx context.Context) []check {
	list := []check{{name: "staying"}, {name: "engine"}, {name: "database"}, {name: "schema"}, {name: "master key"}}
	if a.life.Leaving() {
		list[0].problem = "about to stop: send calls elsewhere"
	}
	if !a.engine.Running() {
		list[1].problem = "starting or stopping"
	}
	if err := a.store.Ping(ctx); err != nil {
		list[2].problem, list[2].err = "the database does not take changes", err
		list[3].problem, list[4].problem = "not known", "not known"
		return list
	}
	switch has, brings, err := a.store.Schema(ctx); {
	case err != nil:
		list[3].problem, list[3].err = "the schema's version can't be read", err
	case has < brings:
		list[3].problem = fmt.Sprintf("the database has schema version %d, this program needs %d: start it anew, it migrates the database", has, brings)
	}
	switch open, shut, err := a.gateway.Keys(ctx); {
	case err != nil:
		list[4].problem, list[4].err = "the vendors' keys can't be read", err
	case open == 0 && shut > 0:
		list[4].problem = fmt.Sprintf("the master key opens none of the %d live vendors' keys: it is another one's", shut)
	}
	return list
}

// ready answers 200 when this node should get calls, and 503 when not: the first
// line is the verdict, and each condition has a line of its own.
func (a admin) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
	defer cancel()
	verdict, status := "ready", http.StatusOK
	var lines strings.Builder
	for _, c := range a.checks(ctx) {
		if c.problem == "" {
			fmt.Fprintf(&lines, "\nok      %s", c.name)
			continue
		}
		fmt.Fprintf(&lines, "\nnot ok  %s: %s", c.name, c.problem)
		if status == http.StatusOK {
			verdict, status = "not ready: "+c.problem, http.StatusServiceUnavailable
		}
		if c.err != nil {
			a.log.Warn("not ready", "check", c.name, "problem", c.problem, "error", c.err)
		}
	}
	say(w, status, verdict+lines.String())
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}
